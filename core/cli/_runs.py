"""Commands run side by side: timeouts, retries, output and errors of each in files of its own."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.errors import OptionError

_GRACE_S = 5.0


@dataclass(frozen=True)
class Job:
    """A command to run.

    Attributes
    ----------
    output : where its standard output goes; what it says on standard error stands beside it, in `.err`
    result : the file that it writes itself, if that is to be read and not its standard output
    """

    run: str
    words: tuple[str, ...]
    output: Path
    result: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """How a command ended; `why` is "" if it ended well."""

    job: Job
    why: str
    seconds: float
    attempts: int


class Runner:
    """Runs commands, some at once, and stops them all when it is left.

    Parameters
    ----------
    timeout_s : after which a command and all it started is stopped, or None
    retries : further attempts after a failure
    """

    def __init__(self, workers: int, timeout_s: float | None, retries: int) -> None:
        self.workers, self.timeout_s, self.retries = workers, timeout_s, retries
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Yield what became of commands, in the order they end.

        Raises
        ------
        OptionError
            If the program is not there or may not be run.
        """
        waiting = iter(jobs)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="run") as pool:
            pending: set[Future[Outcome]] = set()
            try:
                while True:
                    for job in waiting:
                        pending.add(pool.submit(self._run, job))
                        if len(pending) >= 2 * self.workers:  # so that none waits while a result is stored
                            break
                    if not pending:
                        return
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                for future in pending:
                    future.cancel()
                self._stop()

    def _run(self, job: Job) -> Outcome:
        if self._stopped:
            return Outcome(job, "it was not begun", 0.0, 0)
        started, attempts = time.monotonic(), 1
        why = self._attempt(job)
        while why and attempts <= self.retries and not self._stopped:
            why, attempts = self._attempt(job), attempts + 1
        return Outcome(job, why, time.monotonic() - started, attempts)

    def _attempt(self, job: Job) -> str:
        """Run the command once; its output takes its name when it is whole."""
        part = job.output.with_name(f"{job.output.name}.part")
        if job.result is not None:
            job.result.unlink(missing_ok=True)  # so that no earlier attempt's is read
        with part.open("wb") as out, job.output.with_suffix(".err").open("wb") as err:
            process = self._start(job, out, err)
            why = self._ended(process)
        if not why and job.result is not None and not job.result.is_file():
            why = f"it ended well but did not write {job.result}"
        if not why:
            part.replace(job.output)
        return why

    def _start(self, job: Job, out: IO[bytes], err: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                job.words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise OptionError(f"'{job.words[0]}' cannot be run: {why}. Correct --command.") from None
        with self._lock:
            self._running.add(process)
            if self._stopped:
                _kill(process, signal.SIGTERM)
        return process

    def _ended(self, process: subprocess.Popen[bytes]) -> str:
        """Wait for a command and return why it failed, or ""."""
        try:
            code = process.wait(self.timeout_s)
        except subprocess.TimeoutExpired:
            _end(process)
            return f"it took longer than {self.timeout_s:g} s and was stopped"
        finally:
            with self._lock:
                self._running.discard(process)
        if code < 0:
            return f"it was stopped by signal {-code}"
        return f"it ended with exit code {code}" if code else ""

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            left = list(self._running)
        for process in left:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Stop a command and all it started: politely first."""
    _kill(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    _kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _kill(process: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, how)
        else:  # Windows ends the command alone, and at once
            process.kill()
