"""Blocks of regular text to columns, without looking at each character in turn."""

import re
from typing import Any

import numpy as np

from core.codec import IntArray
from core.ingest.opening import MAX_LINE
from core.ingest.table.dialect import BLANK
from core.ingest.table.strings import Strings

_PADDING = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb"^ | (?=[\r\n]|\Z)", re.MULTILINE)
_QUOTE, _NEWLINE, _RETURN = 0x22, 0x0A, 0x0D


def split_block(raw: bytes, separator: str, width: int) -> tuple[Any, ...] | None:
    """Return the columns of a block, if it can be split without looking at each character in turn."""
    quoted = b'"' in raw
    if not separator or width == 1 or (quoted and (separator == BLANK or not _regular(raw, separator))):
        return None
    if separator == BLANK:
        raw = _AROUND.sub(b"", _PADDING.sub(b" ", raw))
    columns = _split(raw, separator, width, quoted=quoted)
    if not columns or not len(columns[0]):
        return None
    texts = [Strings(column) for column in columns]
    if len(raw) > MAX_LINE and np.sum([np.diff(own.ends()) for own in texts], axis=0).max() > MAX_LINE:
        return None
    if all(own.has_empty() for own in texts) and _blank_line(raw):
        return None
    if quoted and separator != "\t" and any(own.matches("^ ").any() for own in texts):
        return None
    return columns


def _split(raw: bytes, separator: str, width: int, *, quoted: bool) -> tuple[Any, ...] | None:
    """Return the columns of regular text as Arrow arrays; None if a row is not `width` cells wide."""
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(width)]
    try:
        table = csv.read_csv(
            pa.py_buffer(raw),
            csv.ReadOptions(column_names=names, block_size=len(raw) + 1, use_threads=False),
            csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quoted else False,
                double_quote=quoted,
                escape_char=False,
                ignore_empty_lines=False,
            ),
            csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                strings_can_be_null=False,
                null_values=[],
                check_utf8=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    chunks = [column.chunks for column in table.columns]
    return tuple(some[0] if len(some) == 1 else pa.concat_arrays(some) for some in chunks) if chunks[0] else None


def _blank_line(raw: bytes) -> bool:
    """Whether a line is blank, which the fast way takes for a row of empty cells."""
    return raw[:1] in (b"\r", b"\n") or any(pair in raw for pair in (b"\n\n", b"\r\r", b"\n\r"))


def _regular(raw: bytes, separator: str) -> bool:
    """Whether all quotes enclose whole cells on one line each, quotes in them doubled."""
    text = np.frombuffer(b"\n" + raw + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    edge = np.zeros(256, dtype=np.bool_)
    edge[[ord(separator), _NEWLINE, _RETURN]] = True
    doubled = closing[:-1] + 1 == opening[1:]
    begins = edge[text[opening - 1]]
    begins[1:] |= doubled
    ends = edge[text[closing + 1]]
    ends[:-1] |= doubled
    return bool(begins.all() and ends.all()) and not _broken(text, opening, closing)


def _broken(text: "np.ndarray[tuple[int], np.dtype[np.uint8]]", opening: IntArray, closing: IntArray) -> bool:
    """Whether a line ends between quotes."""
    ends = np.flatnonzero((text == _NEWLINE) | (text == _RETURN))
    return bool((np.searchsorted(ends, opening) != np.searchsorted(ends, closing)).any())
