"""Any file with a table to a strict table of cells: whole, or one part after another."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._foreign import refuse_models
from core.ingest.base import Form, SourceFile
from core.ingest.names import read_header
from core.ingest.table import shape
from core.ingest.table.as_text import Converted
from core.ingest.table.cells import Cells, Piece, concatenated, pack
from core.ingest.table.converted import converted, of_output, of_pairs, of_report
from core.ingest.table.dialect import is_number
from core.ingest.table.jobs import with_steps
from core.ingest.table.long import as_trials, refuse_long_table
from core.ingest.table.named import Table, read_typed, stream_typed, typed_file
from core.ingest.table.numbers_in_texts import take_numbers
from core.ingest.table.pairs import said_above
from core.ingest.table.rows import Beginning, Some, ahead, find_beginning, some_rows
from core.ingest.table.shape import MOST_ROWS, Shaped
from core.ingest.table.spill import Room
from core.ingest.table.text import BLOCK, Block, NotUtf8Error, Text, as_text
from core.progress import Progress, silent


def fill_down(name: str, shaped: Shaped) -> Shaped:
    """Fill empty cells from above where a column names groups of rows that are alike.

    Another column has to say the same in each group, from its first row on. Numbers name groups only left of it,
    texts left of any column without empty cells.
    """
    n = len(shaped.lines)
    gaps = [i for i, cells in enumerate(shaped.columns) if 0 < n <= MOST_ROWS and cells[0] and _has_empty(cells)]
    full = {i: cells.texts() for i, cells in enumerate(shaped.columns) if gaps and not _has_empty(cells)}
    columns, told = list(shaped.columns), [*shaped.warnings]
    for i in gaps:
        texts = columns[i].texts()
        starts = [row for row, text in enumerate(texts) if text]
        same = [j for j, own in full.items() if _same_in_each(own, starts)]
        numbers = all(is_number(texts[row]) for row in starts)
        if len({*texts}) > 2 and same and max(same if numbers else full) > i:
            groups = pairwise([*starts, n])
            columns[i] = Cells.of([texts[first] for first, end in groups for _ in range(first, end)])
            called = shaped.header[i].strip()
            told.append(f"{name}: {called} stands in the first row of each group: it was filled in below.")
    return replace(shaped, columns=tuple(columns), warnings=tuple(told))


def _has_empty(cells: Cells) -> bool:
    return cells.empties and bool(cells.equal("").any())


def _same_in_each(texts: Sequence[str], starts: Sequence[int]) -> bool:
    """Whether a column says the same in each group of two rows or more, or the first part of it."""
    groups = [texts[first:end] for first, end in pairwise([*starts, len(texts)])]
    longest = max(groups, key=len)
    alike = all(len(group) > 1 and group == longest[: len(group)] for group in groups)
    return alike and len(groups) > 1 and len({*longest}) > 1


__all__ = ["Form", "Table", "read_table", "stacked", "stream_table"]

STREAMED = 1024 * 1024
"""Bytes that are looked at together where something waits for what comes of them, or where memory is short."""


def read_table(
    file: SourceFile | Path,
    form: Form | None = None,
    *,
    folder: Path | None = None,
    progress: Progress = silent,
    block: int = 0,
) -> Table:
    """Return the table in a file: text with any separator and encoding, a workbook, JSON, Parquet or Arrow.

    Its cells are in memory up to a budget, then in temporary files that go with the table.

    Parameters
    ----------
    file : bytes, or a path for files of any size
    form : what the user says of the table's form
    folder : where temporary files are; the system's own folder for them if not given
    block : bytes that are looked at together; fewer of a file in memory, so that it costs little more, if not given

    Raises
    ------
    OptionError
        If `form` gives another number of names than there are columns, or a sheet that is not there.
    ReadError
        If the file is no rectangular table with at least one row.
    """
    room = Room(folder)
    if (typed := typed_file(file)) is not None:
        return read_typed(typed, form or Form(), room)
    form, block = form or Form(), block or (BLOCK if isinstance(file, Path) else STREAMED)

    def of(own: Converted | None) -> Table:
        text = Text(own.file if own else file, block=block, progress=progress)
        table = as_text(text, partial(_read, form=own.form if own else form, room=room))
        return own.restored(table) if own else table

    own = converted(file, form)
    try:
        return of(own)
    except ReadError:
        if (printed := None if own else of_output(file, form) or _log_or_report(file, form)) is None:
            raise
        return of(printed)


def _log_or_report(file: SourceFile | Path, form: Form) -> Converted | None:
    """Return a log, or a report: of the first nothing else, or whose table has each line that says names and values."""
    log, report = of_pairs(file, form), of_report(file, form)
    if log is None or report is None or log.lines is None or report.lines is None:
        return log or report
    return report if {*log.lines.tolist()} <= {*report.lines.tolist()} else log


def stream_table(path: Path, *, name: str = "", block: int = STREAMED) -> Iterator[Table]:
    """Yield the rows of a table as tables with the same columns, in the order of the file.

    Names, units and what is no row are as in `read_table`; totals at the end are rows as others, and so is what sums up
    repeats if the first block has none; names of groups are not filled in. What cannot be read is said where it is
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
    if path.is_file():
        if (typed := typed_file(path)) is not None:
            yield from stream_typed(typed)
            return
        if converted(path, Form()) is not None:
            yield read_table(path)
            return
    given = 0
    text = Text(path, block=block, name=name)
    try:
        for table in _parts(text):
            yield table
            given += 1
        return
    except NotUtf8Error:
        if not path.is_file():
            raise ReadError(f"{text.name} is not UTF-8. Convert it, or give it as a file.") from None
    yield from islice(_parts(text.again(text.again().windows())), given, None)


