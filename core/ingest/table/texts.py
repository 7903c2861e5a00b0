"""Names and labels from cells: composed Unicode, nothing invisible, each different text kept once."""

import unicodedata
from collections.abc import Sequence
from functools import partial, reduce

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._names import invisible, shown
from core.ingest.table._large.cells import LargeCells
from core.ingest.table._large.texts import coded_texts, find_invisible, joint_texts, stored_texts
from core.ingest.table.table import Table
from core.texts import CodedTexts, coded

JOINT = " / "
"""Between the parts of a name that stands in several columns."""


def label_texts(table: Table, place: int, rows: IntArray) -> Sequence[str]:
    """Return the texts of a column in some rows.

    Raises
    ------
    ReadError
        If a text holds a character that nobody sees: two names could look alike.
    """
    cells = table.columns[place]
    if isinstance(cells, LargeCells):
        _refuse_invisible(table, place, *find_invisible(cells))
        return stored_texts(cells, rows)
    codes, texts = cells.encoded()
    for code, text in enumerate(texts):
        hidden = invisible(text, allowed="\t\r\n")
        if hidden:
            _refuse_invisible(table, place, int(np.flatnonzero(codes == code)[0]), hidden)
    composed = np.array([unicodedata.normalize("NFC", text) for text in texts], dtype=object)
    return tuple(composed[codes[rows]].tolist())


def joined_texts(table: Table, names: Sequence[str], role: str, rows: IntArray) -> Sequence[str]:
    """Return one text per row from the columns that name a role; "" if there are none."""
    if not names:
        return table.repeated("", len(rows))
    columns = [_role_texts(table, table.find(name), role, rows) for name in names]
    if len(columns) == 1:
        return columns[0]
    if isinstance(columns[0], CodedTexts):
        return reduce(partial(joint_texts, between=JOINT), map(coded, columns))
    known: dict[tuple[str, ...], str] = {}
    return tuple(known.setdefault(parts, JOINT.join(parts)) for parts in zip(*columns, strict=True))


def _role_texts(table: Table, place: int, role: str, rows: IntArray) -> Sequence[str]:
    cells = table.columns[place]
    if not isinstance(cells, LargeCells):
        return label_texts(table, place, rows)
    _refuse_invisible(table, place, *find_invisible(cells))
    return coded_texts(cells, rows, f"{table.source}: {role} '{table.names[place]}'")


def _refuse_invisible(table: Table, place: int, row: int, hidden: str) -> None:
    """Raise ReadError if a row's text holds a hidden character; there is none if `hidden` is empty."""
    if hidden:
        text = shown(table.columns[place][row])
        raise ReadError(
            f"{table.place(row)}: '{table.names[place]}' is '{text}', which holds the invisible "
            f"character {hidden}. Remove it, or ignore the column."
        )
