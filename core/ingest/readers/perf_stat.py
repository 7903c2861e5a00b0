"""`perf stat -x SEPARATOR`: rows without a header, one per event; a file is a run of a program."""

import re
from typing import ClassVar

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.opening import OpenedText
from core.ingest.readers._builder import Builder
from core.ingest.readers._perf import rows as form
from core.ingest.readers._perf.events import MAX_ROW, STARTED, Section, is_text
from core.ingest.readers._perf.trials import add_runs
from core.ingest.readers._text import TextReader

_LOOKED_AT = 1000
"""Lines of a head in which rows are sought; a program may have printed some first."""
_VALUES = re.compile(r"[\s\d.,;:|%-]*")
_OF_A_PLACE = re.compile(rf"\s*(?:{form.PLACE}|{form.PLACES})(?=\W)")


class PerfStat(TextReader):
    """Reads what `perf stat -x` wrote, with any separator and any of -r, -I, -A, --per-core and -G."""

    label: ClassVar[str] = "perf stat -x"

    def sniff(self, head: bytes) -> bool:
        """Whether the head holds rows of counts, or at least the line with which perf begins a file."""
        if b'"counter-value"' in head or is_text(head):
            return False
        first = b"\n".join(head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT])
        lines = first.decode(errors="replace").splitlines()[:_LOOKED_AT]
        rows = form.find_rows(lines)
        if any(STARTED.match(line) for line in lines):
            return rows is not None or not any(line.lstrip().startswith(("{", "[")) for line in lines)
        return rows is not None and _sure(rows, lines[:-1] if len(lines) > 2 else lines)

    def fill(self, builder: Builder, text: OpenedText) -> None:
        """Put down one trial per run (and control group); the file does not say what ran, so its name does."""
        lines = text.raw.decode().splitlines()
        rows = form.find_rows(lines)
        if rows is None:
            raise ReadError(_no_rows(text.name, lines))
        for section in _sections(builder, rows, lines):
            add_runs(builder, section.runs(), section.left_out, "no row of perf stat")


def _sure(rows: form.Rows, lines: list[str]) -> bool:
    """Whether rows are perf's although nothing else says so: known events, or nothing but such rows."""
    fit = [line for line in lines if line.strip() and len(line) < MAX_ROW]
    counts = [m for m in (_count_row(rows, line) for line in fit) if m]
    if any(form.STANDARD.fullmatch(m["event"]) or re.fullmatch(form.NOT, m["value"]) for m in counts):
        return True
    return bool(counts) and all(_count_row(rows, line) or _alone(rows, line) for line in fit)


def _sections(builder: Builder, rows: form.Rows, lines: list[str]) -> list[Section]:
    sections, current = [], Section()
    for number, line in enumerate(lines, start=1):
        if STARTED.match(line):
            sections.append(current)
            current = Section()
        elif line.strip() and not line.startswith("#"):
            _take(builder, rows, current, number, line)
    return [section for section in (*sections, current) if section.counts or section.left_out]


def _take(builder: Builder, rows: form.Rows, section: Section, number: int, line: str) -> None:
    line = line if len(line) < MAX_ROW else ""
    count = _count_row(rows, line)
    found = count or _alone(rows, line)
    if not found:
        section.left_out.append(number)
        return
    own = form.count_of(count, number) if count else None
    section.about = found.groupdict().get("group") or (own.event if own else section.about)
    metric = form.metric_of(found, section.about)
    if metric and form.decimal_comma(found):
        builder.warn(f"{builder.source}: what perf derived is left out, as perf cuts it off at the decimal comma.")
        metric = None
    section.take(own, metric)


def _count_row(rows: form.Rows, line: str) -> re.Match[str] | None:
    found = rows.full.match(line) or rows.wide.match(line)
    short = None if found else rows.short.match(line)
    if short and (form.STANDARD.fullmatch(short["event"]) or short["value"].startswith("<")):
        return short
    return found


def _alone(rows: form.Rows, line: str) -> re.Match[str] | None:
    """Return a row without a count: a metric that perf derived, or the name of a group of them."""
    return rows.metric.match(line) or rows.group.match(line)


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
