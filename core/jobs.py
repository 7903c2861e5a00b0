"""Long computations outside the page that asked for them: progress, cancel, and a result that stays."""

import atexit
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from queue import SimpleQueue
from typing import Any

from core.errors import Cancelled, ExecutionError, RidgelineError, StoreError
from core.progress import Pace, Progress


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
    settled : whether the same would fail again: the fault is in what was asked, not in where it was kept or run
    seconds : how long it ran
    started : when it began to run, by `time.monotonic`
    pace : how long it still takes
    """

    title: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: JobState = JobState.QUEUED
    fraction: float = 0.0
    message: str = "waiting for a free place"
    result: Any = None
    error: str = ""
    trace: str = ""
    settled: bool = False
    seconds: float = 0.0
    started: float = 0.0
    pace: Pace = field(default_factory=Pace, repr=False)
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
        self.pace.tell(self.fraction)


_Task = tuple[Job, Callable[[Progress], Any]]
_PATIENCE_S = 5.0
_TURN_S = 0.0005
"""So long a thread that computes goes on while one that answers waits; Python's 5 ms add up over a page's waits."""


class JobRunner:
    """Two small pools of threads, so that hours of work do not keep minutes waiting; jobs beyond their size wait.

    A program that ends asks its jobs to stop and waits a moment for them, not until they are done:
    otherwise a long one would hold the database for hours after the program was told to end.
    """

    def __init__(self, workers: int = 2, on_end: Callable[[Job], None] | None = None) -> None:
        self._tasks: tuple[SimpleQueue[_Task | None], ...] = (SimpleQueue(), SimpleQueue())
        self._threads = [
            threading.Thread(target=self._serve, args=(tasks,), name=f"job_{i}", daemon=True)
            for tasks in self._tasks
            for i in range(workers)
        ]
        self._jobs: dict[str, Job] = {}
        self._on_end = on_end
        sys.setswitchinterval(min(_TURN_S, sys.getswitchinterval()))
        for thread in self._threads:
            thread.start()
        atexit.register(self.close, _PATIENCE_S)

    def submit(self, title: str, work: Callable[[Progress], Any], id: str | None = None, long: bool = False) -> Job:
        """Queue `work`, which is called with a progress function, and return its job at once.

        Parameters
        ----------
        work : must not touch the page; what it returns becomes the job's result
        id : the same id twice returns the job that is there
        long : whether it may take hours
        """
        if id is not None and id in self._jobs and self._jobs[id].state != JobState.CANCELLED:
            return self._jobs[id]
        job = Job(title=title) if id is None else Job(title=title, id=id)
        self._jobs[job.id] = job
        self._tasks[long].put((job, work))
        return job

    def find(self, id: str) -> Job | None:
        """Return a job of this process by its id."""
        return self._jobs.get(id)

    def forget(self, id: str) -> None:
        """Drop an ended job and its result."""
        job = self._jobs.get(id)
        if job is not None and job.ended:
            del self._jobs[id]

    def close(self, timeout_s: float | None = None) -> None:
        """Cancel what runs or waits, and wait for it, at most so many seconds."""
        atexit.unregister(self.close)
        for job in list(self._jobs.values()):
            job.cancel()
        for i in range(len(self._threads)):
            self._tasks[i % 2].put(None)
        end = None if timeout_s is None else time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(None if end is None else max(end - time.monotonic(), 0.0))

    def _serve(self, tasks: "SimpleQueue[_Task | None]") -> None:
        while (task := tasks.get()) is not None:
            self._run(*task)

    def _run(self, job: Job, work: Callable[[Progress], Any]) -> None:
        job.started = time.monotonic()
        try:
            job.report(0.0, "started")
            job.state = JobState.RUNNING
            job.result = work(job.report)
            job.fraction, job.message, job.state = 1.0, "done", JobState.DONE
        except Cancelled:
            job.message, job.state = "stopped", JobState.CANCELLED
        except RidgelineError as error:
            job.error, job.state = str(error), JobState.FAILED
            job.settled = not isinstance(error, StoreError | ExecutionError)
        except Exception:
            job.error = f"This is a bug in Ridgeline; its reference is {job.id[:8]} in the log."
            job.trace, job.state = traceback.format_exc(), JobState.FAILED
        finally:
            job.seconds = time.monotonic() - job.started
            if self._on_end is not None:
                self._on_end(job)
            job._ended.set()
