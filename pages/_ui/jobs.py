"""Computations of pages: short ones at once, long ones as a job to watch, kept in the store's list of jobs."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import Cancelled, RidgelineError
from core.jobs import Job, JobRunner, JobState
from core.progress import Progress, duration, part
from core.store import Store
from core.workspace import database_path
from pages._ui.database import Shelf, T, store
from pages._ui.drawn import literal, number
from pages._ui.page import fragment, show_error

_LOG = logging.getLogger("ridgeline.jobs")
_MOST_KEPT = 24
_WATCHED_S = 5.0
"""So long after it last looked a session still watches a job; it looks twice a second."""
_RELOAD_S = 10.0
"""So long may pass until a tab that was closed is there again."""
_LONG = ("race", "experiment")
_KEPT = (*_LONG, "import")
"""What keeps what it finds, so that it goes on where nobody is left."""


class Runner:
    """The process's job threads; each job is also a row in the store, so that its end is known."""

    def __init__(self, keep: Store) -> None:
        self._store = keep
        self._keys: list[str] = []
        self._seen: dict[str, dict[str, float]] = {}
        self._left = set[str]()
        self.jobs = JobRunner(workers=2, on_end=self._ended)

    def start(self, kind: str, title: str, work: Callable[[Progress], Any], key: str) -> Job:
        """Return the job called `key`, started now unless it is there already."""
        found = self.jobs.find(key)
        if found is not None and found.state != JobState.CANCELLED:
            return found
        self._forget_oldest(key)
        self._left.discard(key)
        if not self._store.read_only:
            self._store.jobs.start(kind, title, id=key)
        self._seen[key] = {_session(): time.monotonic()}
        long = kind.endswith(_LONG)
        return self.jobs.submit(title, work if kind in _KEPT else self._while_needed(key, work), id=key, long=long)

    def see(self, job: Job) -> None:
        """Note that this session watches a job now."""
        if not job.ended:
            self._seen.setdefault(job.id, {})[_session()] = time.monotonic()

    def leave(self, job: Job) -> None:
        """Stop a job that nobody needs any more; who asks again starts it again."""
        self._left.add(job.id)
        job.cancel()

    def _while_needed(self, key: str, work: Callable[[Progress], Any]) -> Callable[[Progress], Any]:
        """Return work that ends, and is forgotten, once all sessions that watched it are gone."""

        def needed(progress: Progress) -> Any:
            def told(fraction: float, message: str) -> None:
                since = time.monotonic() - _RELOAD_S
                if not any(at > since or _is_open(session) for session, at in list(self._seen[key].items())):
                    self._left.add(key)
                    raise Cancelled("Nobody is left who watched it.")
                progress(fraction, message)

            told(0.0, "started")
            return work(told)

        return needed

    def is_watched_elsewhere(self, job: Job) -> bool:
        """Return whether another session watches a job, so that it must not end when this one moves on."""
        since, own = time.monotonic() - _WATCHED_S, _session()
        return any(at > since for session, at in self._seen.get(job.id, {}).items() if session != own)

    def _forget_oldest(self, key: str) -> None:
        """Let go of the results of all but the last jobs, so that memory does not grow for ever."""
        self._keys = [*(k for k in self._keys if k != key and self.jobs.find(k) is not None), key]
        for old in self._keys[:-_MOST_KEPT]:
            self.jobs.forget(old)

    def _ended(self, job: Job) -> None:
        self._seen.pop(job.id, None)
        if job.id in self._left:
            self._left.discard(job.id)
            self.jobs.forget(job.id)
        if job.trace:
            _LOG.error("reference %s: %s\n%s", job.id[:8], job.title, job.trace)
        if self._store.read_only:
            return
        try:
            self._store.jobs.finish(job.id, job.state.value, job.error or job.message)
        except RidgelineError:
            _LOG.exception("job %s could not be written to the store", job.id)


def runner() -> Runner:
    """Return the job threads of this process's database."""
    return _runner(str(database_path()))


@st.cache_resource(show_spinner=False, on_release=lambda kept: kept.jobs.close())
def _runner(database: str) -> Runner:
    return Runner(store())


