"""How far a model is from its trained centre over a design space, as tables over the parameters' levels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.space.columns import Columns
from core.space.design_space import DesignSpace
from core.validate.domain import Domain


@dataclass(frozen=True)
class Reach:
    """The leverage of a model over a space: |Σ tables|² over the levels of its parameters.

    Attributes
    ----------
    tables : per parameter, array of shape (n_levels, k), what each level adds to the component scores
    """

    domain: Domain
    tables: tuple[FloatArray, ...]

    @property
    def may_leave(self) -> bool:
        """Whether a bound on the leverage over the whole space is beyond the furthest training trial's."""
        high = sum((t.max(axis=0) for t in self.tables), np.zeros(len(self.domain.directions)))
        low = sum((t.min(axis=0) for t in self.tables), np.zeros(len(self.domain.directions)))
        bound = np.square(np.maximum(np.abs(high), np.abs(low))).sum()
        return bool(self.domain.too_far(np.array([bound]))[0])

    def coordinates(self, codes: IntArray, parameters: Sequence[int]) -> FloatArray:
        """Return the component scores that some parameters add, shape (n, k)."""
        found = np.zeros((len(codes), len(self.domain.directions)))
        for place, i in enumerate(parameters):
            found += self.tables[i][codes[:, place]]
        return found


def reach_of(model: FittedPipeline, columns: Columns, space: DesignSpace) -> Reach | None:
    """Return the leverage of a model over a space, None if it knows none."""
    domain = model.domain
    if not domain.knows_leverage:
        return None
    tables = [np.zeros((size, len(domain.directions))) for size in space.shape]
    for j, (parameter, values) in enumerate(zip(columns.parameters, columns.tables, strict=True)):
        tables[parameter] += np.outer(values - domain.centre[j], domain.directions[:, j])
    return Reach(domain, tuple(tables))
