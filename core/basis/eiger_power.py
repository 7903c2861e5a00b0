"""The original Eiger's power: |x|^n, 1 at x = 0, 0 where it would overflow."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray
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
    def positive(self) -> bool:
        """Any argument will do: that is the original's way round the sign."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return |x|^exponent, 1 where x is 0, 0 where it overflows."""
        with np.errstate(divide="ignore", over="ignore"):
            value = np.abs(x) ** self.exponent
        return np.where(x == 0, 1.0, np.where(np.isinf(value), 0.0, value))

    def formula(self, argument: str) -> str:
        """Return |argument|^exponent."""
        return f"|{argument}|" if self.exponent == 1 else f"|{argument}|^{self.exponent:g}"
