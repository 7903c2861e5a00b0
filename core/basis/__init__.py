"""Every basis function, one file each, and the expressions that they state; see `base.py` for the contract.

It offers `BASES` by name, and expressions of a dozen primitives that every printer knows. A basis function is one
number to one number: it never sees columns, trials or options of a model.
"""

from core.basis._expression import Expression
from core.basis.base import Basis
from core.registry import discover

BASES = discover("core.basis", Basis, "basis function")

__all__ = ["BASES", "Basis", "Expression"]
