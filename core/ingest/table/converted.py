"""Workbooks, JSON and Markdown as rows of text: cells letter for letter, then read as any other table."""

import ast
import csv
import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import compress, pairwise, permutations, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from core.codec import IntArray
from core.errors import OptionError, ReadError, count
from core.frozen import Frozen
from core.ingest._units import dimension, split_unit, stem, unit_of_name
from core.ingest._vocabulary import in_order
from core.ingest.base import Form, SourceFile
from core.ingest.names import listed, shown
from core.ingest.opening import MAX_EXPANDED, MAX_FILE, MAX_RATIO, SURE, open_head, open_text
from core.ingest.recognition.words import (
    BETTER,
    HARDWARE,
    HASH,
    MACHINE,
    SPREAD,
    STATISTIC,
    is_outcome,
    machine_word,
    tokens,
)
from core.ingest.table.aligned import PADDED, aligned_tables, padded_tables
from core.ingest.table.blocked import Blocks, blocks_of, rows_of, separator_of
from core.ingest.table.boxed import BOXED, plain
from core.ingest.table.cores import BY_CORES
from core.ingest.table.dialect import SEPARATORS, find_separator, find_start, is_number, sample_of, split_rows
from core.ingest.table.layout import grouped_names
from core.ingest.table.long import MOST_ROWS, turned
from core.ingest.table.markdown import FENCED, DocumentTable, alike, fenced_tables, tables_of
from core.ingest.table.marked import MARKED
from core.ingest.table.named import Table
from core.ingest.table.pairs import begins_with_pairs, begins_with_sentences, records_of
from core.ingest.table.printed import PRINTED, printed_tables
from core.ingest.table.text import beginning

ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
MOST_PROSE = 1 << 16
"""Bytes of a document in which a table of Markdown begins."""
_RULED = re.compile(
    rb"(?m)^(?=[^\r\n]*\|)[^\r\n]*\r?\n[ \t]*(?:[|+][ \t]*)?:?[-=]+:?[ \t]*[|+][-=+:| \t]*\r?$"
    rb"|^[ \t]*[-=]{8,}[ \t]*\r?\n(?=[^\r\n]*\|)[^\r\n]*\r?\n[ \t]*[-=]{8,}[ \t]*\r?$"
)
_TAG = re.compile(rb"\s*\[[A-Za-z][\w .-]*\]")
"""With what a line of a log begins, as `[INFO]`, and no list."""
_JSON = re.compile(
    rb"(?=\s*[\[{])|\s*(?:(?:var|let|const) )?[A-Za-z_][\w.]*\s*=\s*(?=[\[{]\s*[\[{\"])"
    rb"|(?:[^\n\[\]{}=]*\n){1,4}(?=\{\s*\n\s*\"|\[\s*\n\s*\{)"
)
"""With what JSON begins, maybe in a script, as `window.BENCHMARK_DATA = {`, or below what a program said first."""
_STAMPED = re.compile(rb"\d{4}-\d\d-\d\d[^{}\[\]\"]*(?=\{)")
"""When a program wrote a line, before the object in it."""
_UNIT_OF = re.compile(r"([A-Za-z]{3,}?)(?:_unit|Unit)s?")
_BREAK = re.compile(r"[\r\n]+")
_UNQUOTED = str.maketrans(',"', ";'")
_LISTS = in_order("benchmarks results runs data rows records trials measurements samples jobs entries")
"""Under which an object may have the list of its rows."""
_FEWEST, _SHOWING = 8, 100
"""Rows that show that commas stand before decimals as well, at least and at most."""
_ALIKE = 4
"""Objects with the same measurements, at least, that are rows beside others."""
_MOST_REPEATS = 20
"""Numbers in a list of lists that may be repeats of one thing."""
_ROUNDED = 0.005
"""By which share a mean may be another than that of its list, as it is written with few digits."""
_NO_LITERALS: dict[str, str | bool | None] = {"nan": "", "inf": "inf", "true": True, "false": False, "null": None}
"""What Python prints, or JavaScript has, by a name."""


