"""A hinge on a logarithm: how often a number doubles above 1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class Log2Above(Basis):
    """max(0, log2(x)): flat up to a knot, a straight line in the logarithm from there on."""

    label: ClassVar[str] = "Hinge of the logarithm"

    @property
    def positive(self) -> bool:
        """The argument must be positive."""
        return True

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return log2(x) where x is above 1, and else 0."""
        return np.log2(np.maximum(x, 1.0))

    def formula(self, argument: str) -> str:
        """Return max(0, log2(argument))."""
        return f"max(0, log2({argument}))"
