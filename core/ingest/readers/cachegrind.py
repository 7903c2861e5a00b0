"""Profiles of Valgrind's Cachegrind and Callgrind: the totals of a program, and the caches that were simulated."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._command import COMMAND, put_arguments, told_by
from core.ingest.readers._text import LogReader, lines_of
from core.trial import Kind

_EVENTS = re.compile(rb"^events:[ \t]*[A-Za-z]", re.MULTILINE)
_COMMAND = re.compile(rb"^(?:cmd|creator):[ \t]*\S", re.MULTILINE)
_BODY = re.compile(rb"^(?:(?:fl|fn|ob)=|(?:desc|positions|summary|totals):)", re.MULTILINE)
_HEADER = re.compile(r"(version|creator|pid|cmd|part|thread|desc|event|events|summary|totals):\s*(.*)")
_CACHE = re.compile(r"(\w+) cache:\s*(\d+) B, (\d+) B, (?:(\d+)-way(?: set)? associative|direct-mapped)")
_UNIT = re.compile(r"(\w+)\s*:.*\((?:.* )?(ns|us|ms)\)")
_COST = re.compile(r"-?\d{1,300}")
_STARTS_ANOTHER = ("version", "creator", "cmd", "part", "desc")
_CACHE_EVENTS = {"I1mr", "ILmr", "I2mr", "D1mr", "DLmr", "D2mr", "D1mw", "DLmw", "D2mw"}


@dataclass
class Profile:
    """The header and the totals of one profile.

    Attributes
    ----------
    said : by key, what the header says
    costs : by key (summary or totals), the line and the costs of all events
    """

    line: int
    said: dict[str, str] = field(default_factory=dict)
    caches: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    costs: dict[str, tuple[int, str]] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """Return what the header says of a key."""
        return self.said.get(key, "")


class CachegrindReader(LogReader):
    """One trial per profile: events are counters, the geometry of simulated caches parameters."""

    label = "Cachegrind or Callgrind profile"
    signs = (_EVENTS, _COMMAND, _BODY)
    tells = (b"events:",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per profile of the file; Callgrind may dump several parts into one."""
        profiles = _profiles(lines_of(raw))
        parts = len({(p.text("part"), p.text("thread")) for p in profiles}) > 1
        for profile in profiles:
            _put(builder, profile, parts)
        if not len(builder):
            raise builder.refused(
                "has no line 'summary:' or 'totals:', which Valgrind writes last: the profile was "
                "cut off, the program did not end, or another tool wrote it. Run it again under Valgrind."
            )


def _profiles(lines: Iterable[tuple[int, str]]) -> list[Profile]:
    """Return the profiles whose events are listed, in the order they stand."""
    profiles: list[Profile] = []
    for number, line in lines:
        found = _HEADER.match(line) if line[:1].isalpha() else None
        if not found:
            continue
        key, value = found.group(1), found.group(2).strip()
        if not profiles or (profiles[-1].events and key in _STARTS_ANOTHER):
            profiles.append(_next(profiles[-1] if profiles else None, number, key))
        _take(profiles[-1], number, key, value)
    return [profile for profile in profiles if profile.events]


def _next(before: Profile | None, number: int, key: str) -> Profile:
    """Return the profile that begins; a further part of a dump keeps the command of the first."""
    if before is None or key != "part":
        return Profile(number)
    kept = {name: text for name, text in before.said.items() if name in ("cmd", "creator")}
    return Profile(number, kept, dict(before.caches))


def _take(profile: Profile, number: int, key: str, value: str) -> None:
    """Take a header line; totals before the events are a program's own output."""
    cache, unit = _CACHE.fullmatch(value), _UNIT.fullmatch(value)
    if key in ("summary", "totals"):
        if profile.events and value and all(map(_COST.fullmatch, value.split())):
            profile.costs[key] = (number, value)
    elif key == "events":
        profile.events = profile.events or tuple(value.split())
    elif key == "event" and unit:
        profile.units[unit.group(1)] = unit.group(2)
    elif key == "desc" and cache:
        name, size, line, ways = cache.groups()
        profile.caches[name] = (float(size), float(line), float(ways or 1))
    elif key == "desc" and value.startswith("Trigger:"):
        profile.said["trigger"] = value.partition(":")[2].strip()
    else:
        profile.said[key] = value
        profile.line = number if key == "cmd" and not profile.text("creator") else profile.line


def _put(builder: Builder, profile: Profile, parts: bool) -> None:
    """Put down a profile; `parts` says that it is one of several parts of a run, which are no repeats."""
    totals, creator = "totals" in profile.costs, profile.text("creator")
    line, costs = profile.costs.get("totals") or profile.costs.get("summary", (0, ""))
    place = f"line {profile.line}"
    nothing = not re.search("[1-9]", costs)
    if not line or (nothing and not totals and creator):
        builder.skip(place, "a profile without its totals: it was cut off, or the program did not end")
        return
    if not totals and creator.startswith("callgrind"):
        builder.note("the line 'totals:' is missing at the end, so that 'summary:' is taken.")
    if nothing:
        builder.note("all totals are 0; nothing was collected while the program ran.", line)
    values = [float(cost) for cost in costs.split()]
    _check(builder, line, profile, len(values))
    command = profile.text("cmd")
    application, _, arguments = command.partition(" ")
    labels = {COMMAND: command, "trigger": profile.text("trigger"), "profiler": creator}
    of_run = {name: profile.text(name) for name in ("part", "thread")}
    trial = builder.trial(
        application.rsplit("/", 1)[-1],
        input=arguments.strip(),
        where=place,
        execution=" ".join(f"{name} {text}" for name, text in of_run.items() if text),
        labels=labels,
    )
    for name, text in of_run.items():
        builder.label(trial, name, text, parameter=parts and bool(text))
    for event, value in zip(profile.events, values + [0.0] * len(profile.events), strict=False):
        builder.put(trial, event, value, profile.units.get(event, ""))
    _put_caches(builder, trial, profile)
    put_arguments(builder, trial, told_by(command)[1])


def _check(builder: Builder, line: int, profile: Profile, n: int) -> None:
    """Raise ReadError if totals and events do not fit together."""
    if alike := sorted({event for event in profile.events if profile.events.count(event) > 1}):
        raise ReadError(f"{builder.source}: event '{shown(alike[0])}' is listed twice. Write the profile again.")
    fewer = n < len(profile.events) and not profile.text("creator")  # Callgrind leaves zeros at the end of a line out
    if n > len(profile.events) or fewer:
        raise builder.refused(
            f"line {line}: {n} totals for {len(profile.events)} events ({' '.join(profile.events[:12])}). "
            "The profile is damaged; run it again."
        )


def _put_caches(builder: Builder, trial: int, profile: Profile) -> None:
    """Give the geometry of caches as parameters, if any cache was simulated."""
    if not profile.caches:
        return
    if not _CACHE_EVENTS & set(profile.events):
        builder.skip(f"line {profile.line}", "sizes of caches, as none was simulated (--cache-sim=no)")
        return
    for name, (size, line, ways) in profile.caches.items():
        builder.put(trial, f"{name} cache size", size, "byte", Kind.PARAMETER)
        builder.put(trial, f"{name} cache line size", line, "byte", Kind.PARAMETER)
        builder.put(trial, f"{name} cache associativity", ways, kind=Kind.PARAMETER)
