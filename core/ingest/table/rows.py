"""Text to cells by one separator: each row as wide as the header, fast where nothing is quoted."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._names import read_header, shown
from core.ingest._open import OpenedText
from core.ingest.table.cells import Cells, concatenated, split_plain
from core.ingest.table.dialect import NAMES, Start

MAX_COLUMNS = 5_000
MAX_CELLS = 20_000_000
_CHUNK = 8_192
_NOT_PLAIN = (b'"', b"\n\n", b"\r\r", b"\n\r")
"""Quotes and blank lines: what the fast way cannot tell."""


@dataclass(frozen=True)
class Rows:
    """The header's cells, the columns below it, and the line where each row begins."""

    header: tuple[str, ...]
    columns: tuple[Cells, ...]
    lines: IntArray


def read_rows(text: OpenedText, start: Start, separator: str) -> Rows:
    """Return the cells of a table.

    Raises
    ------
    ReadError
        If a row is wider or narrower than the header, a line inside the table is blank, a quote
        is not closed, there are no rows, or there are too many cells.
    """
    body = text.raw[start.offset : _end(text.raw)]
    header = _header(text.name, body, start.line, separator)
    found = None
    if separator and len(header) > 1 and not any(mark in body for mark in _NOT_PLAIN):
        _refuse_size(text.name, len(header), _n_breaks(body))
        found = _plain(body, start.line, separator, header)
    return found or _strict(text.name, body, start.line, separator)


def _header(name: str, body: bytes, line: int, separator: str) -> tuple[str, ...]:
    return header_of(name, line, next(parsed(name, text_lines(body), line, separator))[1])


def header_of(name: str, line: int, row: Sequence[str]) -> tuple[str, ...]:
    """Return a header's cells, unless there are too many."""
    if len(row) > MAX_COLUMNS:
        has = f"{len(row):,} columns; at most {MAX_COLUMNS:,} are read"
        raise ReadError(f"{name} line {line} has {has}. Leave some out.")
    return tuple(row)


def _plain(body: bytes, line: int, separator: str, header: tuple[str, ...]) -> Rows | None:
    columns = split_plain(memoryview(body), separator, len(header))
    if not columns or not len(columns[0]):
        return None
    return Rows(header, tuple(columns), np.arange(len(columns[0]), dtype=np.int64) + line + 1)


def _strict(name: str, body: bytes, line: int, separator: str) -> Rows:
    rows = parsed(name, text_lines(body), line, separator)
    header = next(rows)[1]
    parts: list[list[Cells]] = []
    lines: list[int] = []
    chunk: list[list[str]] = []
    for at, row in full_rows(name, rows, header, separator):
        lines.append(at)
        chunk.append(row)
        if len(chunk) == _CHUNK:
            _refuse_size(name, len(header), len(lines))
            parts.append(columns_of(chunk))
            chunk = []
    if chunk:
        parts.append(columns_of(chunk))
    if not parts:
        refuse_no_rows(name, line, header)
    columns = tuple(concatenated(column) for column in zip(*parts, strict=True))
    return Rows(tuple(header), columns, np.array(lines, dtype=np.int64))


def refuse_no_rows(name: str, line: int, header: Sequence[str]) -> NoReturn:
    """Raise ReadError for a table without rows, or for its header if that is wrong."""
    read_header(name, line, header)
    raise ReadError(f"{name} has column names but no rows of values below them.")


def full_rows(
    name: str, rows: Iterator[tuple[int, list[str]]], header: Sequence[str], separator: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows as wide as the header; blank lines may only follow the last."""
    blank = 0
    for line, row in rows:
        if _is_blank(row, len(header)):
            blank = blank or line
        elif blank:
            raise ReadError(
                f"{name} line {blank} is blank, and the table goes on below it. "
                "Remove the line, or import two tables as two files."
            )
        elif len(row) != len(header):
            raise ReadError(_wrong_width(name, line, row, header, separator))
        else:
            yield line, row


def _is_blank(row: Sequence[str], width: int) -> bool:
    return not row or (len(row) == 1 and not row[0].strip() and width >= 1)


def _wrong_width(name: str, line: int, row: Sequence[str], header: Sequence[str], separator: str) -> str:
    cells = f"{len(row)} cell{'s' if len(row) != 1 else ''}"
    remedy = "Fix the row"
    if len(row) > len(header):
        remedy += f"; a cell that holds a {NAMES[separator or ',']} must be quoted"
    text = shown(separator.join(row))
    return f"{name} line {line} has {cells} and the header {len(header)}: '{text}'. {remedy}."


def text_lines(body: bytes) -> Iterator[str]:
    """Yield the lines of a text with their ends."""
    return io.TextIOWrapper(io.BytesIO(body), "utf-8", newline="")


def parsed(name: str, lines: Iterable[str], line: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line where it begins, cells) of each row; `line` is the number of the first."""
    reader = csv.reader(lines, delimiter=separator or ",", strict=True, skipinitialspace=separator != "\t")
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


def columns_of(chunk: Sequence[Sequence[str]]) -> list[Cells]:
    """Return the columns of some rows."""
    return [Cells.of(column) for column in zip(*chunk, strict=True)]


def _refuse_size(name: str, n_columns: int, n_rows: int) -> None:
    if n_columns * n_rows > MAX_CELLS:
        size = f"{n_columns:,} columns × {n_rows:,} rows"
        remedy = "Split it, leave columns out, or import it by its path (ridgeline import)"
        raise ReadError(f"{name} has over {MAX_CELLS:,} cells ({size}). {remedy}.")


def _n_breaks(raw: bytes) -> int:
    return raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n")


def _end(raw: bytes) -> int:
    """Return where the text ends without the line breaks behind it."""
    end = len(raw)
    while end:
        block = raw[max(0, end - (1 << 20)) : end]
        kept = len(block.rstrip(b"\r\n"))
        end -= len(block) - kept
        if kept:
            break
    return end
