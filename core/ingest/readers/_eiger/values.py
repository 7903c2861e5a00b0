"""The three tables of values in Eiger's files: each value with its owner, each metric with its name and unit."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import ReadError
from core.ingest._lookup import by_key
from core.ingest._units import split_unit, unit_of_name
from core.ingest.names import clean_name, shown
from core.ingest.readers._eiger.tables import Row, Tables, identifier, said


@dataclass(frozen=True)
class Run:
    """One execution; `dataset` is -1 if it has none."""

    application: str
    dataset: int
    input: str
    machine: str
    collection: str


OWNERS = {"nondeterministic_metrics": "trial", "deterministic_metrics": "dataset", "machine_metrics": "machine"}
_PLACES = {"nondeterministic_metrics": "", "deterministic_metrics": "input", "machine_metrics": "machine"}
Values = Mapping[int, Mapping[int, float]]
"""By metric and owner; metrics in the order of their ids."""
Placed = Mapping[tuple[str, int], tuple[str, str]]
"""By table and metric, its name and unit there."""


def values_of(tables: Tables, table: str) -> Values:
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
        (_, owner), metric = _owner(tables, table, row), identifier(row[-2])
        value = None if row[-1] is None else _number(tables, table, row)
        if owner < 0 or metric not in found:
            n_lost += 1
        elif value is not None:
            anew[metric] += found[metric].get(owner, value) != value
            found[metric][owner] = value
    for metric, n in ((key, n) for key, n in anew.items() if n):
        again = f"table '{table}' says '{shown(names[metric])}' {n} times again with another value"
        tables.builder.note(f"{again}; the last one counts, as in Eiger.")
    if n_lost:
        tables.builder.skip(f"table '{table}'", f"{n_lost} values whose metric or {OWNERS[table]} is not there")
    return found


def metric_names(raw: Mapping[int, str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return names and units by id, as a table's header gives them: `time (us)` is `time` in us."""
    headers = {key: clean_name(name) for key, name in raw.items()}
    split = {header: split_unit(header) for header in headers.values()}
    alike = Counter(name.casefold() for name, _ in split.values())
    kept = {header: header if alike[name.casefold()] > 1 else name for header, (name, _) in split.items()}
    names = {key: kept[header] for key, header in headers.items()}
    return names, {key: split[header][1] or unit_of_name(names[key]) for key, header in headers.items()}


def placed_names(names: Mapping[int, str], units: Mapping[int, str], values: Mapping[str, Values]) -> Placed:
    """Return name and unit of each metric in each table: one that is in two tables is two metrics."""
    taken: set[str] = set()
    placed: dict[tuple[str, int], tuple[str, str]] = {}
    for table in OWNERS:
        own = {key: names[key] for key, found in values[table].items() if found}
        again = taken & set(own.values())
        for key, name in own.items():
            placed[table, key] = f"{name} [{_PLACES[table]}]" if name in again else name, units[key]
        taken |= set(own.values())
    return placed


def _owner(tables: Tables, table: str, row: Row) -> tuple[str, int]:
    """Return what a value belongs to, and its id: the trial, dataset or machine, or the trial's execution."""
    if tables.by_execution and table == "nondeterministic_metrics":
        return "execution", identifier(row[1])
    return OWNERS[table], identifier(row[0])


def _number(tables: Tables, table: str, row: Row) -> float | None:
    """Return a value; None where it is NaN."""
    try:
        value = math.inf if row[-1] is None or isinstance(row[-1], bytes) else float(row[-1])
    except (ValueError, OverflowError):
        value = math.inf
    if math.isinf(value):
        name = tables.names["metrics"].get(identifier(row[-2]), said(row[-2]))
        noun, owner = _owner(tables, table, row)
        raise ReadError(
            f"{tables.source}: metric '{shown(name)}' of {noun} {owner} is {said(row[-1])}, expected a finite number. "
            "Correct the row."
        )
    return None if value != value else value


def runs_of(tables: Tables, inputs: Mapping[int, str]) -> dict[int, Run]:
    """Return the executions by id; the trials, where the file has no executions.

    What refers to rows that are not there is skipped.
    """
    trials = _trials(tables, inputs)
    return _executions(tables, trials) if tables.by_execution else trials


def where_of(tables: Tables, number: int) -> str:
    """Return where an execution stands."""
    return tables.where.get(number, f"{tables.runs.removesuffix('s')} {number}")


def input_names(tables: Tables, deterministic: Values) -> dict[int, str]:
    """Return the datasets' names; those of one name whose metrics differ get their ids added."""
    names = dict(tables.names["datasets"])
    alike = by_key(((row[1], names[key]), key) for key, row in tables.by_id["datasets"].items())
    for (_, name), keys in alike.items():
        said = ({found[key] for key in keys if key in found} for found in deterministic.values())
        if len(keys) > 1 and any(len(values) > 1 for values in said):
            names |= {key: f"{name} #{key}" for key in keys}
            told = f"{len(keys)} datasets are called '{shown(name)}' and have different metrics"
            tables.builder.note(f"{told}; they are told apart by their ids.")
    return names


def _trials(tables: Tables, inputs: Mapping[int, str]) -> dict[int, Run]:
    found: dict[int, Run] = {}
    owners = {key: row[1] for key, row in tables.by_id["datasets"].items()}
    n_stray = 0
    for key, row in tables.by_id["trials"].items():
        owner = owners.get(identifier(row[4]))
        n_stray += None not in (owner, row[3]) and identifier(owner) != identifier(row[3])
        run = _resolved(tables, inputs, (*row[:3], owner if row[3] is None else row[3], row[4]))
        if isinstance(run, str):
            tables.builder.skip(f"trial {key}" if tables.by_execution else where_of(tables, key), run)
        else:
            found[key] = run
    if n_stray:
        told = f"{n_stray} trials name another application than their dataset does; the trial's own is taken."
        tables.builder.note(told)
    return found


def _resolved(tables: Tables, inputs: Mapping[int, str], row: Row) -> Run | str:
    """Return a trial with its names, or what it refers to and is not there; NULL is no name."""
    _, collection, machine, application, dataset = row
    parts = (
        ("application", application, tables.names["applications"]),
        ("dataset", dataset, inputs),
        ("machine", machine, tables.names["machines"]),
        ("data collection", collection, tables.names["datacollections"] or {identifier(collection): ""}),
    )
    names = ["" if cell is None else known.get(identifier(cell)) for _, cell, known in parts]
    if None in names:
        noun, cell, _ = parts[names.index(None)]
        return f"its {noun} {said(cell)} is not there"
    name, *others = (name or "" for name in names)
    return Run(name, identifier(dataset), *others)


def _executions(tables: Tables, trials: Mapping[int, Run]) -> dict[int, Run]:
    """Return a trial for each execution; its own machine comes before the trial's."""
    found: dict[int, Run] = {}
    rows = tables.by_id["executions"]
    machines = tables.names["machines"]
    for key, (_, machine, trial) in rows.items():
        run = trials.get(identifier(trial))
        if run is None:
            tables.builder.skip(where_of(tables, key), f"its trial {said(trial)} is not there")
        elif machine is not None and identifier(machine) not in machines:
            tables.builder.skip(where_of(tables, key), f"its machine {said(machine)} is not there")
        else:
            found[key] = replace(run, machine=machines.get(identifier(machine), run.machine))
    executed = {identifier(trial) for _, _, trial in rows.values()}
    for key in (key for key in trials if key not in executed):
        tables.builder.skip(f"trial {key}", "it was never executed")
    return found
