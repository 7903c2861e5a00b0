"""Logarithms: of a positive number, hinged, and the inverse hyperbolic sine, which is defined everywhere."""

from core.basis.base import Basis, X, asinh, largest, log2


class Log2(Basis):
    """log2(x) (Eiger, Table I)."""

    positive = True
    """The argument must be positive."""

    expression = log2(X)
    """log2(x)."""


class Log2Above(Log2):
    """max(0, log2(x)): flat up to a knot, a straight line in the logarithm from there on."""

    expression = largest(log2(X), 0.0)
    """log2(x) where x is above 1, and else 0."""


class Asinh(Basis):
    """asinh(x): what a logarithm wants to be on numbers of either sign."""

    expression = asinh(X)
    """asinh(x)."""
