"""Algorithm 1 of Stargazer: forward selection of parameters, each followed by its interactions."""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, combinations

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.models._blocks import Basis, Candidates, Fit, log_p
from core.models._solve import least_squares, ridge, solved
from core.models.parts.spline import Tables, product_columns, product_rows
from core.progress import Progress

CRITERIA = ADJUSTED, AIC, AICC, TEST = ("adjusted_r2", "aic", "aicc", "t_test")
STOPS = ABSOLUTE, RELATIVE = ("absolute", "relative")
TIE = 1e-12
"""Candidates whose criterion is this near to the best are alike; the first of them is taken."""

Term = tuple[int, ...]
"""Numbers of the axes whose columns are multiplied; one alone is a basic term."""


class SplineStep(Frozen):
    """One round of the selection: what was tried, and what was taken.

    Attributes
    ----------
    kind : "first", "basic" or "interaction"; "fixed" where the terms were given
    tried : candidate terms, as numbers of axes
    values : array of shape (n_tried,), R² in the first round, else the criterion of the model with
        each candidate: adjusted R², AIC, or the p-value
    best : number of the best candidate in `tried`
    taken : whether it was taken; a round that takes nothing ends its loop
    r2, adjusted_r2 : of the model after the round
    rank : columns of the model after the round, the constant included
    """

    kind: str
    tried: tuple[tuple[int, ...], ...]
    values: FloatArray
    best: int
    taken: bool
    r2: float
    adjusted_r2: float
    rank: int


class Rules(Frozen):
    """What is taken, and when the selection ends; see the options of `Splines`."""

    theta: float
    phi: float
    criterion: str
    level: float
    stop: str
    order: int
    max_terms: int
    target_r2: float | None

    def scores(self, new: Sequence[Fit], old: Fit) -> list[float]:
        """Return a number per model that is larger the better it is."""
        if self.criterion == TEST:
            return [-float(log) for log in log_p(new, old)]
        if self.criterion == ADJUSTED:
            return [fit.adjusted_r2 for fit in new]
        return [-(fit.aic if self.criterion == AIC else fit.aicc) / fit.n for fit in new]

    def told(self, scores: Sequence[float], n: int) -> FloatArray:
        """Return what the story tells of each model, from its score."""
        values: FloatArray = np.array(scores)
        if self.criterion in (AIC, AICC):
            return np.minimum(-values * n, 1e300)
        return np.exp(-values) if self.criterion == TEST else np.maximum(values, -1e300)

    def enough(self, new: Fit, score: float, old: Fit, threshold: float) -> bool:
        """Whether a model of this score is so much better than the one before that its term is taken."""
        if self.criterion in (AIC, AICC):
            return new.aic < old.aic if self.criterion == AIC else new.aicc < old.aicc
        if self.criterion == TEST:
            return math.exp(-score) < self.level
        least = threshold * old.r2 if self.stop == RELATIVE else threshold
        return new.adjusted_r2 - old.r2 > least

    def full(self, n_terms: int, fit: Fit) -> bool:
        """Whether no term is wanted any more."""
        reached = self.target_r2 is not None and n_terms > 0 and fit.r2 >= self.target_r2
        return reached or n_terms >= self.max_terms or fit.rss <= 1e-14 * fit.total


