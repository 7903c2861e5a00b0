"""Workbooks as rows of text: one sheet, or all that have the same columns."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from core.codec import IntArray
from core.errors import OptionError, ReadError
from core.ingest.base import Form, SourceFile
from core.ingest.names import shown
from core.ingest.opening import MAX_EXPANDED, MAX_RATIO, SURE
from core.ingest.table.as_text import Converted, as_text, one_line, stacked
from core.ingest.table.blocked import blocks_of
from core.ingest.table.dialect import is_number
from core.ingest.table.layout import grouped_names

ZIP, OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_SHEET = "sheet"
"""The column that names a row's sheet."""
_UNQUOTED = str.maketrans(',"', ";'")


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
    sheets = any(name.startswith(("xl/", "content.xml")) for name in names)
    if size > MAX_EXPANDED or (size > SURE and size > MAX_RATIO * len(file.content)):
        remedy = "Save the sheet as CSV." if sheets else "Unpack it, and import its files."
        raise ReadError(f"{file.name} unpacks to {size >> 20} MiB, which is too much. {remedy}")
    return sheets


def sheet_names(file: SourceFile) -> tuple[str, ...]:
    """Return the names of a workbook's sheets; none of any other file, or of one that cannot be read."""
    import python_calamine

    if not file.content.startswith((OLD, ZIP)):
        return ()
    try:
        return tuple(python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(file.content)).sheet_names)
    except python_calamine.CalamineError:
        return ()


def sheet(file: SourceFile, form: Form) -> Converted:
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
    texts = {name: [[one_line(cell) for cell in row] for row in rows] for name, rows in sheets.items()}
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
        return as_text(file, rows, form, "row", lines, (f"{told}: {listed}{left}. Choose one with --sheet.",))
    told = f"{file.name}: sheet '{shown(chosen)}' was read{left}. Choose one with --sheet."
    warnings = (told,) if others else ()
    if not form.header and (several := blocks_of([(i, [*row]) for i, row in enumerate(tables[chosen], 1)])):
        below_each_other = stacked(file, several, form, "row", ",")
        return replace(below_each_other, warnings=(*warnings, *below_each_other.warnings))
    return as_text(file, tables[chosen], form, "row", warnings=warnings)


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
    wide = next((i for i, n in enumerate(counts) if n > 2 < usual[0]), 0)  # below names beside values
    first = first if any(map(is_number, _filled(rows[wide] if rows else []))) else max(first, wide)
    first -= bool(first and grouped_names(rows[first - 1 :])[0])
    for i, row in enumerate(rows):
        between = ": " if counts[i] == 2 else " "  # as a name beside its value
        remark = ["# " + between.join(_filled(row)).translate(_UNQUOTED)] if counts[i] else []
        yield remark if i < first else row
