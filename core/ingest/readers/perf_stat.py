"""`perf stat -x SEPARATOR`: rows without a header, one per event; a file is a run of a program."""

import re
from dataclasses import dataclass, field
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import Builder
from core.ingest.readers._perf.events import MAX_ROW, STARTED, Count, Derived, Run, is_text, split_runs
from core.ingest.readers._perf.rows import (
    NOT,
    PLACE,
    PLACES,
    STANDARD,
    Rows,
    count_of,
    decimal_comma,
    find_rows,
    metric_of,
)
from core.ingest.readers._perf.trials import add_runs
from core.trial import Import

_LOOKED_AT = 1000
"""Lines of a head in which rows are sought; a program may have printed some first."""
_VALUES = re.compile(r"[\s\d.,;:|%-]*")
_OF_A_PLACE = re.compile(rf"\s*(?:{PLACE}|{PLACES})(?=\W)")


@dataclass
class _Section:
    """What stands after one `# started on`; `about` is the event or the group that metrics alone on a row are of."""

    counts: list[Count] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    about: str = ""


class PerfStat(Reader):
    """Reads what `perf stat -x` wrote, with any separator and any of -r, -I, -A, --per-core and -G."""

    label: ClassVar[str] = "perf stat -x"

    def sniff(self, head: bytes) -> bool:
        """Whether the head holds rows of counts, or at least the line with which perf begins a file."""
        if b'"counter-value"' in head or is_text(head):
            return False
        first = b"\n".join(head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT])
        lines = first.decode(errors="replace").splitlines()[:_LOOKED_AT]
        rows = find_rows(lines)
        if any(STARTED.match(line) for line in lines):
            return rows is not None or not any(line.lstrip().startswith(("{", "[")) for line in lines)
        return rows is not None and _sure(rows, lines[:-1] if len(lines) > 2 else lines)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per run (and control group); the file does not say what ran, so its name does."""
        text = open_text(file)
        builder = Builder(text.name, text.sha256, "perf_stat")
        lines = text.raw.decode().splitlines()
        rows = find_rows(lines)
        if rows is None:
            raise ReadError(_no_rows(text.name, lines))
        for section in _sections(builder, rows, lines):
            add_runs(builder, _runs(section))
            for line in section.left_out:
                builder.skip(f"line {line}", "no row of perf stat")
        return builder.build(text.warnings)


def _sure(rows: Rows, lines: list[str]) -> bool:
    """Whether rows are perf's although nothing else says so: known events, or nothing but such rows."""
    fit = [line for line in lines if line.strip() and len(line) < MAX_ROW]
    counts = [m for m in (_count_row(rows, line) for line in fit) if m]
    if any(STANDARD.fullmatch(m["event"]) or re.fullmatch(NOT, m["value"]) for m in counts):
        return True
    return bool(counts) and all(_count_row(rows, line) or _alone(rows, line) for line in fit)


def _sections(builder: Builder, rows: Rows, lines: list[str]) -> list[_Section]:
    sections, current = [], _Section()
    for number, line in enumerate(lines, start=1):
        if STARTED.match(line):
            sections.append(current)
            current = _Section()
        elif line.strip() and not line.startswith("#"):
            _take(builder, rows, current, number, line)
    return [section for section in (*sections, current) if section.counts or section.left_out]


def _take(builder: Builder, rows: Rows, section: _Section, number: int, line: str) -> None:
    line = line if len(line) < MAX_ROW else ""
    count = _count_row(rows, line)
    found = count or _alone(rows, line)
    if not found:
        section.left_out.append(number)
        return
    if count:
        section.counts.append(count_of(count, number))
        section.about = section.counts[-1].event
    section.about = found.groupdict().get("group") or section.about
    metric = metric_of(found, section.about)
    if metric and decimal_comma(found):
        builder.warn(f"{builder.source}: what perf derived is left out, as perf cuts it off at the decimal comma.")
    elif metric:
        section.derived.append(metric)


def _count_row(rows: Rows, line: str) -> re.Match[str] | None:
    found = rows.full.match(line) or rows.wide.match(line)
    short = None if found else rows.short.match(line)
    if short and (STANDARD.fullmatch(short["event"]) or short["value"].startswith("<")):
        return short
    return found


def _alone(rows: Rows, line: str) -> re.Match[str] | None:
    """Return a row without a count: a metric that perf derived, or the name of a group of them."""
    return rows.metric.match(line) or rows.group.match(line)


def _runs(section: _Section) -> list[Run]:
    runs = split_runs(section.counts)
    return [Run(counts, tuple(section.derived) if len(runs) == 1 else ()) for counts in runs]


def _no_rows(name: str, lines: list[str]) -> str:
    rest = [line for line in lines if line.strip() and not line.startswith("#")]
    if not rest or all(_VALUES.fullmatch(line) for line in rest):
        what = "values without the names of their events" if rest else "no counts"
        return f"{name} holds {what}. Run perf stat without --metric-only, so that each event has its row."
    if rest[1:] and all(_VALUES.fullmatch(_OF_A_PLACE.sub("", line)) for line in rest[1:]):
        return f"{name} holds only what perf derived, without counts. Run perf stat without --metric-only."
    line = next(i for i, line in enumerate(lines, start=1) if line == rest[0])
    said = shown(rest[0].strip(), 80)
    return f"{name} line {line}: '{said}' is no row of perf stat, and the file holds none. Run it again."
