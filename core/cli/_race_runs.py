"""Runs of a race in a file, one JSON object a line, so that a race that was stopped goes on."""

import json
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from core.codec import dumps
from core.errors import OptionError, RidgelineError
from core.race import Key, Run, run_from_plain, run_to_plain


class RunsFile:
    """The runs of one or several races; a line that was cut off is left out."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.known: dict[str, dict[Key, Run]] = {}
        self.file: TextIO | None = None

    def __enter__(self) -> Self:
        try:
            if self.path.exists():
                self._read()
            self.file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise RidgelineError(f"{self.path} cannot be used: {error.strerror or error}.") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.file is not None:
            self.file.close()

    def done(self, race: str) -> dict[Key, Run]:
        """Return what is there of a race, by its id."""
        return self.known.get(race, {})

    def keep(self, race: str, run: Run) -> None:
        """Write a run at once."""
        assert self.file is not None
        self.file.write(dumps({"race": race, "run": run_to_plain(run)}).decode() + "\n")
        self.file.flush()

    def _read(self) -> None:
        whole = self.path.read_text(encoding="utf-8", errors="replace")
        lines = whole.split("\n")
        for line in lines[:-1]:
            try:
                plain = json.loads(line)
                run = run_from_plain(plain["run"])
                self.known.setdefault(plain["race"], {})[run.key] = run
            except (ValueError, KeyError, TypeError):
                raise OptionError(f"{self.path} holds no runs of a race. Give --resume another file.") from None
        if lines[-1]:  # cut off in the middle: a line break ends it, and it stays out
            self.path.write_text("\n".join(lines[:-1]) + "\n" if lines[:-1] else "", encoding="utf-8")
