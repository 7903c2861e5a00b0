"""Files on the command line: read whole, written whole or not at all."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, overload

from core.codec import MAX_BYTES
from core.errors import ReadError, RidgelineError
from core.ingest.base import SourceFile


def read_bytes(path: str | Path) -> bytes:
    """Return a file's bytes, or say in one sentence why not."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None


def model_bytes(path: str | Path) -> bytes:
    """Return a model file's bytes, at most as many as a model file has, however large the file is."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(raw) > MAX_BYTES:
        raise ReadError(f"{path} has more than the {MAX_BYTES // 2**20} MiB that a model file has at most.")
    return raw


def add_facts(parser: argparse.ArgumentParser) -> None:
    """Declare the files whose rows are joined to those of another."""
    parser.add_argument("--machines", metavar="FILE", help="CSV of machine metrics, joined by machine")
    parser.add_argument("--inputs", metavar="FILE", help="CSV of input metrics, joined by application, input")


@overload
def source(path: None) -> None: ...
@overload
def source(path: str | Path) -> SourceFile: ...
def source(path: str | Path | None) -> SourceFile | None:
    """Return a file as the readers take it; None stays None."""
    return None if path is None else SourceFile(Path(path).name, read_bytes(path))


def sources(paths: Sequence[str]) -> tuple[list[SourceFile], bool]:
    """Return files, and all that is below folders, as the readers take them; and whether there is a folder.

    A folder's files are named by their path from the folder on; files of several folders by their
    path from what the folders have in common.
    """
    folders = [path for path in paths if Path(path).is_dir()]
    found = [(Path(path), _shown(path, paths)) for path in paths if path not in folders]
    for folder in folders:
        found += [(path, path.relative_to(Path(folder).resolve().parent).as_posix()) for path in _below(Path(folder))]
    if not found:
        raise ReadError(f"{', '.join(folders)} holds no files.")
    return [SourceFile(name, read_bytes(path)) for path, name in found], bool(folders)


def _below(folder: Path) -> list[Path]:
    """Return the files of a folder and of its folders, hidden ones and links left out."""
    if not os.access(folder, os.R_OK | os.X_OK):
        raise ReadError(f"{folder} cannot be read: permission denied.")
    found: list[Path] = []
    for place, folders, names in os.walk(folder.resolve()):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = [Path(place, name) for name in sorted(names) if not name.startswith(".")]
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
    return found


def _shown(path: str, paths: Sequence[str]) -> str:
    """Return a file's name for reports: alone if that tells it from the others, else with its folders."""
    names = [Path(other).name for other in paths]
    if len(set(names)) == len(names):
        return Path(path).name
    top = os.path.commonpath([Path(other).resolve().parent for other in paths])
    return Path(path).resolve().relative_to(top).as_posix()


def write_bytes(path: str | Path, raw: bytes) -> None:
    """Write a file under another name first, then move it into place."""
    with whole_file(path) as file:
        file.write(raw)


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a file to write, which has another name until it is whole; nothing is left of one that fails.

    Raises
    ------
    RidgelineError
        If it cannot be written.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            yield file
        beside.replace(target)
    except OSError as error:
        raise RidgelineError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        beside.unlink(missing_ok=True)
