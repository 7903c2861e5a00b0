"""Headers that well-known tools write: what their columns are, where the names alone do not tell."""

from collections.abc import Iterable
from typing import Any

from core.ingest._vocabulary import by_name, data_of, vocabulary
from core.ingest.recognition.evidence import Known, Verdict, Verdicts
from core.ingest.recognition.words import key

_TOOLS = [(called, vocabulary(own["names"]), own) for called, own in data_of(__package__, "headers.toml").items()]


def of_tool(known: Known) -> Verdicts:
    """Return the columns whose role the tool settles that wrote all names of a header.

    What comes again identifies no row, whatever the tool calls it.
    """
    called, own = _tool(column.name for column in known.columns)
    roles = by_name(own.get("roles", {}))
    free = ((name, roles.get(key(name), "")) for name in known.free)
    settled = ((n, role) for n, role in free if role and (role != "identifier" or known.unique(n)))
    return {name: Verdict(role, f"a column of {called}'s", 0.95) for name, role in settled}


def units_of_tool(known: Known) -> dict[str, str]:
    """Return the units of outcomes that the tool settles, by their columns."""
    units = by_name(_tool(column.name for column in known.columns)[1].get("units", {}))
    return {name: units[key(name)] for name in known.named("response") if key(name) in units}


def outcomes_of_tool(names: Iterable[str]) -> set[str]:
    """Return which names of a header the tool settles to be outcomes."""
    called = {key(name): name for name in names}
    responses = vocabulary(_tool(called)[1].get("roles", {}).get("response", ""))
    return {name for word, name in called.items() if word in responses}


def _tool(names: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """Return the tool that wrote a header and what is known of its columns; nothing of others."""
    there = {*map(key, names)}
    return next(((called, own) for called, header, own in _TOOLS if header <= there), ("", {}))
