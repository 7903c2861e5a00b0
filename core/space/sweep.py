"""Score every design of a space block by block, with the best of them; or find the best alone, by elimination."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.space._blocks import Block, score_blocks
from core.space._reductions import Kept, StreamedHistogram
from core.space.columns import columns_of
from core.space.design_space import DesignSpace, Level
from core.space.sums import Sum, Table, sum_of
from core.space.wishes import LOW, Wishes, read_wishes

MOST_POINTS = 20_000_000_000
"""Combinations up to which a space is scored point by point."""

Watch = Callable[[FloatArray, Callable[[IntArray], IntArray]], None]
"""Called per block with values on the model's scale and the ranks of places; to be used at once."""


class Design(Frozen):
    """A design point and what a model says of it.

    Attributes
    ----------
    point : one level per parameter
    value, low, high : in the response's unit; low and high are NaN without an interval
    why : why the model is extrapolating here; "" where it is not
    """

    rank: int
    point: tuple[Level, ...]
    value: float
    low: float
    high: float
    why: str = ""


class Sweep(Frozen):
    """A scored design space.

    Attributes
    ----------
    n_points : allowed points
    n_refused : of these, without a prediction
    n_inside : of these, inside the model's trained range; -1 where limits leave designs out
    edges, counts : arrays of shape (n_bins + 1,) and (n_bins,): the histogram, edges in the
        response's unit, bins evenly wide on the model's scale
    best : the best designs, the best first; the front where there are several goals
    others : the same designs as the model of each further goal sees them
    smallest, largest : predicted values, NaN if there are none
    """

    n_points: int
    n_refused: int
    n_inside: int
    edges: FloatArray
    counts: IntArray
    smallest: float
    largest: float
    best: tuple[Design, ...]
    others: tuple[tuple[Design, ...], ...] = ()


def over(
    space: DesignSpace,
    models: Sequence[FittedPipeline],
    senses: Sequence[str] = (LOW,),
    ranges: Sequence[tuple[float, float]] = (),
) -> tuple[Wishes, dict[str, FittedPipeline]]:
    """Return what is wanted where models have no names of their own, and the models by names that no parameter has.

    Parameters
    ----------
    senses : of each of the first models, whether low or high responses are good
    ranges : in which those of each of the others must lie
    """
    mark = "_" * (1 + max(len(name) - len(name.lstrip("_")) for name in space.names))
    named = {f"{mark}{i}": model for i, model in enumerate(models)}
    names = list(named)
    limits = [
        f"{name} {sign} {repr(float(end)).replace('inf', '1e999')}"
        for name, ends in zip(names[len(senses) :], ranges, strict=True)
        for sign, end in zip((">=", "<="), ends, strict=True)
    ]
    return read_wishes(dict(zip(names, senses, strict=False)), limits, names, space), named


def sweep(
    wishes: Wishes,
    models: Mapping[str, FittedPipeline],
    *,
    top: int = 20,
    watch: Watch | None = None,
    exact: bool = False,
    progress: Progress = silent,
) -> Sweep:
    """Score all allowed points of a design space in bounded memory; those that break a limit are not counted.

    Parameters
    ----------
    wishes : goals that are names of models; of the first are counts and histogram
    models : by the names that wishes have for them
    top : how many of the best designs to return where there is one goal; else they are the front
    exact : predict row by row even where a sum of tables gives the same

    Raises
    ------
    OptionError
        If a model has a column that no parameter gives, or the space is too large.
    """
    space, goals = wishes.space, [goal.text for goal in wishes.goals]
    if space.n_combinations > MOST_POINTS:
        raise OptionError(
            f"The design space has {space.n_combinations:.3g} combinations; at most {MOST_POINTS:.3g} are scored. "
            "Use fewer levels, or ask for the best design alone."
        )
    asked = {name: models[name] for name in dict.fromkeys([*goals, *sorted(wishes.names & {*models})])}
    signs = np.array([[goal.sign] for goal in wishes.goals])
    histogram, kept = StreamedHistogram(), Kept(len(goals), top)
    n_points = n_refused = n_inside = 0
    for block in _told(score_blocks([*asked.values()], space, exact=exact), space, progress):
        values, ranks = _limited(block, wishes, asked)
        n_points, n_inside = n_points + len(values[0]), n_inside + block.n_inside
        finite = values[0] if _finite(values[0]) else values[0][np.isfinite(values[0])]
        n_refused += len(values[0]) - len(finite)
        histogram.take(finite)
        kept.take(signs * np.array(values[: len(goals)]), ranks)
        if watch is not None:
            watch(values[0], ranks)
    scale, (edges, counts) = asked[goals[0]].scale, histogram.shown()
    extremes = np.array([histogram.smallest, histogram.largest]) if histogram.n else np.full(2, np.nan)
    low, high = scale.inverse(extremes).tolist()
    best, *others = (designs(asked[name], space, kept.ranks) for name in goals)
    n_inside = -1 if wishes.limits else n_inside
    return Sweep(n_points, n_refused, n_inside, scale.inverse(edges), counts, low, high, best, tuple(others))


