"""Points that are drawn: at random, as Sobol' or Latin hypercube designs, or as represent the space."""

from collections.abc import Callable

import numpy as np

from core.codec import FloatArray, IntArray
from core.option import option
from core.progress import Progress, silent
from core.space.allowed import allowed_points, check_count, first_places, reference, spread
from core.space.design_space import DesignSpace
from core.space.plans.base import Evidence, PlanMethod

_ROUNDS = 30

Cube = Callable[[int], FloatArray]
"""Called with a number of points; returns the next ones, shape (n, n_parameters)."""


def snapped(space: DesignSpace, n: int, cube: Cube, taken: IntArray, seed: int) -> IntArray:
    """Return the codes of n different allowed points.

    Points that fall on one already there are replaced by the next of the sequence; where a few
    remain missing after many rounds, because the space is nearly used up, they are drawn at random.

    Parameters
    ----------
    taken : ranks of points that are not to be used
    """
    points = allowed_points(space)
    if points.listed:
        check_count(n, points.size, len(taken))
    found = np.empty(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        codes = points.at(cube(n - len(found)))
        ranks = space.ranks(codes if points.listed else codes[space.allowed(codes)])
        ranks = ranks[first_places(ranks, np.concatenate([found, taken]))]
        found = np.concatenate([found, ranks])
        if len(found) >= n:
            return space.codes(found[:n])
    rest = points.draw(n - len(found), np.random.default_rng(seed), np.concatenate([found, taken]))
    return np.vstack([space.codes(found), rest])


CANDIDATES = 3000
"""Points to choose from, or twice as many as are asked for."""
PASSES = 4
"""How often each point is looked at for an exchange."""
TRIES = 200
"""Swaps that are tried for each point that is there already."""


class LatinHypercube(PlanMethod):
    """Every level of a parameter is there as often as any other, but for one where n is no multiple of them.

    Where constraints tie parameters, levels are there as often as exchanges among points drawn from what is allowed
    can make them.

    References
    ----------
    McKay, Beckman, Conover 1979, A comparison of three methods for selecting values of input variables.
    """

    label = "Latin hypercube"

    centred: bool = option(False, label="Centred", expert=True).says(
        "Levels that are there once more are spread evenly in place of at random; not where constraints tie them"
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points."""
        rng, taken = np.random.default_rng(seed), evidence.taken(space)
        if not space.constraints and n + len(taken) <= space.n_combinations:
            columns = [_levels(size, n, rng, centred=self.centred) for size in space.shape]
            distinct = _told_apart(space, np.column_stack(columns), taken, rng)
            if distinct is not None:
                return distinct

        some = allowed_points(space).candidates(n, max(CANDIDATES, 2 * n), seed, taken)
        return some[_evened(some, n)]


def _levels(size: int, n: int, rng: np.random.Generator, *, centred: bool) -> IntArray:
    """Return n levels in random order, each n // size times and some of them once more."""
    more = n % size
    extra = (np.arange(more) + 0.5) * size / max(more, 1) if centred else rng.permutation(size)[:more]
    whole = np.repeat(np.arange(size), n // size)
    return rng.permutation(np.concatenate([whole, np.asarray(extra).astype(np.int64)]))


def _evened(some: IntArray, n: int) -> IntArray:
    """Return which n of some points to take so that levels are there as equally often as exchanges make them.

    A point costs how often its levels are there already, so that the cheapest one adds least to the sum of squares
    of all levels' numbers; then each point that costs more than another is exchanged for it.
    """
    apart = [np.unique(column, return_inverse=True)[1] for column in some.T]
    members = [[np.flatnonzero(own == level) for level in range(own.max() + 1)] for own in apart]
    cost, chosen = np.zeros(len(some)), np.zeros(len(some), dtype=np.bool_)

    def count(point: int, by: int) -> None:
        for own, at in zip(apart, members, strict=True):
            cost[at[own[point]]] += by
        chosen[point] = by > 0

    found: list[int] = []
    for _ in range(n):
        found.append(int(np.where(chosen, np.inf, cost).argmin()))
        count(found[-1], 1)
    for _ in range(PASSES):
        before = list(found)
        for i, point in enumerate(before):
            count(point, -1)
            other = int(np.where(chosen, np.inf, cost).argmin())
            found[i] = other if cost[other] < cost[point] else point
            count(found[i], 1)
        if found == before:
            break
    return np.array(found, dtype=np.int64)


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


class Sobol(PlanMethod):
    """Sobol' sequence; unlike a Latin hypercube it can be continued, or stopped early.

    References
    ----------
    Sobol' 1967; scrambled after Owen 1998, Scrambling Sobol' and Niederreiter-Xing points.
    """

    label = "Sobol'"

    scramble: bool = option(True, label="Scramble", expert=True, help="Shift and shuffle the sequence by the seed")

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return the first n different points of the sequence."""
        from scipy.stats import qmc

        sampler = qmc.Sobol(len(space.parameters), scramble=self.scramble, rng=np.random.default_rng(seed))

        def cube(m: int) -> FloatArray:
            return sampler.random(1 << max(m - 1, 0).bit_length())

        return snapped(space, n, cube, evidence.taken(space), seed)


class Uniform(PlanMethod):
    """Every set of n allowed points is as likely as every other.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 5.1.
    """

    label = "Uniform random"

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points without replacement, in random order."""
        return allowed_points(space).draw(n, np.random.default_rng(seed), evidence.taken(space))


class Representative(PlanMethod):
    """Kernel herding: even in all parameters together, also beside what was measured before and within constraints.

    References
    ----------
    Chen, Welling, Smola 2010, Super-samples from kernel herding.
    """

    label = "Representative"

    candidates: int = option(3000, low=10, high=10000, expert=True).says(
        "Points drawn to choose from; more are more even and take longer"
    )

    def draw(self, space: DesignSpace, n: int, seed: int, evidence: Evidence, progress: Progress = silent) -> IntArray:
        """Return n points; those measured count as chosen already."""
        taken = evidence.taken(space)
        some = allowed_points(space).candidates(n, max(self.candidates, 2 * n), seed, taken)
        return some[spread(space, some, space.codes(taken), n, reference(space))]
