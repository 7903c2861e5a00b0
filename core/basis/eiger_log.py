"""The original Eiger's logarithm: log2|x|, 1 at x = 0."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, log2, size, where_zero
from core.basis.base import Basis


@dataclass(frozen=True)
class EigerLog(Basis):
    """The meaning of function code `4 i` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.powerLadder.
    """

    label: ClassVar[str] = "Logarithm, as the original Eiger"

    @property
    def expression(self) -> Expression:
        """log2|x|, 1 where x is 0."""
        return where_zero(X, 1.0, log2(size(X)))
