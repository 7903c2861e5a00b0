"""Parquet, Feather and Arrow files as tables whose numbers are taken as they are."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core import arrow
from core.errors import OptionError, ReadError
from core.frozen import Frozen
from core.ingest.base import Form, SourceFile
from core.ingest.names import read_header, shown
from core.ingest.table.cells import Cells, Piece, pack, pack_numbers
from core.ingest.table.named import Table
from core.ingest.table.numbers import of_numbers
from core.ingest.table.shape import Shaped, drop_failed, drop_nameless
from core.ingest.table.spill import Room
from core.ingest.table.text import beginning, digest

ROWS = 65_536
"""Rows that are read together."""

_PARQUET, _ARROW, _FEATHER, _STREAM = b"PAR1", b"ARROW1\x00\x00", b"FEA1", b"\xff\xff\xff\xff"
_INDEX = "__index_level_0__"


class TypedFile(Frozen):
    """A file of columns that have a type; `kind` is its first bytes."""

    file: SourceFile | Path
    kind: bytes

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.file.name

    @property
    def label(self) -> str:
        """What it is, for sentences."""
        return "a Parquet file" if self.kind == _PARQUET else "an Arrow file"


def typed_file(file: SourceFile | Path) -> TypedFile | None:
    """Return a file whose columns have a type; None for any other.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    head = beginning(file)[:64]
    binary = any(byte < 9 for byte in head)
    kind = next((kind for kind in (_PARQUET, _ARROW, _FEATHER, _STREAM) if head.startswith(kind)), b"")
    return TypedFile(file, kind) if kind and binary else None


def read_typed(file: TypedFile, form: Form, room: Room) -> Table:
    """Return all rows of such a file.

    Raises
    ------
    OptionError
        If `form` gives another number of names than there are columns.
    ReadError
        If it is damaged, holds no rows, or a column has no name or one that another has.
    """
    names: list[str] = []
    pieces: list[list[Piece]] = []
    left: dict[str, str] = {}
    for batch in _batches(file, left):
        names = list(batch.schema.names)
        pieces.append([_piece(room, column) for column in batch.columns])
    cells = tuple(Cells(tuple(column), room) for column in zip(*pieces, strict=True))
    if form.names and len(form.names) != len(names):
        raise OptionError(f"{len(form.names)} names are given; {file.name} has {len(names)} columns. Name each.")
    header = tuple(form.names or ("" if name == _INDEX else name for name in names))
    table = _table(file, drop_failed(_shaped(file, header, cells, 0)))
    warnings = tuple(f"{file.name}: column '{shown(name)}' holds {kind}: left out." for name, kind in left.items())
    return replace(table, sha256=digest(file.file), room=room, warnings=(*warnings, *table.warnings))


def stream_typed(file: TypedFile) -> Iterator[Table]:
    """Yield the rows of such a file as tables with the same columns.

    Raises
    ------
    ReadError
        As `read_typed`.
    """
    at = 0
    for batch in _batches(file, {}):
        pieces = (Piece(len(c), c, empties=True, commas=not of_numbers(c.type)) for c in batch.columns)
        cells = tuple(Cells((piece,), Room()) for piece in pieces)
        yield _table(file, _shaped(file, tuple(batch.schema.names), cells, at))
        at += batch.num_rows


def _batches(file: TypedFile, left: dict[str, str]) -> Iterator[Any]:
    """Yield the rows that there are, without the columns that no table of texts and numbers has; `left` gets these."""
    import pyarrow as pa

    n = 0
    try:
        for batch in _opened(file):
            kept = []
            flat = pa.Table.from_batches([batch]).flatten()
            for field in flat.schema:
                if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
                    left[field.name] = f"values of type {field.type}"
                else:
                    kept.append(field.name)
            if batch.num_rows:
                n += batch.num_rows
                yield flat.select(kept).combine_chunks().to_batches()[0]
    except (pa.ArrowException, OSError) as error:
        said = str(error).splitlines()[0]
        raise ReadError(f"{file.name} is {file.label} that cannot be read ({said}). Write it again.") from None
    if not n:
        raise ReadError(f"{file.name} has column names but no rows of values below them.")


def _opened(file: TypedFile) -> Iterator[Any]:
    from pyarrow import feather, ipc, parquet

    own = file.file
    source = io.BytesIO(own.content) if isinstance(own, SourceFile) else own
    if file.kind == _PARQUET:
        with parquet.ParquetFile(source, pre_buffer=False) as opened:
            yield from opened.iter_batches(batch_size=ROWS)
    elif file.kind == _FEATHER:
        yield from feather.read_table(source).to_batches(max_chunksize=ROWS)
    elif file.kind == _STREAM:
        yield from ipc.open_stream(source)
    else:
        with ipc.open_file(source) as opened:
            yield from (opened.get_batch(i) for i in range(opened.num_record_batches))


def _piece(room: Room, array: Any) -> Piece:
    """Return a column: numbers as they are, anything else as texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if of_numbers(kind):
        return pack_numbers(room, array)
    if pa.types.is_dictionary(kind):
        return _piece(room, array.cast(kind.value_type))
    return pack(room, pc.fill_null(array.cast(pa.string()), arrow.text("")))[0]


def _shaped(file: TypedFile, header: tuple[str, ...], cells: tuple[Cells, ...], at: int) -> Shaped:
    lines = np.arange(at + 1, at + 1 + len(cells[0]), dtype=np.int64)
    return drop_nameless(file.name, Shaped(header, cells, lines, tuple(range(len(header)))))


def _table(file: TypedFile, shaped: Shaped) -> Table:
    names, units = read_header(file.name, 1, shaped.header)
    return Table(
        source=file.name,
        sha256="",
        names=names,
        units=units,
        headers=shaped.header,
        columns=shaped.columns,
        trimmed=(0,) * len(names),
        lines=shaped.lines,
        skipped=shaped.skipped,
        separator=",",
        encoding="",
        files=((file.name, 0),),
        warnings=shaped.warnings,
        noun="row",
    )
