"""Every basis function, alike ones in one file, and the expressions that they state; see `base.py` for the contract.

It offers `BASES` by name, and expressions of a dozen primitives that every printer knows. A basis function is one
number to one number: it never sees columns, trials or options of a model.
"""

from core.basis.base import Basis, Expression
from core.registry import discover

SEVERAL = {
    "eiger": ("eiger_log", "eiger_power", "eiger_reciprocal", "eiger_sqrt"),
    "logarithms": ("asinh", "log2", "log2_above"),
    "powers": ("above", "power", "signed_power"),
}
BASES = discover("core.basis", Basis, "basis function", SEVERAL)

__all__ = ["BASES", "Basis", "Expression"]
