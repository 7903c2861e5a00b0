"""Facts of several files into one import: each metric has one place, and no two files contradict each other."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError, count, first_few
from core.frozen import Frozen
from core.ingest._lookup import first_by_key
from core.ingest.base import SourceFile
from core.ingest.joining.keys import Key, Keys, input_keys, machine_keys
from core.ingest.names import shown, stem
from core.ingest.recognition.dependence import differing_rows, facts_of, leaders
from core.ingest.recognition.words import is_identifier
from core.ingest.table import columns
from core.ingest.table.columns import Column
from core.ingest.table.table import Table, read_table
from core.ingest.table.texts import label_texts
from core.trial import ROLES, Facts, Import, Kind, Metric, Skipped, Trials


class Located(Frozen):
    """An import and where its file was: the path inside the folder that was given, or its bare name.

    Attributes
    ----------
    describes : of a file that describes machines, the formats whose runs these are; empty for any
    of_run : whether what it describes was set for the runs beside it
    """

    path: str
    family: str
    imported: Import
    describes: tuple[str, ...] = ()
    of_run: bool = False


def united(parts: Iterable[Facts | None], notes: list[str]) -> Facts | None:
    """Return the facts of all files; where two contradict each other the first counts, and that is noted."""
    if not (known := [facts for facts in parts if facts is not None]):
        return None
    places = {key: row for row, key in enumerate(dict.fromkeys(key for facts in known for key in facts.keys))}
    rows = [[places[key] for key in facts.keys] for facts in known]
    metrics, values, labels, differing = overlaid(known, rows, len(places))
    notes += [f"'{shown(name)}' differs between the files of the run: the first value counts." for name in differing]
    return Facts(tuple(places), metrics, values, labels)


Overlaid = tuple[tuple[Metric, ...], FloatArray, dict[str, tuple[str, ...]], dict[str, float]]
"""Metrics, values, labels, and by metric how far others lie at most from the value that counts, as a share."""


def overlaid(parts: Sequence[Trials | Facts], rows: Sequence[Sequence[int]], n: int) -> Overlaid:
    """Return what several parts say of `n` rows, of each of which the first value and the first text count.

    Parameters
    ----------
    rows : per part, which row each of its own is
    """
    metrics = first_by_key((metric.name, metric) for part in parts for metric in part.metrics)
    columns = {name: i for i, name in enumerate(metrics)}
    values = np.full((n, len(metrics)), np.nan)
    labels: dict[str, list[str]] = {}
    differing: dict[str, float] = {}
    for part, own in zip(parts, rows, strict=True):
        names = [metric.name for metric in part.metrics]
        where = np.ix_(np.array(own, dtype=np.int64), np.array([columns[name] for name in names], dtype=np.int64))
        before, new = values[where], part.values
        values[where] = np.where(np.isnan(before), new, before)
        differ = ~np.isnan(before) & ~np.isnan(new) & (before != new)
        for j in np.flatnonzero(differ.any(axis=0)).tolist():
            old, other = before[differ[:, j], j], new[differ[:, j], j]
            size = float((np.abs(old - other) / np.maximum(np.abs(old), np.abs(other))).max())
            differing[names[j]] = max(differing.get(names[j], 0.0), size)
        for name, texts in part.labels.items():
            known = labels.setdefault(name, [""] * n)
            for row, text in zip(own, texts, strict=True):
                known[row] = known[row] or text
    return tuple(metrics.values()), values, {name: tuple(texts) for name, texts in labels.items()}, differing


def about(facts: Facts, keys: Container[tuple[str, ...]]) -> Facts | None:
    """Return what the facts say of some keys; None if nothing."""
    rows = [row for row, key in enumerate(facts.keys) if key in keys]
    return facts.take(rows) if rows else None


def with_name(machines: Facts | None, name: str) -> Facts | None:
    """Return the facts about a machine without a name as facts about the one that is called so."""
    if machines is None or ("",) not in machines.keys or (name,) in machines.keys:
        return machines
    return replace(machines, keys=tuple((key[0] or name,) for key in machines.keys))


def original_units(files: Sequence[Located]) -> dict[str, str]:
    """Return each metric's unit as the first of the files wrote it."""
    return first_by_key(pair for file in files for pair in file.imported.original_units.items())