def stacked(tables: Sequence[Table], source: str, sha256: str) -> Table:
    """Return the rows of several tables with the same columns as one table.

    Raises
    ------
    ReadError
        If their names or units differ.
    """
    first = tables[0]
    for other in tables[1:]:
        if (other.names, other.units) != (first.names, first.units):
            raise ReadError(f"{first.source} and {other.source} have different columns. Make them alike.")
    starts = np.cumsum([0, *(len(t) for t in tables[:-1])])
    return replace(
        first,
        source=source,
        sha256=sha256,
        columns=tuple(concatenated(c) for c in zip(*(t.columns for t in tables), strict=True)),
        written=(),
        trimmed=tuple(sum(n) for n in zip(*(t.trimmed for t in tables), strict=True)),
        lines=np.concatenate([t.lines for t in tables]),
        files=tuple((t.source, int(s)) for t, s in zip(tables, starts, strict=True)),
        skipped=tuple(s for t in tables for s in t.skipped),
        warnings=tuple(w for t in tables for w in t.warnings),
        memo={},
    )


def _read(text: Text, form: Form, room: Room) -> Table:
    blocks = ahead(text.blocks())
    kept: list[list[tuple[Piece, int]]] = []
    lines: list[IntArray] = []
    try:
        begins = find_beginning(text.name, _without_models(text.name, blocks), form)
        for some, packed in some_rows(begins, lambda some: [pack(room, array) for array in some.columns]):
            if packed:
                kept.append(packed)
                lines.append(some.numbers)
    except ReadError:
        deque(blocks, maxlen=0)  # what is no text is said first, wherever it is
        raise
    columns = [*zip(*kept, strict=True)]
    cells = tuple(Cells(tuple(piece for piece, _ in column), room) for column in columns)
    shaped = _shaped(text.name, begins, cells, room.joined(lines, np.int64), as_trials)
    shaped = shape.drop_failed(shape.drop_aggregates(shape.drop_totals(text.name, with_steps(text.name, shaped))))
    shaped = take_numbers(fill_down(text.name, shaped))
    return _table(text, begins, shaped, tuple(sum(n for _, n in column) for column in columns), room)


def _without_models(name: str, blocks: Iterator[Block]) -> Iterator[Block]:
    for i, block in enumerate(blocks):
        if not i:
            refuse_models(name, block.raw)
        yield block


def _shaped(
    name: str, begins: Beginning, cells: tuple[Cells, ...], lines: IntArray, gather: Callable[[str, Shaped], Shaped]
) -> Shaped:
    """Return rows with columns named, those of one trial gathered, units taken, what is no trial left out."""
    header = begins.layout.header
    rows = shape.drop_repeated_headers(Shaped(header, cells, lines, tuple(range(len(header)))))
    shaped = gather(name, shape.drop_nameless(name, rows))
    _, units = read_header(name, begins.layout.start.line, shaped.header)
    return shape.drop_empty_rows(name, shape.take_unit_row(shaped, units))


