"""How a file lays out its table: prose above, a header or none, what separates cells, a cell more than the header."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, islice, pairwise, takewhile

from core.errors import OptionError, ReadError
from core.frozen import Frozen
from core.ingest._units import KNOWN, split_unit
from core.ingest.base import Form
from core.ingest.names import MISSING_WORDS, shown
from core.ingest.opening import MAX_LINE
from core.ingest.recognition.words import SPREAD, STATISTIC, is_outcome, is_parallel, is_run, key, tokens
from core.ingest.table import dialect
from core.ingest.table.split import parsed, text_lines
from core.trial import Skipped

_SPREADS = STATISTIC | {"noise"}
MAX_COLUMNS = 5_000
MAX_PROSE = 40
"""Lines of prose above a table."""
GENERATED = "column_{}"
"""The name of a column to which the file gives none."""

_GROUP = re.compile(r"\d{3}(\.\d*)?")
_BRACKETS = re.compile(r"\(.+\)|\[.+\]")
"""A unit alone, of the name above it."""


class Layout(Frozen):
    """Where a table stands and how.

    Attributes
    ----------
    header : as many names as rows have cells, "" for none
    line : of the first row below the header
    warnings : what was concluded from the rows
    """

    start: dialect.Start
    separator: str
    header: tuple[str, ...]
    line: int
    warnings: tuple[str, ...] = ()


class TooShortError(Exception):
    """More of the text is needed, `wanted` bytes."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted


def find_layout(name: str, raw: bytes, *, whole: bool = True, form: Form | None = None) -> Layout:
    """Return the layout of the table in a text, of which the beginning is enough.

    Raises
    ------
    ReadError
        If there is none.
    TooShortError
        If more of the text has to be looked at.
    """
    form = form or Form()
    start = dialect.find_start(name, raw)
    start = replace(start, separator=form.separator or start.separator)
    needed = start.offset + dialect.SAMPLE_BYTES + MAX_LINE
    if not whole and len(raw) <= needed:
        raise TooShortError(needed)
    begins = start.offset
    start = _below_prose(start, raw)
    separator = dialect.find_separator(name, raw, start)
    lost = _table_above(raw[begins : start.offset].decode(errors="replace").splitlines(), separator)
    sample, all_of_it = dialect.sample_of(raw, start.offset)
    rows = dialect.split_rows(sample, separator or ",", whole=all_of_it)
    suits = any(rows[:1]) and len({len(row) for row in rows[:2]}) == 1
    if apart := None if suits else dialect.header_apart(sample, whole=all_of_it):
        rows = [apart[1], *dialect.split_rows(sample[1:], separator, whole=all_of_it)]
    first, n_lines = (apart[1], 1) if apart else _first_row(name, raw, start, separator)
    names, n_rows = grouped_names(rows)
    if names:
        first, rows, n_lines = names, rows[n_rows - 1 :], n_lines + _rules(raw, start, n_lines) + n_rows - 1
    first = _bracketed(first, rows[1:], separator)
    if len(first) > MAX_COLUMNS:
        has = f"{len(first):,} columns; at most {MAX_COLUMNS:,} are read"
        raise ReadError(f"{name} line {start.line} has {has}. Leave some out.")
    width, warnings = _width(name, separator, first, rows[1:])
    header, named = _header(name, start, separator, [first, *rows[1:]], width, form)
    if named and header[0] != GENERATED.format(1):
        start = replace(start, skipped=tuple(s for s in start.skipped if s.where != f"line {start.line - 1}"))
    header, twice = _told_apart(name, _named(name, header, form))
    line = start.line + (0 if named else n_lines + _rules(raw, start, n_lines))
    if separator in (dialect.BLANK, dialect.APART):
        warnings = (f"{name}: {dialect.NAMES[separator].removesuffix('s')}s separate the cells.", *warnings)
    if lost:
        lines = f"lines {start.line - lost} to {start.line - 1}"
        warnings = (*warnings, f"{name}: a table with other columns above this one, in {lines}, was not read.")
    warnings = (*warnings, *filter(None, (named, twice)))
    return Layout(start, separator, header, line, warnings)


_MEASURED = re.compile(r"[+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?\s*([^\W\d_][\w/]{0,8}|%)?")
"""A number, and maybe the unit that stands behind it."""


