"""Workloads that host and target both ran: the host's counters beside the target's response."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.curate._repeats import aggregate
from core.errors import FitError, count
from core.trial import Frame, Metric, Side, Sides, make_frame

Workload = tuple[str, str, str]
"""Application, input, and parameters as one text."""


class Unjoined(Frozen):
    """A workload that only one of the two machines has measured.

    Attributes
    ----------
    setting : its parameters as one text
    machine : the one that has it
    """

    application: str
    input: str
    setting: str
    machine: str


class HostTarget(Frozen):
    """The frame of a scenario, and the workloads that are not in it.

    Attributes
    ----------
    frame : one row per workload; X of the host, y of the target, `reference` the host's response
    """

    frame: Frame
    unjoined: tuple[Unjoined, ...]


def join(sides: Sides, repeats: str = "mean") -> HostTarget:
    """Join what host and target measured on application, input and parameters.

    Repeats of a workload are made one row on each side first. Metrics of the host with a gap at any
    joined workload are left out, unless they were chosen by name: then it is the workload that goes.

    Parameters
    ----------
    repeats : a way of `aggregate` other than `each`

    Raises
    ------
    FitError
        If no workload, or no metric, is left.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE, section 3.
    """
    how = "mean" if repeats == "each" else repeats
    host, target = (replace(s, frame=aggregate(replace(s.frame, notes=()), how)) for s in (sides.host, sides.target))
    ours, theirs, own = _as_both_say(_workloads(host), _workloads(target))
    both = sorted(ours.keys() & theirs.keys())
    here, there = _only(ours, theirs, sides.host_machine), _only(theirs, ours, sides.target_machine)
    if not both:
        raise FitError(_nothing(sides, ours, theirs))
    left, right = (np.array([side[w] for w in both], dtype=np.int64) for side in (ours, theirs))
    notes = [*sides.host.frame.notes, *sides.target.frame.notes, _counted(len(both), here, there, sides)]
    if own:
        notes.append(f"{', '.join(own)} may differ between the machines, as the other parameters tell workloads apart")
    metrics, X, keep = _without_gaps(host.frame, left, chosen=sides.chosen, notes=notes)
    answer, rows = target.frame, right[keep]
    labels = _labels(host.frame, left[keep], answer, rows)
    ids, settings = [answer.ids[i] for i in rows], [both[i][2] for i in keep]
    found = make_frame(X, answer.y[rows], metrics, answer.response, labels, ids, settings, notes, sides.reference)
    return HostTarget(_with_repeats(found, answer), (*here, *there))


def _workloads(side: Side) -> dict[Workload, int]:
    """Return the row of each workload."""
    frame = side.frame
    roles = zip(frame.labels["application"], frame.labels["input"], frame.ids, strict=True)
    return {(application, input, side.setting[id]): row for row, (application, input, id) in enumerate(roles)}


def _as_both_say(
    ours: dict[Workload, int], theirs: dict[Workload, int]
) -> tuple[dict[Workload, int], dict[Workload, int], tuple[str, ...]]:
    """Return the workloads without parameters that are each machine's own, such as a compiler's registers, and these.

    Left out are names without which each side still has as many workloads, if more are joined without them; of these
    names no more than it takes.
    """
    names = sorted({name for side in (ours, theirs) for *_, setting in side for name in _names(setting)})
    gone: list[str] = []
    for name in names:
        if all(len(_less(side, {*gone, name})) == len(side) for side in (ours, theirs)):
            gone.append(name)

    def joined(without: Sequence[str]) -> int:
        return len(_less(ours, set(without)).keys() & _less(theirs, set(without)).keys())

    most = joined(gone)
    if most <= joined([]):
        return ours, theirs, ()
    for name in tuple(gone):
        others = [other for other in gone if other != name]
        gone = others if joined(others) == most else gone
    return _less(ours, set(gone)), _less(theirs, set(gone)), tuple(gone)


def _names(setting: str) -> list[str]:
    return [part.partition("=")[0] for part in setting.split("; ") if part]


def _less(side: Mapping[Workload, int], names: Set[str]) -> dict[Workload, int]:
    """Return workloads whose settings do not speak of some parameters."""

    def left(setting: str) -> str:
        return "; ".join(part for part in setting.split("; ") if part.partition("=")[0] not in names)

    return {(application, input, left(setting)): row for (application, input, setting), row in side.items()}


def _only(these: Mapping[Workload, int], others: Mapping[Workload, int], machine: str) -> tuple[Unjoined, ...]:
    return tuple(Unjoined(*workload, machine) for workload in sorted(these.keys() - others.keys()))


def _nothing(sides: Sides, ours: Mapping[Workload, int], theirs: Mapping[Workload, int]) -> str:
    (mine, theirs_) = (" · ".join(t for t in min(w) if t) or "(unnamed)" for w in (ours, theirs))
    return (
        f"'{sides.host_machine}' and '{sides.target_machine}' have no workload in common: application, input and "
        f"parameters must agree, such as '{mine}' on the host and '{theirs_}' on the target. "
        "Import what differs between machines as a label or metric, not as a parameter."
    )


def _counted(n_both: int, here: Sequence[Unjoined], there: Sequence[Unjoined], sides: Sides) -> str:
    said = f"{count(n_both, 'workload')} of '{sides.host_machine}' and '{sides.target_machine}' joined"
    each = [f"{len(own)} only on '{own[0].machine}'" for own in (here, there) if own]
    return f"{said}; left out: {', '.join(each)}" if each else said


def _without_gaps(
    host: Frame, rows: IntArray, *, chosen: bool, notes: list[str]
) -> tuple[tuple[Metric, ...], FloatArray, IntArray]:
    """Return metrics, their values, and which of the rows are left; gaps are nowhere in these."""
    X = host.X[rows]
    gaps = np.isnan(X)
    everything = np.arange(len(rows))
    if chosen:
        keep = np.flatnonzero(~gaps.any(axis=1))
        if len(keep) < len(rows):
            worst = host.metrics[int(gaps.sum(axis=0).argmax())].name
            notes.append(
                f"{count(len(rows) - len(keep), 'workload')} miss a chosen metric (most often '{worst}') "
                "and are left out"
            )
        if not len(keep):
            raise FitError("No workload has all chosen metrics on the host. Choose fewer, or import what is missing.")
        return host.metrics, X[keep], keep.astype(np.int64)
    missing = gaps.any(axis=0)
    empty = gaps.all(axis=0)
    never = [host.metrics[j].name for j in np.flatnonzero(empty)]
    few = [host.metrics[j].name for j in np.flatnonzero(missing & ~empty)]
    notes += [f"metrics left out because the host has none of their values: {', '.join(never)}"] * bool(never)
    notes += [f"metrics left out because they miss values on the host: {', '.join(few)}"] * bool(few)
    if missing.all():
        raise FitError("No metric of the host has a value for every workload. Choose metrics by name.")
    kept = np.flatnonzero(~missing)
    return tuple(host.metrics[j] for j in kept), X[:, kept], everything


def _labels(host: Frame, left: IntArray, target: Frame, right: IntArray) -> dict[str, tuple[str, ...]]:
    """Return the target's labels, and the host's where the target has none of that name."""
    own = {name: tuple(texts[i] for i in left) for name, texts in host.labels.items()}
    return own | {name: tuple(texts[i] for i in right) for name, texts in target.labels.items()}


def _with_repeats(frame: Frame, target: Frame) -> Frame:
    place = {id: i for i, id in enumerate(target.ids)}
    own = target.take(np.array([place[id] for id in frame.ids], dtype=np.int64))
    return replace(frame, n_repeats=own.n_repeats, spread=own.spread)
