"""`ridgeline import`: files into a dataset, all or nothing."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

from core.cli._deliver import LARGE_MEMORY, add_parquet, read_tables, split_large, store_or_deliver
from core.cli._files import facts
from core.cli._recognised import recognised_lines, skipped_lines
from core.cli.base import Arguments, Parser, Report, Verb, flag, halves, names, open_store, progress
from core.errors import OptionError, count
from core.frozen import Frozen
from core.ingest import Dropped, Form, Mapping, Recognition, Remembered, drop, parts_of, with_facts
from core.ingest.files import sources
from core.ingest.recognition.recognition import NONE, summed
from core.progress import Progress, part, silent
from core.report.shared.naming import dataset_name
from core.report.trials.recognised import folded
from core.store import OwnedError
from core.store.cards import Receipt
from core.trial import Import, Skipped
from core.workspace import database_path

_MOST_TOGETHER = 4_000_000
"""Rows of several large tables that are looked at together, to stay within memory."""
_APART = (
    f"Large tables of more than {_MOST_TOGETHER:,} rows in all are read one by one, and nothing was joined to them. "
    "Give what describes machines or inputs as --machines or --inputs, and join other tables into one file first."
)
_READ = 0.65
"""The part of importing a large table that is making trials of it."""
_TABLES = 0.7
"""The part of that which is reading; the rest is making numbers."""


class ImportVerb(Verb):
    """Read files into a dataset, all or nothing."""

    group = "look at files and trials"
    examples = (
        "ridgeline import trials.csv --dataset mine --machines machines.csv",
        "ridgeline import results/ --dataset mine",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "files FILE", "files, zip archives, or folders with all that is below", nargs="+")
        flag(parser, "--dataset NAME", "which takes the trials; a new one named like the files if not given")
        add_roles(parser)
        flag(parser, "--machines FILE", "machine metrics, joined by machine: CSV, or a profiler's file")
        flag(parser, "--inputs FILE", "deterministic metrics, joined by application, input, or machine")
        flag(parser, "--parquet", "FILE is a folder of Parquet files (or a URL): keep it where it is, and only read it")

    def run(self, a: Arguments) -> Report:
        """Read every file before the first is stored."""
        a.dataset = a.dataset or _new_name(a)
        if a.parquet:
            return add_parquet(a, mapping_of(a), progress(a))
        taken = take(a)
        lines = [
            taken.head,
            *taken.notes,
            *recognised_lines(taken.found),
            *how_to_answer(taken.found, a.dataset),
            *taken.then,
        ]
        return Report(lines, taken.plain | taken.found.plain())


def _new_name(a: Arguments) -> str:
    """Return a name made of those of the files, for a dataset of its own.

    Raises
    ------
    OptionError
        If there is such a dataset, or that cannot be told.
    """
    paths = map(Path, a.files)
    name = dataset_name(*((path if path.name else path.resolve()).name for path in paths))
    if not database_path(a.db).exists():
        return name
    try:
        with open_store(a) as store:
            taken = name in store.datasets.names()
    except OwnedError as error:
        raise OptionError(f"{error} Which datasets there are cannot be told here: name one with --dataset.") from None
    if taken:
        raise OptionError(f"There is a dataset '{name}' already. --dataset {name} adds to it, another name makes one.")
    return name


class Taken(Frozen):
    """What became of files: plain values, and what people are told.

    Attributes
    ----------
    head : how many trials there are
    notes : what was skipped, and what is to be known
    then : what became of files that another process stores
    """

    plain: dict[str, Any]
    found: Recognition
    head: str
    notes: list[str]
    then: Sequence[str]


def take(a: Arguments) -> Taken:
    """Read files into a dataset."""
    shown = progress(a)
    drops, large = _drops(a, part(shown, 0.0, _READ))
    wanted = settled([own.recognition for own in drops], a)
    gathered = [own.gathered(as_said) for own, as_said in zip(drops, wanted, strict=True)]
    refused = [place for own in gathered for place in own.refused]
    known, every = facts(a), (imported for own in gathered for imported in own.imports)
    imports = [with_facts(imported, *known, missing=a.missing, decimal=a.decimal) for imported in every]
    memory, told = (LARGE_MEMORY, part(shown, _READ, 1.0)) if large else ("", silent)
    stored = store_or_deliver(a, imports, memory, told)
    receipts = stored.receipts
    for own, as_said in zip(drops, wanted, strict=True):
        own.remember(as_said, Remembered.beside(database_path(a.db)))
    skipped = [*refused, *_skipped(imports, receipts)]
    warnings = [_APART] * (len(drops) > 1) + [w for r in receipts for w in (*r.warnings, r.already) if w]
    plain: dict[str, Any] = {
        "dataset": a.dataset,
        "format": ", ".join(sorted({r.format for r in receipts})),
        "n_trials": sum(r.n_trials for r in receipts),
        "n_metrics": max(r.n_metrics for r in receipts),
        "skipped": [asdict(s) for s in skipped],
        "warnings": warnings,
    }
    head = (
        f"{a.dataset}: {count(plain['n_trials'], 'trial')}, {count(plain['n_metrics'], 'metric')} ({plain['format']})"
    )
    files = [*(i.source for i in imports), *(s.where for s in refused)]
    notes = [*skipped_lines(skipped, files), *(f"note: {w}" for w in folded(warnings, files))]
    plain |= {"delivered": True, "state": stored.state} if stored.state else {}
    return Taken(plain, summed(wanted), head, notes, stored.lines)


def add_roles(parser: Parser) -> None:
    """Declare what a user may say of files and their columns."""
    flag(
        parser,
        "--response COL[:UNIT]",
        "what was measured to be predicted, with its unit; may be given several times",
        several=True,
    )
    add_columns(parser)


def add_columns(parser: argparse._ActionsContainer) -> None:
    """Declare the same but for the responses."""
    flag(parser, "--format NAME", "the reader; found by content if not given")
    flag(parser, "--application COL[,COL]", "what ran; a role without a column here is recognised")
    flag(parser, "--input COL[,COL]", "the problem that it ran on, such as its size")
    flag(parser, "--machine COL", "where it ran")
    flag(parser, "--machine-name NAME", "the machine, if no column says")
    flag(parser, "--parameter COL[,COL]", "what was set before the run")
    flag(parser, "--ignore COL[,COL]", "to leave out; here as above a name with a comma stands in double quotes")
    help = "a cell that is no number: refuse the file, drop the trial, or keep it without that value"
    flag(parser, "--missing", help, choices=("refuse", "drop", "keep"), default="refuse")
    flag(parser, "--decimal", "the decimal mark, where the file leaves it open", choices=("point", "comma"), default="")
    flag(parser, "--answer COL=CHOICE", "settles a question; may be given several times", several=True)
    flag(parser, "--names COL[,COL]", "the columns' names, in order, in place of the file's")
    flag(parser, "--header", "whether the first row names the columns", choices=("yes", "no"), default="")
    flag(parser, "--sheet NAME", "of a workbook; the first with a table if not said", default="")


def _skipped(imports: Sequence[Import], receipts: Sequence[Receipt]) -> list[Skipped]:
    """Return what each import skipped, with the file's name where there are several imports."""
    alone = len(imports) < 2
    return [
        s if alone or " + " in i.source or s.where.startswith(i.source) else Skipped(f"{i.source} {s.where}", s.why)
        for i, r in zip(imports, receipts, strict=True)
        for s in r.skipped
    ]