class Converted(Frozen):
    """A file as text.

    Attributes
    ----------
    file, form : the text, and how it is to be read
    sha256 : of the bytes as they came
    noun : what rows are counted in, in the file as it came
    lines : array of shape (n_rows,): where each row stands there; None if where it stands in the text
    """

    file: SourceFile
    form: Form
    sha256: str
    noun: str
    lines: IntArray | None = None
    warnings: tuple[str, ...] = ()

    def restored(self, table: Table) -> Table:
        """Return the table of the text as that of the file."""
        lines = table.lines if self.lines is None else self.lines[table.lines - 2]
        warnings = (*self.warnings, *table.warnings)
        return replace(table, sha256=self.sha256, noun=self.noun, lines=lines, warnings=warnings, memo={})


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
    found = _as_text(text, rows, form, "column", warnings=(*(own.warnings if own else ()), told))
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
    if head.startswith(_OLD) or (head.startswith(ZIP) and b"\x00" in head):
        own = _whole(file)
        return _sheet(own, form) if head.startswith(_OLD) or is_workbook(own) else None
    opened = open_head(SourceFile(file.name, head), MOST_PROSE)
    marks = (_RULED, MARKED, PRINTED, PADDED, BOXED, FENCED)
    if any(own.search(opened) for own in marks) and (found := _markdown(_whole(file), form)):
        return found
    begins = None if _TAG.match(opened) else _JSON.match(opened)
    if begins and ((found := _json(_whole(file), form)) or b"\n" not in begins[0].strip()):
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
    file = _whole(file)
    whole = [(i, line) for i, line in enumerate(open_text(file).raw.decode().splitlines(), 1) if line.strip()]
    table = [names, *(_joined(line.split(","))[0] for _, line in whole[1:])]
    told = f"{file.name}: commas part the cells and stand before decimals, as each row has more cells than names."
    return _as_text(file, table, form, "line", np.array([i for i, _ in whole[1:]], dtype=np.int64), (told,))


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
    file = _whole(file)
    if (found := records_of(open_text(file).raw.decode())) is None:
        return None
    rows, lines = [list(found.names), *map(list, found.rows)], np.array(found.lines, dtype=np.int64)
    told = f"{file.name} is a log: names and values were read from it, a row from each '{shown(found.begins)}' on."
    alone = f" Where it says no {' and no '.join(found.alone)}, one is taken." if found.alone else ""
    n = len(found.left)
    left = f" Left out: {count(n, 'line')} with numbers in another form, from line {found.left[0]} on." if n else ""
    return _as_text(file, rows, form, "line", lines=lines, warnings=(told + alone + left,))


def _blocks(file: SourceFile | Path, begins: Sequence[str], form: Form) -> Converted | None:
    """Return tables of a text that stand one below the other under titles as one; None of anything else."""
    large = isinstance(file, Path) and (not file.is_file() or file.stat().st_size > MAX_FILE)
    mark = "" if large else separator_of(begins)
    if not mark:
        return None
    file = _whole(file)
    found = blocks_of([*rows_of(open_text(file).raw.decode().splitlines(), mark)])
    return _stacked(file, found, form, "line", mark if mark in SEPARATORS else "\t") if found else None


def _stacked(file: SourceFile, found: Blocks, form: Form, noun: str, mark: str) -> Converted:
    """Return tables that stand one below the other as one."""
    into = io.StringIO()
    into.writelines(f"# {line}\n" for line in found.above)
    writer = csv.writer(into, delimiter=mark, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([found.names, *(cells for _, cells in found.rows)])
    lines = np.array([*range(1, len(found.above) + 1), *(line for line, _ in found.rows)], dtype=np.int64)
    called = ", ".join(f"'{shown(name)}'" for name in found.names[: found.added])
    titles = f"; what tells them apart is in {called}" if called else ""
    told = f"{file.name}: {found.n} tables with the same columns, {found.stood}, were read as one{titles}."
    return _of(file, into, replace(form, separator=mark), noun, lines, (told,))


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


def of_report(file: SourceFile | Path, form: Form) -> Converted | None:
    """Return the first table of a report, or the blocks of one, whose cells blanks part; None if there is none."""
    file = _whole(file)
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
    return _of(file, into, replace(form, separator="|"), "line", lines, told_of)


def _whole(file: SourceFile | Path) -> SourceFile:
    if isinstance(file, Path):
        if file.stat().st_size > MAX_FILE:
            raise ReadError(f"{file.name} has more than {MAX_FILE >> 20} MiB. Save the table as CSV or Parquet.")
        file = SourceFile(file.name, file.read_bytes())
    return file


def is_workbook(file: SourceFile) -> bool:
    """Whether a zip archive is a workbook.

    Raises
    ------
    ReadError
        If it is damaged or unpacks to too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        raise ReadError(f"{file.name} is a damaged zip archive or workbook. Save it again.") from None
    if size > MAX_EXPANDED or (size > SURE and size > MAX_RATIO * len(file.content)):
        raise ReadError(f"{file.name} unpacks to {size >> 20} MiB, which is too much. Save the sheet as CSV.")
    return any(name.startswith(("xl/", "content.xml")) for name in names)


def sheet_names(file: SourceFile) -> tuple[str, ...]:
    """Return the names of a workbook's sheets; none of any other file, or of one that cannot be read."""
    import python_calamine

    if not file.content.startswith((_OLD, ZIP)):
        return ()
    try:
        return tuple(python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(file.content)).sheet_names)
    except python_calamine.CalamineError:
        return ()


