"""All allowed points of a space with what models say of them, block by block, and which lie in the models' domain."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.pipeline import FittedPipeline
from core.space._constraints import Constraint
from core.space._halves import Factors, Half, best_split, factor, make_half
from core.space.columns import Reach, columns_of, reach_of
from core.space.design_space import DesignSpace, blocks
from core.space.sums import Sum, sum_of
from core.validate.domain import Domain


class Inside(Frozen):
    """Which points lie in the domain of all models.

    Attributes
    ----------
    outside : per parameter, the levels that leave the range of a model, or that a sum of tables refuses
    reaches : of the models whose leverage may leave the trained one somewhere in the space
    """

    outside: tuple[BoolArray, ...]
    reaches: tuple[Reach, ...]

    def of(self, codes: IntArray) -> BoolArray:
        """Return which points, codes of shape (n, n_parameters), lie inside."""
        found = self.levels(codes, range(len(self.outside)))
        for reach in self.reaches:
            scores = reach.coordinates(codes, range(len(self.outside)))
            found &= ~reach.domain.too_far(np.square(scores).sum(axis=1))
        return found

    def levels(self, codes: IntArray, parameters: Sequence[int]) -> BoolArray:
        """Return which points have no level outside, from codes of some parameters."""
        found = np.ones(len(codes), dtype=bool)
        for i, own in zip(parameters, codes.T, strict=True):
            found &= ~self.outside[i][own]
        return found


def inside_of(
    models: Sequence[FittedPipeline], space: DesignSpace, refused: Sequence[Sequence[BoolArray]] = ()
) -> Inside:
    """Return what lies inside the domain of all of some models.

    Parameters
    ----------
    refused : further levels, per parameter, at which nothing is predicted
    """
    columns = [columns_of(model, space) for model in models]
    outside = [*refused, *(own.outside(model, space) for model, own in zip(models, columns, strict=True))]
    reaches = (reach_of(model, own, space) for model, own in zip(models, columns, strict=True))
    levels = tuple(np.any(bad, axis=0) for bad in zip(*outside, strict=True))
    return Inside(levels, tuple(reach for reach in reaches if reach is not None and reach.may_leave))


class Halves:
    """Inside or not, over the products of two halves of the parameters."""

    def __init__(self, inside: Inside, a: Half, b: Half) -> None:
        self.a, self.b = (inside.levels(half.codes, half.parameters) for half in (a, b))
        self.reaches = [
            _Product(r.domain, *(r.coordinates(half.codes, half.parameters) for half in (a, b))) for r in inside.reaches
        ]

    def count(self, rows: slice, keep: BoolArray | None = None) -> int:
        """Return how many points of some rows of A with all of B lie inside, of those to keep, shape (n_rows, n_B)."""
        if not self.reaches and keep is None:
            return int(self.a[rows].sum()) * int(self.b.sum())
        found = self.a[rows, None] & self.b
        for reach in self.reaches:
            reach.strike(found, rows)
        return int((found if keep is None else found & keep).sum())


class _Product:
    """|a + b|² over two halves, asked only for the rows of A for which it is in doubt."""

    def __init__(self, domain: Domain, a: FloatArray, b: FloatArray) -> None:
        self.domain = domain
        own, other = np.square(a).sum(axis=1), np.square(b).sum(axis=1)
        longest = np.sqrt(other.max(initial=0.0))
        self.doubtful = domain.too_far((np.sqrt(own) + longest) ** 2)
        self.left = np.column_stack([2 * a, own, np.ones(len(a))])
        self.right = np.ascontiguousarray(np.column_stack([b, np.ones(len(b)), other]).T)

    def strike(self, found: BoolArray, rows: slice) -> None:
        """Set to False what is too far."""
        doubtful = np.flatnonzero(self.doubtful[rows])
        if len(doubtful):
            found[doubtful] &= ~self.domain.too_far(self.left[rows][doubtful] @ self.right)


_CELLS = 1 << 18
"""Points of a block of products; two megabytes, which a cache holds."""
_ROWS = 1 << 16
"""Points of a block that a model predicts row by row."""
_TABLED = 1 << 22


class Block(Frozen):
    """Some points; the arrays are only good until the next block is asked for.

    Attributes
    ----------
    values : per model, array of shape (n,) on its scale, NaN where it gives no prediction
    ranks : gives the ranks of some places of the block
    n_inside : how many points lie in the domain of all models
    """

    values: tuple[FloatArray, ...]
    ranks: Callable[[IntArray], IntArray]
    n_inside: int

    def __len__(self) -> int:
        return len(self.values[0])


def score_blocks(models: Sequence[FittedPipeline], space: DesignSpace, *, exact: bool = False) -> Iterator[Block]:
    """Yield every allowed point once, with what each model says of it.

    Where all models are sums of terms of few parameters the space is a product of two halves and
    scored by one matrix product per block; else points are predicted row by row.

    Parameters
    ----------
    exact : row by row in any case
    """
    sums = [] if exact else [sum_of(model, space) for model in models]
    if sums and all(one is not None for one in sums):
        known = [one for one in sums if one is not None]
        return by_halves(known, space, inside_of(models, space, [one.refused for one in known]))
    return _by_rows(models, space, inside_of(models, space))


def by_halves(sums: Sequence[Sum], space: DesignSpace, inside: Inside) -> Iterator[Block]:
    """Yield blocks of the products of two halves of the parameters."""
    chosen = best_split(sums, space)
    others = [i for i in range(len(space.shape)) if i not in chosen]
    a, b = (_alone(make_half(space, own), space) for own in (chosen, others))
    if not len(a.ranks) or not len(b.ranks):
        return
    factors = [factor(one, a, b) for one in sums]
    across = [
        _Across(c, space, a, b) for c in space.constraints if not _within(c, space, a) and not _within(c, space, b)
    ]
    within = Halves(inside, a, b)
    step = max(1, _CELLS // len(b.ranks))
    buffers = [np.empty((min(step, len(a.ranks)), len(b.ranks))) for _ in sums]
    for start in range(0, len(a.ranks), step):
        rows = slice(start, min(start + step, len(a.ranks)))
        scored = [_product(f, rows, buffer) for f, buffer in zip(factors, buffers, strict=True)]
        if not across:
            yield Block(tuple(scored), _ranks(a, b, rows), within.count(rows))
            continue
        keep = reduce(np.logical_and, (one.holds(rows) for one in across))
        n_inside = within.count(rows, keep)
        places = np.flatnonzero(keep.ravel())
        if len(places):
            yield Block(tuple(v[places] for v in scored), _ranks(a, b, rows, places), n_inside)


def _by_rows(models: Sequence[FittedPipeline], space: DesignSpace, inside: Inside) -> Iterator[Block]:
    columns = [columns_of(model, space) for model in models]
    for ranks in blocks(space.n_combinations, _ROWS):
        codes = space.codes(ranks)
        keep = space.allowed(codes)
        codes, kept = codes[keep], ranks[keep]
        if not len(codes):
            continue
        said = [m.scaled_and_beyond(c.rows(codes)) for m, c in zip(models, columns, strict=True)]
        values, beyond = zip(*said, strict=True)
        n_inside = int((inside.of(codes) & np.isfinite(values[0]) & ~np.any(beyond, axis=0)).sum())
        yield Block(values, kept.__getitem__, n_inside)


def _product(factors: Factors, rows: slice, buffer: FloatArray) -> FloatArray:
    found: FloatArray = np.matmul(factors.left[rows], factors.right, out=buffer[: rows.stop - rows.start])
    return found.reshape(-1)


def _ranks(a: Half, b: Half, rows: slice, places: IntArray | None = None) -> Callable[[IntArray], IntArray]:
    def ranks(wanted: IntArray) -> IntArray:
        row, column = np.divmod(wanted if places is None else places[wanted], len(b.ranks))
        return np.asarray(a.ranks[rows.start + row] + b.ranks[column])

    return ranks


def _within(constraint: Constraint, space: DesignSpace, half: Half) -> bool:
    return {space.names.index(name) for name in constraint.names} <= set(half.parameters)


def _alone(half: Half, space: DesignSpace) -> Half:
    """Return a half without the combinations that constraints on its own parameters forbid."""
    part = space.part(half.parameters)
    return half.take(part.allowed(half.codes)) if part.constraints else half


class _Across:
    """A constraint on parameters of both halves, as a table over their levels where that is small enough."""

    def __init__(self, constraint: Constraint, space: DesignSpace, a: Half, b: Half) -> None:
        self.space, self.a, self.b = space, a, b
        own = sorted(space.names.index(name) for name in constraint.names)
        self.left, self.right = ([i for i in own if i in half.parameters] for half in (a, b))
        self.part = space.part((*self.left, *self.right), (constraint,))
        n_right = int(np.prod([space.shape[i] for i in self.right]))
        self.index_a, self.index_b = (half.joint(own, space.shape) for half, own in ((a, self.left), (b, self.right)))
        self.table = None
        if self.part.n_combinations <= _TABLED:
            every = self.part.codes(np.arange(self.part.n_combinations, dtype=np.int64))
            self.table = self.part.allowed(every).reshape(-1, n_right)
        self.n_right = n_right

    def holds(self, rows: slice) -> BoolArray:
        """Return where it holds in a block, shape (n_rows, n_B)."""
        left = self.index_a[rows]
        if self.table is not None:
            return self.table[left][:, self.index_b]
        ranks = (left[:, None] * self.n_right + self.index_b).ravel()
        return self.part.allowed(self.part.codes(ranks)).reshape(len(left), -1)
