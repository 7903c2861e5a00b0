"""Names and labels from cells: composed Unicode, nothing invisible, each different text kept once."""

import unicodedata
from collections.abc import Sequence

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._names import invisible, shown
from core.ingest._table import Table

JOINT = " / "
"""Between the parts of a name that stands in several columns."""


def label_texts(table: Table, place: int, rows: IntArray) -> tuple[str, ...]:
    """Return the texts of a column in some rows.

    Raises
    ------
    ReadError
        If a text holds a character that nobody sees: two names could look alike.
    """
    codes, texts = table.columns[place].encoded()
    for code, text in enumerate(texts):
        hidden = invisible(text, allowed="\t\r\n")
        if hidden:
            row = int(np.flatnonzero(codes == code)[0])
            raise ReadError(
                f"{table.place(row)}: '{table.names[place]}' is '{shown(text)}', which holds the invisible "
                f"character {hidden}. Remove it, or ignore the column."
            )
    composed = np.array([unicodedata.normalize("NFC", text) for text in texts], dtype=object)
    return tuple(composed[codes[rows]].tolist())


def joined_texts(table: Table, names: Sequence[str], role: str, rows: IntArray) -> tuple[str, ...]:
    """Return one text per row from the columns that name a role; "" if there are none."""
    if not names:
        return ("",) * len(rows)
    columns = [label_texts(table, table.find(name), rows) for name in names]
    if len(columns) == 1:
        return columns[0]
    known: dict[tuple[str, ...], str] = {}
    return tuple(known.setdefault(parts, JOINT.join(parts)) for parts in zip(*columns, strict=True))
