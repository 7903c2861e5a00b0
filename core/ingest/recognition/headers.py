"""Tables that well-known tools write: their headers say what columns are whose names alone do not tell it."""

from typing import Any

from core.ingest._vocabulary import by_name, data_of, vocabulary
from core.ingest.recognition.known import Known, Verdict, Verdicts
from core.ingest.recognition.words import key

_TOOLS = data_of(__package__, "headers.toml")


def of_tool(known: Known) -> Verdicts:
    """Return the columns whose role the tool settles that wrote all names of a header."""
    called, own = _tool(known)
    roles = by_name(own.get("roles", {}))
    free = ((name, roles.get(key(name), "")) for name in known.free)
    return {name: Verdict(role, f"a column of {called}'s", 0.95) for name, role in free if role}


def units_of_tool(known: Known) -> dict[str, str]:
    """Return the units of outcomes that the tool settles, by their columns."""
    units = by_name(_tool(known)[1].get("units", {}))
    return {name: units[key(name)] for name in known.named("response") if key(name) in units}


def _tool(known: Known) -> tuple[str, dict[str, Any]]:
    """Return the tool that wrote a table and what is known of its columns; nothing of others."""
    there = {key(column.name) for column in known.seen.columns}
    return next(((called, own) for called, own in _TOOLS.items() if vocabulary(own["names"]) <= there), ("", {}))
