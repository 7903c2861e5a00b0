"""What goals may turn out to be at designs together: drawn, the best that is to be expected, and who beats whom."""

import numpy as np

from core.codec import FloatArray, IntArray
from core.space.design_space import BoolArray
from core.space.offered import Question


def draw_goals(question: Question, codes: IntArray, n: int, seed: int, *, orders: bool = False) -> FloatArray:
    """Return what the goals may turn out to be at designs together, shape (n_goals, n, n_designs); low is good."""
    own = question.space.values(codes)
    values = {name: np.tile(column, n) for name, column in own.items() if name in question.wishes.names}
    first: dict[int, int] = {}
    for i, (name, one) in enumerate(question.responses.items()):
        same = first.setdefault(id(one.doubt), i)  # of several applications the errors are drawn together
        values[name] = one.draws(codes, n, seed + same, i + 1 if one.fixed else 0, orders=orders).ravel()
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
    found: FloatArray = np.maximum(-np.diff(kept, prepend=sign * best), 0.0)
    return found


def mean_of(goals: FloatArray) -> FloatArray:
    """Return the means over draws; where a limit may not hold the worst finite value stands for it."""
    worst = np.max(goals, initial=-np.inf, where=np.isfinite(goals))
    found: FloatArray = np.where(np.isfinite(goals), goals, worst).mean(axis=0)
    return found


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
    found: FloatArray = (first < second).mean(axis=0) + 0.5 * (first == second).mean(axis=0)
    return found
