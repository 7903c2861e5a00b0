"""Where a table goes while it is made: standard output, or a file that is there whole or not at all."""

import gzip
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from core.cli._files import whole_file
from core.errors import PredictError
from core.report.shared.csv_lines import csv_lines, header_line

STANDARD = "-"


class Sink(ABC):
    """Takes the columns of a table part by part."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    @abstractmethod
    def prepared(self, names: Sequence[str], arrays: Sequence[Any]) -> Any:
        """Return a part in the form that `write` takes; called in other threads."""

    @abstractmethod
    def write(self, part: Any) -> None:
        """Take the next part."""

    @abstractmethod
    def close(self) -> None:
        """Write what belongs at the end."""


class CsvSink(Sink):
    """A CSV."""

    _begun = False

    def prepared(self, names: Sequence[str], arrays: Sequence[Any]) -> tuple[bytes, bytes]:
        """Return the header and the lines."""
        return header_line(names), csv_lines(arrays)

    def write(self, part: tuple[bytes, bytes]) -> None:
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
        into: Sink = CsvSink(sys.stdout.buffer)
        yield into
        into.close()
        return
    with whole_file(out) as file:
        name = out.lower()
        packed: Any = gzip.GzipFile("", "wb", 6, file, mtime=0) if name.endswith(".gz") else file
        into = ParquetSink(packed) if name.endswith((".parquet", ".pq")) else CsvSink(packed)
        try:
            yield into
        finally:
            into.close()
        if packed is not file:
            packed.close()
