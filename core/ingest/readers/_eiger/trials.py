"""Eiger's tables to trials: each execution is one, and a metric belongs to what its table says.

An application stays one, a dataset is an input, a machine a machine. Deterministic metrics belong to
application and input, machine metrics to the machine. Nondeterministic ones are counters. Some of them are
responses: those of type `result` (version 2), and those whose name is an outcome's, since version 3 has no
such type. Some are parameters, where each application, input and machine has the same values, and some labels,
where the name is one of a run's number or an identifier: all as in a table of the same trials.

Where a trial has several executions, each is a trial of its own: a repeat. A value that is there several
times is taken as Eiger takes it: the last one counts. Numbers stay as they are; Eiger knows no units, so
a unit is what the name says. The data collection is a label where there are several. Descriptions, dates,
addresses and stored models are left out.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError, count
from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest._units import split_unit, unit_of_name
from core.ingest._vocabulary import in_order
from core.ingest.names import clean_name, shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED
from core.ingest.recognition.evidence import FEW
from core.ingest.recognition.words import is_identifier, is_input, is_outcome, is_run
from core.texts import coded, combined, numbered
from core.trial import Import, Kind, Skipped

Cell: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Cell, ...]

COLUMNS: Mapping[str, tuple[str, ...]] = {table: in_order(columns) for table, columns in DECLARED["eiger"].items()}
"""What is read of each table."""

MAY_LACK = frozenset(
    ("metrics.type", "nondeterministic_metrics.trialID", "nondeterministic_metrics.executionID", "executions.machineID")
)
"""Columns that not every version of Eiger has."""

NEEDED = ("applications", "machines", "metrics", "trials", "nondeterministic_metrics")
"""Tables without which a file is none of Eiger's."""

UNREAD = ("models", "properties")
"""Tables of Eiger's that hold no measurements."""


class Tables(Frozen):
    """The tables of one file.

    Attributes
    ----------
    builder : of the file's import; it is told what of the file was left out or is in doubt
    rows : per table of `COLUMNS`, its rows; a column that the file lacks is None in each
    where : per id of a trial (or of an execution), where it stands in the file
    by_execution : whether counters belong to executions
    """

    builder: Builder
    rows: Mapping[str, Sequence[Row]]
    where: Mapping[int, str] = field(default_factory=dict)
    by_execution: bool = False

    @cached_property
    def by_id(self) -> Mapping[str, Mapping[int, Row]]:
        """The rows of each table that has ids, in the order of the ids.

        Raises
        ------
        ReadError
            If an id is none, or stands for two different rows.
        """
        return {table: self._indexed(table) for table, columns in COLUMNS.items() if columns[0] == "ID"}

    @cached_property
    def names(self) -> Mapping[str, Mapping[int, str]]:
        """The names in each table that has some, by id; a row without a name gets one from its id."""
        named = [table for table, columns in COLUMNS.items() if "name" in columns]
        return {table: {key: self._name(table, key, row) for key, row in self.by_id[table].items()} for table in named}

    @property
    def runs(self) -> str:
        """The table whose rows are executions."""
        return "executions" if self.by_execution else "trials"

    def _indexed(self, table: str) -> dict[int, Row]:
        found: dict[int, Row] = {}
        for row in self.rows.get(table, ()):
            if (key := identifier(row[0])) < 0:
                raise ReadError(
                    f"{self.builder.source}: table '{table}' has the id {said(row[0])}, expected a whole number."
                )
            if found.setdefault(key, row) != row:
                raise ReadError(
                    f"{self.builder.source}: table '{table}' has the id {key} twice, with different rows. "
                    "Two databases may be in one file; import them one by one."
                )
        return dict(sorted(found.items()))

    def _name(self, table: str, key: int, row: Row) -> str:
        cell = row[COLUMNS[table].index("name")]
        if isinstance(cell, bytes):
            raise ReadError(f"{self.builder.source}: a name in table '{table}' is {said(cell)}, expected a text.")
        text = "" if cell is None else unicodedata.normalize("NFC", str(cell)).strip()
        return text or f"{table.removesuffix('s')} {key}"


