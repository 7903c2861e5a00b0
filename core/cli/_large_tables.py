"""Large tables on the command line: read by their path, and stored in little memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.cli._store import database_of, open_store
from core.cli.base import Arguments
from core.errors import StoreError
from core.ingest import Mapping, find_reader
from core.ingest._large.large import head_of, is_large, read_large
from core.ingest.csv import Csv
from core.progress import Progress, part
from core.store import OwnedError
from core.trial import Import

LARGE_MEMORY = "512MB"
"""What the database may take while a large table is stored, so that the process stays under 2 GB."""


@dataclass(frozen=True)
class Split:
    """The files of a command: tables that are read by their path, and the others."""

    large: tuple[Path, ...]
    others: tuple[str, ...]


def split_large(paths: Sequence[str], format: str | None) -> Split:
    """Tell tables that are too large to be held in memory from other files.

    Raises
    ------
    ReadError
        If a file cannot be read.
    """
    large = [path for path in paths if _is_large_table(Path(path), format)]
    return Split(tuple(Path(path) for path in large), tuple(path for path in paths if path not in large))


def read_tables(a: Arguments, paths: Sequence[Path], mapping: Mapping, progress: Progress) -> list[Import]:
    """Read large tables into temporary files beside the database.

    Raises
    ------
    OptionError, ReadError
        As any table.
    StoreError
        If another process owns the database; that is said before hours of reading.
    """
    try:
        with open_store(a):
            pass
    except OwnedError as error:
        raise StoreError(f"{error} A table of this size cannot go through its inbox.") from None
    folder = database_of(a).resolve().parent
    n = len(paths)
    return [
        read_large(path, mapping, folder=folder, progress=part(progress, i / n, (i + 1) / n))
        for i, path in enumerate(paths)
    ]


def _is_large_table(path: Path, format: str | None) -> bool:
    return path.is_file() and is_large(path) and isinstance(find_reader(head_of(path), format), Csv)
