"""Sets of levels of one parameter as a condition: one level, all but one, a range, multiples; else a list."""

from collections.abc import Sequence

import numpy as np

from core.space.design_space import BoolArray, Level, Parameter
from core.space.plan import shown

_DIVISORS = (2, 3, 4, 8, 16, 32, 64, 128)


def condition(parameter: Parameter, chosen: BoolArray) -> str:
    """Return the shortest condition that holds at the chosen levels alone, array of shape (n_levels,)."""
    places = np.flatnonzero(chosen)
    others = np.flatnonzero(~chosen)
    if len(places) == 1:
        return f"{parameter.name} == {written(parameter.levels[places[0]])}"
    if len(others) == 1:
        return f"{parameter.name} != {written(parameter.levels[others[0]])}"
    if not parameter.categorical:
        text = _ordered(parameter, places, len(chosen)) or _multiples(parameter, chosen)
        if text:
            return text
    if len(others) < len(places):
        return " and ".join(f"{parameter.name} != {written(parameter.levels[i])}" for i in others)
    return "(" + " or ".join(f"{parameter.name} == {written(parameter.levels[i])}" for i in places) + ")"


def is_short(text: str) -> bool:
    """Return whether a condition is one comparison."""
    return " or " not in text and " and " not in text


def written(level: Level) -> str:
    """Return a level as the constraints' grammar writes it."""
    return repr(level) if isinstance(level, str) else shown(level)


def whole(parameters: Sequence[Parameter]) -> bool:
    """Return whether all levels are whole numbers above 0."""
    return all(not p.categorical and bool(((p.numbers > 0) & (p.numbers % 1 == 0)).all()) for p in parameters)


def _ordered(parameter: Parameter, places: np.ndarray, size: int) -> str:
    if places[-1] - places[0] + 1 != len(places):
        return ""
    first, last = (written(parameter.levels[places[i]]) for i in (0, -1))
    if places[0] == 0:
        return f"{parameter.name} <= {last}"
    return f"{parameter.name} >= {first}" if places[-1] == size - 1 else f"{first} <= {parameter.name} <= {last}"


def _multiples(parameter: Parameter, chosen: BoolArray) -> str:
    if not whole([parameter]):
        return ""
    for divisor in _DIVISORS:
        multiple = parameter.numbers % divisor == 0
        if np.array_equal(multiple, chosen):
            return f"{parameter.name} % {divisor} == 0"
        if np.array_equal(~multiple, chosen):
            return f"{parameter.name} % {divisor} != 0"
    return ""
