"""A sum of terms as a model: intercept + Σ coefficient · term."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.models._pool import Term, hold
from core.models.base import Model, Parts, Piece, piece, written_sum


@dataclass(frozen=True)
class SumModel(Model):
    """intercept + Σ coefficient · term.

    Attributes
    ----------
    coefficients : array of shape (n_terms,)
    """

    intercept: float
    coefficients: FloatArray
    chosen: tuple[Term, ...]

    def predict(self, X: FloatArray) -> FloatArray:
        """Return intercept + Σ coefficient · term; NaN where a pole is too near."""
        value = np.full(len(X), self.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            for coefficient, term in zip(self.coefficients, self.chosen, strict=True):
                value += coefficient * term.evaluate(X)
        return value

    def parts(self) -> Parts:
        """Return a piece per term."""
        return Parts(tuple(_piece(c, t) for c, t in zip(self.coefficients.tolist(), self.chosen, strict=True)))

    def used(self, width: int) -> list[int]:
        """Return the columns of its terms."""
        return list(dict.fromkeys(f.variable for term in self.chosen for f in term.factors))

    def formula(self, names: Sequence[str]) -> str:
        """Return the sum as a person reads it."""
        intercept = f"{self.intercept:.4g}" if self.intercept else ""
        texts = (term.formula(names) for term in self.chosen)
        return " ".join(written_sum(intercept, zip(self.coefficients.tolist(), texts, strict=True)))

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the terms in the order they were chosen."""
        return tuple(term.formula(names) for term in self.chosen)

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return the rows too near a pole, and of which term."""
        reasons: dict[int, str] = {}
        for factor in (f for term in self.chosen for f in term.factors):
            for i in np.flatnonzero(factor.too_low(X)).tolist():
                reasons.setdefault(
                    i,
                    f"{names[factor.variable]} = {X[i, factor.variable]:.4g} is below {factor.limit:.4g}, "
                    f"too near the pole of {factor.formula(names)}",
                )
        return reasons

    def check(self, width: int) -> None:
        """Hold coefficients and terms against each other and the width."""
        k = len(self.chosen)
        hold(k > 0 and self.coefficients.shape == (k,), "has not one coefficient per term")
        for factor in (f for term in self.chosen for f in term.factors):
            factor.check(width)


def _piece(coefficient: float, term: Term) -> Piece:
    return piece([factor.variable for factor in term.factors], lambda X: coefficient * term.evaluate(X))
