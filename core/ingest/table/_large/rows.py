"""Blocks of text to rows: where the table begins, then cells by the same rules as in `_rows`, block by block."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeVar

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._open import MAX_LINE
from core.ingest.table._large.text import Block, n_breaks
from core.ingest.table._large.threads import WORKERS, Window
from core.ingest.table.cells import Cells, split_plain
from core.ingest.table.dialect import SAMPLE_BYTES, Start, find_separator, find_start
from core.ingest.table.rows import columns_of, full_rows, header_of, parsed, refuse_no_rows, text_lines

T = TypeVar("T")

MAX_HEAD = 64 * 1024 * 1024
"""Bytes in which a table has to begin."""

_CHUNK = 65_536
_LINE_END = re.compile(rb"\r\n|\r|\n")
_QUOTE, _NEWLINE, _RETURN = 0x22, 0x0A, 0x0D


@dataclass(frozen=True)
class Some:
    """Some rows of a table; none where a block held only blank lines.

    Attributes
    ----------
    lines : array of shape (n_rows,): the line where each row begins
    plain : whether they were split without regard to quotes, so that blanks in front are still there
    block : what they were split from; None if it cannot be split again by itself
    """

    columns: tuple[Cells, ...]
    lines: IntArray
    plain: bool
    block: Block | None = None


@dataclass(frozen=True)
class Beginning:
    """Where a table begins.

    Attributes
    ----------
    quoted : whether there are quotes in the header
    line, blocks : the first line behind the header, and the text from there on
    """

    start: Start
    separator: str
    header: tuple[str, ...]
    quoted: bool
    line: int
    blocks: Iterator[Block]


def find_beginning(name: str, blocks: Iterator[Block]) -> Beginning:
    """Read as many blocks as it takes to find the header and the separator of a table.

    Raises
    ------
    ReadError
        If there is none.
    """
    taken: list[Block] = []
    wanted = SAMPLE_BYTES + MAX_LINE
    while True:
        whole = not _take(taken, blocks, wanted)
        head = b"".join(block.raw for block in taken)
        try:
            return _beginning(name, head, taken, blocks, whole=whole)
        except _TooShortError as error:
            wanted = error.wanted
        except ReadError:
            if whole or len(head) > MAX_HEAD:
                raise
            wanted = 4 * len(head)


class _TooShortError(Exception):
    def __init__(self, wanted: int) -> None:
        self.wanted = wanted


def _take(taken: list[Block], blocks: Iterator[Block], wanted: int) -> bool:
    """Take blocks until there are more than `wanted` bytes; return whether there are."""
    size = sum(len(block.raw) for block in taken)
    while size <= wanted and (block := next(blocks, None)):
        taken.append(block)
        size += len(block.raw)
    return size > wanted


def _beginning(name: str, head: bytes, taken: list[Block], blocks: Iterator[Block], *, whole: bool) -> Beginning:
    start = find_start(name, head)
    needed = start.offset + SAMPLE_BYTES + MAX_LINE
    if not whole and len(head) <= needed:
        raise _TooShortError(needed)
    separator = find_separator(name, head, start)
    given: list[str] = []
    lines = _kept(text_lines(head[start.offset :]), given)
    header = header_of(name, start.line, next(parsed(name, lines, start.line, separator))[1])
    behind = start.line + len(given)
    rest = _without_lines(chain(taken, blocks), behind - 1)
    return Beginning(start, separator, header, any('"' in line for line in given), behind, rest)


def _kept(lines: Iterator[str], given: list[str]) -> Iterator[str]:
    """Yield lines and keep them."""
    for line in lines:
        given.append(line)
        yield line


def _without_lines(blocks: Iterator[Block], n: int) -> Iterator[Block]:
    """Yield blocks without the first `n` lines."""
    for block in blocks:
        there = n_breaks(block.raw) if n else 0
        if n > there:
            n -= there
            continue
        at = max((found.end() for found in islice(_LINE_END.finditer(block.raw), n)), default=0)
        if at < len(block.raw):
            yield Block(block.raw[at:], block.line + n, block.at + at) if n else block
        n = 0


def some_rows(name: str, begins: Beginning, keep: Callable[[Some], T]) -> Iterator[tuple[Some, T]]:
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
        window = Window(begins.blocks, work, pool)
        for block, made in window:
            slow = ((some, keep(some)) for some in _slow(name, chain((block,), window.rest()), begins))
            for found in slow if made is None else (made,):
                n += len(found[0].lines)
                yield found
    if not n:
        refuse_no_rows(name, begins.start.line, begins.header)


def _fast(block: Block, begins: Beginning) -> Some | None:
    columns = split_block(block.raw, begins.separator, len(begins.header))
    if columns is None:
        return None
    lines = np.arange(len(columns[0]), dtype=np.int64) + block.line
    return Some(columns, lines, b'"' not in block.raw, block)


def split_block(raw: bytes, separator: str, width: int) -> tuple[Cells, ...] | None:
    """Return the columns of a block, if it can be split without looking at each character in turn."""
    quoted = b'"' in raw
    if not separator or width == 1 or (quoted and not _regular(raw, separator)):
        return None
    columns = split_plain(memoryview(raw), separator, width, skip=0, quoted=quoted, whole=True)
    if not columns or not len(columns[0]):
        return None
    if all(cells.has_empty() for cells in columns) and _blank_line(raw):
        return None
    if quoted and separator != "\t" and any(cells.matches("^ ").any() for cells in columns):
        return None
    return tuple(columns)


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


def _slow(name: str, blocks: Iterator[Block], begins: Beginning) -> Iterator[Some]:
    """Yield the rows of a block, and of those behind it until a row ends where a block does."""
    first = next(blocks)
    border = _Border(chain((first,), blocks))
    rows = parsed(name, border.lines(), first.line, begins.separator)
    lines: list[int] = []
    chunk: list[list[str]] = []
    for at, row in full_rows(name, rows, begins.header, begins.separator):
        lines.append(at)
        chunk.append(row)
        if border.reached:
            break
        if len(chunk) == _CHUNK:
            yield _some(chunk, lines)
            lines, chunk = [], []
    yield _some(chunk, lines)


class _Border:
    """The lines of blocks, and whether a block's last line was the last one given."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._left = 0

    @property
    def reached(self) -> bool:
        """Whether no line of the block under way is left."""
        return self._left == 0

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        for block in self._blocks:
            self._left = n_breaks(block.raw) + (block.raw[-1:] not in (b"\r", b"\n"))
            for line in text_lines(block.raw):
                self._left -= 1
                yield line


def _some(chunk: list[list[str]], lines: list[int]) -> Some:
    return Some(tuple(columns_of(chunk)), np.array(lines, dtype=np.int64), plain=False)
