"""Read a dataset as arrays: values scattered into matrices by (row, column), never pivoted in SQL."""

from collections.abc import Iterator, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import numpy.typing as npt

from core.arrow import numbers as arrow_numbers
from core.arrow import plain
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError, StoreError
from core.registry import unknown
from core.store._connection import Cursor, every, one
from core.store._narrow import Narrowed, label_names, narrowed, number_of
from core.store._rows import among
from core.store.cards import Condition
from core.texts import CodedTexts, coded, constant, texts_at
from core.trial import ROLES, Kind, Metric

_COMPARISONS = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
CELLS = 4_000_000
"""Values that are read in one statement."""


class Table(Frozen):
    """The trials of a dataset without their values, in the order of their numbers.

    Attributes
    ----------
    number, input, machine, run : arrays of shape (n_trials,)
    setting, excluded : per trial, the parameters as one text, and which rules exclude it and why
    texts : per role and label, one text per trial
    """

    number: IntArray
    ids: tuple[str, ...]
    input: IntArray
    machine: IntArray
    run: IntArray
    setting: CodedTexts
    excluded: CodedTexts
    texts: Mapping[str, CodedTexts]

    def __len__(self) -> int:
        return len(self.number)


def read_table(cursor: Cursor, home: int, where: Sequence[Condition] = ()) -> Table:
    """Return a dataset's trials with their roles, labels and exclusions.

    Parameters
    ----------
    where : a filter; trials that surely do not fulfil it may be left out, `select` has the last word

    Raises
    ------
    StoreError
        If there are too many to be held in memory.
    """
    some = narrowed(cursor, home, where)
    rows = cursor.sql(
        "SELECT t.number, t.id::VARCHAR AS id, t.application, t.input, t.machine, t.run, t.setting "
        f"{some.rows} ORDER BY t.number",
        params=list(some.values),
    ).to_arrow_table()
    numbers = {name: _numbers(rows[name]) for name in ("number", "input", "machine", "run")}
    owners = {**numbers, "application": _numbers(rows["application"])}
    texts = {role: _named(cursor, role, owners[role]) for role in ROLES}
    excluded = _exclusions(cursor, home, numbers["number"])
    ids, setting = tuple(rows["id"].to_pylist()), _coded(rows["setting"])
    if one(cursor, "SELECT 1 FROM source WHERE dataset = ? OFFSET 1", [home]):
        setting = _in_one_order(setting)
    table = Table(**numbers, ids=ids, setting=setting, excluded=excluded, texts=texts)
    texts |= _labels(cursor, home, table, some)
    return table


def read_owners(cursor: Cursor, home: int) -> Table:
    """Return a dataset's trials by their numbers alone: enough for `read_values`."""
    sql = "SELECT number, input, machine, run FROM trial WHERE dataset = ? ORDER BY number"
    rows = {name: np.asarray(own, dtype=np.int64) for name, own in cursor.execute(sql, [home]).fetchnumpy().items()}
    nothing = constant("", len(rows["number"]))
    return Table(**rows, ids=(), setting=nothing, excluded=nothing, texts={})


def _named(cursor: Cursor, role: str, owners: IntArray) -> CodedTexts:
    """Return the names of applications, inputs or machines by their numbers."""
    known, place = np.unique(owners, return_inverse=True)
    names = dict(every(cursor, f"SELECT id, name FROM {role} WHERE {among('id', known.tolist())}"))
    return texts_at(place.reshape(-1), [str(names[owner]) for owner in known.tolist()])


def read_metrics(cursor: Cursor, home: int) -> dict[str, tuple[int, Metric]]:
    """Return the metrics of a dataset by name, with their ids, in the order they came."""
    rows = every(cursor, "SELECT id, name, kind, unit FROM metric WHERE dataset = ? ORDER BY id", [home])
    return {str(name): (int(id), Metric(str(name), Kind(kind), str(unit))) for id, name, kind, unit in rows}


