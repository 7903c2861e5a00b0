"""One header of C99: no allocation, no library but libm, and nothing that two threads share but constants."""

from typing import ClassVar

from core.export._c_header import header, reading
from core.export._lowered import Header
from core.export._names import identifier
from core.pipeline import FittedPipeline


class C(Header):
    """`NAME_predict(x)` gives value, low, high, flags; `NAME_value(x)` the number alone, as fast as can be."""

    label: ClassVar[str] = "C header (C99)"
    suffix: ClassVar[str] = ".h"
    language: ClassVar[str] = "c"
    header = staticmethod(header)
    reading = staticmethod(reading)

    @staticmethod
    def name(model: FittedPipeline) -> str:
        """Return what the names of a header begin with."""
        return identifier(model.response.name)
