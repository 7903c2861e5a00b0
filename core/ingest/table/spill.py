"""Room for tables: memory up to a budget, then temporary files without a name, which go with the process."""

import mmap
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from core.errors import ReadError
from core.frozen import Frozen
from core.mapped import map_of

BUDGET = 64 * 1024 * 1024
"""Bytes of a table's texts that are held in memory, and of each array of its numbers."""
_GROWTH = 64 * 1024 * 1024
_FILES: WeakKeyDictionary[mmap.mmap, tuple[Any, int]] = WeakKeyDictionary()
"""Of each mapped array: its file, and where in memory that begins."""
_MOVE = threading.Lock()
"""Held while a file is moved to a place and used there, on systems (Windows) that cannot do both at once."""


class Place(Frozen):
    """Where some bytes stand in a temporary file."""

    at: int
    size: int


class Room:
    """Where texts and numbers of one table are kept; to be used from many threads."""

    def __init__(self, folder: Path | None = None, budget: int | None = None) -> None:
        """Prepare room; temporary files are in `folder`, or the system's own folder for them."""
        self._folder, self._left = folder, BUDGET if budget is None else budget
        self._most = self._left
        self._file: Any = None
        self._end = self._reserved = 0
        self._lock = threading.Lock()

    def keep(self, array: Any) -> Any:
        """Return an Arrow array while there is room in memory for it, else the place where it is kept."""
        with self._lock:
            self._left -= array.nbytes
            if self._left >= 0:
                return array
        return self._put(_bytes(array))

    def kept(self, held: Any) -> Any:
        """Return what was kept, as an Arrow array."""
        import pyarrow as pa

        if not isinstance(held, Place):
            return held
        raw = _read_at(self._file.fileno(), held.size, held.at)
        return pa.ipc.open_stream(pa.py_buffer(raw)).read_next_batch().column(0)

    def empty(self, shape: tuple[int, ...], dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """Return an array to be filled, in a temporary file of its own if it is large."""
        if (size := int(np.prod(shape)) * np.dtype(dtype).itemsize) <= self._most or not size:
            return np.empty(shape, dtype)
        with _told(self._folder):
            file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  (it lives as long as the array)
            _reserve(file.fileno(), 0, size)
            mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        found = np.frombuffer(mapped, dtype=dtype)
        _FILES[mapped] = file, address(found)
        return found.reshape(shape)

    def write(self, array: npt.NDArray[Any], start: int, values: npt.NDArray[Any]) -> None:
        """Fill a part of such an array, which is adjacent in memory; what is in a file is written there."""
        if (mapped := map_of(array)) is None:
            array[start : start + len(values)] = values
            return
        file, first = _FILES[mapped]
        at = address(array) - first + start * array.dtype.itemsize
        with _told(self._folder):
            _write_at(file.fileno(), np.ascontiguousarray(values, dtype=array.dtype), at)

    def joined(self, parts: Sequence[npt.NDArray[Any]], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return arrays one after the other."""
        found = self.empty((sum(map(len, parts)),), dtype)
        at = 0
        for part in parts:
            self.write(found, at, part)
            at += len(part)
        return found

    def _put(self, raw: Any) -> Place:
        size = memoryview(raw).nbytes
        with self._lock, _told(self._folder):
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  (it lives as long as this value)
            at, self._end = self._end, self._end + size
            if self._end > self._reserved:
                more = max(self._end - self._reserved, min(self._reserved, _GROWTH))
                _reserve(self._file.fileno(), self._reserved, more)
                self._reserved += more
        with _told(self._folder):
            _write_at(self._file.fileno(), raw, at)
        return Place(at, size)


def _bytes(array: Any) -> Any:
    import pyarrow as pa

    batch = pa.record_batch([array], names=["x"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def address(array: npt.NDArray[Any]) -> int:
    """Return where in memory an array begins."""
    return int(array.__array_interface__["data"][0])


def _read_at(file: int, size: int, at: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(file, size, at)
    with _MOVE:
        os.lseek(file, at, os.SEEK_SET)
        return os.read(file, size)


def _write_at(file: int, raw: Any, at: int) -> None:
    """Write all of some bytes."""
    rest = memoryview(raw).cast("B")
    while len(rest):
        if hasattr(os, "pwrite"):
            n = os.pwrite(file, rest, at)
        else:
            with _MOVE:
                os.lseek(file, at, os.SEEK_SET)
                n = os.write(file, rest)
        rest, at = rest[n:], at + n


def _reserve(file: int, start: int, size: int) -> None:
    """Take disk in one go: many times faster than page by page, and a full disk is told now."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, start, size)
    else:
        os.truncate(file, start + size)


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