def _sheet(file: SourceFile, form: Form) -> Converted:
    """Return one sheet of a workbook: the one that is asked for, or the first with a table of numbers.

    A sheet with more than twice as many rows goes before it: those above may sum its rows up.
    """
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(file.content))
        names = list(book.sheet_names)
        if form.sheet and form.sheet not in names:
            listed = ", ".join(shown(name) for name in names[:20])
            raise OptionError(f"{file.name} has no sheet '{shown(form.sheet)}'; its sheets are: {listed}.")
        wanted = [form.sheet] if form.sheet else names
        sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in wanted}
    except python_calamine.CalamineError as error:
        raise ReadError(f"{file.name} is a workbook that cannot be read ({error}). Save the sheet as CSV.") from None
    texts = {name: [[_text(cell) for cell in row] for row in rows] for name, rows in sheets.items()}
    found = [name for name, rows in texts.items() if sum(len(_filled(row)) > 1 for row in rows) > 1]
    measured = [name for name in found if _has_numbers(texts[name])]
    n_rows = {name: sum(bool(_filled(row)) for row in texts[name]) for name in measured}
    first = next(iter([*measured, *found]), names[0])
    longest = max(measured, key=n_rows.__getitem__, default=first)
    chosen = form.sheet or (longest if n_rows.get(longest, 0) > 2 * n_rows.get(first, 0) else first)
    tables = {name: [*_below_remarks(texts[name])] for name in dict.fromkeys((chosen, *measured))}
    alike = [name for name, rows in tables.items() if _header(rows) == _header(tables[chosen])]
    others = [name for name in found if name not in alike]
    left = f"; {len(others)} more with tables were not: {', '.join(map(shown, others[:10]))}" if others else ""
    if len(alike) > 1 and not form.header and _SHEET not in _header(tables[chosen]):
        listed = ", ".join(map(shown, alike[:10]))
        told = (
            f"{file.name}: {len(alike)} sheets with the same columns were read as one table, each named in '{_SHEET}'"
        )
        rows, lines = _of_sheets({name: tables[name] for name in alike})
        return _as_text(file, rows, form, "row", lines, (f"{told}: {listed}{left}. Choose one with --sheet.",))
    told = f"{file.name}: sheet '{shown(chosen)}' was read{left}. Choose one with --sheet."
    warnings = (told,) if others else ()
    if not form.header and (several := blocks_of([(i, [*row]) for i, row in enumerate(tables[chosen], 1)])):
        stacked = _stacked(file, several, form, "row", ",")
        return replace(stacked, warnings=(*warnings, *stacked.warnings))
    return _as_text(file, tables[chosen], form, "row", warnings=warnings)


_SHEET = "sheet"


def _header(rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the first row of a sheet that is no comment."""
    return next((row for row in rows if _filled(row) and not row[0].startswith("# ")), ())


def _of_sheets(tables: Mapping[str, Sequence[Sequence[str]]]) -> tuple[list[list[str]], IntArray]:
    """Return the rows of sheets with one header below each other, beside the sheet's name, and where they stood."""
    first = next(iter(tables.values()))
    top = first.index(_header(first))
    rows, lines = [*map(list, first[:top]), [_SHEET, *first[top]]], [*range(2, top + 2)]
    for name, table in tables.items():
        below = table.index(_header(table)) + 1
        filled = [(i, row) for i, row in enumerate(table[below:], below + 1) if _filled(row)]
        rows += [[name, *row] for _, row in filled]
        lines += [i for i, _ in filled]
    return rows, np.array(lines, dtype=np.int64)


def _text(value: Any) -> str:
    """Return a cell of a workbook, or a value of JSON, as a text on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    plain = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return "" if value is None else _BREAK.sub(" ", str(plain)).strip()


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most cells of a column are numbers."""
    columns = ([cell for cell in cells if cell] for cells in zip_longest(*rows, fillvalue=""))
    counts = ((sum(map(is_number, cells)), len(cells)) for cells in columns)
    return any(numbers > 1 and 2 * numbers > n for numbers, n in counts)


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if cell]


