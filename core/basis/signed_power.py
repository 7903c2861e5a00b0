"""Signed powers: sign(x)·|x|^n, odd and defined everywhere."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray
from core.option import option


@dataclass(frozen=True)
class SignedPower(Basis):
    """sign(x)·|x|^exponent: a root that keeps the sign, so that it can express a linear effect."""

    label: ClassVar[str] = "Signed power"

    exponent: float = option(0.5, low=0.1, high=8, help="The power that the absolute value is raised to")

    @property
    def positive(self) -> bool:
        """Any argument will do."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return sign(x)·|x|^exponent."""
        size = np.abs(x)
        return np.copysign(np.sqrt(size) if self.exponent == 0.5 else size**self.exponent, x)

    def formula(self, argument: str) -> str:
        """Return sign(argument)·|argument|^exponent."""
        return f"sign({argument})·|{argument}|^{self.exponent:g}"
