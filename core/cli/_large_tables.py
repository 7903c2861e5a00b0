"""Large tables on the command line: read by their path, and stored in little memory."""

from collections.abc import Sequence
from pathlib import Path

from core.cli._store import open_store
from core.cli.base import Arguments
from core.errors import ReadError, StoreError
from core.ingest import Mapping, Part, SourceFile, find_reader, read_table
from core.ingest._open import unpacked
from core.ingest.readers.csv import Csv
from core.progress import Progress, part
from core.store import OwnedError
from core.workspace import database_path

LARGE_MEMORY = "512MB"
"""What the database may take while a large table is stored, so that the process stays under 2 GB."""

LARGE = 32 * 1024 * 1024
"""Bytes, unpacked, from which on a table is read by its path."""
_HEAD = 4 * 1024 * 1024
_GZIP = b"\x1f\x8b"


def split_large(paths: Sequence[str], format: str | None) -> tuple[list[Path], list[str]]:
    """Return the tables that are too large to be held in memory, and the other files.

    Raises
    ------
    ReadError
        If a file cannot be read.
    """
    large = [path for path in paths if _is_large_table(Path(path), format)]
    return [Path(path) for path in large], [path for path in paths if path not in large]


def read_tables(a: Arguments, paths: Sequence[Path], mapping: Mapping, progress: Progress) -> list[Part]:
    """Read large tables into temporary files beside the database.

    Raises
    ------
    OptionError, ReadError
        As any table.
    StoreError
        If another process owns the database; that is said before hours of reading.
    """
    if not paths:
        return []
    try:
        with open_store(a):
            pass
    except OwnedError as error:
        raise StoreError(f"{error} A table of this size cannot go through its inbox.") from None
    folder, n = database_path(a.db).resolve().parent, len(paths)
    told = [part(progress, i / n, (i + 1) / n) for i in range(n)]
    tables = [read_table(p, mapping.form, folder=folder, progress=own) for p, own in zip(paths, told, strict=True)]
    return [Part(SourceFile(table.source, b""), Csv(), mapping, table) for table in tables]


def is_large(path: Path) -> bool:
    """Whether a file has more than `LARGE` bytes, unpacked if it is a gzip file; damaged ones count as they are.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if size > LARGE or file.read(len(_GZIP)) != _GZIP:
                return size > LARGE
            file.seek(0)
            return _unpacks_to(path.name, file.read()) > LARGE
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None


def _unpacks_to(name: str, packed: bytes) -> int:
    """Return the size of a gzip file's contents, or anything above `LARGE` if they are larger."""
    size = 0
    try:
        for piece in unpacked(name, (packed,)):
            size += len(piece)
            if size > LARGE:
                break
    except ReadError:
        pass
    return size


def _is_large_table(path: Path, format: str | None) -> bool:
    if not path.is_file() or not is_large(path):
        return False
    with path.open("rb") as file:
        head = SourceFile(path.name, file.read(_HEAD))
    return isinstance(find_reader(head, format), Csv)
