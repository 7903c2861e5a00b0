"""The original Eiger's square root: √|x|, 0 at x = 0."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, root, size
from core.basis.base import Basis


@dataclass(frozen=True)
class EigerSqrt(Basis):
    """The meaning of function code `3 i` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.py.
    """

    label: ClassVar[str] = "Square root, as the original Eiger"

    @property
    def expression(self) -> Expression:
        """√|x|."""
        return root(size(X))
