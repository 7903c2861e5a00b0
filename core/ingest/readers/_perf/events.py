"""What `perf stat` prints, in whatever form: counts, metrics derived from them, and runs."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.frozen import Frozen

_RATE = re.compile(r"\S*/sec|[KMG]?Hz", re.IGNORECASE)
"""Counts over time, which would give the time away."""
STARTED = re.compile(r"# started on \w{3} \w{3} +\d")
"""The line with which perf begins a file; the time stamp may follow in any locale."""
BANNER = re.compile(r"\s*Performance counter stats for (?P<what>.*?)(?: \((?P<runs>\d+) runs\))?:\s*")
TABLE = re.compile(r"#\s+time\b.*\bcounts\b.*\bevents?\s*")
FAILURE = re.compile(
    r"\s*(?:event syntax error: '|Workload failed: |Usage: perf stat|You may not have permission to collect|"
    r"Access to performance monitoring and observability|No permission to enable|"
    r"The sys_perf_event_open\(\) syscall returned)"
)
"""How perf says that it measured nothing."""
_SIGNS = "performance counter stats|counts|event syntax error|workload failed|usage: perf|permission"
SIGNS_OF_TEXT = tuple(f"{_SIGNS}|access to performance|sys_perf_event_open".encode().split(b"|"))
MAX_ROW = 5000


class Count(Frozen):
    """One printed count.

    Attributes
    ----------
    line : where it stands
    value : None where it was not counted, and then `why` is perf's own word for it
    share : percentage of the run time in which it was counted
    spread : deviation over repeated runs, in percent of the value
    interval : seconds since the start, where perf printed in intervals
    summary : whether it is the sum that perf itself printed after the intervals
    place : the CPU, core, socket or thread that it belongs to
    cgroup : the control group that it belongs to; None where none was asked for
    """

    line: int
    event: str
    value: float | None
    unit: str = ""
    why: str = ""
    share: float = 100.0
    spread: float = 0.0
    interval: float | None = None
    summary: bool = False
    place: str = ""
    cgroup: str | None = None


class Derived(Frozen):
    """A metric that perf computed from counts, such as `insn per cycle`."""

    name: str
    value: float
    unit: str = ""
    event: str = ""


@dataclass
class Section:
    """What one call of perf printed, as it is read, or one run of it.

    Attributes
    ----------
    headed : whether perf's banner stands above
    command : that was measured, "" where none is told
    left_out : lines that say nothing
    about : the event or group that metrics without one are of
    times : seconds by metric name: `time_s`, `user_time`, `system_time`
    spread : deviation of the elapsed time over repeated runs, in percent
    repeats : how many runs the counts are means of, as perf says it
    """

    line: int = 1
    counts: list[Count] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    about: str = ""
    command: str = ""
    times: dict[str, float] = field(default_factory=dict)
    spread: float = 0.0
    repeats: str = ""
    headed: bool = False

    def take(self, count: Count | None, metric: Derived | None) -> None:
        """Keep a count and a metric, if there is one."""
        self.counts += [count] if count else []
        self.derived += [metric] if metric else []

    def runs(self, several: bool = True) -> "list[Section]":
        """Return the runs; a metric cannot be told where it is of several, which are told apart if they may be.

        Times stand below the last run, and are its own.
        """
        parts = split_runs(self.counts) if several else [self.counts]
        metrics = self.derived if len(parts) == 1 else []
        runs = [replace(self, counts=counts, derived=metrics, times={}) for counts in parts]
        return [*runs[:-1], *(replace(run, times=self.times) for run in runs[-1:])]


def sections_of(lines: Iterable[str], take: Callable[[Section, int, str], None]) -> list[Section]:
    """Return what each call of perf printed into a file; `take` puts a line and its number into a section."""
    sections = [Section()]
    for number, line in enumerate(lines, start=1):
        if STARTED.match(line):
            sections.append(Section())
        elif line.strip() and not line.startswith("#"):
            take(sections[-1], number, line)
    return sections


def derived(value: float | None, text: str, event: str) -> Derived | None:
    """Return the metric that perf prints as a number and a text beside an event; None if it is a rate or no number."""
    percent = text.startswith("%")
    text = text.removeprefix("%").strip()
    unit, gap, name = text.partition("  ")
    unit, name = (unit.strip(), name.strip()) if gap else ("", text)
    if name == "(null)" or not re.search(r"[^\W\d_]", name) or _RATE.fullmatch(name) or _RATE.fullmatch(unit):
        return None
    if name.startswith("of all "):
        name, percent = f"{event} {name}", True
    return None if value is None else Derived(name, value, "%" if percent else unit, event)


def is_text(head: bytes) -> bool:
    """Whether a head holds what `perf stat` prints for people, or how it failed."""
    if not any(word in head.lower() for word in SIGNS_OF_TEXT):
        return False
    lines = head.decode(errors="replace").splitlines()
    return any(form.match(line[:MAX_ROW]) for line in lines for form in (BANNER, TABLE, FAILURE))


def plain_number(text: str) -> float | None:
    """Return a number without grouping, whatever its decimal sign; None for anything else."""
    if not re.fullmatch(r"[+-]?\d{1,300}([.,]\d{0,300})?", text.strip()):
        return None
    return float(text.replace(",", "."))


def split_runs(counts: Sequence[Count]) -> list[list[Count]]:
    """Return the counts of each run, where several runs were written one after another into one file."""
    if any(count.interval is not None for count in counts):
        return _split_intervals(counts)
    keys = [(c.cgroup, c.place, c.event) for c in counts]
    period = next((p for p in range(1, len(keys)) if len(keys) % p == 0 and keys[p:] == keys[:-p]), len(keys))
    if any(c.share < 100 for c in counts):  # the same events in several groups that took turns: one run
        period = len(keys)
    return [list(counts[i : i + period]) for i in range(0, len(counts), max(period, 1))]


def _split_intervals(counts: Sequence[Count]) -> list[list[Count]]:
    runs: list[list[Count]] = [[]]
    last = 0.0
    for count in counts:
        if count.interval is None:  # perf prints its own sums after the intervals
            runs[-1].append(replace(count, summary=True))
            continue
        if count.interval < last or (runs[-1] and runs[-1][-1].summary):
            runs.append([])
        last = count.interval
        runs[-1].append(count)
    return runs
