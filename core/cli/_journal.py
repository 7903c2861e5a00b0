"""What a series of runs has finished, one line a run, safe against being killed at any moment."""

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.errors import OptionError, ReadError, RidgelineError

RAN, STORED, FAILED = "ran", "stored", "failed"
NAME = "journal.jsonl"


@dataclass(frozen=True)
class Entry:
    """What became of a run.

    Attributes
    ----------
    state : "ran" when its output is whole, "stored" when it is in the database, or "failed"
    """

    run: str
    state: str
    seconds: float = 0.0
    attempts: int = 1
    why: str = ""


class Journal:
    """A file that only grows; each line is on the disk before the next step is taken.

    Parameters
    ----------
    about : what the runs are (plan, command, dataset); another series does not go on from here
    """

    def __init__(self, folder: Path, about: Mapping[str, Any], *, resume: bool) -> None:
        self.path, self.about, self.resume = folder / NAME, dict(about), resume
        self.entries: dict[str, Entry] = {}
        self._file: Any = None

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise RidgelineError(f"Another process is measuring into {self.path.parent}. Wait for it.") from None
        except OSError as error:
            raise RidgelineError(f"{self.path.parent} cannot be written: {error.strerror or error}.") from None
        try:
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, entry: Entry) -> None:
        """Append what became of a run."""
        self.entries[entry.run] = entry
        self._append(asdict(entry))

    def state(self, run: str) -> str:
        """Return how far a run is, "" if nothing is known."""
        return self.entries[run].state if run in self.entries else ""

    def _begin(self) -> None:
        self._file.seek(0)
        raw = self._file.read()
        if not raw:
            self._append(self.about)
            return
        whole, _, torn = raw.rpartition(b"\n")
        lines = [self._parsed(line) for line in whole.splitlines()]
        if torn:  # the line that was being written when the process died
            self._file.truncate(len(raw) - len(torn))
        if not lines:
            self._append(self.about)
            return
        self._compare(lines[0])
        for line in lines[1:]:
            self.entries[line["run"]] = Entry(**line)

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

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ReadError(f"{self.path} is damaged: a line is no JSON object. Name another folder with --log.")
        return found

    def _append(self, plain: Mapping[str, Any]) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(json.dumps(plain, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _short(value: Any) -> str:
    text = str(value)
    return f"'{text[:80]}…'" if len(text) > 80 else f"'{text}'"
