"""Bytes as they came to the bytes of a binary file: size limits and gzip, nothing else."""

import hashlib
from dataclasses import dataclass

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.opening import MAX_FILE, unpacked

MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes of a gzip file's contents."""

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class OpenedBytes:
    """A file's bytes, unpacked."""

    name: str
    sha256: str
    raw: bytes


def open_bytes(file: SourceFile) -> OpenedBytes:
    """Return the bytes of a file.

    Raises
    ------
    ReadError
        If the file is too large, or a damaged gzip file.
    """
    if len(file.content) > MAX_FILE:
        size, most = len(file.content) / 2**20, MAX_FILE // 2**20
        raise ReadError(f"{file.name} has {size:.0f} MiB; at most {most} MiB are read. Compress it with gzip.")
    raw = _unpacked(file) if file.content.startswith(_GZIP) else file.content
    return OpenedBytes(file.name, hashlib.sha256(file.content).hexdigest(), raw)


def _unpacked(file: SourceFile) -> bytes:
    parts: list[bytes] = []
    size = 0
    for piece in unpacked(file.name, (file.content,)):
        size += len(piece)
        if size > MAX_UNPACKED:
            raise ReadError(f"{file.name} unpacks to more than {MAX_UNPACKED // 2**20} MiB, which are too many.")
        parts.append(piece)
    return b"".join(parts)
