"""Datasets at a glance: which there are, what each holds, counted once per change, what a deleted one takes along."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.codec import FloatArray, fields_of
from core.errors import StoreError
from core.store._connection import Connection, Cursor, Part, every, one
from core.store._narrow import count_values, is_beyond_memory, n_trials
from core.store._parquet.registered import read_folder
from core.store._parquet.summary import FolderSummary
from core.store._read import read_metrics, read_owners, read_values
from core.store._rows import dataset_id, named
from core.store._rules import why_hidden
from core.store.cards import DatasetCard, MetricCard, SourceCard
from core.trial import PLAN, Arrival, Kind, Metric, Skipped

Row = tuple[Any, ...]
_COUNTED = "n_trials n_applications n_inputs n_machines"
_HOLDS = """
    SELECT d.id,
      (SELECT [count(*), count(DISTINCT application), count(DISTINCT input), count(DISTINCT machine)]
        FROM trial WHERE dataset = d.id),
      (SELECT count(DISTINCT e.trial) FROM exclusion e JOIN trial t ON t.number = e.trial WHERE t.dataset = d.id),
      (SELECT list([name, kind, unit] ORDER BY id) FROM metric WHERE dataset = d.id),
      EXISTS (SELECT 1 FROM folder WHERE dataset = d.id)
    FROM dataset d WHERE d.id = ANY(?)
"""
"""What datasets hold: counts of trials and of what they name, of excluded trials; metrics.

Last whether it is a folder, so that none is looked up for the others.
"""


def dataset_cards(cursor: Cursor, rows: Sequence[Row]) -> dict[int, DatasetCard]:
    """Count what datasets hold, all of them in one query; of a folder, say what was counted when it was added.

    One that is deleted meanwhile has none.

    Parameters
    ----------
    rows : of each, its id, name, when it was made and its revision
    """
    counted = {home: rest for home, *rest in every(cursor, _HOLDS, [[row[0] for row in rows]])}
    there = (row for row in rows if row[0] in counted)
    return {row[0]: _card(cursor, row, *counted[row[0]]) for row in there}


def _card(cursor: Cursor, row: Row, counts: list[int], n_excluded: int, metrics: Any, away: bool) -> DatasetCard:
    home, name, created, revision = row
    folder = read_folder(cursor, home) if away else None
    if folder is not None:
        n_metrics, responses = len(folder.roles.metrics), folder.roles.responses
        counted, at = fields_of(folder, _COUNTED), folder.shown
    else:
        known = [Metric(str(metric), Kind(kind), str(unit)) for metric, kind, unit in metrics or ()]
        n_metrics, responses = len(known), tuple(m for m in known if m.kind == Kind.RESPONSE)
        counted, at = dict(zip(_COUNTED.split(), counts, strict=True)), ""
    return DatasetCard(
        name=name,
        created=created,
        **counted,
        n_excluded=n_excluded,
        n_metrics=n_metrics,
        responses=responses,
        revision=revision,
        folder=at,
    )


def folder_metrics(summary: FolderSummary) -> tuple[MetricCard, ...]:
    """Return the metrics of a folder with their ranges over all of its rows."""
    return tuple(MetricCard(m.metric, m.n_values, m.n_missing, m.n_distinct, m.low, m.high) for m in summary.metrics)


def _source_card(row: Row) -> SourceCard:
    """Return a source's row with its report read."""
    name, sha256, format, imported, n_trials, text = row
    report = json.loads(text)
    skipped = tuple(Skipped(**s) for s in report["skipped"])
    return SourceCard(name, sha256, format, imported, n_trials, skipped, tuple(report["warnings"]))


def metric_cards(cursor: Cursor, home: int) -> tuple[MetricCard, ...]:
    """Return the metrics of a dataset with their ranges over its trials."""
    known = read_metrics(cursor, home)
    hidden = why_hidden(cursor, home)
    rows = every(cursor, "SELECT name, original, rule FROM metric WHERE dataset = ?", [home])
    more = {str(name): (str(original), hidden.get(str(name), ""), str(rule)) for name, original, rule in rows}
    if is_beyond_memory(cursor, home):
        n = n_trials(cursor, home)
        counted = {m: count_values(cursor, home, id) for id, m in known.values()}
        return tuple(MetricCard(m, k, n - k, d, low, high, *more[m.name]) for m, (k, d, low, high) in counted.items())
    values = read_values(cursor, read_owners(cursor, home), [id for id, _ in known.values()])
    return tuple(_metric_card(m, values[:, j], *more[m.name]) for j, (_, m) in enumerate(known.values()))


def _delete(cursor: Cursor, home: int) -> None:
    """Delete a dataset with all that is below it."""
    for owner, ids, tables in _BELOW:
        for table in tables.split():
            cursor.execute(f"DELETE FROM {table} WHERE {owner} IN ({ids})", [home])
    for table in _OF_DATASETS.split():
        cursor.execute(f"DELETE FROM {table} WHERE dataset = ?", [home])
    cursor.execute("DELETE FROM dataset WHERE id = ?", [home])


