"""The database of one user: datasets in, frames out, models and jobs kept."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from core.errors import StoreError
from core.store._add import add_import, dataset_id, insert
from core.store._connection import Connection, Cursor, one
from core.store._frame import build_frame
from core.store._read import read_metrics, read_table, read_values, select, take
from core.store._records import Records, interrupt_jobs
from core.store._schema import prepare
from core.store.backup import back_up
from core.store.cards import Condition, DatasetCard, ExclusionCard, MetricCard, Receipt, SourceCard
from core.trial import Frame, Import, Kind, Metric, Skipped

if TYPE_CHECKING:
    import pandas as pd


class Store(Records):
    """One DuckDB file, owned by this process while it is open; safe to use from many threads.

    Writes run one after another, each in one transaction; every method uses a cursor of its own.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the database, or make it; takes ownership until `close`.

        Raises
        ------
        StoreError
            If another process owns it, it is damaged, of a newer version, or of something else.
        """
        connection = Connection(path, path.resolve().parent / "backups")
        try:
            prepare(connection)
            interrupt_jobs(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Where the database is."""
        return self._connection.path

    # --- datasets ---

    def add(self, dataset: str, imported: Import) -> Receipt:
        """Store an import whole, or raise and store nothing; a file already there is recognised."""
        return self.add_all(dataset, [imported])[0]

    def add_all(self, dataset: str, imports: Sequence[Import]) -> tuple[Receipt, ...]:
        """Store several imports in one transaction."""
        return self._connection.write(lambda c: tuple(add_import(c, dataset.strip(), i) for i in imports))

    def datasets(self) -> tuple[DatasetCard, ...]:
        """Return what datasets there are, by name."""
        with self._connection.reading() as cursor:
            rows = cursor.execute("SELECT id, name, created FROM dataset ORDER BY name").fetchall()
            return tuple(_dataset_card(cursor, *row) for row in rows)

    def sources(self, dataset: str) -> tuple[SourceCard, ...]:
        """Return the files that were imported into a dataset, in order."""
        with self._connection.reading() as cursor:
            rows = cursor.execute(
                "SELECT name, sha256, format, imported, n_trials, report FROM source WHERE dataset = ? ORDER BY id",
                [dataset_id(cursor, dataset)],
            ).fetchall()
        return tuple(_source_card(row) for row in rows)

    def rename_dataset(self, name: str, new_name: str) -> None:
        """Give a dataset another name."""
        wanted = new_name.strip()

        def rename(cursor: Cursor) -> None:
            home = dataset_id(cursor, name)
            if not wanted or one(cursor, "SELECT 1 FROM dataset WHERE name = ? AND id <> ?", [wanted, home]):
                raise StoreError(f"A dataset cannot be called '{wanted}': the name is empty or taken.")
            cursor.execute("UPDATE dataset SET name = ? WHERE id = ?", [wanted, home])

        self._connection.write(rename)

    def delete_dataset(self, name: str) -> None:
        """Delete a dataset with its trials; models trained from it stay."""
        self._connection.write(lambda c: _delete(c, dataset_id(c, name)))

    # --- metrics, trials, frames ---

    def metrics(self, dataset: str) -> tuple[MetricCard, ...]:
        """Return the metrics of a dataset with their ranges over its trials."""
        with self._connection.reading() as cursor:
            home = dataset_id(cursor, dataset)
            known = read_metrics(cursor, home)
            values = read_values(cursor, read_table(cursor, home), [id for id, _ in known.values()])
        return tuple(_metric_card(m, values[:, j]) for j, (_, m) in enumerate(known.values()))

    def metric_names(self, dataset: str) -> tuple[Metric, ...]:
        """Return the metrics of a dataset without looking at their values."""
        with self._connection.reading() as cursor:
            return tuple(m for _, m in read_metrics(cursor, dataset_id(cursor, dataset)).values())

    def labels(self, dataset: str) -> dict[str, tuple[str, ...]]:
        """Return the different values of each role and label of a dataset."""
        with self._connection.reading() as cursor:
            table = read_table(cursor, dataset_id(cursor, dataset))
        return {name: tuple(sorted(set(texts))) for name, texts in table.texts.items()}

    def frame(
        self,
        dataset: str,
        response: str,
        metrics: Sequence[str] | None = None,
        where: Sequence[Condition] = (),
    ) -> Frame:
        """Return the trials that count as a frame; see `build_frame` for the default metrics.

        Raises
        ------
        StoreError, OptionError
            If a name is unknown, or nothing is left.
        """
        with self._connection.reading() as cursor:
            return build_frame(cursor, dataset, response, metrics, where)

    def trials(self, dataset: str, where: Sequence[Condition] = (), limit: int | None = None) -> "pd.DataFrame":
        """Return trials as a table: id, roles, labels, run, why excluded, and every metric."""
        import pandas as pd

        with self._connection.reading() as cursor:
            home = dataset_id(cursor, dataset)
            table = read_table(cursor, home)
            rows = np.flatnonzero(select(cursor, home, table, where))
            table = take(table, rows[:limit])
            known = read_metrics(cursor, home)
            values = read_values(cursor, table, [id for id, _ in known.values()])
        columns = {"id": table.ids, **table.texts, "run": table.run, "excluded": table.excluded}
        head = pd.DataFrame({name: list(column) for name, column in columns.items()})
        return pd.concat([head, pd.DataFrame(values, columns=list(known))], axis=1)

    # --- exclusions ---

    def exclude(self, dataset: str, ids: Sequence[str], rule: str, reason: str) -> None:
        """Say that trials do not count, and why; nothing is deleted."""
        self._connection.write(lambda c: _exclude(c, dataset_id(c, dataset), ids, rule, reason))

    def include(self, dataset: str, ids: Sequence[str]) -> None:
        """Let trials count again."""
        self._connection.write(lambda c: _include(c, dataset_id(c, dataset), ids))

    def exclusions(self, dataset: str) -> tuple[ExclusionCard, ...]:
        """Return the trials of a dataset that do not count, and why."""
        with self._connection.reading() as cursor:
            rows = cursor.execute(
                "SELECT t.id::VARCHAR, e.rule, e.reason, e.made FROM exclusion e JOIN trial t ON t.number = e.trial "
                "WHERE t.dataset = ? ORDER BY e.made, t.number",
                [dataset_id(cursor, dataset)],
            ).fetchall()
        return tuple(ExclusionCard(*row) for row in rows)

    def backup(self) -> Path:
        """Write a consistent copy of the database beside it, under `backups/`, and return its path."""
        return back_up(self._connection, self._connection.backups)


