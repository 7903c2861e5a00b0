"""The inverse hyperbolic sine: linear near 0, logarithmic far out, odd, defined everywhere."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, asinh
from core.basis.base import Basis


@dataclass(frozen=True)
class Asinh(Basis):
    """asinh(x): what a logarithm wants to be on numbers of either sign."""

    label: ClassVar[str] = "Inverse hyperbolic sine"

    @property
    def expression(self) -> Expression:
        """asinh(x)."""
        return asinh(X)
