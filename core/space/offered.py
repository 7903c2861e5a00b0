"""Which designs may be offered: those that fulfil every limit within the evidence, and the best of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.progress import Progress, silent
from core.space._allowed import AllowedPoints, allowed_points
from core.space._constraints import Values
from core.space.believed import Believed
from core.space.best import best_codes
from core.space.design_space import BoolArray, DesignSpace, Parameter, blocks
from core.space.sweep import HIGH, LOW
from core.space.wishes import Wishes

MOST_LISTED = 5_000_000
"""Designs up to which all are looked at."""
_CHUNK = 1 << 16
_DRAWN, _KEPT, _ROUNDS = 20_000, 300, 60


@dataclass(frozen=True)
class Question:
    """What is wanted, and what is known.

    Attributes
    ----------
    responses : by the name that wishes have for them
    outside : whether designs outside the evidence may be offered
    """

    wishes: Wishes
    responses: Mapping[str, Believed]
    outside: bool = False

    @property
    def space(self) -> DesignSpace:
        """The designs that fulfil all limits on parameters alone."""
        return self.wishes.space

    def worth(self, codes: IntArray) -> FloatArray:
        """Return the goals at designs, low where good, shape (n_goals, n); inf where a design may not be offered."""
        known = {name: one.values(codes) for name, one in self.responses.items()}
        found = self.goals({**self.space.values(codes), **known}, len(codes))
        bad = np.zeros(len(codes), dtype=bool)
        for name, one in self.responses.items():
            bad |= ~np.isfinite(known[name]) | ((known[name] < 0) & (not one.may_be_negative))
        good = np.flatnonzero(np.isfinite(found).all(axis=0) & ~bad)
        if not self.outside:
            good = good[~self.leaves(codes[good])]
        return np.where(np.isin(np.arange(len(codes)), good), found, np.inf)

    def goals(self, values: Values, n: int) -> FloatArray:
        """Return the goals, low where good, shape (n_goals, n); inf where a limit does not hold."""
        found = np.array([goal.sign * goal.formula.of(values, n) for goal in self.wishes.goals])
        return np.where(self.wishes.fulfilled(values, n) & np.isfinite(found).all(axis=0), found, np.inf)

    def leaves(self, codes: IntArray) -> BoolArray:
        """Return which designs lie outside the evidence of any response."""
        found = np.zeros(len(codes), dtype=bool)
        for one in self.responses.values():
            found |= one.outside(codes)
        return found


@dataclass(frozen=True)
class Offered:
    """The best designs that may be offered.

    Attributes
    ----------
    codes : array of shape (n, n_parameters), the best first; the front where there are several goals
    worth : array of shape (n_goals, n)
    n_designs : how many were looked at
    n_feasible : of these, how many may be offered
    how : how they were found, in words
    """

    codes: IntArray
    worth: FloatArray
    n_designs: int
    n_feasible: int
    how: str


def offered(question: Question, most: int = 2000, progress: Progress = silent) -> Offered:
    """Return the best designs that may be offered: of all, where there are at most five million; else by search.

    Raises
    ------
    OptionError
        If none may be.
    """
    points = allowed_points(question.space)
    found = _Kept(question, most)
    if points.listed and points.size <= MOST_LISTED:
        for numbers in blocks(points.size, _CHUNK):
            progress(numbers[0] / points.size, f"{numbers[0]:,} designs")
            found.take(points.codes(numbers))
        how = f"all {points.size:,} designs were compared"
    else:
        how = _search(question, points, found, progress)
    if not len(found.codes):
        raise OptionError(_none(question, found.n_designs))
    return Offered(found.codes, found.worth, found.n_designs, found.n_feasible, how)


def front(values: FloatArray) -> IntArray:
    """Return the places of points that no other is as good as in all rows, shape (n_goals, n), low where good.

    Of equal points the first is kept.
    """
    places = np.lexsort(values[::-1])
    left, i = values[:, places], 0
    while i < len(places):
        keep: BoolArray = np.any(left < left[:, i : i + 1], axis=0)
        keep[i] = True
        places, left = places[keep], left[:, keep]
        i = int(keep[: i + 1].sum())
    return places


class _Kept:
    """The best designs so far."""

    def __init__(self, question: Question, most: int) -> None:
        self.question, self.most = question, most
        self.codes = np.empty((0, len(question.space.shape)), dtype=np.int64)
        self.worth = np.empty((len(question.wishes.goals), 0))
        self.n_designs = self.n_feasible = 0

    def take(self, codes: IntArray) -> None:
        """Consider some designs, none of them for the second time unless it is still kept."""
        worth = self.question.worth(codes)
        good = np.flatnonzero(np.isfinite(worth[0]))
        self.n_designs, self.n_feasible = self.n_designs + len(codes), self.n_feasible + len(good)
        codes, worth = np.vstack([self.codes, codes[good]]), np.hstack([self.worth, worth[:, good]])
        if len(worth) == 1:
            chosen = np.lexsort((self.question.space.ranks(codes), worth[0]))[: self.most]
        else:
            chosen = front(worth)
        self.codes, self.worth = codes[chosen], worth[:, chosen]


def _search(question: Question, points: AllowedPoints, found: _Kept, progress: Progress) -> str:
    """Look at designs drawn at random, then at all that differ in one parameter from the best, until none is better."""
    space = question.space
    exact = _by_elimination(question)
    start = points.draw(_DRAWN, np.random.default_rng(0))
    found.take(start if exact is None else np.vstack([exact, start]))
    seen = np.empty(0, dtype=np.int64)
    for i in range(_ROUNDS):
        progress(i / _ROUNDS, f"{found.n_designs:,} designs")
        best = found.codes[:_KEPT]
        new = best[~np.isin(space.ranks(best), seen)]
        if not len(new):
            break
        seen = np.concatenate([seen, space.ranks(new)])
        near = np.unique(space.ranks(np.vstack([neighbours(space, one) for one in new])))
        near = near[~np.isin(near, space.ranks(found.codes))]
        found.take(space.codes(near))
    drawn = f"{found.n_designs:,} of {space.n_combinations:.3g} designs were compared: drawn ones, then neighbours"
    surely = exact is not None and len(found.codes) > 0 and bool((found.codes[0] == exact[0]).all())
    return f"the best was found exactly, by elimination; {drawn}" if surely else drawn


def neighbours(space: DesignSpace, codes: IntArray) -> IntArray:
    """Return the allowed designs that differ from one in a single parameter."""
    found = []
    for j, size in enumerate(space.shape):
        other = np.tile(codes, (size - 1, 1))
        other[:, j] = np.delete(np.arange(size), codes[j])
        found.append(other)
    near = np.vstack(found)
    return near[space.allowed(near)]


def _by_elimination(question: Question) -> IntArray | None:
    """Return the best design of one model without further limits exactly, if the model allows that."""
    goal = question.wishes.goals[0]
    asked = question.responses[goal.text].asked if goal.text in question.responses else None
    if asked is None or question.wishes.limits or len(question.wishes.goals) > 1:
        return None
    space = question.space
    outside = [np.zeros(n, dtype=bool) for n in space.shape]
    if not question.outside:
        outside = list(asked.columns.outside(asked.model, space))
    if any(bad.all() for bad in outside):
        return None
    levels = [np.flatnonzero(~bad) for bad in outside]
    pairs = zip(space.parameters, levels, strict=True)
    inner = DesignSpace(
        tuple(Parameter(p.name, tuple(p.levels[i] for i in own), p.unit) for p, own in pairs), space.constraints
    )
    found = best_codes(asked.model, inner, LOW if goal.sign > 0 else HIGH)
    return None if found is None else np.array([[own[c] for own, c in zip(levels, found, strict=True)]])


def _none(question: Question, n: int) -> str:
    limits = "; ".join(question.wishes.texts)
    wanted = f"fulfils {limits}" if limits else "can be predicted"
    where = "" if question.outside else " within what the models learnt from"
    more = "" if question.outside else ", or allow designs outside the evidence"
    return f"Of {n:,} designs none {wanted}{where}. Loosen a limit{more}."
