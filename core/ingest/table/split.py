"""Text to lines and cells: a regular block at once, any other by each of its characters."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest.opening import MAX_LINE
from core.ingest.table.cells import Strings
from core.ingest.table.dialect import APART, BLANK, reader_of

_PADDING = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb"^ | (?=[\r\n]|\Z)", re.MULTILINE)
_QUOTE, _NEWLINE, _RETURN = 0x22, 0x0A, 0x0D


def split_block(raw: bytes, separator: str, width: int) -> tuple[Any, ...] | None:
    """Return the columns of a block, if it can be split without looking at each character in turn."""
    quoted = b'"' in raw
    if separator in ("", APART) or width == 1 or (quoted and (separator == BLANK or not _regular(raw, separator))):
        return None
    if separator == BLANK:
        raw = _AROUND.sub(b"", _PADDING.sub(b" ", raw))
    if not (columns := _split(raw, separator, width, quoted=quoted)) or not len(columns[0]):
        return None
    texts = [Strings(column) for column in columns]
    if all(own.has_empty() for own in texts) and _blank_line(raw):
        return None
    return None if quoted and separator != "\t" and any(own.matches("^ ").any() for own in texts) else columns


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


_BREAKS = b"\r\n"


def n_breaks(raw: bytes) -> int:
    """Return the number of line ends."""
    n = int(np.count_nonzero(np.frombuffer(raw, dtype=np.uint8) == 0x0A))
    return n + raw.count(b"\r") - raw.count(b"\r\n") if b"\r" in raw else n


def whole_lines(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield pieces again, of some `size` and cut behind line ends; line ends at the end are left out."""
    held: list[bytes] = []
    n = 0
    for piece in pieces:
        n += len(piece)
        cut = _cut(piece) if n >= size else 0
        if cut:
            yield b"".join((*held, memoryview(piece)[:cut]))
            held, n = [piece[cut:]], len(piece) - cut
        else:
            held.append(piece)
        if n >= size + MAX_LINE:  # no line end in sight, or the pieces are shorter than blocks
            raw = b"".join(held)
            if cut := _cut(raw):
                yield raw[:cut]
            held, n = [raw[cut:]], len(raw) - cut
    if last := b"".join(held).rstrip(_BREAKS):
        yield last


def _cut(raw: bytes) -> int:
    """Return where to cut: behind the last line end that is surely whole, before blank lines; 0 for not yet."""
    newline, other = raw.rfind(b"\n"), raw.rfind(b"\r", 0, len(raw) - 1)
    if end := max(newline, other) + 1:
        filled = len(raw[max(0, end - MAX_LINE) : end].rstrip(_BREAKS)) + max(0, end - MAX_LINE)
        first = raw[filled : filled + 2]
        return filled + (2 if first == b"\r\n" else 1) if filled else (end if end > MAX_LINE else 0)
    return _whole_character(raw) if len(raw) > 2 * MAX_LINE else 0


def _whole_character(raw: bytes) -> int:
    """Return the end of the last character of UTF-8 that is surely whole; such a line is refused anyway."""
    begun = re.search(rb"[\xc0-\xff][\x80-\xbf]{0,2}\Z", raw[-3:])
    return len(raw) - len(begun[0]) if begun else len(raw)


def text_lines(raw: bytes) -> Iterator[str]:
    """Yield the lines of a text with their ends."""
    return io.TextIOWrapper(io.BytesIO(raw), "utf-8", newline="")


def parsed(name: str, lines: Iterable[str], line: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line where it begins, cells) of each row; `line` is the number of the first."""
    reader = reader_of(lines, separator)
    at = line
    try:
        for row in reader:
            yield at, row
            at = line + reader.line_num
    except csv.Error as error:
        raise ReadError(f"{name} line {at}: {_reason(str(error))}") from None


def _reason(error: str) -> str:
    if "unexpected end" in error:
        return "a quote opens a cell and never closes. Close it, or double a quote that belongs to the text."
    if "expected after" in error:
        return "text follows a closing quote. Double the quotes that belong to a cell's text."
    if "field limit" in error:
        return f"a cell is longer than {csv.field_size_limit():,} characters. A quote may not be closed."
    return f"the row cannot be split into cells ({error}). Fix the row."
