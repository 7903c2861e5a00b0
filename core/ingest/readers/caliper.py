"""Profiles of Caliper (.cali): one trial per region and record, the run's settings as parameters."""

import math
import re

from core.ingest.names import shown
from core.ingest.opening import MAX_LINE
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._simulators.cali import COUNTED, HIDDEN, OF_RUN, Attribute, Profile, Snapshot
from core.ingest.readers._text import LogReader, lines_of, number
from core.trial import Kind

_OURS = re.compile(rb"^__rec=(?:node|ctx|globals),(?:id|ref|attr)=\d", re.MULTILINE)
_NUMBERS = ("int", "uint", "double")
_NO_METRIC = re.compile(r".*aggregate\.slot|timeseries\.(?:starttime|snapshot)|.*\btime\.offset(?:\.ns)?")
_AGGREGATE = re.compile(r"(?:\w|\.)+#.+|count|.*\.count")
_TIMES = (r".*", r"max#(?:inclusive#)?sum#.*", r"(?:inclusive#)?sum#time.*", r"(?:sum#)?avg#(?:inclusive#)?sum#.*")
_EVENT = re.compile(r"event\.(?:begin|end|set)#.*|cali\.event\..*")
_NO_SETTING = re.compile(r"(?:.*[._ ])?(?:date|day|id|uid|pid|version)|launch.*|.*time", re.IGNORECASE)
_OF_CALIPER = re.compile(r"(?:cali|spot)\..*")
_MACHINES = ("cluster", "host.name", "hostname")
_PROGRAMS = ("executablepath", "executable", "program")


class CaliperReader(LogReader):
    """Applications are region paths; aggregated values are metrics, times responses, ranks labels."""

    label = "Caliper profile"
    signs = (_OURS,)
    tells = (b"__rec=",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per snapshot of a region."""
        profile = Profile(builder.source)
        snapshots = list(profile.snapshots(lines_of(raw, MAX_LINE)))
        _refuse_events(builder, snapshots)
        time = _time(builder, snapshots)
        for snapshot in snapshots:
            if snapshot.path:
                _put(builder, profile, snapshot, time)
        if outside := sum(not snapshot.path for snapshot in snapshots):
            builder.skip(f"{outside} record(s)", "measured outside of every region")
        _tell_hidden(builder, snapshots)
        if not len(builder):
            raise builder.refused(
                "is a Caliper profile without measurements of any region. "
                "Mark regions in the program, or profile it with runtime-report or spot."
            )


def _refuse_events(builder: Builder, snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots:
        if any(_EVENT.fullmatch(attribute.name) for attribute, _ in (*snapshot.context, *snapshot.values)):
            raise builder.refused(
                f"is a Caliper event trace (line {snapshot.line}), not a profile. Convert it with "
                'cali-query -q "select *,count(),sum(time.duration) group by path format cali".'
            )


def _is_metric(attribute: Attribute) -> bool:
    """Whether a number of a snapshot was measured; other numbers, such as ranks, tell executions apart."""
    return attribute.type in _NUMBERS and bool(
        attribute.has(COUNTED) or attribute.about.get("attribute.unit") or _AGGREGATE.fullmatch(attribute.name)
    )


def _left_out(attribute: Attribute) -> bool:
    return attribute.has(HIDDEN) or _NO_METRIC.fullmatch(attribute.name) is not None


def _unit(attribute: Attribute) -> str:
    return attribute.about.get("attribute.unit", "") or ("ns" if attribute.name.endswith(".ns") else "")


def _is_time(attribute: Attribute) -> bool:
    return _unit(attribute) in ("sec", "s", "ns", "nsec", "us", "usec", "msec") and _is_metric(attribute)


def _time(builder: Builder, snapshots: list[Snapshot]) -> str:
    """Return the name of the attribute that is the time of a region, "" if there is none or no telling."""
    names = list(dict.fromkeys(a.name for s in snapshots for a, _ in s.values if _is_time(a) and not _left_out(a)))
    for rule in _TIMES[1:] if len(names) > 1 else _TIMES:
        if found := [name for name in names if re.fullmatch(rule, name)]:
            more = f", one of {len(names)} times" if len(names) > 1 else ""
            builder.note(f"{TIME} is '{shown(found[0])}' of each region{more}.")
            return found[0]
    if names:
        builder.note(f"no telling which of {len(names)} times is the region's; {TIME} is left out.")
    return ""


def _put(builder: Builder, profile: Profile, snapshot: Snapshot, time: str) -> None:
    run = profile.of_run
    machine = next((run[name][1] for name in _MACHINES if name in run and run[name][1]), "")
    program = next((run[name][1].rsplit("/", 1)[-1] for name in _PROGRAMS if name in run), "")
    trial = builder.trial(
        "/".join(snapshot.path), machine=machine, where=f"line {snapshot.line}", labels={"program": program}
    )
    for attribute, text in snapshot.values:
        if _left_out(attribute):
            continue
        if _is_metric(attribute):
            name = TIME if attribute.name == time else attribute.about.get("attribute.alias") or attribute.name
            kind = Kind.RESPONSE if _is_time(attribute) else Kind.COUNTER
            value = _number(builder, snapshot, attribute, text)
            builder.put(trial, name, value, _unit(attribute), kind, qualifier=attribute.name)
        else:
            builder.label(trial, attribute.name, text)
    for attribute, text in snapshot.context:
        if not attribute.has(OF_RUN):
            builder.label(trial, attribute.name, text, parameter=True)
    for attribute, text in run.values():
        _put_setting(builder, trial, attribute, text)


def _put_setting(builder: Builder, trial: int, attribute: Attribute, text: str) -> None:
    """Give a trial what holds for the run: whole numbers were set before, other numbers may be outcomes."""
    if attribute.has(HIDDEN) or len(text) > 200 or _OF_CALIPER.fullmatch(attribute.name):
        return
    dated = attribute.about.get("adiak.type") == "date" or _NO_SETTING.fullmatch(attribute.name)
    if attribute.type in ("int", "uint") and not dated and re.fullmatch(r"-?\d{1,300}", text):
        builder.put(trial, attribute.name, float(text), kind=Kind.PARAMETER)
    else:
        builder.label(trial, attribute.name, text)


def _number(builder: Builder, snapshot: Snapshot, attribute: Attribute, text: str) -> float | None:
    if (value := number(text)) is None:
        raise builder.refused(
            f"line {snapshot.line}: '{shown(attribute.name)}' is '{shown(text)}', expected a number. "
            "The Caliper profile is damaged; write it again."
        )
    return value if math.isfinite(value) else None


def _tell_hidden(builder: Builder, snapshots: list[Snapshot]) -> None:
    if names := sorted({a.name for s in snapshots for a, _ in s.values if _left_out(a)}):
        builder.skip("all records", f"what Caliper keeps for itself: {', '.join(shown(name) for name in names[:6])}")
