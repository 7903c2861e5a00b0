"""What goals may turn out to be at designs together, and few designs that differ where it matters."""

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.space.design_space import Level
from core.space.offered import Question


def draw_goals(
    question: Question, codes: IntArray, n: int, seed: int, *, orders: bool = False, chosen: bool = False
) -> FloatArray:
    """Return what the goals may turn out to be at designs together, shape (n_goals, n, n_designs); low is good."""
    own = question.space.values(codes)
    values = {name: np.tile(column, n) for name, column in own.items() if name in question.wishes.names}
    first: dict[int, int] = {}
    for i, (name, one) in enumerate(question.responses.items()):
        same = first.setdefault(id(one.doubt), i)  # of several applications the errors are drawn together
        other = i + 1 if one.fixed else 0
        values[name] = one.draws(codes, n, seed + same, other, orders=orders, chosen=chosen).ravel()
    return question.goals(values, n * len(codes)).reshape(-1, n, len(codes))


def expected_best(goals: FloatArray, known: FloatArray, n: int, taken: BoolArray | None = None) -> list[int]:
    """Return the places of designs that lower the expected smallest most, one after another.

    Parameters
    ----------
    goals : drawn together, shape (n_draws, n_designs)
    known : the best so far in each draw, shape (n_draws,); inf where there is none
    taken : designs that are not to be chosen
    """
    best, chosen = known, list[int]()
    shut = np.zeros(goals.shape[1], dtype=bool) if taken is None else taken.copy()
    for _ in range(min(n, int((~shut).sum()))):
        worth = mean_of(np.minimum(best[:, None], goals))
        worth[shut] = np.inf
        chosen.append(int(np.argmin(worth)))
        shut[chosen[-1]] = True
        best = np.minimum(best, goals[:, chosen[-1]])
    return chosen


def gains_of(values: FloatArray, best: float, sign: float) -> FloatArray:
    """Return what each design is expected to better the best by, once those before it are measured, shape (n,).

    Parameters
    ----------
    values : drawn together, shape (n_draws, n)
    best : the best measured so far
    sign : 1 where low is good, else -1
    """
    kept = np.minimum.accumulate(np.minimum(sign * values, sign * best), axis=1).mean(axis=0)
    return np.asarray(np.maximum(-np.diff(kept, prepend=sign * best), 0.0))


def mean_of(goals: FloatArray) -> FloatArray:
    """Return the means over draws; where a limit may not hold the worst finite value stands for it."""
    worst = np.max(goals, initial=-np.inf, where=np.isfinite(goals))
    return np.asarray(np.where(np.isfinite(goals), goals, worst).mean(axis=0))


def unbeaten(goals: FloatArray) -> FloatArray:
    """Return how often a design may be offered and none is as good in every goal and better in one, shape (n,)."""
    n = goals.shape[-1]
    found = np.empty(n)
    for i in range(n):
        own = goals[:, :, i : i + 1]
        beaten = np.any(np.all(goals <= own, axis=0) & np.any(goals < own, axis=0), axis=1)
        found[i] = (~beaten & np.isfinite(goals[0, :, i])).mean()
    return found


def beats_among(goals: FloatArray) -> FloatArray:
    """Return how often one design is better than another, ties shared, of goals of shape (n_draws, n)."""
    first, second = goals[:, :, None], goals[:, None, :]
    return np.asarray((first < second).mean(axis=0) + 0.5 * (first == second).mean(axis=0))


ALIKE = 0.005
"""Share of a goal by which it may change where a parameter is said to do nothing."""
_MOST_BOX = 2048


def distinct(
    question: Question, pool: IntArray, worth: FloatArray, goals: FloatArray, most: int
) -> tuple[list[int], list[tuple[Level | None, ...]]]:
    """Return the places of designs that differ where it matters, the best first, and their points with what is any."""
    left, chosen, free = np.ones(len(pool), dtype=bool), list[int](), list[BoolArray]()
    several = len(worth) > 1
    for _ in range(most):
        if not left.any():
            break
        place = _farthest(worth, chosen, left) if several else _next(worth[0], goals[0], chosen, left)
        chosen.append(place)
        free.append(idle_at(question, pool[place]))
        left &= ~((pool == pool[place]) | free[-1]).all(axis=1)
        left[place] = False
    order = np.argsort(worth[0][chosen], kind="stable")
    points = [
        tuple(None if idle else level for level, idle in zip(question.space.texts(pool[[p]])[0], own, strict=True))
        for p, own in zip(chosen, free, strict=True)
    ]
    return [chosen[i] for i in order], [points[i] for i in order]


def _next(worth: FloatArray, goals: FloatArray, chosen: list[int], left: BoolArray) -> int:
    if not chosen or len(goals) == 1:  # without draws the best by what is expected
        return int(np.argmin(np.where(left, worth, np.inf)))
    return expected_best(goals, goals[:, chosen].min(axis=1), 1, ~left)[0]


def _farthest(worth: FloatArray, chosen: list[int], left: BoolArray) -> int:
    """Return the best of each goal, then the design of the front that is farthest from those chosen."""
    if len(chosen) < len(worth):
        return int(np.argmin(np.where(left, worth[len(chosen)], np.inf)))
    span = np.ptp(worth, axis=1)[:, None]
    scaled = (worth - worth.min(axis=1)[:, None]) / np.where(span > 0, span, 1.0)
    apart = np.abs(scaled[:, :, None] - scaled[:, None, chosen]).sum(axis=0).min(axis=1)
    return int(np.argmax(np.where(left, apart, -np.inf)))


def idle_at(question: Question, codes: IntArray) -> BoolArray:
    """Return which parameters do nothing at a design: at any of their levels it may be offered and is as good.

    They are tried together: those that do nothing by themselves, the least first, as long as no goal of any
    combination of their levels changes by more than half a percent.
    """
    space, found = question.space, np.zeros(len(codes), dtype=bool)
    base = question.worth(codes[None])[:, 0]
    alone = [(_change(question, codes, (j,), base), j) for j, n in enumerate(space.shape) if n > 1]
    together: tuple[int, ...] = ()
    for change, j in sorted(alone):
        if change <= ALIKE and (not together or _change(question, codes, (*together, j), base) <= ALIKE):
            together = (*together, j)
    found[list(together)] = True
    return found


def _change(question: Question, codes: IntArray, parameters: tuple[int, ...], base: FloatArray) -> float:
    """Return the largest change of a goal over all levels of parameters; inf where one may not be offered."""
    if question.space.part(parameters).n_combinations > _MOST_BOX:
        return np.inf
    near = question.space.around(codes, parameters)
    near = near[question.space.allowed(near)]
    if len(near) < 2:
        return np.inf
    worth = question.worth(near)
    return float(np.max(np.abs(worth - base[:, None]) / np.maximum(np.abs(base), 1e-300)[:, None]))
