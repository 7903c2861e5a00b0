"""Candidate rules: conditions on two to four parameters that every measured combination fulfils and others do not."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import permutations

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen
from core.space.design_space import Level, Parameter
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


LEAST_EXPECTED = 3.0
"""Trials that would be expected where there are none, at least, for a rule to be looked at."""
_FEW, _TWO = 6, 2
"""Levels up to which a parameter may be the switch of a conditional rule: on two others, on three and more."""


class Rule(Frozen):
    """A condition and what it forbids.

    Attributes
    ----------
    text : the condition, in the grammar of constraints
    group : the numbers of its parameters
    forbidden : array of one axis per parameter of the group
    """

    text: str
    group: tuple[int, ...]
    forbidden: BoolArray


class Table(Frozen):
    """Some parameters and their combinations, arrays of one axis per parameter.

    Attributes
    ----------
    seen : which were measured
    expected : how many trials would have each, were the parameters varied on their own
    """

    parameters: tuple[Parameter, ...]
    group: tuple[int, ...]
    seen: BoolArray
    expected: FloatArray

    @property
    def may_have_rules(self) -> bool:
        """Whether enough trials would be expected where there are none."""
        return float(self.expected[~self.seen].sum()) >= LEAST_EXPECTED

    def values(self) -> list[FloatArray]:
        """Return each parameter's levels along its own axis."""
        return list(np.meshgrid(*(p.numbers for p in self.parameters), indexing="ij", sparse=True))


def rules_of(table: Table) -> Iterator[Rule]:
    """Yield the rules that a table's measured combinations fulfil, of those that need all its parameters."""
    if not table.may_have_rules:
        return
    numeric = not any(p.categorical for p in table.parameters)
    if numeric:
        yield from _bounds(table)
    if len(table.parameters) == 2:
        yield from _rectangles(table)
    if len(table.parameters) <= 3 and whole(table.parameters):
        yield from _divisibilities(table)
    if len(table.parameters) == 2 and numeric and min(table.seen.shape) > 2:
        yield from _comparisons(table)
    if len(table.parameters) > 2:
        yield from _conditional(table)


def _rule(table: Table, text: str, forbidden: BoolArray) -> Iterator[Rule]:
    """Yield the rule if it forbids nothing that was measured, and something that would be expected."""
    if not (forbidden & table.seen).any() and float(table.expected[forbidden].sum()) >= LEAST_EXPECTED:
        yield Rule(text, table.group, forbidden)


def _bounds(table: Table) -> Iterator[Rule]:
    names, values = [p.name for p in table.parameters], table.values()
    if all((p.numbers > 0).all() for p in table.parameters):
        yield from _bounded(table, " * ".join(names), reduce(np.multiply, values))
    yield from _bounded(table, " + ".join(names), reduce(np.add, values))


def _bounded(table: Table, text: str, value: FloatArray) -> Iterator[Rule]:
    """Yield the upper and the lower bound of an expression, at the roundest number that says the same."""
    low, high = float(value[table.seen].min()), float(value[table.seen].max())
    if (value > high).any():
        yield from _rule(table, f"{text} <= {_round(high, float(value[value > high].min()))}", value > high)
    if (value < low).any():
        yield from _rule(table, f"{text} >= {_round(low, float(value[value < low].max()))}", value < low)


def _round(bound: float, beyond: float) -> str:
    """Return the bound, or a power of two between it and what lies beyond."""
    low, high = min(bound, beyond), max(bound, beyond)
    if low > 0 and bound.is_integer():
        power = 2.0 ** np.floor(np.log2(high)) if bound < beyond else 2.0 ** np.ceil(np.log2(low))
        if low < power < high or power == bound:
            return written(float(power))
    return written(bound)


