"""The roles of a table's columns: those that the user states, and the others as they are recognised."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from core.codec import FloatArray
from core.frozen import Frozen
from core.ingest._lookup import once
from core.ingest._units import KNOWN, dimension
from core.ingest.base import Mapping
from core.ingest.recognition.derived import MOST_ROWS, derived, digits, log
from core.ingest.recognition.evidence import Known, Verdict, Verdicts, rows_seen
from core.ingest.recognition.inputs import inputs
from core.ingest.recognition.labels import labels
from core.ingest.recognition.names import application, machine
from core.ingest.recognition.outcomes import areas, outcomes
from core.ingest.recognition.settings import LAST, facts, judged, parameters, rest, sizes, sole_number, switches
from core.ingest.recognition.statistics import same_again
from core.ingest.recognition.tools import of_tool, units_of_tool
from core.ingest.recognition.words import is_counter, is_launch, is_setting, key, tokens
from core.ingest.table.columns import Column, study
from core.ingest.table.table import Table

_MOST_FACTORS, _MOST_SUMMED = 8, 4
"""Columns of a product of powers, and of a sum of products of some of them."""
_SPARE = 2
"""Rows for each coefficient that is looked for; and there are more different numbers than coefficients."""
_EXACT, _TELLING = 1e-6, 100.0
"""Relative error beyond the digits written, and how many times more numbers have to vary."""


def computed(known: Known) -> Verdicts:
    """Return numbers that are an exact product of powers, or a sum of products, of sizes and settings.

    They were known before the run, but cannot be set by themselves: of columns that follow from each other, those with
    fewer values, or further left, were set.
    """
    if known.wide or not known.named("response"):
        return {}
    rows = np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_ROWS)).astype(np.int64))
    numbers = [n for n in known.numbers("parameter", "input", "counter") if known.levels(n) > 1]
    counted = known.named("counter")
    columns = ((n, known.values(n)[rows]) for n in sorted(numbers, key=lambda n: (n in counted, known.different(n))))
    values = {n: own for n, own in columns if np.isfinite(own).all()}
    made = [n for n in values if n not in known.named("input") and known.verdicts[n].why != "chosen"]
    made = [n for n in made if tokens(n)[-1:] == ["intensity"] or not (is_setting(n) or is_launch(n) or is_counter(n))]
    found: Verdicts = {}
    were_set: set[str] = set()
    for _ in range(2):  # what follows from columns that follow themselves comes second
        for i, name in enumerate(values):
            base = [n for j, n in enumerate(values) if n in found or (j < i and n not in counted)]
            if name not in made or name in {*found, *were_set} or not base:
                continue
            if _follows(values[name], [values[n] for n in base]):
                found[name] = Verdict("deterministic", "computed from sizes or settings", 0.8)
                were_set |= {*base}
    return found


def _follows(x: FloatArray, base: Sequence[FloatArray]) -> bool:
    """Whether numbers are a product of powers of some columns, or they or their inverses are a sum of such products.

    An arithmetic intensity is one over a sum of inverses, of all sizes.
    """
    some = base[:_MOST_SUMMED]
    sums = [np.prod(own, axis=0) for k in range(1, len(some) + 1) for own in combinations(some, k)]
    slack = _EXACT + (0 * x if (x == np.round(x)).all() else 2 * digits(x))
    if not x.all() or _TELLING * float(slack.max()) > float(np.ptp(x)) / float(np.abs(x).max()):
        return False
    one, levels = np.ones(len(x)), len(np.unique(x))
    ways = [(one, [own / x for own in (one, *sums)])]
    if all(bool((own > 0).all()) for own in (x, *base)):
        few = base[:_MOST_FACTORS]
        ways += [(one, [x / own for own in (one, *some)]) for some in (sums, few)] + [(log(x), [one, *map(log, few)])]
    most = min(levels - 1, len(x) // _SPARE)
    return any(len(columns) <= most and _explains(columns, y, slack) for y, columns in ways)


def _explains(columns: Sequence[FloatArray], y: FloatArray, slack: FloatArray) -> bool:
    A = np.column_stack(columns)
    size = np.maximum(np.abs(A).max(axis=0), 1e-300)
    left = y - A @ (np.linalg.lstsq(A / size, y, rcond=1e-13)[0] / size)
    return bool((np.abs(left) <= slack).all())


_STEPS: tuple[Callable[[Known], Verdicts], ...] = (of_tool, labels, machine, application, outcomes)
_LATER: tuple[Callable[[Known], Verdicts], ...] = (inputs, judged, facts, parameters, derived, switches, sizes, rest)
_CYCLES = re.compile(
    "(cpu|gpu|gpu_sim|sim|total|num|core|elapsed)?_?(clock_?)?cycles?(_count|_((in|ex)cl|per_).*)?|.*_cycles_per_.*"
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
        found = [(c.name, known.verdicts[c.name]) for c in known.columns if c.name not in stated]
        rows = [*said, *((name, v.role, v.unit) for name, v in found if self._says(name))]
        return replace(given.of_columns(rows), beside=given.beside or known.beside, complete=True)

    def _says(self, name: str) -> bool:
        """Whether a mapping has to say a column's role: texts are labels anyway, and other numbers are counters."""
        role, kind = self.known.verdicts[name].role, self.known.column(name).kind
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
    filled = tuple(c for c in found if c.kind != "empty")
    known = Known(table, filled, rows_seen(table), given=given, verdicts=stated)
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
    counted = [n for n in known.named("response") if not known.column(n).unit and _CYCLES.fullmatch(key(n))]
    known = known.instead({n: replace(known.verdicts[n], unit="cycles") for n in counted})
    known = known.instead({n: replace(known.verdicts[n], unit=unit) for n, unit in units_of_tool(known).items()})
    says = [n for n in known.named("label") if key(n) in ("time_unit", "unit", "units") and known.levels(n) == 1]
    unit = known.texts(says[0])[0] if says else ""
    unit = unit if unit in KNOWN else unit.lower()
    what = dimension(unit)
    if unit not in KNOWN and what not in ("time", "throughput"):
        return known
    rates = [n for n in known.free_numbers if key(n) == "rate" and what == "throughput"]
    known = known.with_(
        dict.fromkeys(rates, Verdict("response", "a rate, as the unit beside it says", 0.75, unit=unit))
    )
    bare = [n for n in known.named("response") if not known.column(n).unit]
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
    return (whole, None) if unit is not None and name not in table.names and whole in table.names else (name, unit)