def submit(kind: str, title: str, work: Callable[[Progress], Any], key: str) -> Job:
    """Start `work` outside the page and return its job; the same key twice is the same job.

    Parameters
    ----------
    kind : such as "validate" or "import"
    work : is given a progress function; must not touch the page nor `st`
    key : made of the digests of everything that the work depends on
    """
    return runner().start(kind, title, work, key)


def find(key: str) -> Job | None:
    """Return the job that `submit` started under this key, if any."""
    return runner().jobs.find(key)


def under_way(key: str) -> Job | None:
    """Return the job under a key while it runs; one that is done is let go of, and why one failed is said."""
    job = find(key)
    if job is None or not job.ended:
        return job
    if job.state == JobState.DONE:
        forget(key)
    elif job.state == JobState.FAILED:
        show_error(job.error)
    return None


def forget(key: str) -> None:
    """Drop an ended job, so that the same key can start again."""
    runner().jobs.forget(key)


def _session() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def _is_open(session: str) -> bool:
    return not st.runtime.exists() or st.runtime.get_instance().is_active_session(session)


def watch(job: Job, key: str) -> bool:
    """Show a job's progress with a button to stop it; return whether it is done and has a result.

    The page runs again by itself when the job ends. A failed job shows its one sentence.
    """
    if not job.ended:
        progress((job,), key)
        return False
    if job.state == JobState.FAILED:
        show_error(job.error)
    elif job.state == JobState.CANCELLED:
        st.info(f"{literal(job.title)}: stopped after {number(job.seconds, 3)} s.")
    return job.state == JobState.DONE


def left_of(job: Job) -> str:
    """Return such as "; about 40 s left"; "" where that cannot be told."""
    left_s = job.pace.left_s
    return "" if left_s is None or job.fraction >= 1.0 else f"; about {duration(left_s)} left"


@fragment(run_every=0.5)
def progress(jobs: Sequence[Job], key: str) -> None:
    """Draw one bar for jobs under way, which says what the first is at, and a button to stop them.

    The page runs again by itself when one of them ends.
    """
    if any(job.ended for job in jobs):
        st.rerun()
    for job in jobs:
        runner().see(job)
    first, done = jobs[0], sum(job.fraction for job in jobs) / len(jobs)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.progress(done, literal(f"{first.title}: {first.message}{left_of(first)}"), width="stretch")
        if st.button("Stop", key=f"{key}_stop", icon=":material/stop:"):
            for job in jobs:
                job.cancel()


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
            progress(tuple(under_way), key)


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
    if (job := find(name)) is None:
        for behind in [other for other in st.session_state[_LAST] if other.startswith(_AHEAD)]:
            stop_former(behind, "")  # what is waited for comes before what may be asked
        job = submit(kind, title, work, name)
    if not job.ended:
        runner().see(job)
        with st.spinner(f"{literal(title)} …"):
            job.wait(_AT_ONCE_S if wait_s is None else wait_s)
    if not job.ended and (under_way := _UNDER_WAY.get()) is not None:
        under_way.append(job)
        return None
    if watch(job, key=name):
        forget(name)
        found = job.result
        return shelf.put(name, found)
    if job.ended and not job.settled and st.button("Try again", key=f"{name}_again", icon=":material/replay:"):
        forget(name)
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

    runner().see(submit("validate", title, work, name))


def known(kind: str, key: str) -> Any | None:
    """Return what `computed` gave before, None if nothing is kept."""
    return RESULTS.get(f"{kind}-{key}")


def begun(kind: str, of: str, label: str, **button: Any) -> bool:
    """Whether `computed` gives something, or a job makes it; else draw the button that asks, and return its press."""
    there = known(kind, of) is not None or find(f"{kind}-{of}") is not None
    return there or st.button(label, **button)


def stop_former(kind: str, name: str) -> None:
    """Stop the job of this kind that the session started before under another name, unless others watch it too."""
    last: dict[str, str] = st.session_state.setdefault(_LAST, {})
    former = last.get(kind)
    last[kind] = name
    job = None if former in (None, name) else find(former or "")
    if job is not None and not job.ended and not runner().is_watched_elsewhere(job):
        runner().leave(job)
