"""Powers: x^n, its odd form that is defined everywhere, and the hinge, which is x where it is positive."""

from core.basis.base import Basis, Expression, X, largest, power, root, sign, size
from core.option import option


class Power(Basis):
    """x to a fixed power (Eiger, Table I)."""

    exponent: float = option(1.0, low=-8, high=8, help="The power that the argument is raised to")

    @property
    def positive(self) -> bool:
        """Whether the argument must be positive: unless the exponent is 1, 2, 3 and so on."""
        return self.exponent <= 0 or self.exponent != int(self.exponent)

    @property
    def expression(self) -> Expression:
        """x^exponent."""
        return root(X) if self.exponent == 0.5 else power(X, self.exponent)


class SignedPower(Basis):
    """sign(x)·|x|^exponent: a root that keeps the sign, so that it can express a linear effect."""

    exponent: float = option(0.5, low=0.1, high=8, help="The power that the absolute value is raised to")

    @property
    def expression(self) -> Expression:
        """sign(x)·|x|^exponent."""
        return sign(X) * power(size(X), self.exponent)


class Above(Basis):
    """max(0, x): flat up to a knot, a straight line from there on."""

    expression = largest(X, 0.0)
    """X where it is above 0, and else 0."""
