"""The command line: the dashboard's verbs for scripts and batch machines, one file a verb."""

import argparse
import json
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from core import __version__
from core.cli.base import Report, Verb, add_json, write_log
from core.errors import RidgelineError
from core.registry import discover, nearest

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
        if verb.json:
            add_json(self)
        return super().parse_known_args(args, namespace)

    def add_subparsers(self, **given: Any) -> Any:
        """Give the verb parts, which are no verbs themselves."""
        return super().add_subparsers(parser_class=argparse.ArgumentParser, **given)


class _Parser(argparse.ArgumentParser):
    """The parser of the program, which suggests the verb that was meant."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one sentence, and end with 2."""
        wrong = re.search(r"argument VERB: invalid choice: '(.*?)'", message)
        if wrong and (hint := nearest(wrong[1], VERBS)):
            message = f"there is no verb '{wrong[1]}'; ridgeline --help lists them.{hint}"
        super().error(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code.

    0 if all is well, 1 if what was checked does not hold, 2 with one sentence for what the user can
    mend, 3 with the place of a log for what nobody foresaw, 130 if it was stopped.
    """
    words = sys.argv[1:] if argv is None else argv
    arguments = _parser(with_help=not any(word in VERBS for word in words)).parse_args(words)
    try:
        report = arguments.verb.run(arguments)
        _print(report, as_json=getattr(arguments, "json", False))
        return int(report.failed)
    except RidgelineError as error:
        print(f"ridgeline: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _leave_output()
    except KeyboardInterrupt:
        print("ridgeline: stopped", file=sys.stderr)
        return 130
    except Exception:
        log = write_log(traceback.format_exc())
        print(f"ridgeline: this should not have happened; please report it with the log {log}.", file=sys.stderr)
        return 3
    return 0


def _parser(*, with_help: bool) -> argparse.ArgumentParser:
    parser = _Parser(
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
        from core.codec import finite  # late, as it needs arrays, and a verb that prints JSON has them

        text = json.dumps(finite(report.plain), allow_nan=False, ensure_ascii=False)
    else:
        text = "\n".join(report.lines)
    try:
        if text:
            print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        _leave_output()
        raise RidgelineError(f"The output could not be written: {error.strerror}.") from None


def _leave_output() -> None:
    """Let what is left of the output go nowhere, so that the end of the process does not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
