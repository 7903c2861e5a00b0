"""Results of planned designs: a table's rows, joined to the designs by their parameters, as trials of a dataset."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import ReadError
from core.ingest import Mapping, SourceFile, Table, apply, read_table
from core.registry import unknown
from core.space.design_space import DesignSpace, Level
from core.space.plan import RUN, Plan, codes_of, shown
from core.trial import ROLES, Frame, Import, Kind, Metric, Skipped, Trials


class Results(Frozen):
    """What a file says of designs.

    Attributes
    ----------
    imported : the rows that are designs of the space, as trials
    codes : of these, array of shape (n, n_parameters)
    n_planned : how many designs were planned
    missing : of these, the ranks without a result
    unplanned : how many designs have a result that were not planned
    wrong : rows that are left out, and why
    left : columns that are not taken over
    """

    imported: Import
    codes: IntArray
    n_planned: int
    missing: IntArray
    unplanned: int
    wrong: tuple[Skipped, ...]
    left: tuple[str, ...]


def read_results(
    file: SourceFile, space: DesignSpace, like: Frame, known: Sequence[Metric], plan: Plan | None, texts: Sequence[str]
) -> Results:
    """Return the results in a table with a column per parameter and one for the response.

    Application, input and machine are those of the trials where the table has no such columns; a parameter
    that all trials share is theirs too.

    Parameters
    ----------
    like : trials that the results are to be added to, with all that was set before them
    known : the metrics of their dataset; further ones of the table are not taken over
    plan : what was to be measured
    texts : names of the dataset's texts that were set before a run

    Raises
    ------
    ReadError
        If a column is missing, has another unit, or no row is a design of the space.
    """
    table = read_table(file)
    texts = tuple(dict.fromkeys([*(p.name for p in space.parameters if p.categorical), *texts]))
    for name in _needed(space, like, texts):
        if name not in table.names:
            raise ReadError(f"{unknown('column', name, table.names, f' in {file.name}')} Add it to the plan's table.")
    taken = [m for m in known if m.name in table.names and m.kind is not Kind.MACHINE and m.name not in texts]
    left = tuple(n for n in table.names if n not in {*ROLES, *texts, *(m.name for m in taken), *space.names})
    imported = apply(table, _mapping(table, space, taken, texts, left))
    trials = _like(imported.trials, space, like, known, texts, file.name)
    codes, why = _designs(space, trials, like.response.name)
    good = np.array([i for i, reason in enumerate(why) if not reason], dtype=np.int64)
    wrong = tuple(Skipped(trials.where[i], reason) for i, reason in enumerate(why) if reason)
    if not len(good):
        raise ReadError(f"{file.name}: no row is a design of this space; {wrong[0].where}: {wrong[0].why}.")
    found = np.unique(space.ranks(codes[good]))
    planned = np.unique(space.ranks(codes_of(space, plan))) if plan else found[:0]
    return Results(
        replace(imported, trials=trials.take(good), skipped=(*imported.skipped, *wrong)),
        codes[good],
        len(planned),
        np.setdiff1d(planned, found),
        len(np.setdiff1d(found, planned)),
        (*imported.skipped, *wrong),
        tuple(name for name in left if name != RUN),
    )


def _needed(space: DesignSpace, like: Frame, texts: Sequence[str]) -> list[str]:
    """Return what a table must have: the response, and what differs among designs or among the trials."""
    varied = [m.name for m, x in zip(like.metrics, like.X.T, strict=True) if _is_set(m) and len(x) and np.ptp(x) > 0]
    differing = [name for name in texts if len(set(like.labels.get(name, ()))) > 1]
    levels = [p.name for p in space.parameters if len(p.levels) > 1]
    return list(dict.fromkeys([like.response.name, *levels, *varied, *differing]))


def _is_set(metric: Metric) -> bool:
    """Whether a column is a number that was set before a run, no value of a text."""
    return metric.kind is Kind.PARAMETER and "=" not in metric.name


def _mapping(
    table: Table, space: DesignSpace, taken: Sequence[Metric], texts: Sequence[str], left: tuple[str, ...]
) -> Mapping:
    numbers = dict.fromkeys(p.name for p in space.parameters if p.name in table.names and not p.categorical)
    numbers |= dict.fromkeys(m.name for m in taken if m.kind is Kind.PARAMETER)
    outcomes = tuple((m.name, None) for m in taken if m.kind.outcome and m.name not in numbers)
    named = {*numbers, *(name for name, _ in outcomes)}
    application, input, machine = ((role,) if role in table.names else () for role in ROLES)
    return Mapping(
        application=application,
        input=input,
        machine=machine[0] if machine else None,
        responses=outcomes,
        parameters=tuple(numbers),
        labels=tuple(name for name in texts if name in table.names),
        metrics=tuple(m.name for m in taken if m.name not in named),
        ignore=left,
        missing="drop",
        complete=True,
    )


def _like(
    trials: Trials, space: DesignSpace, like: Frame, known: Sequence[Metric], texts: Sequence[str], source: str
) -> Trials:
    """Return trials with names, kinds and shared parameters as the others have them."""
    n, of = len(trials), {m.name: m for m in known}
    for metric in trials.metrics:
        there = of.get(metric.name, metric)
        if metric.unit and there.unit and metric.unit != there.unit:
            raise ReadError(
                f"{source}: '{metric.name}' is in {metric.unit}, other trials have it in {there.unit}. Convert it."
            )
    units = {p.name: p.unit for p in space.parameters}
    metrics = [of.get(m.name, replace(m, unit=m.unit or units.get(m.name, ""))) for m in trials.metrics]
    columns = [*trials.values.T]
    for metric, value in _shared(space, like).items():
        if metric.name not in {m.name for m in metrics}:
            metrics, columns = [*metrics, of.get(metric.name, metric)], [*columns, np.full(n, value)]
    one = {p.name: str(p.levels[0]) for p in space.parameters if p.categorical}
    one |= {name: like.labels[name][0] for name in texts if like.labels.get(name)}
    labels = {name: trials.labels.get(name, (text,) * n) for name, text in one.items()}
    roles: dict[str, Any] = {role: _role(role, getattr(trials, role), like, source) for role in ROLES}
    every, values = {**trials.labels, **labels}, np.column_stack(columns)
    return replace(trials, **roles, metrics=tuple(metrics), values=values, labels=every, parameters=tuple(labels))


def _shared(space: DesignSpace, like: Frame) -> dict[Metric, float]:
    """Return the parameters of one value alone: of the space, and of the trials."""
    found = {
        Metric(p.name, Kind.PARAMETER, p.unit): float(p.levels[0])
        for p in space.parameters
        if len(p.levels) == 1 and not p.categorical
    }
    for metric, column in zip(like.metrics, like.X.T, strict=True):
        if _is_set(metric) and len(column) and np.ptp(column) == 0:
            found.setdefault(metric, float(column[0]))
    return found


def _role(role: str, texts: Sequence[str], like: Frame, source: str) -> Sequence[str]:
    """Return who ran, on what or where: as the table says, else as all other trials have it."""
    if any(texts):
        return texts
    others = sorted(set(like.labels[role]))
    if len(others) > 1:
        raise ReadError(
            f"{source} has no column '{role}', and the trials are of {len(others)}: {', '.join(others[:5])}. "
            "Add the column, or choose one of them."
        )
    return tuple(others) * len(texts)


def _designs(space: DesignSpace, trials: Trials, response: str) -> tuple[IntArray, list[str]]:
    """Return each trial's codes, and why it is no result of a design; "" where it is."""
    codes = np.zeros((len(trials), len(space.parameters)), dtype=np.int64)
    empty = np.isnan(_numbers(response, trials))
    why = [f"{response} is empty" if bad else "" for bad in empty.tolist()]
    for j, parameter in enumerate(space.parameters):
        values: Sequence[Level] = (
            trials.labels[parameter.name] if parameter.categorical else _numbers(parameter.name, trials).tolist()
        )
        codes[:, j], there = parameter.places(values)
        for i in np.flatnonzero(~there).tolist():
            why[i] = why[i] or f"{parameter.name} is {_text(values[i])}, which is no level of it"
    for constraint in space.constraints:
        broken = ~DesignSpace(space.parameters, (constraint,)).allowed(codes)
        why = [one or (f"it breaks {constraint.text}" if bad else "") for one, bad in zip(why, broken, strict=True)]
    return codes, why


def _numbers(name: str, trials: Trials) -> FloatArray:
    return trials.values[:, [m.name for m in trials.metrics].index(name)]


def _text(value: Level) -> str:
    return shown(value) if value == value and value != "" else "empty"
