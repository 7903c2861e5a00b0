"""A table under a mapping to trials: roles, exact numbers; what belongs to machines or inputs goes there."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError, count
from core.frozen import Frozen
from core.ingest._units import dimension
from core.ingest.base import Mapping, SideBySide
from core.ingest.names import NOT_GIVEN, shown
from core.ingest.recognition.dependence import moved
from core.ingest.recognition.importance import beside_gpu, told_to_last
from core.ingest.recognition.roles import guess
from core.ingest.recognition.settings import MOST_TEXTS
from core.ingest.recognition.words import is_run, speaks
from core.ingest.table import columns
from core.ingest.table.table import Table
from core.ingest.table.texts import joined_texts, label_texts
from core.texts import constant
from core.trial import Import, Kind, Metric, Trials

_JOINT = " / "


def rows_of(trials: Trials, groups: Sequence[SideBySide]) -> Trials:
    """Return the trials with each row once for each column of the groups.

    Repeats get the label `repeat`, the first of one outcome with the first of another; sizes of the problem become the
    input, and a metric where they are numbers; what was set becomes a parameter, and machines the trials' own.
    """
    names = {m.name for m in trials.metrics}
    there = (group for group in groups if names.issuperset(group.columns))
    for _, alike in groupby(there, key=lambda group: (group.by, group.levels, len(group.columns))):
        trials = _unfolded(trials, [*alike])
    return trials


def _unfolded(trials: Trials, groups: Sequence[SideBySide]) -> Trials:
    """Return the same of groups with the same levels or as many repeats, which go together in a row."""
    group, names = groups[0], [m.name for m in trials.metrics]
    places = [[names.index(name) for name in own.columns] for own in groups]
    n, k = len(trials), len(group.columns)
    others = [i for i in range(len(names)) if i not in {*chain.from_iterable(places)}]
    texts = group.levels or tuple(str(i + 1) for i in range(k))
    sizes = _numbers(group.levels)
    values = [np.repeat(trials.values[:, others], k, axis=0)]
    values += [trials.values[:, own].reshape(n * k, 1) for own in places]
    metrics = [trials.metrics[i] for i in others]
    metrics += [replace(trials.metrics[own[0]], name=one.response) for own, one in zip(places, groups, strict=True)]
    if sizes is not None:
        values.append(np.tile(sizes, n)[:, None])
        metrics.append(Metric(group.by, Kind.PARAMETER if group.setting else Kind.DETERMINISTIC))
    labels = {name: _each(own, k) for name, own in trials.labels.items()}
    sized, machines = bool(group.levels) and not group.setting, group.setting == "machine"
    own_input = tuple(_JOINT.join(filter(None, pair)) for pair in zip(_each(trials.input, k), texts * n, strict=True))
    return replace(
        trials,
        application=_each(trials.application, k),
        input=own_input if sized else _each(trials.input, k),
        machine=texts * n if machines else _each(trials.machine, k),
        metrics=tuple(metrics),
        values=np.hstack(values),
        labels=labels if machines or sizes is not None else {**labels, group.by: texts * n},
        where=_each(trials.where, k),
    )


def _each(texts: Sequence[str], k: int) -> tuple[str, ...]:
    return tuple(chain.from_iterable((text,) * k for text in texts))


def _numbers(levels: Sequence[str]) -> FloatArray | None:
    """Return sizes as numbers; None if there are none, or one is a word."""
    try:
        return np.array([float(level) for level in levels]) if levels else None
    except ValueError:
        return None


STEADY, MANY_RUNS, _ZEROS = 0.02, 20, 0.1
_NOUNS = {Kind.RESPONSE: "response", Kind.PARAMETER: "parameter", Kind.DERIVED: "derived"}
_KINDS = {
    "metric": Kind.COUNTER,
    "deterministic": Kind.DETERMINISTIC,
    "machine_metric": Kind.MACHINE,
    "derived": Kind.DERIVED,
}


class _Plan(Frozen):
    """What becomes of each column: numbers with their metric, or a label; and which labels name the input."""

    numbers: tuple[tuple[columns.Column, Metric], ...]
    labels: tuple[columns.Column, ...]
    of_inputs: frozenset[str]
    warnings: tuple[str, ...]


def apply(table: Table, mapping: Mapping | None = None, format: str = "csv") -> Import:
    """Return the trials of a table; roles that the mapping leaves open are guessed.

    A metric that is constant in each (application, input), where one was measured on two machines,
    is deterministic; one that is constant on each machine is a machine metric; both leave the
    trials for the facts. Others are counters.

    Raises
    ------
    OptionError
        If the mapping names a column that is not there.
    ReadError
        If a cell is not what its column's role needs; it names file, line, column and value.
    """
    chosen = guess(table, mapping)
    plan = _plan(table, chosen)
    bad = _bad_cells(table, plan, chosen)
    used = tuple(cells for cells in bad if cells.noun != "derived")  # no model learns from what was computed
    kept = _kept(table, used, chosen)
    trials = rows_of(_trials(table, chosen, plan, kept), chosen.beside)
    imported = Import(
        source=table.source,
        sha256=table.sha256,
        format=format,
        trials=trials,
        skipped=(*table.skipped, *(columns.skipped_rows(table, used) if chosen.missing == "drop" else ())),
        warnings=(*table.warnings, *plan.warnings, *_counted(table, plan, bad, chosen, kept)),
    )
    staying = {c.name for c in plan.labels if is_run(c.name)} | set(chosen.parameters)
    return moved(imported, staying, plan.of_inputs, table.chosen)


def _plan(table: Table, mapping: Mapping) -> _Plan:
    found = columns.study(table, mapping.decimal)
    roles, units = dict(mapping.roles()), dict(mapping.responses)
    numbers: list[tuple[columns.Column, Metric]] = []
    labels: list[columns.Column] = []
    warnings = list(found.warnings)
    for column in found.columns:
        if (role := roles.get(column.name, "")) == "input" and column.kind == "number":
            numbers.append((column, Metric(column.name, Kind.DETERMINISTIC, column.unit)))
        if role == "input" and _is_category(table, column):
            labels.append(column)
        if role in ("application", "input", "machine", "ignore"):
            continue
        if kind := _numeric_kind(table, column, role, unknown=mapping.missing == "keep"):
            unit = units.get(column.name)
            numbers.append((column, Metric(column.name, kind, column.unit if unit is None else unit)))
        elif column.kind == "empty":
            warnings.append(f"{table.source}: column '{column.name}' holds no values: left out.")
        else:
            labels.append(column)
            warnings += _about_label(table, column, role)
    if not numbers and mapping.needs_numbers:
        raise ReadError(f"{table.source} has no column of numbers left to model. Look at the roles of its columns.")
    by = {group.by for group in mapping.beside if group.levels and not group.setting}
    of_inputs = frozenset(name for name in (*(c.name for c in labels), *by) if name in by or roles.get(name) == "input")
    return _Plan(_likelier_first(numbers), tuple(labels), of_inputs, tuple(warnings))


def _likelier_first(numbers: Sequence[tuple[columns.Column, Metric]]) -> tuple[tuple[columns.Column, Metric], ...]:
    """Return the metrics with outcomes that nobody asks for first, or of a part of the runs, behind the others.

    A part is one phase's time, as of parsing, a host's beside its GPU's, or what few rows have; a baseline is measured
    to compare others with it. Nobody asks for what is the same in every row, or for a time that varies by a fraction
    of what a rate beside it does: the run was told how long to last.
    """
    outcomes = [pair for pair in numbers if pair[1].kind is Kind.RESPONSE]
    times = {metric for _, metric in outcomes if dimension(metric.unit, metric.name) == "time"}
    whole = {m for m in times if speaks(m.name, "whole_times") and not speaks(m.name, "cycles")}
    parts = times - whole if whole else set()
    hosts = beside_gpu(metric.name for metric in times)
    parts |= {m for m in times if m.name in hosts or speaks(m.name, "baseline") or speaks(m.name, "before_work")}
    rates = [c.numbers.values for c, m in outcomes if dimension(m.unit, m.name) == "throughput"]
    done = [c.numbers.values for c, m in numbers if m.kind in (Kind.PARAMETER, Kind.DETERMINISTIC)]
    fixed = told_to_last({m.name: c.numbers.values for c, m in outcomes if m in times}, rates, done)
    parts |= {m for m in times if m.name in fixed}
    behind = parts | {metric for column, metric in outcomes if _is_aside(column, metric)}
    known = {metric: column.numbers.n_numbers for column, metric in outcomes}
    most = max(known.values(), default=0)
    behind |= {metric for metric, n in known.items() if 2 * n < most}
    if not outcomes or outcomes[0][1] not in behind:
        return tuple(numbers)
    return tuple(sorted(numbers, key=lambda pair: pair[1] in behind))


def _is_aside(column: columns.Column, metric: Metric) -> bool:
    """Whether an outcome is a clock, voltage or temperature, never differs, or is of runs that last as long or 0."""
    what, known = dimension(metric.unit, metric.name), column.numbers.values[np.isfinite(column.numbers.values)]
    if len(known) > 1 and np.ptp(known) == 0:
        return True
    unsure = what == "time" and (_is_steady(column.numbers.values) or _ZEROS * len(known) < (known == 0).sum())
    return what in ("frequency", "voltage", "temperature") or unsure


def _is_steady(values: FloatArray) -> bool:
    """Whether nine tenths of many values lie within two hundredths of each other."""
    known = values[np.isfinite(values)]
    low, high = np.quantile(known, (0.05, 0.95)) if len(known) >= MANY_RUNS else (0.0, 1.0)
    return bool(high - low <= STEADY * abs(high))


def _label(table: Table, column: columns.Column, rows: IntArray, *, was_set: bool) -> Sequence[str]:
    """Return the texts of a label; an empty cell of what was set is a level of its own."""
    texts = label_texts(table, column.place, rows)
    return tuple(text or NOT_GIVEN for text in texts) if was_set and table.columns[column.place].empties else texts


def _is_category(table: Table, column: columns.Column) -> bool:
    """Whether a column that names the input is a text with few values in every row, a predictor therefore."""
    if column.numeric or column.kind == "empty" or column.numbers.empty.any():
        return False
    with suppress(OverflowError):
        return bool(table.columns[column.place].codes(MOST_TEXTS))
    return False


def _numeric_kind(table: Table, column: columns.Column, role: str, *, unknown: bool) -> Kind | None:
    """Return the kind of metric that a column becomes; None if it becomes a label or nothing.

    Parameters
    ----------
    unknown : whether a response may have no values at all, as in a file to predict
    """
    if role == "label":
        return None
    if column.kind == "ambiguous":
        columns.refuse_ambiguous(table, column)
    if role == "response":
        if not (unknown and columns.only_missing(table, column)):
            refuse_words(table, column, role)
        return Kind.RESPONSE
    if role in _KINDS:
        return _KINDS[role]
    if column.numeric:
        return Kind.PARAMETER if role == "parameter" else Kind.COUNTER
    return None


def refuse_words(table: Table, column: columns.Column, role: str) -> None:
    """Raise ReadError if a column that has to hold numbers has none."""
    if column.kind == "empty":
        raise ReadError(f"{table.source}: {role} '{column.name}' holds no values. Choose another column.")
    if not column.numbers.n_numbers:
        row = int(column.numbers.bad[0])
        raise ReadError(
            f"{table.place(row)}: {role} '{column.name}' holds words, such as "
            f"'{shown(table.columns[column.place][row])}', expected numbers. Choose another {role}."
        )


def _about_label(table: Table, column: columns.Column, role: str) -> list[str]:
    if role == "" and column.kind == "identifier":
        text = table.columns[column.place][int(column.numbers.bad[0])]
        holds = f"identifiers such as '{shown(text)}'"
        return [f"{table.source}: column '{column.name}' holds {holds}: kept as a label."]
    return []


def _bad_cells(table: Table, plan: _Plan, mapping: Mapping) -> tuple[columns.BadCells, ...]:
    named = [(name, role) for name, role in mapping.roles() if role in ("application", "machine")]
    return (
        *(columns.not_numbers(column, _NOUNS.get(metric.kind, "metric")) for column, metric in plan.numbers),
        *(columns.not_named(table, table.find(name), role) for name, role in named),
    )


def _kept(table: Table, bad: tuple[columns.BadCells, ...], mapping: Mapping) -> IntArray:
    """Return the rows that become trials."""
    wrong = columns.sentence(table, bad)
    if mapping.missing == "refuse" and (refused := columns.sentence(table, columns.refused(table, bad))):
        raise ReadError(refused)
    kept = np.arange(len(table))
    if mapping.missing == "drop":
        kept = np.setdiff1d(kept, columns.bad_rows(bad))
    if not len(kept):
        raise ReadError(f"No row is left of {table.source}, for each has a cell that is not as expected; {wrong}")
    return kept


def _counted(
    table: Table, plan: _Plan, bad: tuple[columns.BadCells, ...], mapping: Mapping, kept: IntArray
) -> list[str]:
    """Return what was taken over with a change: missing cells and spaces, by column."""
    empty = [(c.name, int(c.numbers.empty[kept].sum())) for c, _ in plan.numbers if table.columns[c.place].empties]
    warnings = _listed(table.source, "empty cells, taken as missing values", empty)
    told = [cells for cells in bad if mapping.missing != "drop" or cells.noun == "derived"]
    of_trial = np.zeros(len(table), dtype=np.bool_)
    of_trial[kept] = True
    words = [(table.names[cells.place], int(of_trial[cells.rows].sum())) for cells in told]
    warnings += _listed(table.source, "cells that are no numbers, taken as missing values", words)
    texts = [name for name, role in mapping.roles() if role in ("application", "input", "machine")]
    places = [table.find(name) for name in texts] + [c.place for c in plan.labels]
    spaces = [(table.names[p], table.trimmed[p]) for p in places]
    return warnings + _listed(table.source, "texts with spaces around them, which were left out", spaces)


def _listed(source: str, what: str, counts: list[tuple[str, int]]) -> list[str]:
    if not (some := sorted(((name, n) for name, n in counts if n), key=lambda pair: -pair[1])):
        return []
    named = ", ".join(f"'{shown(name)}' {n:,}" for name, n in some[:5])
    more = f" and {count(len(some) - 5, 'more column')}" if len(some) > 5 else ""
    return [f"{source}: {what}: {named}{more} ({sum(n for _, n in some):,} in all)."]


def _trials(table: Table, mapping: Mapping, plan: _Plan, rows: IntArray) -> Trials:
    machine = joined_texts(table, (mapping.machine,), "machine", rows) if mapping.machine else None
    return Trials(
        application=joined_texts(table, mapping.application, "application", rows),
        input=joined_texts(table, mapping.input, "input", rows),
        machine=constant(mapping.machine_name, len(rows)) if machine is None else machine,
        metrics=tuple(metric for _, metric in plan.numbers),
        values=table.matrix([column.numbers for column, _ in plan.numbers], rows),
        labels={c.name: _label(table, c, rows, was_set=c.name in mapping.parameters) for c in plan.labels},
        where=table.where(rows),
        parameters=tuple(c.name for c in plan.labels if c.name in mapping.parameters),
    )
