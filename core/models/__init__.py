"""Every model family, alike ones in one file; see `base.py` for the contract.

It offers `FAMILIES` by name; modules with an underscore are the parts that families are made of, and that rooms below
may read to tell a model's story. A family sees arrays, never trials, machines or the database, and fits in one
thread.
"""

from itertools import product

from core.models.base import Family
from core.registry import discover

SELECTIONS = tuple("_".join(parts) for parts in product(("ols", "nnls"), ("forward", "backward"), ("aic", "bic")))

SEVERAL = {
    "forest": ("extra_trees", "forest", "trended"),
    "kernels": ("gaussian_process", "support_vectors"),
    "lasso": ("lasso", "nn_lasso"),
    "selection": ("ols", "nnls", *SELECTIONS),
}
FAMILIES = discover("core.models", Family, "model family", SEVERAL)