def _below_remarks(rows: list[list[str]]) -> Iterator[Sequence[str]]:
    """Yield the rows of a sheet; those above its header, which fill few cells, as comments."""
    counts = [len(_filled(row)) for row in rows]
    usual = sorted(n for n in counts if n)[-max(1, len([n for n in counts if n]) // 2) :]
    first = next((i for i, n in enumerate(counts) if usual and 2 * n > usual[0] and (n > 1 or usual[-1] == 1)), 0)
    first -= bool(first and grouped_names(rows[first - 1 :])[0])
    for i, row in enumerate(rows):
        remark = ["# " + " ".join(_filled(row)).translate(_UNQUOTED)] if counts[i] else []
        yield remark if i < first else row


def _json(file: SourceFile, form: Form) -> Converted | None:
    """Return objects, one a line or in a list, as rows; None if the text is something else."""
    raw = open_text(file).raw
    raw = raw[begins.end() if (begins := _JSON.match(raw)) else 0 :].rstrip().removesuffix(b";")
    try:
        lines, items, noun, others = _items(raw)
    except (ValueError, RecursionError):
        return None
    if not items:
        return None
    what = f"the {'longest list of objects was' if noun else 'objects that are alike were'} read"
    told = (
        (f"{file.name}: {what}; {listed(others, 4)} beside {'it was' if noun else 'them were'} not.",) if others else ()
    )
    lines, items = _unfolded(lines, items)
    lines, rows = _run_by_run(lines, [*map(_flat, items)])
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = [names, *([row.get(name, "") for name in names] for row in rows)]
    return _as_text(file, table, form, noun or "item", np.array(lines, dtype=np.int64), told)


def _unfolded(lines: list[int], items: list[dict[str, Any]]) -> tuple[list[int], list[dict[str, Any]]]:
    """Return objects with a list of objects each as a row for each of these, beside what holds for all of them.

    A name that both have is `outer.inner`.
    """
    inside = [name for name, value in items[0].items() if isinstance(value, dict)]
    objects = [own for item in items for name, own in item.items() if isinstance(own, dict) and [name] == inside]
    named = [*map(_named_rows, objects)] if len(objects) == len(items) else [[]]
    if all(rows and not {*rows[0]} <= STATISTIC | {"name"} for rows in named):
        items = [item | {inside[0]: rows} for item, rows in zip(items, named, strict=True)]
    nested = [name for name, value in items[0].items() if _is_rows(value)]
    if len(nested) != 1 or not all(_is_rows(item.get(nested[0])) for item in items):
        return lines, items
    copies = zip(lines, map(dict, items), strict=True)
    rows = [(i, item, own) for i, item in copies for own in item.pop(nested[0])]
    apart = [item | {f"{nested[0]}.{n}" if n in item else n: v for n, v in own.items()} for _, item, own in rows]
    return _unfolded([i for i, _, _ in rows], apart)


def _run_by_run(lines: list[int], rows: list[dict[str, str]]) -> tuple[list[int], list[dict[str, str]]]:
    """Return rows of which some have lists of repeats of a run, with a row for each of these.

    They are repeats beside a mean or the like of theirs, in whose place they stand. Of other lists each row has one,
    of times by its name, or of fractions, which stand nowhere else where there are several rows.
    """
    lists, told = _repeats(rows)
    if not any(own for own, *_ in told):
        return lines, rows
    runs = list[tuple[int, dict[str, str]]]()
    for i, row, many, (name, called, others) in zip(lines, rows, lists, told, strict=True):
        same = {own: texts for own, texts in many.items() if name and len(texts) == len(many[name])}
        once = {own: text for own, text in row.items() if own not in others and own not in same}
        each = [
            {called if own == name else own: texts[k] for own, texts in same.items()} | {"run": str(k + 1)}
            for k in range(len(many.get(name, ())))
        ]
        order = dict.fromkeys([called if own == name or own in others else own for own in row] + ["run"])
        runs += [
            (i, {own: whole[own] for own in order if own in whole}) for one in each or [{}] for whole in [once | one]
        ]
    return [i for i, _ in runs], [row for _, row in runs]


Repeats: TypeAlias = tuple[str, str, frozenset[str]]
"""A list of repeats, what each of them is called, and the statistics beside it; no names where there is none."""
_NO_REPEATS: Repeats = ("", "", frozenset())


def _repeats(rows: Sequence[Mapping[str, str]]) -> tuple[list[dict[str, list[str]]], list[Repeats]]:
    """Return the lists of numbers of each row, and which of them are repeats."""
    lists = [{name: _numbers(text) for name, text in row.items() if text.startswith("[")} for row in rows]
    told = [_summed_up(row, own) for row, own in zip(rows, lists, strict=True)]
    found = {own for own, *_ in told if own}
    if any(not own and found & {*many} for (own, *_), many in zip(told, lists, strict=True)):
        return lists, [_NO_REPEATS] * len(rows)
    name = next(iter(lists[0]), "")
    one = all([*own] == [name] and own[name] for own in lists) and max(len(own[name]) for own in lists) > 1
    if one and not found:
        texts = [
            (n == name, x) for row, many in zip(rows, lists, strict=True) for n in row for x in many.get(n, [row[n]])
        ]
        fractions = {listed for listed, text in texts if "." in text and is_number(text)}
        alone = fractions == {True} or (len(rows) == 1 and all("." in text for listed, text in texts if listed))
        if alone or dimension(unit_of_name(name)) == "time":
            told = [(name, name, frozenset())] * len(rows)
    return lists, told


def _numbers(text: str) -> list[str]:
    """Return the numbers of a list that was written as text; none of anything else."""
    with suppress(ValueError):
        texts = [*map(_text, json.loads(text))]
        return texts if any(texts) and all(is_number(own or "0") for own in texts) else []
    return []


def _summed_up(row: Mapping[str, str], lists: Mapping[str, list[str]]) -> Repeats:
    """Return the repeats of a row that have their mean or the like beside them.

    What is called `runs` has the name of its mean.
    """
    for name, texts in lists.items():
        whole = {own: float(row[own]) for own in _statistics(name, tuple(row)) if is_number(row[own])}
        if not whole or len(texts) < 2:
            continue
        numbers = np.array([float(text or "nan") for text in texts])
        of_all = [own(numbers) for own in (np.mean, np.median, np.min, np.max)]
        close = (own for own, x in whole.items() if np.isclose(x, of_all, rtol=_ROUNDED).any())
        means = [(BETTER.index(word), own) for own in close for word in _last(own) if word in BETTER]
        if means:
            called = name if is_outcome(name, unit_of_name(name)) else min(means)[1]
            return name, called, frozenset(whole) - {called}
    return _NO_REPEATS


@lru_cache(256)  # rows of a file have the same names
def _statistics(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of a row's names that are statistics of what has a name."""
    within, known = name.rpartition(".")[0], STATISTIC | SPREAD | {*tokens(name)}
    beside = (own for own in names if own.rpartition(".")[0] == within)
    return tuple(own for own in beside if _last(own) & (STATISTIC | SPREAD) and _last(own) <= known)


def _last(name: str) -> frozenset[str]:
    """Return the words of a name's last part."""
    return frozenset(tokens(stem(name.rpartition(".")[2])))


def object_of(raw: bytes) -> dict[str, str]:
    """Return the values of an object of JSON as texts by name, lists left out; none of anything else."""
    try:
        whole = _decoder().decode(raw.decode()) if raw.lstrip().startswith(b"{") else {}
    except (ValueError, RecursionError):
        return {}
    return {name: text for name, text in _flat(whole).items() if not text.startswith("[")}


def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_pairs,
        parse_float=str,
        parse_int=str,
        parse_constant=lambda name: "" if name == "NaN" else name,
    )


def _items(raw: bytes) -> tuple[list[int], list[dict[str, Any]], str, list[str]]:
    """Return (where each stands, the objects, what that counts, lists left out); no objects if JSON is no table."""
    if raw.lstrip().startswith(b"{"):
        lines = [(i, _STAMPED.sub(b"", line)) for i, line in enumerate(raw.splitlines(), 1) if line.strip()]
        if len(lines) > 1 and all(line.strip().startswith(b"{") and line.strip().endswith(b"}") for _, line in lines):
            return [i for i, _ in lines], [_dictionary(line.decode()) for _, line in lines], "line", []
    whole, left = _decoder().decode(raw.decode()), list[str]()
    where = _where(whole)
    if isinstance(whole, dict):
        jobs = whole.get("jobs") if "fio version" in whole else None
        if isinstance(jobs, list) and _is_rows(jobs) and "jobname" in jobs[0]:
            whole["jobs"] = [*map(_of_fio, jobs)]
        lists = [whole[name] for name in _LISTS if _is_rows(whole.get(name))]
        named = [whole[name] for name in _LISTS if isinstance(whole.get(name), dict)]
        several = _by_columns(whole) or _repeated(whole) or _named_rows(*named if len(named) == 1 else [whole])
        told = {} if several or len(lists) == 1 else whole
        others = {n: x for n, x in told.items() if _are_runs(x)} or _inside(told)
        *_, longest = "", *sorted(others, key=lambda name: len(others[name]))
        alone = [len(own) for own in others.values()].count(len(others.get(longest, ()))) == 1
        left = [name for name in others if name != longest]
        whole = lists[0] if len(lists) == 1 else several or (others[longest] if alone else whole)
    if isinstance(whole, dict):
        rows, noun = _with_repeats(whole), "item"
        if not rows:
            rows, left, noun = *_leaves(whole), ""
        return [*range(1, len(rows) + 1)], rows, noun, left
    if not _is_rows(whole):
        return [], [], "", []
    first, *others = whole
    if len(others) > 1 and not first.keys() & others[0].keys() and others[0].keys() & others[1].keys():
        # trtexec's runs, then its layers
        return [*range(2, len(whole) + 1)], [first | own for own in others], "item", []
    where = {n: x for n, x in where.items() if not any(n in row for row in whole)}
    return [*range(1, len(whole) + 1)], [row | where for row in whole], "item", left


def _of_fio(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job of fio with its options, and what was reached each way that it went: reads, writes, trims."""
    reached = {}
    for way in ("read", "write", "trim"):
        own = job.get(way, {})
        if own.get("total_ios", "0") != "0":
            times = {n: {"mean": x["mean"]} for n, x in own.items() if n in ("lat_ns", "clat_ns") and "mean" in x}
            reached[way] = {"iops": own["iops"], "bw (KiB/s)": own["bw"], **times}
    return {"jobname": job.get("jobname", ""), **job.get("job options", {}), **reached}


def _inside(whole: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the lists of runs that objects hold, by where they stand, each run with what stands once beside its list.

    Sentences say nothing of a run.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for outer, own in whole.items():
        inner = own if isinstance(own, dict) else {}
        once = {n: x for n, x in inner.items() if not isinstance(x, list | dict) and " " not in str(x)}
        found |= {f"{outer}.{n}": [once | row for row in x] for n, x in inner.items() if _are_runs(x)}
    return found


def _where(whole: Any) -> dict[str, str]:
    """Return what an object, or one in it, says once of the hardware beside its rows: `{"cpu": "AMD Ryzen 9"}`."""
    own = whole if isinstance(whole, dict) else {}
    beside = [pair for one in (own, *own.values()) if isinstance(one, dict) for pair in one.items()]
    told = {n: x for n, x in beside if isinstance(x, str) and machine_word(n) in MACHINE and HARDWARE.search(x)}
    return {n: x for n, x in told.items() if [name for name, _ in beside].count(n) == 1}


def _are_runs(value: Any) -> bool:
    """Whether a value is several objects of which none begins where the one before it ended, as intervals do."""
    items = value if _is_rows(value) else ()
    rows = [{name: text for name, text in _flat(row).items() if is_number(text)} for row in items]
    names = permutations(rows[0], 2) if len(rows) > 1 else ()
    slices = (a for a, b in names if all(x.get(a) != y[a] == x[b] for x, y in pairwise(rows) if a in y and b in x))
    return len(rows) > 1 and next(slices, None) is None


class _Bare(ast.NodeTransformer):
    """Takes `np.float64(1.5)` for the number in it, `nan` for nothing, `{n: 8}` for `{"n": 8}`."""

    def visit_Dict(self, own: ast.Dict) -> ast.AST:
        own.keys = [ast.Constant(key.id) if isinstance(key, ast.Name) else key for key in own.keys]
        return self.generic_visit(own)

    def visit_Call(self, call: ast.Call) -> ast.AST:
        return self.visit(call.args[0]) if len(call.args) == 1 else call

    def visit_Name(self, name: ast.Name) -> ast.AST:
        return ast.Constant(_NO_LITERALS[name.id]) if name.id in _NO_LITERALS else name


def _dictionary(line: str) -> dict[str, Any]:
    """Return an object of JSON, or a dictionary as Python prints it; ValueError of anything else, or a name twice."""
    try:
        return dict(_decoder().decode(line))
    except json.JSONDecodeError:
        pass
    try:
        told = _Bare().visit(ast.parse(line.strip(), mode="eval").body)
        found: dict[str, Any] = ast.literal_eval(told)
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("neither JSON nor Python") from None
    if (
        not isinstance(told, ast.Dict)
        or len(found) < len(told.keys)
        or not all(isinstance(name, str) for name in found)
    ):
        raise ValueError("no names, or one of them twice")
    return found


def _by_columns(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of lists under the names of columns, or of what pandas writes: `{"n": {"0": 8, "1": 16}}`, split.

    What stands once beside the lists, or in an object there, holds for all rows. There are none of what is no such
    table.
    """
    names, data = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        whole_rows = {len({*map(str, names)}), *map(len, data)} == {len(names)}
        return [dict(zip(map(str, names), row, strict=True)) for row in data] if whole_rows else []
    numbers = [*map(str, range(max((len(own) for own in whole.values() if isinstance(own, dict)), default=0)))]
    columns: dict[str, Any] = {}
    for name, own in whole.items():
        if isinstance(own, dict) and [*own] != numbers and not any(isinstance(x, list | dict) for x in own.values()):
            columns |= {f"{name}.{inner}": value for inner, value in own.items()}
        else:
            columns[name] = [*own.values()] if isinstance(own, dict) and [*own] == numbers else own
    lists = [own for own in columns.values() if isinstance(own, list)]
    cells = (cell for own in columns.values() for cell in (own if isinstance(own, list) else [own]))
    if any(isinstance(cell, list | dict) for cell in cells):
        return []
    n = len(lists[0]) if lists else 0
    if len(lists) < 2 or n < 2 or any(len(own) != n for own in lists):
        return []
    return [{name: own[i] if isinstance(own, list) else own for name, own in columns.items()} for i in range(n)]


def _repeated(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the only list of lists of as many numbers, repeats of each thing that was run; none of others.

    As in ClickBench's `"result": [[2.3, 1.3, 2.1], [null, null, null], …]`, a list for each query.
    """
    lists = {name: own for name, own in whole.items() if isinstance(own, list)}
    nested = [name for name, own in lists.items() if all(isinstance(row, list) for row in own)]
    flat = [cell for name, own in lists.items() if name not in nested for cell in own]
    rows = lists[nested[0]] if len(nested) == 1 and not any(is_number(_text(cell)) for cell in flat) else []
    if len(rows) < 3 or len({*map(len, rows)}) > 1 or not 1 < len(rows[0]) <= _MOST_REPEATS:
        return []
    texts = [_text(cell) for row in rows for cell in row]
    if not all(is_number(text or "0") for text in texts) or not any("." in text for text in texts):
        return []
    name, once = nested[0], {own: value for own, value in whole.items() if own not in nested}
    runs = [{f"run {k}": cell for k, cell in enumerate(row, 1)} for row in rows]
    return [{"name": f"{name} {i}", **once, **row} for i, row in enumerate(runs, 1)]


def _named_rows(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return objects, or lists of them, that stand under names, maybe several deep, as rows with these.

    There are none if they are not alike.
    """
    rows: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), whole)]
    while all(item and all(isinstance(own, dict) or _is_rows(own) for own in item.values()) for _, item in rows):
        if all([*map(_is_rows, item.values())].count(True) == 1 < len(item) for _, item in rows):
            break  # each with what holds for its list
        under = (((*names, name), own) for names, item in rows for name, own in item.items())
        rows = [(names, own) for names, some in under for own in (some if isinstance(some, list) else [some])]
    said = [len({*level}) > 1 or is_number(level[0]) for level in zip(*(names for names, _ in rows), strict=True)]
    rows = [(tuple(compress(names, said)) or names[-1:], item) for names, item in rows]
    keys = [[name for name, own in item.items() if not isinstance(own, dict)] for _, item in rows]
    boards = len(rows) > 1 and all(names and HARDWARE.search(names[-1]) for names, _ in rows)
    few = len(rows) < 3 and not (boards or (rows[0][0] and any(map(_is_rows, rows[0][1].values()))))
    times = Counter(name for own in keys for name in own)
    measured = len(rows) == len(whole) and any(is_outcome(name, unit_of_name(name)) for name in times)
    usual = [name for name, n in times.items() if n == len(rows) or (measured and 2 * n > len(rows))]
    if few or not usual or 2 * len(usual) < len(times):
        return []
    rows.sort(key=lambda row: row[0][-1].lower() == "total")  # what sums the others up stands last
    called = "hash" if all(HASH.fullmatch(names[-1]) for names, _ in rows) else "name"
    return [_beneath(names, item, called) for names, item in rows]


def _beneath(names: Sequence[str], item: dict[str, Any], called: str = "name") -> dict[str, Any]:
    """Return an object with the names that it stands under, the last of which it may say itself."""
    *outer, last = (f"name {i}" for i, _ in enumerate(names, 1))
    return {**dict(zip((*outer, last if called in item else called), names, strict=True)), **item}


def _leaves(whole: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the objects with the same measurements that stand equally deep, as rows, and where the others stand.

    There are none unless they hold most of the file's numbers and say themselves that these are outcomes.
    """
    leaves, inside = list[tuple[tuple[str, ...], dict[str, Any]]](), [(tuple[str, ...](), whole)]
    while inside:
        inner = [((*names, name), x) for names, own in inside for name, x in own.items() if isinstance(x, dict) and x]
        inside = [(names, x) for names, x in inner if any(isinstance(own, dict) for own in x.values())]
        leaves += [(names, x) for names, x in inner if not any(isinstance(own, dict | list) for own in x.values())]
    deep = Counter(len(names) for names, _ in leaves)
    level = [(names, x) for names, x in leaves if len(names) == max(deep, key=deep.__getitem__)]
    usual = Counter(frozenset(x) for _, x in level).most_common(1)[0][0] if level else frozenset[str]()
    rows = {names: x for names, x in level if 2 * len(usual & x.keys()) >= len(x)}
    told = sum(is_number(text) for x in rows.values() for text in _flat(x).values())
    most = 2 * told > sum(map(is_number, _flat(whole).values()))
    if len(rows) < _ALIKE or not most or not any(is_outcome(name, unit_of_name(name)) for name in usual):
        return [], []
    others = [".".join(names) for names, _ in leaves if names not in rows]
    return [_beneath(names, x) for names, x in rows.items()], others


def _with_repeats(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of one that have lists of repeats, or itself; none if nothing has."""
    outer = {name: x for name, x in whole.items() if not isinstance(x, list | dict)}
    inside = {name: x for name, x in whole.items() if isinstance(x, dict)}
    rows = [_beneath((name,), outer | x) for name, x in inside.items() if _n_repeats(x) > 1]
    return rows or [whole] * (_n_repeats(whole) > 2)


def _n_repeats(item: dict[str, Any]) -> int:
    """Return how many repeats an object has."""
    (lists,), ((name, *_),) = _repeats([_flat(item)])
    return len(lists.get(name, ()))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and item for item in value)


def _flat(item: dict[str, Any], before: str = "") -> dict[str, str]:
    """Return an object's values as texts; those of an object inside are called `outer.inner`.

    What begins as the unit beside it is in that: `score` and `scorePercentiles` beside `scoreUnit`. What stands under
    `values` needs no word for it, and a histogram is left out.
    """
    found: dict[str, str] = {}
    units = {said[1]: str(unit) for name, unit in item.items() if unit and (said := _UNIT_OF.fullmatch(name))}
    for name, value in item.items():
        told = next((unit for begins, unit in units.items() if name.startswith(begins)), "")
        if isinstance(value, dict) and _are_bounds(value):
            continue
        if isinstance(value, dict):
            inside = before if name == "values" and not value.keys() & item.keys() else f"{before}{name}."
            unit = f" ({own})" if (own := told or unit_of_name(name)) else ""
            found |= {f"{inner}{unit}": text for inner, text in _flat(value, inside).items()}
        else:
            text = _text(value)
            found[f"{before}{name}" + f" ({told})" * bool(told and is_number(text))] = text
    return found


def _are_bounds(value: Mapping[str, Any]) -> bool:
    """Whether an object's names are the bounds of a histogram: numbers, three at least, with a fraction among them."""
    return len(value) >= _ALIKE - 1 and all(map(is_number, value)) and any("." in name for name in value)


def _as_text(
    file: SourceFile, rows: Any, form: Form, noun: str, lines: IntArray | None = None, warnings: tuple[str, ...] = ()
) -> Converted:
    into = io.StringIO()
    plain, quoted = (csv.writer(into, lineterminator="\n", quoting=q) for q in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for row in rows:
        (quoted if len(row) > 1 and row[0].startswith(("#", "==", "sep=")) else plain).writerow(row)
    return _of(file, into, replace(form, separator=","), noun, lines, warnings)


def _of(
    file: SourceFile, into: io.StringIO, form: Form, noun: str, lines: IntArray | None, warnings: tuple[str, ...]
) -> Converted:
    """Return what was written as the text of a file."""
    text = SourceFile(file.name, into.getvalue().encode("utf-8", "surrogatepass"))
    return Converted(text, form, hashlib.sha256(file.content).hexdigest(), noun, lines, warnings)
