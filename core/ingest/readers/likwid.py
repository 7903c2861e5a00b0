"""What likwid-perfctr prints or writes as CSV: events and metrics of each thread, of a run or of its marked regions."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import fsum, isclose

from core.ingest.names import stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._command import COMMAND, put_arguments, told_by
from core.ingest.readers._text import LogReader, finite, lines_of, number
from core.trial import Kind

_HEADER = re.compile(rb"(?m)^[ \t]*\|?[ \t]*Event[ \t]*[|,][ \t]*Counter[ \t]*[|,][ \t]*(?:HWThread|Core) \d+")
_THREAD = re.compile(r"(?:HWThread|Core) \d+")
_TITLE = re.compile(r"(?:TABLE,)?(?:Region (.+?), ?)?Group (\d+)\b(?:.*: Region (.+))?.*")
_FACT = re.compile(r"(CPU name|CPU clock):[\s,]*(.*?)[\s,]*")
_VALUED = frozenset(("-C", "-c", "-g", "-o", "-t", "-T", "-s", "-M", "-G", "-W", "-V"))
"""Options of likwid-perfctr that have a value."""
_TABLES = ("Region Info", "Event", "Metric")
_TIMES = ("RDTSC Runtime", "Runtime (RDTSC)")
_AGREE = 0.05
"""Events that two groups both count, as the instructions are, differ by no more where both tell of one execution."""


@dataclass
class Section:
    """A group of events, of a region of a run or of all of it.

    Attributes
    ----------
    title : region, and number of the group
    command : the program and its arguments, where the log shows them
    counted : sums of events over threads and units
    metrics : values by thread, by name and unit
    """

    line: int
    title: tuple[str, str]
    machine: str
    command: str
    tables: set[str] = field(default_factory=set)
    times: list[float] = field(default_factory=list)
    calls: float = 0.0
    threads: int = 0
    counted: dict[str, float] = field(default_factory=dict)
    metrics: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[object, ...]:
        """What sections of one execution share."""
        return self.title[0], self.machine, self.threads, self.command

    def take(self, table: str, name: str, values: list[float]) -> None:
        """Take a row of a table."""
        plain, _, unit = name.removesuffix("]").partition(" [")
        if plain in _TIMES:  # the metric says again, with fewer digits, what the region says
            self.times = self.times or values
            self.threads = self.threads or sum(value > 0 for value in values)
        elif table == "Region Info":
            self.calls = max(values, default=0.0)
        elif table == "Event":
            self.counted[name] = fsum((self.counted.get(name, 0.0), *values))
        elif values:
            self.metrics.setdefault((plain, unit), values)

    def completes(self, others: "list[Section]") -> bool:
        """Whether this counts something more of an execution that others tell of."""
        known = {name: value for other in others for name, value in other.counted.items()}
        both = self.counted.keys() & known.keys()
        agree = all(isclose(self.counted[name], known[name], rel_tol=_AGREE) for name in both)
        return bool(both) and agree and len(both) < len(self.counted)


class Likwid(LogReader):
    """Reads counts of likwid-perfctr, which are sums over threads; the longest of the threads' times is the response.

    Groups that were counted one after the other are one trial where what they both count agrees.
    """

    label = "likwid-perfctr"
    signs = (_HEADER,)
    tells = (b"hwthread ", b"core ")

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per region of a run, or per run without regions."""
        executions: dict[tuple[object, ...], list[list[Section]]] = {}
        seen = Counter[tuple[object, ...]]()
        for section in _Log(builder).read(lines_of(raw)):
            if not section.counted:
                builder.skip(f"line {section.line}", "a table without counts; the file may be cut off")
                continue
            runs, group = executions.setdefault(section.key, []), (section.key, *section.counted)
            nth = seen[group]  # of a group's sections the first belongs to the first execution, and so on
            seen[group] += 1
            if nth < len(runs) and section.completes(runs[nth]):
                runs[nth].append(section)
            else:
                runs.append([section])
        if not executions:
            raise builder.refused("holds no counts of likwid-perfctr. Run likwid-perfctr again.")
        for run in sorted((run for runs in executions.values() for run in runs), key=lambda run: run[0].line):
            _put(builder, run)


@dataclass
class _Log:
    """What was read of a log: its sections, and what the lines above the next table say."""

    builder: Builder
    found: list[Section] = field(default_factory=list)
    machine: str = ""
    title: tuple[str, str] = ("", "")
    command: str = ""

    def read(self, lines: Iterable[tuple[int, str]]) -> list[Section]:
        """Return the sections."""
        table, places = "", list[int]()
        for at, line in lines:
            text = line.strip()
            cells = [cell.strip() for cell in (text.strip("|").split("|") if text[:1] == "|" else text.split(","))]
            if text[:1] != "|" and self._says(text):
                places = []
            elif cells[0] in _TABLES:
                table, places = cells[0], [i for i, cell in enumerate(cells) if _THREAD.fullmatch(cell)]
                if places:
                    self._open(at, table)
            elif places and len(cells) > places[-1]:
                values = [value for i in places if (value := finite(cells[i])) is not None]
                self.found[-1].take(table, cells[0], values)
            elif not text.startswith("+-"):
                places = []
        return self.found

    def _says(self, text: str) -> bool:
        """Whether a line tells of the run or of the table below it, which is kept."""
        if "likwid-perfctr " in text and " -g " in text:
            self.command = _command(text)
        elif fact := _FACT.fullmatch(text):
            self.title = ("", "")
            self.machine = fact[2] if fact[1] == "CPU name" else self.machine
            if fact[1] == "CPU clock":
                value, _, unit = fact[2].partition(" ")
                self.builder.of_machine(self.machine, "CPU clock", number(value), unit)
        elif told := _TITLE.fullmatch(text):
            self.title = (told[1] or told[3] or "", told[2])
        else:
            return False
        return True

    def _open(self, at: int, table: str) -> None:
        """Begin a section with its first table, or add a table to the last."""
        last = self.found[-1] if self.found else None
        if last is None or (last.title, last.machine) != (self.title, self.machine) or table in last.tables:
            self.found.append(Section(at, self.title, self.machine, self.command))
        self.found[-1].tables.add(table)


def _command(line: str) -> str:
    """Return the program that is run with its arguments, behind the profiler's own options."""
    words = line.partition("likwid-perfctr ")[2].split()
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in _VALUED else 1 :]
    return " ".join(words)


def _put(builder: Builder, run: list[Section]) -> None:
    """Put down a trial, of which the first section tells the time."""
    first = run[0]
    program, said = told_by(first.command)
    name = first.title[0] or program or stem(builder.source)
    labels, where = {COMMAND: first.command}, f"line {first.line}"
    trial = builder.trial(name, machine=first.machine, where=where, labels=labels)
    builder.put(trial, "threads", float(first.threads) or None, kind=Kind.PARAMETER)
    builder.put(trial, TIME, max(first.times, default=None), "s", Kind.RESPONSE)
    builder.put(trial, "calls", first.calls or None)
    for event, count in {name: value for s in reversed(run) for name, value in s.counted.items()}.items():
        builder.put(trial, event, count)
    for (metric, unit), values in {key: own for s in reversed(run) for key, own in s.metrics.items()}.items():
        added = unit.endswith(("/s", "ytes", "J", "W"))
        kind = Kind.RESPONSE if unit in ("J", "W") else Kind.COUNTER if unit.endswith("ytes") else Kind.DERIVED
        builder.put(trial, metric, fsum(values) / (1 if added else len(values)), unit, kind)
    put_arguments(builder, trial, said)
