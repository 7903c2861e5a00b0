"""Store one import: names first, then trials, values and labels, all in the caller's transaction."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import StoreError
from core.store._connection import Cursor, one
from core.store.cards import Receipt
from core.trial import Facts, Import, Kind, Metric, Trials

_NAMESPACE = uuid.UUID("6f1b7f0c-52a5-5d5b-9a3e-1d6f0f5b8f11")


def add_import(cursor: Cursor, dataset: str, imported: Import) -> Receipt:
    """Store an import, unless this very file is in the dataset already.

    Raises
    ------
    StoreError
        If a value contradicts what the dataset knows of a machine or an input.
    """
    home = dataset_id(cursor, dataset, create=True)
    before = one(cursor, "SELECT imported FROM source WHERE dataset = ? AND sha256 = ?", [home, imported.sha256])
    _check_values(imported)
    if before is not None:
        return _Adding(cursor, home, dataset, imported).facts_only(before[0])
    return _Adding(cursor, home, dataset, imported).run()


class _Adding:
    """One import under way."""

    def __init__(self, cursor: Cursor, home: int, dataset: str, imported: Import) -> None:
        self.cursor, self.home, self.dataset, self.imported = cursor, home, dataset, imported
        self.warnings = list(imported.warnings)
        self.source = _next_id(cursor, "source")
        self.metrics: dict[Metric, int] = {}

    def run(self) -> Receipt:
        """Store all of it."""
        trials = self.imported.trials
        self._write_source(trials)
        applications, inputs, machines = self._all_names()
        numbers = self._write_trials(trials, applications, inputs, machines)
        self._write_values("measurement", "trial", trials.metrics, numbers, trials.values)
        self._write_labels("trial", trials.labels, numbers)
        self._write_all_facts(inputs, machines)
        return Receipt(
            self.dataset, self.imported.format, len(trials), _n_metrics(self.imported),
            self.imported.skipped, tuple(self.warnings),
        )  # fmt: skip

    def facts_only(self, before: datetime) -> Receipt:
        """Store what a known file now says of machines and inputs besides; its trials are there."""
        _, inputs, machines = self._all_names()
        fresh = self._write_all_facts(inputs, machines)
        said = f"{self.imported.source} was already imported on {before:%Y-%m-%d %H:%M}"
        added = f"{fresh} values of machines and inputs were added" if fresh else "nothing was stored"
        return Receipt(
            self.dataset,
            self.imported.format,
            0,
            _n_metrics(self.imported),
            warnings=tuple(self.warnings),
            already=f"{said}; {added}",
        )

    def _all_names(self) -> tuple[dict[tuple[int, str], int], dict[tuple[str, str], int], dict[tuple[int, str], int]]:
        """Return the ids of applications, inputs and machines, making those that are new."""
        trials = self.imported.trials
        every = dict.fromkeys(trials.application, self.home)
        applications = self._names("application", "dataset", every, self._more(0))
        every = dict.fromkeys(trials.machine, self.home)
        machines = self._names("machine", "dataset", every, self._more_machines())
        return applications, self._inputs(trials, applications), machines

    def _write_all_facts(self, inputs: Mapping[tuple[str, str], int], machines: Mapping[tuple[int, str], int]) -> int:
        """Write what is known of inputs and machines; return how many values were new."""
        n = 0
        if self.imported.inputs:
            n += self._write_facts("input", self.imported.inputs, [inputs[_pair(k)] for k in self.imported.inputs.keys])
        if self.imported.machines:
            owners = [machines[(self.home, k[0])] for k in self.imported.machines.keys]
            n += self._write_facts("machine", self.imported.machines, owners)
        return n

    def _write_source(self, trials: Trials) -> None:
        report = {
            "skipped": [asdict(s) for s in self.imported.skipped],
            "warnings": list(self.imported.warnings),
        }
        self.cursor.execute(
            "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                self.source, self.home, self.imported.source, self.imported.sha256, self.imported.format,
                datetime.now(), len(trials), json.dumps(report, ensure_ascii=False),
            ],
        )  # fmt: skip

    def _more(self, part: int) -> list[str]:
        return [key[part] for key in self.imported.inputs.keys] if self.imported.inputs else []

    def _more_machines(self) -> list[str]:
        return [key[0] for key in self.imported.machines.keys] if self.imported.machines else []

    def _names(
        self, table: str, owner: str, wanted: Mapping[str, int], more: Iterable[str] = ()
    ) -> dict[tuple[int, str], int]:
        """Return the ids of names under the dataset, making those that are new."""
        pairs = {(home, name) for name, home in wanted.items()} | {(self.home, name) for name in more}
        return self._ids(table, owner, pairs)

    def _inputs(self, trials: Trials, applications: Mapping[tuple[int, str], int]) -> dict[tuple[str, str], int]:
        named = set(zip(trials.application, trials.input, strict=True))
        named |= {_pair(key) for key in self.imported.inputs.keys} if self.imported.inputs else set()
        ids = self._ids("input", "application", {(applications[(self.home, a)], i) for a, i in named})
        return {(a, i): ids[(applications[(self.home, a)], i)] for a, i in named}

    def _ids(self, table: str, owner: str, pairs: set[tuple[int, str]]) -> dict[tuple[int, str], int]:
        rows = self.cursor.execute(f"SELECT {owner}, name, id FROM {table}").fetchall()
        known = {(int(o), str(n)): int(i) for o, n, i in rows}
        fresh = sorted(pairs - known.keys())
        start = _next_id(self.cursor, table)
        made = {pair: start + k for k, pair in enumerate(fresh)}
        if fresh:
            columns = {
                "id": list(made.values()),
                "owner": [o for o, _ in fresh],
                "name": [n for _, n in fresh],
            }
            insert(self.cursor, table, columns)
        return known | made

    def _write_trials(
        self, trials: Trials, applications: Mapping[tuple[int, str], int],
        inputs: Mapping[tuple[str, str], int], machines: Mapping[tuple[int, str], int],
    ) -> IntArray:  # fmt: skip
        n = len(trials)
        numbers = np.arange(n, dtype=np.int64) + _next_id(self.cursor, "trial", "number")
        stem = f"{self.dataset}\x1f{self.imported.sha256}"
        settings = _settings(trials)
        of_input = [inputs[pair] for pair in zip(trials.application, trials.input, strict=True)]
        of_machine = [machines[(self.home, m)] for m in trials.machine]
        columns = {
            "number": numbers,
            "id": [str(uuid.uuid5(_NAMESPACE, f"{stem}\x1f{i}")) for i in range(n)],
            "dataset": np.full(n, self.home),
            "application": [applications[(self.home, a)] for a in trials.application],
            "input": of_input,
            "machine": of_machine,
            "run": self._runs(list(zip(of_input, of_machine, settings, strict=True))),
            "setting": settings,
            "source": np.full(n, self.source),
            "position": np.arange(n),
        }
        if n:
            insert(self.cursor, "trial", columns)
        return numbers

    def _runs(self, configurations: list[tuple[int, int, str]]) -> list[int]:
        """Number repeats of one configuration from 1 on, over all imports of the dataset."""
        rows = self.cursor.execute(
            "SELECT input, machine, setting, max(run) FROM trial WHERE dataset = ? GROUP BY ALL", [self.home]
        ).fetchall()
        last = {(int(i), int(m), str(s)): int(run) for i, m, s, run in rows}
        runs = []
        for configuration in configurations:
            last[configuration] = last.get(configuration, 0) + 1
            runs.append(last[configuration])
        return runs

    def _metric(self, metric: Metric) -> int:
        """Return a metric's id; the same name with another unit becomes `name [unit]`."""
        if metric in self.metrics:
            return self.metrics[metric]
        rows = self.cursor.execute("SELECT name, unit, id FROM metric WHERE dataset = ?", [self.home]).fetchall()
        known = {str(name): (str(unit), int(id)) for name, unit, id in rows}
        name = metric.name
        if name in known and metric.unit not in ("", known[name][0]):
            self.warnings.append(
                f"metric '{name}' is in {metric.unit} here and in {known[name][0] or 'no unit'} in the dataset: "
                f"it is kept apart as '{name} [{metric.unit}]'"
            )
            name = f"{name} [{metric.unit}]"
        if name not in known:
            known[name] = (metric.unit, _next_id(self.cursor, "metric"))
            row = [known[name][1], self.home, name, str(metric.kind), metric.unit, self.imported.format]
            self.cursor.execute("INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?)", row)
        self.metrics[metric] = known[name][1]
        return known[name][1]

    def _write_values(
        self,
        table: str,
        owner: str,
        metrics: Sequence[Metric],
        owners: Sequence[int] | IntArray,
        values: FloatArray,
    ) -> None:
        ids = np.array([self._metric(m) for m in metrics], dtype=np.int64)
        order = np.argsort(ids)
        by_metric = values.T[order]
        column, row = np.nonzero(~np.isnan(by_metric))
        if len(row):
            numbers = np.asarray(owners, dtype=np.int64)
            insert(
                self.cursor,
                table,
                {"metric": ids[order][column], owner: numbers[row], "value": by_metric[column, row]},
            )

    def _write_labels(self, owner: str, labels: Mapping[str, Sequence[str]], owners: Sequence[int] | IntArray) -> None:
        for name, texts in labels.items():
            rows = [(int(o), t) for o, t in zip(owners, texts, strict=True) if t]
            if rows:
                columns = {
                    owner: [o for o, _ in rows],
                    "name": [name] * len(rows),
                    "value": [t for _, t in rows],
                }
                insert(self.cursor, f"{owner}_label", columns)

    def _write_facts(self, owner: str, facts: Facts, owners: list[int]) -> int:
        """Write facts that are new and return how many; refuse those that contradict the dataset."""
        ids = [self._metric(m) for m in facts.metrics]
        rows = self.cursor.execute(f"SELECT metric, {owner}, value FROM {owner}_metric").fetchall()
        known = {(int(m), int(o)): float(v) for m, o, v in rows}
        values = facts.values.copy()
        for j, metric in enumerate(ids):
            for i, who in enumerate(owners):
                before = known.get((metric, who))
                if before is None or np.isnan(values[i, j]):
                    continue
                if before != values[i, j]:
                    raise StoreError(_contradiction(owner, facts, i, j, before, self.dataset))
                values[i, j] = np.nan
        self._write_values(f"{owner}_metric", owner, facts.metrics, owners, values)
        self._write_fact_labels(owner, facts, owners)
        return int((~np.isnan(values)).sum())

    def _write_fact_labels(self, owner: str, facts: Facts, owners: list[int]) -> None:
        rows = self.cursor.execute(f"SELECT DISTINCT {owner}, name FROM {owner}_label").fetchall()
        known = {(int(o), str(n)) for o, n in rows}
        for name, texts in facts.labels.items():
            fresh = [(o, t) for o, t in zip(owners, texts, strict=True) if (o, name) not in known]
            self._write_labels(owner, {name: [t for _, t in fresh]}, [o for o, _ in fresh])


