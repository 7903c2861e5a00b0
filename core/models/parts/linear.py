"""Sums as fitted values: of columns, and of terms, which are products of basis functions."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import count, holder
from core.models.base import Model, Parts, Piece, piece, slope, written_sum
from core.models.parts.pool import Term
from core.models.parts.pool import hold as hold_terms
from core.models.parts.story import MOVED, TERMS, Importance, StepRow, adjusted, ranked

hold = holder("The linear model")

WRITTEN = 60
"""Terms that a formula writes out; of a longer sum the rest are counted."""
_NOTATION = {
    frozenset({"signed_power:0.5"}): "sign(x)·|x|^0.5 is a square root that keeps its sign.",
    frozenset({"above", "log2_above"}): "max(0, log2(x/4)) is 0 up to x = 4, and from there on the number of times "
    "that x has doubled.",
}


class LinearStep(Frozen):
    """One model of a selection's story; the first is the one that it started with.

    Attributes
    ----------
    added, removed : columns of X that came and went; a non-negative fit may lose others than those looked for
    n_terms : columns of the model
    r2 : on the scale and with the weights of the fit
    criterion : None where it has no value, as no degree of freedom is left
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    n_terms: int
    r2: float
    criterion: float | None


class LinearModel(Model, kw_only=True):
    """intercept + Σ coefficient · column.

    Attributes
    ----------
    columns : array of shape (n_terms,), columns of X; in the order chosen where there was one, else those that
        move the prediction most first
    coefficients : array of shape (n_terms,)
    spreads : array of shape (n_terms,), standard deviations of the columns over the training trials
    response_spread : standard deviation of the response over them, on the scale of the fit
    r2 : of the training trials, on the scale and with the weights of the fit
    criterion : what chose the columns; empty if all were taken
    left_out : (column of X, why) of the columns that could not take part
    note : what the trials did not allow, in a sentence, or ""
    """

    intercept: float
    columns: IntArray
    coefficients: FloatArray
    spreads: FloatArray
    response_spread: float
    r2: float
    criterion: str = ""
    steps: tuple[LinearStep, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()
    note: str = ""
    n_trials: int

    linear = True

    def predict(self, X: FloatArray) -> FloatArray:
        """Return intercept + Σ coefficient · column."""
        return self.intercept + X[:, self.columns] @ self.coefficients

    def parts(self) -> Parts:
        """Return a piece per column."""
        pairs = zip(self.columns.tolist(), self.coefficients.tolist(), strict=True)
        return Parts(tuple(slope(j, c) for j, c in pairs))

    def used(self, width: int) -> list[int]:
        """Return the columns of its terms."""
        return [int(j) for j in self.columns]

    def importance(self) -> FloatArray:
        """Return per term by how many standard deviations of the response one of the column moves the prediction."""
        return np.abs(self.coefficients) * (self.spreads / self.response_spread)

    def importances(self, names: Sequence[str]) -> Importance | None:
        """Return how far each column moves the prediction; None without columns."""
        if not len(self.columns):
            return None
        meaning = MOVED.format("metric", "Metric", ", or take it from each other with opposite signs")
        return ranked("movement", "sd", meaning, self.importance(), self.terms(names))

    def course(self, names: Sequence[str]) -> tuple[StepRow, ...]:
        """Return the steps, if each but the first added one of the columns, in their order."""
        steps = self.steps[1:]
        if [s.added for s in steps] != [(j,) for j in self.columns.tolist()]:
            return ()
        told = ((s.r2, adjusted(s.r2, self.n_trials, s.n_terms) or s.r2) for s in steps)
        return tuple(StepRow(t, *numbers) for t, numbers in zip(self.terms(names), told, strict=True))

    def remarks(self) -> tuple[str, ...]:
        """Return the note."""
        return (self.note,) if self.note else ()

    @property
    def n_coefficients(self) -> int:
        """One per column."""
        return len(self.columns)

    def written(self) -> list[int]:
        """Return the columns of the first 60 terms."""
        return self.used(0)[:WRITTEN]

    def formula(self, names: Sequence[str]) -> str:
        """Return the sum as a person reads it, with its first 60 terms."""
        intercept = f"{self.intercept:.4g}" if self.intercept or not len(self.columns) else ""
        parts = written_sum(intercept, zip(self.coefficients[:WRITTEN].tolist(), self.terms(names), strict=False))
        left = len(self.columns) - WRITTEN
        return " ".join([*parts, f"+ {count(left, 'more term')}"] if left > 0 else parts)

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the columns, as `columns` orders them."""
        return tuple(names[j] for j in self.columns.tolist())

    def check(self, width: int) -> None:
        """Hold columns, coefficients, spreads and steps against each other and the width."""
        k = len(self.columns)
        hold(self.columns.shape == self.coefficients.shape == self.spreads.shape == (k,), "has ragged terms")
        hold(len(set(self.columns.tolist())) == k, "has a column twice")
        told = [*self.columns.tolist(), *(j for j, _ in self.left_out)]
        told += [j for step in self.steps for j in (*step.added, *step.removed)]
        hold(all(0 <= j < width for j in told), "tells of a column that is not there")
        hold(self.response_spread > 0 and bool((self.spreads >= 0).all()), "has a spread that is not positive")


class NonNegativeModel(LinearModel):
    """A linear model of which no number is negative, so that no prediction from such columns can be."""

    def check(self, width: int) -> None:
        """Hold the signs too."""
        super().check(width)
        hold(self.intercept >= 0 and bool((self.coefficients >= 0).all()), "has a negative coefficient")


class SumModel(Model):
    """intercept + Σ coefficient · term.

    Attributes
    ----------
    coefficients : array of shape (n_terms,)
    """

    intercept: float
    coefficients: FloatArray
    chosen: tuple[Term, ...]

    noun = "term"
    counted = TERMS

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

    @property
    def n_coefficients(self) -> int:
        """One per term."""
        return len(self.chosen)

    def written(self) -> list[int]:
        """Return the columns of its terms."""
        return self.used(0)

    def notation(self) -> tuple[str, ...]:
        """Explain the functions that are not what their names say."""
        functions = {factor.function for term in self.chosen for factor in term.factors}
        return tuple(said for names, said in _NOTATION.items() if functions & names)

    def shifts(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the definitions of u(…), once each."""
        found: dict[str, None] = {}
        for factor in (f for term in self.chosen for f in term.factors if not f.written("x")):
            name = names[factor.variable]
            inner = f"{name} − {factor.low:.4g}" if factor.low >= 0 else f"{name} + {-factor.low:.4g}"
            found[f"u({name}) = ({inner})/{factor.width:.4g} + {factor.shift:g}"] = None
        return tuple(found)

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
        hold_terms(k > 0 and self.coefficients.shape == (k,), "has not one coefficient per term")
        for factor in (f for term in self.chosen for f in term.factors):
            factor.check(width)


def _piece(coefficient: float, term: Term) -> Piece:
    return piece([factor.variable for factor in term.factors], lambda X: coefficient * term.evaluate(X))