def _dataset_card(cursor: Cursor, home: int, name: str, created: datetime) -> DatasetCard:
    counts = one(
        cursor,
        "SELECT count(*), count(DISTINCT application), count(DISTINCT input), count(DISTINCT machine) "
        "FROM trial WHERE dataset = ?",
        [home],
    ) or (0, 0, 0, 0)
    out = one(
        cursor,
        "SELECT count(*) FROM exclusion e JOIN trial t ON t.number = e.trial WHERE t.dataset = ?",
        [home],
    ) or (0,)
    metrics = [m for _, m in read_metrics(cursor, home).values()]
    files = cursor.execute("SELECT name FROM source WHERE dataset = ? ORDER BY id", [home]).fetchall()
    return DatasetCard(
        name=name,
        created=created,
        n_trials=counts[0],
        n_excluded=out[0],
        n_applications=counts[1],
        n_inputs=counts[2],
        n_machines=counts[3],
        n_metrics=len(metrics),
        responses=tuple(m for m in metrics if m.kind == Kind.RESPONSE),
        sources=tuple(str(f[0]) for f in files),
    )


def _source_card(row: tuple[str, str, str, datetime, int, str]) -> SourceCard:
    report = json.loads(row[5])
    skipped = tuple(Skipped(**s) for s in report["skipped"])
    return SourceCard(*row[:5], skipped, tuple(report["warnings"]))


def _metric_card(metric: Metric, values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> MetricCard:
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (None, None)
    return MetricCard(metric, len(known), len(values) - len(known), len(np.unique(known)), low, high)


def _delete(cursor: Cursor, home: int) -> None:
    trials = "SELECT number FROM trial WHERE dataset = ?"
    inputs = "SELECT i.id FROM input i JOIN application a ON a.id = i.application WHERE a.dataset = ?"
    machines = "SELECT id FROM machine WHERE dataset = ?"
    for table, column, owner in (
        ("exclusion", "trial", trials), ("trial_label", "trial", trials), ("measurement", "trial", trials),
        ("input_label", "input", inputs), ("input_metric", "input", inputs),
        ("machine_label", "machine", machines), ("machine_metric", "machine", machines),
    ):  # fmt: skip
        cursor.execute(f"DELETE FROM {table} WHERE {column} IN ({owner})", [home])
    cursor.execute(f"DELETE FROM input WHERE id IN ({inputs})", [home])
    for table in ("trial", "application", "machine", "metric", "source"):
        cursor.execute(f"DELETE FROM {table} WHERE dataset = ?", [home])
    cursor.execute("DELETE FROM dataset WHERE id = ?", [home])


def _numbers(cursor: Cursor, home: int, ids: Sequence[str]) -> list[int]:
    rows = cursor.execute(
        "SELECT number FROM trial WHERE dataset = ? AND list_contains(?, id::VARCHAR)", [home, list(ids)]
    ).fetchall()
    if len(rows) != len(set(ids)):
        raise StoreError(f"{len(set(ids)) - len(rows)} of the {len(set(ids))} trials are not in the dataset.")
    return [int(row[0]) for row in rows]


def _exclude(cursor: Cursor, home: int, ids: Sequence[str], rule: str, reason: str) -> None:
    numbers = _numbers(cursor, home, ids)
    cursor.execute("DELETE FROM exclusion WHERE list_contains(?, trial)", [numbers])
    n, now = len(numbers), datetime.now()
    if n:
        insert(
            cursor,
            "exclusion",
            {"trial": numbers, "rule": [rule] * n, "reason": [reason] * n, "made": [now] * n},
        )


def _include(cursor: Cursor, home: int, ids: Sequence[str]) -> None:
    cursor.execute("DELETE FROM exclusion WHERE list_contains(?, trial)", [_numbers(cursor, home, ids)])