def _drops(a: Arguments, shown: Progress) -> tuple[list[Dropped], bool]:
    """Return what files are taken for together, several very large tables each alone; and whether some are large."""
    mapping, (large, others), known = mapping_of(a), split_large(a.files, a.format), remembered_for(a)
    files, folder = sources(others) if others else ([], False)
    tables, own = read_tables(a, large, mapping, shown), parts_of(files, mapping, a.format)
    if len(large) > 1 and sum(len(part.table or ()) for part in tables) > _MOST_TOGETHER:
        alone = [drop([part], remembered=known) for part in tables]
        return [*alone, *([drop(own, folder=folder, remembered=known)] if own else [])], True
    return [drop([*tables, *own], folder=folder, progress=silent if large else shown, remembered=known)], bool(large)


def settled(found: Sequence[Recognition], a: Arguments) -> list[Recognition]:
    """Return recognitions with the questions settled that `--answer` speaks of.

    Raises
    ------
    OptionError
        If nothing is asked about a column, or the answer is not one of the choices.
    """
    takes = "--answer takes COL=CHOICE, such as runtime=ms"
    answers = dict(halves(text, "=", takes, last=True) for text in a.answer or ())
    summed(found).answered(answers)
    asked = [{q.column for q in own.questions} for own in found]
    return [
        own.answered({column: choice for column, choice in answers.items() if column in columns})
        for own, columns in zip(found, asked, strict=True)
    ]


def how_to_answer(found: Recognition, dataset: str = "") -> list[str]:
    """Return how the first question can be settled, if there is one.

    Parameters
    ----------
    dataset : which has the trials by now; it takes units from the same files, and other answers make another one
    """
    if not found.questions:
        return []
    question = found.questions[0]
    choice = next((c for c in question.choices if c != NONE), NONE)
    home = dataset if question.about == "unit" else f"{dataset}_2"
    how = f"by importing the same again with --dataset {quote(home)}" if dataset else "with --answer, such as"
    return [f"questions are settled {how} --answer {quote(f'{question.column}={choice}')}"]


def remembered_for(a: Arguments) -> Remembered | None:
    """Return what was said of earlier files; None where questions are answered now, so that they are asked."""
    return None if a.answer else Remembered.beside(database_path(a.db))


def mapping_of(a: Arguments) -> Mapping:
    """Return the roles that flags give; what they leave open is guessed."""
    return Mapping(
        application=names(a.application) or (),
        input=names(a.input) or (),
        machine=a.machine,
        machine_name=a.machine_name or "",
        responses=tuple(map(response_of, a.response or ())),
        parameters=names(a.parameter) or (),
        ignore=names(a.ignore) or (),
        missing=a.missing,
        decimal=a.decimal,
        form=Form(a.header, names(a.names) or (), a.sheet),
    )


def response_of(text: str) -> tuple[str, str | None]:
    """Return a response's column and unit, as `COL:UNIT` says them."""
    name, sign, unit = text.rpartition(":")
    return (name, unit) if sign and name else (text, None)
