"""Tables with one metric on each row as tables with one trial on each row: the metrics side by side."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from core.codec import IntArray
from core.errors import ReadError, count
from core.ingest._units import KNOWN, dimension, split_unit, unit_of_name
from core.ingest.names import is_there
from core.ingest.readers._base_units import ratio, scale_of
from core.ingest.recognition import words
from core.ingest.table.cells import Cells
from core.ingest.table.dialect import is_number
from core.ingest.table.shape import Shaped

if TYPE_CHECKING:
    import pandas as pd

_NAMES = ("countername", "metricname", "eventname", "counter", "metric", "event")
_NAMES_TOO = ("variable", "measure", "quantity", "kpi", "statistic")
"""Columns so named may hold metrics' names, and may as well not."""
_VALUES = ("countervalue", "metricvalue", "value", "values", "avg")
_VALUES_TOO = ("result", "reading")
_UNIT = re.compile(r"\s*[\[(]([^\[\]()]*)[\])]\s*$")
_UNITS = ("unit", "units", "metricunit", "counterunit", "uom")
_CASES = words.WORDS["cases"]
_OF_VALUES = frozenset((*_VALUES, *_VALUES_TOO, "score")) | words.STATISTIC | words.SPREAD
_OF_VALUES -= {"quantile", "percentile", "cv", "rel_stddev", "var", "variance", "mse"}
"""Words of names whose numbers are in the unit that stands beside them."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_MOST_ROWS = 4_000_000
_MOST_UNITS = 4
_LEAST_SHARE = 0.5
"""Of the metrics that a trial has in the mean, where rows belong together at all."""


def as_trials(name: str, shaped: Shaped) -> Shaped:
    """Return the rows of a run, a metric each, as one row; other tables as they are.

    Rows belong together where all columns but the metric's name, value, unit and what describes it are the same; a
    metric that comes again begins the next repeat.

    Raises
    ------
    ReadError
        If columns are named as in such a table, and rows cannot be put together.
    """
    known = ((*_NAMES, *_NAMES_TOO), (*_VALUES, *_VALUES_TOO), _UNITS)
    of, value, unit = (_place(shaped.header, keys) for keys in known)
    if of < 0 or value < 0:
        beside = _place(shaped.header, (*_UNITS, "timeunit"))
        if beside >= 0 and len(shaped.lines) <= _MOST_ROWS and len(shaped.columns[beside].encoded()[1]) > 1:
            shaped = _in_one_unit(name, _without_profiles(name, shaped, beside), beside)
        return _by_unit(name, shaped, unit)
    table = _texts(shaped) if len(shaped.lines) <= _MOST_ROWS else None
    trial = None if table is None else _trials(table, of, {value, unit})
    if table is None or trial is None:
        refuse_long_table(name, shaped.header)
        return shaped
    keys, number = trial
    first = np.unique(number, return_index=True)[1]
    metrics = list(dict.fromkeys(table[of]))
    wide = table.assign(_=number).pivot(index="_", columns=of, values=value).reindex(columns=metrics).fillna("")
    counted = f"{count(len(table), 'row')} are {count(len(wide), 'trial')} of {count(len(metrics), 'metric')}"
    dropped = [own for i, own in enumerate(shaped.header) if i not in (*keys, of, value, unit)]
    marked = _UNIT.search(shaped.header[value])
    of_all = marked[1] if marked else ""
    told = [f"{name}: {', '.join(dropped)} tell of single metrics and not of trials: left out."] if dropped else []
    named = shaped.of(keys)
    return replace(
        named,
        header=(*named.header, *(_named(table, m, of, unit, of_all) for m in metrics)),
        columns=(*(cells.take(first) for cells in named.columns), *(Cells.of(wide[m].tolist()) for m in metrics)),
        lines=shaped.lines[first],
        places=(*named.places, *[shaped.places[value]] * len(metrics)),
        warnings=(*shaped.warnings, f"{name}: one metric stands on each row: {counted}.", *told),
    )


def _without_profiles(name: str, shaped: Shaped, unit: int) -> Shaped:
    """Leave out rows in other units than benchmarks are, as JMH's profilers add them: `sort:gc.time` beside `sort`."""
    units = shaped.columns[unit].texts()
    bases = [_scale(own)[0] for own in units]
    named = [own for called, own in zip(shaped.header, shaped.columns, strict=True) if called.lower() in _CASES]
    for texts in [cells.texts() for cells in named]:
        whole = {*texts}
        added = [":" in text and text.partition(":")[0] in whole for text in texts]
        of_runs = {base for base, more in zip(bases, added, strict=True) if not more}
        left = [more and base not in of_runs for base, more in zip(bases, added, strict=True)]
        others = dict.fromkeys(own for own, more in zip(units, left, strict=True) if more)
        if others and all(map(_is_known, {*units} - {*others, ""})):
            told = f"{name}: {count(sum(left), 'row')} in {', '.join(others)}, of what ran beside benchmarks, left out."
            shaped = shaped.without(np.array(left), "what a profiler added to a benchmark, in another unit")
            return replace(shaped, warnings=(*shaped.warnings, told))
    return shaped


