"""The columns that a model takes, and how far it is from its trained centre, as tables over the parameters' levels."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.models.base import Parts
from core.passes.scales import FittedLog, FittedStandardize
from core.pipeline import FittedPipeline
from core.space.design_space import DesignSpace
from core.trial import Frame
from core.validate.domain import Domain


class Columns(Frozen):
    """How a model's columns follow from codes: each from one parameter.

    Attributes
    ----------
    parameters : per column, the number of its parameter
    tables : per column, its value at each level of that parameter
    """

    parameters: tuple[int, ...]
    tables: tuple[FloatArray, ...]

    def rows(self, codes: IntArray) -> FloatArray:
        """Return what the model takes at points, array of shape (n, n_columns)."""
        found = np.empty((len(codes), len(self.tables)))
        for j, (parameter, table) in enumerate(zip(self.parameters, self.tables, strict=True)):
            found[:, j] = table[codes[:, parameter]]
        return found

    def outside(self, model: FittedPipeline, space: DesignSpace) -> tuple[BoolArray, ...]:
        """Return per parameter which levels lie outside the model's trained range."""
        found = tuple(np.zeros(size, dtype=bool) for size in space.shape)
        room = 1e-9 * (model.domain.high - model.domain.low)
        for j, (parameter, table) in enumerate(zip(self.parameters, self.tables, strict=True)):
            low, high = model.domain.low[j] - room[j], model.domain.high[j] + room[j]
            found[parameter][:] |= (table < low) | (table > high)
        return found


Fixed = Mapping[str, float]
"""Columns that no parameter gives, by name, with the value that they have at every design."""
NOTHING_FIXED: Fixed = {}


def columns_of(model: FittedPipeline, space: DesignSpace, fixed: Fixed = NOTHING_FIXED) -> Columns:
    """Return how a model's columns follow from a space's parameters, matched by name.

    A category is the column of its name, as 0, 1, 2 and so on, or one column `name=level` per level
    that is 1 there and 0 elsewhere; the column of a level that the space leaves out is 0 throughout.
    What is fixed stands as a table over the first parameter, the same at all of its levels; so does what
    the model makes nothing of, at the middle of what it was trained on.

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives, or is of a ratio.
    """
    if model.scale.relative:
        raise OptionError(
            f"The model predicts a ratio to '{model.names[model.reference or 0]}' of the same run, which no design "
            "has. Train one of response_scale log or raw for design spaces."
        )
    fixed = {**idle(model, space), **fixed}
    for name in not_given(space, model):
        if name not in fixed:
            raise OptionError(
                f"The model predicts from '{name}', which is no parameter of the design space; there are: "
                f"{', '.join(space.names)}. Add it to the space, with one level if it is fixed."
            )
    known = _tables(space, model.names)
    known |= {name: (0, np.full(space.shape[0], value)) for name, value in fixed.items()}
    found = [known[name] for name in model.names]
    return Columns(tuple(i for i, _ in found), tuple(table for _, table in found))


def not_given(space: DesignSpace, model: FittedPipeline) -> list[str]:
    """Return the columns that a model looks at and no parameter gives."""
    known = _tables(space, model.names).keys() | idle(model, space).keys()
    return [name for name in model.names if name not in known]


def idle(model: FittedPipeline, space: DesignSpace) -> dict[str, float]:
    """Return the columns that no parameter gives and the model is known to make nothing of, with a trained value."""
    known = _tables(space, model.names)
    lacking = [j for j, name in enumerate(model.names) if name not in known]
    parts = [member.model.parts() for member in model.clusters]
    if not lacking or not by_column(model) or model.reference is not None or None in parts:
        return {}
    used = {column for one in parts if one is not None for column in _looked_at(one)}
    low, high = model.domain.low, model.domain.high
    middle = model.domain.centre if model.domain.knows_leverage else low / 2 + high / 2
    return {model.names[j]: float(middle[j]) for j in lacking if j not in used}


def by_column(model: FittedPipeline) -> bool:
    """Whether every pass maps each column by itself, for all trials alike."""
    return model.partition is None and all(isinstance(step, FittedLog | FittedStandardize) for step in model.passes)


def _looked_at(parts: Parts) -> set[int]:
    """Return the columns that pieces or trees look at."""
    split = {int(column) for tree in parts.trees for column in np.unique(tree.feature)}
    return {column for piece in parts.pieces for column in piece.columns} | split


def rows_of(frame: Frame, space: DesignSpace, codes: IntArray, fixed: Fixed = NOTHING_FIXED) -> FloatArray:
    """Return what a frame's metrics are at points; those that are no parameters, nor fixed, stay at their median."""
    found = np.tile(np.median(frame.X, axis=0), (len(codes), 1))
    for name, (parameter, table) in _tables(space, frame.names).items():
        if name in frame.names:
            found[:, frame.names.index(name)] = table[codes[:, parameter]]
    for name, value in fixed.items():
        found[:, frame.names.index(name)] = value
    return found


def _tables(space: DesignSpace, names: Sequence[str]) -> dict[str, tuple[int, FloatArray]]:
    """Return by column the number of its parameter, and its value at each of that one's levels."""
    known: dict[str, tuple[int, FloatArray]] = {}
    for i, parameter in enumerate(space.parameters):
        known[parameter.name] = (i, parameter.numbers)
        for k, level in enumerate(parameter.levels if parameter.categorical else ()):
            known.setdefault(
                f"{parameter.name}={level}", (i, (np.arange(len(parameter.levels)) == k).astype(np.float64))
            )
    for name in names:
        for i, parameter in enumerate(space.parameters):
            if parameter.categorical and name.startswith(f"{parameter.name}="):
                known.setdefault(name, (i, np.zeros(space.shape[i])))
    return known


class Reach(Frozen):
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