def read_values(cursor: Cursor, table: Table, ids: Sequence[int]) -> FloatArray:
    """Return the values of metrics, array of shape (n_trials, n_metrics), NaN where there is none.

    A trial's own measurement comes first, then what is known of its input, then of its machine.
    """
    values = np.full((len(ids), len(table)), np.nan)
    if not len(table) or not ids:
        return values.T
    for name, owners in (("machine_metric", table.machine), ("input_metric", table.input)):
        _scatter_facts(cursor, name, ids, owners, values)
    step = max(1, CELLS // len(table))
    for start in range(0, len(ids), step):
        scatter(cursor, table.number, ids[start : start + step], values[start : start + step])
    return values.T


def scatter(cursor: Cursor, numbers: IntArray, ids: Sequence[int], values: FloatArray) -> None:
    """Put what was measured in some trials into an array of shape (n_metrics, n_trials)."""
    sql = f"SELECT metric, trial, value FROM measurement WHERE {among('metric', ids)} AND trial BETWEEN ? AND ?"
    import pandas as pd

    low, high = int(numbers[0]), int(numbers[-1])
    if sparse := high - low + 1 > 2 * len(numbers):
        cursor.register("wanted_trial", pd.DataFrame({"number": numbers}))
        sql += " AND trial IN (SELECT number FROM wanted_trial)"
    try:
        found = cursor.execute(sql, [low, high]).fetchnumpy()
    finally:
        if sparse:
            cursor.unregister("wanted_trial")
    row = _position(np.asarray(found["trial"], dtype=np.int64), numbers)
    column = _column(np.asarray(found["metric"], dtype=np.int64), ids)
    values[column[row >= 0], row[row >= 0]] = np.asarray(found["value"], dtype=np.float64)[row >= 0]


def select(cursor: Cursor, home: int, table: Table, where: Sequence[Condition]) -> BoolArray:
    """Return which trials fulfil all conditions.

    Raises
    ------
    OptionError
        If a column is unknown, or a number is compared with a text.
    """
    keep = np.ones(len(table), dtype=bool)
    metrics = read_metrics(cursor, home) if where else {}
    for column, sign, value in where:
        if column in table.texts:
            own = table.texts[column]
            keep &= compare_texts(np.array(own.texts, dtype=object), column, sign, value)[own.codes]
        elif column in metrics:
            numbers = read_values(cursor, table, [metrics[column][0]])[:, 0]
            keep &= compare_numbers(numbers, column, sign, value)
        else:
            known = ", ".join([*table.texts, *metrics])
            holds = [name for name, own in table.texts.items() if value and value in own.texts]
            meant = f" '{value}' stands in {holds[0]}: {holds[0]}{sign}{value}." if holds else ""
            raise OptionError(f"There is no column '{column}' to filter by; there are: {known}.{meant}")
    return keep


def take(table: Table, rows: IntArray) -> Table:
    """Return some trials of a table; the table itself where these are all."""
    if len(rows) == len(table) and np.array_equal(rows, np.arange(len(rows))):
        return table

    def own(column: CodedTexts) -> CodedTexts:
        return texts_at(column.codes[rows], column.texts)

    numbers = {name: getattr(table, name)[rows] for name in ("number", "input", "machine", "run")}
    ids = tuple(map(table.ids.__getitem__, rows.tolist()))
    texts = {name: own(column) for name, column in table.texts.items()}
    return Table(**numbers, ids=ids, setting=own(table.setting), excluded=own(table.excluded), texts=texts)


HEADERS = ("{} [{}]", "{} ({})", "{}/{}", "{}, {}")


def metric_of(metrics: Mapping[str, tuple[int, Metric]], name: str, dataset: str) -> tuple[int, Metric]:
    """Return a metric's id and value, by its name or with its unit as headers write it: `time [s]`, `time/s`.

    Raises
    ------
    StoreError
        If the dataset has no metric of that name.
    """
    if name in metrics:
        return metrics[name]
    for id, metric in metrics.values():
        if name in [header.format(metric.name, metric.unit) for header in HEADERS]:
            return id, metric
    raise StoreError(unknown("metric", name, metrics, f" in dataset '{dataset}'"))


def _scatter_facts(cursor: Cursor, name: str, ids: Sequence[int], owners: IntArray, values: FloatArray) -> None:
    rows = every(cursor, f"SELECT * FROM {name} WHERE list_contains(?, metric)", [list(ids)])
    if not rows:
        return
    known = np.unique(owners)
    facts = np.full((len(ids), len(known)), np.nan)
    place = {int(owner): k for k, owner in enumerate(known)}
    column = {id: j for j, id in enumerate(ids)}
    for metric, owner, value in rows:
        if owner in place:
            facts[column[metric], place[owner]] = value
    spread = facts[:, np.searchsorted(known, owners)]
    np.copyto(values, spread, where=~np.isnan(spread))


def _position(numbers: IntArray, known: IntArray) -> IntArray:
    """Return where each number stands in an ascending array, -1 where it does not."""
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.where(known[at] == numbers, at, -1)


def _column(metrics: IntArray, ids: Sequence[int]) -> IntArray:
    order = np.argsort(ids)
    return order[np.searchsorted(np.array(ids)[order], metrics)]


def _labels(cursor: Cursor, home: int, table: Table, some: Narrowed) -> dict[str, CodedTexts]:
    """Return further texts per trial, by name: of its machine, its input, or itself, the last that has one."""
    found: dict[str, tuple[IntArray, list[str]]] = {}
    for owner, numbers in (("machine", table.machine), ("input", table.input), ("trial", table.number)):
        known, place = np.unique(numbers, return_inverse=True)
        for name, at, values in _texts_of(cursor, owner, known, some):
            column, texts = found.setdefault(name, (np.zeros(len(table), dtype=np.int64), [""]))
            of_owner = np.zeros(len(known), dtype=np.int64)
            of_owner[at] = values.codes + len(texts)
            texts += values.texts
            own = of_owner[place.reshape(-1)]
            np.copyto(column, own, where=own > 0)
    for name in sorted(label_names(cursor, home) - found.keys()) if some.narrow else ():
        found[name] = (np.zeros(len(table), dtype=np.int64), [""])
    return {name if name not in ROLES else f"{name} (label)": texts_at(*own) for name, own in found.items()}


def _texts_of(
    cursor: Cursor, owner: str, known: IntArray, some: Narrowed
) -> Iterator[tuple[str, IntArray, CodedTexts]]:
    """Yield labels of machines, inputs or trials, whose numbers ascend: a name, the places of those with it, texts.

    Names come as they were written, whatever order the database finds them in.
    """
    span = _span(known)
    joined = f"IN (SELECT t.{'number' if owner == 'trial' else owner} {some.rows})"
    these, given = (joined, some.values) if span is None else ("BETWEEN ? AND ?", span)
    rows = cursor.sql(
        f"SELECT l.{owner} AS who, l.name, l.value FROM {owner}_label l WHERE l.{owner} {these} ORDER BY l.rowid",
        params=list(given),
    ).to_arrow_table()
    at, names = _position(_numbers(rows["who"]), known), _coded(rows["name"])
    for i, name in enumerate(names.texts):
        own = np.flatnonzero((names.codes == i) & (at >= 0))
        if len(own):
            yield name, at[own], _coded(rows["value"].take(arrow_numbers(own)))


def _numbers(column: Any) -> IntArray:
    """Return an Arrow column of whole numbers."""
    return np.asarray(plain(column.combine_chunks()), dtype=np.int64)


def _coded(column: Any) -> CodedTexts:
    """Return an Arrow column of texts."""
    told = column.combine_chunks().dictionary_encode()
    return CodedTexts(plain(told.indices), tuple(told.dictionary.to_pylist()))


def _in_one_order(setting: CodedTexts) -> CodedTexts:
    """Return settings, those as one that say the same in another order, as files do whose columns stand otherwise."""
    parts = [tuple(sorted(text.split("; "))) for text in setting.texts]
    least: dict[tuple[str, ...], str] = {}
    for own, text in zip(parts, setting.texts, strict=True):
        least[own] = min(text, least.get(own, text))
    if len(least) == len(parts):
        return setting
    return texts_at(setting.codes, [least[own] for own in parts])


def _span(numbers: IntArray) -> tuple[int, int] | None:
    """Return the first and the last of numbers that ascend, where they lie so close together that no join is needed."""
    low, high = (int(numbers[0]), int(numbers[-1])) if len(numbers) else (0, 0)
    return (low, high) if high - low <= 2 * len(numbers) else None


def _exclusions(cursor: Cursor, home: int, number: IntArray) -> CodedTexts:
    """Return per trial which rules exclude it and why, or ""."""
    span = _span(number)
    these = (
        "JOIN trial t ON t.number = e.trial WHERE t.dataset = ?" if span is None else "WHERE e.trial BETWEEN ? AND ?"
    )
    sql = f"SELECT e.trial, e.rule, e.reason FROM exclusion e {these} ORDER BY e.made, e.rule"
    rows = every(cursor, sql, (home,) if span is None else span)
    if not rows:
        return constant("", len(number))
    why: dict[int, list[str]] = {}
    for trial, rule, reason in rows:
        why.setdefault(int(trial), []).append(f"{rule}: {reason}")
    return coded(["; ".join(why.get(n, ())) for n in number.tolist()])


def compare_texts(texts: npt.NDArray[np.object_], column: str, sign: str, value: str) -> BoolArray:
    """Return which texts fulfil a condition; they are compared as numbers where it says less or more."""
    if sign in ("=", "!="):
        same: BoolArray = texts == value
        return same if sign == "=" else ~same
    return compare_numbers(np.array([number_of(t) for t in texts]), column, sign, value)


def compare_numbers(numbers: FloatArray, column: str, sign: str, value: str) -> BoolArray:
    """Return which numbers fulfil a condition; NaN does not, unless it says "not equal".

    Raises
    ------
    OptionError
        If the value is no number, or there is no such comparison.
    """
    other = number_of(value)
    if sign not in _COMPARISONS:
        raise OptionError(f"There is no comparison '{sign}'; there are: {' '.join(_COMPARISONS)}.")
    if np.isnan(other):
        raise OptionError(f"'{column} {sign} {value}' compares numbers, and '{value}' is none.")
    with np.errstate(invalid="ignore"):
        return np.asarray(_COMPARISONS[sign](numbers, other))
