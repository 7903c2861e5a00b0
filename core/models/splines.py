"""Stepwise natural cubic splines with interactions: which parameters matter, and how they act together."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import product

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import FitError, holder
from core.models._linear_design import LinearFamily
from core.models.base import Family, Model, Parts, Piece, need_positive, no_logarithms, piece
from core.models.parts import splines_search
from core.models.parts.spline import AUTO, SPACINGS, Axis, levels_of, make_axis, product_columns
from core.models.parts.story import TERMS, Limits, RoundStory, StepRow, Tables
from core.models.parts.trees import check_trials
from core.option import like, option
from core.progress import Progress, silent

_hold = holder("The spline model")


class SplineTerm(Frozen):
    """A term of the model.

    Attributes
    ----------
    axes : numbers of its parameters, in the order of the name: one, or an interaction of two or three
    coefficients : array of shape (product of the axes' widths,), the last axis varying fastest
    """

    axes: tuple[int, ...]
    coefficients: FloatArray


class SplinesModel(Model):
    """intercept + Σ spline terms, with the story of how the terms were chosen.

    Attributes
    ----------
    axes : one per parameter that could be used
    left_out : (column of X, why) of the others
    """

    intercept: float
    axes: tuple[Axis, ...]
    chosen: tuple[SplineTerm, ...]
    steps: tuple[splines_search.SplineStep, ...]
    left_out: tuple[tuple[int, str], ...]
    n_trials: int

    noun = "term"
    counted = TERMS
    curved = True

    def predict(self, X: FloatArray) -> FloatArray:
        """Return intercept + Σ terms; NaN where a parameter has no logarithm."""
        blocks = {i: self.axes[i].basis(X) for i in {a for t in self.chosen for a in t.axes}}
        value = np.full(len(X), self.intercept)
        for term in self.chosen:
            value += product_columns([blocks[a] for a in term.axes]) @ term.coefficients
        return value

    def parts(self) -> Parts:
        """Return a piece per term."""
        return Parts(tuple(self._piece(term) for term in self.chosen))

    def _piece(self, term: SplineTerm) -> Piece:
        own = [self.axes[a] for a in term.axes]
        columns = [axis.column for axis in own]
        return piece(columns, lambda X: product_columns([axis.basis(X) for axis in own]) @ term.coefficients)

    def _columns(self, axes: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.axes[a].column for a in axes)

    def course(self, names: Sequence[str]) -> tuple[StepRow, ...]:
        """Return the rounds that took a term."""
        taken = (step for step in self.steps if step.taken)
        return tuple(StepRow(t, s.r2, s.adjusted_r2) for t, s in zip(self.terms(names), taken, strict=False))

    def by_rounds(self) -> RoundStory | None:
        """Return the rounds, if it was chosen."""
        if not self.steps:
            return None
        rounds = (replace(step, tried=tuple(self._columns(t) for t in step.tried)) for step in self.steps)
        return RoundStory(
            parameters=tuple(axis.column for axis in self.axes),
            rounds=tuple(rounds),
            chosen=tuple(self._columns(t.axes) for t in self.chosen),
            left_out=self.left_out,
            n_trials=self.n_trials,
        )

    @property
    def n_coefficients(self) -> int:
        """The columns of its terms that are no sum of others."""
        return self.steps[-1].rank - 1 if self.steps else sum(len(t.coefficients) for t in self.chosen)

    def written(self) -> list[int]:
        """Return the columns of its terms."""
        return self.used(0)

    def notation(self) -> tuple[str, ...]:
        """Explain ns."""
        return (
            "ns(x, 3) is a natural cubic spline of x with three coefficients, as R writes it: a smooth curve that is "
            "straight outside the trained range; ns(x, 3):ns(y, 2) is a surface.",
        )

    def knots(self, names: Sequence[str]) -> list[tuple[str, str, float]]:
        """Return a row per coefficient, the value of a term at one knot of each of its parameters."""
        rows: list[tuple[str, str, float]] = [("constant", "", self.intercept)]
        for term in self.chosen:
            own = [(names[a.column], np.exp2(a.knots) if a.log else a.knots) for a in (self.axes[i] for i in term.axes)]
            places = product(*([f"{name} = {v:.4g}" for v in knots[1:]] for name, knots in own))
            text = self.term_name(term.axes, names)
            rows += [(text, ", ".join(p), float(c)) for p, c in zip(places, term.coefficients, strict=True)]
        return rows

    def tables(self, values: Sequence[FloatArray], most: int) -> Tables | None:
        """Return a table per term."""
        blocks = [axis.columns(values[axis.column]) for axis in self.axes]
        tables = []
        for term in self.chosen:
            if np.prod([len(blocks[a]) for a in term.axes]) > most:
                return None
            found = term.coefficients.reshape([self.axes[a].width for a in term.axes])
            for a in term.axes:  # each turn contracts the first axis and puts the levels last
                found = np.tensordot(found, blocks[a], axes=(0, 1))
            tables.append((self._columns(term.axes), found))
        return self.intercept, tables

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return the rows with a parameter that has no logarithm."""
        used = (self.axes[a] for a in {a for t in self.chosen for a in t.axes})
        return no_logarithms(((axis.column, axis.log) for axis in used), X, names)

    def used(self, width: int) -> list[int]:
        """Return the columns of its terms."""
        return list(dict.fromkeys(self.axes[a].column for term in self.chosen for a in term.axes))

    def formula(self, names: Sequence[str]) -> str:
        """Return the model as R writes it."""
        terms = [":".join(self._spline(a, names) for a in t.axes) for t in self.chosen]
        return " + ".join([f"{self.intercept:.4g}", *terms])

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the terms in the order they were chosen; interactions are a:b."""
        return tuple(self.term_name(t.axes, names) for t in self.chosen)

    def term_name(self, axes: tuple[int, ...], names: Sequence[str]) -> str:
        """Return what a term is called."""
        return ":".join(names[c] for c in self._columns(axes))

    def _spline(self, axis: int, names: Sequence[str]) -> str:
        own = self.axes[axis]
        name = f"log2({names[own.column]})" if own.log else names[own.column]
        return f"ns({name}, {own.width})" if own.width > 1 else name

    def factors(self) -> tuple[str, list[tuple[tuple[int, ...], float]]]:
        """Return what each term added to R² when it was taken."""
        found, before = [], 0.0
        for step in (s for s in self.steps if s.taken):
            found.append((self._columns(step.tried[step.best]), step.r2 - before))
            before = step.r2
        return "R² of the training trials", found

    def check(self, width: int) -> None:
        """Hold axes, terms and steps against each other and the width."""
        for axis in self.axes:
            axis.check(width)
        n = len(self.axes)
        for term in self.chosen:
            known = 1 <= len(term.axes) <= 3 and all(0 <= a < n for a in term.axes)
            _hold(known and len(set(term.axes)) == len(term.axes), "has a term of a parameter that is not there")
            size = int(np.prod([self.axes[a].width for a in term.axes]))
            _hold(term.coefficients.shape == (size,), "has not one coefficient per column of a term")
        for step in self.steps:
            _hold(len(step.tried) == len(step.values), "has a step that does not hold together")
            _hold(0 <= step.best < len(step.tried), "has a step without a best candidate")
            _hold(all(0 <= a < n for t in step.tried for a in t), "tells of a parameter that is not there")
        _hold(all(0 <= c < width for c, _ in self.left_out), "tells of a column that is not there")


class Splines(Family):
    """Natural cubic splines of parameters and their interactions, chosen step by step.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer: Automated Regression-Based GPU Design Space Exploration,
    section 5 and algorithm 1.
    """

    label = "Stepwise splines"
    least_trials = 5
    linear, few_columns, quick = False, True, True

    theta: float = option(0.001, low=0.0, high=1.0, label="Threshold of parameters (θ)").says(
        "Least gain that adds a parameter: the new adjusted R² less the R² before"
    )
    phi: float = option(0.001, low=0.0, high=1.0, label="Threshold of interactions (φ)").says(
        "Least gain that adds an interaction of the newest parameter with one before it"
    )
    knots: int = option(3, low=1, high=12, help="Most inner knots per parameter; two fewer than levels")
    spacing: str = option(AUTO, choices=SPACINGS, label="Placing of knots", expert=True).says(
        "auto spaces knots evenly, in the logarithm where levels double; even is the paper's, "
        "original the original program's rule"
    )
    criterion: str = option(splines_search.ADJUSTED, choices=splines_search.CRITERIA, expert=True).says(
        "What picks the next term: adjusted R² with the thresholds, AIC while it falls (aicc is "
        "corrected for few points), or the test of the new columns (the t test where there is one) at the level below"
    )
    level: float = option(0.05, low=1e-12, high=1.0, label="Level of the test", expert=True).says(
        "Largest p-value that adds a term"
    )
    stop: str = option(splines_search.ABSOLUTE, choices=splines_search.STOPS, label="Thresholds are", expert=True).says(
        "absolute as in the paper, or relative to the R² before as in the original program"
    )
    order: int = option(2, low=1, high=3, label="Parameters per term", expert=True).says(
        "1 has no interactions, 3 also tries three-way interactions whose pairs are all in the model"
    )
    max_terms: int = option(40, low=1, high=500, label="Most terms", expert=True, help="Stop at so many terms")
    target_r2: float | None = option(None, low=0.0, high=1.0, label="Target R²", expert=True).says(
        "Stop as soon as the model has this R²"
    )
    shrink: bool = option(True, expert=True).says(
        "Coefficients by ridge regression, its penalty by generalised cross-validation, so that the model stays "
        "calm where there are few points; off is plain least squares"
    )
    weights: str = like(LinearFamily, "weights").says(
        "relative weighs each point by 1 / response², so that relative errors are made small"
    )

    fixed: tuple[str, ...] = option((), label="Fixed terms", expert=True).says(
        "These terms and no others, without selection: columns counted from 0, such as 5, 0, 5:0"
    )

    def limits(self) -> Limits:
        """Return the options that end it."""
        relative = self.stop == splines_search.RELATIVE
        return Limits(self.criterion, self.theta, self.phi, relative, self.level, self.max_terms, self.target_r2)

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> SplinesModel:
        """Select terms by algorithm 1 and estimate their coefficients by least squares."""
        check_trials(X, y, self.least_trials, "A model of splines")
        levels = levels_of(X)
        made = [make_axis(j, X[:, j], levels[j], knots=self.knots, spacing=self.spacing) for j in range(X.shape[1])]
        axes = tuple(axis for axis, _ in made if axis is not None)
        if not axes:
            raise FitError("No parameter varies enough for a spline. Measure more levels of some parameter.")
        left_out = tuple((j, why) for j, (axis, why) in enumerate(made) if axis is None)
        tables = [axis.tables(levels[axis.column]) for axis in axes]
        codes = [levels[axis.column].searchsorted(X[:, axis.column]) for axis in axes]
        search = splines_search.Search(self._rules(), tables, codes, y, self._roots(y), progress)
        if self.fixed:
            search.take_all(self._fixed_terms(axes))
        else:
            search.run()
        intercept, coefficients, cardinal = search.solve(y, shrink=self.shrink)
        terms = tuple(
            SplineTerm(t, c if cardinal else _cardinal(axes, t, c))
            for t, c in zip(search.terms, coefficients, strict=True)
        )
        return SplinesModel(intercept, axes, terms, tuple(search.steps), left_out, len(y))

    def _rules(self) -> splines_search.Rules:
        return splines_search.Rules(**{rule.name: getattr(self, rule.name) for rule in fields(splines_search.Rules)})

    def _fixed_terms(self, axes: Sequence[Axis]) -> list[splines_search.Term]:
        """Return the given terms as numbers of axes; those of parameters that never vary are left out."""
        place = {axis.column: i for i, axis in enumerate(axes)}
        given = [fixed_columns(text) for text in self.fixed]
        found = [tuple(place[c] for c in columns) for columns in given if all(c in place for c in columns)]
        if not found:
            raise FitError("No parameter of the fixed terms varies enough for a spline. Measure more levels of it.")
        return found

    def _roots(self, y: FloatArray) -> FloatArray:
        if self.weights == "none":
            return np.ones(len(y))
        need_positive(y, "the raw scale", "raw")
        return 1 / y


def fixed_columns(text: str) -> tuple[int, ...]:
    """Return the columns that a fixed term such as 5:0 names.

    Raises
    ------
    FitError
        If it is not one to three different numbers.
    """
    parts = text.split(":")
    if not all(p.isdecimal() and p.isascii() for p in parts) or not 1 <= len(set(parts)) == len(parts) <= 3:
        raise FitError(f"The fixed term '{text}' is not one to three different columns such as 5 or 5:0.")
    return tuple(int(p) for p in parts)


def _cardinal(axes: Sequence[Axis], term: splines_search.Term, coefficients: FloatArray) -> FloatArray:
    """Return coefficients on the basis that is fitted as those on the basis that predicts."""
    found = coefficients.reshape([axes[a].width for a in term])
    for place, a in enumerate(term):
        found = np.moveaxis(np.tensordot(axes[a].to_cardinal(), found, axes=(1, place)), 0, place)
    return found.ravel()
