"""The inbox as a directory: files written whole, taken one owner at a time, set aside with a reason."""

import os
import re
import stat
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from core.errors import StoreError
from core.frozen import Frozen
from core.store._lock import flush

LETTERS, PARCEL = ".json", ".import"
"""How the names of files end that hold trials, or whole imports."""
WHY = ".why.txt"
"""What is added to the name of a bad file to name the file with the reason."""

_FRESH = re.compile(r"\d{20}-[0-9a-f]{32}\.[a-z]+")
_OLD_S = 3600.0
"""After this a file that nobody finished is taken for left behind."""

_LONGEST = 200
"""Bytes of the name of a file that is set aside, of 255 that a file system allows."""


class Found(Frozen):
    """A file of the inbox, and when it was written, in ns."""

    path: Path
    written: int
    n_bytes: int


class Mailbox:
    """`taken/` holds what is being stored, `bad/` what was refused, `done/` receipts that somebody waits for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.taken, self.bad, self.done = path / "taken", path / "bad", path / "done"

    def make(self) -> None:
        """Make the directories, for their owner's eyes alone."""
        try:
            for path in (self.path, self.taken, self.bad, self.done):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"The inbox {self.path} cannot be made: {error.strerror}.") from None

    def waiting(self) -> list[Found]:
        """Return the files that wait: those taken before, then the others as they were written."""
        return [*_sorted(_files(self.taken)), *_sorted(_files(self.path))]

    def take(self, files: Iterable[Found]) -> Iterator[Path]:
        """Move files where no writer can replace them; one that is gone meanwhile is passed over.

        Names that `fresh_name` made are never used again, so those files can stay where they are.
        """
        for file in files:
            target = self.taken / file.path.name
            if file.path == target or _FRESH.fullmatch(file.path.name):
                yield file.path
            elif not target.exists():
                with suppress(FileNotFoundError):
                    os.rename(file.path, target)
                    yield target

    def set_aside(self, path: Path, why: str) -> tuple[str, str]:
        """Move a bad file to `bad/` with the reason beside it, and return its name there and the reason, as texts."""
        target, text = _free(self.bad / _writable(path.name)), as_text(why)
        target.with_name(target.name + WHY).write_text(text + "\n", encoding="utf-8")
        os.rename(path, target)
        return target.name, text

    def bad_files(self) -> list[tuple[str, str]]:
        """Return the names of bad files with the reasons, by name."""
        names = sorted(e.name for e in _entries(self.bad) if not e.name.endswith(WHY))
        return [(name, self.why(name)) for name in names]

    def why(self, name: str) -> str:
        """Return why a file was set aside, or ""."""
        with suppress(OSError):
            return (self.bad / (name + WHY)).read_text(encoding="utf-8", errors="replace").strip()
        return ""

    def retry(self) -> int:
        """Move the bad files back and return how many there were."""
        files = self.bad_files()
        for name, _ in files:
            os.rename(self.bad / name, _free(self.path / name))
            (self.bad / (name + WHY)).unlink(missing_ok=True)
        return len(files)

    def swept(self) -> list[tuple[str, str]]:
        """Delete what writers left behind, set aside what is nothing of the inbox, and return that."""
        strange = []
        for entry in _entries(self.path):
            path, kind = Path(entry.path), entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(kind) or _is_mail(entry) or (stat.S_ISREG(kind) and changed_s_ago(entry) <= _OLD_S):
                continue
            if stat.S_ISREG(kind) and (path.name.startswith(".") or path.suffix == ".tmp"):
                path.unlink(missing_ok=True)
                continue
            ends = f"{path.name} does not end in {LETTERS}"
            other = f"{ends}; trials come as JSON, other files through `ridgeline import`."
            why = other if stat.S_ISREG(kind) else "it is not a plain file"
            strange.append(self.set_aside(path, why))
        for entry in _entries(self.done):
            if changed_s_ago(entry) > _OLD_S:
                Path(entry.path).unlink(missing_ok=True)
        return strange


def put(folder: Path, name: str, raw: bytes) -> Path:
    """Write a file so that it is there whole or not at all, also after a crash, and return its path.

    Raises
    ------
    StoreError
        If it cannot be written; then there is nothing.
    """
    temporary, target = folder / f".{name}.{uuid.uuid4().hex}.tmp", folder / name
    try:
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(file, "wb") as whole:
                whole.write(raw)
                whole.flush()
                os.fsync(file)
            os.rename(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        flush(folder)
    except OSError as error:
        raise StoreError(f"Nothing was delivered to the inbox {folder}: {error.strerror}.") from None
    return target


def read(path: Path) -> bytes:
    """Return a file's bytes; a link is not followed."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        return file.read()


def changed_s_ago(path: "os.PathLike[str]") -> float:
    """Return for how long nobody has touched a file; a link is not followed."""
    return time.time() - os.lstat(path).st_ctime


def fresh_name(suffix: str) -> str:
    """Return a name of its own; names sort as they were made."""
    return f"{time.time_ns():020d}-{uuid.uuid4().hex}{suffix}"


def as_text(name: str) -> str:
    """Return what a file is called, or a sentence with that, without the bytes that are no text."""
    return name.encode("utf-8", "backslashreplace").decode()


def _writable(name: str) -> str:
    """Return a name that is text, and short enough to have something added to it."""
    raw = name.encode("utf-8", "replace")
    return (raw if len(raw) <= _LONGEST else raw[: _LONGEST - 40] + raw[-40:]).decode("utf-8", "ignore")


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _is_mail(entry: "os.DirEntry[str]") -> bool:
    named = entry.name.endswith((LETTERS, PARCEL)) and not entry.name.startswith(".")
    return named and entry.is_file(follow_symlinks=False)


def _files(folder: Path) -> Iterator[Found]:
    for entry in _entries(folder):
        with suppress(FileNotFoundError):
            if _is_mail(entry):
                told = entry.stat(follow_symlinks=False)
                yield Found(Path(entry.path), told.st_mtime_ns, told.st_size)


def _sorted(files: Iterable[Found]) -> list[Found]:
    return sorted(files, key=lambda f: (f.written, f.path.name))


def _free(path: Path) -> Path:
    """Return a path at which there is nothing."""
    free, n = path, 1
    while free.exists() or free.is_symlink():
        n += 1
        free = path.with_name(f"{path.stem}-{n}{path.suffix}")
    return free
