"""Which designs may be offered: those that fulfil every limit within the evidence, and the best of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.progress import Progress, silent
from core.space._blocks import Inside, by_halves
from core.space._constraints import Formula, Values
from core.space._reductions import Kept
from core.space.allowed import AllowedPoints, allowed_points
from core.space.believed import Believed
from core.space.design_space import DesignSpace, blocks
from core.space.mix import GEOMEAN, MEAN, Mix
from core.space.sums import Sum, sum_of, weighted
from core.space.sweep import best_codes
from core.space.wishes import Wishes

MOST_LISTED = 5_000_000
"""Designs up to which all are looked at."""
_CHUNK = 1 << 16
_DRAWN, _KEPT, _ROUNDS = 20_000, 300, 60
_SWEPT, _FORMULA = 2_000_000_000, 4
"""Combinations up to which sums of tables are scored one by one, some seconds; and how much more a formula costs."""


class Question(Frozen):
    """What is wanted, and what is known.

    Attributes
    ----------
    responses : by the name that wishes have for them
    outside : whether designs outside the evidence may be offered
    notes : how the models were chosen, in sentences
    """

    wishes: Wishes
    responses: Mapping[str, Believed]
    outside: bool = False
    notes: tuple[str, ...] = ()

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


class Offered(Frozen):
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
    several, by = len(question.wishes.goals) > 1, "elimination" if len(known) == 1 else "the models' tables"
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
    space, asked = question.space, {n: one.asked for n, one in question.responses.items() if one.asked is not None}
    if len(asked) < len(question.responses) or not all(one.sums for one in asked.values()):
        return None
    outside = [np.zeros(n, dtype=bool) for n in space.shape]
    for one in asked.values() if not question.outside else ():
        outside = [a | b for a, b in zip(outside, one.columns.outside(one.model, space), strict=True)]
    if any(bad.all() for bad in outside):
        return None
    levels = [np.flatnonzero(~bad) for bad in outside]
    pairs = zip(space.parameters, levels, strict=True)
    inner = replace(space, parameters=tuple(replace(p, levels=tuple(p.levels[i] for i in own)) for p, own in pairs))
    known = {name: sum_of(one.model, inner, question.responses[name].fixed) for name, one in asked.items()}
    sums = {name: one for name, one in known.items() if one is not None}
    goal, alone = question.wishes.goals[0], len(question.wishes.goals) == 1 and not question.wishes.limits
    summed = _as_sum(question, goal.formula, sums, inner) if alone else None
    found = _scored(question, sums, inner) if summed is None else best_codes(summed, inner, goal.sense)
    if found is None:
        return None
    return np.column_stack([own[codes] for own, codes in zip(levels, np.atleast_2d(found).T, strict=True)])


def _as_sum(question: Question, formula: Formula, sums: Mapping[str, Sum], space: DesignSpace) -> Sum | None:
    """Return a sum of tables that orders designs as a goal does: that of a response, or of a mean over applications.

    The logarithm of a geometric mean is the mean of logarithms.
    """
    mixed = isinstance(formula, Mix) and formula.how in (GEOMEAN, MEAN)
    parts = formula.parts if isinstance(formula, Mix) and mixed else (formula,)
    names = [part.text for part in parts]
    if not all(name in sums for name in names):
        return None
    if not isinstance(formula, Mix):
        return sums[names[0]]
    asked = [question.responses[name].asked for name in names]
    if any(one is None or one.model.scale.log != (formula.how == GEOMEAN) for one in asked):
        return None
    times = [1.0 if formula.how == GEOMEAN else question.responses[name].level for name in names]
    weights = [share * level for share, level in zip(formula.shares, times, strict=True)]
    return weighted([sums[name] for name in names], weights, space)


def _scored(question: Question, sums: Mapping[str, Sum], space: DesignSpace) -> IntArray | None:
    """Return the best of all designs by what tables say, block by block; None where these are too many."""
    wishes = question.wishes
    plain = {goal.text for goal in wishes.goals} <= set(sums)
    own = sorted(wishes.names & set(space.names))
    cost = 1 if plain and not own else _FORMULA * (len(sums) + len(own))
    if space.n_combinations * cost > _SWEPT:
        return None
    kept = Kept(len(wishes.goals), _KEPT)
    everywhere = Inside(tuple(np.zeros(n, dtype=bool) for n in space.shape), ())
    for block in by_halves(list(sums.values()), space, everywhere):
        values: dict[str, Any] = {}
        if own:
            values |= space.values(space.codes(block.ranks(np.arange(len(block), dtype=np.int64))))
        for name, said in zip(sums, block.values, strict=True):
            one = question.responses[name]
            assert one.asked is not None, "a sum of no model"
            values[name] = one.level * one.asked.model.scale.inverse(said)
        kept.take(question.goals(values, len(block)), block.ranks)
    return space.codes(kept.ranks)


def _none(question: Question, n: int) -> str:
    limits = "; ".join(question.wishes.texts)
    wanted = f"fulfils {limits}" if limits else "can be predicted"
    where = "" if question.outside else " within what the models learnt from"
    more = "" if question.outside else ", or allow designs outside the evidence"
    return f"Of {n:,} designs none {wanted}{where}. Loosen a limit{more}."
