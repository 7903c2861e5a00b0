"""A sample of a folder as a dataset in memory, which every question to stored trials can be asked of, with filters."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

import duckdb
import numpy as np

from core.codec import BoolArray
from core.store._add import add_import
from core.store._parquet.draw import draw
from core.store._parquet.registered import FolderCard
from core.store._parquet.roles import FolderRoles, import_of, texts_of, values_of
from core.store._parquet.rows import Folder, batches
from core.store._read import compare_numbers, compare_texts
from core.store.cards import Condition, Sample
from core.store.scratch import in_memory
from core.trial import Kind


def keeping(roles: FolderRoles, where: Sequence[Condition]) -> Callable[[Any], BoolArray]:
    """Return what tells which rows of a batch fulfil all conditions.

    A condition on an unknown column keeps all rows; whoever filters the rows after refuses it.
    """
    texts = roles.text_columns()
    numbers = {metric.name: column for column, metric in roles.metrics}

    def keep(batch: Any) -> BoolArray:
        found = np.ones(len(batch), dtype=np.bool_)
        for column, sign, value in where:
            if column == "machine" and roles.machine_name:
                found &= compare_texts(np.array([roles.machine_name], dtype=object), sign, value)
            elif column in texts:
                own = texts_of(batch, texts[column])
                found &= compare_texts(np.array(own.texts, dtype=object), sign, value)[own.codes]
            elif column in numbers:
                found &= compare_numbers(values_of(batch, [numbers[column]])[:, 0], column, sign, value)
        return found

    return keep


def told_by_folders(folder: Folder, roles: FolderRoles, where: Sequence[Condition]) -> dict[str, str]:
    """Return the texts that columns must have for any row to fulfil all conditions, as folders' names can tell."""
    texts = {name: columns[0] for name, columns in roles.text_columns().items() if len(columns) == 1}
    same = {texts[column]: value for column, sign, value in where if sign == "=" and column in texts}
    return {column: value for column, value in same.items() if not folder.is_number(column)}


MOST_DRAWN = 200_000
_MOST_CELLS = 20_000_000
_MANY_INPUTS = 1_000
_MEMORY = "1GB"
_KEPT = 3


Scratch = tuple[duckdb.DuckDBPyConnection, tuple[str, ...]]
"""A sample in a database of its own, and what to say of it, such as "200,000 of 20,000,000 trials, by hash"."""


class Samples:
    """The samples that were drawn last; drawing the same again costs nothing."""

    def __init__(self) -> None:
        self._drawing = threading.Lock()
        self._kept: OrderedDict[tuple[object, ...], Scratch] = OrderedDict()

    def of(
        self, dataset: str, card: FolderCard, where: Sequence[Condition], sample: Sample, *, workloads: bool = False
    ) -> Scratch:
        """Return a sample of the trials that fulfil a filter.

        Parameters
        ----------
        workloads : whether trials of one workload (application, input and settings) are drawn together, where
            there are many workloads

        Raises
        ------
        StoreError
            If the folder cannot be read, or is not what it was.
        """
        key = (dataset, card.fingerprint, card.added, tuple(where), sample, workloads)
        with self._drawing:  # two at a time would take twice the memory
            if key not in self._kept:
                while len(self._kept) >= _KEPT:
                    self._kept.popitem(last=False)
                self._kept[key] = _drawn(dataset, card, where, sample, workloads)
            self._kept.move_to_end(key)
            return self._kept[key]


def n_drawn(card: FolderCard, sample: Sample) -> int:
    """Return how many trials are drawn at most: as many as asked for, or what takes little memory."""
    return sample.n or max(1_000, min(MOST_DRAWN, _MOST_CELLS // max(1, len(card.roles.metrics))))


def _drawn(dataset: str, card: FolderCard, where: Sequence[Condition], sample: Sample, workloads: bool) -> Scratch:
    whole = card.open()
    folder = whole.within(told_by_folders(whole, card.roles, where))
    rows = batches(folder, card.roles.columns)
    drawn = draw(rows, n_drawn(card, sample), sample.seed, keeping(card.roles, where), _keys(card) if workloads else ())
    imported = import_of(drawn.rows, card.roles, folder.place.shown)
    database = in_memory(_MEMORY)
    with database.cursor() as cursor:
        cursor.execute(resources.files("core.store").joinpath("schema.sql").read_text(encoding="utf-8"))
        cursor.execute("BEGIN TRANSACTION")
        add_import(cursor, dataset, imported)
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
