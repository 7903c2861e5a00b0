"""What nccl-tests and rccl-tests print: time and rates of a collective for each size of message, in place and not."""

import re
from contextlib import suppress

from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import TextReader
from core.trial import Kind

_HEADER = r"(?m)^#[ \t]+size[ \t]+count[ \t]+type[ \t].*\btime[ \t]+algbw[ \t]+busbw\b.*"
_RUN = re.compile(_HEADER)
_PROGRAM = re.compile(r"\b(\w+)_perf\b")
_SETTING = re.compile(r"\b(nThread|nGpus):? (\d+)")
_RANK = re.compile(r"(?m)^#[ \t]+Rank[ \t]+\d+\b.*\[\w+\][ \t]+(.*\S)")
_PLACES = ("out-of-place", "in-place")


class NcclTests(TextReader):
    """Reads the output of NVIDIA's and AMD's benchmarks of collectives: each size is a trial, in place another one."""

    label = "nccl-tests, rccl-tests"
    signs = (re.compile(_HEADER.encode()),)
    tells = (b"algbw",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per size and place, in the unit that the program has; what was not run has no time."""
        text = raw.decode()
        heads = [*_RUN.finditer(text)]
        starts = [found.start() for found in heads]
        for head, before, end in zip(heads, [0, *starts], [*starts[1:], len(text)], strict=False):
            names, run = head[0].split()[1:], _run_of(text[before : head.start()])
            first = names.index("time")
            places = zip(_PLACES, (first, first + (len(names) - first) // len(_PLACES)), strict=True)
            where, lines = [*places], text[head.start() : end].splitlines()
            for line, cells in enumerate(map(str.split, lines), text.count("\n", 0, head.start()) + 1):
                if len(cells) < len(names) or not cells[0].isdigit():
                    continue
                for place, at in where:
                    with suppress(ValueError):  # N/A: this collective cannot be done in place
                        said = dict(zip(names[2:first], cells[2:first], strict=True))
                        time, *rates = map(float, cells[at : at + 3])
                        trial = _begun(builder, run, f"line {line}", {**said, "place": place}, float(cells[0]))
                        builder.put(trial, TIME, time, "us", Kind.RESPONSE)
                        for name, rate in zip(("algbw", "busbw"), rates, strict=True):
                            builder.put(trial, name, rate, "GB/s", Kind.DERIVED)


def _run_of(above: str) -> tuple[str, str, dict[str, float]]:
    """Return (program, machine, settings) of a run, as the lines above its table say."""
    ranks = _RANK.findall(above)
    settings = {name: float(n) for name, n in _SETTING.findall(above)} | ({"ranks": float(len(ranks))} if ranks else {})
    return next(iter(_PROGRAM.findall(above)), "collective"), next(iter(ranks), ""), settings


def _begun(
    builder: Builder, run: tuple[str, str, dict[str, float]], where: str, said: dict[str, str], size: float
) -> int:
    """Begin a trial with what was set, as the run and the row itself say."""
    program, machine, settings = run
    trial = builder.trial(program, machine=machine, where=where)
    for name, text in said.items():
        builder.label(trial, name, text, parameter=name != "root")
    builder.put(trial, "size", size, "bytes", Kind.PARAMETER)
    for name, value in settings.items():
        builder.put(trial, name, value, kind=Kind.PARAMETER)
    return trial
