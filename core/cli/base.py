"""The contract of a verb: its arguments, what it does and reports, and the log of what nobody foresaw."""

import argparse
import json
import os
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn, ParamSpec

from core import __version__


def write_log(text: str) -> str:
    """Write a traceback into a new file of the user's own and return its path; the text itself where that fails."""
    head = f"Ridgeline {__version__}, Python {sys.version}\n{' '.join(sys.argv)}\n\n"
    try:
        file, path = tempfile.mkstemp(prefix="ridgeline-", suffix=".log", text=True)
        with os.fdopen(file, "w", encoding="utf-8") as log:
            log.write(head + text)
    except OSError as error:
        return f"that could not be written ({error.strerror}):\n{head}{text}"
    return path


Arguments = argparse.Namespace
P = ParamSpec("P")


@dataclass(frozen=True)
class Report:
    """What a verb found: plain values for `--json`, lines for people, and whether what was checked does not hold."""

    lines: Sequence[str] = ()
    plain: dict[str, Any] = field(default_factory=dict)
    failed: bool = False


EXIT_CODES = {
    0: "all is well",
    1: "what was checked does not hold: a regression, or a proof that fails",
    2: "wrong use, or something that the user can mend: one sentence says what",
    3: "nobody foresaw it: the sentence names a log to report",
    130: "stopped by Ctrl-C",
}
"""What the program ends with, and when."""


SCHEMAS = Path(__file__).parent / "schemas"
"""What `--json` prints, a file a verb; a test holds what verbs print against them."""


def names(text: str | None) -> tuple[str, ...] | None:
    """Return the names in `A,B,…`; None stays None."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


class Verb(ABC):
    """One verb of the command line, called like its file."""

    help: ClassVar[str]
    group: ClassVar[str]
    """What one wants who calls it; `ridgeline --help` lists verbs by it."""
    examples: ClassVar[tuple[str, ...]]
    """Commands that stand in a document too, where a test runs them."""
    json: ClassVar[bool] = True
    """Whether it takes `--json`; a verb of several parts declares it for each."""

    @abstractmethod
    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""

    def told(self, words: Sequence[str]) -> list[str]:
        """Return lines that `--help` adds of what words of the command name, such as a recipe's options."""
        return []

    @abstractmethod
    def run(self, a: Arguments) -> Report:
        """Do it.

        Raises
        ------
        RidgelineError
            With one sentence for the user.
        """


def timed(run: Callable[P, Report]) -> Callable[P, Report]:
    """Have what a verb, or a part of one, reports end with the seconds that it took."""

    def measured(*args: P.args, **options: P.kwargs) -> Report:
        started = time.perf_counter()
        report = run(*args, **options)
        return replace(report, plain=report.plain | {"seconds": round(time.perf_counter() - started, 3)})

    return measured


def add_common(parser: argparse.ArgumentParser) -> None:
    """Declare what every verb takes, before it and after it."""
    parser.add_argument("--db", metavar="FILE", default=argparse.SUPPRESS, help="the database (also RIDGELINE_DB)")
    how = parser.add_mutually_exclusive_group()
    quiet, verbose = "no progress on standard error", "progress every second, not only every 15, off a terminal"
    for name, help in (("quiet", quiet), ("verbose", verbose)):
        how.add_argument(f"-{name[0]}", f"--{name}", action="store_true", default=argparse.SUPPRESS, help=help)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`, and `--json-schema` for who reads it."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--json-schema", action=_PrintSchema, help="print the JSON Schema of that object")
    parser.set_defaults(answers=" ".join(parser.prog.split()[1:]))


def schema_of(answers: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what a verb, or a part of one such as `scale fit`, prints."""
    verb, _, part = answers.partition(" ")
    named = SCHEMAS / f"{verb}_{part}.json"
    found: dict[str, Any] = json.loads((named if named.exists() else SCHEMAS / f"{verb}.json").read_text("utf-8"))
    return found


class _PrintSchema(argparse.Action):
    """Prints a schema and ends, whatever else is missing."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(json.dumps(schema_of(parser.get_default("answers")), indent=2, ensure_ascii=False))
        parser.exit()
