"""Models that are sums of terms of few parameters, as tables over a space's levels; and any model, quick to ask."""

import string
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.passes.base import FittedPass
from core.pipeline import CLAMP, REFUSE, FittedPipeline
from core.space.columns import NOTHING_FIXED, Columns, Fixed, by_column, columns_of, reach_of
from core.space.design_space import DesignSpace
from core.trial import Metric

_MOST_CELLS = 1 << 22
"""Cells of a term's table; larger ones are no gain."""


class Table(Frozen):
    """A term.

    Attributes
    ----------
    parameters : numbers of the parameters, ascending
    values : array over their levels, finite
    """

    parameters: tuple[int, ...]
    values: FloatArray


class Sum(Frozen):
    """constant + Σ tables, on the model's scale.

    Attributes
    ----------
    tables : at most one per set of parameters
    refused : per parameter, the levels at which the model gives no prediction
    """

    constant: float
    tables: tuple[Table, ...]
    refused: tuple[BoolArray, ...]

    def at(self, codes: IntArray) -> FloatArray:
        """Return the sum at points, NaN where refused."""
        value = np.full(len(codes), self.constant)
        for table in self.tables:
            value += table.values[tuple(codes[:, i] for i in table.parameters)]
        for i, refused in enumerate(self.refused):
            if refused.any():
                value[refused[codes[:, i]]] = np.nan
        return value


def sum_of(model: FittedPipeline, space: DesignSpace, fixed: Fixed = NOTHING_FIXED) -> Sum | None:
    """Return a model as a sum of tables; None if it is none, or a table would be too large.

    It is one if every pass maps each column by itself, and one model of the family splines or anova follows; but
    none where it refuses points because all of their parameters together are too far from the trained centre, or
    holds its predictions within bounds or a range of features.

    Raises
    ------
    OptionError
        If the model has a column that no parameter of the space gives.
    """
    if not by_column(model) or len(model.clusters) != 1 or model.confined:
        return None
    own = model.clusters[0].model
    columns = columns_of(model, space, fixed)
    reach = reach_of(model, columns, space) if model.extrapolation == REFUSE else None
    if reach is not None and reach.may_leave:
        return None
    values = list(columns.tables)
    if model.extrapolation == CLAMP:
        values = [np.clip(v, model.domain.low[j], model.domain.high[j]) for j, v in enumerate(values)]
    for step in model.passes:
        values = _through(step, values)
    tables = own.tables(values, _MOST_CELLS)
    if tables is None:
        return None
    parts = [(tuple(columns.parameters[c] for c in on), table) for on, table in tables[1]]
    found = merged(tables[0], parts, space)
    if model.extrapolation == REFUSE:
        outside = columns.outside(model, space)
        found = replace(found, refused=tuple(a | b for a, b in zip(found.refused, outside, strict=True)))
    return found


def merged(constant: float, parts: Sequence[tuple[tuple[int, ...], FloatArray]], space: DesignSpace) -> Sum:
    """Return the sum of arrays over parameters in any order, a parameter perhaps twice; NaN marks what is refused."""
    gathered: dict[tuple[int, ...], FloatArray] = {}
    refused = tuple(np.zeros(size, dtype=bool) for size in space.shape)
    for axes, values in parts:
        axes, values = _ordered(axes, values)
        bad = ~np.isfinite(values)
        for place, i in enumerate(axes):
            others = tuple(k for k in range(len(axes)) if k != place)
            refused[i][:] |= bad.all(axis=others)
        gathered[axes] = gathered.get(axes, 0.0) + np.where(bad, 0.0, values)
    return Sum(constant, tuple(Table(axes, np.ascontiguousarray(v)) for axes, v in sorted(gathered.items())), refused)


def weighted(sums: Sequence[Sum], weights: Sequence[float], space: DesignSpace) -> Sum:
    """Return the weighted sum of sums, which is one again; what one of them refuses is refused."""
    pairs = list(zip(sums, weights, strict=True))
    parts = [(table.parameters, weight * table.values) for one, weight in pairs for table in one.tables]
    found = merged(sum(weight * one.constant for one, weight in pairs), parts, space)
    refused = [np.any([one.refused[i] for one in sums], axis=0) for i in range(len(space.shape))]
    return replace(found, refused=tuple(refused))


def _ordered(axes: tuple[int, ...], values: FloatArray) -> tuple[tuple[int, ...], FloatArray]:
    """Return an array over ascending parameters; where a parameter is there twice its diagonal is taken."""
    letters = dict(zip(dict.fromkeys(axes), string.ascii_letters, strict=False))
    wanted = tuple(sorted(letters))
    source, target = "".join(letters[i] for i in axes), "".join(letters[i] for i in wanted)
    return wanted, np.einsum(f"{source}->{target}", values)


def _through(step: FittedPass, values: Sequence[FloatArray]) -> list[FloatArray]:
    """Return columns after a pass that maps each by itself."""
    longest = max(len(v) for v in values)
    applied = step.apply(np.column_stack([np.resize(v, longest) for v in values]))
    return [applied[: len(v), j] for j, v in enumerate(values)]


class Surrogate(Frozen):
    """A model that stands for measurements over a whole design space, made quick to ask.

    Attributes
    ----------
    columns : how the model's columns follow from levels
    sums : the model as a sum of tables, None if it is none; then it is asked itself
    """

    model: FittedPipeline
    space: DesignSpace
    columns: Columns
    sums: Sum | None

    def values(self, codes: IntArray) -> FloatArray:
        """Return predictions at points, in the response's unit; NaN where the model gives none."""
        if self.sums is not None:
            return self.model.scale.inverse(self.sums.at(codes))
        return self.model.scale.inverse(self.model.predict_scaled(self.columns.rows(codes)))

    @property
    def response(self) -> Metric:
        """What is predicted."""
        return self.model.response

    def outside(self, codes: IntArray) -> BoolArray:
        """Return which points lie outside the model's domain."""
        return self.model.leaves(self.columns.rows(codes))

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The parameters that have more than one level and that the model looks at."""
        return tuple(i for i, n in enumerate(self.space.shape) if n > 1 and i in self.columns.parameters)

    @cached_property
    def idle(self) -> tuple[str, ...]:
        """The parameters with several levels of which the model is known to make nothing."""
        used = set(self.columns.parameters)
        if self.sums is not None:
            used = {i for table in self.sums.tables if table.values.any() for i in table.parameters}
        pairs = enumerate(zip(self.space.names, self.space.shape, strict=True))
        return tuple(name for i, (name, n) in pairs if n > 1 and i not in used)


def surrogate(model: FittedPipeline, space: DesignSpace, fixed: Fixed = NOTHING_FIXED) -> Surrogate:
    """Return a model over a design space.

    Parameters
    ----------
    fixed : columns that no parameter gives, such as one that tells the application

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives.
    """
    return Surrogate(model, space, columns_of(model, space, fixed), sum_of(model, space, fixed))
