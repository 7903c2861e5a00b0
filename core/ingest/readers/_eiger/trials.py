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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.errors import ReadError
from core.ingest._names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._eiger.runs import Run, input_names, runs_of, where_of
from core.ingest.readers._eiger.swept import with_parameters
from core.ingest.readers._eiger.tables import Tables
from core.ingest.readers._eiger.values import OWNERS, Notes, Values, metric_names, placed_names, values_of
from core.ingest.recognition.words import is_identifier, is_outcome, is_run
from core.trial import Facts, Import, Kind, Metric, Skipped

_MOST_SKIPPED = 100


def trials_of(tables: Tables) -> Import:
    """Return the trials of Eiger's tables.

    Raises
    ------
    ReadError
        If a value is no number, an id stands for two rows, or there are no trials.
    """
    notes = Notes(list(tables.skipped), list(tables.warnings))
    values = {table: values_of(tables, table, notes) for table in OWNERS}
    runs = runs_of(tables, input_names(tables, values["deterministic_metrics"], notes), notes)
    if not runs:
        why = f": {notes.skipped[0].where}: {notes.skipped[0].why}" if notes.skipped else ""
        raise ReadError(f"{tables.source} holds no trials of Eiger's{why}.")
    names, units = metric_names(tables.names["metrics"])
    placed = placed_names(names, values)
    _tell_unused(tables, names, placed, notes)
    filling = _Filling(tables, values, placed, notes)
    builder = filling.built(runs)
    by_name = {name: units[key] for (_, key), name in placed.items()}
    imported = with_parameters(builder.build(notes.warnings))
    return replace(_with_units(imported, by_name), skipped=_first(notes.skipped))


@dataclass(frozen=True)
class _Filling:
    """One file's values on their way into a builder."""

    tables: Tables
    values: Mapping[str, Values]
    placed: Mapping[tuple[str, int], str]
    notes: Notes

    def built(self, runs: Mapping[int, Run]) -> Builder:
        """Return a builder with all trials and facts."""
        builder = Builder(self.tables.source, self.tables.sha256, self.tables.format)
        self._put_counters(builder, self._begin(builder, runs))
        self._put_inputs(builder, runs.values())
        self._put_machines(builder)
        return builder

    def _begin(self, builder: Builder, runs: Mapping[int, Run]) -> dict[int, int]:
        """Begin the trials; return the builder's row of each execution."""
        several = len({run.collection for run in runs.values()}) > 1
        return {
            key: builder.trial(
                run.application,
                input=run.input,
                machine=run.machine,
                where=where_of(self.tables, key),
                labels={"data collection": run.collection} if several else {},
            )
            for key, run in runs.items()
        }

    def _put_counters(self, builder: Builder, rows: Mapping[int, int]) -> None:
        table = "nondeterministic_metrics"
        lost: Counter[int] = Counter()
        types = {key: row[1] for key, row in self.tables.by_id["metrics"].items()}
        for metric, found in self.values[table].items():
            name = self.placed.get((table, metric), "")
            kind = Kind.RESPONSE if types[metric] == "result" or is_outcome(name) else Kind.COUNTER
            counts_nothing = kind is Kind.COUNTER and (is_run(name) or is_identifier(name))
            for run, value in found.items():
                if run not in rows:
                    lost[run] += 1
                elif counts_nothing:
                    builder.label(rows[run], name, repr(value))
                else:
                    builder.put(rows[run], name, value, kind=kind)
        idle = len(rows) - len(rows.keys() & {run for found in self.values[table].values() for run in found})
        if idle:
            self.notes.warnings.append(f"{self.tables.source}: {idle} trials have no value of their own.")
        for run, n in sorted(lost.items()):
            self.notes.skip(f"table '{table}'", f"{n} values of {self.tables.runs.removesuffix('s')} {run}, left out")

    def _put_inputs(self, builder: Builder, runs: Iterable[Run]) -> None:
        """Say the deterministic metrics of each application on each input."""
        table = "deterministic_metrics"
        users: dict[int, dict[tuple[str, str], None]] = {}
        for run in runs:
            users.setdefault(run.dataset, {})[(run.application, run.input)] = None
        n_lost = 0
        for metric, found in self.values[table].items():
            for dataset, value in found.items():
                n_lost += dataset not in users
                for application, input in users.get(dataset, ()):
                    builder.of_input(application, input, self.placed[(table, metric)], value)
        if n_lost:
            self.notes.skip(f"table '{table}'", f"{n_lost} values of datasets without trials")

    def _put_machines(self, builder: Builder) -> None:
        table = "machine_metrics"
        machines = self.tables.names["machines"]
        n_lost = 0
        for metric, found in self.values[table].items():
            for machine, value in found.items():
                n_lost += machine not in machines
                if machine in machines:
                    builder.of_machine(machines[machine], self.placed[(table, metric)], value)
        if n_lost:
            self.notes.skip(f"table '{table}'", f"{n_lost} values of machines that are not there")


def _tell_unused(tables: Tables, names: Mapping[int, str], placed: Mapping[tuple[str, int], str], notes: Notes) -> None:
    used = {key for _, key in placed}
    empty = [name for key, name in names.items() if key not in used]
    if empty:
        more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
        named = ", ".join(f"'{shown(name)}'" for name in empty[:5])
        notes.warnings.append(f"{tables.source}: metrics without any value, left out: {named}{more}.")


def _with_units(imported: Import, units: Mapping[str, str]) -> Import:
    """Return the import with units; numbers stay as they are."""

    def own(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
        return tuple(replace(m, unit=units[m.name]) for m in metrics)

    def facts(found: Facts | None) -> Facts | None:
        return None if found is None else replace(found, metrics=own(found.metrics))

    return replace(
        imported,
        trials=replace(imported.trials, metrics=own(imported.trials.metrics)),
        machines=facts(imported.machines),
        inputs=facts(imported.inputs),
    )


def _first(skipped: list[Skipped]) -> tuple[Skipped, ...]:
    """Return what was skipped, each once, and after a hundred only how many more."""
    different = tuple(dict.fromkeys(skipped))
    more = len(different) - _MOST_SKIPPED
    return (*different[:_MOST_SKIPPED], Skipped("further", f"{more} more like these")) if more > 0 else different
