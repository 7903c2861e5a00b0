"""One header of C99: no allocation, no library but libm, and nothing that two threads share but constants."""

from pathlib import Path
from typing import ClassVar

from core.codec import FloatArray
from core.export._c_header import header, reading
from core.export._compile import compile_and_run, self_test
from core.export._lower import lower, reason_against
from core.export._names import identifier
from core.export._vectors import Answers, vectors
from core.export.base import Exporter
from core.pipeline import FittedPipeline


class C(Exporter):
    """`NAME_predict(x)` gives value, low, high, flags; `NAME_value(x)` the number alone, as fast as can be."""

    label: ClassVar[str] = "C header (C99)"
    suffix: ClassVar[str] = ".h"
    says: ClassVar[str] = "every family, with intervals and domain flags; forests as tables"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations."""
        return reason_against(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the header; its names begin with the response's."""
        return header(lower(model), vectors(model), prefix_of(model)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Compile and run the self-test, then a loop over rows."""
        (folder / "model.h").write_bytes(raw)
        self_test("model.h", "c", folder)
        (folder / "rows.c").write_text(reading(prefix_of(model)), encoding="ascii")
        return compile_and_run("rows.c", "c", X, folder)


def prefix_of(model: FittedPipeline) -> str:
    """Return what the names of a header begin with."""
    return identifier(model.response.name)