def grouped_names(rows: Sequence[Sequence[str]]) -> tuple[list[str], int]:
    """Return the names of a header over two rows, groups above names or rising levels, and how many rows it takes.

    Groups stand as merged cells are written; a third row may name the columns that have no group, as pandas writes it.
    No names where the first row alone names all columns, or the second may be the first of the trials.
    """
    if len(rows) < 3 or len({len(row) for row in rows[:3]}) > 1 or not any(rows[0]):
        return [], 1
    above, second, third = ([cell.strip() for cell in row] for row in rows[:3])
    named = all(above[1:]) and len({*above}) == len(above)
    if all(bool(own) != bool(a or b) for a, b, own in zip(above, second, third, strict=True)):
        names, _ = grouped_names([[a or own for a, own in zip(above, third, strict=True)], second, *rows[3:]])
        return names, 3
    groups = [*accumulate(above, lambda last, cell: cell or last, initial="")][1:]
    names = [_in_group(group, cell) for group, cell in zip(groups, second, strict=True)]
    below = [*zip(groups, second, third, strict=True)]
    distinct = all(names) and len({*names}) == len(names) and not named and not any(map(dialect.is_number, above))
    return (names if distinct and _is_header(below) else []), 2


def _is_header(below: Sequence[tuple[str, str, str]]) -> bool:
    """Whether (group, cell, cell of the next row) of all columns show that the row of the cells holds no trial."""
    if not (levels := [own for own in below if dialect.is_number(own[1])]):
        first = any(_MEASURED.fullmatch(cell) for _, cell, _ in below)  # of the trials
        return not first and any(cell and _MEASURED.fullmatch(under) for _, cell, under in below)
    whole = all(group and cell.isdecimal() for group, cell, _ in levels) and any("." in under for *_, under in levels)
    return whole and all(int(a) < int(b) for (one, a, _), (other, b, _) in pairwise(levels) if one == other)


def _in_group(group: str, cell: str) -> str:
    """Return the name of a column below its group, with the unit of either at its end."""
    if not (group and cell) or group == cell:
        return group or cell
    name, unit = split_unit(group)
    return f"{group} ({cell})" if cell in KNOWN and cell != "min" else f"{name} {cell}{unit and f' ({unit})'}"


