"""What STREAM prints: rate and times of each of its four kernels, below what it says of arrays and threads."""

import re

from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import TextReader
from core.trial import Kind

_HEADER = re.compile(rb"(?m)^Function[ \t]+Best Rate MB/s[ \t]+Avg time[ \t]+Min time[ \t]+Max time")
_RUN = re.compile(r"(?m)^Function[ \t]+Best Rate")
_ROW = re.compile(r"(?m)^(Copy|Scale|Add|Triad):" + r"[ \t]+(\d+(?:\.\d*)?)" * 4 + r"[ \t\r]*$")
_SET = {
    "threads": re.compile(r"Number of Threads (?:counted|requested) = (\d+)"),
    "array_size": re.compile(r"Array size = (\d+)"),
}


class Stream(TextReader):
    """Reads STREAM's output: each kernel of a run is a trial, several runs one below the other are repeats."""

    label = "STREAM"
    signs = (_HEADER,)
    tells = (b"best rate mb/s",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per kernel and run; the best rate follows from the smallest time."""
        text = raw.decode()
        heads = [found.start() for found in _RUN.finditer(text)]
        for before, start, end in zip([0, *heads], heads, [*heads[1:], len(text)], strict=False):
            settings = {name: form.findall(text, before, start) for name, form in _SET.items()}
            for found in _ROW.finditer(text, start, end):
                trial = builder.trial(found[1], where=f"line {text.count(chr(10), 0, found.start()) + 1}")
                for name, said in settings.items():
                    if said:
                        builder.put(trial, name, float(said[-1]), kind=Kind.PARAMETER)
                builder.put(trial, TIME, float(found[3]), "s", Kind.RESPONSE)
                for name, i, unit in (("best rate", 2, "MB/s"), ("min time", 4, "s"), ("max time", 5, "s")):
                    builder.put(trial, name, float(found[i]), unit, Kind.DERIVED)
