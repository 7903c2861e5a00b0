"""Every model family, one file each; see `base.py` for the contract."""

from core.models.base import Family
from core.registry import discover

FAMILIES = discover("core.models", Family, "model family")
