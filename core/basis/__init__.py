"""Every basis function, one file each, and the expressions that they state; see `base.py` for the contract."""

from core.basis._expression import Expression
from core.basis.base import Basis
from core.registry import discover

BASES = discover("core.basis", Basis, "basis function")

__all__ = ["BASES", "Basis", "Expression"]
