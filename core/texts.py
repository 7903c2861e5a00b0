"""Texts, one per trial, as numbers of the different ones: ten million names in forty megabytes."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from core.arrow import numbers, plain
from core.arrow import texts as words
from core.codec import Frozen, IntArray

Codes = npt.NDArray[np.int32]

STEP = 1 << 18
"""Texts that are looked at together where they are many."""
_TABLE = 8
"""So many possible pairs for each that is there are looked up in a table; more are sorted."""


class Texts(Sequence[str]):
    """A sequence of texts that are not kept as objects: a form tells one text, and those of a slice."""

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[str, ...]: ...
    def __getitem__(self, row: int | slice) -> str | tuple[str, ...]:
        return self.several(row) if isinstance(row, slice) else self.one(row)

    @abstractmethod
    def one(self, row: int) -> str:
        """Return the text of a row."""

    @abstractmethod
    def several(self, rows: slice) -> tuple[str, ...]:
        """Return the texts of some rows."""


class CodedTexts(Frozen, Texts, eq=False):
    """A sequence of texts in little memory.

    Attributes
    ----------
    codes : array of shape (n,): which of `texts` each one is
    texts : the different ones; each occurs
    """

    codes: Codes
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def one(self, row: int) -> str:
        """Return the text of a row."""
        return self.texts[int(self.codes[row])]

    def several(self, rows: slice) -> tuple[str, ...]:
        """Return the texts of some rows."""
        texts = self.texts
        return tuple(texts[code] for code in self.codes[rows].tolist())

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), STEP):
            yield from self[start : start + STEP]

    def __contains__(self, text: object) -> bool:
        return text in self.texts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def coded(texts: Sequence[str]) -> CodedTexts:
    """Return the same texts, coded in order of appearance unless they are coded already."""
    if isinstance(texts, CodedTexts):
        return texts
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(text, len(known)) for text in texts), dtype=np.int32, count=len(texts))
    return CodedTexts(codes, tuple(known))


def texts_at(numbers: npt.NDArray[Any], texts: Sequence[str]) -> CodedTexts:
    """Return the text at each number's place; those that are alike become one, and those that are not used none."""
    own = coded(texts)
    used, codes = np.unique(own.codes[numbers], return_inverse=True)
    return CodedTexts(codes.reshape(-1).astype(np.int32), tuple(own.texts[code] for code in used.tolist()))


def ranked(texts: Sequence[str]) -> IntArray:
    """Return the place of each text among the different ones in alphabetical order, array of shape (n,)."""
    own = coded(texts)
    place = np.unique(np.array(own.texts, dtype=np.str_), return_inverse=True)[1].reshape(-1)
    return np.asarray(place[own.codes], dtype=np.int64)


def ranked_by_digits(numbers: IntArray) -> IntArray:
    """Return what `ranked` says of whole numbers from 0 on that are written out, array of shape (n,), much sooner."""
    different, place = np.unique(numbers, return_inverse=True)
    length = np.searchsorted(10 ** np.arange(1, 19), different, side="right")
    order = np.lexsort((length, different * 10 ** (length.max(initial=0) - length)))
    return np.asarray(np.argsort(order)[place.reshape(-1)], dtype=np.int64)


def combined(first: IntArray | Codes, second: IntArray | Codes) -> IntArray:
    """Return one number per pair of numbers, from zero on, in the order of the pairs; both count from zero."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    width = int(second.max()) + 1
    pairs = first.astype(np.int64) * width + second
    n_pairs = (int(first.max()) + 1) * width
    if n_pairs > _TABLE * len(pairs):
        return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.int64)
    there = np.zeros(n_pairs, dtype=np.bool_)
    there[pairs] = True
    return np.asarray((np.cumsum(there, dtype=np.int32) - 1)[pairs], dtype=np.int64)


def numbered(values: npt.NDArray[Any]) -> tuple[Codes, npt.NDArray[Any]]:
    """Return (which of the different values each one is, these in order of appearance)."""
    found = numbers(values).dictionary_encode()
    return plain(found.indices), plain(found.dictionary)


def first_of_each(codes: IntArray | Codes) -> IntArray:
    """Return for each number below the largest, array of shape (n_codes,), the row where it comes first."""
    first = np.full(int(codes.max(initial=-1)) + 1, len(codes), dtype=np.int64)
    for stop in range(len(codes), 0, -STEP):
        start = max(0, stop - STEP)
        first[codes[start:stop][::-1]] = np.arange(stop - 1, start - 1, -1)
    return first


def constant(text: str, n: int) -> CodedTexts:
    """Return one text `n` times."""
    return CodedTexts(np.broadcast_to(np.int32(0), (n,)), (text,) if n else ())


def arrow(texts: Sequence[str], start: int, stop: int) -> Any:
    """Return some of the texts as an Arrow array: the different ones once where they are coded."""
    if isinstance(texts, CodedTexts):
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(numbers(texts.codes[start:stop]), words(texts.texts))
    return words(texts[start:stop])