def _in_one_unit(name: str, shaped: Shaped, unit: int) -> Shaped:
    """Return a table whose values are in several units of a dimension, each row's beside it, in that of most rows."""
    units = shaped.columns[unit].texts()
    often = Counter(filter(None, units))
    if not all(map(_is_known, often)):
        return shaped
    most = {own: max((u for u in often if _scale(u)[0] == _scale(own)[0]), key=often.__getitem__) for own in often}
    moved = {own: _factor(own, to) for own, to in most.items() if own != to and dimension(own) != "size"}
    columns = list(shaped.columns)
    for i in [i for i, own in enumerate(shaped.header) if moved and _is_in_unit(own, {*map(dimension, moved)})]:
        pairs = [*zip(columns[i].texts(), units, strict=True)]
        if any(u in moved and re.search(r"\d", text) and not _NUMBER.fullmatch(text) for text, u in pairs):
            return shaped
        numbers = (f"{Decimal(t) * moved[u]:f}" if u in moved and _NUMBER.fullmatch(t) else t for t, u in pairs)
        columns[i] = Cells.of([*numbers])
    if not moved or columns == [*shaped.columns]:
        return shaped
    columns[unit] = Cells.of([most[own] if own in moved else own for own in units])
    into = ", ".join(f"{own} in {most[own]}" for own in moved)
    told = f"{name}: what {shaped.header[unit]} says differs from row to row: {into} was converted."
    return replace(shaped, columns=tuple(columns), warnings=(*shaped.warnings, told))


def _is_known(unit: str) -> bool:
    return unit in KNOWN or dimension(unit) in ("time", "throughput")


def _scale(unit: str) -> tuple[str, float, float]:
    """Return the base unit and how to get there, also of a time for each of what was done: `us/op`."""
    own, slash, each = unit.partition("/")
    base, many, parts = scale_of(own if slash and dimension(own) == "time" else unit)
    return f"{base}/{each}" if slash and base == "s" else base, many, parts


def _factor(unit: str, to: str) -> Decimal:
    share = ratio(_scale(unit), _scale(to))
    return (Decimal(share.numerator) / share.denominator).normalize()  # which adds no zeros


def _is_in_unit(header: str, whats: Set[str]) -> bool:
    """Whether a column without a unit of its own is one of values, or called like what the units measure."""
    if split_unit(header)[1] or unit_of_name(header):
        return False
    said = {word for word in words.tokens(header) if word.isalpha()}
    spoken = words.is_outcome(header, "") and dimension("", header) in whats
    return spoken or (said <= _OF_VALUES and bool(said - {"error"}))


def _by_unit(name: str, shaped: Shaped, unit: int) -> Shaped:
    """Return a table whose values are in several units, each row's beside it, with a column for each unit."""
    value = _place(shaped.header, (*_VALUES, *_VALUES_TOO, "score"))
    named, unit = unit >= 0, unit if unit >= 0 else _place(shaped.header, ("scale",))  # which mostly is none
    units = shaped.columns[unit].texts() if unit >= 0 <= value and len(shaped.lines) <= _MOST_ROWS else ()
    several = list(dict.fromkeys(filter(None, units)))
    if len(several) not in range(2, _MOST_UNITS + 1) or not (named or any(map(unit_of_name, several))):
        return shaped
    texts, called = shaped.columns[value].texts(), shaped.header[value]
    own = [Cells.of([t if u == one else "" for t, u in zip(texts, units, strict=True)]) for one in several]
    spelt = [unit_of_name(one) or one for one in several]  # `Frames Per Second`
    names = [f"{called} {one}" if "(" in one else f"{called} ({one})" for one in spelt]
    told = f"{name}: {called} is in {', '.join(several)}, as {shaped.header[unit]} says: each is a column."

    def put(all_: tuple[Any, ...], these: Sequence[Any]) -> tuple[Any, ...]:
        return (*all_[:value], *these, *all_[value + 1 :])

    return replace(
        shaped,
        header=put(shaped.header, names),
        columns=put(shaped.columns, own),
        places=put(shaped.places, [shaped.places[value]] * len(several)),
        units=put(shaped.units, [""] * len(several)) if shaped.units else (),
        warnings=(*shaped.warnings, told),
    )