def tables_of(
    builder: Builder,
    columns: Mapping[str, Sequence[str]],
    rows: Mapping[str, Iterable[Row]],
    n_rows: Mapping[str, int],
    otherwise: str,
) -> Tables:
    """Return Eiger's tables from those of a file.

    Parameters
    ----------
    columns : per table, its columns in lower case, in the order of its rows
    rows : per table, its rows; none is taken of a file that is refused
    n_rows : how many rows there are of tables that hold no measurements, which is told
    otherwise : what the file is where it is none of Eiger's

    Raises
    ------
    ReadError
        If a table is missing without which a file is none of Eiger's, or a column that every version of Eiger has.
    """
    if missing := [table for table in NEEDED if table not in columns]:
        raise builder.refused(f"has no table '{missing[0]}', so it is {otherwise}")
    places: dict[str, list[int]] = {}
    for table, known in ((table, columns[table]) for table in COLUMNS if table in columns):
        for column in COLUMNS[table]:
            if column.lower() not in known and f"{table}.{column}" not in MAY_LACK:
                raise builder.refused(f"has no column '{column}' in its table '{table}', as Eiger's databases have.")
        places[table] = [known.index(c.lower()) if c.lower() in known else -1 for c in COLUMNS[table]]
    for table in UNREAD:
        if n := n_rows.get(table):
            builder.note(f"{count(n, 'row')} of table '{table}', left out.")
    found = {t: [tuple((*row, None)[p] for p in own) for row in rows.get(t, ())] for t, own in places.items()}
    return Tables(builder, found, by_execution="executionid" in columns["nondeterministic_metrics"])


def identifier(cell: Cell) -> int:
    """Return the id that a cell refers to; -1, which no row has, if it is none."""
    if isinstance(cell, str):
        text = cell.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and cell >= 0 else -1
    return cell if isinstance(cell, int) and cell >= 0 else -1


def said(cell: Cell) -> str:
    """Return a cell as a sentence shows it."""
    if isinstance(cell, bytes):
        return f"{len(cell)} raw bytes"
    return "NULL" if cell is None else f"'{shown(str(cell))}'"


class Run(Frozen):
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
        tables.builder.skip(f"table '{table}'", f"{count(n_lost, 'value')} of no known metric or {OWNERS[table]}")
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
            f"{tables.builder.source}: metric '{shown(name)}' of {noun} {owner} is {said(row[-1])}, "
            "expected a finite number. Correct the row."
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
        if (run := trials.get(identifier(trial))) is None:
            tables.builder.skip(where_of(tables, key), f"its trial {said(trial)} is not there")
        elif machine is not None and identifier(machine) not in machines:
            tables.builder.skip(where_of(tables, key), f"its machine {said(machine)} is not there")
        else:
            found[key] = replace(run, machine=machines.get(identifier(machine), run.machine))
    executed = {identifier(trial) for _, _, trial in rows.values()}
    for key in (key for key in trials if key not in executed):
        tables.builder.skip(f"trial {key}", "it was never executed")
    return found


_COUNTERS = "nondeterministic_metrics"
_MOST_SKIPPED = 100


def trials_of(tables: Tables) -> Import:
    """Return the trials of Eiger's tables.

    Raises
    ------
    ReadError
        If a value is no number, an id stands for two rows, or there are no trials.
    """
    builder = tables.builder
    builder.as_written = True
    values = {table: values_of(tables, table) for table in OWNERS}
    if not (runs := runs_of(tables, input_names(tables, values["deterministic_metrics"]))):
        why = f": {builder.skipped[0].where}: {builder.skipped[0].why}" if builder.skipped else ""
        raise ReadError(f"{tables.builder.source} holds no trials of Eiger's{why}.")
    names, units = metric_names(tables.names["metrics"])
    placed = placed_names(names, units, values)
    used = {key for _, key in placed}
    unused = [name for key, name in names.items() if key not in used]
    builder.note_names("metrics without any value, left out", unused)
    several = len({run.collection for run in runs.values()}) > 1
    rows = {key: _begun(builder, run, where_of(tables, key), several) for key, run in runs.items()}
    _put_counters(tables, values[_COUNTERS], placed, rows)
    inputs = by_key(dict.fromkeys((run.dataset, (run.application, run.input)) for run in runs.values()))
    machines = {key: ((name,),) for key, name in tables.names["machines"].items()}
    facts: Sequence[tuple[str, Mapping[int, Iterable[tuple[str, ...]]], Callable[..., None], str]] = (
        ("deterministic_metrics", inputs, builder.of_input, "datasets without trials"),
        ("machine_metrics", machines, builder.of_machine, "machines that are not there"),
    )
    for table, owners, say, lost in facts:
        n_lost = 0
        for metric, owner, value in ((m, owner, v) for m, found in values[table].items() for owner, v in found.items()):
            n_lost += owner not in owners
            for key in owners.get(owner, ()):
                name, unit = placed[(table, metric)]
                say(*key, name, value, unit)
        if n_lost:
            builder.skip(f"table '{table}'", f"{count(n_lost, 'value')} of {lost}")
    imported = with_parameters(builder.build())
    return replace(imported, skipped=_first(imported.skipped))


