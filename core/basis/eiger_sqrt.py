"""The original Eiger's square root: √|x|, 0 at x = 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class EigerSqrt(Basis):
    """The meaning of function code `3 i` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.py.
    """

    label: ClassVar[str] = "Square root, as the original Eiger"

    @property
    def positive(self) -> bool:
        """Any argument will do: that is the original's way round the sign."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return √|x|."""
        return np.sqrt(np.abs(x))

    def formula(self, argument: str) -> str:
        """Return √|argument|."""
        return f"√|{argument}|"
