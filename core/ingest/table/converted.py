"""What is no plain table as one: workbooks, JSON, documents, logs, rows that are metrics, decimal commas."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from core.errors import ReadError, count, first_few
from core.ingest._units import split_unit
from core.ingest.base import Form, SourceFile
from core.ingest.names import shown
from core.ingest.opening import MAX_FILE, open_head, open_text
from core.ingest.recognition.words import is_outcome
from core.ingest.table.aligned import PADDED, aligned_tables, padded_tables
from core.ingest.table.amid import amid_tables
from core.ingest.table.as_text import Converted, as_text, stacked, whole_file, written
from core.ingest.table.blocked import blocks_of, rows_of, separator_of
from core.ingest.table.boxed import BOXED, plain
from core.ingest.table.cores import BY_CORES
from core.ingest.table.dialect import SEPARATORS, find_separator, find_start, is_number, sample_of, split_rows
from core.ingest.table.long import MOST_ROWS, turned
from core.ingest.table.markdown import FENCED, DocumentTable, alike, fenced_tables, tables_of
from core.ingest.table.marked import MARKED
from core.ingest.table.objects import BEGINS, of_json
from core.ingest.table.pairs import begins_with_pairs, begins_with_sentences, records_of
from core.ingest.table.printed import PRINTED, printed_tables
from core.ingest.table.text import beginning
from core.ingest.table.workbook import OLD, ZIP, is_workbook, sheet

MOST_PROSE = 1 << 16
"""Bytes of a document in which a table of Markdown begins."""
_RULED = re.compile(
    rb"(?m)^(?=[^\r\n]*\|)[^\r\n]*\r?\n[ \t]*(?:[|+][ \t]*)?:?[-=]+:?[ \t]*[|+][-=+:| \t]*\r?$"
    rb"|^[ \t]*[-=]{8,}[ \t]*\r?\n(?=[^\r\n]*\|)[^\r\n]*\r?\n[ \t]*[-=]{8,}[ \t]*\r?$"
)
_TAG = re.compile(rb"\s*\[[A-Za-z][\w .-]*\]")
"""With what a line of a log begins, as `[INFO]`, and no list."""
_FEWEST, _SHOWING = 8, 100
"""Rows that show that commas stand before decimals as well, at least and at most."""


def converted(file: SourceFile | Path, form: Form) -> Converted | None:
    """Return as text a workbook, JSON, a document with a table, a log, or a table whose rows are metrics; else None.

    Raises
    ------
    OptionError
        If the workbook has no sheet of this name.
    ReadError
        If it is damaged, too large, or holds no table.
    """
    own = _converted(file, form)
    text = own.file if own else SourceFile(file.name, beginning(file))
    rows = turned(_small(text, own.form if own else form)) if not form.header else []
    if not rows:
        return own
    told = f"{file.name}: each row is a metric and each column a run, so rows and columns were exchanged."
    found = as_text(text, rows, form, "column", warnings=(*(own.warnings if own else ()), told))
    return replace(found, sha256=own.sha256) if own else found


def _small(file: SourceFile, form: Form) -> list[list[str]]:
    """Return the rows of a text that is short; none of others."""
    raw = open_head(file, MOST_PROSE).decode(errors="replace").encode()
    if len(raw) >= MOST_PROSE or raw.count(b"\n") > 2 * MOST_ROWS:
        return []
    try:
        start = find_start(file.name, raw)
        separator = form.separator or find_separator(file.name, raw, start)
    except ReadError:
        return []
    lines, whole = sample_of(raw, start.offset)
    return split_rows(lines, separator, whole=True) if whole else []


def _converted(file: SourceFile | Path, form: Form) -> Converted | None:
    head = beginning(file)
    if head.startswith(OLD) or (head.startswith(ZIP) and b"\x00" in head):
        own = whole_file(file)
        return sheet(own, form) if head.startswith(OLD) or is_workbook(own) else None
    opened = open_head(SourceFile(file.name, head), MOST_PROSE)
    marks = (_RULED, MARKED, PRINTED, PADDED, BOXED, FENCED)
    if any(own.search(opened) for own in marks) and (found := _markdown(whole_file(file), form)):
        return found
    begins = None if _TAG.match(opened) else BEGINS.match(opened)
    if begins and ((found := of_json(whole_file(file), form)) or b"\n" not in begins[0].strip()):
        return found
    text = opened.decode(errors="replace")
    if BY_CORES.match(text):
        raise ReadError(f"{file.name} holds one run of Sniper's. Give the files of several runs together.")
    lines = text.splitlines()
    if not form.header and (blocks := _blocks(file, lines, form)):
        return blocks
    told = begins_with_pairs(lines) or begins_with_sentences(lines)
    return of_pairs(file, form) if told else _decimal_commas(file, lines[:_SHOWING], form)


def _decimal_commas(file: SourceFile | Path, begins: Sequence[str], form: Form) -> Converted | None:
    """Return a table between commas whose numbers have decimal commas, a cell more for each; None of any other."""
    parts = [_joined(line.split(",")) for line in begins if line.strip()]
    if len(parts) <= _FEWEST or any('"' in line for line in begins) or form.separator not in ("", ",") or form.header:
        return None
    (names, _), *rows = parts
    even = {(len(cells), *map(len, digits)) for cells, digits in rows}
    columns = [{*digits} for digits in zip(*(own for _, own in rows), strict=False)]
    if len(even) != 1 or even.pop()[0] != len(names) or not columns or any(map(is_number, names)):
        return None
    if not all(len(own) > 1 and any(len(text) == 1 or text[0] == "0" for text in own) for own in columns):
        return None
    file = whole_file(file)
    whole = [(i, line) for i, line in enumerate(open_text(file).raw.decode().splitlines(), 1) if line.strip()]
    table = [names, *(_joined(line.split(","))[0] for _, line in whole[1:])]
    told = f"{file.name}: commas part the cells and stand before decimals, as each row has more cells than names."
    return as_text(file, table, form, "line", np.array([i for i, _ in whole[1:]], dtype=np.int64), (told,))


def _joined(row: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the cells of a row with whole numbers and the digits behind them as one, and those digits."""
    cells, digits = list[str](), list[str]()
    for cell in row:
        if cells and cell.isdecimal() and cells[-1].removeprefix("-").isdecimal():
            cells[-1] += f".{cell}"
            digits.append(cell)
        else:
            cells.append(cell)
    return cells, digits


