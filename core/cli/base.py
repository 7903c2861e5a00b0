"""The contract of a verb: its arguments, what it does and reports; and what every verb has, store and progress."""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, ParamSpec

from core import __version__
from core.errors import OptionError, first_few
from core.frozen import Frozen
from core.progress import Pace, Progress, duration, silent
from core.registry import in_a_list
from core.workspace import database_path

if TYPE_CHECKING:
    from core.store import Store


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
Parser = argparse.ArgumentParser
P = ParamSpec("P")


class Report(Frozen):
    """What a verb found: plain values for `--json`, lines for people, and whether what was checked does not hold."""

    lines: Sequence[str] = ()
    plain: dict[str, Any] = field(default_factory=dict)
    failed: bool = False


EXIT_CODES = {
    0: "all is well",
    1: "what was checked does not hold: a regression, a proof that fails, a run that fails",
    2: "wrong use, or something that the user can mend: one sentence says what",
    3: "nobody foresaw it: the sentence names a log to report",
    130: "stopped by Ctrl-C",
}
"""What the program ends with, and when."""


SCHEMAS = Path(__file__).parent / "schemas"
"""What `--json` prints, a file a verb; a test holds what verbs print against them."""


_NAME = re.compile(r'\s*"([^"]+)"\s*(?:,|$)|([^,]*)(?:,|$)')


def names(text: str | None, known: Collection[str] = ()) -> tuple[str, ...] | None:
    """Return the names in `A,B,…`; those that are known or in double quotes may have commas; None stays None."""
    if text is None:
        return None
    parts, found = [quoted or plain for quoted, plain in _NAME.findall(text)], list[str]()
    most = 1 + max((name.count(",") for name in known), default=0)
    while parts:
        joined = {n: ",".join(parts[:n]).strip() for n in range(most, 0, -1)}
        n = next((n for n, name in joined.items() if name in known), 1)
        found.append(joined[n])
        parts = parts[n:]
    return tuple(filter(None, found))


def halves(text: str, sign: str, takes: str, *, last: bool = False) -> tuple[str, str]:
    """Return what stands before and after a sign in what an option was given.

    Parameters
    ----------
    takes : the option and what it takes, told where there is no sign, or nothing before it
    last : whether the last of several signs counts, not the first
    """
    first, found, second = text.rpartition(sign) if last else text.partition(sign)
    if not found or not first.strip():
        raise OptionError(f"{takes}, got '{text}'.")
    return first, second


class Verb(ABC):
    """One verb of the command line, called like its file; its docstring is what help says of it."""

    group: ClassVar[str]
    """What one wants who calls it; `ridgeline --help` lists verbs by it."""
    examples: ClassVar[tuple[str, ...]]
    """Commands that stand in a document too, where a test runs them."""
    json: ClassVar[bool] = True
    """Whether it takes `--json`; a verb of several parts declares it for each."""

    @property
    def help(self) -> str:
        """What it does."""
        return in_a_list(self.__doc__ or "")

    def arguments(self, parser: Parser) -> None:  # noqa: B027 (a verb may have none)
        """Declare the verb's arguments, if it has some."""

    def told(self, words: Sequence[str]) -> list[str]:
        """Return lines that `--help` adds of what words of the command name, such as a recipe's options."""
        return []

    def check(self, a: Arguments) -> None:  # noqa: B027 (most have nothing that a dataset could hide)
        """Raise OptionError for what is wrong whatever the dataset is."""

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


class _Added(argparse.Action):
    """Adds to a list `A,B` what an option that is given again brings."""

    def __call__(self, parser: Parser, namespace: Arguments, values: Any, option_string: str | None = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before == self.default else f"{before},{values}")


def flag(parser: argparse._ActionsContainer, said: str, help: str = "", *, several: bool = False, **given: Any) -> None:
    """Declare an argument, or options with what stands for their value, as people read them: `-n --number N`.

    A default that is a number tells which kind of number is taken, and the help ends with it, unless it is 0 or the
    help says what holds "if not given"; without a value, choices or default it is a switch.
    A value such as `A,B,…` or `COL[,COL]` is a list, to which the option adds where it is given again.

    Parameters
    ----------
    several : whether an option may be given several times, so that its value is a list
    given : what `add_argument` takes besides
    """
    words = said.split(" ")
    names = [word for word in words if word.startswith("-")] or words[:1]
    value = " ".join(words[len(names) :])
    if several:
        given |= {"action": "append", "default": []}
    if value:
        given["metavar"] = value
        if not several and ("[," in value or ",…" in value):
            given["action"] = _Added
    elif names[0].startswith("-") and not given.keys() & {"choices", "default", "metavar"}:
        given["action"] = "store_true"
    default = given.get("default")
    if type(default) in (int, float):
        given.setdefault("type", type(default))
        help += f" ({default:.12g})" if default and "if not given" not in help else ""
    parser.add_argument(*names, help=help or None, **given)


