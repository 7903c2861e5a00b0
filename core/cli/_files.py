"""Files on the command line: read whole, written whole or not at all."""

import os
from pathlib import Path

from core.errors import ReadError, RidgelineError
from core.ingest.base import SourceFile


def read_bytes(path: str | Path) -> bytes:
    """Return a file's bytes, or say in one sentence why not."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None


def source(path: str | Path | None) -> SourceFile | None:
    """Return a file as the readers take it; None stays None."""
    return None if path is None else SourceFile(Path(path).name, read_bytes(path))


def write_bytes(path: str | Path, raw: bytes) -> None:
    """Write a file under another name first, then move it into place."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(raw)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise RidgelineError(f"{path} cannot be written: {error.strerror or error}.") from None
