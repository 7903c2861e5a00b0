"""What a series of runs has finished, one line a run, safe against being killed at any moment."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from core.errors import OptionError
from core.journal import Lines

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


class Journal(Lines):
    """Each line is on the disk before the next step is taken.

    Parameters
    ----------
    about : what the runs are (plan, command, dataset); another series does not go on from here
    """

    busy: ClassVar[str] = "Another process is measuring into {path}. Wait for it."
    strange: ClassVar[str] = "{path} is damaged: a line is no entry of a journal. Name another folder with --log."

    def __init__(self, folder: Path, about: Mapping[str, Any], *, resume: bool) -> None:
        super().__init__(folder / NAME)
        self.about, self.resume, self.entries = dict(about), resume, dict[str, Entry]()
        self._begun = False

    def __enter__(self) -> Self:
        super().__enter__()
        if not self._begun:
            self._write(self.about)
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
            self._compare(dict(plain))
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