def designs(model: FittedPipeline, space: DesignSpace, ranks: IntArray) -> tuple[Design, ...]:
    """Return designs with their predictions, in the order given."""
    codes = space.codes(np.asarray(ranks, dtype=np.int64))
    said = model.predict(columns_of(model, space).rows(codes))
    rows = zip(np.asarray(ranks).tolist(), space.texts(codes), said.value, said.low, said.high, said.why, strict=True)
    return tuple(Design(rank, point, float(v), float(lo), float(hi), why) for rank, point, v, lo, hi, why in rows)


def point_values(space: DesignSpace, design: Design) -> Mapping[str, Level]:
    """Return a design's parameters by name."""
    return dict(zip(space.names, design.point, strict=True))


def _told(blocks: Iterator[Block], space: DesignSpace, progress: Progress) -> Iterator[Block]:
    """Yield blocks and tell how far they are."""
    done = 0
    for block in blocks:
        progress(min(done / space.n_combinations, 1.0), f"{done:,} designs")
        done += len(block)
        yield block
    progress(1.0, f"{done:,} designs")


def _limited(
    block: Block, wishes: Wishes, asked: Mapping[str, FittedPipeline]
) -> tuple[tuple[FloatArray, ...], Callable[[IntArray], IntArray]]:
    """Return what models say of a block's points that break no limit, and what gives their ranks."""
    if not wishes.limits:
        return block.values, block.ranks
    values: dict[str, Any] = {}
    if any(name in wishes.space.names for limit in wishes.limits for name in limit.names):
        values |= wishes.space.values(wishes.space.codes(block.ranks(np.arange(len(block), dtype=np.int64))))
    for (name, model), own in zip(asked.items(), block.values, strict=True):
        values[name] = model.scale.inverse(own)
    places = np.flatnonzero(wishes.fulfilled(values, len(block)))
    return tuple(own[places] for own in block.values), lambda wanted: block.ranks(places[wanted])


def _finite(values: FloatArray) -> bool:
    """Whether all are finite, found out without an array: one that is not makes the sum so."""
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(values.sum()))


_MOST_CELLS = 1 << 22
"""Cells of the largest table that is made on the way."""


def best_design(model: FittedPipeline, space: DesignSpace, sense: str = LOW) -> Design | None:
    """Return the best allowed design; None if the model is no sum of tables, or elimination takes too large tables.

    Where several are equally good it is one of them.

    References
    ----------
    Bertelè, Brioschi 1972, Nonserial Dynamic Programming.
    """
    sums = sum_of(model, space)
    codes = None if sums is None else best_codes(sums, space, sense)
    return None if codes is None else designs(model, space, space.ranks(codes[None]))[0]


def best_codes(sums: Sum, space: DesignSpace, sense: str = LOW) -> IntArray | None:
    """Return the best allowed design by a sum of tables, or None as `best_design` does; also if none is allowed."""
    conditions = _conditions(space)
    if conditions is None:
        return None
    sign = 1.0 if sense == LOW else -1.0
    factors = [Table(t.parameters, sign * t.values) for t in sums.tables]
    factors += [Table((i,), np.where(bad, np.inf, 0.0)) for i, bad in enumerate(sums.refused)]
    return _eliminate([*factors, *conditions], space.shape)


def _conditions(space: DesignSpace) -> list[Table] | None:
    found = []
    for constraint in space.constraints:
        own = tuple(sorted(space.names.index(name) for name in constraint.names))
        part = space.part(own, (constraint,))
        if part.n_combinations > _MOST_CELLS:
            return None
        holds = part.allowed(part.codes(np.arange(part.n_combinations, dtype=np.int64)))
        found.append(Table(own, np.where(holds, 0.0, np.inf).reshape(part.shape)))
    return found


def _eliminate(factors: list[Table], shape: Sequence[int]) -> IntArray | None:
    """Minimise Σ factors: forward remember each parameter's best level per neighbours' levels, then read it back."""
    left = set(range(len(shape)))
    steps: list[tuple[int, tuple[int, ...], IntArray]] = []
    while left:
        chosen = min(left, key=lambda i: (_cells(i, factors, shape), i))
        if _cells(chosen, factors, shape) > _MOST_CELLS:
            return None
        own = [f for f in factors if chosen in f.parameters]
        around = tuple(sorted({i for f in own for i in f.parameters} - {chosen}))
        joined = _joined(own, (*around, chosen), shape)
        steps.append((chosen, around, np.asarray(joined.argmin(axis=-1), dtype=np.int64)))
        factors = [f for f in factors if chosen not in f.parameters] + [Table(around, joined.min(axis=-1))]
        left.remove(chosen)
    if not np.isfinite(sum(float(f.values) for f in factors)):
        return None
    codes = np.zeros(len(shape), dtype=np.int64)
    for chosen, around, best in reversed(steps):
        codes[chosen] = best[tuple(codes[i] for i in around)]
    return codes


def _cells(i: int, factors: Sequence[Table], shape: Sequence[int]) -> int:
    around = {k for f in factors if i in f.parameters for k in f.parameters} | {i}
    return int(np.prod([float(shape[k]) for k in around]))


def _joined(factors: Sequence[Table], order: tuple[int, ...], shape: Sequence[int]) -> FloatArray:
    total = np.zeros([shape[i] for i in order])
    for f in factors:
        places = [order.index(i) for i in f.parameters]
        wide = np.ones(len(order), dtype=np.int64)
        wide[places] = [shape[i] for i in f.parameters]
        total += f.values.transpose(np.argsort(places)).reshape(wide)
    return total
