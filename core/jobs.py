"""Long computations outside the page that asked for them: progress, cancel, and a result that stays."""

import threading
import time
import traceback
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.errors import Cancelled, RidgelineError
from core.progress import Progress


class JobState(StrEnum):
    """Where a job stands; the last three are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDS = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@dataclass
class Job:
    """One computation under way; written by its thread, read by anybody.

    Attributes
    ----------
    fraction, message : the last progress
    error : one sentence for the user, if it failed
    trace : the traceback of a bug (not of a user's error), for the log
    seconds : how long it ran
    """

    title: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: JobState = JobState.QUEUED
    fraction: float = 0.0
    message: str = "waiting for a free place"
    result: Any = None
    error: str = ""
    trace: str = ""
    seconds: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    def cancel(self) -> None:
        """Ask the job to stop at its next report of progress."""
        self._stop.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; return whether it came."""
        return self._ended.wait(timeout_s)

    @property
    def ended(self) -> bool:
        """Whether the job is done, failed or cancelled."""
        return self.state in ENDS

    def report(self, fraction: float, message: str) -> None:
        """Take a report of progress; raises Cancelled when the user asked to stop."""
        if self._stop.is_set():
            raise Cancelled(f"{self.title} was stopped.")
        self.fraction, self.message = min(max(fraction, 0.0), 1.0), message


class JobRunner:
    """A small pool of threads; jobs beyond its size wait their turn."""

    def __init__(self, workers: int = 2, on_end: Callable[[Job], None] | None = None) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._jobs: dict[str, Job] = {}
        self._on_end = on_end

    def submit(self, title: str, work: Callable[[Progress], Any], id: str | None = None) -> Job:
        """Queue `work`, which is called with a progress function, and return its job at once.

        Parameters
        ----------
        work : must not touch the page; what it returns becomes the job's result
        id : the same id twice returns the job that is there
        """
        if id is not None and id in self._jobs and self._jobs[id].state != JobState.CANCELLED:
            return self._jobs[id]
        job = Job(title=title) if id is None else Job(title=title, id=id)
        self._jobs[job.id] = job
        self._pool.submit(self._run, job, work)
        return job

    def find(self, id: str) -> Job | None:
        """Return a job of this process by its id."""
        return self._jobs.get(id)

    def forget(self, id: str) -> None:
        """Drop an ended job and its result."""
        job = self._jobs.get(id)
        if job is not None and job.ended:
            del self._jobs[id]

    def close(self) -> None:
        """Cancel what runs or waits, and wait for it."""
        for job in list(self._jobs.values()):
            job.cancel()
        self._pool.shutdown(wait=True)

    def _run(self, job: Job, work: Callable[[Progress], Any]) -> None:
        started = time.monotonic()
        try:
            job.report(0.0, "started")
            job.state = JobState.RUNNING
            job.result = work(job.report)
            job.fraction, job.message, job.state = 1.0, "done", JobState.DONE
        except Cancelled:
            job.message, job.state = "stopped", JobState.CANCELLED
        except RidgelineError as error:
            job.error, job.state = str(error), JobState.FAILED
        except Exception:
            job.error = f"This is a bug in Ridgeline; its reference is {job.id[:8]} in the log."
            job.trace, job.state = traceback.format_exc(), JobState.FAILED
        finally:
            job.seconds = time.monotonic() - started
            if self._on_end is not None:
                self._on_end(job)
            job._ended.set()
