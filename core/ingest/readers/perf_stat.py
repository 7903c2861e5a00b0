"""`perf stat -x SEPARATOR`: rows without a header, one per event; a file is a run of a program."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._perf import events
from core.ingest.readers._perf.events import MAX_ROW, Count, Section
from core.ingest.readers._perf.trials import add_runs
from core.ingest.readers._text import TextReader

NOT = r"<not counted>|<not supported>"
PLACE = r"CPU\d+"
PLACES = r"[SND]\d+(?:-[A-Z]+\d+)*"
"""What a count belongs to: a CPU, or what `--per-core` and its like print before a number of CPUs."""
_NUMBER = r"-?\d{1,300}(?:[.,]\d{1,300})?"
_TAIL = re.compile(r"(?P<s>[^\w.%<>-]{1,8}?|[^\d.%<>-]{1,8}?)(\d{1,20})(?P=s)(\d{1,3}[.,]\d{1,9})(?=(?P=s)|\s*$)")
STANDARD = re.compile("|".join(DECLARED["perf_stat"]["events"]))
"""Events that perf has on any machine."""


class Rows(NamedTuple):
    """How the rows of one file are built.

    Attributes
    ----------
    full : a count with its run time and share; of a thread whose name holds the separator where nothing else fits
    short : a count of a perf that did not yet print run times
    alone : no count, but what perf derived, or the name of a group of such metrics, or nothing at all
    """

    full: re.Pattern[str]
    short: re.Pattern[str]
    alone: re.Pattern[str]


_LOOKED_AT = 1000
"""Lines of a head in which rows are sought; a program may have printed some first."""
_VALUES = re.compile(r"[\s\d.,;:|%-]*")
_OF_A_PLACE = re.compile(rf"\s*(?:{PLACE}|{PLACES})(?=\W)")


class PerfStat(TextReader):
    """Reads what `perf stat -x` wrote, with any separator and any of -r, -I, -A, --per-core and -G."""

    label = "perf stat -x"

    def sniff(self, head: bytes) -> bool:
        """Whether the head holds rows of counts, or at least the line with which perf begins a file."""
        if b'"counter-value"' in head or events.is_text(head):
            return False
        first = b"\n".join(head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT])
        lines = first.decode(errors="replace").splitlines()[:_LOOKED_AT]
        rows = find_rows(lines)
        if any(events.STARTED.match(line) for line in lines):
            return rows is not None or not any(line.lstrip().startswith(("{", "[")) for line in lines)
        return rows is not None and _sure(rows, lines[:-1] if len(lines) > 2 else lines)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per run (and control group); the file does not say what ran, so its name does."""
        lines = raw.decode().splitlines()
        if (rows := find_rows(lines)) is None:
            raise builder.refused(_no_rows(lines))
        for section in events.sections_of(lines, partial(_take, builder, rows)):
            if section.counts or section.left_out:
                add_runs(builder, section.runs(), section.left_out, "no row of perf stat")


def _sure(rows: Rows, lines: list[str]) -> bool:
    """Whether rows are perf's although nothing else says so: known events, or nothing but such rows."""
    fit = [line for line in lines if line.strip() and len(line) < MAX_ROW]
    counts = [m for m in (_count_row(rows, line) for line in fit) if m]
    if any(STANDARD.fullmatch(m["event"]) or re.fullmatch(NOT, m["value"]) for m in counts):
        return True
    return bool(counts) and all(_count_row(rows, line) or rows.alone.match(line) for line in fit)


def _take(builder: Builder, rows: Rows, section: Section, number: int, line: str) -> None:
    line = line if len(line) < MAX_ROW else ""
    count = _count_row(rows, line)
    if not (found := count or rows.alone.match(line)):
        section.left_out.append(number)
        return
    own = count_of(count, number) if count else None
    section.about = found.groupdict().get("group") or (own.event if own else section.about)
    said = found.groupdict()
    value = events.plain_number(said.get("number") or "")
    metric = events.derived(value, said.get("metric") or "", section.about)
    if metric and "," in (said.get("share") or ""):  # perf cuts it off at a decimal comma
        builder.note("what perf derived is left out, as perf cuts it off at the decimal comma.")
        metric = None
    section.take(own, metric)


def _count_row(rows: Rows, line: str) -> re.Match[str] | None:
    found = rows.full.match(line)
    short = None if found else rows.short.match(line)
    return short if short and (STANDARD.fullmatch(short["event"]) or short["value"].startswith("<")) else found


