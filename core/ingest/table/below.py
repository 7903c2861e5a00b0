"""Rows as wide as the header, and what stands between and below them that is no row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import chain

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.names import shown
from core.ingest.recognition.words import WORDS, forms
from core.ingest.table.dialect import NAMES, is_number
from core.ingest.table.layout import Layout
from core.ingest.table.text import Block
from core.trial import Skipped

MAX_BELOW = 10
"""Lines below a table that are no rows of it."""
TOTAL = forms("sums_up")
"""What a row that sums up others is called."""

_REMARK = re.compile(
    r"[*†‡§]|(note|source|remark|legend|comment|quelle|anmerkung|hinweis|nota|fonte|fuente|obs|remarque)\w*\.?:",
    re.IGNORECASE,
)
"""How a remark begins that may hold numbers."""
_FAILING = WORDS["failing"]
"""What the last cell of a row says that ends where its run failed."""
_COUNTED = re.compile(r"\(\d+ rows?\)|-{3,}")
_SENTENCE = 4
"""Words of a sentence at least, which may hold numbers."""


class Beginning(Frozen):
    """Where a table begins, the text below its header, and what is told of lines in it that are no rows."""

    name: str
    layout: Layout
    blocks: Iterator[Block]
    told: list[Skipped] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The cells of each row."""
        return len(self.layout.header)


def full_rows(begins: Beginning, rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows as wide as the header; comments between them, and what stands below the last, are told.

    Blank lines may stand between rows that are alike, as groups of them are set apart.
    """
    last: list[str] = []
    blank = 0
    for line, row in rows:
        if _is_blank(row):
            blank = blank or line
        elif len(row) == begins.width and not (blank and not _alike(row, last)):
            yield line, row
            last, blank = row, 0
        elif row[0].lstrip().startswith("#"):
            begins.told.append(Skipped(f"line {line}", f"a comment: {_shown(row, begins)}"))
        elif last and len(row) < begins.width and _FAILING & {*re.findall(r"\w+", row[-1].lower())}:
            begins.told.append(Skipped(f"line {line}", f"its run failed: {_shown(row, begins)}"))
        elif blank:
            _take_below(begins, blank, [], chain([(line, row)], rows))
        else:
            _take_below(begins, line, row, rows)


def _alike(row: Sequence[str], last: Sequence[str]) -> bool:
    """Whether a row has numbers just where the last one has them, empty cells aside, and is no total."""
    total = TOTAL.fullmatch(next(filter(None, map(str.strip, row)), "").rstrip(":"))
    return not total and all(is_number(a) == is_number(b) for a, b in zip(row, last, strict=False) if a and b)


def _take_below(begins: Beginning, line: int, row: list[str], rows: Iterator[tuple[int, list[str]]]) -> None:
    """Tell what stands below a table, or raise ReadError where some of it may be rows of the table."""
    blank = _is_blank(row)
    told: list[Skipped] = []
    for at, other in chain([(line, row)], rows):
        if _is_blank(other):
            continue
        if len(told) == MAX_BELOW or not _stands_below(other, begins.width, blank=blank):
            raise ReadError(_blank_between(begins.name, line) if blank else _wrong_width(begins, line, row))
        told.append(Skipped(f"line {at}", f"below the table: {_shown(other, begins)}"))
    begins.told.extend(told)


def _stands_below(row: Sequence[str], width: int, *, blank: bool) -> bool:
    """Whether a row sums up those above, is a remark that says so, or below a blank line words or a sentence."""
    cells = [cell.strip() for cell in row]
    first = next((cell for cell in cells if cell), "")
    if first.startswith("#") or _COUNTED.fullmatch(first) or TOTAL.fullmatch(first.rstrip(":")):
        return True
    said = (len(row) == 1 and not any(map(str.isdigit, first))) or len(first.split()) >= _SENTENCE
    told = bool(_REMARK.match(first)) or (blank and said)
    return told and len(row) < width and not any(map(is_number, cells))


def _is_blank(row: Sequence[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _shown(row: Sequence[str], begins: Beginning) -> str:
    return shown((begins.layout.separator or ",").join(row), 120)


def _blank_between(name: str, line: int) -> str:
    remedy = "Remove the line, or import two tables as two files."
    return f"{name} line {line} is blank, and the table goes on below it. {remedy}"


def _wrong_width(begins: Beginning, line: int, row: Sequence[str]) -> str:
    cells = f"{len(row)} cell{'s' if len(row) != 1 else ''}"
    separator, width = begins.layout.separator, begins.width
    remedy = "Fix the row"
    if len(row) > width:
        remedy += f"; a cell that holds a {NAMES[separator or ',']} must be quoted"
    text = shown(separator.join(row))
    return f"{begins.name} line {line} has {cells} and the header {width}: '{text}'. {remedy}."