def _table(text: Text, begins: Beginning, shaped: Shaped, trimmed: Sequence[int], room: Room) -> Table:
    return Table(
        source=text.name,
        sha256=text.sha256,
        names=read_header(text.name, begins.layout.start.line, shaped.header)[0],
        units=shaped.units,
        headers=tuple(cell.strip() for cell in shaped.header),
        columns=shaped.columns,
        written=shaped.written,
        trimmed=tuple(trimmed[i] for i in shaped.places),
        lines=shaped.lines,
        separator=begins.layout.separator,
        encoding=text.encoding,
        files=((text.name, 0),),
        skipped=(*begins.layout.start.skipped, *shaped.skipped, *begins.told),
        warnings=(*text.warnings, *begins.layout.warnings, *shaped.warnings),
        room=room,
        said=said_above(begins.layout.start.before),
    )


def _parts(text: Text) -> Iterator[Table]:
    begins = find_beginning(text.name, _without_models(text.name, ahead(text.blocks())), Form())
    memory = Room(budget=1 << 62)
    parts = some_rows(begins, lambda some: tuple(Cells((pack(memory, own)[0],), memory) for own in some.columns))
    beginning = _beginning(parts)
    cells = tuple(concatenated(column) for column in zip(*(own for _, own in beginning), strict=True))
    numbers = np.concatenate([some.numbers for some, _ in beginning])
    plain = shape.drop_aggregates(_shaped(text.name, begins, cells, numbers, _each_a_trial))
    shaped = take_numbers(plain)
    head = _table(text, begins, shaped, (0,) * begins.width, Room())
    yield head
    for some, own in parts:
        if not len(some.lines):
            continue
        again = shape.repeats_header(begins.layout.header, own)
        if again.any():
            own = tuple(cells.take(np.flatnonzero(~again)) for cells in own)
        _refuse_nameless(begins, plain, own)
        columns, lines = tuple(own[i] for i in plain.places), some.numbers[~again]
        kept = np.flatnonzero(~shape.empty_rows(columns)) if columns and len(lines) else np.arange(len(lines))
        if len(kept) < len(lines):
            columns, lines = tuple(cells.take(kept) for cells in columns), lines[kept]
        if len(lines):
            found = _numbers_of(text.name, plain, shaped, columns, lines) if shaped.written else columns
            yield replace(head, columns=found, written=columns if shaped.written else (), lines=lines, memo={})


def _numbers_of(
    name: str, plain: Shaped, head: Shaped, columns: tuple[Cells, ...], lines: IntArray
) -> tuple[Cells, ...]:
    """Return the columns of a later part with the numbers taken from texts, in the units of the first."""
    given = replace(plain, columns=columns, lines=lines, units=head.units[: len(plain.header)])
    found = take_numbers(given)
    if found.header != head.header:
        raise ReadError(
            f"{name} has sizes from line {lines[0]} on that are written in another way than those above. Give their "
            "numbers in columns of their own."
        )
    return found.columns


def _each_a_trial(name: str, shaped: Shaped) -> Shaped:
    refuse_long_table(name, shaped.header)
    return shaped


def _beginning(parts: Iterator[tuple[Some, tuple[Cells, ...]]]) -> list[tuple[Some, tuple[Cells, ...]]]:
    """Take the first parts: two rows tell whether the first is one of units, all of them what sums up repeats."""
    taken: list[tuple[Some, tuple[Cells, ...]]] = []
    least = 2
    for part in parts:
        if len(part[0].lines):
            taken.append(part)
        least = shape.MOST_SUMMED + 1 if any(map(shape.may_sum_up, part[1])) else least
        if sum(len(some.lines) for some, _ in taken) >= least:
            break
    return taken


def _refuse_nameless(begins: Beginning, shaped: Shaped, cells: Sequence[Cells]) -> None:
    for i in sorted(set(range(1, len(cells))) - set(shaped.places)):
        if not begins.layout.header[i].strip() and not cells[i].equal("").all():
            where = f"{begins.name} line {begins.layout.start.line}"
            raise ReadError(f"{where}: column {i + 1} has no name. Give it one, or remove it.")
