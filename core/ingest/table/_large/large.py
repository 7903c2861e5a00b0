"""Tables on the command line, however large: read by their path, in little memory."""

import zlib
from pathlib import Path

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest.base import SourceFile
from core.ingest.recognition.apply import apply
from core.ingest.table._large.table import read_large_table
from core.progress import Progress, silent
from core.trial import Import

LARGE = 32 * 1024 * 1024
"""Bytes, unpacked, from which on a table is read in this way."""

_GZIP = b"\x1f\x8b"
_HEAD = 4 * 1024 * 1024


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
            return _unpacks_to(file.read(), LARGE) > LARGE
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None


def head_of(path: Path) -> SourceFile:
    """Return a file's beginning, by which its reader is found."""
    with path.open("rb") as file:
        return SourceFile(path.name, file.read(_HEAD))


def read_large(
    path: Path, mapping: Mapping | None = None, *, folder: Path | None = None, progress: Progress = silent
) -> Import:
    """Return the trials of a table of any size: those that the CSV reader returns of a small one.

    Their values and labels are in temporary files, which go when nobody has them any more.

    Parameters
    ----------
    folder : where the temporary files are; they take up to twice the room of the table

    Raises
    ------
    OptionError
        If the mapping names a column that is not there.
    ReadError
        As the CSV reader, or if there is no room for the temporary files.
    """
    imported = apply(read_large_table(path, folder=folder, progress=progress), mapping)
    progress(1.0, f"{path.name}: {len(imported.trials):,} trials")
    return imported


def _unpacks_to(packed: bytes, most: int) -> int:
    """Return the size of a gzip file's contents, or anything above `most` if they are larger."""
    size = 0
    while packed and size <= most:
        member = zlib.decompressobj(31)
        try:
            while not member.eof and size <= most:
                piece = member.decompress(packed, 1 << 20)
                size, packed = size + len(piece), member.unconsumed_tail
                if not piece and not packed:
                    return size
        except zlib.error:
            return size
        packed = member.unused_data.lstrip(b"\x00")
    return size
