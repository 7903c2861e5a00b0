"""Design spaces as TOML files, and as a table that people fill in: one row per parameter."""

import itertools
import math
import operator
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.codec import toml_quoted
from core.errors import OptionError
from core.space._constraints import as_float
from core.space.design_space import DesignSpace, Level, Parameter, make_space
from core.space.plan import read_levels, shown

_KEYS = {"unit", "levels", "range", "step", "factor", "values"}
_MOST_LEVELS = 100_000


def read_space(text: str, source: str = "The design space") -> DesignSpace:
    """Return the design space that a TOML text describes.

    Each parameter is a table under `[parameters]` with `levels = [8, 16, 32]`, or `range = [1, 16]`
    with `step = 1` or `factor = 2`, or `values = ["row", "column"]` for categories, and a `unit`; a list
    in its place is its levels or values.
    `constraints` is a list of conditions, `name` a title.

    Raises
    ------
    OptionError
        If it is no TOML, or not such a description.
    """
    try:
        entries = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # the first also of a number of too many digits
        raise OptionError(f"{source} is no TOML: {error}.") from None
    unknown = set(entries) - {"parameters", "constraints", "name"}
    if unknown:
        raise OptionError(f"{source} has '{min(unknown)}', expected parameters, constraints or name.")
    tables, constraints = entries.get("parameters"), entries.get("constraints", [])
    if not isinstance(tables, dict) or not tables:
        raise OptionError(f"{source} has no [parameters]. Write such as [parameters.simd] with levels = [8, 16, 32].")
    if not isinstance(constraints, list) or not all(isinstance(c, str) for c in constraints):
        raise OptionError(f"{source}: constraints must be a list of texts.")
    parameters = [parameter_of(name, table, source) for name, table in tables.items()]
    return make_space(parameters, constraints, str(entries.get("name", "")))


def write_space(space: DesignSpace) -> str:
    """Return the TOML text of a design space; `read_space` gives the same space back."""
    lines = [f"name = {toml_quoted(space.name)}"] if space.name else []
    if space.constraints:
        lines.append(f"constraints = [{', '.join(toml_quoted(c.text) for c in space.constraints)}]")
    for p in space.parameters:
        key = "values" if p.categorical else "levels"
        levels = ", ".join(toml_quoted(v) if isinstance(v, str) else shown(v) for v in p.levels)
        lines += ["", f"[parameters.{toml_quoted(p.name)}]"]
        lines += [f"unit = {toml_quoted(p.unit)}"] if p.unit else []
        lines.append(f"{key} = [{levels}]")
    return "\n".join(lines).lstrip("\n") + "\n"


def parameter_of(name: str, table: Any, source: str) -> Parameter:
    """Return the parameter that a table of unit and levels, range or values describes."""
    place = f"{source}, parameter '{name}'"
    if isinstance(table, list):
        table = {"values" if any(isinstance(value, str) for value in table) else "levels": table}
    if not isinstance(table, dict):
        raise OptionError(f"{place}: expected a list, or a table with levels, range or values.")
    unknown = set(table) - _KEYS
    if unknown:
        raise OptionError(f"{place}: there is no '{min(unknown)}'; there are: {', '.join(sorted(_KEYS))}.")
    given = [key for key in ("levels", "range", "values") if key in table]
    if len(given) != 1:
        raise OptionError(f"{place}: give one of levels, range or values; got {' and '.join(given) or 'none'}.")
    return Parameter(name, _levels(table, given[0], place), str(table.get("unit", "")))


def _levels(table: dict[str, Any], given: str, place: str) -> tuple[Level, ...]:
    values = table[given]
    if not isinstance(values, list) or not values:
        raise OptionError(f"{place}: {given} must be a list that is not empty.")
    if given == "values":
        if not all(str(v).strip() for v in values):
            raise OptionError(f"{place}: a value is an empty text, which no plan can hold. Name it.")
        return tuple(str(v) for v in values)
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
        raise OptionError(f"{place}: {given} must be numbers; names of categories go under values.")
    if given == "levels":
        return tuple(sorted(as_float(v) for v in values))
    return _in_range(table, [as_float(v) for v in values], place)


