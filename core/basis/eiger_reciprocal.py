"""The original Eiger's divisor: 1/x for either sign, without a value at 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class EigerReciprocal(Basis):
    """One half of function code `5 i j`, x_i / x_j, in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.py; in version 1 the code is `5 i`, 1 / x_i.
    """

    label: ClassVar[str] = "Reciprocal, as the original Eiger"

    @property
    def positive(self) -> bool:
        """Any argument but 0 will do."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return 1/x; NaN at 0, so that there is no prediction."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.where(x == 0, np.nan, 1 / x)

    def formula(self, argument: str) -> str:
        """Return 1/argument."""
        return f"1/{argument}"
