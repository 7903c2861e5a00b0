"""Cells that say their own unit, and durations as clocks show them, as numbers."""

import re
from dataclasses import replace

from core.ingest._units import KNOWN, letter_fits
from core.ingest.table.cells import Cells
from core.ingest.table.shape import Shaped

_WITH_UNIT = re.compile(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?( ?)([^\d\s.,;+-]\S{0,11})")
_MOST_ROWS = 1_000_000
"""Cells of more rows are taken as they are written."""
_CLOCK = r"^(?:[0-9]+-)?(?:[0-9]+:[0-5]?[0-9]:[0-5]?[0-9]|[0-9]+:[0-5][0-9])(?:\.[0-9]+)?$"
_LASTS = re.compile(r"elapsed|duration|runtime|run_?time|walltime|wall|cputime|totalcpu|latency", re.IGNORECASE)
"""What tells a duration from a time of day."""


def take_units_of_cells(shaped: Shaped) -> Shaped:
    """Take cells such as `143.20 W`, all of a column in one known unit, and `1-02:03:04` of a duration, as numbers."""
    columns, units = list(shaped.columns), list(shaped.units)
    for i, (name, cells) in enumerate(zip(shaped.header, shaped.columns, strict=True)):
        if 0 < len(cells) <= _MOST_ROWS:
            found = _in_one_unit(name, cells, units[i]) or _as_clocks(name, cells, units[i])
            columns[i], units[i] = found or (cells, units[i])
    return replace(shaped, columns=tuple(columns), units=tuple(units))


def _in_one_unit(name: str, cells: Cells, unit: str) -> tuple[Cells, str] | None:
    """Return the numbers and their unit; a single letter behind a number is one where the name speaks of it."""
    found = _WITH_UNIT.fullmatch(cells[0])
    space, own = found.groups() if found else ("", "")
    if own not in KNOWN or unit not in ("", own) or (len(own) == 1 and not space and not letter_fits(own, name)):
        return None
    same = cells.equal("") | cells.matches(rf"^[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)? ?{re.escape(own)}$")
    return (Cells.of([text.removesuffix(own).rstrip() for text in cells.texts()]), own) if same.all() else None


def _as_clocks(name: str, cells: Cells, unit: str) -> tuple[Cells, str] | None:
    """Return seconds, if all cells are days, hours, minutes and seconds as `1-02:03:04.5`, and the name one of time."""
    if unit not in ("", "s") or not _LASTS.search(name) or not re.match(_CLOCK, cells[0]):
        return None
    if not bool((cells.equal("") | cells.matches(_CLOCK)).all()):
        return None
    return Cells.of([text and _seconds(text) for text in cells.texts()]), "s"


def _seconds(text: str) -> str:
    """Return seconds as a text, with the fraction's own digits."""
    days, _, clock = text.rpartition("-")
    clock, _, fraction = clock.partition(".")
    whole = 0
    for part in clock.split(":"):
        whole = 60 * whole + int(part)
    return f"{whole + 86_400 * int(days or 0)}{fraction and '.' + fraction}"
