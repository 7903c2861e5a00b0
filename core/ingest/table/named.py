"""A table of cells in named columns: each row as wide as the header, each number exact."""

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Self

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.frozen import Frozen
from core.ingest._lookup import once
from core.ingest.names import shown
from core.ingest.table.cells import Cells
from core.ingest.table.numbers import Numbers, Style, read_numbers
from core.ingest.table.spill import Room, address
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
