"""A readable formula: few terms in the metrics' own names, chosen for groups that nobody has seen."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Self

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.grouped import evenly
from core.models._forward import Search
from core.models._hinges import BELOW, Candidates, candidates
from core.models.base import OWN, Family
from core.models.parts.along import PENALTIES, Choice, apart, choose, dealt, prefixes, settle, values, without
from core.models.parts.columns import columns
from core.models.parts.linear import SumModel
from core.models.parts.pool import Factor, Term, hold
from core.models.parts.story import MOVED, Importance
from core.models.parts.trees import check_trials
from core.models.stepwise import admit
from core.option import option
from core.progress import Progress, silent

SIZES = (4, 8, 12, 16, 24, 32, 48, 64, 96)
SHARES = (0.0, 0.4)
"""Of each group's mean taken off columns and response while terms are chosen."""
MOST_COLUMNS = 20
"""Columns up to which products of hinges are tried as well."""
MOST_ROWS = 2000
"""Trials that terms are chosen on; of more, evenly many of them."""
IDLE = 0.03
"""Terms that together move predictions by at most this share of what the formula leaves unexplained are not told."""
_LIGHT = 24
"""Most terms where it is for choosing."""
Known = dict[bool, tuple[Candidates, FloatArray]]
"""Candidates of some trials and their values there, by whether hinges have products."""
_UNITS = ((2**40, "Ti"), (2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))


class FormulaModel(SumModel):
    """intercept + Σ coefficient · term, the term that moves predictions most first.

    Attributes
    ----------
    movement : array of shape (n_terms,), how far a prediction moves with one standard deviation of the term, in
        standard deviations of the response
    choice : what inner folds said of the number of terms
    crossed : whether products of hinges were among the candidates
    share : of each group's mean that was taken off while terms were chosen
    continued : whether groups beyond the responses of the others were predicted better where it was not held back
    """

    movement: FloatArray
    choice: Choice
    crossed: bool
    share: float
    n_trials: int
    continued: bool = False

    def runs_on(self) -> bool:
        """Whether groups held out say so."""
        return self.continued

    def judged(self) -> Choice:
        """Return what groups held out said."""
        return self.choice

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the terms in words, such as `cache above 4 Mi`."""
        return tuple(_in_words(term, names) for term in self.chosen)

    def importances(self, names: Sequence[str]) -> Importance:
        """Return how far each term moves the prediction."""
        meaning = MOVED.format("term", "Term", "")
        return Importance("movement", "sd", meaning, self.terms(names), self.movement)

    def check(self, width: int) -> None:
        """Hold coefficients, terms and choice against each other and the width."""
        super().check(width)
        self.choice.check()
        hold(self.movement.shape == self.coefficients.shape, "has not one movement per term")
        hold(0 <= self.share <= 1, "took off a share of groups' means that is none")


class Formula(Family):
    """Logarithms, squares, products and hinges of the metrics, chosen step by step and judged on groups held out.

    References
    ----------
    Friedman 1991, Multivariate adaptive regression splines (hinges); Swamy, Arora 1972 (a share of each group's
    mean taken off); Hoerl, Kennard 1970 (ridge regression).
    """

    label = "Readable formula"
    slowness = 2
    least_trials = 6
    preparation = OWN

    max_terms: int = option(48, low=1, high=SIZES[-1], label="Most terms").says(
        "The formula has at most so many terms; how many count is chosen by predicting groups held out"
    )
    hinges: str = option("auto", choices=("auto", "single"), expert=True).says(
        "single has hinges by themselves; auto also tries hinges times other metrics, where there are at most "
        f"{MOST_COLUMNS} metrics, and takes what predicts groups held out better"
    )

    free: bool = False
    """Whether predictions may run on beyond the trained responses."""

    grouped = True
    """It always asks which trials belong together."""

    @property
    def light(self) -> Self:
        """The same with fewer terms."""
        return replace(self, max_terms=min(_LIGHT, self.max_terms))

    @property
    def freed(self) -> Self:
        """The same for predictions that may run on."""
        return replace(self, free=True)

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> FormulaModel:
        """Choose terms, each trial being held out as a group of its own, and estimate their coefficients."""
        return self.fit_groups(X, y, np.arange(len(y)), progress)

    def fit_groups(self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent) -> FormulaModel:
        """Choose terms for groups that nobody has seen, and estimate their coefficients."""
        return self.settled(X, y, groups, progress)[0].fit_groups(X, y, groups)

    def settled(
        self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent
    ) -> "tuple[Settled, float]":
        """Return the way of searching and what counts as groups held out say, and their error."""
        check_trials(X, y, self.least_trials, "A formula")
        every = _looked_at(X, y)
        way, choice, _, continued = self._chosen(X[every], y[every], apart(groups[every]), progress)
        return Settled(*way, choice, continued), choice.error

    def held_out(self, X: FloatArray, y: FloatArray, groups: IntArray) -> FloatArray | None:
        """Return what it says of each trial from other groups alone, for the trials that it chooses on."""
        every = _looked_at(X, y)
        found = np.full(len(y), np.nan)
        found[every] = self._chosen(X[every], y[every], apart(groups[every]), silent)[2]
        return found

    def _chosen(
        self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress
    ) -> tuple[tuple[bool, float], Choice, FloatArray, bool]:
        """Return how to search, what counts, held-out predictions, and whether they run on."""
        pools = (False, True) if self.hinges == "auto" and X.shape[1] <= MOST_COLUMNS else (False,)
        shares = SHARES if len(np.unique(groups)) < len(groups) else SHARES[:1]
        sizes = tuple(dict.fromkeys(min(size, self.max_terms) for size in SIZES))
        said = {way: np.empty((2, len(sizes), len(PENALTIES), len(y))) for way in product(pools, shares)}
        folds = dealt(groups)
        for i, test in enumerate(folds):
            known: Known = {}
            for k, (crossed, share) in enumerate(said):
                progress((i + k / len(said)) / len(folds), f"search {k + 1} of {len(said)}, inner fold {i + 1}")
                search = partial(_path, crossed=crossed, share=share, most=sizes[-1], known=known)
                own = without(search, X, y, groups, test, [np.array(sizes)])
                said[crossed, share][..., test] = next(own)
        return settle(said, y, groups, partial(choose, y=y, sizes=sizes), free=self.free)


class Settled(Family):
    """A formula of which it is known how to search and what counts, from these trials or from others."""

    crossed: bool
    share: float
    choice: Choice
    continued: bool

    grouped = True

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> FormulaModel:
        """Find the terms, each trial being a group of its own, and estimate their coefficients."""
        return self.fit_groups(X, y, np.arange(len(y)), progress)

    def fit_groups(self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent) -> FormulaModel:
        """Find the terms, and take the mean of the ridge regressions that count."""
        every, longest = _looked_at(X, y), self.choice.longest
        own = apart(groups[every])
        found = _path(X[every], y[every], own, crossed=self.crossed, share=self.share, most=longest, known={})
        if not found:
            raise FitError("No function of the metrics is usable on these trials. Choose other metrics.")
        rows = values(found, X)
        sizes = [min(int(size), len(found)) for size in self.choice.sizes]
        intercept, coefficients = prefixes(rows, y, sizes).mean(self.choice.weights)
        movement = np.abs(coefficients) * rows.std(axis=1) / float(y.std())
        told, idle = _told(movement, float((y - intercept - coefficients @ rows).std() / y.std()))
        intercept += float(coefficients[idle] @ rows[idle].mean(axis=1))
        terms = tuple(found[i] for i in told)
        facts = movement[told], self.choice, self.crossed, self.share, len(y), self.continued
        return FormulaModel(intercept, coefficients[told], terms, *facts)


def _told(movement: FloatArray, unexplained: float) -> tuple[IntArray, IntArray]:
    """Return the terms to tell, the one that moves predictions most first, and those that idle.

    No sum of terms moves predictions more than its terms do one by one.
    """
    order = np.argsort(-movement, kind="stable")
    together = movement[order][::-1].cumsum()[::-1]
    n = max(1, int((together > IDLE * unexplained).sum()))
    return order[:n], order[n:]


def _looked_at(X: FloatArray, y: FloatArray) -> IntArray:
    """Return evenly many trials, and those of a column's smallest value where its logarithm would not reach that."""
    every = np.arange(len(y))[evenly(len(y), MOST_ROWS)]
    if len(every) == len(y):
        return every
    low, own = X.min(axis=0), X[every].min(axis=0)
    beyond = np.where(own > 0, low < own / BELOW, (own == 0) & (low < 0))
    return np.union1d(every, X[:, beyond].argmin(axis=0))


