"""Which designs may be offered: those that fulfil every limit within the evidence, and the best of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.progress import Progress, silent
from core.space._allowed import AllowedPoints, allowed_points
from core.space._constraints import Values
from core.space._reductions import Kept
from core.space.believed import Believed
from core.space.best import best_codes
from core.space.design_space import BoolArray, DesignSpace, blocks
from core.space.sweep import sweep
from core.space.wishes import Wishes

MOST_LISTED = 5_000_000
"""Designs up to which all are looked at."""
_CHUNK = 1 << 16
_DRAWN, _KEPT, _ROUNDS = 20_000, 300, 60
_SWEPT = 2_000_000_000
"""Combinations up to which sums of tables are scored one by one, some seconds."""


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

    Where models are sums of tables, what these say is best of all is looked at too.

    Raises
    ------
    OptionError
        If none may be.
    """
    space, points = question.space, allowed_points(question.space)
    kept, n_designs, n_feasible = Kept(len(question.wishes.goals), most), 0, 0
    whole = points.listed and points.size <= MOST_LISTED
    exact = None if whole else _by_tables(question)
    every = (points.codes(numbers) for numbers in blocks(points.size, _CHUNK))
    for codes in every if whole else _around(question, points, exact, kept):
        progress(min(n_designs / points.size, 1.0), f"{n_designs:,} designs")
        worth = question.worth(codes)
        n_designs, n_feasible = n_designs + len(codes), n_feasible + int(np.isfinite(worth[0]).sum())
        kept.take(worth, space.ranks(codes).__getitem__)
    if not len(kept.ranks):
        raise OptionError(_none(question, n_designs))
    how = f"all {n_designs:,} designs were compared"
    if not whole:
        how = f"{n_designs:,} of {space.n_combinations:.3g} designs were compared: drawn ones, then neighbours"
        how = f"{_exactly(question, kept.ranks, exact)}{how}"
    return Offered(space.codes(kept.ranks), kept.values, n_designs, n_feasible, how)


def _exactly(question: Question, best: IntArray, exact: IntArray | None) -> str:
    """Say whether what is best is what tables say is best of all."""
    known = np.empty(0, dtype=np.int64) if exact is None else question.space.ranks(exact)
    several, by = len(question.wishes.goals) > 1, "the models' tables" if question.wishes.limits else "elimination"
    if several and len(known) and np.isin(known, best).all():
        return "the front was found exactly, by the models' tables; "
    return f"the best was found exactly, by {by}; " if not several and best[0] in known else ""


def _around(question: Question, points: AllowedPoints, exact: IntArray | None, kept: Kept) -> Iterator[IntArray]:
    """Yield measured designs and drawn ones, then all that differ in one parameter from the best, until none is new."""
    space = question.space
    start = [space.ranks(points.draw(_DRAWN, np.random.default_rng(0)))]
    start += [one.measured[0] for one in question.responses.values()]
    codes = space.codes(np.unique(np.concatenate(start if exact is None else [*start, space.ranks(exact)])))
    yield codes[space.allowed(codes)]
    seen = np.empty(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        new = np.setdiff1d(kept.ranks[:_KEPT], seen)
        if not len(new):
            return
        seen = np.concatenate([seen, new])
        near = space.ranks(np.vstack([neighbours(space, one) for one in space.codes(new)]))
        yield space.codes(np.setdiff1d(near, kept.ranks))


def neighbours(space: DesignSpace, codes: IntArray) -> IntArray:
    """Return the allowed designs that differ from one in a single parameter."""
    near = np.vstack([space.around(codes, (j,)) for j in range(len(codes))])
    other: BoolArray = (near != codes).any(axis=1)
    return near[space.allowed(near) & other]


def _by_tables(question: Question) -> IntArray | None:
    """Return the best designs that models which are sums of tables have within the evidence; None if they are not."""
    wishes, space = question.wishes, question.space
    asked = {name: one.asked for name, one in question.responses.items() if one.asked is not None and one.asked.sums}
    if len(asked) < len(question.responses) or any(goal.text not in asked for goal in wishes.goals):
        return None
    outside = [np.zeros(n, dtype=bool) for n in space.shape]
    for one in asked.values() if not question.outside else ():
        outside = [a | b for a, b in zip(outside, one.columns.outside(one.model, space), strict=True)]
    if any(bad.all() for bad in outside):
        return None
    levels = [np.flatnonzero(~bad) for bad in outside]
    pairs = zip(space.parameters, levels, strict=True)
    inner = replace(space, parameters=tuple(replace(p, levels=tuple(p.levels[i] for i in own)) for p, own in pairs))
    models = {name: one.model for name, one in asked.items()}
    if wishes.limits or len(wishes.goals) > 1:
        if inner.n_combinations > _SWEPT:
            return None
        best = sweep(replace(wishes, space=inner), models, top=_KEPT).best
        found = inner.codes(np.array([one.rank for one in best], dtype=np.int64))
    else:
        best_one = best_codes(models[wishes.goals[0].text], inner, wishes.goals[0].sense)
        found = np.empty((0, len(space.shape)), dtype=np.int64) if best_one is None else best_one[None]
    return np.column_stack([own[codes] for own, codes in zip(levels, found.T, strict=True)])


def _none(question: Question, n: int) -> str:
    limits = "; ".join(question.wishes.texts)
    wanted = f"fulfils {limits}" if limits else "can be predicted"
    where = "" if question.outside else " within what the models learnt from"
    more = "" if question.outside else ", or allow designs outside the evidence"
    return f"Of {n:,} designs none {wanted}{where}. Loosen a limit{more}."
