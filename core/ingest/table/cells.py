"""A column of cells in pieces, each in memory or in a temporary file: texts, or numbers that came as such."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from core import arrow
from core.codec import BoolArray, FloatArray, IntArray
from core.frozen import Frozen
from core.ingest.table.spill import Room
from core.texts import first_of_each

_SPACES = (b" ", b"\t", b"\r", b"\n")


class Strings(Frozen, eq=False):
    """Texts; `array` is an Arrow array of strings."""

    array: Any

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Strings":
        """Return some texts."""
        return cls(arrow.texts(texts))

    @classmethod
    def from_any(cls, array: Any) -> "Strings":
        """Return an Arrow array of any type as texts, "" where there is nothing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        array = array.dictionary_decode() if hasattr(array, "dictionary") else array
        if pa.types.is_string(array.type):
            return cls(array)
        if pa.types.is_floating(array.type):
            array = pc.if_else(pc.is_nan(array), arrow.null(pa.float64()), array.cast(pa.float64()))
        return cls(pc.fill_null(pc.cast(array, pa.string()), arrow.text("")))

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, row: int) -> str:
        return str(self.array[int(row)].as_py())

    def trimmed(self) -> tuple["Strings", BoolArray]:
        """Return them without spaces around, and which had some behind the blanks that follow a separator."""
        import pyarrow.compute as pc

        characters = self.characters()
        if characters.isascii() and not any(space in characters for space in _SPACES):
            return self, np.broadcast_to(np.False_, (len(self),))
        short = pc.utf8_trim_whitespace(self.array)
        return Strings(short), arrow.plain(pc.not_equal(short, pc.utf8_ltrim(self.array, characters=" ")))

    def matches(self, pattern: str) -> BoolArray:
        """Return where a regular expression (RE2) finds itself."""
        import pyarrow.compute as pc

        return arrow.plain(pc.match_substring_regex(self.array, pattern))

    def equal(self, text: str) -> BoolArray:
        """Return where the text is `text`."""
        import pyarrow.compute as pc

        return arrow.plain(pc.equal(self.array, arrow.text(text)))

    def replaced(self, old: str, new: str) -> "Strings":
        """Return them with each occurrence of `old` replaced."""
        import pyarrow.compute as pc

        return Strings(pc.replace_substring(self.array, old, new))

    def floats(self, where: BoolArray | np.bool_, *, whole: bool = False) -> FloatArray:
        """Return the nearest float64 of the texts that `where` marks, NaN elsewhere; `whole` where all are digits."""
        import pyarrow as pa
        import pyarrow.compute as pc

        nothing = arrow.null(pa.string())
        chosen = self.array if where.all() else pc.if_else(arrow.numbers(np.asarray(where)), self.array, nothing)
        kind = pa.int64() if whole else pa.float64()
        return arrow.plain(pc.cast(chosen, kind)).astype(np.float64, copy=False)

    def parsed(self, where: BoolArray | np.bool_, *, whole: bool) -> FloatArray | None:
        """Return the same; None if a text that `where` marks is no number to Arrow."""
        import pyarrow as pa

        try:
            return self.floats(where, whole=whole)
        except pa.ArrowInvalid:
            return None

    def has_empty(self) -> bool:
        """Return whether some text is empty."""
        return bool((np.diff(self.ends()) == 0).any())

    def characters(self) -> bytes:
        """Return all texts, one after the other, in UTF-8."""
        _, _, characters = self.array.buffers()
        ends = self.ends()
        return b"" if characters is None else characters[int(ends[0]) : int(ends[-1])].to_pybytes()

    def ends(self) -> npt.NDArray[np.int32]:
        """Return where the texts end among the characters, the first entry where the first begins."""
        at, ends = self.array.offset, self.array.buffers()[1]
        if ends is None or not len(self.array):
            return np.zeros(1, dtype=np.int32)
        return np.frombuffer(ends, dtype=np.int32)[at : at + len(self) + 1]


_SAMPLE = 1_000
"""Cells that show whether a piece repeats a few texts."""
_FEW = 8
"""So many times each text occurs, at least on average, in a piece that is kept as codes."""


class Piece(Frozen, eq=False):
    """Some cells.

    Attributes
    ----------
    held : an Arrow array or its place: of strings, of codes with a dictionary of strings, or of numbers
    empties, commas : whether some cell is empty, whether some holds a comma
    """

    n: int
    held: Any
    empties: bool
    commas: bool