def _no_rows(lines: list[str]) -> str:
    rest = [line for line in lines if line.strip() and not line.startswith("#")]
    if not rest or all(_VALUES.fullmatch(line) for line in rest):
        what = "values without the names of their events" if rest else "no counts"
        return f"holds {what}. Run perf stat without --metric-only, so that each event has its row."
    if rest[1:] and all(_VALUES.fullmatch(_OF_A_PLACE.sub("", line)) for line in rest[1:]):
        return "holds only what perf derived, without counts. Run perf stat without --metric-only."
    line = next(i for i, line in enumerate(lines, start=1) if line == rest[0])
    said = shown(rest[0].strip(), 80)
    return f"line {line}: '{said}' is no row of perf stat, and the file holds none. Run it again."


def find_rows(lines: Sequence[str]) -> Rows | None:
    """Return how rows are built, from the fields that every row ends with; None if there is no row."""
    fit = [line for line in lines if len(line) < MAX_ROW]
    votes = Counter(found["s"] for found in map(_TAIL.search, fit[:2000]) if found)
    for rows in (_rows(separator) for separator, _ in votes.most_common(5)):
        if any(map(rows.full.match, fit)):
            return rows
    return next((rows for rows in map(_rows, ",;|\t :") if len(fit) == len(lines) and _old(rows, fit)), None)


def _old(rows: Rows, lines: Sequence[str]) -> bool:
    """Whether these are rows of a perf that did not yet print run times: each line is, and names an event."""
    told = [line for line in lines if line.strip() and not line.startswith("#")]
    matches = (rows.short.match(line) for line in told)
    return bool(told) and all(m and STANDARD.fullmatch(m["event"]) for m in matches)


def _rows(separator: str) -> Rows:
    s = re.escape(separator)
    other = rf"(?:(?!{s})[^/])"
    event = rf"(?P<event>{other}*/[^/]*/{other}*?|(?:(?!{s}).)+?)"
    start = rf"^\s*(?:(?:(?P<time>\d{{1,12}}\.\d{{9}})|(?P<summary>summary)){s})?"
    thread = rf"(?:(?!{s})[^<])*?[^\s<]-\d{{1,10}}"
    known = rf"(?P<place>{PLACE}|{thread}){s}|(?P<places>{PLACES}){s}(?:\d{{1,9}}{s})?|"
    place, anyone = f"(?:{known})", rf"(?:{known}|(?P<anyone>[^<]{{1,40}}?-\d{{1,10}}){s})"
    value = rf"(?P<value>{NOT}|{_NUMBER}){s}"
    unit = rf"(?P<unit>(?:(?!{s})[^\d<\-])*){s}"
    group = rf"(?:{s}(?P<cgroup>(?:(?!{s}).)*?))??"
    if separator == ":":  # events have modifiers behind it, as in `cycles:u`
        event, group = "(?P<event>[^:].*?)", ""
    spread = rf"(?:{s}(?P<spread>{_NUMBER})%)?"
    ran, percent = rf"{s}\d{{1,20}}{s}", r"\d{1,3}[.,]\d{1,9}"
    share = rf"{ran}(?P<share>{percent})(?:{s}(?P<late>{_NUMBER})%)?"
    before = rf"(?:(?:{s}){{2,12}}|{ran}(?P<share>{percent})(?:{s}){{1,12}})"
    metric = rf"(?:{s}(?P<number>(?:(?!{s}).)*){s}(?P<metric>.*?))?"
    count = rf"{value}{unit}{event}{group}{spread}{share}{metric}\s*$"
    derived = rf"{before}(?P<number>{_NUMBER}){s}(?P<metric>.*?)"
    heading = rf"(?:{ran}{percent}(?:{s}){{1,12}}(?P<group>[^\W\d].*?)?|(?:{s}){{2,12}})"
    return Rows(
        full=re.compile(f"{start}{anyone}{count}"),
        short=re.compile(rf"{start}{place}{value}(?:{unit})?{event}{spread}\s*$"),
        alone=re.compile(rf"{start}{place}(?:{derived}|{heading})\s*$"),
    )


def count_of(found: re.Match[str], line: int) -> Count:
    """Return the count of a row."""
    fields = found.groupdict()
    value = fields["value"]
    known = not value.startswith("<")
    return Count(
        line,
        event=fields["event"].strip(),
        value=_decimal(value) if known else None,
        unit=(fields["unit"] or "").strip(),
        why="" if known else value[1:-1],
        share=_decimal(fields.get("share") or "100"),
        spread=_decimal(fields["spread"] or fields.get("late") or "0"),
        interval=float(fields["time"]) if fields["time"] else None,
        summary=bool(fields["summary"]),
        place=(fields["place"] or fields["places"] or fields.get("anyone") or "").strip(),
        cgroup=fields.get("cgroup"),
    )


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))
