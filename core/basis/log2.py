"""The logarithm to base 2 of a positive number."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class Log2(Basis):
    """log2(x) (Eiger, Table I)."""

    label: ClassVar[str] = "Logarithm"

    @property
    def positive(self) -> bool:
        """The argument must be positive."""
        return True

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return log2(x)."""
        return np.log2(x)

    def formula(self, argument: str) -> str:
        """Return log2(argument)."""
        return f"log2({argument})"
