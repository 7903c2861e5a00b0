"""Runs of `perf stat` become trials.

Counts of several CPUs, cores or threads, and of several intervals, are added up. Of an event that was
counted more than once at the same time, the count with the largest share of that time stays. Times and
energies are outcomes, never predictors. Several runs printed as one mean (`-r`) are one trial, whose
labels keep their variation.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from math import fsum

from core.ingest._lookup import by_key
from core.ingest.names import listed, shown, stem
from core.ingest.readers._base_units import scale_of, to_base
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._command import COMMAND, put_arguments, told_by
from core.ingest.readers._perf.events import Count, Section
from core.trial import Kind

_WALL = "duration_time"
_CLOCKS = re.compile(r"(?:task|cpu)[- ]clock(?:[- ](?:ticks|msecs)| \(msec\))?")
_MOST = 12


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
    best = {event: _best(of_event) for event, of_event in by_key((count.event, count) for count in chosen).items()}
    totals = {event: _total(of_event) for event, of_event in best.items()}
    times = {**_times(counts, totals), **run.times}
    if not run.times and all(total.value is None for total in totals.values()):
        builder.skip(line, _nothing_counted(totals))
        return
    program, said = told_by(run.command)
    trial = builder.trial(program or run.command or stem(builder.source), where=line, labels={COMMAND: run.command})
    for event, total in totals.items():
        _put(builder, trial, event, total)
    for name, seconds in times.items():
        builder.put(trial, name, seconds, "s", Kind.RESPONSE)
    builder.label(trial, "runs", run.repeats)
    builder.label(trial, f"variation of {TIME}", _percent(run.spread) if run.spread else "")
    if cgroup:
        builder.label(trial, "cgroup", cgroup, parameter=True)
    _tell(builder, chosen, best, TIME in times)
    _put_derived(builder, trial, run, chosen, set(totals))
    put_arguments(builder, trial, said)


def _best(counts: list[Count]) -> list[Count]:
    """Return the count of an event for each place and interval."""
    best: dict[tuple[float | None, str], Count] = {}
    for count in counts:
        before = best.setdefault((count.interval, count.place), count)
        if count.value is not None and (before.value is None or count.share > before.share):
            best[(count.interval, count.place)] = count
    return list(best.values())


def _total(counts: list[Count]) -> Count:
    """Return the sum of an event over places and intervals; wall-clock time passes once, however many print it."""
    stamps = by_key((count.interval, count.value) for count in counts if count.value is not None)
    if not stamps:
        return counts[0]
    known = [count for count in counts if count.value is not None]
    at_once = max if _base(counts[0].event) == _WALL else fsum
    return replace(
        known[0],
        value=fsum(at_once(values) for values in stamps.values()),
        share=min(count.share for count in known),
        spread=max(count.spread for count in known),
    )


def _base(event: str) -> str:
    return event.partition(":")[0]


def _times(counts: list[Count], totals: dict[str, Count]) -> dict[str, float]:
    """Return the elapsed time in seconds, as the event or the last time stamp says it."""
    for event, total in totals.items():
        if _base(event) == _WALL and total.value is not None:
            seconds, base = to_base(total.value, total.unit or "ns")
            return {TIME: seconds} if base == "s" else {}
    stamps = [c.interval for c in counts if c.interval is not None]
    return {TIME: max(stamps)} if stamps else {}


def _put(builder: Builder, trial: int, event: str, total: Count) -> None:
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


def _tell(builder: Builder, counts: list[Count], best: dict[str, list[Count]], timed: bool) -> None:
    known = {event: [count for count in of_event if count.value is not None] for event, of_event in best.items()}
    for why in ("not supported", "not counted"):
        names = [event for event, of_event in best.items() if not known[event] and of_event[0].why == why]
        builder.note_names(f"<{why}>, and so without a value", names, _MOST)
    places = dict.fromkeys(c.place for c in counts if c.place)
    stamps = {c.interval for c in counts if c.interval is not None}
    if places:
        builder.note(f"counts are sums over {listed(list(places), _MOST, '')}.")
    if stamps:
        builder.note(f"counts are sums over {len(stamps)} intervals, up to {max(stamps):g} s.")
        shares = {event: f"{event} (in {len(known[event])} of {len(of_event)})" for event, of_event in best.items()}
        partly = [shares[event] for event, of_event in best.items() if 0 < len(known[event]) < len(of_event)]
        builder.note_names("not counted in every interval", partly, _MOST, "")
    printed = Counter(count.event for count in counts)
    twice = [event for event, of_event in best.items() if len(of_event) < printed[event]]
    builder.note_names("counted more than once, and the count with the largest share is used", twice, _MOST)
    if any(count.share < 100 for of_event in known.values() for count in of_event):
        builder.note("events took turns on the counters; labels keep the share of the time of each.")
    if not timed:
        builder.tell("does not say how long the run took. Add `-e duration_time`, or predict a time that it counts.")


def _put_derived(builder: Builder, trial: int, run: Section, counts: list[Count], events: set[str]) -> None:
    """Put what perf derived, if it is of the whole run; names that several events share are told apart."""
    if not (metrics := [m for m in run.derived if m.name not in events]):
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


def _nothing_counted(totals: dict[str, Count]) -> str:
    if not totals:
        return "a run without counts"
    words = " and ".join(sorted({f"<{total.why}>" for total in totals.values()}))
    return f"none of {len(totals)} events was counted, all are {words}: {listed(list(totals), _MOST)}"
