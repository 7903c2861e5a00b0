"""The logarithm to base 2 of a positive number."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, log2
from core.basis.base import Basis


@dataclass(frozen=True)
class Log2(Basis):
    """log2(x) (Eiger, Table I)."""

    label: ClassVar[str] = "Logarithm"

    @property
    def positive(self) -> bool:
        """The argument must be positive."""
        return True

    @property
    def expression(self) -> Expression:
        """log2(x)."""
        return log2(X)
