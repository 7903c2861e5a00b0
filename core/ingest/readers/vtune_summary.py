"""VTune's summary of a run as CSV: metrics in a hierarchy, and at the end the command and the processor."""

import re

from core.ingest.names import stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._command import COMMAND, put_arguments, told_by
from core.ingest.readers._declared import roles_of
from core.ingest.readers._text import LogReader, cells_of, lines_of, number
from core.trial import Kind

_HEADER = re.compile(r'"?Hierarchy Level"?(\W)"?Metric Name"?\1"?Metric Value"?')
_LEVEL = re.compile(r"[0-9]{1,2}")
_PLATFORM, _PROCESSOR = "Collection and Platform Info", "CPU"
_OF_PROCESSOR = {"Frequency": "Hz", "Logical CPU Count": ""}
_ROLE = roles_of("vtune_summary")
_PERCENT = re.compile(r" ?\(%(?: of [^()]*)?\)")
Row = tuple[str, str, list[str]]
"""Name, value, and the names that it stands below."""


class VTuneSummary(LogReader):
    """Reads a summary: a run is a trial, its elapsed time the response, and other times and the CPI outcomes."""

    label = "VTune, summary (CSV)"
    signs = (re.compile(rb"(?m)^" + _HEADER.pattern.encode()),)
    tells = (b"hierarchy level",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per summary."""
        runs: list[tuple[int, list[Row]]] = []
        separator, above = ",", list[str]()
        for at, line in lines_of(raw):
            if head := _HEADER.match(line):
                separator, above = head[1], []
                runs.append((at, []))
            elif runs:
                level, name, value, *more = (cell.strip() for cell in (*(cells_of(line, separator) or ()), "", "", ""))
                if any(more) or not name:
                    builder.leave_out(at, "a row of another table than the summary's")
                    continue
                above = above[: int(level) if _LEVEL.fullmatch(level) else 0]
                runs[-1][1].append((name, value, above))
                above = [*above, name]
        for at, rows in runs:
            if any(name == "Elapsed Time" for name, _, _ in rows):
                _put(builder, at, rows)
            else:
                builder.skip(f"line {at}", "a summary without an elapsed time; the file may be cut off")


def _put(builder: Builder, at: int, rows: list[Row]) -> None:
    facts = {(above[-1], name): value for name, value, above in rows if _PLATFORM in above}
    machine, command = facts.get((_PROCESSOR, "Name"), ""), facts.get((_PLATFORM, "Application Command Line"), "")
    program, said = told_by(command)
    labels = {COMMAND: command, "host": facts.get((_PLATFORM, "Computer Name"), "")}
    trial = builder.trial(program or stem(builder.source), machine=machine, where=f"line {at}", labels=labels)
    for fact, unit in _OF_PROCESSOR.items() if machine else ():
        builder.of_machine(machine, fact, number(facts.get((_PROCESSOR, fact))), unit)
    for name, text, above in rows:
        if (value := number(text.rstrip("%"))) is None or _PLATFORM in above:
            continue
        called, unit, kind = _ROLE(name)
        if (plain := _PERCENT.sub("", name)) != name or text.endswith("%"):
            called, unit, kind = plain, "%", Kind.COUNTER
        builder.put(trial, called, value, unit, kind, qualifier=" / ".join(above))
    put_arguments(builder, trial, said)
