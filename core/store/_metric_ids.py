"""What an import's names are in the database: metrics, applications, inputs, machines, and the file itself."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from core.frozen import Frozen
from core.store._connection import Cursor, every, one
from core.store._rows import insert, next_id
from core.store.cards import Receipt
from core.texts import coded, combined, first_of_each
from core.trial import Import, Metric


@dataclass
class _Row:
    id: int
    unit: str
    original: str = ""
    rule: str = ""


class MetricIds:
    """The metrics of a dataset while something is added to it.

    Attributes
    ----------
    warnings : what was kept apart, and why
    """

    def __init__(self, cursor: Cursor, home: int, collector: str, originals: Mapping[str, str]) -> None:
        self._cursor, self._home, self._collector, self._originals = cursor, home, collector, originals
        rows = every(cursor, "SELECT name, id, unit, original, rule FROM metric WHERE dataset = ?", [home])
        self._known = {str(name): _Row(int(id), *map(str, rest)) for name, id, *rest in rows}
        self._ids: dict[Metric, int] = {}
        self.warnings: list[str] = []

    def ids(self, metrics: Sequence[Metric]) -> list[int]:
        """Return the metrics' ids, making those that are new in one statement."""
        fresh: dict[str, Metric] = {}
        start = next_id(self._cursor, "metric")
        for metric in dict.fromkeys(metrics):
            if metric in self._ids:
                continue
            name = self._name(metric)
            if name not in self._known:
                self._known[name] = _Row(start + len(fresh), metric.unit, self._originals.get(metric.name, ""))
                fresh[name] = metric
            else:
                self._note_original(self._known[name], self._originals.get(metric.name, ""))
            self._ids[metric] = self._known[name].id
        self._write(fresh)
        return [self._ids[m] for m in metrics]

    def settle(self, metrics: Sequence[Metric]) -> list[str]:
        """Write the units of measured metrics that had none and whose values are as the file has them; return which."""
        found = {}
        for metric in metrics:
            known = self._known.get(metric.name)
            if known and metric.unit and not (known.unit or known.rule or metric.name in self._originals):
                known.unit = found[metric.name] = metric.unit
                self._cursor.execute("UPDATE metric SET unit = ? WHERE id = ?", [metric.unit, known.id])
        return [f"{name} is in {unit}" for name, unit in found.items()]

    def _name(self, metric: Metric) -> str:
        """Return the name under which a metric is kept."""
        known = self._known.get(metric.name)
        if known is None:
            return metric.name
        if known.rule:
            self.warnings.append(
                f"metric '{metric.name}' was made by the rule '{known.rule}' in the dataset: "
                f"the measured one is kept apart as '{metric.name} [measured]'"
            )
            return f"{metric.name} [measured]"
        if metric.unit in ("", known.unit):
            return metric.name
        self.warnings.append(
            f"metric '{metric.name}' is in {metric.unit} here and in {known.unit or 'no unit'} in the dataset: "
            f"it is kept apart as '{metric.name} [{metric.unit}]'"
        )
        return f"{metric.name} [{metric.unit}]"

    def _note_original(self, row: _Row, original: str) -> None:
        """Remember one more unit that files wrote this metric in."""
        known = row.original.split(", ") if row.original else []
        if original and original not in known:
            row.original = ", ".join([*known, original])
            self._cursor.execute("UPDATE metric SET original = ? WHERE id = ?", [row.original, row.id])

    def _write(self, fresh: Mapping[str, Metric]) -> None:
        columns = {
            "id": [self._known[name].id for name in fresh],
            "name": list(fresh),
            "kind": [str(m.kind) for m in fresh.values()],
            "unit": [m.unit for m in fresh.values()],
            "original": [self._known[name].original for name in fresh],
        }
        insert(self._cursor, "metric", columns, dataset=self._home, collector=self._collector)


class Names(Frozen):
    """The ids of all that an import names.

    Attributes
    ----------
    inputs : by (application, input)
    new_machines : those that the dataset did not know before
    """

    applications: Mapping[str, int]
    inputs: Mapping[tuple[str, str], int]
    machines: Mapping[str, int]
    new_machines: frozenset[str]


