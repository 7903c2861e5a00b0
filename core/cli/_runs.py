"""Commands run side by side, with timeouts and retries, and a journal of what finished, safe against being killed."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, ClassVar, NoReturn, Self
from uuid import uuid4

from core.errors import OptionError
from core.frozen import Frozen
from core.journal import Lines

_GRACE_S = 5.0

_LOOK_EVERY_S = 0.1
"""A signal that arrives just before a wait that has no end is not seen until that ends."""


class Job(Frozen):
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


RAN, STORED, FAILED = "ran", "stored", "failed"


class Entry(Frozen):
    """What became of a run.

    Attributes
    ----------
    state : "ran" when its output is whole, "stored" when it is in the database, or "failed"
    why : it failed, or ""
    """

    run: str
    state: str
    seconds: float = 0.0
    attempts: int = 1
    why: str = ""


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

    def run(self, jobs: Sequence[Job]) -> Iterator[Entry]:
        """Yield what became of commands, in the order they end.

        Raises
        ------
        OptionError
            If the program is not there or may not be run.
        """
        with ThreadPoolExecutor(self.workers, thread_name_prefix="run") as pool:
            try:
                ended = SimpleQueue[Future[Entry]]()
                for job in jobs:
                    pool.submit(self._run, job).add_done_callback(ended.put)
                for _ in jobs:
                    yield _next(ended).result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                self._stop()

    def _run(self, job: Job) -> Entry:
        if self._stopped:
            return Entry(job.run, FAILED, 0.0, 0, "it was not begun")
        started, attempts = time.monotonic(), 1
        why = self._attempt(job)
        while why and attempts <= self.retries and not self._stopped:
            why, attempts = self._attempt(job), attempts + 1
        return Entry(job.run, FAILED if why else RAN, time.monotonic() - started, attempts, why)

    def _attempt(self, job: Job) -> str:
        """Run the command once; its output takes its name when it is whole."""
        part, told = job.output.with_name(f"{job.output.name}.part"), job.output.with_suffix(".err")
        for path in (part, told, *([job.result] if job.result is not None else [])):
            path.unlink(missing_ok=True)  # so that no earlier attempt's is read, or goes on writing into ours
        with part.open("wb") as out, told.open("wb") as err:
            why = self._ended(self._start(job, out, err))
        if not why and job.result is not None and not job.result.is_file():
            why = f"it ended well but did not write {job.result}"
        if not why and (job.result is None or job.result.absolute() != job.output.absolute()):
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


def _next(ended: "SimpleQueue[Future[Entry]]") -> "Future[Entry]":
    while True:
        with contextlib.suppress(Empty):
            return ended.get(timeout=_LOOK_EVERY_S)


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


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, unless it is ignored as by nohup, end the program so that commands are stopped first."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    asked = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {one: signal.signal(one, end) for one in asked if signal.getsignal(one) == signal.SIG_DFL}
    try:
        yield
    finally:
        for one, how in before.items():
            signal.signal(one, how)


NAME = "journal.jsonl"


class Journal(Lines):
    """Each line is on the disk before the next step is taken.

    Parameters
    ----------
    about : what the runs are (plan, command, dataset); another series does not go on from here

    Attributes
    ----------
    series : tells its results from equal ones of another series; "" in journals that were begun before there was one
    """

    busy: ClassVar[str] = "Another process is measuring into {path}. Wait for it."
    strange: ClassVar[str] = "{path} is damaged: a line is no entry of a journal. Name another folder with --log."
    begins: ClassVar[bytes] = b'{"plan":'

    def __init__(self, folder: Path, about: Mapping[str, Any], *, resume: bool) -> None:
        super().__init__(folder / NAME)
        self.about, self.resume, self.entries = dict(about), resume, dict[str, Entry]()
        self.series, self._begun = uuid4().hex, False

    def __enter__(self) -> Self:
        super().__enter__()
        if not self._begun:
            self._write(self.about | {"series": self.series})
        return self

    def write(self, entry: Entry) -> None:
        """Append what became of a run."""
        self.entries[entry.run] = entry
        self._write(asdict(entry))

    def state(self, run: str) -> str:
        """Return how far a run is, "" if nothing is known."""
        return self.entries[run].state if run in self.entries else ""

    def take(self, plain: Any) -> None:
        """Take in an entry; the first line says what the runs are."""
        if self._begun:
            self.entries[plain["run"]] = Entry(**plain)
        else:
            self._compare(before := dict(plain))
            self.series = before.get("series", "")
        self._begun = True

    def _compare(self, before: Mapping[str, Any]) -> None:
        if not self.resume:
            raise OptionError(
                f"{self.path.parent} has the journal of a series already. "
                "Add --resume to go on with it, or name another folder with --log."
            )
        for key, value in self.about.items():
            if before.get(key) != value:
                raise OptionError(
                    f"{self.path.parent} is of another series: its {key} was {_short(before.get(key))}, "
                    f"and now is {_short(value)}. Name another folder with --log."
                )

    def _write(self, plain: Mapping[str, Any]) -> None:
        self.append(json.dumps(plain, ensure_ascii=False).encode(), sync=True)


def _short(value: Any) -> str:
    text = str(value)
    return f"'{text[:80]}…'" if len(text) > 80 else f"'{text}'"
