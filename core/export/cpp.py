"""One header of C++17: a namespace with constexpr tables, no allocation, nothing besides the standard library."""

from pathlib import Path
from typing import ClassVar

from core.codec import FloatArray
from core.export._compile import compile_and_run, self_test
from core.export._cpp_header import header, reading
from core.export._lower import lower, reason_against
from core.export._names import identifier
from core.export._vectors import Answers, vectors
from core.export.base import Exporter
from core.pipeline import FittedPipeline


class Cpp(Exporter):
    """`NAME::predict(x)` gives value, low, high, flags; `NAME::value(x)` the number alone."""

    label: ClassVar[str] = "C++ header (C++17)"
    suffix: ClassVar[str] = ".hpp"
    says: ClassVar[str] = "every family, with intervals and domain flags; forests as tables"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations."""
        return reason_against(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the header; its namespace is the response's name."""
        return header(lower(model), vectors(model), namespace_of(model)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Compile and run the self-test, then a loop over rows."""
        (folder / "model.hpp").write_bytes(raw)
        self_test("model.hpp", "c++", folder)
        (folder / "rows.cpp").write_text(reading(namespace_of(model)), encoding="ascii")
        return compile_and_run("rows.cpp", "c++", X, folder)


def namespace_of(model: FittedPipeline) -> str:
    """Return the namespace of a header."""
    return f"{identifier(model.response.name)}_model"