class Search:
    """The state of one selection; lives only inside `Splines.fit`.

    Parameters
    ----------
    tables : per axis, bases at its levels
    codes : per axis, array of shape (n,), which level each point has
    roots : array of shape (n,), square roots of the points' weights
    """

    def __init__(
        self,
        rules: Rules,
        tables: Sequence[Tables],
        codes: Sequence[IntArray],
        y: FloatArray,
        roots: FloatArray,
        progress: Progress,
    ) -> None:
        self.rules, self.tables, self.codes, self.progress = rules, tables, codes, progress
        self.basis = Basis(y, roots)
        self.terms: list[Term] = []
        self.steps: list[SplineStep] = []
        self.widths = [t.orthonormal.shape[1] for t in tables]
        self.rows = np.zeros((len(tables), max(self.widths), len(y)))
        for own, table, code in zip(self.rows, tables, codes, strict=True):
            own[: table.orthonormal.shape[1]] = table.orthonormal.T.take(code, axis=1)
        self.weighted = self.rows * roots

    def run(self) -> None:
        """Algorithm 1: the best parameter by R², then parameters by θ, each followed by interactions by φ."""
        basic = _Pool(self, [(i,) for i in range(len(self.tables))])
        newest = self._round("first", basic, 0.0)
        while newest is not None:
            self._interactions(newest[0])
            newest = self._round("basic", basic, self.rules.theta) if basic.left else None

    def take_all(self, terms: Sequence[Term]) -> None:
        """Take given terms in their order, those that are aliased excepted."""
        for term in terms:
            self._round("fixed", _Pool(self, [term]), 0.0)

    def solve(self, y: FloatArray, *, shrink: bool) -> tuple[float, list[FloatArray], bool]:
        """Return the intercept, each term's coefficients, and whether these are on the cardinal basis, else on R's.

        Plain least squares gives aliased columns 0. Terms stand in R's order, parameters before
        interactions, which decides what is aliased.
        """
        ordered = sorted(self.terms, key=len)
        sizes = [math.prod(self.widths[a] for a in term) for term in ordered]
        z, Q = y * self.basis.weights, self.basis.Q
        cardinal = not shrink and self.basis.rank == 1 + sum(sizes)
        told = solved(Q.T @ self._design(ordered, cardinal=True), Q.T @ z) if cardinal else None
        if told is not None:
            found = told
        else:  # few points may not tell cardinal columns apart where they do R's
            cardinal = False
            found = (ridge if shrink else least_squares)(self._design(ordered, cardinal=False), z)
        starts = accumulate(sizes, initial=1)
        by_term = {term: found[start : start + size] for term, start, size in zip(ordered, starts, sizes, strict=False)}
        return float(found[0]), [by_term[term] for term in self.terms], cardinal

    def _design(self, terms: Sequence[Term], *, cardinal: bool) -> FloatArray:
        """Return a column of ones and those of terms, weighted."""
        used = {a for term in terms for a in term}
        rows = {
            a: (t.cardinal if cardinal else t.r).T.take(self.codes[a], axis=1)
            for a, t in enumerate(self.tables)
            if a in used
        }
        blocks = [product_rows([rows[a] for a in term]) for term in terms]
        return np.asarray((np.vstack([np.ones_like(self.basis.weights), *blocks]) * self.basis.weights).T)

    def block(self, term: Term) -> FloatArray:
        """Return the columns of a term on R's basis: shape (n, width)."""
        return product_columns([self.tables[a].r[self.codes[a]] for a in term])

    def _interactions(self, newest: int) -> None:
        """Try the newest parameter with each before it, then (on request) threes whose pairs are in the model."""
        others = [t[0] for t in self.terms if len(t) == 1 and t[0] != newest]
        if self.rules.order > 1 and others:
            self._while_better(lambda: [(newest, a) for a in others])
        if self.rules.order > 2:
            self._while_better(lambda: self._triples(newest, others))

    def _while_better(self, candidates: Callable[[], list[Term]]) -> None:
        pool = _Pool(self, candidates())
        while pool.left and self._round("interaction", pool, self.rules.phi) is not None:
            pass

    def _triples(self, newest: int, others: Sequence[int]) -> list[Term]:
        pairs = {frozenset(t) for t in self.terms if len(t) == 2}
        return [
            (newest, a, b)
            for a, b in combinations(others, 2)
            if {frozenset((newest, a)), frozenset((newest, b)), frozenset((a, b))} <= pairs
        ]

    def _round(self, kind: str, pool: "_Pool", threshold: float) -> Term | None:
        """Fit the model with each candidate; take the best if it gains enough, and return it."""
        before, rules = self.basis.fit, self.rules
        if kind != "fixed" and rules.full(len(self.terms), before):
            return None
        self.progress(len(self.terms) / rules.max_terms, f"term {len(self.terms) + 1}")
        tried, fits = pool.terms, pool.fits()
        scores = [fit.r2 for fit in fits] if kind == "first" else rules.scores(fits, before)
        best = _first_best(scores)
        new = fits[best]
        wanted = kind in ("first", "fixed") or rules.enough(new, scores[best], before, threshold)
        taken = new.rank > before.rank and wanted
        term = pool.take(best) if taken else None
        after = self.basis.fit if taken else before
        values = np.array(scores) if kind == "first" else rules.told(scores, before.n)
        adjusted = max(after.adjusted_r2, -1e300)
        self.steps.append(SplineStep(kind, tried, values, best, taken, after.r2, adjusted, after.rank))
        return term


class _Pool:
    """The terms that may join in a round, and their columns."""

    def __init__(self, search: Search, terms: list[Term]) -> None:
        self.search, self.all, self.left = search, terms, list(range(len(terms)))
        self.directions: dict[int, FloatArray] = {}
        if terms:
            self.columns = Candidates(self._blocks(), search.basis)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that have not joined."""
        return tuple([self.all[i] for i in self.left])

    def fits(self) -> list[Fit]:
        """Return how well the model with each term fits."""
        basis, gains, ranks = self.search.basis, self.columns.gains(), list(self.columns.widths)
        self.directions = {i: basis.new_directions(self.search.block(self.all[i])) for i in self.left if i not in gains}
        for i, own in self.directions.items():
            gains[i], ranks[i] = basis.gain(own), own.shape[1]
        n = len(basis.residual)
        return [Fit(max(basis.rss - gains[i], 0.0), basis.total, basis.rank + ranks[i], n) for i in self.left]

    def take(self, place: int) -> Term:
        """Move a term into the model."""
        i = self.left.pop(place)
        known = self.directions.get(i)
        self.search.basis.add(self.columns.join(i) if known is None else known)
        self.search.terms.append(self.all[i])
        return self.all[i]

    def _blocks(self) -> FloatArray:
        """Return every product of one column of each parameter of each term, weighted; columns are rows."""
        search, places = self.search, list(zip(*self.all, strict=True))
        widest = [max([search.widths[a] for a in axes]) for axes in places]
        found = search.weighted.take(places[0], axis=0)[:, : widest[0]]
        for axes, width in zip(places[1:], widest[1:], strict=True):
            found = found[:, :, None] * search.rows.take(axes, axis=0)[:, None, :width]
            found = found.reshape(len(found), -1, found.shape[-1])
        return found


def _first_best(scores: Sequence[float]) -> int:
    """Return the number of the largest score, the first of those that are alike."""
    best = max(scores)
    near = TIE * max(1.0, abs(best)) if math.isfinite(best) else 0.0
    return next(i for i, score in enumerate(scores) if score >= best - near)
