"""The roles of a table's columns: those that the user states, and the others as they are recognised."""

import re
from collections.abc import Callable
from dataclasses import replace

from core.frozen import Frozen
from core.ingest._lookup import once
from core.ingest._units import KNOWN, dimension
from core.ingest.base import Mapping
from core.ingest.recognition.computed import computed
from core.ingest.recognition.derived import derived
from core.ingest.recognition.evidence import evidence
from core.ingest.recognition.headers import of_tool, units_of_tool
from core.ingest.recognition.known import Known, Verdict, Verdicts
from core.ingest.recognition.names import application, inputs, labels, machine
from core.ingest.recognition.outcomes import areas, outcomes, same_again
from core.ingest.recognition.settings import LAST, facts, judged, parameters, rest, sizes, sole_number, switches
from core.ingest.recognition.words import key
from core.ingest.table.columns import Column, study
from core.ingest.table.table import Table

_STEPS: tuple[Callable[[Known], Verdicts], ...] = (of_tool, labels, machine, application, outcomes)
_LATER: tuple[Callable[[Known], Verdicts], ...] = (inputs, judged, facts, parameters, derived, switches, sizes, rest)
_CYCLES = re.compile(
    "(cpu|gpu|gpu_sim|sim|total|num|core|elapsed)?_?(clock_?)?cycles?(_((in|ex)cl|per_).*)?|.*_cycles_per_.*"
)
_PLAIN = ("number", "mixed")
_STATED = {"metric": "counter", "ignore": "label"}


class Roles(Frozen):
    """What the columns of a table were taken for.

    Attributes
    ----------
    known : with a verdict on every column that holds anything
    columns : all columns of the table
    """

    known: Known
    columns: tuple[Column, ...]

    def mapping(self) -> Mapping:
        """Return the complete mapping."""
        known, given = self.known, self.known.given
        stated, units = dict(given.roles()), dict(given.responses)
        said = [(name, role, units.get(name)) for name, role in stated.items()]
        found = [(c.name, known.verdicts[c.name]) for c in known.seen.columns if c.name not in stated]
        rows = [*said, *((name, v.role, v.unit) for name, v in found if self._says(name))]
        return replace(given.of_columns(rows), beside=given.beside or known.beside, complete=True)

    def _says(self, name: str) -> bool:
        """Whether a mapping has to say a column's role: texts are labels anyway, and other numbers are counters."""
        role, kind = self.known.verdicts[name].role, self.known.seen.column(name).kind
        return role != "counter" and (role not in ("label", "identifier") or kind in _PLAIN)


def roles_of(table: Table, given: Mapping) -> Roles:
    """Return what the columns of a table are taken for; what `given` states stands.

    Parameters
    ----------
    given : its columns are called as in the table
    """
    return once(table.memo, ("roles", given), lambda: _told_apart(table, given))


def _told_apart(table: Table, given: Mapping) -> Roles:
    found = study(table, given.decimal).columns
    stated = {name: Verdict(_STATED.get(role, role), "chosen", 1.0) for name, role in given.roles()}
    known = Known(evidence(table, [c for c in found if c.kind != "empty"]), given, stated)
    for step in _STEPS:
        known = known.with_(step(known))
    known = _units_beside(known)
    again, beside = same_again(known)
    known = known.instead({n: v for n, v in again.items() if n not in stated})
    known = replace(known, beside=tuple(b for b in beside if not set(b.columns) & set(stated)))
    for step in _LATER:
        verdicts = {n: v for n, v in step(known).items() if n not in stated}
        known = known.instead(verdicts) if step is derived else known.with_(verdicts)
    for last in (*LAST, areas, computed):
        known = known.instead({n: v for n, v in last(known).items() if n not in stated})
    return Roles(known.instead({n: v for n, v in sole_number(known).items() if n not in stated}), found)


def _units_beside(known: Known) -> Known:
    """Give outcomes the unit that their tool, or a column called `time_unit` or `unit` says, and cycles their own."""
    seen = known.seen
    counted = [n for n in known.named("response") if not seen.column(n).unit and _CYCLES.fullmatch(key(n))]
    known = known.instead({n: replace(known.verdicts[n], unit="cycles") for n in counted})
    known = known.instead({n: replace(known.verdicts[n], unit=unit) for n, unit in units_of_tool(known).items()})
    says = [n for n in known.named("label") if key(n) in ("time_unit", "unit", "units") and seen.levels(n) == 1]
    unit = seen.texts(says[0])[0] if says else ""
    unit = unit if unit in KNOWN else unit.lower()
    what = dimension(unit)
    if unit not in KNOWN and what not in ("time", "throughput"):
        return known
    bare = [n for n in known.named("response") if not seen.column(n).unit]
    times = [n for n in bare if dimension("", n) == what or (dimension("", n) == "count" and len(bare) == 1)]
    return known.instead({n: replace(known.verdicts[n], unit=unit) for n in times})


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
    return mapping.called({name: table.names[table.find(name)] for name, _ in mapping.roles()})


def _whole_name(table: Table, name: str, unit: str | None) -> tuple[str, str | None]:
    """Return (name, unit) of a response; a colon may belong to the name instead of standing before the unit."""
    whole = f"{name}:{unit}"
    return (whole, None) if unit and name not in table.names and whole in table.names else (name, unit)