def _path(
    X: FloatArray, y: FloatArray, groups: IntArray, *, crossed: bool, share: float, most: int, known: Known
) -> tuple[Term, ...]:
    """Return the terms of a forward selection, a share of each group's mean taken off columns and response.

    Parameters
    ----------
    known : candidates of the same trials that were found before, to which these are added
    """
    if np.ptp(y) == 0:
        return ()
    if crossed not in known:
        pool = candidates(X, y, crossed=crossed)
        known[crossed] = pool, pool.values(X)
    pool, rows = known[crossed]
    if not len(rows):  # where the only column that varies is alone in the fold
        return ()
    matrix = columns(less_means(rows, groups, share) if share else rows.copy())
    usable, _ = admit(matrix, lone=len(y) >= 20)
    own = less_means(y[None, :], groups, share)[0]
    if not usable.any() or np.ptp(own) == 0:
        return ()
    steps = Search(matrix, own, usable, intercept=True).steps(0.0, min(most, len(y) // 3), told=0)
    return tuple(pool.term(step.candidate) for step in steps)


def less_means(rows: FloatArray, groups: IntArray, share: float) -> FloatArray:
    """Return rows of shape (k, n) less a share of each group's mean, so that what tells groups apart counts less."""
    if share == 0:
        return rows
    own = np.unique(groups, return_inverse=True)[1]
    member = (own == np.arange(own.max() + 1)[:, None]).astype(np.float64)
    means: FloatArray = rows @ member.T
    found: FloatArray = (means * (-share / member.sum(axis=1))).take(own, axis=1)
    found += rows
    return found


def _in_words(term: Term, names: Sequence[str]) -> str:
    said = [_said(factor, names[factor.variable]) for factor in term.factors]
    return f"{said[0]} squared" if len(said) == 2 and said[0] == said[1] else " × ".join(said) or "1"


def _said(factor: Factor, name: str) -> str:
    if factor.function == "above":
        return f"{name} above {_amount(factor.low)}"
    if factor.function == "log2_above":
        return f"log2({name}) above {_amount(factor.low + factor.width)}"
    return f"log2({name})" if factor.function == "log2" else name


def _amount(value: float) -> str:
    """Return a number as people write a level, in powers of 1,024 where it is whole in them."""
    for unit, letters in _UNITS:
        if value >= unit and value % unit == 0:
            return f"{value / unit:g} {letters}"
    return f"{value:.4g}"
