"""The contract of a basis function: a named function of one number, and where it is defined."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.option import Options


@dataclass(frozen=True)
class Basis(Options, ABC):
    """A function of one variable, evaluated element by element.

    A basis says only what it computes and whether its argument must be positive; which
    number is handed to it (a signed score, or one shifted to be positive) is decided by who
    builds the pool, and stored with the term.
    """

    label: ClassVar[str]

    @property
    @abstractmethod
    def positive(self) -> bool:
        """Whether the argument must be positive (there is a pole or a branch point at 0)."""

    @abstractmethod
    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return the function of each element; the shape is kept."""

    @abstractmethod
    def formula(self, argument: str) -> str:
        """Return the function as a person writes it, such as `log2(argument)`."""
