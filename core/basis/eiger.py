"""The functions of the original Eiger's model files, with its answers at 0."""

from math import nan

from core.basis.base import Basis, Expression, X, log2, number, power, root, size, where_infinite, where_zero
from core.option import option


class EigerLog(Basis):
    """The meaning of function code `4 i` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.powerLadder.
    """

    expression = where_zero(X, 1.0, log2(size(X)))
    """log2|x|, 1 where x is 0."""


class EigerPower(Basis):
    """The meaning of function code `1 i n` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.powerLadder.
    """

    exponent: float = option(1.0, low=-100, high=100, help="The power that the absolute value is raised to")

    @property
    def expression(self) -> Expression:
        """|x|^exponent, 1 where x is 0, 0 where it overflows."""
        return where_zero(X, 1.0, where_infinite(power(size(X), self.exponent), 0.0))


class EigerReciprocal(Basis):
    """One half of function code `5 i j`, x_i / x_j, in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.py; in version 1 the code is `5 i`, 1 / x_i.
    """

    expression = where_zero(X, nan, number(1.0) / X)
    """1/x; no number at 0, so that there is no prediction."""


class EigerSqrt(Basis):
    """The meaning of function code `3 i` in the original program's model files.

    References
    ----------
    Eiger v4, LinearRegression.py.
    """

    expression = root(size(X))
    """√|x|."""
