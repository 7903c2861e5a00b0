"""The command line: the dashboard's verbs for scripts and batch machines, one file a verb."""

import argparse
import json
import os
import sys
from collections.abc import Sequence

from core import __version__
from core.cli.base import Report, Verb
from core.errors import RidgelineError
from core.registry import discover

VERBS = {name.rstrip("_"): verb for name, verb in discover("core.cli", Verb, "verb").items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code: 0, or 2 with one sentence on standard error."""
    arguments = _parser().parse_args(argv)
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
    if as_json:
        print(json.dumps(report.plain, allow_nan=False, ensure_ascii=False))
    elif report.lines:
        print("\n".join(report.lines))
