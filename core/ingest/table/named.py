"""A table of cells in named columns: each row as wide as the header, each number exact."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from core import arrow
from core.codec import FloatArray, IntArray
from core.errors import OptionError, ReadError
from core.frozen import Frozen
from core.ingest._lookup import once
from core.ingest.base import Form, SourceFile
from core.ingest.names import read_header, shown
from core.ingest.table.cells import Cells, Piece, pack, pack_numbers
from core.ingest.table.numbers import Numbers, Style, of_numbers, read_numbers
from core.ingest.table.shape import Shaped, drop_failed, drop_nameless
from core.ingest.table.spill import Room, address
from core.ingest.table.text import beginning, digest
from core.mapped import is_mapped, release
from core.texts import STEP, Texts
from core.trial import Skipped


class Lines(Frozen, Texts, eq=False):
    """Where rows stand in their file, as in "line 14"; `lines` is an array of shape (n,)."""

    noun: str
    lines: IntArray

    def __len__(self) -> int:
        return len(self.lines)

    def one(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.noun} {self.lines[row]}"

    def several(self, rows: slice) -> tuple[str, ...]:
        """Return where some rows stand."""
        return tuple(f"{self.noun} {line}" for line in self.lines[rows].tolist())


class Table(Frozen, eq=False):
    """Texts in named columns.

    Attributes
    ----------
    source, sha256 : the file's name and the digest of its bytes as they came
    names, units : of the columns; a unit is from the header, a row of units or the name's
        suffix, "" if none of them says
    headers : the header's cells as they stand in the file
    columns : the cells without spaces around them; `trimmed` counts where there were some
    lines : array of shape (n_rows,): the line where each row begins
    noun : what `lines` counts: "line", "row", or "item"
    room : where numbers are kept
    separator : "" for a single column
    files : (name, its first row) for each file that the rows came from
    skipped, warnings : what was not taken over, or taken over with a doubt
    said : values by name of what lines above the header say
    written : the first columns as they stand in the file, where numbers were taken from texts; else none
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
    noun: str = "line"
    room: Room = field(default_factory=Room, repr=False)
    said: Mapping[str, str] = field(default_factory=dict, repr=False)
    written: tuple[Cells, ...] = field(default=(), repr=False)
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def as_written(self) -> Self:
        """The columns letter for letter, as they stand in the file, and none that were added to them."""
        n = len(self.written)
        return replace(self.of(range(n)), columns=self.written) if n else self

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
            written=(),
            memo={},
        )

    def place(self, row: int) -> str:
        """Return where a row stands, as in `run7.csv line 14`."""
        name = next(name for name, first in reversed(self.files) if first <= row)
        return f"{name} {self.noun} {self.lines[row]}"

    def where(self, rows: IntArray | None = None) -> Sequence[str]:
        """Return where rows (all if not given) stand in their file: `line 14`; with the file if there are several."""
        lines = self.lines if rows is None else self.lines[rows]
        if len(self.files) > 1:
            return tuple(self.place(row) for row in (range(len(self)) if rows is None else rows.tolist()))
        found = Lines(self.noun, lines)
        return found if len(found) > STEP else found[:]

    def numbers(self, place: int, style: Style) -> Numbers:
        """Return the numbers of a column; they are a row of one matrix, where that is too large for memory."""
        store = self.store(style)
        return read_numbers(self.columns[place], style, None if store is None else store[place])

    def store(self, style: Style) -> FloatArray | None:
        """Return the matrix, array of shape (n_columns, n_rows); None where it need not be one."""
        shape = (len(self.columns), len(self))
        return once(self.memo, ("store", style), lambda: self.room.empty(shape) if len(self) > STEP else None)

    def matrix(self, numbers: Sequence[Numbers], rows: IntArray) -> FloatArray:
        """Return the numbers of some rows, array of shape (n_rows, n_columns)."""
        adjacent = self._adjacent(numbers) if len(rows) == len(self) > STEP else None
        if adjacent is not None:
            return adjacent.T
        if len(rows) <= STEP:
            return np.column_stack([np.empty((len(rows), 0)), *(own.values[rows] for own in numbers)])
        values = self.room.empty((len(numbers), len(rows)))
        for i, own in enumerate(numbers):
            for start in range(0, len(rows), STEP):
                self.room.write(values[i], start, own.values[rows[start : start + STEP]])
            release(own.values)
        return values.T

    def _adjacent(self, numbers: Sequence[Numbers]) -> FloatArray | None:
        """Return numbers that are rows of one matrix, one behind the other, as a part of it; None if they are not."""
        at = [address(own.values) for own in numbers]
        for key, store in self.memo.items():
            if isinstance(key, tuple) and key[0] == "store" and store is not None and at:
                first, beyond = divmod(at[0] - address(store), store.strides[0])
                rising = at == [at[0] + i * store.strides[0] for i in range(len(at))]
                if not beyond and rising and 0 <= first < len(store):
                    return np.asarray(store[first : first + len(at)])
        return None

    def chosen(self, values: FloatArray, places: Sequence[int]) -> FloatArray:
        """Return some columns of such a matrix; what is in a file stays there."""
        if list(places) == list(range(values.shape[1])):
            return values
        if not is_mapped(values):
            return np.ascontiguousarray(values[:, list(places)])
        if list(places) == list(range(places[0], places[0] + len(places))) if places else False:
            return values[:, places[0] : places[0] + len(places)]
        found = self.room.empty((len(places), len(values)))
        for i, place in enumerate(places):
            self.room.write(found[i], 0, values[:, place])
            release(values)
        return found.T

    def head(self, n: int) -> list[tuple[str, ...]]:
        """Return the texts of the first `n` rows, for a preview."""
        return list(zip(*(cells.slice(0, n).texts() for cells in self.columns), strict=True))


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
