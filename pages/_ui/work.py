"""Computations of pages: short ones at once, long ones as a job to watch, results kept a while."""

import hashlib
from collections.abc import Callable
from typing import Any

import streamlit as st

from core.progress import Progress
from pages._ui import jobs
from pages._ui.kept import Shelf

_AT_ONCE_S = 2.0
RESULTS = Shelf("results of jobs", 48)
_LAST = "_last_jobs"


def key_of(*parts: object) -> str:
    """Return a short text that is the same for the same parts."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:32]


def computed(
    kind: str, title: str, key: str, work: Callable[[Progress], Any], wait_s: float | None = None,
    shelf: Shelf = RESULTS,
) -> Any | None:  # fmt: skip
    """Return what `work` gives, or None while a job does it (which is drawn, with a way to stop it).

    Parameters
    ----------
    kind : such as "sweep"; a session's former job of the same kind is stopped
    key : made of everything that the result depends on
    wait_s : before a job is drawn as one; 2 s if None
    shelf : where the result is kept
    """
    name = f"{kind}-{key}"
    if (found := shelf.get(name)) is not None:
        return found
    stop_former(kind, name)
    job = jobs.find(name) or jobs.submit(kind, title, work, name)
    if not job.ended:
        jobs.runner().see(job)
        with st.spinner(f"{title} …"):
            job.wait(_AT_ONCE_S if wait_s is None else wait_s)
    if jobs.watch(job, key=name):
        jobs.forget(name)
        return shelf.put(name, job.result)
    if job.ended and st.button("Try again", key=f"{name}_again", icon=":material/replay:"):
        jobs.forget(name)
        st.rerun()
    return None


def known(kind: str, key: str) -> Any | None:
    """Return what `computed` gave before, None if nothing is kept."""
    return RESULTS.get(f"{kind}-{key}")


def stop_former(kind: str, name: str) -> None:
    """Stop the job of this kind that the session started before under another name, unless others watch it too."""
    last: dict[str, str] = st.session_state.setdefault(_LAST, {})
    former = last.get(kind)
    last[kind] = name
    job = None if former in (None, name) else jobs.find(former or "")
    if job is not None and not job.ended and not jobs.runner().is_watched_elsewhere(job):
        jobs.runner().leave(job)
