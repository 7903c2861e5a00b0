"""Store one import: names first, then trials, values and labels, all in the caller's transaction."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime

import numpy as np

from core.codec import IntArray
from core.errors import StoreError
from core.store._connection import Cursor, one
from core.store._facts import write_facts, write_labels, write_values
from core.store._machines import offer
from core.store._metric_ids import MetricIds
from core.store._names import Names, name_ids, pair
from core.store._rows import dataset_id, insert, next_id, touch
from core.store.cards import Receipt
from core.trial import Import, Kind, Skipped, Trials

_NAMESPACE = uuid.UUID("6f1b7f0c-52a5-5d5b-9a3e-1d6f0f5b8f11")
_WARNINGS = 100
"""Warnings that a growing source keeps."""


def add_parts(cursor: Cursor, dataset: str, parts: Iterable[Import]) -> Receipt:
    """Store one file that is read in parts, one in memory at a time, as one source.

    Parameters
    ----------
    parts : with the same source, hash and format; each with further trials

    Raises
    ------
    StoreError
        If there is no part, or a value contradicts what the dataset knows.
    """
    whole: Receipt | None = None
    for part in parts:
        receipt = add_import(cursor, dataset, part, grows=whole is not None)
        whole = receipt if whole is None else _joined(whole, receipt)
        if whole.already is not None:
            break
    if whole is None:
        raise StoreError("There is nothing to store.")
    return whole


def _joined(a: Receipt, b: Receipt) -> Receipt:
    return replace(
        a,
        n_trials=a.n_trials + b.n_trials,
        n_known=a.n_known + b.n_known,
        n_metrics=max(a.n_metrics, b.n_metrics),
        skipped=(*a.skipped, *b.skipped),
        warnings=tuple(dict.fromkeys([*a.warnings, *b.warnings])),
    )


def add_import(cursor: Cursor, dataset: str, imported: Import, *, grows: bool = False) -> Receipt:
    """Store an import, unless this very file is in the dataset already.

    Parameters
    ----------
    grows : whether further trials are added to the source of this hash, which is made if need be

    Raises
    ------
    StoreError
        If a value contradicts what the dataset knows of a machine or an input.
    """
    home = dataset_id(cursor, dataset, create=True)
    before = one(
        cursor, "SELECT imported, id, n_trials FROM source WHERE dataset = ? AND sha256 = ?", [home, imported.sha256]
    )
    _check_values(imported)
    adding = _Adding(cursor, home, dataset, imported)
    touch(cursor, home)
    if before is None:
        return adding.run()
    return adding.run(int(before[1]), int(before[2])) if grows else adding.facts_only(before[0])


class _Adding:
    """One import under way."""

    def __init__(self, cursor: Cursor, home: int, dataset: str, imported: Import) -> None:
        self.cursor, self.home, self.dataset, self.imported = cursor, home, dataset, imported
        self.metrics = MetricIds(cursor, home, imported.format, imported.original_units)

    def run(self, source: int | None = None, there: int = 0) -> Receipt:
        """Store all of it, in a source of its own or after the trials that are `there` in another."""
        trials, ids = _new_trials(self.cursor, self.home, self.dataset, self.imported, there)
        n_known = len(self.imported.trials) - len(trials)
        names = name_ids(self.cursor, self.home, self.imported)
        home = source or next_id(self.cursor, "source")
        numbers = self._write_trials(trials, ids, names, home, there)
        metrics = self.metrics.ids(trials.metrics)
        write_values(self.cursor, "measurement", "trial", metrics, numbers, trials.values)
        write_labels(self.cursor, "trial", trials.labels, numbers)
        self._write_all_facts(names)
        warnings = self._warnings(names, n_known, all_machines=source is None)
        if source is None:
            self._write_source(home, len(trials), warnings)
        else:
            _grow_source(self.cursor, home, len(trials), self.imported.skipped, warnings)
        return Receipt(
            self.dataset, self.imported.format, len(trials), _n_metrics(self.imported),
            self.imported.skipped, warnings, n_known=n_known,
        )  # fmt: skip

    def facts_only(self, before: datetime) -> Receipt:
        """Store what a known file now says of machines and inputs besides; its trials are there."""
        names = name_ids(self.cursor, self.home, self.imported)
        fresh = self._write_all_facts(names)
        said = f"{self.imported.source} was already imported on {before:%Y-%m-%d %H:%M}"
        added = f"{fresh} values of machines and inputs were added" if fresh else "nothing was stored"
        return Receipt(
            self.dataset,
            self.imported.format,
            0,
            _n_metrics(self.imported),
            warnings=(*self.imported.warnings, *self.metrics.warnings),
            already=f"{said}; {added}",
        )

    def _write_all_facts(self, names: Names) -> int:
        """Write what is known of inputs and machines; return how many values were new."""
        n = 0
        if (inputs := self.imported.inputs) is not None:
            owners = [names.inputs[pair(k)] for k in inputs.keys]
            n += write_facts(self.cursor, "input", inputs, self.metrics.ids(inputs.metrics), owners, self.dataset)
        if (machines := self.imported.machines) is not None:
            owners = [names.machines[k[0]] for k in machines.keys]
            n += write_facts(self.cursor, "machine", machines, self.metrics.ids(machines.metrics), owners, self.dataset)
        return n

    def _warnings(self, names: Names, n_known: int, *, all_machines: bool) -> tuple[str, ...]:
        known = [f"{n_known} trials were in the dataset already, by their ids, and were not stored again"]
        looked_at = names.machines.keys() & set(self.imported.trials.machine) if all_machines else names.new_machines
        return (
            *self.imported.warnings,
            *self.metrics.warnings,
            *(known if n_known else []),
            *offer(self.cursor, self.home, looked_at),
        )

    def _write_source(self, id: int, n_trials: int, warnings: Sequence[str]) -> None:
        report = {"skipped": [asdict(s) for s in self.imported.skipped], "warnings": list(warnings)}
        self.cursor.execute(
            "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                id, self.home, self.imported.source, self.imported.sha256, self.imported.format,
                datetime.now(), n_trials, json.dumps(report, ensure_ascii=False),
            ],
        )  # fmt: skip

    def _write_trials(self, trials: Trials, ids: list[str], names: Names, source: int, there: int) -> IntArray:
        n = len(trials)
        numbers = np.arange(n, dtype=np.int64) + next_id(self.cursor, "trial", "number")
        settings = _settings(trials)
        inputs = [names.inputs[key] for key in zip(trials.application, trials.input, strict=True)]
        machines = [names.machines[m] for m in trials.machine]
        columns = {
            "number": numbers,
            "id": ids,
            "dataset": np.full(n, self.home),
            "application": [names.applications[a] for a in trials.application],
            "input": inputs,
            "machine": machines,
            "run": self._runs(list(zip(inputs, machines, settings, strict=True))),
            "setting": settings,
            "source": np.full(n, source),
            "position": np.arange(n) + there,
        }
        insert(self.cursor, "trial", columns)
        return numbers

    def _runs(self, configurations: list[tuple[int, int, str]]) -> list[int]:
        """Number repeats of one configuration from 1 on, over all imports of the dataset."""
        rows = self.cursor.execute(
            "SELECT input, machine, setting, max(run) FROM trial "
            "WHERE dataset = ? AND input IN (SELECT unnest(?::INTEGER[])) GROUP BY ALL",
            [self.home, list({i for i, _, _ in configurations})],
        ).fetchall()
        last = {(int(i), int(m), str(s)): int(run) for i, m, s, run in rows}
        runs = []
        for configuration in configurations:
            last[configuration] = last.get(configuration, 0) + 1
            runs.append(last[configuration])
        return runs


def _new_trials(
    cursor: Cursor, home: int, dataset: str, imported: Import, there: int
) -> tuple[Trials, list[str]]:  # fmt: skip
    """Return the trials that are not in the dataset yet, with their ids; one id counts once."""
    trials = imported.trials
    made = _made_ids(f"{dataset}\x1f{imported.sha256}", there, len(trials))
    if not any(trials.ids):
        return trials, made
    ids = [_uuid(text, imported.source) or id for text, id in zip(trials.ids, made, strict=True)]
    rows = cursor.execute(
        "SELECT t.id::VARCHAR FROM (SELECT unnest(?::UUID[]) AS id) w JOIN trial t ON t.id = w.id WHERE t.dataset = ?",
        [list(dict.fromkeys(ids)), home],
    ).fetchall()
    first = {id: i for i, id in reversed(list(enumerate(ids)))}
    for (known,) in rows:
        del first[str(known)]
    keep = sorted(first.values())
    return (trials if len(keep) == len(ids) else _take(trials, keep)), [ids[i] for i in keep]


def _made_ids(stem: str, start: int, n: int) -> list[str]:
    """Return the UUIDs (version 5) of the places in a source, from `start` on."""
    whole = hashlib.sha1(_NAMESPACE.bytes + f"{stem}\x1f".encode(), usedforsecurity=False)
    ids = []
    for i in range(start, start + n):
        one = whole.copy()
        one.update(b"%d" % i)
        raw = bytearray(one.digest()[:16])
        raw[6] = raw[6] & 0x0F | 0x50
        raw[8] = raw[8] & 0x3F | 0x80
        text = raw.hex()
        ids.append(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")
    return ids


def _take(trials: Trials, rows: list[int]) -> Trials:
    """Return some trials; what the database does not keep is left out."""
    return replace(
        trials,
        application=tuple(trials.application[i] for i in rows),
        input=tuple(trials.input[i] for i in rows),
        machine=tuple(trials.machine[i] for i in rows),
        values=trials.values[rows],
        labels={name: tuple(texts[i] for i in rows) for name, texts in trials.labels.items()},
        where=(),
        execution=(),
        ids=(),
    )


def _uuid(text: str, source: str) -> str:
    try:
        return str(uuid.UUID(text)) if text else ""
    except ValueError:
        raise StoreError(f"{source}: the trial id '{text[:80]}' is no UUID; nothing was stored.") from None


def _grow_source(
    cursor: Cursor, id: int, n_trials: int, skipped: Sequence[Skipped], warnings: Sequence[str]
) -> None:  # fmt: skip
    """Add to a source's number of trials, and to its report what it does not say yet."""
    row = one(cursor, "SELECT report FROM source WHERE id = ?", [id])
    report = json.loads(row[0]) if row else {"skipped": [], "warnings": []}
    report["skipped"] += [asdict(s) for s in skipped]
    said = dict.fromkeys([*report["warnings"], *warnings])
    report["warnings"] = list(said)[:_WARNINGS]
    cursor.execute(
        "UPDATE source SET n_trials = n_trials + ?, report = ? WHERE id = ?",
        [n_trials, json.dumps(report, ensure_ascii=False), id],
    )


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
    for part in (imported.trials, imported.machines, imported.inputs):
        if part is not None and np.isinf(part.values).any():
            j = int(np.argwhere(np.isinf(part.values))[0][1])
            raise StoreError(
                f"{imported.source}: metric '{part.metrics[j].name}' is infinite somewhere; nothing was stored."
            )


def _n_metrics(imported: Import) -> int:
    parts = (imported.trials, imported.machines, imported.inputs)
    return len({m.name for part in parts if part is not None for m in part.metrics})
