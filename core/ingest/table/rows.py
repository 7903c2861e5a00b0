"""Blocks of text to rows, each as wide as the header, in threads a few steps ahead: fast where a block is regular."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice
from os import cpu_count
from typing import Any, Generic, TypeVar

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.base import Form
from core.ingest.names import read_header
from core.ingest.opening import MAX_LINE
from core.ingest.table.below import Beginning, full_rows
from core.ingest.table.dialect import SAMPLE_BYTES
from core.ingest.table.layout import TooShortError, find_layout
from core.ingest.table.split import n_breaks, parsed, split_block, text_lines
from core.ingest.table.strings import Strings
from core.ingest.table.text import Block

A = TypeVar("A")
B = TypeVar("B")

WORKERS = max(1, min(4, cpu_count() or 1))


class Window(Generic[A, B]):
    """Items one after the other, each with what `work` made of it in another thread."""

    def __init__(self, items: Iterator[A], work: Callable[[A], B], pool: ThreadPoolExecutor) -> None:
        self._items, self._work, self._pool = items, work, pool
        self._coming: deque[tuple[A, Future[B]]] = deque()

    def __iter__(self) -> Iterator[tuple[A, B]]:
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
    """Yield items while the next one is made in another thread."""
    nothing: Any = object()
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
    first = next(blocks)
    border = _Border(chain((first,), blocks))
    rows = parsed(begins.name, border.lines(), first.line, begins.layout.separator)
    lines: list[int] = []
    chunk: list[list[str]] = []
    for at, row in full_rows(begins, rows):
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
    columns = tuple(Strings.of(column).array for column in zip(*chunk, strict=True))
    return Some(columns, np.array(lines, dtype=np.int64))