def dataset_id(cursor: Cursor, name: str, *, create: bool = False) -> int:
    """Return a dataset's id, making it if asked.

    Raises
    ------
    StoreError
        If there is none of that name, or the name is empty.
    """
    if not name.strip():
        raise StoreError("A dataset needs a name.")
    row = one(cursor, "SELECT id FROM dataset WHERE name = ?", [name])
    if row is not None:
        return int(row[0])
    if not create:
        names = [str(r[0]) for r in cursor.execute("SELECT name FROM dataset ORDER BY name").fetchall()]
        raise StoreError(f"There is no dataset '{name}'; there are: {', '.join(names) or 'none'}.")
    fresh = _next_id(cursor, "dataset")
    cursor.execute("INSERT INTO dataset VALUES (?, ?, ?)", [fresh, name, datetime.now()])
    return fresh


def insert(cursor: Cursor, table: str, columns: Mapping[str, Any]) -> None:
    """Insert columns of equal length, in the table's column order, in one statement."""
    import pandas as pd

    rows = pd.DataFrame(columns)
    cursor.register("rows_to_insert", rows)
    try:
        cursor.execute(f"INSERT INTO {table} SELECT * FROM rows_to_insert")
    finally:
        cursor.unregister("rows_to_insert")


def _settings(trials: Trials) -> list[str]:
    """Return per trial its parameter values as one text, so that repeats can be told from settings."""
    columns = [j for j, m in enumerate(trials.metrics) if m.kind == Kind.PARAMETER]
    texts = [n for n in trials.parameters if n in trials.labels]
    if not columns and not texts:
        return [""] * len(trials)
    rows = [[f"{trials.metrics[j].name}={value!r}" for j, value in zip(columns, row, strict=True)]
            for row in trials.values[:, columns].tolist()]  # fmt: skip
    for i, row in enumerate(rows):
        row += [f"{name}={trials.labels[name][i]}" for name in texts]
    return ["; ".join(row) for row in rows]


