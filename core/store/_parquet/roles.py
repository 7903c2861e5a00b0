"""What the columns of a Parquet folder are, and rows of it as trials."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from core.codec import FloatArray, Frozen, from_plain, to_plain
from core.errors import StoreError
from core.store._parquet.rows import NUMBER, Folder
from core.texts import CodedTexts, coded, combined, constant, first_of_each
from core.trial import Import, Kind, Metric, Trials

_BETWEEN = " / "


class Kept:
    """A value that the database keeps as JSON."""

    def dump(self) -> str:
        """Return it as JSON."""
        return json.dumps(to_plain(self), ensure_ascii=False)

    @classmethod
    def load(cls, text: str) -> Self:
        """Return what `dump` wrote."""
        return from_plain(cls, json.loads(text))


class FolderRoles(Frozen, Kept):
    """What each column of a folder is; columns that are not named are left out.

    Attributes
    ----------
    application, input : columns whose texts, joined by " / ", name the application and its input
    machine : the column that names the machine; or `machine_name` for all trials
    metrics : (column, metric)
    labels : (column, name of the label)
    settings : names of labels that were set before the run
    """

    application: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    machine: str = ""
    machine_name: str = ""
    metrics: tuple[tuple[str, Metric], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        others = (column for column, _ in (*self.metrics, *self.labels))
        return tuple(dict.fromkeys(filter(None, (*self.application, *self.input, self.machine, *others))))

    @property
    def responses(self) -> tuple[Metric, ...]:
        """The metrics to predict."""
        return tuple(metric for _, metric in self.metrics if metric.kind is Kind.RESPONSE)

    def text_columns(self) -> dict[str, tuple[str, ...]]:
        """Return the columns behind each role and label."""
        machine = (self.machine,) if self.machine else ()
        roles = {"application": self.application, "input": self.input, "machine": machine}
        return roles | {name if name not in roles else f"{name} (label)": (column,) for column, name in self.labels}

    def check(self, folder: Folder) -> None:
        """Raise StoreError if the folder has not what the roles name, or other than what they need."""
        for column in self.columns:
            if column not in folder.columns:
                known = ", ".join(folder.columns)
                raise StoreError(f"The folder {folder.place.shown} has no column '{column}'; its columns are: {known}.")
        for column, metric in self.metrics:
            if folder.columns[column] != NUMBER:
                noun = {Kind.RESPONSE: "response", Kind.PARAMETER: "parameter"}.get(metric.kind, "metric")
                raise StoreError(
                    f"The {noun} '{column}' of {folder.place.shown} holds texts, expected numbers. "
                    f"Name another column, or leave it out with --ignore {column}."
                )
        if not self.metrics:
            raise StoreError(f"The folder {folder.place.shown} has no column of numbers left to model.")


def import_of(rows: Any, roles: FolderRoles, source: str) -> Import:
    """Return rows, an Arrow table, as trials."""
    machine = texts_of(rows, (roles.machine,)) if roles.machine else constant(roles.machine_name, len(rows))
    trials = Trials(
        application=texts_of(rows, roles.application),
        input=texts_of(rows, roles.input),
        machine=machine,
        metrics=tuple(metric for _, metric in roles.metrics),
        values=values_of(rows, [column for column, _ in roles.metrics]),
        labels={name: texts_of(rows, (column,)) for column, name in roles.labels},
        parameters=roles.settings,
    )
    # Ids are made from this: the same contents have the same, in whatever files they lie.
    return Import(source, hashlib.sha256(roles.dump().encode()).hexdigest(), "parquet", trials)


def values_of(rows: Any, columns: Sequence[str]) -> FloatArray:
    """Return columns of numbers, array of shape (n_rows, n_columns), NaN where there is none."""
    values = np.empty((len(columns), len(rows)))
    for j, name in enumerate(columns):
        values[j] = rows.column(name).to_numpy(zero_copy_only=False)
    return values.T


def texts_of(rows: Any, columns: Sequence[str]) -> CodedTexts:
    """Return columns as one text per row, joined by " / "; numbers as they are written."""
    parts = [_coded(rows.column(name)) for name in columns]
    if not parts:
        return constant("", len(rows))
    found = parts[0]
    for part in parts[1:]:
        pairs = combined(found.codes, part.codes)
        joined = coded([f"{found[row]}{_BETWEEN}{part[row]}" for row in first_of_each(pairs).tolist()])
        found = CodedTexts(joined.codes[pairs], joined.texts)
    return found


def _coded(column: Any) -> CodedTexts:
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    words = [_word(value) for value in array.dictionary.to_pylist()] + [""]
    codes = array.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    own = coded(words)
    codes = own.codes[codes]
    used, places = np.unique(codes, return_inverse=True)
    return CodedTexts(places.astype(np.int32), tuple(own.texts[i] for i in used.tolist()))


def _word(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return "" if value is None else str(value).strip()
