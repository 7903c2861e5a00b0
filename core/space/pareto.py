"""The front of two responses: designs that no other beats in both."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.space._blocks import score_blocks
from core.space._reductions import Front
from core.space.design_space import BoolArray, DesignSpace
from core.space.sweep import LOW, SENSES, Design, check_size, designs, told


@dataclass(frozen=True)
class ParetoFront:
    """The designs of a front, from the best of the first response to the best of the second.

    Attributes
    ----------
    first, second : the same designs as each model sees them
    n_points : allowed designs among which they were found
    """

    first: tuple[Design, ...]
    second: tuple[Design, ...]
    n_points: int

    def __len__(self) -> int:
        return len(self.first)


def pareto_front(
    first: FittedPipeline,
    second: FittedPipeline,
    space: DesignSpace,
    *,
    senses: tuple[str, str] = (LOW, LOW),
    progress: Progress = silent,
) -> ParetoFront:
    """Return the front of two models over all allowed points; of designs equal in both the first is kept.

    Parameters
    ----------
    senses : per response whether "low" or "high" is good

    Raises
    ------
    OptionError
        If a model has a column that no parameter gives, or the space is too large.
    """
    check_size(space)
    if set(senses) - set(SENSES):
        raise OptionError(f"The best are those of low or high response, got {senses}.")
    signs = [1.0 if sense == LOW else -1.0 for sense in senses]
    front, n_points = Front(), 0
    for block in told(score_blocks([first, second], space), space, progress):
        n_points += len(block)
        a, b = (sign * values for sign, values in zip(signs, block.values, strict=True))
        places = np.flatnonzero(_ahead(a, b))
        near = places[front.candidates(a[places], b[places])]
        front.take(a[near], b[near], block.ranks(near))
    return ParetoFront(designs(first, space, front.ranks), designs(second, space, front.ranks), n_points)


def _ahead(a: FloatArray, b: FloatArray) -> BoolArray:
    """Return where points are predicted by both, and not behind the best of a or the best of b in the block."""
    known: BoolArray = np.isfinite(a) & np.isfinite(b)
    if not known.any():
        return known
    i, j = np.argmin(np.where(known, a, np.inf)), np.argmin(np.where(known, b, np.inf))
    ahead: BoolArray = known & (b <= b[i]) & (a <= a[j])
    return ahead
