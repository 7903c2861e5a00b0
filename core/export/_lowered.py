"""What exporters share that print a model's program, and those of headers that a compiler reads."""

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from core.codec import FloatArray
from core.export._compile import compile_and_run, self_test
from core.export._lower import lower, reason_against
from core.export._program import Program
from core.export._vectors import Answers, Vectors, vectors
from core.export.base import Exporter
from core.pipeline import FittedPipeline


class Lowered(Exporter):
    """Prints a model's program."""

    says: ClassVar[str] = "every family, with intervals and domain flags"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations."""
        return reason_against(model)


class Header(Lowered):
    """Writes a header, whose names begin with what `name` makes of the response's."""

    says: ClassVar[str] = "every family, with intervals and domain flags; forests as tables"
    language: ClassVar[str]
    header: ClassVar["staticmethod[[Program, Vectors, str], str]"]
    reading: ClassVar["staticmethod[[str], str]"]

    @staticmethod
    @abstractmethod
    def name(model: FittedPipeline) -> str:
        """Return what the header's names begin with."""

    def write(self, model: FittedPipeline) -> bytes:
        """Return the header."""
        return self.header(lower(model), vectors(model), self.name(model)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Compile and run the self-test, then a loop over rows."""
        header, rows = f"model{self.suffix}", f"rows.{'c' if self.language == 'c' else 'cpp'}"
        (folder / header).write_bytes(raw)
        self_test(header, self.language, folder)
        (folder / rows).write_text(self.reading(self.name(model)), encoding="ascii")
        return compile_and_run(rows, self.language, X, folder)
