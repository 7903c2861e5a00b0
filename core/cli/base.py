"""The contract of a verb: which arguments it takes, what it does, what it reports."""

import argparse
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

Arguments = argparse.Namespace


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


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
