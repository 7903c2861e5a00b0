"""What a model says along one parameter, or over two, with the others as in one design."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.space.columns import columns_of
from core.space.design_space import BoolArray, DesignSpace, Level


@dataclass(frozen=True)
class Curve:
    """What a model says along one parameter, the others as in one design.

    Attributes
    ----------
    value, low, high : arrays of shape (n_levels,), in the response's unit; NaN where refused, low
        and high also where the model has no interval
    allowed : which levels the constraints allow beside the others' values
    inside : which lie in the model's trained range
    here : number of the design's own level
    """

    parameter: str
    unit: str
    levels: tuple[Level, ...]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    allowed: BoolArray
    inside: BoolArray
    here: int


@dataclass(frozen=True)
class Surface:
    """What a model says over two parameters, the others as in one design.

    Attributes
    ----------
    value : array of shape (n_levels of the first, n_levels of the second), in the response's unit
    allowed, inside : of the same shape
    """

    first: Curve
    second: Curve
    value: FloatArray
    allowed: BoolArray
    inside: BoolArray


def curve(model: FittedPipeline, space: DesignSpace, parameter: str, point: Sequence[Level]) -> Curve:
    """Return what a model says along one parameter through a design.

    Raises
    ------
    OptionError
        If there is no such parameter, or the design is not on levels.
    """
    j = _number(space, parameter)
    here = space.encode([tuple(point)])[0]
    codes = np.tile(here, (space.shape[j], 1))
    codes[:, j] = np.arange(space.shape[j])
    said = model.predict(columns_of(model, space).rows(codes))
    p = space.parameters[j]
    allowed, inside = space.allowed(codes), np.asarray(said.in_domain, dtype=bool)
    return Curve(p.name, p.unit, p.levels, said.value, said.low, said.high, allowed, inside, int(here[j]))


def curves(model: FittedPipeline, space: DesignSpace, point: Sequence[Level]) -> tuple[Curve, ...]:
    """Return the curves of all parameters through a design."""
    return tuple(curve(model, space, name, point) for name in space.names)


def surface(model: FittedPipeline, space: DesignSpace, first: str, second: str, point: Sequence[Level]) -> Surface:
    """Return what a model says over two parameters through a design.

    Raises
    ------
    OptionError
        If the two are one, there is no such parameter, or the design is not on levels.
    """
    i, j = _number(space, first), _number(space, second)
    if i == j:
        raise OptionError(f"A surface needs two parameters, got '{first}' twice.")
    shape = (space.shape[i], space.shape[j])
    codes = np.tile(space.encode([tuple(point)])[0], (shape[0] * shape[1], 1))
    codes[:, i], codes[:, j] = (grid.ravel() for grid in np.indices(shape))
    said = model.predict(columns_of(model, space).rows(codes))
    ends = (curve(model, space, first, point), curve(model, space, second, point))
    inside = np.asarray(said.in_domain, dtype=bool).reshape(shape)
    return Surface(*ends, said.value.reshape(shape), space.allowed(codes).reshape(shape), inside)


def _number(space: DesignSpace, name: str) -> int:
    if name not in space.names:
        raise OptionError(f"There is no parameter '{name}'; there are: {', '.join(space.names)}.")
    return space.names.index(name)
