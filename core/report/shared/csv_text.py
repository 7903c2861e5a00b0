"""Tables, and columns of any length, as CSV that a spreadsheet shows and never runs."""

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core import arrow

if TYPE_CHECKING:
    import pandas as pd

FORMULA = "[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""How a text begins that a spreadsheet would take for a formula; the last four are full-width forms."""
NUMBER = r"[+-]|[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?"
"""What is a number, or a sign alone as for none, and so no formula."""

_FORMULA, _NUMBER = re.compile(FORMULA), re.compile(NUMBER)
_NEEDS_QUOTES = '[",\r\n]'
_SPECIAL = (b'"', b",", b"\r", b"\n")
_MARKS = (b"=", b"+", b"-", b"@", b"\t", b"\r", b"\n", b"\xef")
"""Bytes of which one is in every text that begins like a formula."""
_BEGINS_FORMULA, _IS_NUMBER = f"^{FORMULA}", f"^({NUMBER})$"


def header_line(names: Sequence[str]) -> bytes:
    """Return the line of column names."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([safe_cell(name) for name in names])
    return text.getvalue().encode()


def csv_lines(columns: Sequence[Any]) -> bytes:
    """Return the lines of rows.

    Parameters
    ----------
    columns : Arrow arrays of equal length; numbers keep every digit, nothing stands for null and NaN
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(columns[0]):
        return b""
    *first, last = [_cells(column) for column in columns]
    ended = pc.binary_join_element_wise(last, arrow.text("\n"), arrow.text(""))
    lines = pc.binary_join_element_wise(*first, ended, arrow.text(",")) if first else ended
    _, ends, characters = lines.buffers()
    n = pa.Array.from_buffers(pa.int32(), len(lines) + 1, [None, ends])[-1].as_py()
    return bytes(memoryview(characters)[:n])


def _cells(column: Any) -> Any:
    """Return a column as texts that can stand between commas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, nothing = column.type, arrow.text("")
    if pa.types.is_boolean(kind):
        return pc.fill_null(pc.if_else(column, arrow.text("True"), arrow.text("False")), nothing)
    if pa.types.is_floating(kind):
        return pc.fill_null(pc.if_else(pc.is_nan(column), nothing, column.cast(pa.string())), nothing)
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        return pc.fill_null(column.cast(pa.string()), nothing)
    return _quoted(_quiet(_texts(column)))


def _texts(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.fill_null(column.cast(pa.string()), arrow.text(""))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, structures, bytes
        return arrow.texts(["" if value is None else str(value) for value in column.to_pylist()])


def _quiet(texts: Any) -> Any:
    """Return texts with an apostrophe before those that a spreadsheet would take for a formula."""
    import pyarrow.compute as pc

    if not _has(texts, _MARKS):
        return texts
    formula = pc.match_substring_regex(texts, _BEGINS_FORMULA)
    formula = pc.and_not(formula, pc.match_substring_regex(texts, _IS_NUMBER))
    return pc.if_else(formula, pc.binary_join_element_wise(arrow.text("'"), texts, arrow.text("")), texts)


def _quoted(texts: Any) -> Any:
    import pyarrow.compute as pc

    if not _has(texts, _SPECIAL):
        return texts
    special = pc.match_substring_regex(texts, _NEEDS_QUOTES)
    mark, doubled = arrow.text('"'), pc.replace_substring(texts, '"', '""')
    return pc.if_else(special, pc.binary_join_element_wise(mark, doubled, mark, arrow.text("")), texts)


def _has(texts: Any, marks: Sequence[bytes]) -> bool:
    """Whether some bytes are anywhere in a column, which takes no time to see."""
    characters = texts.buffers()[2]
    raw = b"" if characters is None else characters.to_pybytes()
    return any(mark in raw for mark in marks)


def safe_cell(value: object) -> object:
    """Return a text with an apostrophe before it if a spreadsheet would take it for a formula."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def to_csv(values: "pd.DataFrame") -> str:
    """Return a table as CSV with a header and no index; numbers keep every digit."""
    from pandas.api.types import is_numeric_dtype

    safe = values.copy()
    safe.columns = [safe_cell(str(name)) for name in values.columns]
    for i, kind in enumerate(values.dtypes):
        if not is_numeric_dtype(kind):
            safe.isetitem(i, values.iloc[:, i].map(safe_cell).to_numpy())
    return safe.to_csv(index=False, lineterminator="\n")
