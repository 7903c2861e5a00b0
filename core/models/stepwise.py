"""Stepwise regression: terms from a pool of basis functions, added one by one by adjusted R²."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from core.blocks import extremes
from core.codec import BoolArray, FloatArray, IntArray
from core.errors import FitError, count
from core.grouped import evenly
from core.models._candidates import CROSSED, candidates_of, most_explaining
from core.models._forward import TOLD, Search, Step
from core.models.base import Family, within
from core.models.parts import along
from core.models.parts.columns import PRODUCT, Candidates
from core.models.parts.linear import SumModel
from core.models.parts.pool import POOLS, Pool, Term, elements, hold
from core.models.parts.story import Dropped, StepRow, Stopping, TermStory
from core.models.parts.trees import check_trials
from core.option import option
from core.progress import Progress, silent

ORIGINAL = "eiger-1"
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
"""Numbers of terms that inner folds choose among, as far as the most terms allow."""
NOISE = 1e-8
"""A product of two columns that is this much shorter than it could be is nothing but rounding."""
MOST_ROWS = 1000
"""Trials that the number of terms is chosen on; of more, evenly many of them."""


class StepwiseModel(SumModel):
    """intercept + Σ coefficient · term, with the story of how the terms were chosen.

    Attributes
    ----------
    pool, dropped : the candidates, and those that could not become a term; of many those that the steps name, and the
        first that were dropped
    choice : what inner folds said of the number of terms, if they were asked
    n_pool : how many candidates there were, where `pool` has not all
    continued : whether groups beyond the responses of the others were predicted better where it was not held back
    """

    steps: tuple[Step, ...]
    pool: Pool
    dropped: tuple[Dropped, ...]
    n_trials: int
    choice: along.Choice | None = None
    n_pool: int | None = None
    continued: bool = False

    def runs_on(self) -> bool:
        """Whether groups held out say so."""
        return self.continued

    def course(self, names: Sequence[str]) -> tuple[StepRow, ...]:
        """Return the steps."""
        pairs = zip(self.terms(names), self.steps, strict=False)
        return tuple(StepRow(term, step.r2, step.adjusted_r2) for term, step in pairs)

    def by_terms(self) -> TermStory | None:
        """Return the steps and what they could have taken, if it was chosen."""
        if not self.steps:
            return None
        n_pool = self.n_pool or len(self.pool)
        return TermStory(self.steps, self.chosen, self.pool, self.dropped, n_pool, self.n_trials, self.choice)

    def judged(self) -> along.Choice | None:
        """Return what groups held out said, where they chose."""
        return self.choice

    @property
    def inner_error(self) -> float:
        """What the choice of the number of terms says."""
        return np.inf if self.choice is None else self.choice.error

    def cut(self, threshold: float) -> Self:
        """Return, of one selected with a threshold of 0, what a larger threshold leaves of it."""
        k = next((i for i, step in enumerate(self.steps) if i and not step.gain > threshold), len(self.steps))
        if k == len(self.steps):
            return self
        return replace(
            self,
            intercept=self.steps[k - 1].intercept,
            coefficients=self.steps[k - 1].coefficients,
            chosen=self.chosen[:k],
            steps=self.steps[:k],
            dropped=tuple(one for one in self.dropped if one.step <= k + 1),
        ).brief()

    def brief(self) -> Self:
        """Return the same with a pool of the candidates that its story names, where there are many."""
        if self.n_pool is None and len(self.pool) <= TOLD:
            return self
        dropped = np.array([d.candidate for d in self.dropped], dtype=np.int64)
        kept = np.unique(np.concatenate([dropped, *(s.tried for s in self.steps)]))
        place = {number: i for i, number in enumerate(kept.tolist())}
        return replace(
            self,
            pool=self.pool.only(kept),
            steps=tuple(
                replace(s, candidate=place[s.candidate], tried=np.searchsorted(kept, s.tried)) for s in self.steps
            ),
            dropped=tuple(replace(d, candidate=place[d.candidate]) for d in self.dropped),
            n_pool=self.n_pool or len(self.pool),
        )

    def check(self, width: int) -> None:
        """Hold coefficients, terms, steps and pool against each other and the width."""
        super().check(width)
        k, n = len(self.chosen), len(self.pool)
        hold(len(self.steps) in (0, k), "has not one step per term")
        self.pool.check(width)
        if self.choice is not None:
            self.choice.check()
        for i, step in enumerate(self.steps, 1):
            known = 0 <= step.candidate < n and within(step.tried, n)
            hold(known, "tells of a candidate that is not in its pool")
            fits = step.coefficients.shape == (i,) and step.tried.ndim == 1 and step.tried.shape == step.adjusted.shape
            hold(fits, "has a step that does not hold together")
        hold(all(0 <= d.candidate < n for d in self.dropped), "tells of a candidate that is not in its pool")


class Stepwise(Family):
    """Forward selection by adjusted R² (Eiger, Algorithm 1), every step kept.

    References
    ----------
    Kerr et al. 2012, Eiger, section II-B, Algorithm 1, equations 1 to 3, Table I.
    """

    label = "Stepwise regression"
    quick = True

    pool: tuple[str, ...] = option(("signed",)).says(
        "Basis functions that may become terms: a named pool (signed, table1, linear, quadratic) "
        "or single functions such as log2, power:0.5, product"
    )
    threshold: float | None = option(0.003, low=0.0, high=1.0, absent="auto").says(
        "Least gain in adjusted R² that adds a term; smaller gives more terms. auto chooses the number of terms, "
        "and how small their coefficients are held, by predicting groups of trials that were held out"
    )
    max_terms: int = option(20, low=1, high=500, label="Most terms", help="Stop at so many terms")
    one_error: bool = option(False, label="One standard error", expert=True).says(
        "With the threshold auto: the fewest terms whose error is within one standard error of the smallest"
    )
    semantics: str = option("ridgeline", choices=("ridgeline", ORIGINAL), expert=True).says(
        "eiger-1 has no intercept and takes every candidate, as the original program does"
    )

    free: bool = False
    """Whether predictions may run on beyond the trained responses."""

    def __post_init__(self) -> None:
        super().__post_init__()
        elements(self.pool)

    @property
    def freed(self) -> Self:
        """The same for predictions that may run on."""
        return replace(self, free=True)

    @property
    def grouped(self) -> bool:
        """Whether the number of terms is chosen on groups held out."""
        return self.threshold is None

    def stopping(self) -> Stopping[Family]:
        """Return the threshold, and the family without one."""
        whole, judged = (replace(self, threshold=end) for end in (0.0, None))
        return Stopping(self.threshold or 0.0, self.max_terms, whole, judged, self.threshold is not None)

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> StepwiseModel:
        """Select terms and estimate their coefficients by least squares."""
        return self.fit_groups(X, y, np.arange(len(y)), progress)

    def fit_groups(self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent) -> StepwiseModel:
        """Select terms; with the threshold auto, as many as predict groups held out best, by ridge regression."""
        if self.threshold is None:
            return self.settled(X, y, groups)[0].fit(X, y, progress)
        check_trials(X, y, self.least_trials, "Stepwise regression")
        return self.selected(X, y, self.threshold, self.max_terms, progress)

    def notes(self, n_columns: int) -> tuple[str, ...]:
        """Say which columns have products, where not all have."""
        if n_columns <= CROSSED or PRODUCT not in elements(self.pool):
            return ()
        return (f"products are of the {CROSSED:,} of {count(n_columns, 'column')} that explain most one by one",)

    def settled(
        self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent
    ) -> "tuple[Stepwise | Chosen, float]":
        """Return the selection with its number of terms chosen, and the error of groups held out."""
        if self.threshold is not None:
            return self, np.inf
        check_trials(X, y, self.least_trials, "Stepwise regression")
        choice, _, continued = self._choose(X, y, groups)
        return Chosen(self, choice, continued), choice.error

    def held_out(self, X: FloatArray, y: FloatArray, groups: IntArray) -> FloatArray | None:
        """Return what it says of each trial from other groups alone, for the trials that it chooses on."""
        if self.threshold is not None:
            return None
        every = evenly(len(y), MOST_ROWS)
        found = np.full(len(y), np.nan)
        found[every] = self._choose(X, y, groups)[1]
        return found

    def _choose(self, X: FloatArray, y: FloatArray, groups: IntArray) -> tuple[along.Choice, FloatArray, bool]:
        """Return what counts, held-out predictions, and whether they run on."""
        every = evenly(len(y), MOST_ROWS)
        most = min(self.max_terms, SIZES[-1])
        sizes = tuple(dict.fromkeys(min(size, most) for size in SIZES))
        z, own = y[every], along.apart(groups[every])
        said = along.until_risen(along.held_out(self._terms, X[every], z, own, sizes), z, own)

        def counting(said: FloatArray) -> tuple[along.Choice, FloatArray]:
            return along.choose(said, z, sizes, along.best_size(said, z, own, one_error=self.one_error))

        return along.settle({"path": said}, z, own, counting, free=self.free)[1:]

    def _terms(self, X: FloatArray, y: FloatArray, groups: IntArray) -> Iterator[Term]:
        """Yield the terms of a path without a threshold, none where nothing can be said."""
        if np.ptp(y) > 0:
            pool, usable, _, search = self._search(X, y)
            steps = search.steps(0.0, min(self.max_terms, SIZES[-1]), told=0) if usable.any() else ()
            yield from (pool.term(step.candidate) for step in steps)

    def _search(self, X: FloatArray, y: FloatArray) -> tuple[Pool, BoolArray, list[Dropped], Search]:
        """Return the candidates, which are usable, what is said of the others, and the search among them."""
        original = self.semantics == ORIGINAL
        crossed = None if original or PRODUCT not in elements(self.pool) else most_explaining(X, y)
        pool, candidates = candidates_of(X, self.pool, intercept=not original, crossed=crossed)
        usable, dropped = admit(
            candidates, lone=not original and len(y) >= 20, least=0.0 if original else _noise(pool, X)
        )
        return pool, usable, dropped, Search(candidates, y, usable, intercept=not original)

    def selected(
        self, X: FloatArray, y: FloatArray, threshold: float, most: int, progress: Progress = silent
    ) -> StepwiseModel:
        """Select terms by adjusted R² and estimate their coefficients by least squares."""
        pool, usable, dropped, search = self._search(X, y)
        if not usable.any():
            raise FitError("No function of the pool is usable on these trials. Choose another pool or other metrics.")
        steps = tuple(search.steps(threshold, most, progress))
        if not steps:
            raise FitError("No function of the pool explains anything of the response on these trials.")
        collinear = [Dropped(j, step, "collinear with the terms before it") for j, step in search.collinear]
        return StepwiseModel(
            intercept=steps[-1].intercept,
            coefficients=steps[-1].coefficients,
            chosen=tuple(pool.term(s.candidate) for s in steps),
            steps=steps,
            pool=pool,
            dropped=tuple(dropped + collinear)[:TOLD],
            n_trials=len(y),
        ).brief()


class Chosen(Family):
    """A selection with the threshold auto whose number of terms is known, from these trials or from others."""

    stepwise: Stepwise
    choice: along.Choice
    continued: bool = False

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> StepwiseModel:
        """Select so many terms, and take the mean of the ridge regressions that count."""
        model = self.stepwise.selected(X, y, 0.0, self.choice.longest, progress)
        rows = along.values(model.chosen, X)
        every = along.prefixes(rows, y, [min(int(size), len(rows)) for size in self.choice.sizes])
        intercept, coefficients = every.mean(self.choice.weights)
        fitted = replace(model, intercept=intercept, coefficients=coefficients)
        return replace(fitted, choice=self.choice, continued=self.continued)

    def notes(self, n_columns: int) -> tuple[str, ...]:
        """Say what the selection says of its columns."""
        return self.stepwise.notes(n_columns)


def imported_model(coefficients: FloatArray, terms: tuple[Term, ...], width: int) -> StepwiseModel:
    """Return a sum of terms that some other program selected, over `width` columns; it has no story.

    Raises
    ------
    ModelFileError
        If a term is of a column that is not there, or there is not one coefficient per term.
    """
    none, one = np.zeros(0, dtype=np.int64), np.ones(width)
    pool = Pool((), none, none, none, np.zeros(width), one, np.zeros(width), np.zeros(width))
    model = StepwiseModel(0.0, coefficients, terms, (), pool, (), 0)
    model.check(width)
    return model


def pool_names() -> tuple[str, ...]:
    """Return what forms offer: the named pools, then single functions."""
    return (*POOLS, *(e for e in dict.fromkeys(e for pool in POOLS.values() for e in pool)))


def _noise(pool: Pool, X: FloatArray) -> FloatArray | float:
    """Return per candidate the length at which it is nothing but rounding: of products, where one column is always 0.

    Components of two settings that exclude each other are 0 where the other is not, but for what the rotation left.
    """
    if not (pool.second >= 0).any():
        return 0.0  # without a pass over the columns
    low, high = extremes(X)
    reach = np.maximum(high, -low)
    with np.errstate(over="ignore"):
        return np.where(pool.second < 0, 0.0, NOISE * reach[pool.first] * reach[pool.second])


def admit(candidates: Candidates, *, lone: bool, least: FloatArray | float = 0.0) -> tuple[BoolArray, list[Dropped]]:
    """Return which candidates may enter: finite, not constant and, if `lone`, no trial with most leverage.

    The first of the others are told.

    Parameters
    ----------
    least : array of shape (n_candidates,), lengths about the mean up to which a candidate is constant
    """
    varies = candidates.varies & (candidates.norms > least)
    alone = varies & (candidates.leverage() > 0.5) if lone else np.zeros(len(varies), dtype=bool)
    if varies.all() and not alone.any():
        return varies, []
    finite = candidates.bounded
    usable = varies & ~alone
    first = np.flatnonzero(~usable)[:TOLD]
    why = np.where(
        alone[first],
        "more than half of its leverage is in one trial",
        np.where(finite[first], "constant on the training trials", "not finite on a training trial"),
    )
    return usable, [Dropped(*one) for one in zip(first.tolist(), [0] * len(first), why.tolist(), strict=True)]
