"""A second CSV: metrics of machines, or deterministic metrics of applications and inputs, joined to trials."""

from collections.abc import Sequence

import numpy as np

from core.codec import IntArray
from core.errors import ReadError, count, first_few
from core.ingest.base import SourceFile
from core.ingest.joining.keys import Key, Keys, input_keys, machine_keys
from core.ingest.joining.merge import about, merged
from core.ingest.names import shown
from core.ingest.recognition.dependence import differing_rows, facts_of, leaders
from core.ingest.recognition.words import is_identifier
from core.ingest.table import columns
from core.ingest.table.columns import Column
from core.ingest.table.table import Table, read_table
from core.ingest.table.texts import label_texts
from core.trial import Facts, Import, Kind, Metric, Skipped


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
    facts = facts_of(own, group, [Metric(c.name, kind, c.unit) for c in numbers], values, texts)
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
