"""The command line: the dashboard's verbs for scripts and batch machines, one file a verb."""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Sequence

from core import __version__
from core.cli._log import write_log
from core.cli.base import Report, Verb
from core.errors import RidgelineError
from core.registry import discover

VERBS = {name.rstrip("_"): verb for name, verb in discover("core.cli", Verb, "verb").items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code.

    0 if all is well, 1 if what was checked does not hold, 2 with one sentence for what the user can
    mend, 3 with the place of a log for what nobody foresaw, 130 if it was stopped.
    """
    arguments = _parser().parse_args(argv)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ridgeline", description="From performance measurements to models that people can trust."
    )
    parser.add_argument("--version", action="version", version=f"ridgeline {__version__}")
    parser.add_argument("--db", metavar="FILE", help="the database (also RIDGELINE_DB)")
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")
    for name, cls in VERBS.items():
        verb = cls()
        child = verbs.add_parser(name, help=verb.help, description=verb.help)
        child.set_defaults(verb=verb)
        verb.arguments(child)
    return parser


def _print(report: Report, *, as_json: bool) -> None:
    text = json.dumps(report.plain, allow_nan=False, ensure_ascii=False) if as_json else "\n".join(report.lines)
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
