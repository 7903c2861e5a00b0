"""Design spaces as a table that people fill in: one row per parameter, levels as text or as a range."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.errors import OptionError
from core.space._toml import parameter_of
from core.space.design_space import DesignSpace, make_space
from core.space.plan import shown

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
        numbers = _numbers(levels)
        found |= {"values": levels} if numbers is None else {"levels": numbers}
        return found
    ends = [row.get(LOW), row.get(HIGH)]
    if all(_known(end) for end in ends):
        found["range"] = [float(end) for end in ends if end is not None]
        found |= {key: float(row[key]) for key in (STEP, FACTOR) if _known(row.get(key))}
        if STEP not in found and FACTOR not in found:
            found[STEP] = 1.0
    return found


def _numbers(levels: Sequence[str]) -> list[float] | None:
    try:
        return [float(level) for level in levels]
    except ValueError:
        return None


def _text(value: Any) -> str:
    return str(value).strip() if _known(value) else ""


def _known(value: Any) -> bool:
    return value is not None and value == value
