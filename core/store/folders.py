"""Folders of Parquet files as datasets: added by what their columns are, read in place.

Every question to stored trials can be asked of them: of a sample, drawn by hash into a database in memory.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any

import duckdb
import numpy as np

from core.codec import BoolArray
from core.errors import StoreError
from core.progress import Progress, part, silent
from core.store._add import add_imports
from core.store._connection import Connection, Cursor, Part
from core.store._parquet.registered import FolderCard, read_folder, read_summary, write_folder
from core.store._parquet.roles import FolderRoles, draw, head, import_of, texts_of, values_of
from core.store._parquet.rows import Folder, batches, open_folder
from core.store._parquet.summary import QUANTILES, FolderSummary, MetricSummary, summarize
from core.store._read import compare_numbers, compare_texts
from core.store._rows import dataset_id
from core.store.cards import Condition, Sample
from core.store.scratch import in_memory
from core.trial import Kind

__all__ = ["QUANTILES", "Folder", "FolderRoles", "FolderSummary", "Folders", "MetricSummary", "head", "open_folder"]


MOST_DRAWN = 200_000
"""Trials of a sample, where nobody says how many and they have few metrics."""
_MOST_CELLS = 20_000_000
_MANY_INPUTS = 1_000
_MEMORY = "1GB"
_KEPT = 3

_Sample = tuple[duckdb.DuckDBPyConnection, tuple[str, ...]]
"""A sample in a database of its own, and what to say of it, such as "200,000 of 20,000,000 trials, by hash"."""


class Folders(Part):
    """Datasets whose trials stay in their files: the database keeps where these are, and what they hold."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._drawing = threading.Lock()
        self._samples: OrderedDict[tuple[object, ...], _Sample] = OrderedDict()

    def add(self, dataset: str, folder: Folder, roles: FolderRoles, progress: Progress = silent) -> FolderSummary:
        """Keep a folder as a dataset, after reading it once from end to end; its files are never changed.

        Parameters
        ----------
        dataset : a new name, or that of a folder, whose place this one takes

        Raises
        ------
        StoreError
            If the folder has not what the roles need, a file cannot be read to its end, or the dataset holds trials.
        """
        roles.check(folder)
        summary = summarize(folder, roles, part(progress, 0.0, 0.99))
        self._connection.write(lambda c: write_folder(c, dataset.strip(), folder, roles, summary))
        return summary

    def get(self, dataset: str) -> FolderCard | None:
        """Return the folder that a dataset is; None if its trials are in the database."""
        with self._connection.reading() as cursor:
            return read_folder(cursor, dataset_id(cursor, dataset))

    def summary(self, dataset: str) -> FolderSummary:
        """Return what all rows of a folder hold, as they were counted when it was added.

        Raises
        ------
        StoreError
            If the dataset is no folder.
        """
        with self._connection.reading() as cursor:
            found = read_summary(cursor, dataset_id(cursor, dataset))
        if found is None:
            raise StoreError(f"Dataset '{dataset}' is no folder of Parquet files; its trials are in the database.")
        return found

    @contextmanager
    def trials_of(
        self, dataset: str, where: Sequence[Condition] = (), sample: Sample | None = None, *, workloads: bool = False
    ) -> Iterator[tuple[Cursor, int, tuple[str, ...]]]:
        """Give a cursor on a dataset's trials, its id there, and what to say; a folder's are drawn into memory.

        Parameters
        ----------
        workloads : whether trials of one workload (application, input and settings) of a folder are drawn together,
            where there are many workloads
        """
        card = self.get(dataset)
        if card is None:
            if sample is not None and sample.n:
                raise StoreError(
                    f"Dataset '{dataset}' is in the database, where all of its trials take part. "
                    "A sample is drawn of a folder only."
                )
            with self._connection.reading() as cursor:
                yield cursor, dataset_id(cursor, dataset), ()
            return
        database, told = self._sample(dataset, card, where, sample or Sample(), workloads=workloads)
        with database.cursor() as cursor:
            yield cursor, dataset_id(cursor, dataset), told

    def _sample(
        self, dataset: str, card: FolderCard, where: Sequence[Condition], sample: Sample, *, workloads: bool
    ) -> _Sample:
        """Return a sample of the trials that fulfil a filter; drawing one of the last again costs nothing."""
        key = (dataset, card.fingerprint, card.added, tuple(where), sample, workloads)
        with self._drawing:  # two at a time would take twice the memory
            if key not in self._samples:
                while len(self._samples) >= _KEPT:
                    self._samples.popitem(last=False)
                self._samples[key] = _drawn(dataset, card, where, sample, workloads)
            self._samples.move_to_end(key)
            return self._samples[key]


def _keeping(roles: FolderRoles, where: Sequence[Condition]) -> Callable[[Any], BoolArray]:
    """Return what tells which rows of a batch fulfil all conditions.

    A condition on an unknown column keeps all rows; whoever filters the rows after refuses it.
    """
    texts = roles.text_columns()
    numbers = {metric.name: column for column, metric in roles.metrics}

    def keep(batch: Any) -> BoolArray:
        found = np.ones(len(batch), dtype=np.bool_)
        for column, sign, value in where:
            if column == "machine" and roles.machine_name:
                found &= compare_texts(np.array([roles.machine_name], dtype=object), column, sign, value)
            elif column in texts:
                own = texts_of(batch, texts[column])
                found &= compare_texts(np.array(own.texts, dtype=object), column, sign, value)[own.codes]
            elif column in numbers:
                found &= compare_numbers(values_of(batch, [numbers[column]])[:, 0], column, sign, value)
        return found

    return keep


def _told_by_folders(folder: Folder, roles: FolderRoles, where: Sequence[Condition]) -> dict[str, str]:
    """Return the texts that columns must have for any row to fulfil all conditions, as folders' names can tell."""
    texts = {name: columns[0] for name, columns in roles.text_columns().items() if len(columns) == 1}
    same = {texts[column]: value for column, sign, value in where if sign == "=" and column in texts}
    return {column: value for column, value in same.items() if not folder.is_number(column)}


def _drawn(dataset: str, card: FolderCard, where: Sequence[Condition], sample: Sample, workloads: bool) -> _Sample:
    whole = card.open()
    folder = whole.within(_told_by_folders(whole, card.roles, where))
    rows = batches(folder, card.roles.columns)
    n = sample.n or max(1_000, min(MOST_DRAWN, _MOST_CELLS // max(1, len(card.roles.metrics))))
    drawn = draw(rows, n, sample.seed, _keeping(card.roles, where), _keys(card) if workloads else ())
    imported = import_of(drawn.rows, card.roles, folder.place.shown)
    database = in_memory(_MEMORY)
    with database.cursor() as cursor:
        cursor.execute(resources.files("core.store").joinpath("schema.sql").read_text(encoding="utf-8"))
        cursor.execute("BEGIN TRANSACTION")
        add_imports(cursor, dataset, [imported])
        cursor.execute("COMMIT")
    said = f"{len(drawn.rows):,} of {drawn.n_of:,} trials, by hash"
    return database, (said,) if len(drawn.rows) < drawn.n_of else ()


def _keys(card: FolderCard) -> tuple[str, ...]:
    """Return the columns that tell workloads apart, where there are many workloads; else none."""
    roles = card.roles
    numbers = tuple(column for column, metric in roles.metrics if metric.kind is Kind.PARAMETER)
    texts = tuple(column for column, name in roles.labels if name in roles.settings)
    many = numbers or texts or card.n_inputs >= _MANY_INPUTS
    return (*roles.application, *roles.input, *numbers, *texts) if many else ()
