"""A Parquet file as one table after another; numbers are taken as they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from core.errors import ReadError
from core.ingest._names import read_header
from core.ingest.table.cells import Cells
from core.ingest.table.columns import Column, Study
from core.ingest.table.numbers import EXACT, Numbers, Style
from core.ingest.table.table import Table

MAGIC = b"PAR1"
ROWS = 65_536
"""Rows that become one table."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ParquetTable(Table):
    """A table whose columns hold Arrow arrays of any type; `lines` are numbers of rows, from 1 on."""

    def place(self, row: int) -> str:
        """Return where a row stands, as in `run7.parquet row 14`."""
        return f"{self.source} row {self.lines[row]}"

    def of(self, places: Sequence[int]) -> Self:
        """Return the table of some of its columns, texts without nulls."""
        own = super().of(places)
        found = replace(own, columns=tuple(_texts(cells.array) or cells for cells in own.columns))
        found.memo[""] = Study(Style(), tuple(_column(found, i) for i in range(len(places))))
        return found

    def numbers(self, place: int, style: Style) -> Numbers:
        """Return the numbers of a column: those of the file, or those that its texts are."""
        import pyarrow as pa

        array = self.columns[place].array
        kind = array.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            return _numbers(array)
        if pa.types.is_string(kind):
            return super().numbers(place, style)
        empty = np.asarray(array.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
        return Numbers(np.full(len(array), np.nan), empty, np.flatnonzero(~empty))


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet files do.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None


def stream_parquet(path: Path, *, rows: int = ROWS) -> Iterator[ParquetTable]:
    """Yield the rows of a Parquet file as tables with the same columns.

    Raises
    ------
    ReadError
        If it is damaged, or a column has no name or one that another has.
    """
    import pyarrow as pa
    from pyarrow import parquet

    at = 0
    try:
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            headers = tuple(file.schema_arrow.names)
            names, units = read_header(path.name, 1, headers)
            for batch in file.iter_batches(batch_size=rows):
                yield _table(path.name, headers, names, units, batch, at)
                at += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        said = str(error).splitlines()[0]
        raise ReadError(f"{path.name} is a Parquet file that cannot be read ({said}). Write it again.") from None
    if not at:
        raise ReadError(f"{path.name} has column names but no rows of values below them.")


def _table(
    name: str, headers: tuple[str, ...], names: tuple[str, ...], units: tuple[str, ...], batch: Any, at: int
) -> ParquetTable:
    return ParquetTable(
        source=name,
        sha256="",
        names=names,
        units=units,
        headers=headers,
        columns=tuple(Cells(column) for column in batch.columns),
        trimmed=(0,) * len(headers),
        lines=np.arange(at + 1, at + 1 + batch.num_rows, dtype=np.int64),
        separator=",",
        encoding="",
        files=((name, 0),),
    )


def _column(table: ParquetTable, place: int) -> Column:
    """Return a column as its type says it is, without looking at how its numbers would be written."""
    numbers = table.numbers(place, Style())
    kind = "number" if numbers.n_numbers else ("text" if len(numbers.bad) else "empty")
    return Column(place, table.names[place], table.units[place], kind, numbers)


def _numbers(array: Any) -> Numbers:
    import pyarrow as pa

    empty = np.asarray(array.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
    exact = not pa.types.is_integer(array.type)
    wide = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    values = np.array(wide, dtype=np.float64)
    empty |= np.isnan(values)
    wrong = np.isinf(values) if exact else np.abs(values) > EXACT
    values[wrong] = np.nan
    return Numbers(values, empty, np.flatnonzero(wrong))


def _texts(array: Any) -> Cells | None:
    """Return the texts of a column of texts or decimals, "" where there is none; None of any other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_decimal(kind)):
        return None
    return Cells(pc.fill_null(array.cast(pa.string()), ""))
