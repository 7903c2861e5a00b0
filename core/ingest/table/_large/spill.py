"""Temporary files without a name: they go when the process goes, however it ends."""

import mmap
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.errors import ReadError

_STEP = 1 << 20
_GROWTH = 64 * 1024 * 1024


@dataclass(frozen=True)
class Place:
    """Where some bytes stand in a spill."""

    at: int
    size: int


class Spill:
    """Bytes on disk instead of in memory; to be used from many threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        with _told(folder):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (it lives as long as this value)
        self._end = self._room = 0
        self._lock = threading.Lock()

    def another(self) -> "Spill":
        """Return an empty spill in the same folder."""
        return Spill(self._folder)

    def put(self, raw: Any) -> Place:
        """Write bytes behind the others, and return where they are."""
        size = memoryview(raw).nbytes
        with self._lock:
            at, self._end = self._end, self._end + size
            self.make_room(self._end)
        self.write(at, raw)
        return Place(at, size)

    def make_room(self, size: int) -> None:
        """Reserve disk for the first `size` bytes in one go, which is many times faster than page by page."""
        if size > self._room:
            room = max(size, min(2 * self._room, self._room + _GROWTH))
            if hasattr(os, "posix_fallocate"):
                with _told(self._folder):
                    os.posix_fallocate(self._file.fileno(), self._room, room - self._room)
            self._room = room

    def write(self, at: int, raw: Any) -> None:
        """Write bytes at a place."""
        rest = memoryview(raw).cast("B")
        with _told(self._folder):
            while len(rest):
                n = os.pwrite(self._file.fileno(), rest, at)
                rest, at = rest[n:], at + n

    def get(self, place: Place) -> bytes:
        """Return the bytes at a place."""
        return os.pread(self._file.fileno(), place.size, place.at)

    def array(self, dtype: npt.DTypeLike, n: int, at: int = 0) -> npt.NDArray[Any]:
        """Return `n` numbers that were written from byte `at` on, a whole number of pages, as an array on the file."""
        if not n:
            return np.zeros(0, dtype=dtype)
        size = n * np.dtype(dtype).itemsize
        with _told(self._folder):
            if os.fstat(self._file.fileno()).st_size < at + size:
                os.truncate(self._file.fileno(), at + size)
            mapped = mmap.mmap(self._file.fileno(), size, access=mmap.ACCESS_READ, offset=at)
        return np.frombuffer(mapped, dtype=dtype, count=n)


class Columns:
    """Columns of numbers on disk, all of one length, side by side as a matrix.

    Attributes
    ----------
    n_rows : their length; set when it is known
    skip : rows in front of the first that are left out
    """

    def __init__(self, spill: Spill, most: int) -> None:
        """Prepare columns of at most `most` rows."""
        self.n_rows, self.skip, self.n_columns = most, 0, 0
        self._spill = spill.another()
        self._stride = -(-most * 8 // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY

    def another(self, n_rows: int) -> "Columns":
        """Return an empty matrix in the same folder."""
        return Columns(self._spill, n_rows)

    def add(self) -> int:
        """Make room for a column and return its number."""
        self.n_columns += 1
        return self.n_columns - 1

    def write(self, column: int, start: int, values: FloatArray) -> None:
        """Write some values of a column, from row `start` on, rows that are skipped included."""
        self._spill.write(column * self._stride + 8 * start, np.ascontiguousarray(values))

    def column(self, column: int) -> FloatArray:
        """Return a column, array of shape (n_rows,)."""
        return self._spill.array(np.float64, self.skip + self.n_rows, column * self._stride)[self.skip :]

    def matrix(self, first: int, n: int) -> FloatArray:
        """Return adjacent columns, array of shape (n_rows, n)."""
        padded = self._spill.array(np.float64, n * self._stride // 8, first * self._stride)
        return padded.reshape(n, -1)[:, self.skip : self.skip + self.n_rows].T

    def row_numbers(self) -> IntArray:
        """Return the numbers of all rows from zero on, on disk."""
        if self._row_numbers is None:
            spill = self._spill.another()
            for start in range(0, self.n_rows, _STEP):
                spill.put(np.arange(start, min(start + _STEP, self.n_rows), dtype=np.int64))
            self._row_numbers = spill.array(np.int64, self.n_rows)
        return self._row_numbers

    _row_numbers: IntArray | None = None


@contextmanager
def _told(folder: Path | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = folder or tempfile.gettempdir()
        raise ReadError(
            f"The table's numbers cannot be kept in a temporary file in {where}: {error.strerror or error}. "
            "Free some space there, or use a database (--db) on another disk."
        ) from None
