"""Signed powers: sign(x)·|x|^n, odd and defined everywhere."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, power, sign, size
from core.basis.base import Basis
from core.option import option


@dataclass(frozen=True)
class SignedPower(Basis):
    """sign(x)·|x|^exponent: a root that keeps the sign, so that it can express a linear effect."""

    label: ClassVar[str] = "Signed power"

    exponent: float = option(0.5, low=0.1, high=8, help="The power that the absolute value is raised to")

    @property
    def expression(self) -> Expression:
        """sign(x)·|x|^exponent."""
        return sign(X) * power(size(X), self.exponent)