def swept(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return names such as `threads 4` where a header has a name and rising whole numbers; `n/threads` names both.

    Several names stand before numbers where fractions are below these: the row is no trial. An empty corner is `row`
    above numbers and `name` above texts, unless the header counts columns from 0 on.
    """
    names = [*takewhile(lambda cell: cell and not dialect.is_number(cell), cells)] or [*cells[:1]]
    first, others = names[0], cells[len(names) :]
    numbers = [float(cell) for cell in others if re.fullmatch(r"\d{1,9}(\.0*)?", cell)]
    rising = len(numbers) == len(others) > 2 and all(a < b for a, b in pairwise(numbers))
    counted = not first and numbers[:1] == [0]
    if not rising or counted or dialect.is_number(first) or len({len(row) for row in rows} | {len(cells)}) > 1:
        return ()
    unnamed = "row" if all(dialect.is_number(row[0]) for row in rows) else "name"
    named = (unnamed, first) if unnamed == "name" and is_parallel(first) else (first or unnamed, "column")
    if len(names) > 1:
        fractions = any("." in cell for row in rows for cell in row[len(names) :])
        return (*names, *(f"column {number:.0f}" for number in numbers)) if fractions else ()
    row, column = next((first.split(mark) for mark in "/\\" if first.count(mark) == 1), named)
    return (row.strip() or GENERATED.format(1), *(f"{column.strip() or 'column'} {number:.0f}" for number in numbers))


def _bracketed(first: list[str], rows: Sequence[Sequence[str]], separator: str) -> list[str]:
    """Return a header as wide as the rows where names have separators in brackets, as in `state(MHz,W)`."""
    names: list[str] = []
    for cell in first:
        inside = bool(names) and sum(map(names[-1].count, "([")) > sum(map(names[-1].count, ")]"))
        names[-1:] = [names[-1] + separator + cell] if inside else [*names[-1:], cell]
    return names if {len(row) for row in rows} == {len(names)} else first


def _first_row(name: str, raw: bytes, start: dialect.Start, separator: str) -> tuple[list[str], int]:
    """Return the first row's cells, and the lines that it takes."""
    given: list[str] = []
    lines = _kept(text_lines(raw[start.offset :]), given)
    return next(parsed(name, lines, start.line, separator))[1], len(given)


def _rules(raw: bytes, start: dialect.Start, n_lines: int) -> int:
    """Return how many rules stand directly below the header."""
    below = islice(text_lines(raw[start.offset :]), n_lines, None)
    return sum(1 for _ in takewhile(dialect.is_rule, below))


def _width(
    name: str, separator: str, first: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[int, tuple[str, ...]]:
    """Return by how much rows are wider than the first, and on which side: 1 left, -1 right, 0 not at all.

    A header's own empty last cell that no row has counts as 2.
    """
    n = len(first)
    if n < 2 or len(rows) < 2 or not separator:
        return 0, ()
    if n > 2 and all(len(row) == n - 1 for row in rows) and not first[-1].strip():
        return 2, ()
    if any(len(row) != n + 1 for row in rows):
        return 0, ()
    if all(not row[-1].strip() for row in rows):
        return -1, (f"{name}: each row ends with a {dialect.NAMES[separator]}: the empty cell behind it is left out.",)
    if not _names_rows([row[0].strip() for row in rows], [row[1] for row in rows], separator):
        return 0, ()
    return 1, (f"{name}: rows have one cell more than the header: their first is taken for the row's number or name.",)


def _names_rows(cells: Sequence[str], beside: Sequence[str], separator: str) -> bool:
    """Whether cells number or name rows, and are not the thousands of a number that was split."""
    if len(set(cells)) < len(cells):
        return False
    whole = [int(cell) for cell in cells if re.fullmatch(r"\d{1,15}", cell)]
    if len(whole) < len(cells):
        return not whole and not any(map(dialect.is_number, cells)) and all(cells)
    if len(whole) > 2 and whole == list(range(whole[0], whole[0] + len(whole))) and whole[0] < 2:
        return True
    split = separator == "," and all(_GROUP.fullmatch(cell.strip()) for cell in beside)
    return not split and all(a < b for a, b in pairwise(whole))


def _header(
    name: str, start: dialect.Start, separator: str, rows: Sequence[Sequence[str]], extra: int, form: Form
) -> tuple[tuple[str, ...], str]:
    """Return the header as wide as the rows; and why it is not the first row, "" if it is."""
    first, *below = rows
    cells = tuple(cell.strip() for cell in first)
    numbers = [dialect.is_number(cell) or cell.lower() in MISSING_WORDS for cell in cells]
    none = form.header == "no" or (not form.header and _is_a_row(cells, below))
    none = none or (not form.header and all(numbers) and any(map(dialect.is_number, cells)))
    asks = form.header != "yes" and any(map(dialect.is_number, cells))
    said = _commented(start.comment, separator, len(cells)) if asks else ()
    if said and all(map(_BRACKETS.fullmatch, said)):
        said = tuple(map(" ".join, zip(_commented(start.above, separator, len(cells)), said, strict=False))) or said
    if said:
        return said, f"{name} line {start.line - 1}: the comment above the numbers is taken for the names of columns."
    if none:
        return tuple(GENERATED.format(i + 1) for i in range(len(cells))), (
            f"{name} has no row of column names: its columns are called {GENERATED.format(1)} to "
            f"{GENERATED.format(len(cells))}. Give names with --names."
        )
    if names := swept(cells, below):
        return names, ""
    if any(map(_BRACKETS.fullmatch, cells)) and (above := _commented(start.comment, separator, len(cells))):
        return tuple(map(" ".join, zip(above, cells, strict=True))), ""
    return {0: tuple(first), 1: ("", *first), -1: (*first, ""), 2: tuple(first[:-1])}[extra], ""


def _is_a_row(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first row has numbers just where all rows below have them, and a fraction or a text of these rows."""
    form = [dialect.is_number(cell) for cell in cells]
    if not any(form) or len(rows) < 2 or any([dialect.is_number(cell) for cell in row] != form for row in rows):
        return False
    fractions = any(own and "." in cell.strip(".") for cell, own in zip(cells, form, strict=True))
    texts = ([cell, *below] for cell, own, *below in zip(cells, form, *rows, strict=True) if cell and not own)
    return fractions or any(cell in map(str.strip, below) for cell, *below in texts)


def _named(name: str, header: tuple[str, ...], form: Form) -> tuple[str, ...]:
    if not form.names:
        return header
    if len(form.names) not in (len([cell for cell in header if cell.strip()]), len(header)):
        raise OptionError(f"{len(form.names)} names are given; {name} has {len(header)} columns. Name each.")
    given = iter(form.names)
    every = len(form.names) == len(header)
    return tuple(next(given) if every or cell.strip() else cell for cell in header)


def _told_apart(name: str, header: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return a header whose statistics that are there again are called by the column before them: `GPU Time Noise`.

    Outcomes that are there again are numbered, `Time 1`, `Time 2`, with their statistics, and so is how often each was
    run, and what differs from a name before it in capitals alone: `n`, `N 2`; other names are refused later.
    """
    cells = [cell.strip() for cell in header]
    again = {own for own, n in Counter(filter(None, cells)).items() if n > 1}
    outcomes = {own for own in again if is_outcome(*split_unit(own))}
    spreads = {own for own in again if key(own) in _SPREADS or SPREAD & {*tokens(own)}}
    behind = set() if outcomes else spreads
    numbered = outcomes | {own for own in again - behind if own in spreads or is_run(own)}
    places = [i for i, own in enumerate(cells) if own in again and not (own in behind and own not in cells[:i])]
    new = {i: _numbered(cells[i], cells[: i + 1].count(cells[i])) for i in places if cells[i] in numbered}
    new |= {
        i: f"{cells[i - 1]} {cells[i]}" for i in places if cells[i] in behind and cells[i - 1] not in ("", cells[i])
    }
    folded = [own.casefold() for own in cells]
    capitals = {i: _numbered(own, 2) for i, own in enumerate(cells) if own not in cells[:i] and folded[i] in folded[:i]}
    new |= capitals
    if not new or len({*new.values()} - {*cells}) < len(places) + len(capitals):
        return header, ""
    called, twice = (", ".join(f"'{own}'" for own in names) for names in (new.values(), {cells[i]: 0 for i in new}))
    told = "there several times, and called {}" if numbered else "there again, and called {} then"
    return tuple(new.get(i, own) for i, own in enumerate(header)), f"{name}: {twice}: {told.format(called)}."


def _numbered(cell: str, number: int) -> str:
    """Return a name with a number before its unit."""
    name, unit = split_unit(cell)
    return f"{name} {number} ({unit})" if unit else f"{name} {number}"


def _commented(comment: str, separator: str, n: int) -> tuple[str, ...]:
    """Return the names that a comment holds, if they are as many as the columns."""
    for mark in (separator, *dialect.SEPARATORS, dialect.BLANK, dialect.APART):
        wide = re.split(r"\s{2,}", comment) if mark == dialect.APART else comment.split()
        cells = wide if mark in (dialect.BLANK, dialect.APART) else comment.split(mark) if mark else [comment]
        cells = [cell.strip().strip("\"'") for cell in cells]
        if len(cells) == n and all(cells) and not any(map(dialect.is_number, cells)) and len(set(cells)) == n:
            return tuple(cells)
    return ()


def _below_prose(start: dialect.Start, raw: bytes) -> dialect.Start:
    """Return where the table begins below lines of prose; `start` where its line suits the rows, or nothing does."""
    if start.separator:
        return start
    lines, whole = dialect.sample_of(raw, start.offset)
    mark = max(dialect.SEPARATORS, key=lambda mark: _title(lines, mark))
    if title := _title(lines, mark):
        return _moved(start, lines[:title], mark)
    suits = any(_suits(dialect.widths(lines, mark, whole=whole)) for mark in dialect.SEPARATORS)
    if suits or dialect.blanks_of(lines, whole=whole):
        return start
    for k in range(1, min(MAX_PROSE, len(lines) - 1)):
        marks = (*dialect.SEPARATORS, dialect.BLANK) if lines[k].strip() else ()
        if any(_is_table(lines, k, mark, whole=whole) for mark in marks):
            return _moved(start, lines[:k])
    return start


def _table_above(above: Sequence[str], separator: str) -> int:
    """Return how many lines before the end another table begins: names over two rows of numbers, or three such rows.

    It is 0 if none does.
    """
    for i in range(len(above) - 2):
        names, *rows = (dialect.split_rows([line], separator, whole=True) for line in above[i : i + 3])
        alike = names and all(rows) and {len(row) for (row,) in rows} == {len(names[0])} != {1}
        numbers = [sum(map(dialect.is_number, row)) for (row,) in (names, *rows)] if alike else []
        if alike and ((not numbers[0] and all(numbers[1:])) or {*numbers} == {len(names[0])}):
            return len(above) - i
    return 0


def _title(lines: list[str], mark: str) -> int:
    """Return how many first lines are a title, or names beside values, that a spreadsheet padded, or blank below it."""
    parts = (dialect.split_rows([line], mark, whole=True) for line in lines[: MAX_PROSE + 1])
    rows = [[cell.strip() for cell in row[0]] if row else [] for row in parts]
    filled = [sum(map(bool, row)) for row in rows]
    for most in (2, 1):
        names = next((i for i, n in enumerate(filled) if n > most), 0)
        if most > 1 and (any(any(row[2:]) for row in rows[:names]) or grouped_names(rows[max(names - 1, 0) :])[0]):
            continue  # groups above names, and no values beside theirs
        padded = names and len(rows[0]) > 2 and all(row[0] for row in rows[:names] if any(row)) and any(rows[0])
        called = padded and bool(rows[names][0]) and not any(map(dialect.is_number, rows[names]))
        if called and 2 * filled[names] > len(rows[0]) == len(rows[names]):
            return names
    return 0


def _moved(start: dialect.Start, above: Sequence[str], mark: str = "") -> dialect.Start:
    """Return where the table begins below some lines, whose cells a mark may part."""
    cells = [[*filter(None, map(str.strip, text.split(mark)))] if mark else [text.strip()] for text in above]
    texts = [(line, ": ".join(own)) for line, own in enumerate(cells, start.line) if any(own)]
    told = [Skipped(f"line {line}", f"{dialect.BEFORE}{shown(text, 120)}") for line, text in texts]
    before = [dialect.unmarked(text) for _, text in texts]
    return replace(
        start,
        offset=start.offset + sum(len(line.encode()) for line in above),
        line=start.line + len(above),
        comment=before[-1] if before else start.comment,
        skipped=(*start.skipped, *told),
        before=(*start.before, *before),
    )


def _suits(found: Sequence[int]) -> bool:
    """Whether the first row is as wide as all others, or most; or all others have one cell more."""
    if len(found) < 2 or found[0] < 2:
        return False
    others = found[1:]
    return 2 * sum(n == found[0] for n in others) >= len(others) or all(n == found[0] + 1 for n in others)


def _is_table(lines: list[str], k: int, mark: str, *, whole: bool) -> bool:
    """Whether a header and rows of numbers below it stand from line `k` on."""
    if _quote_is_open(lines[:k], mark):
        return False
    rows = dialect.split_rows(lines[k:], mark, whole=whole)
    if len(rows) < 3 or len(rows[0]) < 2 or (mark == dialect.BLANK and not dialect.by_blanks(rows)):
        return False
    first, second, kept = rows[0], rows[1], rows[: max(3, len(rows) - 3)]
    more = {len(row) - len(first) for row in kept[1:]}
    if len(more) > 1 or not more <= {0, 1} or not any(map(dialect.is_number, second)):
        return False
    if all(map(dialect.is_number, first)):
        return more == {0} and all(n == 1 for n in dialect.widths(lines[:k], mark, whole=True))
    cells = [cell.strip() for cell in (first if first[-1].strip() else first[:-1])]
    return all(cells) and len(set(cells)) == len(cells) and not any(map(dialect.is_number, cells))


def _quote_is_open(above: Sequence[str], mark: str) -> bool:
    """Whether a quote that opens in lines takes in what stands below them."""
    below = "below"
    with suppress(csv.Error):  # a cell that is longer than any is
        return bool(list(dialect.reader_of([*above, below], mark, strict=False))[-1] != [below])
    return True


def _kept(lines: Iterator[str], given: list[str]) -> Iterator[str]:
    """Yield lines and keep them."""
    for line in lines:
        given.append(line)
        yield line
