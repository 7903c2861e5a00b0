"""What stays in doubt about a table, what is wrong with it, what its rows are and what can be asked of them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.grouped import group
from core.ingest._units import ASKED, dimension, more_is_better
from core.ingest.base import SideBySide
from core.ingest.recognition.derived import log
from core.ingest.recognition.evidence import Known
from core.ingest.recognition.importance import by_importance
from core.ingest.recognition.outcomes import LONE
from core.ingest.recognition.recognition import NONE, OUTCOME, Problem, Question, RecognisedTable
from core.ingest.recognition.settings import is_fact_table
from core.ingest.recognition.words import WORDS, is_run, tokens
from core.ingest.table.columns import nothing_came

_SWEPT = ("time", "throughput", "count", "power", "energy")
_MOST_OUTCOMES = 12
NOISE = 0.3
"""Repeats whose half-spread is above this share differ by more than noise does."""
EXPLAINED, DOUBTFUL, LEAST_KERNELS = 0.8, 0.6, 3


def questions(known: Known, file: str) -> Iterator[Question]:
    """Yield what a user could settle: the outcome, units of responses, columns in doubt, why repeats differ."""
    if outcomes := _missing_outcome(known):
        asks = "No column is named like an outcome: which one is it?"
        yield Question(OUTCOME, asks, (NONE, *outcomes), "outcome", file)
    for side in known.beside if not known.given.beside else ():
        if side.levels:
            what = {"size": "sizes of the problem", "variant": "variants"}.get(side.by, f"values of {side.by}")
            asks = f"Are {_named(side)} one outcome for {len(side.columns)} {what}, or several outcomes?"
            yield Question(side.columns[0], asks, (side.setting or what.split()[0], "outcomes"), "beside", file)
    yield from _units_asked(known, file)
    if known.given.complete:
        return
    for name, verdict in known.verdicts.items():
        if verdict.sure < DOUBTFUL and verdict.role in ("counter", "parameter"):
            choices = ("counter", "parameter") if verdict.role == "counter" else ("parameter", "counter")
            yield Question(name, f"Was {name} set before the run, or measured while it ran?", choices, "role", file)
    if explained := _explains(known):
        column, response, share = explained
        noise = f"{100 * share:.0f} % of what looks like noise among repeats"
        asks = f"{column} explains {noise} of {response}: was it set before the run?"
        yield Question(column, asks, ("yes", "no"), "explains", file)


def _units_asked(known: Known, file: str) -> Iterator[Question]:
    later = {name for side in known.beside for name in side.columns[1:]}
    stated = {name for name, unit in known.given.responses if unit is not None}
    for name in known.named("response"):
        if name not in later | stated and not known.unit(name):
            side = next((side for side in known.beside if name in side.columns), None)
            minimized = bool((known.values(name) < 0).all())
            what = known.verdicts[name].dimension or dimension("", side.response if side else name)
            asked = unit_question(name, what, file, minimized=minimized)
            yield replace(asked, asks=asked.asks.replace(f"of {name}", f"of {_named(side)}", 1)) if side else asked


def _named(side: SideBySide) -> str:
    return f"{side.columns[0]} to {side.columns[-1]}"


_FEW = 5
"""A table of so many applications may hold more than facts of a few."""


def _missing_outcome(known: Known) -> tuple[str, ...]:
    """Return the columns of numbers that may be the outcome that no column is named like, the last of a row first."""
    if known.named("response") or known.given.responses or known.given.complete:
        return ()
    facts = is_fact_table(known)
    of_facts = known.named("deterministic", "machine_metric") if facts else ()
    named = of_facts or known.named("counter") or known.named("parameter")
    counted = [n for n in named if known.column(n).numeric]
    if facts and len(known) < (LONE if known.machine else _FEW) and any(known.integers(n) for n in counted):
        return ()
    return tuple(reversed(counted)) if len(counted) <= _MOST_OUTCOMES else ()


def unit_question(name: str, dimension: str, file: str, *, minimized: bool = False) -> Question:
    """Return the question about the unit of a response of which only the dimension is known.

    Parameters
    ----------
    minimized : whether all numbers are below 0, as a tuner that minimizes writes a rate
    """
    better = "higher" if more_is_better("", name, dimension) and not minimized else "lower"
    asks = f"What is the unit of {name}? Until you answer, {better} is taken as better."
    said = not {*tokens(name)} <= WORDS["means"]  # a bare mean is one of times, or of frames per second
    return Question(name, asks, ASKED.get(dimension if said else "count", ASKED["count"]), "unit", file)


def _explains(known: Known) -> tuple[str, str, float] | None:
    """Return the column that explains most of how repeats of a response differ by more than noise, and its share."""
    if (repeats := _repeats(known)) is None:
        return None
    response, log_y, configuration = repeats
    within = group(log_y, configuration)
    typical, spread = np.median(within.mad()[within.size > 1]), np.std(_centred(log_y, configuration))
    if typical < NOISE / 3 or spread < NOISE / 2:
        return None
    total = float((_centred(log_y, configuration) ** 2).sum())
    rows = np.flatnonzero(np.isfinite(log(known.values(response))))
    best = None
    for name in known.named("counter", "label", "deterministic"):
        few = 2 <= known.levels(name) <= max(2, len(known) // 3)
        if not few or is_run(name) or known.verdicts[name].why == "chosen":
            continue
        finer = known.groups((*_configured(known), name))[rows]
        left = float((_centred(log_y, finer) ** 2).sum())
        lost = int(finer.max()) - int(configuration.max())
        free = max(len(rows) - int(configuration.max()) - 1, 1)
        share = 1 - (left / max(free - lost, 1)) / (total / free)
        if share >= EXPLAINED and (best is None or share > best[2]):
            best = (name, response, share)
    return best


def _repeats(known: Known) -> tuple[str, FloatArray, IntArray] | None:
    """Return the first response, its logarithms and configurations, where some configuration has repeats."""
    responses = by_importance(known, known.named("response")) if _configured(known) else ()
    if not responses:
        return None
    log_y = log(known.values(responses[0]))
    rows = np.flatnonzero(np.isfinite(log_y))
    configuration = known.groups(_configured(known))[rows]
    if len(rows) < 6 or int(configuration.max()) + 1 > 0.7 * len(rows):
        return None
    return responses[0], log_y[rows], configuration


def _configured(known: Known) -> tuple[str, ...]:
    return known.named("application", "input", "machine", "parameter")


def _centred(values: FloatArray, keys: IntArray) -> FloatArray:
    """Return how far each value is from the mean of its group."""
    mean = np.bincount(keys, weights=values) / np.maximum(np.bincount(keys), 1)
    apart: FloatArray = values - mean[keys]
    return apart


def answers_of(table: RecognisedTable) -> tuple[str, ...]:
    """Return what can be asked of what a profiler, a simulator or a tuner wrote."""
    if not table.named("response") or table.rows < 2:
        return ()
    found = {
        "scaling": table.holds == "kernels × configurations",
        "design_space": table.holds == "designs",
        "counters": bool(table.named("counter", "deterministic")),
    }
    return tuple(name for name, there in found.items() if there)


def rows_are(known: Known) -> str:
    """Return what the rows are."""
    if is_fact_table(known):
        return "facts"
    varied = [n for n in known.named("parameter") if known.levels(n) > 1]
    kernels = int(known.groups(known.what_ran).max(initial=-1)) + 1
    configurations = int(known.groups(_configured(known)).max(initial=-1)) + 1
    if varied and known.what_ran and kernels >= LEAST_KERNELS and configurations > kernels:
        return "kernels × configurations"
    if varied or (known.machine and known.unique(known.machine)):
        return "designs"
    return "repeats" if _configured(known) and 2 * configurations <= len(known) else "runs"


def answers(known: Known) -> tuple[str, ...]:
    """Return what can be asked of the rows, the likeliest first; nothing where one configuration was measured."""
    if not known.named("response") or one_configuration(known):
        return ()
    learnt_from = _learnt_from(known)
    varied = [n for n in learnt_from if known.verdicts[n].role == "parameter"]
    numeric = [n for n in varied if known.column(n).numeric]
    kernels = int(known.groups(known.what_ran).max(initial=-1)) + 1
    machines = known.levels(known.machine) if known.machine else 1
    points = int(known.groups(varied).max(initial=-1)) + 1 if varied else 1
    one_each = known.machine is not None and known.unique(known.machine) and machines > 4
    timed = any(known.dimension(n) in _SWEPT for n in known.named("response"))
    found = {
        "scaling": timed and bool(numeric) and kernels >= LEAST_KERNELS and points >= 2 and _grid(known, numeric),
        "design_space": (points >= 4 and kernels <= 2) or one_each,
        "counters": len(learnt_from) > len(varied) or (bool(varied) and (machines > 1 or kernels > 1)),
        "host_target": machines in range(2, 65) and not one_each and _shared(known),
    }
    found["design_space"] |= points >= 4 and not found["scaling"]
    likely = sorted(found, key=lambda name: machines > 1 and not one_each and name != "counters")
    return tuple(name for name in likely if found[name])


def _learnt_from(known: Known) -> list[str]:
    """Return what differs from row to row, and is neither a name nor an outcome."""
    names = known.named("parameter", "counter", "deterministic", "input", "machine_metric")
    return [name for name in names if known.levels(name) > 1]


def _grid(known: Known, numeric: list[str]) -> bool:
    """Whether most kernels were measured at several of the same points."""
    kernel = known.groups((*known.what_ran, *([known.machine] if known.machine else [])))
    points = known.groups(numeric)
    pairs = np.unique(np.column_stack([kernel, points]), axis=0)
    dense = len(pairs) / ((int(kernel.max()) + 1) * (int(points.max()) + 1))
    return dense >= 0.3 and int(points.max()) + 1 >= 3


def _shared(known: Known) -> bool:
    """Whether two machines ran the same."""
    if known.machine is None:
        return False
    work = known.groups((*known.what_ran, *known.named("parameter")))
    pairs = np.unique(np.column_stack([work, known.codes(known.machine)]), axis=0)
    return bool((np.bincount(pairs[:, 0]) > 1).any())


def _bad_cells(known: Known) -> Iterator[Problem]:
    for column in known.columns:
        role = known.verdicts[column.name].role
        if not column.numeric or role in ("label", "identifier", "application", "machine"):
            continue
        cells, bad = known.table.columns[column.place], column.numbers.bad
        if column.kind == "ambiguous":
            says = f"The commas of {column.name} may be decimal marks or may separate thousands."
            yield Problem(says, "Say which (--decimal point or comma).")
        elif len(bad):
            n = f"{len(bad):,} cells that are no numbers" if len(bad) > 1 else "1 cell that is no number"
            says = f"{column.name} has {n}, such as '{cells[int(bad[0])][:40]}'"
            if role == "derived" or all(text.lower() in nothing_came(role) for text in cells.different(bad)):
                yield Problem(f"{says}: taken as missing.", "Nothing needs to be done.")
            else:
                yield Problem(f"{says}.", "Drop these trials, or keep them without the value (--missing drop or keep).")


_REPEATED = Problem(
    "All rows are one configuration: they show how much it varies, and no model can be learnt from them.",
    "Measure with other inputs, settings or machines, and name these in columns of their own.",
    undescribed=True,
)
_NAMELESS = Problem(
    "The rows differ by more than repeats do, and no column says by what: no model can be learnt from them.",
    "Name what was run, set or known in columns of their own.",
    undescribed=True,
)
_MOST_REPEATED = 3.0
"""By which factor repeats of one configuration may differ."""


def _differs(values: FloatArray) -> bool:
    there = values[np.isfinite(values) & (values > 0)]
    return len(there) > 1 and float(np.median(there)) > _MOST_REPEATED * float(there.min())


def one_configuration(known: Known) -> bool:
    """Whether nothing that was set, ran or counted differs between the rows."""
    if any(side.levels for side in known.beside):
        return False
    telling = known.named("application", "input", "machine", "parameter", "deterministic", "machine_metric", "counter")
    return len(known) > 1 and all(known.levels(n) < 2 for n in telling)


def problems(known: Known) -> Iterator[Problem]:
    """Yield what is wrong with a table or was assumed, with what helps."""
    yield from _bad_cells(known)
    responses = known.named("response")
    if not responses and not _missing_outcome(known) and not is_fact_table(known) and not known.given.responses:
        yield Problem("No column is named like an outcome.", "Say which one it is (--response COL:UNIT).")
    if responses and one_configuration(known):
        yield _NAMELESS if any(_differs(known.values(n)) for n in responses) else _REPEATED
    elif responses and not is_fact_table(known) and not _learnt_from(known) and not any(s.levels for s in known.beside):
        bare = f"Beside {', '.join(responses)} there are only names: no model can be learnt from a name alone."
        helps = "Add what was counted, set or known: counters, parameters or sizes of inputs."
        if len(known) == 1:
            bare, helps = "It is one run, from which no model can be learnt.", "Import further ones with it."
        yield Problem(bare, helps, undescribed=True)
    for name in responses:
        if n := int(known.column(name).numbers.empty.sum()):
            rows = f"{n:,} row{'s' if n > 1 else ''}"
            says = f"{name} is missing in {rows}: no model learns {name} from them."
            yield Problem(says, "Nothing needs to be done.")
    for name in responses:
        values = known.values(name)
        known_values = values[np.isfinite(values)]
        alone = not any(name in side.columns for side in known.beside)
        if alone and len(known_values) > 1 and float(np.ptp(known_values)) == 0 and not one_configuration(known):
            why = f"{name} is {known_values[0]:g} in every row."
            yield Problem(why, "Look whether it was measured, and whether a spreadsheet rounded it.")
