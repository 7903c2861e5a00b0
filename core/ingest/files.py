"""Files and folders of the disk as the readers take them."""

import io
import os
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.mlflow import with_runs
from core.ingest.table.workbook import ZIP, is_workbook


def read_bytes(path: str | Path) -> bytes:
    """Return a file's bytes, or say in one sentence why not."""
    try:
        if Path(path).is_char_device() or Path(path).is_block_device():
            raise ReadError(f"{path} is a device, which may have no end. Write what it gives into a file.")
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None


def sources(paths: Sequence[str]) -> tuple[list[SourceFile], bool]:
    """Return files, and all that is in folders and zip archives, as readers take them; and whether there are such.

    A folder's files are named by their path from the folder on; files of several folders by their
    path from what the folders have in common.
    """
    if not all(paths):
        raise ReadError("The name of a file is empty.")
    folders = [path for path in paths if os.path.isdir(path)]
    found = [(Path(path), _shown(path, paths)) for path in paths if path not in folders]
    for folder in folders:
        found += [(path, path.relative_to(Path(folder).resolve().parent).as_posix()) for path in _below(Path(folder))]
    if not found:
        raise ReadError(f"{', '.join(folders)} holds no files.")
    told = [(path, os.fsencode(name).decode("utf-8", "replace")) for path, name in found]
    files, archives = unzipped(SourceFile(name, read_bytes(path)) for path, name in told)
    return files, bool(folders) or archives


def unzipped(files: Iterable[SourceFile]) -> tuple[list[SourceFile], bool]:
    """Return files with those that zip archives hold in place of these; and whether there is an archive.

    Runs of MLflow are a table.
    """
    packed = [(file, _packed(file)) for file in files]
    whole = [one for file, inside in packed for one in inside or [file]]
    return with_runs(whole), any(inside for _, inside in packed)


def _packed(file: SourceFile) -> list[SourceFile]:
    """Return the files of a zip archive, named below it, hidden ones left out; none of what cannot be unpacked."""
    try:
        if not file.content.startswith(ZIP) or is_workbook(file):
            return []
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            entries = [own for own in archive.infolist() if not own.is_dir()]
            named = [(posixpath.normpath(f"/{own.filename}"), own) for own in entries]  # `./run.csv` is not hidden
            seen = [(name, own) for name, own in named if not re.search(r"/(\.|__MACOSX/)", name)]
            return [SourceFile(f"{file.name}{name}", archive.read(own)) for name, own in seen]
    except (ReadError, RuntimeError, zipfile.BadZipFile, zlib.error, OSError, ValueError):
        return []  # a reader says what it is


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
