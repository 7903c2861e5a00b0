"""What HPL (High-Performance Linpack) prints: a row for each test below a ruled header, with remarks between."""

import re

from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import TextReader
from core.trial import Kind

_HEADER = re.compile(rb"(?m)^T/V[ \t]+N[ \t]+NB[ \t]+P[ \t]+Q[ \t]+Time[ \t]+Gflops")
_ROW = re.compile(r"(?m)^(W[A-Z0-9]+)" + r"[ \t]+(\d+)" * 4 + r"[ \t]+(\d+\.\d*)[ \t]+(\d+\.\d*(?:e[+-]\d+)?)[ \t\r]*$")
_FAILED = re.compile(r"(?m)^\|\|Ax-b.*FAILED")


class Hpl(TextReader):
    """Reads HPL's output: each test is a trial, its variant and sizes are parameters."""

    label = "HPL (Linpack)"
    signs = (_HEADER,)
    tells = (b"gflops",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per test; the rate follows from the time, and a failed check is told."""
        text = raw.decode()
        for found in _ROW.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            trial = builder.trial("HPL", where=f"line {line}")
            builder.label(trial, "variant", found[1], parameter=True)
            for name, size in zip(("N", "NB", "P", "Q"), found.groups()[1:5], strict=True):
                builder.put(trial, name, float(size), kind=Kind.PARAMETER)
            builder.put(trial, TIME, float(found[6]), "s", Kind.RESPONSE)
            builder.put(trial, "Gflops", float(found[7]), kind=Kind.DERIVED)
        if n := len(_FAILED.findall(text)):
            builder.note(f"{n} tests failed their residual check.")
