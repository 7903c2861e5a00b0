"""A table of any size as one table after another, with nothing kept: what is read once and passed on."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from core.errors import ReadError
from core.ingest._foreign import refuse_models
from core.ingest.table._large.rows import Beginning, Some, find_beginning, some_rows
from core.ingest.table._large.text import Block, LargeText, NotUtf8Error, windows_text
from core.ingest.table._large.threads import ahead
from core.ingest.table.cells import Cells, concatenated
from core.ingest.table.rows import Rows
from core.ingest.table.table import Table, shaped_table

BLOCK = 1024 * 1024
"""Bytes that become one table: fewer than where nothing waits for what comes of them."""

Part = tuple[Some, tuple[Cells, ...]]
"""Some rows, and their cells without spaces around them."""


def stream_table(path: Path, *, name: str = "", block: int = BLOCK) -> Iterator[Table]:
    """Yield the rows of a CSV as tables with the same columns, in the order of the file.

    Names, units and what is no row are as in `read_table`. What cannot be read is said where it is
    met, when the rows before it have been given already.

    Parameters
    ----------
    path : a file, or a pipe such as /dev/stdin
    name : what it is called in sentences; the file's name if not given
    block : bytes that become one table

    Raises
    ------
    ReadError
        As `read_table`.
    """
    given = 0
    try:
        for table in _tables(LargeText(path, block=block, name=name)):
            yield table
            given += 1
        return
    except NotUtf8Error:
        if not path.is_file():
            raise ReadError(f"{name or path.name} is not UTF-8. Convert it, or give it as a file.") from None
        warning = windows_text(LargeText(path, block=block, name=name))
    yield from islice(_tables(LargeText(path, block=block, name=name, windows=warning)), given, None)


def _tables(text: LargeText) -> Iterator[Table]:
    begins = find_beginning(text.name, _without_models(text))
    parts = some_rows(text.name, begins, _trimmed)
    beginning = _at_least_two_rows(parts)
    columns = tuple(concatenated(column) for column in zip(*(cells for _, cells in beginning), strict=True))
    lines = np.concatenate([some.lines for some, _ in beginning])
    head = shaped_table(text, begins.start, begins.separator, Rows(begins.header, columns, lines), (0,) * len(columns))
    yield head
    places = _places(begins, head)
    for some, cells in parts:
        _refuse_nameless(text.name, begins, places, cells)
        table = _filled(replace(head, columns=tuple(cells[i] for i in places), lines=some.lines, memo={}))
        if len(table):
            yield table


def _without_models(text: LargeText) -> Iterator[Block]:
    blocks = ahead(text.blocks())
    first = next(blocks, None)
    if first is None:
        return blocks
    refuse_models(text.name, first.raw)
    return chain((first,), blocks)


def _trimmed(some: Some) -> tuple[Cells, ...]:
    return tuple(cells.trimmed()[0] for cells in some.columns)


def _at_least_two_rows(parts: Iterator[Part]) -> list[Part]:
    """Take the first parts: two rows tell whether the first is one of units."""
    taken: list[Part] = []
    for part in parts:
        if len(part[0].lines):
            taken.append(part)
        if sum(len(some.lines) for some, _ in taken) >= 2:
            break
    return taken


def _places(begins: Beginning, head: Table) -> tuple[int, ...]:
    """Return which of the file's columns the table kept: those with a name."""
    headers = [cell.strip() for cell in begins.header]
    return tuple(i for i, header in enumerate(headers) if header or len(headers) == len(head.headers))


def _refuse_nameless(name: str, begins: Beginning, places: Iterable[int], cells: tuple[Cells, ...]) -> None:
    for i in sorted(set(range(1, len(cells))) - set(places)):
        if not cells[i].equal("").all():
            raise ReadError(f"{name} line {begins.start.line}: column {i + 1} has no name. Give it one, or remove it.")


def _filled(table: Table) -> Table:
    """Return the table without rows that hold nothing at all."""
    empty = np.ones(len(table), dtype=np.bool_)
    for cells in table.columns:
        if not len(cells) or not cells.has_empty():
            return table
        empty &= cells.equal("")
    kept = np.flatnonzero(~empty)
    return replace(table, columns=tuple(cells.take(kept) for cells in table.columns), lines=table.lines[kept])
