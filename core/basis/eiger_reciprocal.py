"""The original Eiger's divisor: 1/x for either sign, without a value at 0."""

from dataclasses import dataclass
from math import nan
from typing import ClassVar

from core.basis._expression import Expression, X, number, where_zero
from core.basis.base import Basis


@dataclass(frozen=True)
class EigerReciprocal(Basis):
    """One half of function code `5 i j`, x_i / x_j, in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.py; in version 1 the code is `5 i`, 1 / x_i.
    """

    label: ClassVar[str] = "Reciprocal, as the original Eiger"

    @property
    def expression(self) -> Expression:
        """1/x; no number at 0, so that there is no prediction."""
        return where_zero(X, nan, number(1.0) / X)