def merged(imported: Import, facts: Facts, source: str, skipped: Iterable[Skipped], told: Iterable[str]) -> Import:
    """Return the import with the facts of another file, and what was skipped and told of it.

    Columns that both files had alike are told too.

    Raises
    ------
    ReadError
        If the import has a metric or label of the same name with other values.
    """
    notes: list[str] = []
    places = {metric.name: place for place, metric in enumerate(facts.metrics)}
    for name in (*places, *facts.labels):
        if (old := _known_texts(imported, name, source, numeric=name in places)) is not None:
            trials, place = imported.trials, places.get(name)
            texts = spread_texts(facts, trials, name) if place is None else _texts(spread(facts, trials)[:, place])
            _refuse_other(imported, name, source, old, texts)
            imported = imported.without({name})
            notes.append(f"'{name}' is in {imported.source} and in {source} alike: taken from {source}.")
    whole = replace(
        imported,
        source=f"{imported.source} + {source}",
        skipped=(*imported.skipped, *(replace(s, where=f"{source} {s.where}") for s in skipped)),
        warnings=(*imported.warnings, *told, *notes),
    )
    if len(facts.keys[0]) == 1:
        return replace(whole, machines=united([imported.machines, facts], []))
    return replace(whole, inputs=united([imported.inputs, facts], []))


def spread(facts: Facts, trials: Trials) -> FloatArray:
    """Return the facts' values per trial, of shape (n_trials, n_metrics); NaN where there is no row."""
    rows = _rows(facts, trials)
    padded = np.vstack([facts.values, np.full((1, len(facts.metrics)), np.nan)])
    return np.asarray(padded[rows], dtype=np.float64)


def _rows(facts: Facts, trials: Trials) -> IntArray:
    """Return the facts' row of each trial; -1 if there is none."""
    places = {key: row for row, key in enumerate(facts.keys)}
    ran = zip(trials.machine) if len(facts.keys[0]) == 1 else zip(trials.application, trials.input, strict=True)
    return np.array([places.get(key, -1) for key in ran], dtype=np.int64)


def spread_texts(facts: Facts, trials: Trials, name: str) -> tuple[str, ...]:
    """Return a label's texts per trial; "" where there is no row."""
    texts = (*facts.labels[name], "")
    return tuple(texts[row] for row in _rows(facts, trials))


def per_trial(imported: Import) -> dict[str, tuple[Metric, FloatArray]]:
    """Return each metric with its values, arrays of shape (n_trials,), NaN where there is none.

    A trial's own measurement comes first, then what is known of its input, then of its machine.
    """
    found: dict[str, tuple[Metric, FloatArray]] = {}
    for facts in filter(None, (imported.machines, imported.inputs)):
        values = spread(facts, imported.trials)
        found |= {m.name: (m, values[:, j]) for j, m in enumerate(facts.metrics)}
    own = imported.trials
    return found | {m.name: (m, own.values[:, j]) for j, m in enumerate(own.metrics)}


def trials_table(imported: Import, file: str) -> Table:
    """Return the trials that were made of a file as a table: what ran, on what and where, labels, and metrics."""
    import pandas as pd

    roles = {role: getattr(imported.trials, role) for role in ROLES}
    texts = {name: own for name, own in {**roles, **labels_per_trial(imported)}.items() if any(own)}
    numbers = {name: values for name, (_, values) in per_trial(imported).items()}
    text = pd.DataFrame({**texts, **numbers}).to_csv(index=False)
    return read_table(SourceFile(f"{stem(file)}.csv", text.encode()))


def labels_per_trial(imported: Import) -> dict[str, tuple[str, ...]]:
    """Return each label with its texts per trial, "" where there is none; a trial's own come first."""
    known = filter(None, (imported.machines, imported.inputs))
    found = {name: spread_texts(facts, imported.trials, name) for facts in known for name in facts.labels}
    return found | {name: tuple(texts) for name, texts in imported.trials.labels.items()}


def _known_texts(imported: Import, name: str, source: str, *, numeric: bool) -> Sequence[str] | None:
    """Return what the import has per trial under the name of a new metric or label; None if nothing."""
    words = any(name in part.labels for part in imported.parts)
    numbers = [metric for metric in imported.metrics if metric.name == name]
    if words if numeric else numbers:
        other = "numbers, but words" if numeric else "words, but numbers"
        raise ReadError(f"{source}: '{name}' holds {other} in {imported.source}. Rename one of them.")
    if numbers and numbers[0].kind in (Kind.RESPONSE, Kind.PARAMETER):
        raise ReadError(f"{source}: '{name}' is a {numbers[0].kind} of {imported.source}. Rename one of them.")
    if numbers:
        return _texts(per_trial(imported)[name][1])
    return labels_per_trial(imported)[name] if words else None