def pack(room: Room, array: Any) -> tuple[Piece, int]:
    """Keep an Arrow array of strings without spaces around them; return also how many had some."""
    codes = _repeating(array)
    short, changed = Strings(array if codes is None else codes.dictionary).trimmed()
    held = short.array if codes is None else _coded(codes, short)
    if codes is not None and changed.any():
        changed = changed[arrow.plain(codes.indices)]
    return Piece(len(array), room.keep(held), short.has_empty(), b"," in short.characters()), int(changed.sum())


def pack_numbers(room: Room, array: Any) -> Piece:
    """Keep an Arrow array of numbers."""
    import pyarrow.compute as pc

    none = bool(array.null_count) or bool(pc.any(pc.is_nan(array)).as_py() if "float" in str(array.type) else False)
    return Piece(len(array), room.keep(array), none, commas=False)


def _repeating(array: Any) -> Any:
    """Return an array as codes if it repeats a few texts, else None."""
    for some in (array[:_SAMPLE], array):
        found = some.dictionary_encode()
        if len(found.dictionary) * _FEW > len(some):
            return None
    return found


def _coded(array: Any, texts: Strings) -> Any:
    import pyarrow as pa

    n = len(texts)
    kind = pa.int8() if n < 1 << 7 else pa.int16() if n < 1 << 15 else pa.int32()
    return pa.DictionaryArray.from_arrays(array.indices.cast(kind), texts.array)