def _check_values(imported: Import) -> None:
    parts = [("trials", imported.trials), ("machines", imported.machines), ("inputs", imported.inputs)]
    for _, part in parts:
        if part is not None and np.isinf(part.values).any():
            j = int(np.argwhere(np.isinf(part.values))[0][1])
            raise StoreError(
                f"{imported.source}: metric '{part.metrics[j].name}' is infinite somewhere; nothing was stored."
            )


def _contradiction(owner: str, facts: Facts, i: int, j: int, before: float, dataset: str) -> str:
    who = " / ".join(k for k in facts.keys[i] if k)
    return (
        f"Metric '{facts.metrics[j].name}' of {owner} '{who}' is {facts.values[i, j]:.17g} here and {before:.17g} "
        f"in dataset '{dataset}'. Import into another dataset, or correct one of the two; nothing was stored."
    )


def _n_metrics(imported: Import) -> int:
    parts = (imported.trials, imported.machines, imported.inputs)
    return len({m.name for part in parts if part is not None for m in part.metrics})


def _next_id(cursor: Cursor, table: str, column: str = "id") -> int:
    row = one(cursor, f"SELECT coalesce(max({column}), 0) + 1 FROM {table}")
    return int(row[0]) if row else 1


def _pair(key: tuple[str, ...]) -> tuple[str, str]:
    return (key[0], key[1] if len(key) > 1 else "")