def whole_from(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return what reads a whole number of an option, from 0 on, and refuses others and those outside of its range."""

    def read(text: str) -> int:
        number = int(text) if re.fullmatch("[0-9]{1,99}", text) else -1
        if number < least or (most is not None and number > most):
            upwards = "on" if most is None else f"to {most:,}"
            raise argparse.ArgumentTypeError(f"takes a number from {least} {upwards}, got '{text}'")
        return number

    return read


def add_common(parser: Parser) -> None:
    """Declare what every verb takes, before it and after it."""
    flag(parser, "--db FILE", "the database (also RIDGELINE_DB)", default=argparse.SUPPRESS)
    how = parser.add_mutually_exclusive_group()
    quiet, verbose = "no progress on standard error", "progress every second, not only every 15, off a terminal"
    for name, help in (("quiet", quiet), ("verbose", verbose)):
        how.add_argument(f"-{name[0]}", f"--{name}", action="store_true", default=argparse.SUPPRESS, help=help)


def add_json(parser: Parser) -> None:
    """Declare `--json`, and `--json-schema` for who reads it."""
    flag(parser, "--json", "print one JSON object and nothing else")
    parser.add_argument("--json-schema", action=_PrintSchema, help="print the JSON Schema of that object")
    parser.set_defaults(answers=" ".join(parser.prog.split()[1:]))


def add_dataset(parser: argparse.ArgumentParser, help: str = "") -> None:
    """Declare the dataset of a verb that needs one."""
    flag(parser, "--dataset NAME", "; ".join(filter(None, [help, "the database's only one if not given"])))
    parser.set_defaults(of_dataset=True)


def check_places(a: Arguments) -> None:
    """Raise OptionError if what is to be written has no folder, before minutes go into what it will hold."""
    for path in filter(None, (getattr(a, name, None) for name in ("out", "html"))):
        folder = Path(path).parent
        if not os.path.isdir(folder):
            raise OptionError(f"{path} cannot be written: there is no folder '{folder}'. Make it, or name another.")
        if os.path.isdir(path):
            raise OptionError(f"{path} cannot be written: it is a folder. Name a file in it.")
        if os.path.isfile(path) and any(os.path.samefile(path, own) for own in _given(a)):
            raise OptionError(f"{path} is what is read, and would be lost. Name another file to write.")


def _given(a: Arguments) -> Iterator[str]:
    """Yield the files that are read, but for one that keeps all it has."""
    for name, value in vars(a).items():
        if name not in ("out", "html", getattr(a, "kept", "")):
            texts = value if isinstance(value, list) else [value]
            yield from (own for own in texts if isinstance(own, str) and os.path.isfile(own))


def only_dataset(a: Arguments) -> str:
    """Return the database's dataset where it has but one, and say so.

    Raises
    ------
    OptionError
        If there are several, or none, or a file is named in place of one.
    """
    with open_store(a) as store:
        found = store.datasets.names()
    if a.dataset in found:
        return str(a.dataset)
    if a.dataset:
        makes = f"ridgeline import {quote(a.dataset)} makes a dataset of it."
        raise OptionError(f"--dataset takes the name of a dataset, and {a.dataset} is a file. {makes}")
    if len(found) != 1:
        several = f"--dataset takes one of {first_few(found, 20)}." if found else ""
        raise OptionError(several or f"{database_path(a.db)} has no dataset yet. ridgeline import FILE makes one.")
    if not a.quiet:
        print(f"ridgeline: dataset '{found[0]}', the only one", file=sys.stderr)
    return found[0]


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

    def __call__(self, parser: Parser, *_: Any) -> NoReturn:
        print(json.dumps(schema_of(parser.get_default("answers")), indent=2, ensure_ascii=False))
        parser.exit()


def open_store(a: Arguments, memory: str = "") -> "Store":
    """Open the database that the user named, or the default one; what can only be read is marked so."""
    from core.store import Store  # late, as many verbs need none

    store = Store.open(database_path(a.db), memory)
    if store.read_only:
        print(f"ridgeline: the database {store.path} can only be read here", file=sys.stderr)
    return store


EVERY_S = 15.0
"""Off a terminal there is a line of progress at most so often, and none of what ends before."""


def progress(a: Arguments) -> Progress:
    """Return what shows how far a verb is; nothing with `--quiet`."""
    if getattr(a, "quiet", False):
        return silent
    show = _over if sys.stderr.isatty() else _now_and_then(1.0 if getattr(a, "verbose", False) else EVERY_S)
    pace = Pace()

    def tell(fraction: float, message: str) -> None:
        pace.tell(fraction)
        left_s = pace.left_s
        show(fraction, message if left_s is None else f"{message}, about {duration(left_s)} left")

    return tell


def _now_and_then(every_s: float) -> Progress:
    last = time.monotonic()

    def tell(fraction: float, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < every_s or fraction >= 1:
            return
        last = now
        print(f"ridgeline: {100 * fraction:.0f} % {message}", file=sys.stderr, flush=True)

    return tell


def _over(fraction: float, message: str) -> None:
    sys.stderr.write(f"\r\x1b[K{100 * fraction:3.0f} % {message}" + ("\n" if fraction >= 1 else ""))
    sys.stderr.flush()