def _in_range(table: dict[str, Any], ends: list[float], place: str) -> tuple[float, ...]:
    step, factor = table.get("step"), table.get("factor")
    if len(ends) != 2 or not -math.inf < ends[0] <= ends[1] < math.inf or (step is None) == (factor is None):
        raise OptionError(f"{place}: a range has two ends, the lower first, and either a step or a factor.")
    low, high = ends
    by = step if factor is None else factor
    if isinstance(by, bool) or not isinstance(by, (int, float)) or not math.isfinite(as_float(by)):
        by = 0  # which neither can be
    if factor is not None and (by <= 1 or low <= 0):
        raise OptionError(f"{place}: a factor must be over 1, and the range begin over 0.")
    if by <= 0:
        raise OptionError(f"{place}: a step must be over 0.")
    steps = (high - low) / by if factor is None else (math.log(high) - math.log(low)) / math.log(by)
    if steps >= _MOST_LEVELS:
        raise OptionError(f"{place}: more than {_MOST_LEVELS:,} levels, which are the most that are allowed.")
    if factor is None:
        return tuple(low + i * by for i in range(int(steps * (1 + 1e-12) + 1e-9) + 1))
    levels = itertools.accumulate(itertools.repeat(by, int(steps) + 1), operator.mul, initial=low)
    return tuple(level for level in levels if level <= high * (1 + 1e-12))


NAME, UNIT, LEVELS, LOW, HIGH, STEP, FACTOR = COLUMNS = ("parameter", "unit", "levels", "from", "to", "step", "factor")
_SEPARATOR = re.compile(r"[,;]")


def space_of_rows(rows: Iterable[Mapping[str, Any]], constraints: Sequence[str] = (), name: str = "") -> DesignSpace:
    """Return the space that rows with the columns of `COLUMNS` describe; empty rows are left out.

    Levels are numbers or names with commas between, such as "1, 2, 4" or "row, column"; else
    `from` and `to` with a `step` or a `factor` give them.

    Raises
    ------
    OptionError
        If a row cannot be understood, or the space is not valid.
    """
    given = [row for row in rows if any(_text(row.get(c)) for c in (NAME, LEVELS, LOW, HIGH))]
    parameters = [parameter_of(_name(row), _table(row), "The table") for row in given]
    return make_space(parameters, [c for c in (text.strip() for text in constraints) if c], name)


def rows_of_space(space: DesignSpace) -> list[dict[str, Any]]:
    """Return the rows that `space_of_rows` makes the same parameters of."""
    return [
        {NAME: p.name, UNIT: p.unit, LEVELS: levels_text(p.levels), LOW: None, HIGH: None, STEP: None, FACTOR: None}
        for p in space.parameters
    ]


def levels_text(levels: Sequence[float | str]) -> str:
    """Return levels as people write them, with commas between."""
    return ", ".join(shown(level) for level in levels)


def _name(row: Mapping[str, Any]) -> str:
    name = _text(row.get(NAME))
    if not name:
        raise OptionError("A row of the table has levels and no parameter name. Name it, or delete the row.")
    return name


def _table(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"unit": _text(row.get(UNIT))}
    levels = [part.strip() for part in _SEPARATOR.split(_text(row.get(LEVELS))) if part.strip()]
    if levels:
        typed = read_levels(levels)
        return found | {"values" if isinstance(typed[0], str) else "levels": list(typed)}
    ends = [row.get(LOW), row.get(HIGH)]
    if all(_known(end) for end in ends):
        found["range"] = [float(end) for end in ends if end is not None]
        found |= {key: float(row[key]) for key in (STEP, FACTOR) if _known(row.get(key))}
        if STEP not in found and FACTOR not in found:
            found[STEP] = 1.0
    return found


def _text(value: Any) -> str:
    return str(value).strip() if _known(value) else ""


def _known(value: Any) -> bool:
    return value is not None and value == value
