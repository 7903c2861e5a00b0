"""A hinge: what a number is above 0."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray


@dataclass(frozen=True)
class Above(Basis):
    """max(0, x): flat up to a knot, a straight line from there on."""

    label: ClassVar[str] = "Hinge"

    @property
    def positive(self) -> bool:
        """Any argument will do."""
        return False

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return x where it is above 0, and else 0."""
        return np.maximum(x, 0.0)

    def formula(self, argument: str) -> str:
        """Return max(0, argument)."""
        return f"max(0, {argument})"
