"""A whole design space scored: its histogram, its best designs, and how much of it is extrapolated."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.space._blocks import Block, score_blocks
from core.space._reductions import Smallest, StreamedHistogram
from core.space.columns import columns_of
from core.space.design_space import BoolArray, DesignSpace, Level

LOW, HIGH = SENSES = ("low", "high")
MOST_POINTS = 20_000_000_000
"""Combinations up to which a space is scored point by point."""

Watch = Callable[[FloatArray, Callable[[IntArray], IntArray]], None]
"""Called per block with values on the model's scale and the ranks of places; to be used at once."""


@dataclass(frozen=True)
class Design:
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


@dataclass(frozen=True)
class Sweep:
    """A scored design space.

    Attributes
    ----------
    n_points : allowed points
    n_refused : of these, without a prediction
    n_inside : of these, inside the model's trained range; -1 where limits leave designs out
    edges, counts : arrays of shape (n_bins + 1,) and (n_bins,): the histogram, edges in the
        response's unit, bins evenly wide on the model's scale
    best : the best designs, the best first
    smallest, largest : predicted values, NaN if there are none
    """

    n_points: int
    n_refused: int
    n_inside: int
    edges: FloatArray
    counts: IntArray
    best: tuple[Design, ...]
    smallest: float
    largest: float


@dataclass(frozen=True)
class Limit:
    """What another model must say of a design, in its response's unit."""

    model: FittedPipeline
    low: float = -np.inf
    high: float = np.inf

    def holds(self, values: FloatArray) -> BoolArray:
        """Return where values on the model's scale are inside; NaN never is."""
        found = self.model.scale.inverse(values)
        with np.errstate(invalid="ignore"):
            inside: BoolArray = (found >= self.low) & (found <= self.high)
        return inside


def sweep(
    model: FittedPipeline,
    space: DesignSpace,
    *,
    top: int = 20,
    sense: str = LOW,
    limits: Sequence[Limit] = (),
    watch: Watch | None = None,
    exact: bool = False,
    progress: Progress = silent,
) -> Sweep:
    """Score all allowed points of a design space in bounded memory.

    Parameters
    ----------
    top : how many of the best designs to return
    sense : "low" if a low response is good, or "high"
    limits : other models that say which designs are in question; the others are not counted
    exact : predict row by row even where a sum of tables gives the same

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives, or the space is too large.
    """
    check_size(space)
    sign = _sign(sense)
    histogram, smallest = StreamedHistogram(), Smallest(top)
    n_points = n_refused = n_inside = 0
    for block in told(score_blocks([model, *(one.model for one in limits)], space, exact=exact), space, progress):
        values, ranks = _limited(block, limits)
        n_points, n_inside = n_points + len(values), n_inside + block.n_inside
        histogram_values = values if _finite(values) else values[np.isfinite(values)]
        n_refused += len(values) - len(histogram_values)
        histogram.take(histogram_values)
        if top:
            near = np.flatnonzero(sign * values <= smallest.limit)
            smallest.take(sign * values[near], ranks(near))
        if watch is not None:
            watch(values, ranks)
    edges, counts = histogram.shown()
    extremes = np.array([histogram.smallest, histogram.largest]) if histogram.n else np.full(2, np.nan)
    low, high = model.scale.inverse(extremes).tolist()
    best = designs(model, space, smallest.ranks)
    n_inside = n_inside if not limits else -1
    return Sweep(n_points, n_refused, n_inside, model.scale.inverse(edges), counts, best, low, high)


def designs(model: FittedPipeline, space: DesignSpace, ranks: IntArray) -> tuple[Design, ...]:
    """Return designs with their predictions, in the order given."""
    codes = space.codes(np.asarray(ranks, dtype=np.int64))
    said = model.predict(columns_of(model, space).rows(codes))
    rows = zip(np.asarray(ranks).tolist(), space.texts(codes), said.value, said.low, said.high, said.why, strict=True)
    return tuple(Design(rank, point, float(v), float(lo), float(hi), why) for rank, point, v, lo, hi, why in rows)


def point_values(space: DesignSpace, design: Design) -> Mapping[str, Level]:
    """Return a design's parameters by name."""
    return dict(zip(space.names, design.point, strict=True))


def check_size(space: DesignSpace) -> None:
    """Raise OptionError if a space is too large to be scored point by point."""
    if space.n_combinations > MOST_POINTS:
        raise OptionError(
            f"The design space has {space.n_combinations:.3g} combinations; at most {MOST_POINTS:.3g} are scored. "
            "Use fewer levels, or ask for the best design alone."
        )


def told(blocks: Iterator[Block], space: DesignSpace, progress: Progress) -> Iterator[Block]:
    """Yield blocks and tell how far they are."""
    done = 0
    for block in blocks:
        progress(min(done / space.n_combinations, 1.0), f"{done:,} designs")
        done += len(block)
        yield block
    progress(1.0, f"{done:,} designs")


def _limited(block: Block, limits: Sequence[Limit]) -> tuple[FloatArray, Callable[[IntArray], IntArray]]:
    if not limits:
        return block.values[0], block.ranks
    keep = np.ones(len(block), dtype=bool)
    for limit, values in zip(limits, block.values[1:], strict=True):
        keep &= limit.holds(values)
    places = np.flatnonzero(keep)
    return block.values[0][places], lambda wanted: block.ranks(places[wanted])


def _finite(values: FloatArray) -> bool:
    """Whether all are finite, found out without an array: one that is not makes the sum so."""
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(values.sum()))


def _sign(sense: str) -> float:
    if sense not in SENSES:
        raise OptionError(f"The best are those of low or high response, got '{sense}'.")
    return 1.0 if sense == LOW else -1.0
