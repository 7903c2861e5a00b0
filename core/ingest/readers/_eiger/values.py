"""The three tables of values in Eiger's files: each value with its owner, each metric with its name and unit."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import ReadError
from core.ingest._units import split_unit, unit_of_name
from core.ingest.names import clean_name, shown
from core.ingest.readers._eiger.tables import Cell, Row, Tables, identifier, said
from core.trial import Skipped

OWNERS = {"nondeterministic_metrics": "trial", "deterministic_metrics": "dataset", "machine_metrics": "machine"}
_PLACES = {"nondeterministic_metrics": "", "deterministic_metrics": "input", "machine_metrics": "machine"}

Values = Mapping[int, Mapping[int, float]]
"""By metric and owner; metrics in the order of their ids."""


@dataclass
class Notes:
    """What was left out and what was noticed."""

    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def skip(self, where: str, why: str) -> None:
        """Say that a place of the file was not taken over, and why."""
        self.skipped.append(Skipped(where, why))


def values_of(tables: Tables, table: str, notes: Notes) -> Values:
    """Return the values of a table; of several for one owner the last, as Eiger takes it.

    Raises
    ------
    ReadError
        If a value is neither a finite number nor missing.
    """
    names = tables.names["metrics"]
    found: dict[int, dict[int, float]] = {key: {} for key in names}
    anew: Counter[int] = Counter()
    n_lost = 0
    for row in tables.rows.get(table, ()):
        owner, metric = _owner(tables, table, row), identifier(row[-2])
        value = None if row[-1] is None else _number(tables, table, row)
        if owner < 0 or metric not in found:
            n_lost += 1
        elif value is not None:
            anew[metric] += found[metric].get(owner, value) != value
            found[metric][owner] = value
    for metric, n in ((key, n) for key, n in anew.items() if n):
        notes.warnings.append(
            f"{tables.source}: table '{table}' says '{shown(names[metric])}' {n} times again with another value; "
            "the last one counts, as in Eiger."
        )
    if n_lost:
        notes.skip(f"table '{table}'", f"{n_lost} values whose metric or {OWNERS[table]} is not there")
    return found


def metric_names(raw: Mapping[int, str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return names and units by id, as a table's header gives them: `time (us)` is `time` in us."""
    headers = {key: clean_name(name) for key, name in raw.items()}
    split = {header: split_unit(header) for header in headers.values()}
    alike = Counter(name.casefold() for name, _ in split.values())
    kept = {header: header if alike[name.casefold()] > 1 else name for header, (name, _) in split.items()}
    names = {key: kept[header] for key, header in headers.items()}
    return names, {key: split[header][1] or unit_of_name(names[key]) for key, header in headers.items()}


def placed_names(names: Mapping[int, str], values: Mapping[str, Values]) -> dict[tuple[str, int], str]:
    """Return the name of each metric in each table: one that is in two tables is two metrics."""
    taken: set[str] = set()
    placed: dict[tuple[str, int], str] = {}
    for table in OWNERS:
        own = {key: names[key] for key, found in values[table].items() if found}
        again = taken & set(own.values())
        placed |= {(table, key): f"{name} [{_PLACES[table]}]" if name in again else name for key, name in own.items()}
        taken |= set(own.values())
    return placed


def _owner(tables: Tables, table: str, row: Row) -> int:
    """Return the id of what a value belongs to: the trial, dataset or machine, or the trial's execution."""
    by_execution = tables.by_execution and table == "nondeterministic_metrics"
    return identifier(row[1] if by_execution else row[0])


def _number(tables: Tables, table: str, row: Row) -> float | None:
    """Return a value; None where it is NaN."""
    value = _float(row[-1])
    if value is None or value in (float("inf"), float("-inf")):
        name = tables.names["metrics"].get(identifier(row[-2]), said(row[-2]))
        by_execution = tables.by_execution and table == "nondeterministic_metrics"
        owner = f"{'execution' if by_execution else OWNERS[table]} {_owner(tables, table, row)}"
        raise ReadError(
            f"{tables.source}: metric '{shown(name)}' of {owner} is {said(row[-1])}, expected a finite number. "
            "Correct the row."
        )
    return None if value != value else value


def _float(cell: Cell) -> float | None:
    try:
        return None if isinstance(cell, bytes) or cell is None else float(cell)
    except (ValueError, OverflowError):
        return None
