"""A column of texts too long for memory: in pieces on disk, each looked at as `Cells`."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.ingest.table._large.spill import Place, Spill
from core.ingest.table._large.threads import in_threads
from core.ingest.table.cells import BoolArray, Cells, concatenated
from core.ingest.table.numbers import plain_numbers
from core.texts import STEP, first_of_each

_SAMPLE = 1_000
"""Cells that show whether a piece repeats a few texts."""
_FEW = 8
"""So many times each text occurs, at least on average, in a piece that is kept as codes."""
_SPACES = (b" ", b"\t", b"\r", b"\n")


@dataclass(frozen=True)
class Origin:
    """Where a piece was split from, to be split again; `column` is its place there."""

    at: int
    size: int
    column: int


@dataclass(frozen=True)
class Piece:
    """Some cells.

    Attributes
    ----------
    place : where they are on disk; None if they are only in the file that they came from
    empties, commas : whether some cell is empty, whether some holds a comma
    origin : where they came from, if they can be read again there
    row : the row of a matrix on disk where their numbers begin; None unless all are plainly
        numbers, or empty, with a decimal point
    """

    n: int
    place: Place | None
    empties: bool
    commas: bool
    origin: Origin | None = None
    row: int | None = None


@dataclass(frozen=True)
class Packed:
    """A piece, its numbers if it holds nothing else, and how many of its cells had spaces around them.

    Attributes
    ----------
    trimmed : all of them
    trimmed_behind : those that had some beside blanks in front, which a parser of quotes skips
    """

    piece: Piece
    values: FloatArray | None
    trimmed: int
    trimmed_behind: int


def pack(spill: Spill, cells: Cells, origin: Origin | None = None) -> Packed:
    """Write cells without spaces around them to disk; plain numbers only if they cannot be read again."""
    array, counts = _repeating(cells.array)
    codes = None if counts is None else array.indices.to_numpy(zero_copy_only=False)
    short, n, n_behind = _trimmed(Cells(array if codes is None else array.dictionary), counts)
    values = plain_numbers(short)
    again = origin is not None and codes is None and values is not None
    piece = Piece(
        n=len(array),
        place=None if again else _put(spill, short.array if codes is None else _coded(array, short)),
        empties=short.has_empty(),
        commas=b"," in short.characters(),
        origin=origin,
    )
    return Packed(piece, values if values is None or codes is None else values[codes], n, n_behind)


def _repeating(array: Any) -> tuple[Any, IntArray | None]:
    """Return an array as codes with the number of each, if it repeats a few texts; else as it is, and None."""
    import pyarrow.compute as pc

    sample = array[:_SAMPLE]
    if pc.count_distinct(sample).as_py() * _FEW > len(sample):
        return array, None
    found = array.dictionary_encode()
    if len(found.dictionary) * _FEW > len(array):
        return array, None
    codes = found.indices.to_numpy(zero_copy_only=False)
    return found, np.bincount(codes, minlength=len(found.dictionary))


def _trimmed(cells: Cells, counts: IntArray | None) -> tuple[Cells, int, int]:
    """Return cells without spaces around them, how many had some, and some beside blanks in front."""
    import pyarrow.compute as pc

    characters = cells.characters()
    if characters.isascii() and not any(space in characters for space in _SPACES):
        return cells, 0, 0
    short, n = cells.trimmed()
    if not n:
        return cells, 0, 0
    weights = np.ones(len(cells), dtype=np.int64) if counts is None else counts
    changed = _differ(short.array, cells.array)
    behind = _differ(short.array, pc.utf8_ltrim(cells.array, characters=" "))
    return short, int(weights[changed].sum()), int(weights[behind].sum())


def _differ(one: Any, other: Any) -> BoolArray:
    import pyarrow.compute as pc

    return np.asarray(pc.not_equal(one, other).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _coded(array: Any, texts: Cells) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(array.indices, texts.array)


def _put(spill: Spill, array: Any) -> Place:
    import pyarrow as pa

    batch = pa.record_batch([array], names=["x"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return spill.put(sink.getvalue())


@dataclass(frozen=True, eq=False)
class LargeCells(Cells):
    """Texts of one column, in pieces on disk; `array` is not used.

    Attributes
    ----------
    again : reads a piece from the file that it came from
    numbers : of the pieces that hold nothing else, array of shape (n_rows,) or larger, see `Piece`
    column : which column of a matrix on disk these are
    """

    array: Any = None
    spill: Spill = field(kw_only=True)
    pieces: tuple[Piece, ...] = field(kw_only=True)
    again: Callable[[Origin], Cells] | None = None
    numbers: FloatArray | None = None
    column: int | None = None
    starts: tuple[int, ...] = field(init=False)
    _last: dict[int, Cells] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", tuple(accumulate((p.n for p in self.pieces), initial=0)))

    def __len__(self) -> int:
        return self.starts[-1]

    def __getitem__(self, row: int) -> str:
        number = bisect_right(self.starts, int(row)) - 1
        if number not in self._last:
            self._last.clear()
            self._last[number] = self.part(number)
        return self._last[number][int(row) - self.starts[number]]

    def part(self, number: int) -> Cells:
        """Return a piece."""
        import pyarrow as pa

        array = self.stored(number)
        return Cells(array.dictionary_decode() if pa.types.is_dictionary(array.type) else array)

    def distinct_part(self, number: int) -> Cells:
        """Return the different texts of a piece, or all its texts if it hardly repeats any."""
        import pyarrow as pa

        array = self.stored(number)
        return Cells(array.dictionary if pa.types.is_dictionary(array.type) else array)

    def stored(self, number: int) -> Any:
        """Return a piece as it is kept: an Arrow array of strings, or of codes with a dictionary of strings."""
        import pyarrow as pa

        piece = self.pieces[number]
        if piece.place is None:
            assert self.again is not None
            assert piece.origin is not None
            return self.again(piece.origin).trimmed()[0].array
        return pa.ipc.open_stream(pa.py_buffer(self.spill.get(piece.place))).read_next_batch().column(0)

    def values(self, number: int) -> FloatArray | None:
        """Return the numbers of a piece that holds nothing else."""
        piece = self.pieces[number]
        if self.numbers is None or piece.row is None:
            return None
        return self.numbers[piece.row : piece.row + piece.n]

    def parts(self) -> Iterator[Cells]:
        """Yield the cells piece by piece."""
        return map(self.part, range(len(self.pieces)))

    def texts(self) -> list[str]:
        """Return the texts themselves: all of them, in memory."""
        return [text for part in self.parts() for text in part.texts()]

    def take(self, rows: IntArray) -> Cells:
        """Return the cells of some rows, ascending: in memory if they are few."""
        some = (self.part(number).take(own) for number, own in self._by_piece(rows))
        if len(rows) <= STEP:
            return concatenated([Cells.of([]), *some])
        return replace(self, pieces=tuple(pack(self.spill, cells).piece for cells in some))

    def _by_piece(self, rows: IntArray) -> Iterator[tuple[int, IntArray]]:
        """Yield (piece, rows in it) for each piece that has some of the rows, which ascend."""
        edges = np.searchsorted(rows, self.starts)
        for number, (first, last) in enumerate(pairwise(edges)):
            if first < last:
                yield number, rows[first:last] - self.starts[number]

    def slice(self, start: int, stop: int | None = None) -> Cells:
        """Return the cells from `start` to before `stop`: in memory if they are few."""
        stop = len(self) if stop is None else min(stop, len(self))
        if stop - start <= STEP:
            return self.take(np.arange(start, max(start, stop)))
        cut = (self._cut(i, max(start, a) - a, min(stop, b) - a)
               for i, (a, b) in enumerate(pairwise(self.starts)) if max(a, start) < min(b, stop))  # fmt: skip
        return replace(self, pieces=tuple(cut))

    def _cut(self, number: int, start: int, stop: int) -> Piece:
        piece = self.pieces[number]
        if stop - start == piece.n:
            return piece
        return pack(self.spill, self.part(number).slice(start, stop)).piece

    def trimmed(self) -> tuple[Cells, int]:
        """Return the cells themselves: they were trimmed when they were written."""
        return self, 0

    def matches(self, pattern: str) -> BoolArray:
        """Return where a regular expression (RE2) finds itself."""
        if pattern == ",":
            return self._where(lambda cells: cells.matches(","), lambda piece: piece.commas)
        return self._where(lambda cells: cells.matches(pattern), lambda piece: True)

    def equal(self, text: str) -> BoolArray:
        """Return where the cell is `text`."""
        return self._where(lambda cells: cells.equal(text), lambda piece: bool(text) or piece.empties)

    def each(
        self, work: Callable[[Cells], Any], pieces: Sequence[int]
    ) -> Iterator[tuple[Any, npt.NDArray[np.int32] | None]]:
        """Yield per piece (what `work` makes of its texts, which of them each row has); None for each its own."""
        return in_threads(lambda number: self._worked(number, work), pieces)

    def _worked(self, number: int, work: Callable[[Cells], Any]) -> tuple[Any, npt.NDArray[np.int32] | None]:
        import pyarrow as pa

        array = self.stored(number)
        if not pa.types.is_dictionary(array.type):
            return work(Cells(array)), None
        return work(Cells(array.dictionary)), array.indices.to_numpy(zero_copy_only=False)

    def _where(self, test: Callable[[Cells], BoolArray], maybe: Callable[[Piece], bool]) -> BoolArray:
        found = np.zeros(len(self), dtype=np.bool_)
        for number, piece in enumerate(self.pieces):
            if maybe(piece):
                own, codes = self._worked(number, test)
                found[self.starts[number] : self.starts[number + 1]] = own if codes is None else own[codes]
        return found

    def different(self, rows: IntArray) -> Iterator[str]:
        """Yield the different texts of some rows, ascending; some may come again."""
        for number, own in self._by_piece(rows):
            yield from dict.fromkeys(self.part(number).take(own).texts())

    def encoded(self) -> tuple[IntArray, tuple[str, ...]]:
        """Return (codes, texts): each row's place among the different texts, in order of appearance."""
        codes, texts = self.codes()
        return codes.astype(np.int64), texts

    def codes(self, most: int | None = None) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
        """Return the same with small codes; OverflowError if there are more than `most` different texts."""
        known: dict[str, int] = {}
        codes = np.empty(len(self), dtype=np.int32)
        for number in range(len(self.pieces)):
            array = self.stored(number)
            found = _as_codes(array)
            local = found.indices.to_numpy(zero_copy_only=False)
            texts = found.dictionary.to_pylist()
            places = np.zeros(len(texts), dtype=np.int32)
            for own in _appearance(local).tolist():
                places[own] = known.setdefault(texts[own], len(known))
            if most is not None and len(known) > most:
                raise OverflowError
            codes[self.starts[number] : self.starts[number + 1]] = places[local]
        return codes, tuple(known)

    def n_distinct(self, enough: int | None = None) -> int:
        """Return the number of different texts; counting stops where there are `enough`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        most = len(self) if enough is None else enough
        known = pa.array([], pa.string())
        waiting: list[Any] = []
        for number in range(len(self.pieces)):
            values = self.values(number)
            if values is not None and len(np.unique(values[: 4 * most])) >= most:
                return most  # different numbers are different texts
            texts = _texts_of(self.stored(number))
            waiting.append(pc.unique(texts))
            if sum(map(len, waiting)) >= max(len(known), most - len(known)) or number == len(self.pieces) - 1:
                known, waiting = pc.unique(pa.concat_arrays([known, *waiting])), []
            if len(known) >= most:
                return len(known)
        return len(known)


def _texts_of(array: Any) -> Any:
    """Return the different texts of a stored piece, or all its texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.take(array.dictionary, pc.unique(array.indices)) if pa.types.is_dictionary(array.type) else array


def _as_codes(array: Any) -> Any:
    import pyarrow as pa

    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _appearance(codes: npt.NDArray[np.int32]) -> IntArray:
    """Return the codes that occur, in order of appearance."""
    first = first_of_each(codes)
    order = np.argsort(first, kind="stable")
    return order[: int((first < len(codes)).sum())]
