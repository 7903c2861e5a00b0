"""A sample of rows by a hash of what they hold: the same whatever the order of rows, files, columns or threads."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import BoolArray, Frozen
from core.progress import Progress, silent
from core.store._parquet.rows import Folder, batches

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
