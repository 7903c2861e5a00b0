"""One design of a space as numbers of levels and as texts, and one to begin with."""

from collections.abc import Mapping

import numpy as np

from core.codec import IntArray
from core.space._allowed import allowed_points
from core.space.design_space import DesignSpace
from core.space.plan import shown

Point = tuple[int, ...]
"""Per parameter, the number of its level."""


def middle_point(space: DesignSpace) -> Point:
    """Return a design near the middle of every parameter that fulfils the constraints, if that is easily found."""
    codes = np.array([[(n - 1) // 2 for n in space.shape]], dtype=np.int64)
    if not space.allowed(codes)[0]:
        codes = allowed_points(space).at(np.full((1, len(space.shape)), 0.5))
    return point(codes[0])


def start_levels(space: DesignSpace) -> dict[str, str]:
    """Return a design to begin with, as texts by parameter: near the middle, and allowed if that is easily found."""
    return texts_of(space, middle_point(space))


def texts_of(space: DesignSpace, point: Point) -> dict[str, str]:
    """Return a point as texts by parameter."""
    return {p.name: shown(p.levels[code]) for p, code in zip(space.parameters, point, strict=True)}


def point_of_texts(space: DesignSpace, texts: Mapping[str, str]) -> Point | None:
    """Return the point that texts by parameter mean; None if one is missing or no level."""
    found = []
    for parameter in space.parameters:
        levels = [shown(level) for level in parameter.levels]
        if texts.get(parameter.name) not in levels:
            return None
        found.append(levels.index(texts[parameter.name]))
    return tuple(found)


def point(codes: IntArray) -> Point:
    """Return a row of codes as a point."""
    return tuple(int(code) for code in codes)
