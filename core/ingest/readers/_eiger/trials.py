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

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError
from core.ingest._lookup import by_key
from core.ingest.readers._builder import Builder
from core.ingest.readers._eiger import values as eiger_values
from core.ingest.readers._eiger.tables import Tables
from core.ingest.recognition.evidence import FEW
from core.ingest.recognition.words import is_identifier, is_input, is_outcome, is_run
from core.texts import coded, combined, numbered
from core.trial import Import, Kind, Skipped

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
    values = {table: eiger_values.values_of(tables, table) for table in eiger_values.OWNERS}
    runs = eiger_values.runs_of(tables, eiger_values.input_names(tables, values["deterministic_metrics"]))
    if not runs:
        why = f": {builder.skipped[0].where}: {builder.skipped[0].why}" if builder.skipped else ""
        raise ReadError(f"{tables.source} holds no trials of Eiger's{why}.")
    names, units = eiger_values.metric_names(tables.names["metrics"])
    placed = eiger_values.placed_names(names, units, values)
    used = {key for _, key in placed}
    unused = [name for key, name in names.items() if key not in used]
    builder.note_names("metrics without any value, left out", unused)
    several = len({run.collection for run in runs.values()}) > 1
    rows = {key: _begun(builder, run, eiger_values.where_of(tables, key), several) for key, run in runs.items()}
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
            builder.skip(f"table '{table}'", f"{n_lost} values of {lost}")
    imported = with_parameters(builder.build())
    return replace(imported, skipped=_first(imported.skipped))


def _begun(builder: Builder, run: eiger_values.Run, where: str, several: bool) -> int:
    """Begin a trial; its data collection is told where there are several."""
    labels = {"dataset": run.input} if run.input else {}  # to be predicted from, as a table's column of inputs
    labels |= {"data collection": run.collection} if several else {}
    return builder.trial(run.application, input=run.input, machine=run.machine, where=where, labels=labels)


def _put_counters(
    tables: Tables, values: eiger_values.Values, placed: eiger_values.Placed, rows: Mapping[int, int]
) -> None:
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
    idle = len(rows.keys() - {run for found in values.values() for run in found})
    if idle:
        tables.builder.note(f"{idle} trials have no value of their own.")
    for run, n in sorted(lost.items()):
        builder.skip(f"table '{_COUNTERS}'", f"{n} values of {tables.runs.removesuffix('s')} {run}, left out")


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
    found = swept | {m.name for _, m in counters if is_input(m.name)}
    if not found:
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