class Cells(Frozen, eq=False):
    """The cells of one column, none of them null."""

    pieces: tuple[Piece, ...]
    room: Room
    starts: tuple[int, ...] = field(init=False)
    _last: dict[int, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", tuple(accumulate((p.n for p in self.pieces), initial=0)))

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Cells":
        """Return the cells of some texts."""
        return cls.held([Strings.of(texts).array])

    @classmethod
    def held(cls, arrays: Iterable[Any]) -> "Cells":
        """Return the cells of Arrow arrays of strings, in memory and as they are."""
        some = map(Strings, arrays)
        return cls(tuple(Piece(len(s), s.array, s.has_empty(), commas=True) for s in some), Room())

    @classmethod
    def coded(cls, codes: IntArray, texts: Sequence[str]) -> "Cells":
        """Return a cell for each code: the text at its place, in memory."""
        import pyarrow as pa

        array = pa.DictionaryArray.from_arrays(arrow.numbers(codes.astype(np.int32)), arrow.texts(texts))
        return cls((Piece(len(codes), array, "" in texts, commas=True),), Room())

    def __len__(self) -> int:
        return self.starts[-1]

    def __getitem__(self, row: int) -> str:
        if (number := bisect_right(self.starts, int(row)) - 1) not in self._last:
            self._last.clear()
            self._last[number] = self.stored(number)
        return Strings.from_any(self._last[number][int(row) - self.starts[number] :][:1])[0]

    @property
    def array(self) -> Any:
        """All cells as one Arrow array, numbers as such."""
        import pyarrow as pa

        stored = (self.stored(number) for number in range(len(self.pieces)))
        parts = [array.dictionary_decode() if hasattr(array, "dictionary") else array for array in stored]
        return pa.concat_arrays(parts) if parts else arrow.texts([])

    @property
    def commas(self) -> bool:
        """Whether some cell may hold a comma."""
        return any(piece.commas for piece in self.pieces)

    @property
    def empties(self) -> bool:
        """Whether some cell is empty."""
        return any(piece.empties for piece in self.pieces)

    @property
    def repeating(self) -> bool:
        """Whether the cells repeat a few texts, and are kept as codes of these."""
        return all(hasattr(self.stored(number), "dictionary") for number in range(len(self.pieces)))

    def stored(self, number: int) -> Any:
        """Return a piece as it is kept, an Arrow array."""
        return self.room.kept(self.pieces[number].held)

    def parts(self) -> Iterator[Strings]:
        """Yield the cells piece by piece."""
        return (Strings.from_any(self.stored(number)) for number in range(len(self.pieces)))

    def texts(self) -> list[str]:
        """Return the texts themselves: all of them, in memory."""
        return [text for part in self.parts() for text in part.array.to_pylist()]

    def take(self, rows: IntArray) -> "Cells":
        """Return the cells of some rows, ascending."""
        some = self._some(rows)
        return Cells(tuple(Piece(len(a), self.room.keep(a), self.empties, self.commas) for a in some), self.room)

    def some(self, rows: IntArray) -> Strings:
        """Return the texts of some rows, ascending, in memory."""
        import pyarrow as pa

        return Strings(pa.concat_arrays([Strings.from_any(array).array for array in self._some(rows)]))

    def _some(self, rows: IntArray) -> Iterator[Any]:
        return (self.stored(number).take(arrow.numbers(own)) for number, own in self._by_piece(rows))

    def slice(self, start: int, stop: int | None = None) -> "Cells":
        """Return the cells from `start` to before `stop`."""
        stop = len(self) if stop is None else min(stop, len(self))
        edges = [(i, max(start, a) - a, min(stop, b) - a) for i, (a, b) in enumerate(pairwise(self.starts))]
        return Cells(tuple((self._cut(i, a, b) for i, a, b in edges if a < b)), self.room)

    def _cut(self, number: int, start: int, stop: int) -> Piece:
        piece = self.pieces[number]
        if stop - start == piece.n:
            return piece
        return Piece(stop - start, self.room.keep(self.stored(number)[start:stop]), piece.empties, piece.commas)

    def _by_piece(self, rows: IntArray) -> Iterator[tuple[int, IntArray]]:
        """Yield (piece, rows in it) for each piece that has some of the rows, which ascend."""
        for number, (first, last) in enumerate(pairwise(np.searchsorted(rows, self.starts))):
            if first < last:
                yield number, rows[first:last] - self.starts[number]

    def each(self, work: Callable[[Any], Any]) -> Iterator[tuple[Any, npt.NDArray[Any] | None]]:
        """Yield per piece (what `work` makes of its array, which entry each row has); None for each its own.

        Of a piece that is kept as codes, `work` gets the different texts.
        """
        return (self._worked(number, work) for number in range(len(self.pieces)))

    def _worked(self, number: int, work: Callable[[Any], Any]) -> tuple[Any, npt.NDArray[Any] | None]:
        array = self.stored(number)
        if not hasattr(array, "dictionary"):
            return work(array), None
        return work(array.dictionary), arrow.plain(array.indices)

    def matches(self, pattern: str) -> BoolArray:
        """Return where a regular expression (RE2) finds itself."""
        return self._where(lambda texts: texts.matches(pattern), lambda piece: pattern != "," or piece.commas)

    def equal(self, text: str) -> BoolArray:
        """Return where the cell is `text`."""
        return self._where(lambda texts: texts.equal(text), lambda piece: bool(text) or piece.empties)

    def _where(self, test: Callable[[Strings], BoolArray], maybe: Callable[[Piece], bool]) -> BoolArray:
        found = np.zeros(len(self), dtype=np.bool_)
        for number, piece in enumerate(self.pieces):
            if maybe(piece):
                own, codes = self._worked(number, lambda array: test(Strings.from_any(array)))
                found[self.starts[number] : self.starts[number + 1]] = own if codes is None else own[codes]
        return found

    def different(self, rows: IntArray) -> Iterator[str]:
        """Yield the different texts of some rows, ascending; some may come again."""
        for number, own in self._by_piece(rows):
            yield from dict.fromkeys(Strings.from_any(self.stored(number).take(arrow.numbers(own))).array.to_pylist())

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
            found = array if hasattr(array, "dictionary") else Strings.from_any(array).array.dictionary_encode()
            local = arrow.plain(found.indices)
            texts = found.dictionary.to_pylist()
            places = np.zeros(len(texts), dtype=np.int32)
            first = first_of_each(local)
            for own in np.argsort(first, kind="stable")[: int((first < len(local)).sum())].tolist():
                places[own] = known.setdefault(texts[own], len(known))
            if most is not None and len(known) > most:
                raise OverflowError
            codes[self.starts[number] : self.starts[number + 1]] = places[local]
        return codes, tuple(known)


def concatenated(parts: Iterable[Cells]) -> Cells:
    """Return the cells of all parts, one after the other, in memory."""
    return Cells.held(strings.array for part in parts for strings in part.parts())
