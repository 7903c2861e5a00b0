"""`ridgeline import`: files into a dataset, all or nothing."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cli._deliver import store_or_deliver
from core.cli._files import source, sources
from core.cli._frame import names, progress
from core.cli._large_tables import LARGE_MEMORY, read_tables, split_large
from core.cli._parquet import add_parquet
from core.cli._recognised import recognised_lines
from core.cli.base import Arguments, Report, Verb, add_json
from core.ingest import (
    Gathered,
    Mapping,
    Recognition,
    Remembered,
    find_reader,
    join_inputs,
    join_inputs_of,
    join_machines,
    join_machines_of,
    parts_of,
    summed,
    understand,
)
from core.ingest._form import Form
from core.ingest.readers.csv import Csv
from core.ingest.recognition.remembered import says_roles
from core.progress import Progress, part, silent
from core.report.folding import folded, folded_skips
from core.store import Receipt
from core.trial import Import, Skipped
from core.workspace import database_path

_READ = 0.65
"""The part of importing a large table that is making trials of it."""
_TABLES = 0.7
"""The part of that which is reading; the rest is making numbers."""


class ImportVerb(Verb):
    """Read files into a dataset."""

    help = "read files into a dataset, all or nothing"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="files, or folders with all that is below")
        parser.add_argument("--dataset", required=True, metavar="NAME")
        add_roles(parser)
        parser.add_argument(
            "--machines", metavar="FILE", help="machine metrics, joined by machine: CSV, or a profiler's file"
        )
        parser.add_argument("--inputs", metavar="FILE", help="deterministic metrics, joined by application, input")
        parser.add_argument(
            "--parquet",
            action="store_true",
            help="FILE is a folder of Parquet files (or a URL): keep it where it is, and only read it",
        )
        add_json(parser)

    def run(self, a: Arguments) -> Report:
        """Read every file before the first is stored."""
        shown = progress()
        if a.parquet:
            return add_parquet(a, mapping_of(a), shown)
        gathered, large, found = _gather(a, part(shown, 0.0, _READ))
        imports = [_with_more(imported, a) for imported in gathered.imports]
        told = part(shown, _READ, 1.0) if large else silent
        stored = store_or_deliver(a, imports, LARGE_MEMORY if large else "", told)
        receipts = stored.receipts
        _remember(a, found)
        plain = {
            "dataset": a.dataset,
            "format": ", ".join(sorted({r.format for r in receipts})),
            "n_trials": sum(r.n_trials for r in receipts),
            "n_metrics": max(r.n_metrics for r in receipts),
            "skipped": [asdict(s) for s in (*gathered.refused, *_skipped(imports, receipts))],
            "warnings": [w for r in receipts for w in (*r.warnings, *([r.already] if r.already else []))],
        }
        files = [*(i.source for i in imports), *(s.where for s in gathered.refused)]
        lines = [*_lines(plain, files), *recognised_lines(found)]
        return Report([*lines, *stored.lines], plain | stored.plain | found.plain())


def add_roles(parser: argparse.ArgumentParser) -> None:
    """Declare what a user may say of files and their columns."""
    parser.add_argument("--format", metavar="NAME", help="the reader; found by content if not given")
    parser.add_argument("--application", metavar="COL[,COL]")
    parser.add_argument("--input", metavar="COL[,COL]")
    parser.add_argument("--machine", metavar="COL")
    parser.add_argument("--machine-name", metavar="NAME", help="the machine, if no column says")
    parser.add_argument("--response", action="append", metavar="COL[:UNIT]", help="may be given several times")
    parser.add_argument("--parameter", metavar="COL[,COL]")
    parser.add_argument("--ignore", metavar="COL[,COL]")
    help = "a cell that is no number: refuse the file, drop the trial, or keep it without that value"
    parser.add_argument("--missing", choices=("refuse", "drop", "keep"), default="refuse", help=help)
    parser.add_argument(
        "--decimal", choices=("point", "comma"), default="", help="the decimal mark, where the file leaves it open"
    )
    parser.add_argument("--names", metavar="COL[,COL]", help="the columns' names, in order, in place of the file's")
    parser.add_argument("--header", choices=("yes", "no"), default="", help="whether the first row names the columns")
    parser.add_argument("--sheet", metavar="NAME", default="", help="of a workbook; the first with a table if not said")


def _skipped(imports: Sequence[Import], receipts: Sequence[Receipt]) -> list[Skipped]:
    """Return what each import skipped, with the file's name where there are several imports."""
    if len(imports) < 2:
        return [s for r in receipts for s in r.skipped]
    return [
        s if " + " in i.source or s.where.startswith(i.source) else Skipped(f"{i.source} {s.where}", s.why)
        for i, r in zip(imports, receipts, strict=True)
        for s in r.skipped
    ]


