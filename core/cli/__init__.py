"""The command line: the dashboard's verbs for scripts and batch machines, one file a verb."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from core import __version__
from core.cli.base import Report, Verb
from core.errors import RidgelineError
from core.registry import discover

_FILES = discover("core.cli", Verb, "verb")
VERBS = {name.rstrip("_"): name for name in _FILES}
"""The files that verbs are in; one is imported when it is called."""


class _VerbParser(argparse.ArgumentParser):
    """The parser of one verb, which declares its arguments once they are asked for."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Import the verb, declare its arguments, and parse."""
        verb = _FILES[VERBS[self.prog.split()[-1]]]()
        self.description = verb.help
        self.set_defaults(verb=verb)
        verb.arguments(self)
        return super().parse_known_args(args, namespace)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code: 0, or 2 with one sentence on standard error."""
    words = sys.argv[1:] if argv is None else argv
    arguments = _parser(with_help=not any(word in VERBS for word in words)).parse_args(words)
    try:
        _print(arguments.verb.run(arguments), as_json=getattr(arguments, "json", False))
    except RidgelineError as error:
        print(f"ridgeline: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("ridgeline: stopped", file=sys.stderr)
        return 130
    return 0


def _parser(*, with_help: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ridgeline", description="From performance measurements to models that people can trust."
    )
    parser.add_argument("--version", action="version", version=f"ridgeline {__version__}")
    parser.add_argument("--db", metavar="FILE", help="the database (also RIDGELINE_DB)")
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB", parser_class=_VerbParser)
    for name, file in VERBS.items():
        verbs.add_parser(name, help=_FILES.text_of(file, "help") if with_help else None)
    return parser


def _print(report: Report, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(report.plain, allow_nan=False, ensure_ascii=False))
    elif report.lines:
        print("\n".join(report.lines))