def refuse_long_table(name: str, header: Sequence[str]) -> None:
    """Raise ReadError if each row is one counter of a run: a row must be one trial."""
    of, value = _place(header, _NAMES), _place(header, _VALUES)
    if of >= 0 and value >= 0:
        raise ReadError(
            f"{name} has one counter on each row ('{header[of]}', '{header[value]}'), expected one trial on each row. "
            "Turn the counters into columns, or use the reader of the program that wrote it."
        )


def _place(header: Sequence[str], known: Sequence[str]) -> int:
    """Return the column whose name is known, by the order of what is known; -1 if there is none."""
    plain = [re.sub(r"[\W_]", "", _UNIT.sub("", own)).lower() for own in header]
    return next((plain.index(key) for key in known if key in plain), -1)


def _texts(shaped: Shaped) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame({i: pd.Categorical(cells.texts()) for i, cells in enumerate(shaped.columns)}).astype(object)


def _trials(table: "pd.DataFrame", of: int, others: set[int]) -> tuple[list[int], IntArray] | None:
    """Return the columns that tell trials apart, and each row's trial by first appearance; None if there are none."""
    n_metrics = table[of].nunique()
    rest = [i for i in range(table.shape[1]) if i != of and i not in others]
    of_trials = [i for i in rest if table[i].nunique() == 1 or (table.groupby(of)[i].nunique() > 1).any()]
    for keys in (rest, of_trials, [i for i in of_trials if table[i].nunique() < len(table)]):
        again = table.groupby([*keys, of]).cumcount()
        number = np.asarray(table[keys].assign(_=again).groupby([*keys, "_"], sort=False).ngroup(), dtype=np.int64)
        n_trials = int(number.max()) + 1
        if n_trials > 1 < n_metrics and len(table) >= n_trials * max(2.0, _LEAST_SHARE * n_metrics):
            return keys, number
    return None


def _named(table: "pd.DataFrame", metric: str, of: int, unit: int, of_all: str) -> str:
    """Return a metric's name, with its unit where the table has one and the same for it, or one for all metrics."""
    units = set(table[unit][table[of] == metric]) if unit >= 0 else {of_all}
    said = units.pop().strip() if len(units) == 1 else ""
    return f"{metric} ({said})" if said else metric


MOST_ROWS, _LEAST_RUNS = 60, 3
_CORNERS = frozenset(("", "metric", "metrics", "name", "parameter", "property", "quantity", "measure", "counter"))
"""What stands above names of metrics, beside names of runs."""


def turned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows and columns exchanged where the first column names what was set and what came out; else none.

    Of its texts three in four have to be called like a setting, an outcome or the like, both among them unless runs
    have names; a column of the rows' numbers before them is left out. Cells beside each have to be
    all numbers or all texts, and those of the first row must not be called so.
    """
    widths = {len(row) for row in rows}
    if not 2 <= len(rows) <= MOST_ROWS or len(widths) > 1 or min(widths) <= _LEAST_RUNS:
        return []
    numbers = {tuple(row[0] for row in rows[1:])} & {tuple(map(str, range(i, i + len(rows) - 1))) for i in (0, 1)}
    (corner, *runs), *below = ([cell.strip() for cell in row[bool(numbers) :]] for row in rows)
    named = words.key(corner) in _CORNERS and not any(map(is_number, runs))
    names = [row[0] for row in below] + ([] if named else [corner])
    outcomes = [name for name in names if _is_outcome(name)]
    others = [name for name in names if name not in outcomes]
    spoken = (named or others) and 4 * sum(map(_is_spoken, others)) >= 3 * len(others) and len({*names}) == len(names)
    of_runs = not any(_is_outcome(cell) or _is_spoken(cell) or cell.lower() in words.STATISTIC for cell in runs)
    alike = all(len({*map(is_number, filter(is_there, cells))}) < 2 for _, *cells in below)
    if not (outcomes and spoken and of_runs and alike):
        return []
    return [*map(list, zip(["name" if named else corner, *runs], *below, strict=True))]


def _is_outcome(name: str) -> bool:
    own, unit = split_unit(name)
    return words.is_outcome(own, unit or unit_of_name(own)) and not own[-1:].isdigit()


def _is_spoken(name: str) -> bool:
    """Whether a name is one of a column that is no outcome."""
    own = split_unit(name)[0]
    named = words.key(own) in {*words.APPLICATION, *words.MACHINE} or words.tells_of_failure(own)
    kinds = (words.is_setting, words.is_input, words.is_counter, words.is_machine_fact, words.is_comparison)
    return named or any(kind(own) for kind in kinds)
