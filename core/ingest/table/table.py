"""Any rectangular CSV to a strict table of texts: each row as wide as the header, or a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError, ReadError
from core.ingest._foreign import refuse_models
from core.ingest._names import read_header, shown
from core.ingest._open import HEAD, Opened, open_text
from core.ingest.base import SourceFile
from core.ingest.table.cells import Cells, concatenated
from core.ingest.table.dialect import Start, find_separator, find_start, refuse_long_lines
from core.ingest.table.numbers import Numbers, Style, read_numbers
from core.ingest.table.rows import Rows, read_rows
from core.ingest.table.shape import drop_empty_rows, drop_nameless, refuse_long_table, take_unit_row
from core.trial import Skipped


@dataclass(frozen=True, eq=False)
class Table:
    """Texts in named columns.

    Attributes
    ----------
    source, sha256 : the file's name and the digest of its bytes as they came
    names, units : of the columns; a unit is from the header, a row of units or the name's
        suffix, "" if none of them says
    headers : the header's cells as they stand in the file
    columns : the cells without spaces around them; `trimmed` counts where there were some
    lines : array of shape (n_rows,): the line where each row begins
    separator : "" for a single column
    files : (name, its first row) for each file that the rows came from
    skipped, warnings : what was not taken over, or taken over with a doubt
    memo : what was already computed from the table; never part of its value
    """

    source: str
    sha256: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    headers: tuple[str, ...]
    columns: tuple[Cells, ...]
    trimmed: tuple[int, ...]
    lines: IntArray
    separator: str
    encoding: str
    files: tuple[tuple[str, int], ...]
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.lines)

    def find(self, name: str) -> int:
        """Return the column called `name`: its name, its whole header, or the only one alike but for case.

        Raises
        ------
        OptionError
            If there is none; it lists the columns.
        """
        for texts in (self.names, self.headers):
            if name in texts:
                return texts.index(name)
        alike = [i for i, own in enumerate(self.names) if own.casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
        columns = ", ".join(shown(own) for own in self.names[:40]) + (", …" if len(self.names) > 40 else "")
        raise OptionError(f"{self.source} has no column '{shown(name)}'; its columns are: {columns}.")

    def of(self, places: Sequence[int]) -> Self:
        """Return the table of some of its columns."""
        return replace(
            self,
            names=tuple(self.names[i] for i in places),
            units=tuple(self.units[i] for i in places),
            headers=tuple(self.headers[i] for i in places),
            columns=tuple(self.columns[i] for i in places),
            trimmed=tuple(self.trimmed[i] for i in places),
            memo={},
        )

    def place(self, row: int) -> str:
        """Return where a row stands, as in `run7.csv line 14`."""
        name = next(name for name, first in reversed(self.files) if first <= row)
        return f"{name} line {self.lines[row]}"

    def where(self, rows: IntArray | None = None) -> Sequence[str]:
        """Return where rows (all if not given) stand in their file: `line 14`; with the file if there are several."""
        if len(self.files) == 1:
            return tuple(f"line {line}" for line in (self.lines if rows is None else self.lines[rows]).tolist())
        return tuple(self.place(row) for row in (range(len(self)) if rows is None else rows.tolist()))

    def numbers(self, place: int, style: Style) -> Numbers:
        """Return the numbers of a column."""
        return read_numbers(self.columns[place], style)

    def matrix(self, numbers: Sequence[Numbers], rows: IntArray) -> FloatArray:
        """Return the numbers of some rows, array of shape (n_rows, n_columns)."""
        values = np.empty((len(rows), len(numbers)))
        for i, own in enumerate(numbers):
            values[:, i] = own.values[rows]
        return values

    def chosen(self, values: FloatArray, places: Sequence[int]) -> FloatArray:
        """Return some columns of such a matrix."""
        return np.ascontiguousarray(values[:, list(places)])

    def repeated(self, text: str, n: int) -> Sequence[str]:
        """Return one text `n` times."""
        return (text,) * n

    def head(self, n: int) -> list[tuple[str, ...]]:
        """Return the texts of the first `n` rows, for a preview."""
        return list(zip(*(cells.slice(0, n).texts() for cells in self.columns), strict=True))


def read_table(file: SourceFile) -> Table:
    """Return the table in a file: comma, semicolon, tab or bar between cells, gzip or not, any encoding.

    Raises
    ------
    ReadError
        If the file is no rectangular table of text with named columns and at least one row.
    """
    text = open_text(file)
    refuse_models(text.name, text.raw[:HEAD])
    refuse_long_lines(text.name, text.raw)
    start = find_start(text.name, text.raw)
    separator = find_separator(text.name, text.raw, start)
    rows, trimmed = _trimmed(read_rows(text, start, separator))
    return shaped_table(text, start, separator, rows, trimmed)


def shaped_table(text: Opened, start: Start, separator: str, rows: Rows, trimmed: Sequence[int]) -> Table:
    """Return the table of trimmed rows: columns named, units taken, what is no trial left out.

    Raises
    ------
    ReadError
        If the names are not those of a table with one trial on each row.
    """
    shaped = drop_nameless(text.name, rows)
    headers = shaped.rows.header
    names, units = _names(text.name, start, headers, separator)
    refuse_long_table(text.name, names)
    shaped = drop_empty_rows(text.name, take_unit_row(shaped, units))
    return Table(
        source=text.name,
        sha256=text.sha256,
        names=names,
        units=shaped.units,
        headers=tuple(cell.strip() for cell in headers),
        columns=shaped.rows.columns,
        trimmed=tuple(n for cell, n in zip(rows.header, trimmed, strict=True) if cell in headers),
        lines=shaped.rows.lines,
        separator=separator,
        encoding=text.encoding,
        files=((text.name, 0),),
        skipped=(*start.skipped, *shaped.skipped),
        warnings=(*text.warnings, *shaped.warnings),
    )


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
        trimmed=tuple(sum(n) for n in zip(*(t.trimmed for t in tables), strict=True)),
        lines=np.concatenate([t.lines for t in tables]),
        files=tuple((t.source, int(s)) for t, s in zip(tables, starts, strict=True)),
        skipped=tuple(s for t in tables for s in t.skipped),
        warnings=tuple(w for t in tables for w in t.warnings),
        memo={},
    )


def _trimmed(rows: Rows) -> tuple[Rows, tuple[int, ...]]:
    found = [cells.trimmed() for cells in rows.columns]
    return replace(rows, columns=tuple(cells for cells, _ in found)), tuple(n for _, n in found)


def _names(name: str, start: Start, header: Sequence[str], separator: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    try:
        return read_header(name, start.line, header)
    except ReadError as error:
        if len(header) > 1 and len(start.comment.split(separator)) == len(header):
            hint = f" Line {start.line - 1} may be the header: remove its '#'."
            raise ReadError(f"{error}{hint}") from None
        raise
