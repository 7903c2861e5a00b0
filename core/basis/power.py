"""Powers: x^n, defined for every x where n is a positive whole number, else for positive x."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis.base import Basis
from core.codec import FloatArray
from core.option import option

_COMMON: dict[float, Callable[[FloatArray], FloatArray]] = {
    -2.0: lambda x: 1 / (x * x),
    -1.0: lambda x: 1 / x,
    -0.5: lambda x: 1 / np.sqrt(x),
    0.5: lambda x: np.sqrt(x),
    1.0: lambda x: x,
    2.0: lambda x: x * x,
}


@dataclass(frozen=True)
class Power(Basis):
    """x to a fixed power (Eiger, Table I)."""

    label: ClassVar[str] = "Power"

    exponent: float = option(1.0, low=-8, high=8, help="The power that the argument is raised to")

    @property
    def positive(self) -> bool:
        """Whether the argument must be positive: unless the exponent is 1, 2, 3 and so on."""
        return self.exponent <= 0 or self.exponent != int(self.exponent)

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return x^exponent; the common exponents without a general power."""
        quick = _COMMON.get(self.exponent)
        return quick(x) if quick else np.power(x, self.exponent)

    def formula(self, argument: str) -> str:
        """Return argument^exponent."""
        if self.exponent == 1:
            return argument
        return f"√({argument})" if self.exponent == 0.5 else f"({argument})^{self.exponent:g}"