def _comparisons(table: Table) -> Iterator[Rule]:
    a, b = (p.name for p in table.parameters)
    x, y = table.values()
    broken = {"==": x != y, "<": x >= y, "<=": x > y, ">": x <= y, ">=": x < y, "!=": x == y}
    for sign, forbidden in broken.items():
        yield from _rule(table, f"{a} {sign} {b}", forbidden)


def _divisibilities(table: Table) -> Iterator[Rule]:
    names, values = [p.name for p in table.parameters], table.values()
    for first, *rest in permutations(range(len(names))):
        if len(rest) == 1:
            yield from _rule(table, f"{names[first]} % {names[rest[0]]} == 0", values[first] % values[rest[0]] != 0)
        elif rest[0] < rest[1]:
            product, text = values[rest[0]] * values[rest[1]], f"({names[rest[0]]} * {names[rest[1]]})"
            yield from _rule(table, f"{names[first]} % {text} == 0", values[first] % product != 0)
            yield from _rule(table, f"{text} % {names[first]} == 0", product % values[first] != 0)
            yield from _rule(table, f"{text[1:-1]} <= {names[first]}", product > values[first])
            yield from _rule(table, f"{text[1:-1]} >= {names[first]}", product < values[first])


def _rectangles(table: Table) -> Iterator[Rule]:
    """Yield forbidden pairs of sets of levels, where each set is one comparison."""
    known = set()
    for flip in (False, True):
        seen = table.seen.T if flip else table.seen
        first, second = table.parameters[::-1] if flip else table.parameters
        row: BoolArray
        for row in np.unique(seen, axis=0):
            rows: BoolArray = np.logical_not(np.any(seen[:, ~row], axis=1))
            columns: BoolArray = ~row
            # a rectangle that leaves one level of either: one factor varied at a time, which is no constraint
            single = all(len(chosen) > 2 and chosen.sum() == len(chosen) - 1 for chosen in (rows, columns))
            if row.all() or not row.any() or rows.all() or single:
                continue
            forbidden = np.outer(columns, rows) if flip else np.outer(rows, columns)
            allowed = condition(first, ~rows), condition(second, row)
            long = any(" or " in text or " and " in text for text in allowed)
            if not long and forbidden.tobytes() not in known:
                known.add(forbidden.tobytes())
                yield from _rule(table, " or ".join(allowed[::-1] if flip else allowed), forbidden)


def _conditional(table: Table) -> Iterator[Rule]:
    """Yield the rules on all but one parameter that hold at some levels of that one."""
    for axis, switch in enumerate(table.parameters):
        others = tuple(i for i in range(len(table.parameters)) if i != axis)
        for there in _level_sets(switch, _FEW if len(others) == 2 else _TWO):
            seen: BoolArray = np.any(table.seen.compress(there, axis=axis), axis=axis)
            part = Table(
                tuple(table.parameters[i] for i in others),
                tuple(table.group[i] for i in others),
                seen,
                table.expected.compress(there, axis=axis).sum(axis=axis),
            )
            if not part.seen.any():
                continue
            for rule in rules_of(part) if len(others) == 2 else _plain_bounds(part):
                forbidden = np.moveaxis(np.logical_and.outer(there, rule.forbidden), 0, axis)
                yield Rule(f"{condition(switch, ~there)} or {rule.text}", table.group, forbidden)


def _level_sets(switch: Parameter, most: int) -> Iterator[BoolArray]:
    """Yield the levels at which a conditional rule may hold: one, all but one, and the ends of an order."""
    n, known = len(switch.levels), set()
    if n > most:
        return
    places = np.arange(n)
    ends = () if switch.categorical else (*(places < k for k in range(1, n)), *(places >= k for k in range(1, n)))
    for chosen in (*(places == k for k in range(n)), *(places != k for k in range(n)), *ends):
        if chosen.tobytes() not in known and chosen.any():
            known.add(chosen.tobytes())
            yield chosen


def _plain_bounds(table: Table) -> Iterator[Rule]:
    if table.may_have_rules and not any(p.categorical for p in table.parameters):
        yield from _bounds(table)
