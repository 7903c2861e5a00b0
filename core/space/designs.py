"""The decision over a design space: few distinct designs, how sure each is the best, and whether more runs pay."""

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.progress import Progress, part, silent
from core.space.allowed import allowed_points
from core.space.believed import Responses
from core.space.design_space import DesignSpace, Level
from core.space.distinct import beats_among, distinct, draw_goals, expected_best, mean_of, unbeaten
from core.space.offered import Offered, Question, offered

NEAR = 0.1
"""Share of the goal by which what is offered may be expected to be worse than the best."""
_LEAST = 5
_DRAWS, _FEW_DRAWS, _MORE_DRAWS = 1000, 64, 10_000
_DRAWN, _POOL = 20_000, 1000
Levels = tuple[Level | None, ...]


class Alternative(Frozen):
    """A design that is offered, and all designs that are as good.

    Attributes
    ----------
    codes : of the design itself, array of shape (n_parameters,)
    point : one level per parameter, None where any does
    goals : array of shape (n_goals,), as they are written
    values : of every response that the wishes speak of
    low, high : 90 % of what each goal may turn out to be, NaN where nothing is known of the errors
    best : how probably none of those that are offered is better; with several goals, as good in all and better in one
    meets : how probably all limits hold that ask a model
    """

    codes: IntArray
    point: Levels
    goals: FloatArray
    values: dict[str, float]
    measured: bool
    outside: bool
    low: FloatArray
    high: FloatArray
    best: float = np.nan
    meets: float = np.nan


class Decision(Frozen):
    """What to choose.

    Attributes
    ----------
    beats : array of shape (n, n), how probably one alternative is better than another (in the first goal)
    offered : all designs that may be offered, the best first, or the front
    gains : what so many further runs are expected to make the first goal better, in its unit; empty where unknown
    further : the designs of these runs, the most useful first, array of shape (n, n_parameters); none where unknown
    """

    question: Question
    alternatives: tuple[Alternative, ...]
    beats: FloatArray
    offered: Offered
    gains: dict[int, float] = field(default_factory=dict)
    further: IntArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    @property
    def sure(self) -> bool:
        """Whether probabilities are known."""
        return bool(np.isfinite([one.best for one in self.alternatives]).all())

    def gain(self, runs: int) -> float:
        """Return the share by which so many further runs are expected to make the best better; NaN where unknown."""
        return self.gains.get(runs, np.nan) / max(abs(float(self.alternatives[0].goals[0])), 1e-300)


def decide(question: Question, most: int = 5, *, seed: int = 0, progress: Progress = silent) -> Decision:
    """Return at most so many designs to choose from, the best first.

    The first is the best by what is expected. Each further one is that which most lowers the expected best of those
    chosen: it may turn out better where they turn out worse. With several goals they are spread over the front.

    Raises
    ------
    OptionError
        If no design may be offered.
    """
    found = offered(question, progress=part(progress, 0.0, 0.6))
    uncertain = all(one.doubt is not None for one in question.responses.values())
    near = _near(found.worth[:, :_POOL])
    pool, worth = found.codes[near], found.worth[:, near]
    progress(0.7, "Comparing")
    goals = draw_goals(question, pool, _DRAWS, seed) if uncertain else worth[:, None, :]
    chosen, points = distinct(question, pool, worth, goals, most)
    orders = draw_goals(question, pool[chosen], _MORE_DRAWS, seed, orders=True) if uncertain else goals[:, :0, chosen]
    ends = draw_goals(question, pool[chosen], _MORE_DRAWS, seed, chosen=True) if uncertain else goals[:, :, chosen]
    alternatives = _told(question, pool[chosen], points, ends, orders)
    beats = beats_among(orders[0]) if uncertain else np.full((len(chosen), len(chosen)), np.nan)
    known = uncertain and len(question.wishes.goals) == 1
    gains, further = _gains(question, found, seed) if known else ({}, pool[:0])
    progress(1.0, "Compared")
    return Decision(question, alternatives, beats, found, gains, further)


