"""The command line: the dashboard's verbs for scripts and batch machines, one file a verb.

It offers `main`. A verb reads, asks other rooms and answers with a `Report`; it never computes statistics, and writes
only what it was told to write.
"""

import argparse
import errno
import json
import os
import re
import sys
import traceback
from collections.abc import Container, Sequence
from shlex import quote
from typing import Any, NoReturn

from core import __version__
from core.cli.base import Arguments, Report, Verb, add_common, add_json, check_places, only_dataset, write_log
from core.errors import RidgelineError, on_one_line
from core.registry import discover, nearest

_FILES = discover("core.cli", Verb, "verb")
VERBS = {name.rstrip("_"): name for name in _FILES}
"""The files that verbs are in; one is imported when it is called."""
GROUPS = (
    "look at files and trials",
    "make a model",
    "use a model",
    "explore a design space",
    "learn how kernels scale",
    "keep and serve",
)
"""What one wants, in the order of `ridgeline --help`; each verb states one of them."""
_BEGIN = (
    "ridgeline sample generations",
    "ridgeline auto trials.csv --out model.json",
    "ridgeline predict model.json new.csv --out predictions.csv",
    "ridgeline fit eiger --help          the options of a recipe",
)
_MEANT = {
    **dict.fromkeys(("list", "ls", "show"), "datasets"),
    **dict.fromkeys(("remove", "rm", "delete"), "datasets --remove NAME"),
    "rename": "datasets --rename OLD=NEW",
    "version": "--version",
}
"""What words mean that are verbs elsewhere."""


