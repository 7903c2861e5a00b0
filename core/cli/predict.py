"""`ridgeline predict`: the rows of tables through a model file, however many they are."""

import gzip
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeVar

from core.cli._files import add_facts, facts, load_model, source, whole_file
from core.cli._scores import score_values
from core.cli.base import Arguments, Parser, Report, Verb, flag, whole_from
from core.codec import fields_of
from core.errors import LackingError, OptionError, PredictError, ReadError
from core.ingest import Table
from core.ingest.table.table import stream_table
from core.pipeline import EXTRAPOLATION, FittedPipeline
from core.report.model.check_rows import MOST_SCORED, Tally, predicted_parts
from core.report.model.predictions import PredictedRows, predict_file
from core.report.shared.csv_text import csv_lines, header_line

STANDARD = "-"


class Sink:
    """Takes the columns of a table part by part: as a CSV."""

    _begun = False

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def prepared(self, names: Sequence[str], arrays: Sequence[Any]) -> Any:
        """Return a part in the form that `write` takes, header and lines; called in other threads."""
        return header_line(names), csv_lines(arrays)

    def write(self, part: Any) -> None:
        """Write the lines, and the header before the first."""
        header, lines = part
        self.file.write(lines if self._begun else header + lines)
        self._begun = True

    def close(self) -> None:
        """Let nothing wait."""
        self.file.flush()


class ParquetSink(Sink):
    """A Parquet file; its columns have the types of the first part's."""

    _writer: Any = None

    def prepared(self, names: Sequence[str], arrays: Sequence[Any]) -> Any:
        """Return the rows as a batch."""
        import pyarrow as pa

        return pa.record_batch(list(arrays), names=list(names))

    def write(self, part: Any) -> None:
        """Write a group of rows."""
        from pyarrow import parquet

        self._writer = self._writer or parquet.ParquetWriter(self.file, part.schema)
        if part.schema != self._writer.schema:
            raise PredictError(
                "The files have columns of different types, which one Parquet file cannot hold. Write a CSV (--out "
                "FILE.csv), or predict the files one by one."
            )
        self._writer.write_batch(part)

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def sink(out: str) -> Iterator[Sink]:
    """Yield where rows go: `-` is CSV on standard output, else by the name's ending .parquet, .csv.gz, or CSV.

    Raises
    ------
    RidgelineError
        If the file cannot be written; nothing is there then, or what was there before.
    """
    if out == STANDARD:
        into = Sink(sys.stdout.buffer)
        yield into
        into.close()
        return
    with whole_file(out) as file:
        name = out.lower()
        packed: Any = gzip.GzipFile("", "wb", 6, file, mtime=0) if name.endswith(".gz") else file
        into = ParquetSink(packed) if name.endswith((".parquet", ".pq")) else Sink(packed)
        try:
            yield into
        finally:
            into.close()
        if packed is not file:
            packed.close()


T = TypeVar("T")

ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")
"""Of the files that a folder is looked through for."""
MOST_PRINTED = 100_000
"""Predictions in the JSON object."""


class PredictVerb(Verb):
    """Predict the rows of a CSV or Parquet file of any size with a model file."""

    group = "use a model"
    examples = ("ridgeline predict model.json new.csv --out predictions.csv",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model model.json")
        help = (
            "a CSV (also .gz) or Parquet file, a folder of such files with the same columns, - for a CSV on standard "
            "input, or what a profiler or tuner wrote"
        )
        flag(parser, "file FILE", help)
        parser.set_defaults(kept="file")
        add_facts(parser)
        help = "what to do outside the trained range, if not as the model says"
        flag(parser, "--outside", help, choices=EXTRAPOLATION)
        flag(parser, "--nearest N", "name the N nearest training trials of each row (0)", default=0, type=whole_from(0))
        flag(parser, "--out FILE", "write here instead of standard output: .parquet, .csv.gz, or CSV")

    def run(self, a: Arguments) -> Report:
        """Predict; the rows go to `--out` or standard output."""
        model, tally = load_model(a.model), Tally()
        model = replace(model, extrapolation=a.outside) if a.outside else model
        if a.json and not a.out:
            listed = _listed(_parts(model, a, PredictedRows.plain), tally)
            return Report((), {**_plain(a, model, tally), "predictions": listed})
        with sink(a.out or STANDARD) as into:
            for part, prepared in _parts(model, a, lambda part: into.prepared(part.names, part.arrays())):
                tally.add(part)
                into.write(prepared)
        if not a.out or a.out == STANDARD:
            return Report()
        line = f"{tally.n_rows} predictions of {model.response} written to {a.out}, {tally.n_in_domain} in the domain"
        return Report([line], _plain(a, model, tally))


def _parts(
    model: FittedPipeline, a: Arguments, then: Callable[[PredictedRows], T]
) -> Iterator[tuple[PredictedRows, T]]:
    """Return the parts of a table as they are read, or, where that cannot be, the rows of a whole file at once."""
    alone = a.file != STANDARD and not Path(a.file).is_dir()
    if not (a.machines or a.inputs):
        try:
            parts = predicted_parts(model, _tables(a.file), then, a.nearest)
            return chain([next(parts)], parts)
        except (ReadError, LackingError):
            if not alone:
                raise
    whole = predict_file(model, source(a.file), *facts(a), a.nearest)
    return iter([(whole, then(whole))])


def _tables(given: str) -> Iterator[Table]:
    if given == STANDARD:
        return stream_table(Path("/dev/stdin"), name="standard input")
    path = Path(given)
    paths = _inside(path) if path.is_dir() else [path]
    return chain.from_iterable(stream_table(p) for p in paths)


def _inside(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if path.name.lower().endswith(ENDINGS) and path.is_file())
    except OSError as error:
        raise ReadError(f"{folder} cannot be read: {error.strerror or error}.") from None
    found = [path for path in found if not path.name.startswith(".")]
    if not found:
        raise ReadError(f"{folder} holds no file that ends with {', '.join(ENDINGS)}.")
    return found


def _listed(parts: Iterator[tuple[PredictedRows, list[dict[str, Any]]]], tally: Tally) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for part, rows in parts:
        tally.add(part)
        if tally.n_rows > MOST_PRINTED:
            raise OptionError(f"--json prints at most {MOST_PRINTED:,} predictions. Give a file with --out.")
        found += rows
    return found


def _plain(a: Arguments, model: FittedPipeline, tally: Tally) -> dict[str, Any]:
    scores = tally.scores()
    found = {
        "model": a.model,
        **fields_of(model, "response=response.name unit=response.unit"),
        **fields_of(tally, "n_rows n_in_domain n_refused"),
        "scores": score_values(scores) if scores else None,
    }
    if tally.n_observed > MOST_SCORED:
        found["not_scored"] = f"more than {MOST_SCORED:,} rows have a measured response"
    return found
