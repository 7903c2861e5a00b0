"""Every basis function, one file each; see `base.py` for the contract."""

from core.basis.base import Basis
from core.registry import discover

BASES = discover("core.basis", Basis, "basis function")
