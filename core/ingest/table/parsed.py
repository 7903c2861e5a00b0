"""The rows of a text, each character looked at."""

import csv
import io
from collections.abc import Iterable, Iterator

from core.errors import ReadError
from core.ingest.table.dialect import reader_of


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