class _Plain(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, without the usage, below which nobody would find it."""

    def error(self, message: str) -> NoReturn:
        """Say it, and where more is told, and end with 2."""
        said = _sentence(message)
        lacks = said.endswith((" missing.", " required."))
        example = f" An example: {self.example()}." if lacks and self.example() else ""
        self.exit(2, f"{self.prog}: {said}{example} {self.prog} --help tells more.\n")

    def example(self) -> str:
        """Return a command that lacks nothing; "" if there is none."""
        return ""


def _sentence(message: str) -> str:
    """Return what argparse found wrong as a sentence."""
    if lacks := re.fullmatch(r"the following arguments are required: (.+)", message):
        words = lacks[1].split(", ")
        return f"{' and '.join(words)} {'are' if len(words) > 1 else 'is'} missing."
    if wrong := re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message):
        if wrong[1] == "VERB":
            meant = f" Did you mean ridgeline {_MEANT[wrong[2]]}?" if wrong[2] in _MEANT else nearest(wrong[2], VERBS)
            return f"there is no verb '{wrong[2]}'.{meant}"
        known = re.sub(r"['\s]", "", wrong[3]).split(",")
        what = "what is wanted" if "|" in wrong[1] else wrong[1]
        return f"{what} is one of {', '.join(known)}, got '{wrong[2]}'.{nearest(wrong[2], known)}"
    message = re.sub(r"^argument (\S+): invalid (?:int|float) value: ", r"\1 takes a number, got ", message)
    message = re.sub(r"^argument (\S+): expected .*$", r"\1 takes a value", message)
    message = re.sub(r"^argument (\S+): (?=takes )|^argument ", r"\1 ", message).lstrip()
    return message if message.endswith(("?", ".")) else f"{message}."


class _Described(_Plain):
    """A parser whose help ends with what the verb tells of the words, and examples."""

    verb: Verb
    _mixed = False

    def __init__(self, **given: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **given)
        add_common(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; say which option was meant where one is not known."""
        if {"-h", "--help"} & set(args):
            self.epilog = "\n".join([*self.verb.told(args), "examples:", *(f"  {text}" for text in self._examples())])
        if self._mixed:
            return super().parse_known_args(args, namespace)
        self._mixed = True  # else a word that may be missing is missing where an option stands before it
        parse = super().parse_known_intermixed_args if self._subparsers is None else super().parse_known_args
        found, left = parse(args, namespace)
        if unknown := [word.partition("=")[0] for word in left if word.startswith("-") and word.strip("-")]:
            self.error(f"there is no option '{unknown[0]}'.{nearest(unknown[0], self._option_string_actions)}")
        if left:
            self.error(
                f"'{left[0]}' is one word too many.{'' if getattr(found, 'dataset', '') else self._meant(left[0])}"
            )
        return found, left

    def _examples(self) -> Sequence[str]:
        """Return the verb's examples, of a part of it its own where it has some."""
        own = [text for text in self.verb.examples if text.startswith(f"{self.prog} ") or text == self.prog]
        return own or self.verb.examples

    def _meant(self, word: str) -> str:
        """Return how a word is given that may name a dataset, or a file of trials."""
        if "--dataset" not in self._option_string_actions:
            return ""
        return (
            f" ridgeline import {quote(word)} makes a dataset of it."
            if os.path.exists(word)
            else f" Did you mean --dataset {quote(word)}?"
        )

    def example(self) -> str:
        """Return the first of the verb's examples."""
        return self._examples()[0]


class _VerbParser(_Described):
    """The parser of one verb, which declares its arguments once they are asked for."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Import the verb, declare its arguments, and parse."""
        if not self._mixed:
            self.verb = declared(self, VERBS[self.prog.split()[-1]])
        return super().parse_known_args(args, namespace)

    def add_subparsers(self, **given: Any) -> Any:
        """Give the verb parts, which are no verbs themselves."""
        part = type("_PartParser", (_Described,), {"verb": self.verb})
        return super().add_subparsers(parser_class=part, **given)


def declared(parser: argparse.ArgumentParser, file: str) -> Verb:
    """Import a verb, declare its arguments, and return it."""
    verb = _FILES[file]()
    if isinstance(parser, _Described):
        parser.verb = verb
    parser.description = verb.help
    parser.set_defaults(verb=verb)
    verb.arguments(parser)
    if verb.json:
        add_json(parser)
    return verb


class _Parser(_Plain):
    """The parser of the program, which lists verbs by what one wants."""

    def format_help(self) -> str:
        """Return the verbs by group, which their files state, and how to begin."""
        groups: dict[str, list[str]] = {group: [] for group in GROUPS}
        for name, file in VERBS.items():
            told = _FILES.summary_of(file)
            groups[_FILES.text_of(file, "group")].append(f"    {name:<12}{told}")
        listed = [line for group, own in groups.items() for line in ("", f"{group}:", *own)]
        common = "-h and --version; --db FILE, -q (--quiet) and -v (--verbose) before or after any verb"
        lines = [self.format_usage().rstrip(), "", str(self.description), *listed, "", f"options: {common}"]
        return "\n".join([*lines, "", "examples:", *(f"  {text}" for text in _BEGIN)]) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code.

    0 if all is well, 1 if what was checked does not hold, 2 with one sentence for what the user can
    mend, 3 with the place of a log for what nobody foresaw, 130 if it was stopped.
    """
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    try:
        arguments = parser(words).parse_args(words or ["--help"])
        check_places(arguments)
        arguments.verb.check(arguments)
        if getattr(arguments, "of_dataset", False) and (not arguments.dataset or os.path.isfile(arguments.dataset)):
            arguments.dataset = only_dataset(arguments)
        report = arguments.verb.run(arguments)
        _print(report, arguments)
        return int(report.failed)
    except RidgelineError as error:
        print(f"ridgeline: {on_one_line(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _leave_output()
    except KeyboardInterrupt:
        print("ridgeline: stopped", file=sys.stderr)
        return 130
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            print(f"ridgeline: {error.filename} is no file: its name is too long.", file=sys.stderr)
            return 2
        log = write_log(traceback.format_exc())
        print(f"ridgeline: this should not have happened; please report it with the log {log}.", file=sys.stderr)
        return 3
    return 0


def parser(words: Container[str] = VERBS) -> argparse.ArgumentParser:
    """Return the parser of the program and of the verbs among these words, which are imported when they are parsed."""
    parser = _Parser(prog="ridgeline", description="From performance measurements to models that people can trust.")
    parser.add_argument("--version", action="version", version=f"ridgeline {__version__}")
    add_common(parser)
    parser.set_defaults(db=None, quiet=False, verbose=False)
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB", parser_class=_VerbParser)
    for name in VERBS:
        if name in words:
            verbs.add_parser(name)
    return parser


def _print(report: Report, a: Arguments) -> None:
    if getattr(a, "json", False):
        from core.codec import finite  # late, as it needs arrays, and a verb that prints JSON has them

        text = json.dumps(finite(report.plain), allow_nan=False, ensure_ascii=False)
    else:
        text = "\n".join(map(on_one_line, report.lines))
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
