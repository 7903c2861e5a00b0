"""One header of C++17: a namespace with constexpr tables, no allocation, nothing besides the standard library."""

from typing import ClassVar

from core.export._cpp_header import header, reading
from core.export._lowered import Header
from core.export._names import identifier
from core.pipeline import FittedPipeline


class Cpp(Header):
    """`NAME::predict(x)` gives value, low, high, flags; `NAME::value(x)` the number alone."""

    label: ClassVar[str] = "C++ header (C++17)"
    suffix: ClassVar[str] = ".hpp"
    language: ClassVar[str] = "c++"
    header = staticmethod(header)
    reading = staticmethod(reading)

    @staticmethod
    def name(model: FittedPipeline) -> str:
        """Return the namespace of a header."""
        return f"{identifier(model.response.name)}_model"
