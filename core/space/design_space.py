"""Design spaces: parameters with their levels, constraints between them, and points as codes of levels."""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.space._constraints import Constraint

Level = float | str

_LARGEST = 2**62
_BLOCK = 1 << 20


class Parameter(Frozen):
    """A parameter of a design and the levels it can have.

    Attributes
    ----------
    levels : numbers in ascending order, or the names of categories
    """

    name: str
    levels: tuple[Level, ...]
    unit: str = ""

    @property
    def categorical(self) -> bool:
        """Whether the levels are names."""
        return isinstance(self.levels[0], str)

    @property
    def numbers(self) -> FloatArray:
        """The levels as numbers; those of a category are 0, 1, 2 and so on."""
        if self.categorical:
            return np.arange(len(self.levels), dtype=np.float64)
        return np.array(self.levels, dtype=np.float64)

    def places(self, values: Sequence[Level] | FloatArray) -> tuple[IntArray, BoolArray]:
        """Return the codes of values, of numbers the nearest, and which are levels (numbers but for rounding)."""
        if self.categorical:
            place = {level: i for i, level in enumerate(self.levels)}
            found = np.array([place.get(value, -1) for value in values], dtype=np.int64)
            return np.maximum(found, 0), found >= 0
        numbers, levels = np.asarray(values, dtype=np.float64), self.numbers
        order = np.argsort(levels)
        right = np.clip(np.searchsorted(levels[order], numbers), 1, max(len(levels) - 1, 1))
        low, high = order[right - 1], order[np.minimum(right, len(levels) - 1)]
        found = np.where(np.abs(numbers - levels[low]) <= np.abs(numbers - levels[high]), low, high).astype(np.int64)
        return found, np.abs(numbers - levels[found]) <= 1e-9 * np.maximum(1.0, np.abs(levels[found]))

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


class DesignSpace(Frozen):
    """All combinations of the parameters' levels that fulfil the constraints.

    A point is an array of codes, the number of each parameter's level; its rank is the number of
    the combination, the last parameter varying fastest, constraints not counted.

    Attributes
    ----------
    constraints : conditions on the parameters, such as "block_x * block_y <= 1024"
    """

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...] = ()
    name: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(p.name for p in self.parameters)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each parameter has."""
        return tuple(len(p.levels) for p in self.parameters)

    @property
    def n_combinations(self) -> int:
        """How many combinations of levels there are, constraints not counted."""
        return math.prod(self.shape)

    @cached_property
    def n_points(self) -> int:
        """How many combinations fulfil the constraints.

        Parameters that no constraint ties together are counted apart and multiplied, so only
        those that are tied together are enumerated.

        Raises
        ------
        OptionError
            If more than 100 million combinations would have to be enumerated.
        """
        total = 1
        for group in self._tied():
            total *= self._count(group)
        return total

    def part(self, own: Sequence[int], constraints: Sequence[Constraint] | None = None) -> "DesignSpace":
        """Return the space of some parameters, with these constraints or those that name no other parameters."""
        names = {self.names[i] for i in own}
        held = [c for c in self.constraints if {*c.names} <= names] if constraints is None else constraints
        return DesignSpace(tuple(self.parameters[i] for i in own), tuple(held))

    def codes(self, ranks: IntArray) -> IntArray:
        """Return the points of some ranks, array of shape (n, n_parameters)."""
        found = np.empty((len(ranks), len(self.shape)), dtype=np.int64)
        rest = np.asarray(ranks, dtype=np.int64)
        for j in range(len(self.shape) - 1, -1, -1):
            rest, found[:, j] = np.divmod(rest, self.shape[j])
        return found

    def around(self, codes: IntArray, own: Sequence[int]) -> IntArray:
        """Return a point with all combinations of some parameters' levels, the last varying fastest, codes of each."""
        part = self.part(own, ())
        found = np.tile(np.asarray(codes, dtype=np.int64), (part.n_combinations, 1))
        found[:, list(own)] = part.codes(np.arange(part.n_combinations, dtype=np.int64))
        return found

    def ranks(self, codes: IntArray) -> IntArray:
        """Return the ranks of points."""
        found = np.zeros(len(codes), dtype=np.int64)
        for j, size in enumerate(self.shape):
            found = found * size + codes[:, j]
        return found

    def numbers(self, codes: IntArray) -> FloatArray:
        """Return points in the parameters' own units (a category's number), array of shape (n, n_parameters)."""
        return np.column_stack([p.numbers[codes[:, j]] for j, p in enumerate(self.parameters)])

    def texts(self, codes: IntArray) -> list[tuple[Level, ...]]:
        """Return points as people write them."""
        return [tuple(p.levels[c] for p, c in zip(self.parameters, row, strict=True)) for row in codes.tolist()]

    def encode(self, points: Sequence[Sequence[Level]]) -> IntArray:
        """Return the codes of points given as levels.

        Raises
        ------
        OptionError
            If a value is no level of its parameter.
        """
        places = [{_plain(level): i for i, level in enumerate(p.levels)} for p in self.parameters]
        codes = np.empty((len(points), len(self.parameters)), dtype=np.int64)
        for i, point in enumerate(points):
            for j, (value, place) in enumerate(zip(point, places, strict=True)):
                if _plain(value) not in place:
                    p = self.parameters[j]
                    known = ", ".join(str(short(level)) for level in p.levels[:12])
                    raise OptionError(f"'{value}' is no level of {p.name}; there are: {known}.")
                codes[i, j] = place[_plain(value)]
        return codes

    def allowed(self, codes: IntArray) -> BoolArray:
        """Return which points fulfil all constraints."""
        keep = np.ones(len(codes), dtype=bool)
        if self.constraints:
            values = self.values(codes)
            for constraint in self.constraints:
                keep &= constraint.holds(values, len(codes))
        return keep

    def values(self, codes: IntArray) -> Mapping[str, FloatArray | npt.NDArray[np.str_]]:
        """Return each parameter's values at points, by name, as formulas take them."""
        found: dict[str, FloatArray | npt.NDArray[np.str_]] = {}
        for j, p in enumerate(self.parameters):
            found[p.name] = np.array(p.levels)[codes[:, j]] if p.categorical else p.numbers[codes[:, j]]
        return found

    def _tied(self) -> list[tuple[int, ...]]:
        """Return the parameters in groups that constraints tie together."""
        owner = list(range(len(self.parameters)))
        for constraint in self.constraints:
            tied = [self.names.index(name) for name in constraint.names]
            merged = {owner[i] for i in tied}
            owner = [min(merged) if o in merged else o for o in owner]
        return [tuple(i for i, o in enumerate(owner) if o == g) for g in dict.fromkeys(owner)]

    def _count(self, group: tuple[int, ...]) -> int:
        part = self.part(group)
        if not part.constraints:
            return part.n_combinations
        if part.n_combinations > 100_000_000:
            raise OptionError(
                f"The constraints tie {', '.join(part.names)} together: {part.n_combinations:,} combinations; "
                "at most 100 million can be counted. Split the constraints, or use fewer levels."
            )
        return sum(int(part.allowed(part.codes(ranks)).sum()) for ranks in blocks(part.n_combinations))


