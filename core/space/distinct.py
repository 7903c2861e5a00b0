"""Few designs that differ where it matters: what a parameter does at a design, and which design to add to others."""

import numpy as np

from core.codec import FloatArray, IntArray
from core.space.design_space import BoolArray, Level
from core.space.expected import expected_best
from core.space.offered import Question

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
        alike = ((pool == pool[place]) | free[-1]).all(axis=1)
        left &= ~alike
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
