"""A stopwatch's notes: a line `stopwatch 1`, then `KERNEL CYCLES SECONDS` per run."""

import re
from typing import ClassVar

from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import TextReader
from core.trial import Kind


class Stopwatch(TextReader):
    """Reads runs of kernels with their cycles and seconds."""

    label: ClassVar[str] = "Stopwatch"
    signs = (re.compile(rb"\Astopwatch 1\n"),)
    tells = (b"stopwatch",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per line."""
        for number, line in enumerate(raw.decode().splitlines()[1:], start=2):
            kernel, cycles, seconds = line.split()
            trial = builder.trial(kernel, where=f"line {number}")
            builder.put(trial, "cycles", float(cycles))
            builder.put(trial, TIME, float(seconds), "s", Kind.RESPONSE)
