"""The inverse hyperbolic sine: linear near 0, logarithmic far out, odd, defined everywhere."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class Asinh(Basis):
    """asinh(x): what a logarithm wants to be on numbers of either sign."""

    label: ClassVar[str] = "Inverse hyperbolic sine"

    @property
    def positive(self) -> bool:
        """Any argument will do."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return asinh(x)."""
        return np.arcsinh(x)

    def formula(self, argument: str) -> str:
        """Return asinh(argument)."""
        return f"asinh({argument})"
