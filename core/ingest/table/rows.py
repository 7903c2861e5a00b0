"""Blocks of text to rows, each as wide as the header, in threads a few steps ahead: fast where a block is regular."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field, replace
from itertools import chain, islice
from os import cpu_count
from typing import Any, Generic, TypeVar

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.base import Form
from core.ingest.names import read_header, shown
from core.ingest.opening import MAX_LINE
from core.ingest.recognition.words import WORDS, forms
from core.ingest.table.cells import Strings
from core.ingest.table.dialect import NAMES, SAMPLE_BYTES, is_number
from core.ingest.table.layout import Layout, TooShortError, find_layout
from core.ingest.table.split import n_breaks, parsed, split_block, text_lines
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


A = TypeVar("A")
B = TypeVar("B")

WORKERS = max(1, min(4, cpu_count() or 1))


class Window(Generic[A, B]):
    """Items one after the other, each with what `work` made of it in another thread."""

    def __init__(self, items: Iterator[A], work: Callable[[A], B], pool: ThreadPoolExecutor) -> None:
        self._items, self._work, self._pool = items, work, pool
        self._coming: deque[tuple[A, Future[B]]] = deque()

    def __iter__(self) -> Iterator[tuple[A, B]]:
        first = [*islice(self._items, 2)]
        if len(first) == 1:  # most files: a thread would take longer to start
            yield first[0], self._work(first[0])
            return
        self._items = chain(first, self._items)
        while True:
            for item in islice(self._items, 1 + WORKERS - len(self._coming)):
                self._coming.append((item, self._pool.submit(self._work, item)))
            if not self._coming:
                return
            item, made = self._coming.popleft()
            yield item, made.result()

    def rest(self) -> Iterator[A]:
        """Yield further items, whatever was made of them; who stops early leaves the others."""
        while self._coming:
            yield self._coming.popleft()[0]
        for item in self._items:  # noqa: UP028  # `yield from` would end them when it is ended
            yield item


def in_threads(work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
    """Yield what `work` makes of each item."""
    with ThreadPoolExecutor(WORKERS) as pool:
        yield from (made for _, made in Window(iter(items), work, pool))


def ahead(items: Iterator[A]) -> Iterator[A]:
    """Yield items while the next one is made in another thread, from the third on: most files have no second block."""
    nothing: Any = object()
    for _ in range(2):
        if (item := next(items, nothing)) is nothing:
            return
        yield item
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, nothing)
        while (item := coming.result()) is not nothing:
            coming = pool.submit(next, items, nothing)
            yield item


T = TypeVar("T")

MAX_HEAD = 64 * 1024 * 1024
"""Bytes in which a table has to begin."""

_WIDE, _BYTES = 256, 1 << 11
"""Columns from which on a block has so many bytes for each, as each block of a column is worked on by itself."""
_CHUNK = 65_536
_LINE_END = re.compile(rb"\r\n|\r|\n")


class Some(Frozen):
    """Some rows of a table; none where a block held only blank lines.

    Attributes
    ----------
    columns : Arrow arrays of strings
    lines : array of shape (n_rows,), or a range: the line where each row begins
    """

    columns: tuple[Any, ...]
    lines: IntArray | range

    @property
    def numbers(self) -> IntArray:
        """The lines as an array."""
        some = self.lines
        return np.arange(some.start, some.stop, dtype=np.int64) if isinstance(some, range) else some


def find_beginning(name: str, blocks: Iterator[Block], form: Form | None = None) -> Beginning:
    """Read as many blocks as it takes to find the layout of a table.

    Raises
    ------
    ReadError
        If there is none.
    """
    taken: list[Block] = []
    wanted = SAMPLE_BYTES + MAX_LINE
    while True:
        whole = not _take(taken, blocks, wanted)
        head = b"".join(block.raw for block in taken) if len(taken) != 1 else taken[0].raw
        try:
            layout = find_layout(name, head, whole=whole, form=form)
            return Beginning(name, layout, _without_lines(chain(taken, blocks), layout.line - 1))
        except TooShortError as error:
            wanted = error.wanted
        except ReadError:
            if whole or len(head) > MAX_HEAD:
                raise
            wanted = 4 * len(head)


def _take(taken: list[Block], blocks: Iterator[Block], wanted: int) -> bool:
    """Take blocks until there are more than `wanted` bytes; return whether there are."""
    size = sum(len(block.raw) for block in taken)
    while size <= wanted and (block := next(blocks, None)):
        taken.append(block)
        size += len(block.raw)
    return size > wanted


def _without_lines(blocks: Iterator[Block], n: int) -> Iterator[Block]:
    """Yield blocks without the first `n` lines."""
    for block in blocks:
        there = n_breaks(block.raw) if n else 0
        if n > there:
            n -= there
            continue
        at = max((found.end() for found in islice(_LINE_END.finditer(block.raw), n)), default=0)
        if at < len(block.raw):
            yield Block(block.raw[at:], block.line + n) if n else block
        n = 0


def some_rows(begins: Beginning, keep: Callable[[Some], T]) -> Iterator[tuple[Some, T]]:
    """Yield the rows of a table without their cells, and what `keep` made of these.

    Parameters
    ----------
    keep : called in other threads

    Raises
    ------
    ReadError
        If a row is not as wide as the header, a line between rows is blank, a quote is not closed,
        or there are no rows.
    """

    def work(block: Block) -> tuple[Some, T] | None:
        some = _fast(block, begins)
        return None if some is None else (replace(some, columns=()), keep(some))

    n = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        blocks = _joined(begins.blocks, _BYTES * begins.width) if begins.width > _WIDE else begins.blocks
        window = Window(blocks, work, pool)
        for block, made in window:
            slow = ((some, keep(some)) for some in _slow(begins, chain((block,), window.rest())))
            for found in slow if made is None else (made,):
                n += len(found[0].lines)
                yield found
    if not n:
        read_header(begins.name, begins.layout.start.line, begins.layout.header)
        raise ReadError(f"{begins.name} has column names but no rows of values below them.")


def _joined(blocks: Iterator[Block], least: int) -> Iterator[Block]:
    """Yield blocks of at least so many bytes, but for the last: those of a wide table have few rows."""
    for first in blocks:
        raw = [first.raw]
        while sum(map(len, raw)) < least and (more := next(blocks, None)) is not None:
            raw.append(more.raw)
        yield Block(b"".join(raw), first.line) if len(raw) > 1 else first


def _fast(block: Block, begins: Beginning) -> Some | None:
    columns = split_block(block.raw, begins.layout.separator, begins.width)
    return None if columns is None else Some(columns, range(block.line, block.line + len(columns[0])))


def _slow(begins: Beginning, blocks: Iterator[Block]) -> Iterator[Some]:
    """Yield the rows of a block, and of those behind it until a row ends where a block does."""
    first, left = next(blocks), 0

    def given() -> Iterator[str]:
        """Yield the lines, and count how many of a block are left."""
        nonlocal left
        for block in chain((first,), blocks):
            left = n_breaks(block.raw) + (block.raw[-1:] not in (b"\r", b"\n"))
            for line in text_lines(block.raw):
                left -= 1
                yield line

    rows = parsed(begins.name, given(), first.line, begins.layout.separator)
    lines: list[int] = []
    chunk: list[list[str]] = []
    for at, row in full_rows(begins, rows):
        lines.append(at)
        chunk.append(row)
        if not left:
            break
        if len(chunk) == _CHUNK:
            yield _some(chunk, lines)
            lines, chunk = [], []
    yield _some(chunk, lines)


def _some(chunk: list[list[str]], lines: list[int]) -> Some:
    columns = tuple(Strings.of(column).array for column in zip(*chunk, strict=True))
    return Some(columns, np.array(lines, dtype=np.int64))
