"""A file of another form as a text that is read as any other table, cells letter for letter."""

import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.base import Form, SourceFile
from core.ingest.names import shown
from core.ingest.opening import MAX_FILE
from core.ingest.table.blocked import Blocks
from core.ingest.table.named import Table

_BREAK = re.compile(r"[\r\n]+")


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


def stacked(file: SourceFile, found: Blocks, form: Form, noun: str, mark: str) -> Converted:
    """Return tables that stand one below the other as one."""
    into = io.StringIO()
    into.writelines(f"# {line}\n" for line in found.above)
    writer = csv.writer(into, delimiter=mark, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([found.names, *(cells for _, cells in found.rows)])
    lines = np.array([*range(1, len(found.above) + 1), *(line for line, _ in found.rows)], dtype=np.int64)
    called = ", ".join(f"'{shown(name)}'" for name in found.names[: found.added])
    titles = f"; what tells them apart is in {called}" if called else ""
    told = f"{file.name}: {found.n} tables with the same columns, {found.stood}, were read as one{titles}."
    return written(file, into, replace(form, separator=mark), noun, lines, (told,))


def whole_file(file: SourceFile | Path) -> SourceFile:
    """Return a file with all its bytes.

    Raises
    ------
    ReadError
        If they are too many.
    """
    if isinstance(file, Path):
        if file.stat().st_size > MAX_FILE:
            raise ReadError(f"{file.name} has more than {MAX_FILE >> 20} MiB. Save the table as CSV or Parquet.")
        file = SourceFile(file.name, file.read_bytes())
    return file


def one_line(value: Any) -> str:
    """Return a cell of a workbook, or a value of JSON, as a text on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    plain = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return "" if value is None else _BREAK.sub(" ", str(plain)).strip()


def as_text(
    file: SourceFile, rows: Any, form: Form, noun: str, lines: IntArray | None = None, warnings: tuple[str, ...] = ()
) -> Converted:
    """Return rows of cells as the text of a file."""
    into = io.StringIO()
    plain, quoted = (csv.writer(into, lineterminator="\n", quoting=q) for q in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for row in rows:
        (quoted if len(row) > 1 and row[0].startswith(("#", "==", "sep=")) else plain).writerow(row)
    return written(file, into, replace(form, separator=","), noun, lines, warnings)


def written(
    file: SourceFile, into: io.StringIO, form: Form, noun: str, lines: IntArray | None, warnings: tuple[str, ...]
) -> Converted:
    """Return what was written as the text of a file."""
    text = SourceFile(file.name, into.getvalue().encode("utf-8", "backslashreplace"))
    return Converted(text, form, hashlib.sha256(file.content).hexdigest(), noun, lines, warnings)
