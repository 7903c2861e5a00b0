"""Rows of `perf stat -x SEPARATOR`: the separator found, each row's fields told apart.

perf quotes nothing: an event such as `cpu/event=0x3c,umask=0x0/` holds the separator, and where the
locale has a decimal comma, so does every number. Rows are therefore read from their fixed ends.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.readers._perf.events import MAX_ROW, Count, Derived, derived, plain_number

NOT = r"<not counted>|<not supported>"
PLACE = r"CPU\d+"
PLACES = r"[SND]\d+(?:-[A-Z]+\d+)*"
"""What a count belongs to: a CPU, or what `--per-core` and its like print before a number of CPUs."""

_NUMBER = r"-?\d{1,300}(?:[.,]\d{1,300})?"
_TAIL = re.compile(r"(?P<s>[^\w.%<>-]{1,8}?|[^\d.%<>-]{1,8}?)(\d{1,20})(?P=s)(\d{1,3}[.,]\d{1,9})(?=(?P=s)|\s*$)")
_WORDS = (
    r"(?:cpu-|ref-|bus-)?cycles|instructions|branch(?:es|-misses|-instructions)|cache-(?:misses|references)|"
    r"(?:task|cpu)-clock|(?:page|major|minor|alignment|emulation)-faults|faults|context-switches|cs|"
    r"(?:cpu|CPU)-migrations|migrations|(?:L1-[di]cache|LLC|[di]TLB|branch|node)-(?:load|store|prefetche?)(?:s|-misses)|"
    r"stalled-cycles-(?:front|back)end|duration_time|user_time|system_time|slots|topdown-[a-z-]+"
)
STANDARD = re.compile(rf"(?:{_WORDS})(?::[a-zA-Z]+)?|cpu(?:_core|_atom)?/[^/]+/[a-zA-Z]*|r[0-9a-f]{{2,}}|power/[\w-]+/")
"""Events that perf has on any machine."""


@dataclass(frozen=True)
class Rows:
    """How the rows of one file are built.

    Attributes
    ----------
    full : a count with its run time and share
    wide : the same of a thread whose name holds the separator
    short : a count of a perf that did not yet print run times
    metric : what perf derived, on a row of its own
    group : the name of the metrics that follow, or nothing at all
    """

    separator: str
    full: re.Pattern[str]
    wide: re.Pattern[str]
    short: re.Pattern[str]
    metric: re.Pattern[str]
    group: re.Pattern[str]


def find_rows(lines: Sequence[str]) -> Rows | None:
    """Return how rows are built, from the fields that every row ends with; None if there is no row."""
    votes: Counter[str] = Counter()
    fit = [line for line in lines if len(line) < MAX_ROW]
    for found in filter(None, map(_TAIL.search, fit[:2000])):
        votes[found["s"]] += 1
    for separator, _ in votes.most_common(5):
        rows = _rows(separator)
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
    place = rf"(?:(?P<place>{PLACE}|{thread}){s}|(?P<places>{PLACES}){s}(?:\d{{1,9}}{s})?)?"
    anyone = rf"(?P<place>[^<]{{1,40}}?-\d{{1,10}}){s}(?P<places>)"
    value = rf"(?P<value>{NOT}|{_NUMBER}){s}"
    unit = rf"(?P<unit>(?:(?!{s})[^\d<\-])*){s}"
    group = rf"(?:{s}(?P<cgroup>(?:(?!{s}).)*?))??"
    if separator == ":":  # events have modifiers behind it, as in `cycles:u`
        event, group = "(?P<event>[^:].*?)", ""
    spread = rf"(?:{s}(?P<spread>{_NUMBER})%)?"
    ran = rf"{s}\d{{1,20}}{s}(?P<share>\d{{1,3}}[.,]\d{{1,9}})"
    share = rf"{ran}(?:{s}(?P<late>{_NUMBER})%)?"
    before = rf"(?:(?:{s}){{2,12}}|{ran}(?:{s}){{1,12}})"
    metric = rf"(?:{s}(?P<number>(?:(?!{s}).)*){s}(?P<metric>.*?))?"
    count = rf"{value}{unit}{event}{group}{spread}{share}{metric}\s*$"
    return Rows(
        separator,
        full=re.compile(f"{start}{place}{count}"),
        wide=re.compile(f"{start}{anyone}{count}"),
        short=re.compile(rf"{start}{place}{value}(?:{unit})?{event}{spread}\s*$"),
        metric=re.compile(rf"{start}{place}{before}(?P<number>{_NUMBER}){s}(?P<metric>.*?)\s*$"),
        group=re.compile(rf"{start}{place}(?:{ran}(?:{s}){{1,12}}(?P<group>[^\W\d].*?)?|(?:{s}){{2,12}})\s*$"),
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
        place=(fields["place"] or fields["places"] or "").strip(),
        cgroup=fields.get("cgroup"),
    )


def metric_of(found: re.Match[str], event: str) -> Derived | None:
    """Return what perf derived, beside a count or on a row of its own."""
    fields = found.groupdict()
    return derived(plain_number(fields.get("number") or ""), fields.get("metric") or "", event)


def decimal_comma(found: re.Match[str]) -> bool:
    """Whether a row's numbers have a decimal comma, where perf cuts derived metrics off at it."""
    return "," in (found.groupdict().get("share") or "")


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))