def of_pairs(file: SourceFile | Path, form: Form) -> Converted | None:
    """Return what a log says in names and values as a table, a record a row; None if it says no such thing."""
    begins = open_head(SourceFile(file.name, beginning(file)), MOST_PROSE)
    if begins.lstrip().startswith(b"<") or records_of(begins.decode(errors="replace")) is None:
        return None
    file = whole_file(file)
    if (found := records_of(open_text(file).raw.decode())) is None:
        return None
    rows, lines = [list(found.names), *map(list, found.rows)], np.array(found.lines, dtype=np.int64)
    told = f"{file.name} is a log: names and values were read from it, a row from each '{shown(found.begins)}' on."
    alone = f" Where it says no {' and no '.join(found.alone)}, one is taken." if found.alone else ""
    n = len(found.left)
    left = f" Left out: {count(n, 'line')} with numbers in another form, from line {found.left[0]} on." if n else ""
    return as_text(file, rows, form, "line", lines=lines, warnings=(told + alone + left,))


def _blocks(file: SourceFile | Path, begins: Sequence[str], form: Form) -> Converted | None:
    """Return tables of a text that stand one below the other under titles as one; None of anything else."""
    large = isinstance(file, Path) and (not file.is_file() or file.stat().st_size > MAX_FILE)
    mark = "" if large else separator_of(begins)
    if not mark:
        return None
    file = whole_file(file)
    found = blocks_of([*rows_of(open_text(file).raw.decode().splitlines(), mark)])
    return stacked(file, found, form, "line", mark if mark in SEPARATORS else "\t") if found else None


def _markdown(file: SourceFile, form: Form) -> Converted | None:
    """Return the first table with numbers of a document, and those like it below their headings; None of none."""
    raw = open_text(file).raw
    drawn = plain(raw.decode()) if BOXED.search(raw) else raw.decode()
    found = tables_of(drawn) or printed_tables(drawn) or padded_tables(drawn) or fenced_tables(drawn)
    if not found or any(_has_outcome(table.names) for table in found):
        return _of_document(file, found, form) if found else None
    log = records_of(drawn)  # what was measured stands in lines, and the tables compare results
    return of_pairs(file, form) if log and _has_outcome(log.names) else _of_document(file, found, form)


def _has_outcome(names: Sequence[str]) -> bool:
    return any(is_outcome(*split_unit(name)) for name in names)


def of_output(file: SourceFile | Path, form: Form) -> Converted | None:
    """Return the first table that stands amid what a program said, and those like it; None if there is none."""
    file = whole_file(file)
    tables, others = amid_tables(open_text(file).raw.decode().splitlines())
    if not tables:
        return None
    lines = [f"line {i}, '{shown(line, 60)}'" for i, line in others]
    told = f"{file.name}: only names and values above them were read of lines that are no rows: {first_few(lines, 6)}."
    found = _of_document(file, tables, form)
    return replace(found, warnings=(told, *found.warnings))


def of_report(file: SourceFile | Path, form: Form) -> Converted | None:
    """Return the first table of a report, or the blocks of one, whose cells blanks part; None if there is none."""
    file = whole_file(file)
    found = aligned_tables(open_text(file).raw.decode())
    return _of_document(file, found, form) if found else None


def _of_document(file: SourceFile, found: list[DocumentTable], form: Form) -> Converted:
    """Return the first table that has an outcome, with those that are alike; the first where none has."""
    start = next((i for i, table in enumerate(found) if _has_outcome(table.names)), 0)
    first, *others = same = alike(found[start:])
    titled = bool(others and first.heading)
    above = first.line - 1
    where = "around" if start else "below"
    told = f"{file.name}: the table at line {first.line} was read; {len(found) - len(same)} more {where} it were not."
    into = io.StringIO("\n" * above)
    into.seek(above)
    writer = csv.writer(into, delimiter="|", lineterminator="\n", quoting=csv.QUOTE_ALL)
    # no rows' numbers, of which some may be left out, grow by half each time
    sized = all(0 < 3 * a <= 2 * b for a, b in pairwise(int(r[0]) if r[0].isdecimal() else 0 for _, r in first.rows))
    names = [first.names[0] or "column_1" * (titled or sized), *first.names[1:]]
    writer.writerow([*(["heading"] * titled), *names])
    into.write("---\n")
    writer.writerows([*([table.heading] * titled), *cells] for table in same for _, cells in table.rows)
    lines = np.array([*range(1, above + 2), *(line for table in same for line, _ in table.rows)], dtype=np.int64)
    told_of = (told,) if len(found) > len(same) else ()
    return written(file, into, replace(form, separator="|"), "line", lines, told_of)