def blocks(n: int, size: int = _BLOCK) -> Iterator[IntArray]:
    """Yield the numbers 0 to n - 1 in blocks."""
    for start in range(0, n, size):
        yield np.arange(start, min(start + size, n), dtype=np.int64)


def make_space(parameters: Sequence[Parameter], constraints: Sequence[str] = (), name: str = "") -> DesignSpace:
    """Return a design space, checked.

    Raises
    ------
    OptionError
        If a name or a level is there twice, a parameter has no levels, a constraint cannot be read
        or names an unknown parameter, or no point fulfils the constraints.
    """
    _check_parameters(parameters)
    names = tuple(p.name for p in parameters)
    space = DesignSpace(tuple(parameters), tuple(Constraint.parse(text, names) for text in constraints), name)
    if space.n_combinations > _LARGEST:
        raise OptionError(
            f"The design space has {Decimal(space.n_combinations):.3g} combinations; at most 4.6e18 can be numbered."
        )
    return space


def _check_parameters(parameters: Sequence[Parameter]) -> None:
    if not parameters:
        raise OptionError("A design space needs at least one parameter.")
    names = [p.name for p in parameters]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"Parameter '{name}' is there twice.")
    for p in parameters:
        if not p.levels:
            raise OptionError(f"Parameter '{p.name}' has no levels.")
        if len({isinstance(level, str) for level in p.levels}) > 1:
            raise OptionError(f"Parameter '{p.name}' mixes numbers and names: {p.levels[:6]}. Quote all, or none.")
        if len(set(p.levels)) < len(p.levels):
            raise OptionError(f"Parameter '{p.name}' has a level twice.")
        if not p.categorical and not np.isfinite(p.numbers).all():
            raise OptionError(f"Parameter '{p.name}' has a level that is no finite number.")


def _plain(level: Level) -> Level:
    return level if isinstance(level, str) else float(level)


def short(level: Level) -> Level:
    """Return a level as short as it can be written: a whole number without a point."""
    return int(level) if isinstance(level, float) and level.is_integer() else level