def one_more(found: Decision, point: Sequence[int] | IntArray, *, seed: int = 0) -> Alternative:
    """Return a design beside those to choose from: one of these, or another with what is known of it.

    Parameters
    ----------
    point : the number of each parameter's level

    Raises
    ------
    OptionError
        If it may not be offered.
    """
    codes = np.array(point, dtype=np.int64)
    for one in found.alternatives:
        if (one.codes == codes).all():
            return one
    worth = found.question.worth(codes[None])
    if not np.isfinite(worth).all():
        raise OptionError("This design breaks a limit or lies outside the evidence, so it is not offered.")
    among = np.vstack([codes, *(one.codes for one in found.alternatives)])
    goals, orders = worth[:, None, :], worth[:, None, :0]
    if found.sure:
        goals = draw_goals(found.question, among, _MORE_DRAWS, seed, chosen=True)
        orders = draw_goals(found.question, among, _MORE_DRAWS, seed, orders=True)
    own = among if found.sure else among[:1]
    return _told(found.question, own, found.question.space.texts(own), goals, orders)[0]


def _near(worth: FloatArray) -> IntArray:
    """Return which designs are near the best by what is expected, few where few are; of a front all."""
    if len(worth) > 1:
        return np.arange(worth.shape[1], dtype=np.int64)
    near = int((worth[0] <= worth[0, 0] + NEAR * abs(worth[0, 0])).sum())
    return np.arange(min(max(near, _LEAST), worth.shape[1]), dtype=np.int64)


def _told(
    question: Question, codes: IntArray, points: Sequence[Levels], goals: FloatArray, orders: FloatArray
) -> tuple[Alternative, ...]:
    """Return the alternatives with all that is known of each; `orders` is empty where nothing is of their errors."""
    signs = np.array([goal.sign for goal in question.wishes.goals])[:, None]
    worth = question.worth(codes) * signs
    each = [one.values(codes).tolist() for one in question.responses.values()]
    values = [dict(zip(question.responses, row, strict=True)) for row in zip(*each, strict=True)]
    low, high = np.full(worth.shape, np.nan), np.full(worth.shape, np.nan)
    best = meets = np.full(len(codes), np.nan)
    if orders.size:
        ends = np.quantile(np.where(np.isfinite(goals), goals, np.max(worth * signs)), [0.05, 0.95], axis=1)
        low, high = np.sort(ends * signs, axis=0)
        # errors grow with the distance from the mean: far from it their correction may carry both ends past the value
        low, high = np.minimum(low, worth), np.maximum(high, worth)
        meets, best = np.isfinite(goals[0]).mean(axis=0), unbeaten(orders)
    known = _measured(question.responses, question.space, codes).tolist(), question.leaves(codes).tolist()
    told = codes, points, worth.T, values, *known, low.T, high.T, best.tolist(), meets.tolist()
    return tuple(Alternative(*one) for one in zip(*told, strict=True))


def _measured(responses: Responses, space: DesignSpace, codes: IntArray) -> BoolArray:
    ranks = space.ranks(codes)
    return np.asarray(np.all([np.isin(ranks, one.measured[0]) for one in responses.values()], axis=0))


def _gains(question: Question, found: Offered, seed: int) -> tuple[dict[int, float], IntArray]:
    """Return what one and ten further runs are expected to lower the best by, and their designs."""
    pool = _hopeful(question, found.codes, seed)
    goals = draw_goals(question, pool, _DRAWS, seed)[0]
    now = float(mean_of(goals[:, :1])[0])
    picks = expected_best(goals, np.full(len(goals), now), 10, _measured(question.responses, question.space, pool))
    kept = np.minimum(now, np.minimum.accumulate(goals[:, picks], axis=1))
    gains = {runs: now - float(kept[:, min(runs, len(picks)) - 1].mean()) if picks else 0.0 for runs in (1, 10)}
    return gains, pool[picks]


def _hopeful(question: Question, best: IntArray, seed: int) -> IntArray:
    """Return designs one of which may be the best, the best first: expected to be, or nobody is sure of them."""
    among = allowed_points(question.space).some(_DRAWN, seed)
    codes = np.vstack([best, among if question.outside else among[~question.leaves(among)]])
    codes = codes[np.sort(np.unique(question.space.ranks(codes), return_index=True)[1])]
    hope = np.quantile(draw_goals(question, codes, _FEW_DRAWS, seed)[0], 0.05, axis=0, method="lower")
    hope[: min(len(best), 100)] = -np.inf
    return codes[np.argsort(hope, kind="stable")[:_POOL]]
