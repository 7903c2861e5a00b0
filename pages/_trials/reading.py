"""What an upload's files are taken for: read once per content, at once or (many and large files) as a job."""

import hashlib
from collections.abc import Sequence
from functools import partial

from core.ingest import Dropped, Part, Recognition, Remembered, drop
from core.progress import Progress
from core.report.trials.askable import Askable, askable
from pages._ui import jobs
from pages._ui.database import store
from pages._ui.kept import kept
from pages._ui.text import count

_LARGE_BYTES = 8 * 1024 * 1024
_MANY_FILES = 100


def key_of(parts: Sequence[Part], *, folder: bool) -> str:
    """Return a text that is the same for the same files of which the same is said."""
    sha = hashlib.sha256(repr((folder, [(part.file.name, part.mapping) for part in parts])).encode())
    for part in parts:
        sha.update(hashlib.sha256(part.file.content).digest())
    path = remembered().path
    sha.update(path.read_bytes() if path.exists() else b"")
    return f"recognised:{sha.hexdigest()}"


def remembered() -> Remembered:
    """Return what was said of earlier tables."""
    return Remembered.beside(store().path)


def is_large(parts: Sequence[Part]) -> bool:
    """Whether reading takes so long that the page does not wait for it."""
    return len(parts) > _MANY_FILES or sum(len(part.file.content) for part in parts) > _LARGE_BYTES


def read_dropped(key: str, parts: Sequence[Part], *, folder: bool) -> Dropped | None:
    """Return what files are taken for; None while they are being read."""
    if not is_large(parts):
        return _dropped(key, list(parts), folder)
    job = jobs.submit("read", f"Reading {count(len(parts), 'file')}", partial(_work, parts, folder, remembered()), key)
    if not jobs.watch(job, key=f"watch_{key[-12:]}"):
        return None
    found: Dropped = job.result
    return found


@kept(lambda key, roles, dropped, found: (key, roles), 16, "Looking at what can be asked …")
def what_can_be_asked(key: str, roles: str, dropped: Dropped, found: Recognition) -> tuple[Askable, ...]:
    """Return what can be asked of files as they were corrected; `key` and `roles` say which these are."""
    return askable(found, dropped.gathered(found, missing="keep").imports)


@kept(lambda key, parts, folder: key, 4, "Reading …")
def _dropped(key: str, parts: list[Part], folder: bool) -> Dropped:
    return drop(parts, folder=folder, remembered=remembered())


def _work(parts: Sequence[Part], folder: bool, known: Remembered, progress: Progress) -> Dropped:
    return drop(parts, folder=folder, progress=progress, remembered=known)
