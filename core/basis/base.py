"""The contract of a basis function: a named function of one number, and where it is defined."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.basis._expression import NUMBERS, WORDS, Expression, factor
from core.codec import FloatArray
from core.option import Options


@dataclass(frozen=True)
class Basis(Options, ABC):
    """A function of one variable, evaluated element by element.

    A basis says only what it computes and whether its argument must be positive; which
    number is handed to it (a signed score, or one shifted to be positive) is decided by who
    builds the pool, and stored with the term. Values, formulas and exported code follow from its expression.
    """

    label: ClassVar[str]

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
