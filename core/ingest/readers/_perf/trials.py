"""Runs of `perf stat` become trials.

Counts of several CPUs, cores or threads, and of several intervals, are added up. Of an event that was
counted more than once at the same time, the count with the largest share of that time stays. Times and
energies are outcomes, never predictors. Several runs printed as one mean (`-r`) are one trial, whose
labels keep their variation.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from core.ingest._lookup import by_key
from core.ingest.names import listed, shown, stem
from core.ingest.readers._base_units import scale_of, to_base
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._perf.events import Count, Section
from core.trial import Kind

_WALL = "duration_time"
_CLOCKS = re.compile(r"(?:task|cpu)[- ]clock(?:[- ](?:ticks|msecs)| \(msec\))?")
_MOST = 12


@dataclass(frozen=True)
class _Total:
    """An event's count over a whole run."""

    value: float | None
    unit: str
    why: str
    share: float
    spread: float
    counted: int
    printed: int
    again: bool


def add_runs(builder: Builder, runs: Iterable[Section], left_out: Iterable[int] = (), why: str = "") -> None:
    """Add a trial for each run, and for each control group in it; say which lines were left out, and why."""
    for run in runs:
        groups = by_key((count.cgroup, count) for count in run.counts)
        for cgroup, counts in (groups or {None: []}).items():
            _add(builder, run, counts, cgroup)
    for line in left_out:
        builder.skip(f"line {line}", why)


def _add(builder: Builder, run: Section, counts: list[Count], cgroup: str | None) -> None:
    line = f"line {counts[0].line if counts else run.line}"
    chosen = [c for c in counts if c.summary] or counts
    totals = _totals(chosen)
    times = {**_times(counts, totals), **run.times}
    if not run.times and all(total.value is None for total in totals.values()):
        builder.skip(line, _nothing_counted(totals))
        return
    trial = builder.trial(run.application or stem(builder.source), where=line)
    for event, total in totals.items():
        _put(builder, trial, event, total)
    for name, seconds in times.items():
        builder.put(trial, name, seconds, "s", Kind.RESPONSE)
    builder.label(trial, "runs", run.repeats)
    builder.label(trial, f"variation of {TIME}", _percent(run.spread) if run.spread else "")
    if cgroup:
        builder.label(trial, "cgroup", cgroup, parameter=True)
    _tell(builder, chosen, totals, TIME in times)
    _put_derived(builder, trial, run, chosen, set(totals))


def _totals(counts: Iterable[Count]) -> dict[str, _Total]:
    events = by_key((count.event, count) for count in counts)
    return {event: _total(event, of_event) for event, of_event in events.items()}


def _total(event: str, counts: list[Count]) -> _Total:
    """Return the sum of an event over places and intervals."""
    best: dict[tuple[float | None, str], Count] = {}
    for count in counts:
        before = best.setdefault((count.interval, count.place), count)
        if before.value is None or (count.value is not None and count.share > before.share):
            best[(count.interval, count.place)] = count
    known = [c for c in best.values() if c.value is not None]
    return _Total(
        value=_sum(known, wall=_base(event) == _WALL) if known else None,
        unit=counts[0].unit,
        why=counts[0].why,
        share=min((c.share for c in known), default=100.0),
        spread=max((c.spread for c in known), default=0.0),
        counted=len(known),
        printed=len(best),
        again=len(best) < len(counts),
    )


def _sum(counts: list[Count], wall: bool) -> float:
    """Return the sum; wall-clock time passes once, however many places print it."""
    stamps = by_key((count.interval, count.value or 0.0) for count in counts)
    return fsum(max(values) if wall else fsum(values) for values in stamps.values())


def _base(event: str) -> str:
    return event.partition(":")[0]


def _times(counts: list[Count], totals: dict[str, _Total]) -> dict[str, float]:
    """Return the elapsed time in seconds, as the event or the last time stamp says it."""
    for event, total in totals.items():
        if _base(event) == _WALL and total.value is not None:
            seconds, base = to_base(total.value, total.unit or "ns")
            return {TIME: seconds} if base == "s" else {}
    stamps = [c.interval for c in counts if c.interval is not None]
    return {TIME: max(stamps)} if stamps else {}


def _put(builder: Builder, trial: int, event: str, total: _Total) -> None:
    if _base(event) == _WALL or total.value is None:
        return
    name, unit = event.removesuffix(" (msec)"), total.unit
    if not unit and _CLOCKS.fullmatch(_base(event)):
        unit = "msec"  # perf counts its clocks in milliseconds, and older ones do not say it
    kind = Kind.RESPONSE if scale_of(unit)[0] in ("s", "J", "W") else Kind.COUNTER
    builder.put(trial, name, total.value, unit, kind)
    builder.label(trial, f"counted share of {name}", _percent(total.share) if total.share < 100 else "")
    builder.label(trial, f"variation of {name}", _percent(total.spread) if total.spread > 0 else "")


def _percent(value: float) -> str:
    return f"{value:.2f} %"


def _tell(builder: Builder, counts: list[Count], totals: dict[str, _Total], timed: bool) -> None:
    for why in ("not supported", "not counted"):
        names = [e for e, t in totals.items() if t.value is None and t.why == why]
        if names:
            builder.note(f"<{why}>, and so without a value: {listed(names, _MOST)}.")
    _tell_sums(builder, counts, totals)
    twice = [e for e, t in totals.items() if t.again]
    if twice:
        builder.note(f"counted more than once, and the count with the largest share is used: {listed(twice, _MOST)}.")
    if any(t.share < 100 for t in totals.values()):
        builder.note("events took turns on the counters; labels keep the share of the time of each.")
    if not timed:
        builder.tell("does not say how long the run took. Add `-e duration_time`, or predict a time that it counts.")


def _tell_sums(builder: Builder, counts: list[Count], totals: dict[str, _Total]) -> None:
    places = dict.fromkeys(c.place for c in counts if c.place)
    stamps = {c.interval for c in counts if c.interval is not None}
    if places:
        builder.note(f"counts are sums over {listed(list(places), _MOST, '')}.")
    if stamps:
        builder.note(f"counts are sums over {len(stamps)} intervals, up to {max(stamps):g} s.")
        partly = [f"{e} (in {t.counted} of {t.printed})" for e, t in totals.items() if 0 < t.counted < t.printed]
        if partly:
            builder.note(f"not counted in every interval: {listed(partly, _MOST, '')}.")


def _put_derived(builder: Builder, trial: int, run: Section, counts: list[Count], events: set[str]) -> None:
    """Put what perf derived, if it is of the whole run; names that several events share are told apart."""
    metrics = [m for m in run.derived if m.name not in events]
    if not metrics:
        return
    if any(c.place or c.interval is not None or c.cgroup is not None for c in counts):
        builder.note("what perf derived for single places, intervals or groups is left out.")
        return
    plain = by_key((m.name, (m.value, m.unit)) for m in metrics)
    named = ((f"{m.name} [{m.event}]" if len({*plain[m.name]}) > 1 else m.name, m) for m in metrics)
    for name, values in by_key((name, (m.value, m.unit)) for name, m in named).items():
        if len({*values}) == 1:
            builder.put(trial, name, *values[0])
        else:
            builder.note(f"'{shown(name)}' has {len({*values})} values in one run, and is left out.")


def _nothing_counted(totals: dict[str, _Total]) -> str:
    if not totals:
        return "a run without counts"
    words = " and ".join(sorted({f"<{total.why}>" for total in totals.values()}))
    return f"none of {len(totals)} events was counted, all are {words}: {listed(list(totals), _MOST)}"
