"""Which points of a design space lie in the domain of models, counted without listing them where that is possible."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.space._halves import Half
from core.space.columns import Reach, columns_of, reach_of
from core.space.design_space import BoolArray, DesignSpace
from core.validate.domain import Domain


@dataclass(frozen=True)
class Inside:
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
        found = np.ones(len(codes), dtype=bool)
        for i, bad in enumerate(self.outside):
            found &= ~bad[codes[:, i]]
        for reach in self.reaches:
            scores = reach.coordinates(codes, range(len(self.outside)))
            found &= ~reach.domain.too_far(np.square(scores).sum(axis=1))
        return found


def inside_of(
    models: Sequence[FittedPipeline], space: DesignSpace, refused: Sequence[Sequence[BoolArray]] = ()
) -> Inside:
    """Return what lies inside the domain of all of some models.

    Parameters
    ----------
    refused : further levels, per parameter, at which nothing is predicted
    """
    outside = [np.zeros(size, dtype=bool) for size in space.shape]
    reaches = []
    for model in models:
        columns = columns_of(model, space)
        for i, bad in enumerate(columns.outside(model, space)):
            outside[i] |= bad
        reach = reach_of(model, columns, space)
        if reach is not None and reach.may_leave:
            reaches.append(reach)
    for levels in refused:
        for i, bad in enumerate(levels):
            outside[i] |= bad
    return Inside(tuple(outside), tuple(reaches))


class Halves:
    """Inside or not, over the products of two halves of the parameters."""

    def __init__(self, inside: Inside, a: Half, b: Half) -> None:
        self.a, self.b = (_levels(half, inside.outside) for half in (a, b))
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


def _levels(half: Half, outside: Sequence[BoolArray]) -> BoolArray:
    found = np.ones(len(half.ranks), dtype=bool)
    for place, i in enumerate(half.parameters):
        found &= ~outside[i][half.codes[:, place]]
    return found
