"""The cube root of a number of any sign."""

from core.basis.base import Basis, Expression, X, power, sign, size


class CubeRoot(Basis):
    """sign(x)·|x|^(1/3)."""

    @property
    def expression(self) -> Expression:
        """A power that keeps the sign."""
        return sign(X) * power(size(X), 1 / 3)
