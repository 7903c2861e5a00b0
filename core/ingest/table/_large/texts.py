"""Names and labels from cells on disk, as `_texts` reads them: names as codes, labels left where they are."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._names import invisible
from core.ingest.table._large.cells import LargeCells
from core.ingest.table.cells import Cells
from core.texts import STEP, CodedTexts, Texts

MAX_NAMES = 2_000_000
"""Different applications, inputs or machines; labels may be as many as there are trials."""

_PRINTABLE = bytes(range(0x20, 0x7F)) + b"\t\r\n"


@dataclass(frozen=True, eq=False)
class StoredTexts(Texts):
    """The texts of a column on disk, in composed Unicode.

    Attributes
    ----------
    composed : whether they are in that form as they are kept
    """

    cells: Cells
    composed: bool

    def __len__(self) -> int:
        return len(self.cells)

    def one(self, row: int) -> str:
        """Return the text of a row."""
        return self._form(self.cells[row + len(self) if row < 0 else row])

    def several(self, rows: slice) -> tuple[str, ...]:
        """Return the texts of some rows, read in parts."""
        wanted = np.arange(*rows.indices(len(self)))
        return tuple(self._form(text) for a in range(0, len(wanted), STEP)
                     for text in self.cells.take(wanted[a : a + STEP]).texts())  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return (self._form(text) for part in self.cells.parts() for text in part.texts())

    def _form(self, text: str) -> str:
        return text if self.composed else unicodedata.normalize("NFC", text)


@dataclass(frozen=True, eq=False)
class LineTexts(Texts):
    """Where rows stand in their file, as in "line 14"; `lines` is an array of shape (n,)."""

    lines: IntArray

    def __len__(self) -> int:
        return len(self.lines)

    def one(self, row: int) -> str:
        """Return where a row stands."""
        return f"line {self.lines[row]}"

    def several(self, rows: slice) -> tuple[str, ...]:
        """Return where some rows stand."""
        return tuple(f"line {line}" for line in self.lines[rows].tolist())


def find_invisible(cells: LargeCells) -> tuple[int, str]:
    """Return the first row whose text holds a character that nobody sees, and which; (-1, "") if there is none."""
    for number, start in enumerate(cells.starts[:-1]):
        if not cells.distinct_part(number).characters().translate(None, _PRINTABLE):
            continue
        texts = cells.part(number).texts()
        for text in dict.fromkeys(texts):
            hidden = invisible(text, allowed="\t\r\n")
            if hidden:
                return start + texts.index(text), hidden
    return -1, ""


def stored_texts(cells: LargeCells, rows: IntArray) -> StoredTexts:
    """Return the texts of some rows."""
    own = cells if len(rows) == len(cells) else cells.take(rows)
    if not isinstance(own, LargeCells):
        return StoredTexts(own, own.characters().isascii())
    return StoredTexts(own, all(own.distinct_part(i).characters().isascii() for i in range(len(own.pieces))))


def coded_texts(cells: LargeCells, rows: IntArray, what: str) -> CodedTexts:
    """Return the texts of some rows as codes.

    Parameters
    ----------
    what : the column and its role, for the error
    """
    try:
        codes, texts = cells.codes(MAX_NAMES)
    except OverflowError:
        raise ReadError(f"{what} has over {MAX_NAMES:,} different texts. Make the column a label.") from None
    own = codes if len(rows) == len(codes) else codes[rows]
    return _without_twins(own, [unicodedata.normalize("NFC", text) for text in texts])


def joint_texts(first: CodedTexts, second: CodedTexts, between: str) -> CodedTexts:
    """Return both texts of each row as one."""
    width = len(second.texts)
    pairs = first.codes.astype(np.int64) * width + second.codes
    different, codes = np.unique(pairs, return_inverse=True)
    texts = [f"{first.texts[pair // width]}{between}{second.texts[pair % width]}" for pair in different.tolist()]
    return _without_twins(codes.astype(np.int32), texts)


def _without_twins(codes: "np.ndarray[tuple[int], np.dtype[np.int32]]", texts: Sequence[str]) -> CodedTexts:
    """Return texts of which no two are alike, and each occurs."""
    there = np.bincount(codes, minlength=len(texts)) > 0
    known: dict[str, int] = {}
    places = np.array([known.setdefault(text, len(known)) if used else 0
                       for text, used in zip(texts, there.tolist(), strict=True)], dtype=np.int32)  # fmt: skip
    if len(known) == len(texts):
        return CodedTexts(codes, tuple(texts))
    return CodedTexts(places[codes], tuple(known))
