"""Statistics in indented lines, each named by those that it stands under: zsim's, McPAT's."""

import re
from collections.abc import Iterable

from core.errors import count
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import LogReader, finite, lines_of
from core.trial import Kind

Statistics = dict[str, tuple[float, str]]
"""Value and unit by name."""
_DUMP = "==="
_HEADING = re.compile(r"( *)([^\s#=*][^:=#]*):(?: +([\d.]+) \w+)? *(?:#.*)?")
"""What stands above statistics; it may count what they are of, as `Total Cores: 8 cores` does."""
_LEAF = re.compile(r"( *)(\S[^:=#]*?)(?:: +| *= *)([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)) *([^\s#]\S*)? *(?:#.*)?")
_SET = re.compile(r" *(Technology|Core clock Rate)(?:\((\w+)\))? (\d[\d.]*)(?: (\w+))?")
"""What a processor was computed for, above its parts."""
_OUTCOMES = ("Area", "Peak Power", "Runtime Dynamic", "Total Leakage")


class Zsim(LogReader):
    """Statistics are counters, the cycles of the core that took most the response; times of the host are left out."""

    label = "zsim statistics"
    signs = (re.compile(rb"^# zsim stats", re.MULTILINE),)
    tells = (b"# zsim stats",)
    simulated = True

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the last dump, which counts from the beginning on."""
        lines = [*lines_of(raw)]
        starts = [i for i, (_, line) in enumerate(lines) if line.startswith(_DUMP)]
        dumps = ((a, _nested(line for _, line in lines[a + 1 :])) for a in reversed(starts))
        start, last = next(((a, own) for a, own in dumps if own), (0, {}))
        if not last:
            raise builder.refused("holds no statistics: the simulation may have been stopped. Let it end.")
        found = {name.removeprefix("root."): own for name, own in last.items()}
        cycles = [x for name, (x, _) in found.items() if re.fullmatch(r".*core.*\.cycles", name)]
        trial = builder.trial("", where=f"line {lines[start][0]}")
        if cycles:
            builder.put(trial, "cycles", max(cycles), "cycles", Kind.RESPONSE)
        host = [name for name in found if name.startswith("time.")]
        for name, (value, _) in found.items():
            if name not in host:
                builder.put(trial, name, value, "", Kind.COUNTER)
        if host or start != starts[0]:
            builder.skip("all dumps", f"{count(len(host), 'time')} of the host, and dumps before the last")


class Mcpat(LogReader):
    """Area and powers of the processor are responses, those of its parts derived from them."""

    label = "McPAT"
    signs = (re.compile(rb"^McPAT \(version [^\n]*results", re.MULTILINE),)
    tells = (b"mcpat (version",)
    simulated = True

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down what one processor takes."""
        lines = [line for _, line in lines_of(raw)]
        found = _nested(lines)
        whole = next((name for name in found if name.rpartition(".")[2] in _OUTCOMES), "").rpartition(".")[0]
        if not whole:
            raise builder.refused("holds neither areas nor powers. Look at what McPAT said of its input.")
        trial = builder.trial("", where="the whole file")
        for own in filter(None, map(_SET.fullmatch, map(str.rstrip, lines))):
            builder.put(trial, own[1], float(own[3]), own[2] or own[4] or "", Kind.PARAMETER)
        for name, (value, unit) in found.items():
            part = name.removeprefix(f"{whole}.")
            builder.put(trial, part, value, unit, Kind.RESPONSE if part in _OUTCOMES else Kind.DERIVED)


def _nested(lines: Iterable[str]) -> Statistics:
    """Return statistics by the names of all that they stand under, with dots between; the first where one comes again.

    A line that begins a further dump ends them.
    """
    found: Statistics = {}
    above: list[tuple[int, str]] = []
    for line in lines:
        if line.startswith(_DUMP):
            break
        heading, leaf = _HEADING.fullmatch(line), _LEAF.fullmatch(line)
        own = heading or leaf
        if own is None:
            continue
        above = [(depth, name) for depth, name in above if depth < len(own[1])]
        name = ".".join([*(name for _, name in above), own[2].strip()])
        if own[3] is not None and (value := finite(own[3])) is not None:
            found.setdefault(name, (value, "" if heading else own[4] or ""))
        if heading:
            above.append((len(own[1]), own[2].strip()))
    return found