def _gather(a: Arguments, shown: Progress) -> tuple[Gathered, bool, Recognition]:
    """Read and join all files. Return also whether there are large tables, and what all was taken for."""
    mapping, split = mapping_of(a), split_large(a.files, a.format)
    remembered = Remembered.beside(database_path(a.db))
    large = read_tables(a, split.large, mapping, part(shown, 0.0, _TABLES)) if split.large else []
    found = [understand([one], remembered=remembered) for one in large]
    if split.others:
        files, folder = sources(split.others)
        parts = parts_of(files, mapping, a.format)
        found.append(understand(parts, folder=folder, progress=shown, remembered=remembered))
    imports = tuple(imported for one in found for imported in one.gathered.imports)
    refused = tuple(skipped for one in found for skipped in one.gathered.refused)
    return Gathered(imports, refused), bool(large), summed([one.recognition for one in found])


def _remember(a: Arguments, found: Recognition) -> None:
    """Keep what was said of each table's columns, so that the next one with the same header is taken alike."""
    remembered = Remembered.beside(database_path(a.db))
    for table in found.tables:
        if says_roles(table.said):
            remembered.keep([c.name for c in table.columns], table.said)


def _with_more(imported: Import, a: Arguments) -> Import:
    """Return the import with what `--machines` and `--inputs` say."""
    ways = ((a.machines, join_machines, join_machines_of), (a.inputs, join_inputs, join_inputs_of))
    for path, join_file, join_read in ways:
        file = source(path)
        if file is None:
            continue
        reader = find_reader(file)
        if isinstance(reader, Csv):
            imported = join_file(imported, file, missing=a.missing, decimal=a.decimal)
        else:
            imported = join_read(imported, reader.read(file))
    return imported


def mapping_of(a: Arguments) -> Mapping:
    """Return the roles that flags give; what they leave open is guessed."""
    return Mapping(
        application=names(a.application) or (),
        input=names(a.input) or (),
        machine=a.machine,
        machine_name=a.machine_name or "",
        responses=tuple(_response(text) for text in a.response or ()),
        parameters=names(a.parameter) or (),
        ignore=names(a.ignore) or (),
        missing=a.missing,
        decimal=a.decimal,
        form=Form(a.header, names(a.names) or (), a.sheet),
    )


def _response(text: str) -> tuple[str, str | None]:
    name, sign, unit = text.rpartition(":")
    return (name, unit) if sign and name else (text, None)


def _lines(report: dict[str, Any], files: Sequence[str]) -> list[str]:
    """Return the report for people; what differs only in the file that it speaks of is said once."""
    head = f"{report['dataset']}: {report['n_trials']} trials, {report['n_metrics']} metrics ({report['format']})"
    skipped = [Skipped(**place) for place in report["skipped"]]
    left_out = [f"skipped {where}: {why}" for where, why in folded_skips(skipped, files)]
    return [head, *left_out, *(f"note: {w}" for w in folded(report["warnings"], files))]
