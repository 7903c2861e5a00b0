"""Every model family, one file each; see `base.py` for the contract."""

from itertools import product

from core.models.base import Family
from core.registry import discover

SELECTIONS = tuple("_".join(parts) for parts in product(("ols", "nnls"), ("forward", "backward"), ("aic", "bic")))

SEVERAL = {"lasso": ("lasso", "nn_lasso"), "selection": ("ols", "nnls", *SELECTIONS)}
FAMILIES = discover("core.models", Family, "model family", SEVERAL)
