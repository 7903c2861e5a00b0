"""What the columns of a Parquet folder are, rows of it as trials, and a sample of them by a hash of what they hold."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from core.codec import BoolArray, FloatArray, Frozen, from_plain, to_plain
from core.errors import StoreError
from core.progress import Progress, silent
from core.store._parquet.rows import NUMBER, Folder, batches
from core.texts import CodedTexts, coded, combined, constant, first_of_each, texts_at
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
    return texts_at(codes, words)


def _word(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return "" if value is None else str(value).strip()


Hashes = npt.NDArray[np.uint64]

HEAD = 20_000
_HIGH = np.uint64(0xFFFFFFFF00000000)
_NO_NUMBER = np.uint64(0x7FF8000000000000)


class Drawn(Frozen):
    """Rows that were drawn.

    Attributes
    ----------
    rows : an Arrow table, in the order of the rows' hashes
    n_of : how many rows there were to draw from
    """

    rows: Any
    n_of: int


def draw(
    rows: Iterable[Any],
    n: int,
    seed: int = 0,
    keep: Callable[[Any], BoolArray] | None = None,
    together: Sequence[str] = (),
) -> Drawn:
    """Return the `n` rows with the smallest hashes of their contents; of equal rows each counts.

    Hashes of different rows behave like independent uniform numbers, so this is a simple random
    sample without replacement of the different rows (bottom-k sampling, Cohen and Kaplan 2007).

    Parameters
    ----------
    rows : record batches of numbers and dictionary-encoded texts
    keep : which rows of a batch there are to draw from; all if not given
    together : columns; rows that are alike in them are drawn together
    """
    held = _Held(n)
    n_of = 0
    for batch in rows:
        hashes = content_hashes(batch, seed)
        if together:
            hashes = content_hashes(batch.select(list(together)), seed) & _HIGH | hashes >> np.uint64(32)
        among = np.ones(len(batch), dtype=np.bool_) if keep is None else keep(batch)
        n_of += int(among.sum())
        held.offer(batch, hashes, among)
    return Drawn(held.cut(), n_of)


def head(folder: Folder, n: int = HEAD, progress: Progress = silent) -> Any:
    """Return some rows of a folder from all over it, an Arrow table: what its columns are told by."""
    return draw(batches(folder, list(folder.columns), progress), n).rows


def content_hashes(batch: Any, seed: int = 0) -> Hashes:
    """Return a number per row, array of shape (n_rows,), from its values under their columns' names."""
    start = np.array([seed & (2**64 - 1)], dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    total = np.repeat(_mixed(start), len(batch))
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        bits = _text_bits(column) if _is_text(column) else _number_bits(column)
        total += _mixed(bits ^ np.uint64(_text_hash(name)))
    return _mixed(total)


class _Held:
    """The rows with the smallest hashes so far, and some more."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._limit = np.uint64(2**64 - 1)
        self._rows: list[Any] = []
        self._hashes: list[Hashes] = []
        self._n_held = 0

    def offer(self, batch: Any, hashes: Hashes, among: BoolArray) -> None:
        """Keep what may be among the smallest."""
        import pyarrow as pa

        wanted = np.flatnonzero(among & (hashes <= self._limit))
        if len(wanted) or not self._rows:
            self._rows.append(_with_plain_texts(batch.take(pa.array(wanted))))
            self._hashes.append(hashes[wanted])
            self._n_held += len(wanted)
        if self._n_held > 2 * self._n + 100_000:
            self.cut()

    def cut(self) -> Any:
        """Let go of all but the n smallest, and return these in order."""
        import pyarrow as pa

        hashes = np.concatenate(self._hashes) if self._hashes else np.empty(0, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")[: self._n]
        rows = pa.Table.from_batches(self._rows).take(pa.array(order)).combine_chunks()
        self._rows, self._hashes, self._n_held = rows.to_batches(), [hashes[order]], len(order)
        if len(order) == self._n and self._n:
            self._limit = hashes[order[-1]]
        return rows


def _is_text(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(column.type))


def _with_plain_texts(batch: Any) -> Any:
    import pyarrow as pa

    arrays = [column.cast(pa.string()) if _is_text(column) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _number_bits(column: Any) -> Hashes:
    values = column.to_numpy(zero_copy_only=False) + 0.0  # there is one zero
    bits: Hashes = values.view(np.uint64)
    return np.where(np.isnan(values), _NO_NUMBER, bits) if column.null_count else bits


def _text_bits(column: Any) -> Hashes:
    texts = [text or "" for text in column.dictionary.to_pylist()] + [""]
    known = np.array([_text_hash(text) for text in texts], dtype=np.uint64)
    codes = column.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(known[codes])


def _text_hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _mixed(z: Hashes) -> Hashes:
    """Return numbers in which each bit depends on all bits (the last step of SplitMix64; Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
