"""A hinge on a logarithm: how often a number doubles above 1."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, largest, log2
from core.basis.base import Basis


@dataclass(frozen=True)
class Log2Above(Basis):
    """max(0, log2(x)): flat up to a knot, a straight line in the logarithm from there on."""

    label: ClassVar[str] = "Hinge of the logarithm"

    @property
    def positive(self) -> bool:
        """The argument must be positive."""
        return True

    @property
    def expression(self) -> Expression:
        """log2(x) where x is above 1, and else 0."""
        return largest(log2(X), 0.0)