def _begun(builder: Builder, run: Run, where: str, several: bool) -> int:
    """Begin a trial; its data collection is told where there are several."""
    labels = {"dataset": run.input} if run.input else {}  # to be predicted from, as a table's column of inputs
    labels |= {"data collection": run.collection} if several else {}
    return builder.trial(run.application, input=run.input, machine=run.machine, where=where, labels=labels)


def _put_counters(tables: Tables, values: Values, placed: Placed, rows: Mapping[int, int]) -> None:
    builder, lost = tables.builder, Counter[int]()
    types = {key: row[1] for key, row in tables.by_id["metrics"].items()}
    for metric, found in values.items():
        name, unit = placed.get((_COUNTERS, metric), ("", ""))
        kind = Kind.RESPONSE if types[metric] == "result" or is_outcome(name) else Kind.COUNTER
        counts_nothing = kind is Kind.COUNTER and (is_run(name) or is_identifier(name))
        for run, value in found.items():
            if run not in rows:
                lost[run] += 1
            elif counts_nothing:
                builder.label(rows[run], name, repr(value))
            else:
                builder.put(rows[run], name, value, unit, kind)
    if idle := len(rows.keys() - {run for found in values.values() for run in found}):
        tables.builder.note(f"{idle} trials have no value of their own.")
    for run, n in sorted(lost.items()):
        builder.skip(f"table '{_COUNTERS}'", f"{count(n, 'value')} of {tables.runs.removesuffix('s')} {run}, left out")


def _first(skipped: Sequence[Skipped]) -> tuple[Skipped, ...]:
    """Return what was skipped, each once, and after a hundred only how many more."""
    different = tuple(dict.fromkeys(skipped))
    more = len(different) - _MOST_SKIPPED
    return (*different[:_MOST_SKIPPED], Skipped("further", f"{more} more like these")) if more > 0 else different


def with_parameters(imported: Import) -> Import:
    """Return the import with some counters as parameters.

    They are the size of the problem by name, or take the same two or more values in each group of trials of one
    application, input and machine.
    """
    trials = imported.trials
    application, input, machine = (coded(own).codes for own in (trials.application, trials.input, trials.machine))
    groups = combined(combined(application, input), machine)
    n_groups = int(groups.max()) + 1
    grouped = 2 <= n_groups <= len(trials) // 2
    counters = [(i, m) for i, m in enumerate(trials.metrics) if m.kind is Kind.COUNTER]
    swept = {m.name for i, m in counters if grouped and _same_levels(trials.values[:, i], groups, n_groups)}
    if not (found := swept | {m.name for _, m in counters if is_input(m.name)}):
        return imported
    metrics = tuple(replace(m, kind=Kind.PARAMETER) if m.name in found else m for m in trials.metrics)
    why = (
        ("they are called like the size of the problem", found - swept),
        ("each application, input and machine has the same", swept),
    )
    told = [
        f"{imported.source}: taken as parameters, for {reason}: {', '.join(map(repr, sorted(names)))}."
        for reason, names in why
        if names
    ]
    return replace(imported, trials=replace(trials, metrics=metrics), warnings=(*imported.warnings, *told))


def _same_levels(column: FloatArray, groups: IntArray, n_groups: int) -> bool:
    """Whether a column is complete, has few values, and each of them in each group."""
    levels, values = numbered(column)
    n_pairs = len(np.unique(combined(groups, levels)))
    return not np.isnan(column).any() and 2 <= len(values) <= FEW and n_pairs == n_groups * len(values)
