"""What each column may be, guessed from its name and its cells; what the user says wins."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.codec import IntArray
from core.ingest._mapping import ColumnGuess, Mapping
from core.ingest.recognition.sweep import swept
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, is_identifier, is_outcome, is_run, key
from core.ingest.table.columns import Column, distinct_examples, study
from core.ingest.table.table import Table
from core.texts import combined, first_of_each

_KINDS = {
    "number": "numbers",
    "mixed": "numbers, but not in each cell",
    "ambiguous": "numbers whose comma has two meanings",
    "text": "words",
    "identifier": "identifiers, not quantities",
    "empty": "no values",
}


def guess(table: Table, given: Mapping | None = None) -> Mapping:
    """Return a complete mapping: roles that `given` states stand, the others are guessed.

    Raises
    ------
    OptionError
        If `given` names a column that the table has not, or one column twice.
    """
    stated = resolved(table, given or Mapping())
    if stated.complete:
        return stated
    columns = [c for c in study(table, stated.decimal).columns if c.name not in dict(stated.roles())]
    return _fill(table, stated, [c for c in columns if c.kind != "empty"])


def explain(table: Table, mapping: Mapping) -> tuple[ColumnGuess, ...]:
    """Return each column with the role that a mapping gives it, and why: the rows of a mapping table."""
    stated = resolved(table, mapping)
    return tuple(_explained(table, stated, column) for column in study(table, stated.decimal).columns)


def resolved(table: Table, mapping: Mapping) -> Mapping:
    """Return a mapping whose columns are called exactly as in the table.

    Raises
    ------
    OptionError
        If the table has no such column, or one column gets two roles.
    """
    mapping = replace(mapping, responses=tuple(_whole_name(table, name, unit) for name, unit in mapping.responses))
    names = {name: table.names[table.find(name)] for name, _ in mapping.roles()}

    def own(columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names[c] for c in columns))

    return replace(
        mapping,
        application=own(mapping.application),
        input=own(mapping.input),
        machine=names[mapping.machine] if mapping.machine else None,
        responses=tuple((names[name], unit) for name, unit in mapping.responses),
        parameters=own(mapping.parameters),
        ignore=own(mapping.ignore),
        labels=own(mapping.labels),
        metrics=own(mapping.metrics),
    )


def _whole_name(table: Table, name: str, unit: str | None) -> tuple[str, str | None]:
    """Return (name, unit) of a response; a colon may belong to the name instead of standing before the unit."""
    whole = f"{name}:{unit}"
    return (whole, None) if unit and name not in table.names and whole in table.names else (name, unit)


def _fill(table: Table, stated: Mapping, columns: list[Column]) -> Mapping:
    found = stated
    if not (found.machine or found.machine_name):
        found = replace(found, machine=_machine(table, columns))
    if not found.application:
        found = replace(found, application=_application(table, _free(columns, found), found.machine))
    outcomes = tuple((c.name, None) for c in _free(columns, found) if c.numeric and is_outcome(c.name))
    found = replace(found, responses=(*found.responses, *outcomes))
    if not found.input:
        found = _with_input(table, found, _free(columns, found))
    labels = tuple(c.name for c in _free(columns, found) if is_run(c.name) or is_identifier(c.name))
    found = replace(found, labels=(*found.labels, *labels))
    if not found.parameters:
        numbers = [c for c in _free(columns, found) if c.kind == "number"]
        found = replace(found, parameters=swept(table, found, numbers))
    return replace(found, complete=True)


def _free(columns: list[Column], mapping: Mapping) -> list[Column]:
    taken = {name for name, _ in mapping.roles()}
    return [c for c in columns if c.name not in taken]


def _machine(table: Table, columns: list[Column]) -> str | None:
    likely = [c for c in reversed(columns) if key(c.name) in MACHINE]
    named = {key(c.name): c.name for c in likely if c.kind == "text" or _repeats(table, c)}
    return next((named[word] for word in MACHINE if word in named), None)


def _application(table: Table, columns: list[Column], machine: str | None) -> tuple[str, ...]:
    named = [c for c in columns if key(c.name) in APPLICATION and not is_outcome(c.name)]
    words = [c for c in named if not c.numeric] or [c for c in named if _repeats(table, c)][:1]
    return tuple(c.name for i, c in enumerate(words) if i == 0 or _portable(table, c, machine))


def _with_input(table: Table, mapping: Mapping, columns: list[Column]) -> Mapping:
    """Take words as the input; numbers if they repeat, or as a parameter if no other metric is there."""
    named = [c for c in columns if key(c.name) in INPUT]
    words = tuple(c.name for c in named if not c.numeric)
    if words or not mapping.application:
        return replace(mapping, input=words)
    numbers = tuple(c.name for c in named if _repeats(table, c))
    others = [c for c in columns if c.numeric and c not in named and not is_run(c.name)]
    if not others:
        return replace(mapping, parameters=(*mapping.parameters, *numbers))
    return replace(mapping, input=numbers)


def _repeats(table: Table, column: Column) -> bool:
    """Whether a column is complete and its values come twice on average."""
    whole = column.kind not in ("empty", "ambiguous") and not bool(column.numbers.empty.any())
    return whole and 2 * table.columns[column.place].n_distinct(len(table) // 2 + 1) <= len(table)


def _portable(table: Table, column: Column, machine: str | None) -> bool:
    """Whether most of a column's texts were met on several machines, so that it names what ran, not where."""
    if machine is None:
        return True
    machines, names = table.columns[table.find(machine)].encoded()
    if len(names) < 2:
        return True
    own, texts = table.columns[column.place].encoded()
    return 2 * int((_n_partners(own, machines) > 1).sum()) >= len(texts)


def _n_partners(own: IntArray, other: IntArray) -> IntArray:
    return np.bincount(own[first_of_each(combined(own, other))])


def _explained(table: Table, mapping: Mapping, column: Column) -> ColumnGuess:
    role = dict(mapping.roles()).get(column.name) or _default_role(column)
    unit = next((u for name, u in mapping.responses if name == column.name and u is not None), column.unit)
    return ColumnGuess(
        name=column.name,
        unit=unit,
        role=role,
        kind=column.kind,
        examples=distinct_examples(table, column.place),
        reason=_reason(column, role),
        n_empty=int(column.numbers.empty.sum()),
        n_bad=len(column.numbers.bad) if column.numeric else 0,
    )


def _default_role(column: Column) -> str:
    if column.kind == "empty":
        return "ignore"
    return "metric" if column.numeric else "label"


def _reason(column: Column, role: str) -> str:
    named: dict[str, Callable[[str], bool]] = {
        "application": lambda name: key(name) in APPLICATION,
        "input": lambda name: key(name) in INPUT,
        "machine": lambda name: key(name) in MACHINE,
        "response": is_outcome,
    }
    if role in named:
        return f"named like {_article(role)}" if named[role](column.name) else "chosen"
    if role == "label" and is_run(column.name):
        return "number of the repeat"
    if role == "parameter" and column.numeric:
        return "takes the same values for each application, input and machine"
    if role == "label" and is_identifier(column.name):
        return "named like an identifier"
    return _KINDS[column.kind] if role == _default_role(column) else "chosen"


def _article(role: str) -> str:
    nouns = {"response": "an outcome", "application": "an application", "input": "an input"}
    return nouns.get(role, f"a {role}")
