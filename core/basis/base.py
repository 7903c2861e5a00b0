"""The contract of a basis function: a named function of one number, where it is defined, and the primitives of it."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen
from core.option import Options


class Expression(Frozen):
    """A primitive of other expressions: a tree that ends in the argument and in numbers.

    Attributes
    ----------
    op : `x` (the argument), `number`, `abs`, `sign`, `log2`, `asinh`, `root`, `power`, `largest`, `plus`, `minus`,
        `times`, `over`, `where_zero` (test, then, otherwise), or `where_infinite` (test, then; else the test itself)
    number : of `number`, the exponent of `power`, the other number of `largest`
    """

    op: str
    of: tuple["Expression", ...] = ()
    number: float | None = None

    def __add__(self, other: "Expression") -> "Expression":
        return Expression("plus", (self, other))

    def __sub__(self, other: "Expression") -> "Expression":
        return Expression("minus", (self, other))

    def __mul__(self, other: "Expression") -> "Expression":
        return Expression("times", (self, other))

    def __truediv__(self, other: "Expression") -> "Expression":
        return Expression("over", (self, other))

    def folded(self, write: Mapping[str, Callable[..., Any]], x: Any) -> Any:
        """Return the expression of `x` by one function per primitive; KeyError names a primitive that has none."""
        if self.op == "x":
            return x
        number = () if self.number is None else (self.number,)
        return write[self.op](*(part.folded(write, x) for part in self.of), *number)

    def plain(self) -> list[Any]:
        """Return the tree as lists: the primitive, what it is of, its number."""
        number = [] if self.number is None else [self.number]
        return [self.op, *(part.plain() for part in self.of), *number]

    @property
    def primitives(self) -> frozenset[str]:
        """Names of all primitives in the tree."""
        return frozenset({self.op}).union(*(part.primitives for part in self.of))


X = Expression("x")


def number(value: float) -> Expression:
    """Return a constant."""
    return Expression("number", number=value)


def size(of: Expression) -> Expression:
    """Return |of|."""
    return Expression("abs", (of,))


def sign(of: Expression) -> Expression:
    """Return -1, 0 or 1."""
    return Expression("sign", (of,))


def log2(of: Expression) -> Expression:
    """Return the logarithm to base 2."""
    return Expression("log2", (of,))


def asinh(of: Expression) -> Expression:
    """Return the inverse hyperbolic sine."""
    return Expression("asinh", (of,))


def root(of: Expression) -> Expression:
    """Return the square root."""
    return Expression("root", (of,))


def power(of: Expression, exponent: float) -> Expression:
    """Return a power with a fixed exponent."""
    return Expression("power", (of,), exponent)


def largest(of: Expression, least: float) -> Expression:
    """Return the larger of an expression and a number."""
    return Expression("largest", (of,), least)


def where_zero(test: Expression, then: float, otherwise: Expression) -> Expression:
    """Return a number where `test` is 0, and else `otherwise`."""
    return Expression("where_zero", (test, number(then), otherwise))


def where_infinite(of: Expression, then: float) -> Expression:
    """Return a number where `of` is infinite, and else `of`."""
    return Expression("where_infinite", (of, number(then)))


_POWERS: Mapping[float, Callable[[FloatArray], FloatArray]] = {
    -2.0: lambda x: 1 / (x * x),
    -1.0: lambda x: 1 / x,
    -0.5: lambda x: 1 / np.sqrt(x),
    0.5: np.sqrt,
    1.0: lambda x: x,
    2.0: lambda x: x * x,
}
"""The common exponents, without a general power."""


def _power(x: FloatArray, exponent: float) -> FloatArray:
    """Return x^exponent."""
    return _POWERS[exponent](x) if exponent in _POWERS else np.power(x, exponent)


NUMBERS: Mapping[str, Callable[..., Any]] = {
    "number": float,
    "abs": np.abs,
    "sign": np.sign,
    "log2": np.log2,
    "asinh": np.arcsinh,
    "root": np.sqrt,
    "power": _power,
    "largest": np.maximum,
    "plus": np.add,
    "minus": np.subtract,
    "times": np.multiply,
    "over": np.divide,
    "where_zero": lambda test, then, otherwise: np.where(test == 0, then, otherwise),
    "where_infinite": lambda of, then: np.where(np.isinf(of), then, of),
}


_INSIDE = re.compile(r"\([^()]*\)|\|[^|()]*\|")
_SUM, _PRODUCT = (" + ", " − "), (" + ", " − ", "·", "/")


def factor(text: str, signs: Sequence[str] = _SUM) -> str:
    """Return a text in parentheses where one of the signs stands outside of its own parentheses and bars."""
    outside = text
    while _INSIDE.search(outside):
        outside = _INSIDE.sub("", outside)
    return f"({text})" if any(sign in outside for sign in signs) else text


def _enclosed(text: str) -> str:
    return text if re.fullmatch(r"\|[^|]*\|", text) else f"({text})"


WORDS: Mapping[str, Callable[..., str]] = {
    "number": lambda value: f"({value:g})" if value < 0 else f"{value:g}",
    "abs": lambda a: f"|{a}|",
    "sign": lambda a: f"sign({a})",
    "log2": lambda a: f"log2{_enclosed(a)}",
    "asinh": lambda a: f"asinh({a})",
    "root": lambda a: f"√{_enclosed(a)}",
    "power": lambda a, n: a if n == 1 else f"{_enclosed(a)}^{n:g}",
    "largest": lambda a, least: f"max({least:g}, {a})",
    "plus": lambda a, b: f"{a} + {b}",
    "minus": lambda a, b: f"{a} − {factor(b)}",
    "times": lambda a, b: f"{factor(a)}·{factor(b)}",
    "over": lambda a, b: f"{factor(a)}/{factor(b, _PRODUCT)}",
    "where_zero": lambda test, then, otherwise: otherwise,
    "where_infinite": lambda of, then: of,
}
"""Exceptions at single points are left out of what people read."""


class Basis(Options, ABC):
    """A function of one variable, evaluated element by element.

    A basis says only what it computes and whether its argument must be positive; which
    number is handed to it (a signed score, or one shifted to be positive) is decided by who
    builds the pool, and stored with the term. Values, formulas and exported code follow from its expression.
    """

    @property
    def positive(self) -> bool:
        """Whether the argument must be positive (there is a pole or a branch point at 0)."""
        return False

    @property
    @abstractmethod
    def expression(self) -> Expression:
        """The function, made of primitives."""

    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return the function of each element; the shape is kept."""
        with np.errstate(divide="ignore", over="ignore"):
            found: FloatArray = self.expression.folded(NUMBERS, x)
        return found

    def formula(self, argument: str) -> str:
        """Return the function as a person writes it in a product, such as `log2(argument)` or `(1 + argument)`."""
        return factor(str(self.expression.folded(WORDS, argument)))
