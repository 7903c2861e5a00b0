"""A complete mapping of a table's columns: recognised, where the user does not say it."""

from collections.abc import Mapping as Entries
from dataclasses import replace

from core.ingest._mapping import ColumnGuess, Mapping
from core.ingest.recognition.known import Verdict
from core.ingest.recognition.roles import roles_of
from core.ingest.table.columns import Column, distinct_examples, study
from core.ingest.table.table import Table

_ROLE = {"counter": "metric", "identifier": "label"}
_HOLDS = {
    "number": "numbers",
    "mixed": "numbers, but not in each cell",
    "ambiguous": "numbers whose comma has two meanings",
    "text": "words",
    "identifier": "identifiers, not quantities",
    "empty": "no values",
}


def guess(table: Table, given: Mapping | None = None) -> Mapping:
    """Return a complete mapping: roles that `given` states stand, the others are recognised.

    Raises
    ------
    OptionError
        If `given` names a column that the table has not, or one column twice.
    """
    stated = resolved(table, given or Mapping())
    return stated if stated.complete else roles_of(table, stated).mapping()


def explain(table: Table, mapping: Mapping) -> tuple[ColumnGuess, ...]:
    """Return each column with the role that a mapping gives it, and why: the rows of a mapping table."""
    stated = resolved(table, mapping)
    found = roles_of(table, Mapping(decimal=stated.decimal)).known.verdicts
    return tuple(_explained(table, stated, column, found) for column in study(table, stated.decimal).columns)


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
        mapping.each(own),
        machine=names[mapping.machine] if mapping.machine else None,
        responses=tuple((names[name], unit) for name, unit in mapping.responses),
    )


def _whole_name(table: Table, name: str, unit: str | None) -> tuple[str, str | None]:
    """Return (name, unit) of a response; a colon may belong to the name instead of standing before the unit."""
    whole = f"{name}:{unit}"
    return (whole, None) if unit and name not in table.names and whole in table.names else (name, unit)


def _explained(table: Table, mapping: Mapping, column: Column, found: Entries[str, Verdict]) -> ColumnGuess:
    stated, verdict = dict(mapping.roles()), found.get(column.name)
    role = stated.get(column.name) or ("ignore" if column.kind == "empty" else "metric" if column.numeric else "label")
    unit = next((u for name, u in mapping.responses if name == column.name and u is not None), column.unit)
    return ColumnGuess(
        name=column.name,
        unit=unit,
        role=role,
        kind=column.kind,
        examples=distinct_examples(table, column.place),
        reason=verdict.why
        if verdict and _ROLE.get(verdict.role, verdict.role) == role
        else "chosen"
        if column.name in stated
        else _HOLDS[column.kind],
        n_empty=int(column.numbers.empty.sum()),
        n_bad=len(column.numbers.bad) if column.numeric else 0,
    )