def _texts(values: FloatArray) -> tuple[str, ...]:
    """Return numbers as texts, a missing one as the empty text."""
    return tuple("" if value != value else repr(value) for value in values.tolist())


def _refuse_other(imported: Import, name: str, source: str, old: Sequence[str], new: Sequence[str]) -> None:
    for row, (before, after) in enumerate(zip(old, new, strict=True)):
        if before != after:
            where = imported.trials.where[row] if imported.trials.where else f"trial {row + 1}"
            raise ReadError(
                f"{source}: '{name}' is {_or_missing(after)} for the trial on {where} of {imported.source}, "
                f"which has {_or_missing(before)}. Correct one of the files, or ignore '{name}' in {imported.source}."
            )


def _or_missing(text: str) -> str:
    return f"'{text.removesuffix('.0')}'" if text else "missing"


def join_machines(
    imported: Import, file: SourceFile, key: str | None = None, missing: str = "refuse", decimal: str = ""
) -> Import:
    """Return the import with the machine metrics and labels of a CSV, one row per machine.

    Parameters
    ----------
    imported : the trials
    file : the CSV
    key : the column that names the machine; found by its name and its cells if not given
    missing : what a cell that is no number does: "refuse" the file, "drop" the machine's row, or
        "keep" the row without that value; empty cells are missing values
    decimal : "point", "comma", or "" to take a comma only where the file proves it

    Raises
    ------
    OptionError
        If the file has no column `key`.
    ReadError
        If no row names a machine of the trials, a machine is there twice with different values, or
        a metric contradicts one that the trials have already.
    """
    table = read_table(file)
    return _joined(imported, table, machine_keys(table, imported, key), Kind.MACHINE, missing, decimal)


def join_inputs(
    imported: Import,
    file: SourceFile,
    application: Sequence[str] = (),
    input: Sequence[str] = (),
    missing: str = "refuse",
    decimal: str = "",
) -> Import:
    """Return the import with deterministic metrics and labels, one row per application and input.

    Where the file names no input, a row holds for all inputs of its application.

    Parameters
    ----------
    imported : the trials
    file : the CSV
    application, input : the columns that name them; found by their names and cells if not given
    missing, decimal : as in `join_machines`

    Raises
    ------
    OptionError
        If the file has no such column.
    ReadError
        As in `join_machines`.
    """
    table = read_table(file)
    found = input_keys(table, imported, application, input)
    return _joined(imported, table, found, Kind.DETERMINISTIC, missing, decimal)


def _joined(imported: Import, table: Table, keys: Keys, kind: Kind, missing: str, decimal: str) -> Import:
    facts, skipped, warnings = _read(table, keys, kind, missing, decimal)
    trials, noun = imported.trials, "machine" if kind is Kind.MACHINE else "application and input"
    ran = zip(trials.machine) if kind is Kind.MACHINE else zip(trials.application, trials.input, strict=True)
    wanted: list[Key] = list(dict.fromkeys(ran))
    if kind is Kind.DETERMINISTIC and not keys.by_input:
        facts = _for_all_inputs(facts, wanted)
    facts, told = _of_trials(table, facts, wanted, noun)
    return merged(imported, facts, table.source, skipped, (*warnings, *told))


def _read(table: Table, key: Keys, kind: Kind, missing: str, decimal: str) -> tuple[Facts, list[Skipped], list[str]]:
    """Return the facts as a file gives them, one row per key, what was skipped, and what was noticed."""
    numbers, labels, warnings = _sorted_columns(table, key.columns, kind, decimal)
    bad = [columns.not_numbers(c, f"{kind} metric") for c in numbers]
    bad += [columns.not_named(table, place, "the name in") for place in key.required]
    wrong, rows = columns.sentence(table, bad), np.arange(len(table))
    if missing == "refuse" and (told := columns.sentence(table, columns.refused(table, bad))):
        raise ReadError(told)
    if missing == "drop":
        rows = np.setdiff1d(rows, columns.bad_rows(bad))
    elif wrong:
        warnings.append(f"Taken as missing: {wrong}")
    facts, repeated = _of_rows(table, numbers, labels, key.keys, rows, kind)
    if repeated:
        warnings.append(f"{table.source}: {count(repeated, 'row')} left out: others say the same.")
    return facts, [*table.skipped, *(columns.skipped_rows(table, bad) if missing == "drop" else ())], warnings


