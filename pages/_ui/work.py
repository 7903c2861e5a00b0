"""Computations of pages: short ones at once, long ones as a job to watch, results kept a while."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.jobs import Job
from core.progress import Progress, part
from pages._ui import jobs
from pages._ui.database import Shelf, T

Work = Callable[[Progress], Any]
_AT_ONCE_S = 2.0
RESULTS = Shelf("results of jobs", 48)
_AHEAD = "ahead"
_UNDER_WAY: ContextVar[list[Job] | None] = ContextVar("under_way", default=None)
"""The jobs that `one_bar` draws as one."""
_LAST = "_last_jobs"


def key_of(*parts: object) -> str:
    """Return a short text that is the same for the same parts."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:32]


@contextmanager
def one_bar(key: str, place: DeltaGenerator) -> Iterator[None]:
    """Draw one bar, in a place, for all that `computed` waits for within."""
    under_way = list[Job]()
    token = _UNDER_WAY.set(under_way)
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)
    if under_way:
        with place:
            jobs.progress(tuple(under_way), key)


def computed(
    kind: str, title: str, key: str, work: Callable[[Progress], T], wait_s: float | None = None, shelf: Shelf = RESULTS
) -> T | None:
    """Return what `work` gives, or None while a job does it (which is drawn, with a way to stop it).

    Parameters
    ----------
    kind : such as "sweep"; a session's former job of the same kind is stopped
    key : made of everything that the result depends on
    wait_s : before a job is drawn as one; 2 s if None
    shelf : where the result is kept
    """
    name = f"{kind}-{key}"
    found: T | None = shelf.get(name)
    if found is not None:
        return found
    stop_former(kind, name)
    if (job := jobs.find(name)) is None:
        for behind in [other for other in st.session_state[_LAST] if other.startswith(_AHEAD)]:
            stop_former(behind, "")  # what is waited for comes before what may be asked
        job = jobs.submit(kind, title, work, name)
    if not job.ended:
        jobs.runner().see(job)
        with st.spinner(f"{title} …"):
            job.wait(_AT_ONCE_S if wait_s is None else wait_s)
    if not job.ended and (under_way := _UNDER_WAY.get()) is not None:
        under_way.append(job)
        return None
    if jobs.watch(job, key=name):
        jobs.forget(name)
        found = job.result
        return shelf.put(name, found)
    if job.ended and not job.settled and st.button("Try again", key=f"{name}_again", icon=":material/replay:"):
        jobs.forget(name)
        st.rerun()
    return None


def ahead(kind: str, title: str, works: Mapping[str, Work], shelf: Shelf = RESULTS) -> None:
    """Do what the next presses will ask `computed` for, behind the page, in the order given; each is kept as it comes.

    Parameters
    ----------
    works : by the kind and the key that `computed` will know them by
    """
    name = f"{kind}-{key_of(*sorted(works))}"
    stop_former(f"{_AHEAD} {kind}", name)

    def work(progress: Progress) -> None:
        for i, (known_as, one) in enumerate(works.items()):
            if shelf.get(known_as) is None:
                shelf.put(known_as, one(part(progress, i / len(works), 1.0)))

    jobs.runner().see(jobs.submit("validate", title, work, name))


def known(kind: str, key: str) -> Any | None:
    """Return what `computed` gave before, None if nothing is kept."""
    return RESULTS.get(f"{kind}-{key}")


def begun(kind: str, of: str, label: str, **button: Any) -> bool:
    """Whether `computed` gives something, or a job makes it; else draw the button that asks, and return its press."""
    there = known(kind, of) is not None or jobs.find(f"{kind}-{of}") is not None
    return there or st.button(label, **button)


def stop_former(kind: str, name: str) -> None:
    """Stop the job of this kind that the session started before under another name, unless others watch it too."""
    last: dict[str, str] = st.session_state.setdefault(_LAST, {})
    former = last.get(kind)
    last[kind] = name
    job = None if former in (None, name) else jobs.find(former or "")
    if job is not None and not job.ended and not jobs.runner().is_watched_elsewhere(job):
        jobs.runner().leave(job)
