"""Names and labels from cells: composed Unicode, nothing invisible, each different name kept once."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import partial, reduce

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.names import invisible, shown
from core.ingest.table.cells import Cells, Strings
from core.ingest.table.table import Table
from core.texts import STEP, CodedTexts, Codes, Texts, constant

JOINT = " / "
"""Between the parts of a name that stands in several columns."""
MAX_NAMES = 2_000_000
"""Different applications, inputs or machines; labels may be as many as there are trials."""

_PRINTABLE = bytes(range(0x20, 0x7F)) + b"\t\r\n"


class StoredTexts(Frozen, Texts, eq=False):
    """The texts of a column where it is kept, in composed Unicode."""

    cells: Cells

    def __len__(self) -> int:
        return len(self.cells)

    def one(self, row: int) -> str:
        """Return the text of a row."""
        return _composed(self.cells[row + len(self) if row < 0 else row])

    def several(self, rows: slice) -> tuple[str, ...]:
        """Return the texts of some rows, read in parts."""
        wanted = np.arange(*rows.indices(len(self)))
        parts = (self.cells.take(wanted[a : a + STEP]) for a in range(0, len(wanted), STEP))
        return tuple(_composed(text) for part in parts for text in part.texts())

    def __iter__(self) -> Iterator[str]:
        return (_composed(text) for part in self.cells.parts() for text in part.array.to_pylist())


def label_texts(table: Table, place: int, rows: IntArray) -> Sequence[str]:
    """Return the texts of a column in some rows.

    Raises
    ------
    ReadError
        If a text holds a character that nobody sees: two names could look alike.
    """
    cells = table.columns[place]
    _refuse_invisible(table, place)
    if len(rows) <= STEP:
        codes, texts = _part(cells, rows).encoded()
        return tuple(np.array([*map(_composed, texts)], dtype=object)[codes].tolist())
    return _coded(_part(cells, rows).codes()) if cells.repeating else StoredTexts(_part(cells, rows))


def joined_texts(table: Table, names: Sequence[str], role: str, rows: IntArray) -> Sequence[str]:
    """Return one text per row from the columns that name a role; "" if there are none."""
    if not names:
        return constant("", len(rows))
    columns = [_role_texts(table, table.find(name), role, rows) for name in names]
    return reduce(partial(_joint, between=JOINT), columns)


def _role_texts(table: Table, place: int, role: str, rows: IntArray) -> CodedTexts:
    _refuse_invisible(table, place)
    try:
        return _coded(_part(table.columns[place], rows).codes(MAX_NAMES))
    except OverflowError:
        what = f"{table.source}: {role} '{table.names[place]}'"
        raise ReadError(f"{what} has over {MAX_NAMES:,} different texts. Make the column a label.") from None


def _coded(found: tuple[Codes, Sequence[str]]) -> CodedTexts:
    """Return texts in composed Unicode, from which of them each row has."""
    return _without_twins(found[0], [*map(_composed, found[1])])


def _part(cells: Cells, rows: IntArray) -> Cells:
    return cells if len(rows) == len(cells) else cells.take(rows)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _joint(first: CodedTexts, second: CodedTexts, between: str) -> CodedTexts:
    """Return both texts of each row as one."""
    width = len(second.texts)
    different, codes = np.unique(first.codes.astype(np.int64) * width + second.codes, return_inverse=True)
    texts = [f"{first.texts[pair // width]}{between}{second.texts[pair % width]}" for pair in different.tolist()]
    return _without_twins(codes.astype(np.int32), texts)


def _without_twins(codes: "np.ndarray[tuple[int], np.dtype[np.int32]]", texts: Sequence[str]) -> CodedTexts:
    """Return texts of which no two are alike."""
    known: dict[str, int] = {}
    places = np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int32)
    return CodedTexts(codes if len(known) == len(texts) else places[codes], tuple(known))


def _refuse_invisible(table: Table, place: int) -> None:
    """Raise ReadError if a text holds a hidden character."""
    cells = table.columns[place]
    for start, (hidden, codes) in zip(cells.starts, cells.each(_hidden), strict=False):
        if hidden:
            at, mark = hidden
            row = start + (at if codes is None else int(np.flatnonzero(codes == at)[0]))
            raise ReadError(
                f"{table.place(row)}: '{table.names[place]}' is '{shown(cells[row])}', which holds the invisible "
                f"character {mark}. Remove it, or ignore the column."
            )


def _hidden(array: object) -> tuple[int, str] | None:
    """Return (place, character) of the first text with a character that nobody sees; None if there is none."""
    texts = Strings.from_any(array)
    if not texts.characters().translate(None, _PRINTABLE):
        return None
    marks = ((i, invisible(text, allowed="\t\r\n")) for i, text in enumerate(texts.array.to_pylist()))
    return next(((i, mark) for i, mark in marks if mark), None)
