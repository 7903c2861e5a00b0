"""The contract of a verb: which arguments it takes, what it does, what it reports."""

import argparse
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, ParamSpec

Arguments = argparse.Namespace
P = ParamSpec("P")


@dataclass(frozen=True)
class Report:
    """What a verb found: plain values for `--json`, lines for people, and whether what was checked does not hold."""

    lines: Sequence[str] = ()
    plain: dict[str, Any] = field(default_factory=dict)
    failed: bool = False


class Verb(ABC):
    """One verb of the command line, called like its file."""

    help: ClassVar[str]

    @abstractmethod
    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""

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


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
