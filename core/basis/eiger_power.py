"""The original Eiger's power: |x|^n, 1 at x = 0, 0 where it would overflow."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, power, size, where_infinite, where_zero
from core.basis.base import Basis
from core.option import option


@dataclass(frozen=True)
class EigerPower(Basis):
    """The meaning of function code `1 i n` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.powerLadder.
    """

    label: ClassVar[str] = "Power, as the original Eiger"

    exponent: float = option(1.0, low=-100, high=100, help="The power that the absolute value is raised to")

    @property
    def expression(self) -> Expression:
        """|x|^exponent, 1 where x is 0, 0 where it overflows."""
        return where_zero(X, 1.0, where_infinite(power(size(X), self.exponent), 0.0))
