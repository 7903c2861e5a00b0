"""Plans: the design points to measure, in the order to measure them, as CSV and back."""

import csv
import io
from collections.abc import Sequence

from core.codec import Frozen, IntArray
from core.errors import OptionError, ReadError
from core.space.design_space import DesignSpace, Level

RUN = "run"
"""The column that tells runs apart."""


class Plan(Frozen):
    """Design points to measure, in order.

    Attributes
    ----------
    names : the parameters
    runs : one id per point
    points : one level per parameter
    """

    names: tuple[str, ...]
    runs: tuple[str, ...]
    points: tuple[tuple[Level, ...], ...]

    def __len__(self) -> int:
        return len(self.runs)


def make_plan(space: DesignSpace, codes: IntArray, first: int = 1) -> Plan:
    """Return the plan of some points; runs are numbered from `first` on, with as many digits as the last needs."""
    width = max(3, len(str(first + len(codes) - 1)))
    runs = tuple(f"{i:0{width}d}" for i in range(first, first + len(codes)))
    return Plan(space.names, runs, tuple(space.texts(codes)))


def write_plan(plan: Plan) -> str:
    """Return a plan as CSV: the column `run`, then one per parameter.

    Raises
    ------
    OptionError
        If a parameter is called "run".
    """
    if RUN in plan.names:
        raise OptionError(f"A parameter is called '{RUN}', as the column of runs is. Rename the parameter.")
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow([RUN, *plan.names])
    rows.writerows([run, *map(shown, point)] for run, point in zip(plan.runs, plan.points, strict=True))
    return out.getvalue()


def read_plan(text: str, source: str = "The plan") -> Plan:
    """Return the plan that a CSV describes; a column of numbers alone is one of numbers if it is so written by us.

    Others, such as 01 or 1.0, stay as they are, as they may be names.

    Raises
    ------
    ReadError
        If there is no column `run`, a run is there twice, or a cell is empty.
    """
    try:
        rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True) if row]
    except csv.Error as error:
        raise ReadError(f"{source} is no CSV: {error}.") from None
    if not rows or RUN not in rows[0]:
        raise ReadError(f"{source} has no column '{RUN}'. Make it with 'ridgeline plan', or add the column.")
    header, place = rows[0], rows[0].index(RUN)
    _check(rows, source)
    columns = [_column([row[j] for row in rows[1:]]) for j in range(len(header)) if j != place]
    names = tuple(name for j, name in enumerate(header) if j != place)
    points = tuple(zip(*columns, strict=True)) if columns else ((),) * (len(rows) - 1)
    return Plan(names, tuple(row[place] for row in rows[1:]), points)


def codes_of(space: DesignSpace, plan: Plan) -> IntArray:
    """Return a plan's points as codes of a design space.

    Raises
    ------
    OptionError
        If the plan lacks a parameter, or has a value that is no level.
    """
    missing = [name for name in space.names if name not in plan.names]
    if missing:
        raise OptionError(f"The plan has no column '{missing[0]}', which is a parameter of the design space.")
    columns = [plan.names.index(name) for name in space.names]
    points = [
        tuple(
            shown(row[c]) if p.categorical else _number(row[c]) for c, p in zip(columns, space.parameters, strict=True)
        )
        for row in plan.points
    ]
    return space.encode(points)


def shown(level: Level) -> str:
    """Return a level as people write it: whole numbers without a point."""
    if isinstance(level, str):
        return level
    return str(int(level)) if float(level).is_integer() and abs(level) < 1e15 else repr(float(level))


def plain_levels(levels: Sequence[Level]) -> list[Level]:
    """Return levels as whole numbers where all are."""
    whole = all(not isinstance(level, str) and float(level).is_integer() for level in levels)
    return [int(float(level)) for level in levels] if whole else list(levels)


def _check(rows: Sequence[Sequence[str]], source: str) -> None:
    header, place = rows[0], rows[0].index(RUN)
    for name in header:
        if header.count(name) > 1:
            raise ReadError(f"{source} has the column '{name}' twice.")
    seen: set[str] = set()
    for i, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ReadError(f"{source} line {i} has {len(row)} cells, expected {len(header)}.")
        empty = [name for name, cell in zip(header, row, strict=True) if not cell.strip()]
        if empty:
            raise ReadError(f"{source} line {i}: '{empty[0]}' is empty, expected a value.")
        if row[place] in seen:
            raise ReadError(f"{source} line {i}: run '{row[place]}' is there twice. Give each run a name of its own.")
        seen.add(row[place])


def read_levels(cells: Sequence[str]) -> tuple[Level, ...]:
    """Return cells as numbers, or as they are where one is none."""
    try:
        return tuple(float(cell) for cell in cells)
    except ValueError:
        return tuple(cells)


def _column(cells: Sequence[str]) -> tuple[Level, ...]:
    levels = read_levels(cells)
    same = all(shown(level) == cell.strip() for level, cell in zip(levels, cells, strict=True))
    return levels if same else tuple(cells)


def _number(level: Level) -> Level:
    return read_levels([level])[0] if isinstance(level, str) else level
