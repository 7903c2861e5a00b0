"""The original Eiger's logarithm: log2|x|, 1 at x = 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class EigerLog(Basis):
    """The meaning of function code `4 i` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.powerLadder.
    """

    label: ClassVar[str] = "Logarithm, as the original Eiger"

    @property
    def positive(self) -> bool:
        """Any argument will do: that is the original's way round the sign."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return log2|x|, 1 where x is 0."""
        with np.errstate(divide="ignore"):
            return np.where(x == 0, 1.0, np.log2(np.abs(x)))

    def formula(self, argument: str) -> str:
        """Return log2|argument|."""
        return f"log2|{argument}|"
