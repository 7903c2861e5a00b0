"""Powers: x^n, defined for every x where n is a positive whole number, else for positive x."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, power, root
from core.basis.base import Basis
from core.option import option


@dataclass(frozen=True)
class Power(Basis):
    """x to a fixed power (Eiger, Table I)."""

    label: ClassVar[str] = "Power"

    exponent: float = option(1.0, low=-8, high=8, help="The power that the argument is raised to")

    @property
    def positive(self) -> bool:
        """Whether the argument must be positive: unless the exponent is 1, 2, 3 and so on."""
        return self.exponent <= 0 or self.exponent != int(self.exponent)

    @property
    def expression(self) -> Expression:
        """x^exponent."""
        return root(X) if self.exponent == 0.5 else power(X, self.exponent)
