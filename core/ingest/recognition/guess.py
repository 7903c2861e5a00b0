"""A complete mapping of a table's columns: recognised, where the user does not say it."""

from dataclasses import replace

from core.ingest._mapping import Mapping
from core.ingest.recognition.roles import roles_of
from core.ingest.table.table import Table


def guess(table: Table, given: Mapping | None = None) -> Mapping:
    """Return a complete mapping: roles that `given` states stand, the others are recognised.

    Raises
    ------
    OptionError
        If `given` names a column that the table has not, or one column twice.
    """
    stated = resolved(table, given or Mapping())
    return stated if stated.complete else roles_of(table, stated).mapping()


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
