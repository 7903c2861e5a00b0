"""The cube root of a number of any sign."""

from dataclasses import dataclass
from typing import ClassVar

from core.basis._expression import Expression, X, power, sign, size
from core.basis.base import Basis


@dataclass(frozen=True)
class CubeRoot(Basis):
    """sign(x)·|x|^(1/3)."""

    label: ClassVar[str] = "Cube root"

    @property
    def expression(self) -> Expression:
        """A power that keeps the sign."""
        return sign(X) * power(size(X), 1 / 3)