def _metric_card(metric: Metric, values: FloatArray, original: str, hidden: str, rule: str) -> MetricCard:
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (None, None)
    n_distinct = len(np.unique(known))
    return MetricCard(metric, len(known), len(values) - len(known), n_distinct, low, high, original, hidden, rule)


_OF_DATASETS = "trial application machine metric source audit race_run folder experiment experiment_result"
_INPUTS = "SELECT i.id FROM input i JOIN application a ON a.id = i.application WHERE a.dataset = ?"
_BELOW = (
    ("trial", "SELECT number FROM trial WHERE dataset = ?", "exclusion trial_label measurement"),
    ("input", _INPUTS, "input_label input_metric"),
    ("machine", "SELECT id FROM machine WHERE dataset = ?", "machine_label machine_metric"),
    ("metric", "SELECT id FROM metric WHERE dataset = ?", "hidden_metric"),
    ("id", _INPUTS, "input"),
)
"""What is below a dataset: the column of an owner, the owners of the dataset, and the tables with that column."""
_ROWS = "SELECT id, name, created, revision FROM dataset"


class Datasets(Part):
    """What there is. A dataset's card is counted again when its revision has moved on."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._cards: dict[int, DatasetCard] = {}

    def all(self) -> tuple[DatasetCard, ...]:
        """Return what datasets there are, by name."""
        with self._connection.reading() as cursor:
            return self._known(cursor, self._rows())

    def get(self, name: str) -> DatasetCard | None:
        """Return one dataset at a glance, or None if there is none of that name."""
        with self._connection.reading() as cursor:
            row = one(cursor, f"{_ROWS} WHERE name = ?", [name])
            return next(iter(self._known(cursor, [row])), None) if row else None

    def names(self) -> tuple[str, ...]:
        """Return the datasets' names, in order, without counting anything."""
        return tuple(str(row[1]) for row in self._rows())

    def arrivals(self, dataset: str) -> tuple[Arrival, ...]:
        """Return what came together, in the order it came; nothing of a folder."""
        with self._connection.reading() as cursor:
            rows = every(
                cursor,
                "SELECT coalesce(l.value, s.name) AS title, coalesce(l.value, s.id::VARCHAR) AS part, "
                "min(s.imported) AS came, list(t.id::VARCHAR) FROM trial t JOIN source s ON s.id = t.source "
                "LEFT JOIN trial_label l ON l.trial = t.number AND l.name = ? WHERE t.dataset = ? "
                "GROUP BY title, part ORDER BY came, min(t.number)",
                [PLAN, dataset_id(cursor, dataset)],
            )
        return tuple(Arrival(str(title), when, frozenset(ids)) for title, _, when, ids in rows)

    def sources(self, dataset: str) -> tuple[SourceCard, ...]:
        """Return the files that were imported into a dataset, in order; a folder is one."""
        with self._connection.reading() as cursor:
            home = dataset_id(cursor, dataset)
            if (folder := read_folder(cursor, home)) is not None:
                stamp, n = folder.fingerprint, folder.n_trials
                return (SourceCard(folder.shown, stamp, "parquet folder", folder.added, n, (), ()),)
            sql = "SELECT name, sha256, format, imported, n_trials, report FROM source WHERE dataset = ? ORDER BY id"
            rows = every(cursor, sql, [home])
        return tuple(_source_card(row) for row in rows)

    def rename(self, name: str, new_name: str) -> None:
        """Give a dataset another name."""
        wanted = named(new_name, "dataset")

        def work(cursor: Cursor) -> None:
            home = dataset_id(cursor, name)
            if one(cursor, "SELECT 1 FROM dataset WHERE name = ? AND id <> ?", [wanted, home]):
                raise StoreError(f"There is a dataset '{wanted}' already. Choose another name.")
            cursor.execute("UPDATE dataset SET name = ?, revision = revision + 1 WHERE id = ?", [wanted, home])

        self._connection.write(work)

    def delete(self, name: str) -> None:
        """Delete a dataset with its trials; models trained from it stay."""
        self._connection.write(lambda cursor: _delete(cursor, dataset_id(cursor, name)))

    def stamp(self, name: str) -> str:
        """Return a text that changes with every change to a dataset, its name among them; "" if there is none."""
        return " ".join(str(own) for row in self._rows() if row[1] == name for own in row)

    def _rows(self) -> list[Row]:
        return self._connection.unchanged("datasets", lambda: self._connection.every(f"{_ROWS} ORDER BY name"))

    def _known(self, cursor: Cursor, rows: Sequence[Row]) -> tuple[DatasetCard, ...]:
        """Return the cards of datasets, counting those anew that changed."""
        seen = {home: (card.name, card.created, card.revision) for home, card in self._cards.items()}
        changed = [row for row in rows if seen.get(row[0]) != row[1:]]
        self._cards |= dataset_cards(cursor, changed) if changed else {}
        return tuple(self._cards[row[0]] for row in rows if row[0] in self._cards)
