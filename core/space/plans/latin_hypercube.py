"""Latin hypercube: every level of every parameter is there as often as it can be."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import qmc

from core.codec import FloatArray, IntArray
from core.option import option
from core.progress import Progress, silent
from core.space.design_space import DesignSpace
from core.space.plans._spread import snapped
from core.space.plans.base import Evidence, PlanMethod

TRIES = 200
"""Swaps that are tried for each point that is there already."""


@dataclass(frozen=True)
class LatinHypercube(PlanMethod):
    """Every level of a parameter is there as often as any other, but for one where n is no multiple of them.

    Where constraints tie parameters, each coordinate's range is cut into n parts over what they allow, and each part
    is used once; the next of the sequence stand in for points that are there already.

    References
    ----------
    McKay, Beckman, Conover 1979, A comparison of three methods for selecting values of input variables.
    """

    label: ClassVar[str] = "Latin hypercube"

    centred: bool = option(
        False,
        label="Centred",
        expert=True,
        help="Levels that are there once more are spread evenly, and points lie in the middle of their parts, instead "
        "of at random",
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points; with constraints the parts are even over what they allow."""
        rng, taken = np.random.default_rng(seed), evidence.taken(space)
        if not space.constraints and n + len(taken) <= space.n_combinations:
            columns = [_levels(size, n, rng, centred=self.centred) for size in space.shape]
            distinct = _told_apart(space, np.column_stack(columns), taken, rng)
            if distinct is not None:
                return distinct

        def cube(m: int) -> FloatArray:
            sampler = qmc.LatinHypercube(len(space.parameters), scramble=not self.centred, rng=rng)
            return sampler.random(m)

        return snapped(space, n, cube, taken, seed)


def _levels(size: int, n: int, rng: np.random.Generator, *, centred: bool) -> IntArray:
    """Return n levels in random order, each n // size times and some of them once more."""
    more = n % size
    extra = (np.arange(more) + 0.5) * size / max(more, 1) if centred else rng.permutation(size)[:more]
    whole = np.repeat(np.arange(size), n // size)
    return rng.permutation(np.concatenate([whole, np.asarray(extra).astype(np.int64)]))


def _told_apart(space: DesignSpace, codes: IntArray, taken: IntArray, rng: np.random.Generator) -> IntArray | None:
    """Return points of which none is there twice or taken, by swaps of one parameter's level between two of them.

    A swap leaves each level as often as it is. None where many swaps do not help, as in a space that is nearly used up.
    """
    ranks = space.ranks(codes).tolist()
    used, again = set(taken.tolist()), []
    for i, rank in enumerate(ranks):
        again += [i] if rank in used else []
        used.add(rank)
    for i in again:
        for _ in range(TRIES):
            k, j = int(rng.integers(len(codes))), int(rng.integers(codes.shape[1]))
            pair = codes[[i, k]]
            pair[:, j] = pair[::-1, j]
            first, second = space.ranks(pair).tolist()
            if first != second and not {first, second} & used:
                used -= set() if k in again else {ranks[k]}
                codes[[i, k]], ranks[i], ranks[k] = pair, first, second
                used |= {first, second}
                break
    whole = np.concatenate([np.array(ranks, dtype=np.int64), taken])
    return codes if len(np.unique(whole)) == len(codes) + len(np.unique(taken)) else None