def _of_rows(
    table: Table, numbers: Sequence[Column], labels: Sequence[Column], keys: Sequence[Key], rows: IntArray, kind: Kind
) -> tuple[Facts, int]:
    """Return the facts in some rows, and how many rows repeat another."""
    own = [keys[row] for row in rows.tolist()]
    group = leaders(own)
    values = np.column_stack([np.zeros((len(rows), 0)), *(c.numbers.values[rows] for c in numbers)])
    texts = {c.name: label_texts(table, c.place, rows) for c in labels}
    for column, codes in zip((*numbers, *labels), (*values.T, *map(leaders, texts.values())), strict=True):
        for row in differing_rows(group, codes)[:1].tolist():
            _refuse_twice(table, int(rows[row]), int(rows[group[row]]), own[row], column)
    facts = facts_of(own.__getitem__, group, [Metric(c.name, kind, c.unit) for c in numbers], values, texts)
    return facts, len(rows) - len(facts.keys)


def _sorted_columns(
    table: Table, keys: Sequence[int], kind: Kind, decimal: str
) -> tuple[list[Column], list[Column], list[str]]:
    """Return (columns of numbers, columns of texts, what was noticed)."""
    found = columns.study(table, decimal)
    numbers: list[Column] = []
    labels: list[Column] = []
    warnings = [*table.warnings, *found.warnings]
    for column in found.columns:
        if column.place in keys:
            continue
        if column.kind == "ambiguous":
            columns.refuse_ambiguous(table, column)
        if column.kind == "empty":
            warnings.append(f"{table.source}: column '{column.name}' holds no values: left out.")
        elif column.numeric and not is_identifier(column.name):
            numbers.append(column)
        else:
            labels.append(column)
    if not numbers and not labels:
        raise ReadError(f"{table.source} has no column beside its key, so there is no {kind} metric to join.")
    return numbers, labels, warnings


def _refuse_twice(table: Table, row: int, other: int, key: Key, column: Column) -> None:
    cells = table.columns[column.place]
    raise ReadError(
        f"{table.place(row)}: '{_name(key)}' is there twice, with '{column.name}' '{shown(cells[row])}' here and "
        f"'{shown(cells[other])}' on line {table.lines[other]}. Keep one of the rows."
    )


def _for_all_inputs(facts: Facts, wanted: Sequence[Key]) -> Facts:
    """Return facts about applications as facts about each of their inputs; rows without trials stay as they are."""
    places = {key[0]: row for row, key in enumerate(facts.keys)}
    pairs = [(key, places[key[0]]) for key in wanted if key[0] in places]
    used = {row for _, row in pairs}
    pairs += [((key[0], ""), row) for row, key in enumerate(facts.keys) if row not in used]
    return facts.take([row for _, row in pairs], [key for key, _ in pairs])


def _of_trials(table: Table, facts: Facts, wanted: Sequence[Key], noun: str) -> tuple[Facts, list[str]]:
    """Return the facts about what the trials have, and what is missing or too much."""
    known, needed = set(facts.keys), set(wanted)
    if (found := about(facts, needed)) is None:
        has = f"; it has '{_name(facts.keys[0])}' and so on" if facts.keys else ""
        raise ReadError(
            f"{table.source} has no row for any {noun} of the trials, such as '{_name(wanted[0])}'{has}. "
            "Use the same names in both files."
        )
    warnings = []
    if absent := [key for key in wanted if key not in known]:
        warnings.append(f"{table.source} has no row for {_names(absent, noun)}: missing values.")
    if extra := [key for key in facts.keys if key not in needed]:
        warnings.append(f"{table.source}: without trials, and left out: {_names(extra, noun)}.")
    return found, warnings


def _name(key: Key) -> str:
    return shown(" / ".join(part for part in key if part))


def _names(keys: Sequence[Key], noun: str) -> str:
    named = [f"'{_name(key)}'" for key in keys]
    return f"{noun} {first_few(named, 8)}"