def name_ids(cursor: Cursor, home: int, imported: Import) -> Names:
    """Return the ids of applications, inputs and machines, making those that are new."""
    trials, of_inputs, of_machines = imported.trials, imported.inputs, imported.machines
    input_keys = {pair(key) for key in of_inputs.keys} if of_inputs else set()
    machine_keys = {key[0] for key in of_machines.keys} if of_machines else set()
    application, input, machine = coded(trials.application), coded(trials.input), coded(trials.machine)
    wanted = {(home, a) for a in (*application.texts, *(a for a, _ in input_keys))}
    found, _ = _ids(cursor, "application", "dataset", wanted)
    applications = {name: id for (_, name), id in found.items()}
    rows = first_of_each(combined(application.codes, input.codes)).tolist()
    named = {(application[row], input[row]) for row in rows} | input_keys
    inputs, _ = _ids(cursor, "input", "application", {(applications[a], i) for a, i in named})
    machines, fresh = _ids(cursor, "machine", "dataset", {(home, m) for m in {*machine.texts, *machine_keys}})
    return Names(
        applications,
        {(a, i): inputs[(applications[a], i)] for a, i in named},
        {name: id for (_, name), id in machines.items()},
        frozenset(name for _, name in fresh),
    )


def pair(key: tuple[str, ...]) -> tuple[str, str]:
    """Return application and input of a key of input facts."""
    return (key[0], key[1] if len(key) > 1 else "")


def _ids(
    cursor: Cursor, table: str, owner: str, wanted: set[tuple[int, str]]
) -> tuple[dict[tuple[int, str], int], list[tuple[int, str]]]:
    owners = list({o for o, _ in wanted})
    rows = every(
        cursor, f"SELECT {owner}, name, id FROM {table} WHERE {owner} IN (SELECT unnest(?::INTEGER[]))", [owners]
    )
    known = {(int(o), str(n)): int(i) for o, n, i in rows}
    fresh = sorted(wanted - known.keys())
    start = next_id(cursor, table)
    made = {pair: start + k for k, pair in enumerate(fresh)}
    insert(cursor, table, {"id": list(made.values()), owner: [o for o, _ in fresh], "name": [n for _, n in fresh]})
    return known | made, fresh


_WARNINGS = 100
"""Warnings that a growing source keeps."""


def write_sources(
    cursor: Cursor, dataset: int, first: int, imports: Sequence[Import], receipts: Sequence[Receipt]
) -> None:
    """Write what came of files, whose ids follow the first one."""
    columns = {
        "id": [first + i for i in range(len(imports))],
        "name": [imported.source for imported in imports],
        "sha256": [imported.sha256 for imported in imports],
        "format": [imported.format for imported in imports],
        "n_trials": [receipt.n_trials for receipt in receipts],
        "report": [_json(_reported(receipt)) for receipt in receipts],
    }
    insert(cursor, "source", columns, dataset=dataset, imported=datetime.now())


def grow_source(cursor: Cursor, id: int, receipt: Receipt) -> None:
    """Add to a source's number of trials, and to its report what it does not say yet."""
    row, more = one(cursor, "SELECT report FROM source WHERE id = ?", [id]), _reported(receipt)
    report = json.loads(row[0]) if row else {"skipped": [], "warnings": []}
    report["skipped"] += more["skipped"]
    report["warnings"] = list(dict.fromkeys([*report["warnings"], *more["warnings"]]))[:_WARNINGS]
    cursor.execute(
        "UPDATE source SET n_trials = n_trials + ?, report = ? WHERE id = ?", [receipt.n_trials, _json(report), id]
    )


def _reported(receipt: Receipt) -> dict[str, list[Any]]:
    return {"skipped": [asdict(s) for s in receipt.skipped], "warnings": list(receipt.warnings)}


def _json(report: object) -> str:
    return json.dumps(report, ensure_ascii=False)
