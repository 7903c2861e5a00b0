"""A hinge: what a number is above 0."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, largest
from core.basis.base import Basis


@dataclass(frozen=True)
class Above(Basis):
    """max(0, x): flat up to a knot, a straight line from there on."""

    label: ClassVar[str] = "Hinge"

    @property
    def expression(self) -> Expression:
        """X where it is above 0, and else 0."""
        return largest(X, 0.0)
