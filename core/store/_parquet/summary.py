"""What all rows of a Parquet folder hold, counted by DuckDB while they pass by: ranges, bins, correlations, names."""

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import StoreError
from core.progress import Progress, in_turn, part, silent
from core.store._connection import every, passing
from core.store._parquet.roles import FolderRoles, Kept, texts_of
from core.store._parquet.rows import Folder, batches
from core.store.scratch import in_memory
from core.texts import combined, first_of_each
from core.trial import Metric

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_BINS = 960
_FEW = 1_000
"""So many different values are counted one by one."""
_MOST_CORRELATED = 60
_AT_ONCE = 64
_MOST_TEXTS = 2_000
_MOST_INPUTS = 100_000
_MEMORY = "512MB"

_Counts = dict[float, int]
"""How often values occur, or bins by their upper ends."""


class MetricSummary(Frozen):
    """One metric over all rows.

    Attributes
    ----------
    n_distinct : how many different values there are; of more than a thousand about how many (HyperLogLog)
    low, high, mean : None if there is no value
    quantiles : those of `QUANTILES`; of more than a thousand different values from counts in 960 bins; empty if
        there is no value
    log : whether the bins are equally wide in the logarithm
    counts : per bin, from `low` to `high`
    """

    metric: Metric
    n_values: int
    n_missing: int
    n_distinct: int
    low: float | None
    high: float | None
    mean: float | None
    quantiles: tuple[float, ...]
    log: bool
    counts: tuple[int, ...]

    @property
    def edges(self) -> FloatArray:
        """The bins' edges, array of shape (n_bins + 1,)."""
        return bin_edges(self.low or 0.0, self.high or 0.0, self.log)


class FolderSummary(Frozen, Kept):
    """All rows of a folder at a glance.

    Attributes
    ----------
    texts : by role and label, its different texts; () where there are more than 2,000
    n_different : by role and label, how many there are; where they are more than that, so many or more
    n_inputs : pairs of application and input; 100,000 stands for that and more
    correlations : Pearson's between metrics, on a logarithmic scale where a metric spans more than a
        decade; rows and columns as `metrics`; empty if there are more than 60
    """

    n_trials: int
    metrics: tuple[MetricSummary, ...]
    texts: dict[str, tuple[str, ...]]
    n_different: dict[str, int]
    n_inputs: int
    correlations: tuple[tuple[float, ...], ...]


def summarize(folder: Folder, roles: FolderRoles, progress: Progress = silent) -> FolderSummary:
    """Count what a folder holds: one scan for ranges and names, one for distributions and correlations.

    Raises
    ------
    StoreError
        If a file cannot be read to its end, or a metric is infinite somewhere.
    """
    names = _Names(roles)
    columns = [column for column, _ in roles.metrics]
    groups = [columns[start : start + _AT_ONCE] for start in range(0, len(columns), _AT_ONCE)]
    ranges: list[_Range] = []
    for told, group in in_turn(part(progress, 0.0, 0.5), groups):
        rows = batches(folder, list(dict.fromkeys([*group, *(() if ranges else roles.columns)])), told)
        ranges += _ranges(rows if ranges else names.watch(rows), group)
    _refuse_infinite(folder, columns, ranges)
    counts: list[_Counts] = []
    matrix: list[list[float]] = []
    for told, group in in_turn(part(progress, 0.5, 1.0), groups):
        own = ranges[len(counts) : len(counts) + len(group)]
        more, matrix = _counted(batches(folder, group, told), group, own, related=len(columns) <= _MOST_CORRELATED)
        counts += more
    progress(1.0, f"{folder.n_trials:,} rows counted")
    return FolderSummary(
        n_trials=folder.n_trials,
        metrics=tuple(
            _metric(m, folder.n_trials, r, k) for (_, m), r, k in zip(roles.metrics, ranges, counts, strict=True)
        ),
        texts={name: tuple(sorted(own)) if len(own) < _MOST_TEXTS else () for name, own in names.texts.items()},
        n_different={name: len(own) for name, own in names.texts.items()},
        n_inputs=len(names.inputs),
        correlations=tuple(map(tuple, matrix)),
    )


def bin_edges(low: float, high: float, log: bool) -> FloatArray:
    """Return the edges of the bins that values are counted in, array of shape (n_bins + 1,)."""
    if low == high:
        return np.array([low, high])
    edges = np.geomspace(low, high, _BINS + 1) if log else np.linspace(low, high, _BINS + 1)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


class _Range(Frozen):
    """What one scan tells of a column; low, high and mean are None where it has no value."""

    n: int
    low: float | None
    high: float | None
    mean: float | None
    n_distinct: int
    values: tuple[float, ...]
    """All different values in order, where these are few; else none."""

    @property
    def log(self) -> bool:
        return self.low is not None and self.high is not None and self.low > 0 and self.high / self.low > 10

    @property
    def edges(self) -> FloatArray:
        return bin_edges(self.low or 0.0, self.high or 0.0, self.log)


class _Names:
    """The different texts of each role and label, collected while rows pass by."""

    def __init__(self, roles: FolderRoles) -> None:
        self._roles = roles
        self.texts: dict[str, set[str]] = {name: set() for name in roles.text_columns()}
        self.inputs: set[tuple[str, str]] = set()
        if roles.machine_name:
            self.texts["machine"].add(roles.machine_name)

    def watch(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Yield the rows on, with only numbers in them left to look at."""
        for batch in rows:
            for name, columns in self._roles.text_columns().items():
                if columns and len(self.texts[name]) < _MOST_TEXTS:
                    self.texts[name].update(texts_of(batch, columns).texts)
            if len(self.inputs) < _MOST_INPUTS:
                self._note_inputs(batch)
            yield batch

    def _note_inputs(self, batch: Any) -> None:
        applications, inputs = texts_of(batch, self._roles.application), texts_of(batch, self._roles.input)
        rows = first_of_each(combined(applications.codes, inputs.codes)).tolist()
        self.inputs.update((applications[row], inputs[row]) for row in rows)


class _Values:
    """The different values of columns that have few, collected while rows pass by."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._found: dict[str, FloatArray | None] = dict.fromkeys(columns, np.empty(0))

    def watch(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Yield the rows on."""
        for batch in rows:
            for name, before in self._found.items():
                if before is not None:
                    both = np.union1d(before, batch.column(name).drop_null().to_numpy())
                    self._found[name] = both if len(both) <= _FEW else None
            yield batch

    def few(self, name: str) -> tuple[float, ...]:
        """Return a column's values in order; () if they are many, or there is none."""
        found = self._found[name]
        return () if found is None else tuple(found.tolist())


def _ranges(rows: Iterator[Any], columns: Sequence[str]) -> list[_Range]:
    """Return count, lowest, highest, mean and about how many different values, per column."""
    each = ", ".join(
        f"count(c{i}), min(c{i}), max(c{i}), avg(c{i}), approx_count_distinct(c{i})" for i in range(len(columns))
    )
    values = _Values(columns)
    found = _asked(values.watch(rows), columns, f"SELECT {each} FROM passing")
    told = [found[start : start + 5] for start in range(0, len(found), 5)]
    return [
        _Range(n, low, high, mean, n_distinct, values.few(name))
        for name, (n, low, high, mean, n_distinct) in zip(columns, told, strict=True)
    ]


def _counted(
    rows: Iterator[Any], columns: Sequence[str], ranges: Sequence[_Range], *, related: bool
) -> tuple[list[_Counts], list[list[float]]]:
    """Return counts per column, in bins or by value where these are few, and correlations between columns if asked."""
    asked = [_bins(f"c{i}", r) for i, r in enumerate(ranges)]
    scaled = ", ".join(f"ln(c{i}) AS s{i}" if r.log else f"c{i} AS s{i}" for i, r in enumerate(ranges))
    pairs = [(i, j) for i in range(len(columns)) for j in range(i)] if related else []
    sql = ", ".join([*asked, *(f"corr(s{i}, s{j})" for i, j in pairs)])
    found = _asked(rows, columns, f"SELECT {sql} FROM (SELECT *, {scaled} FROM passing)")
    counts = [{float(v): int(n) for v, n in own.items() if np.isfinite(v)} for own in found[: len(columns)]]
    matrix = np.eye(len(columns))
    for (i, j), r in zip(pairs, found[len(columns) :], strict=True):
        matrix[i, j] = matrix[j, i] = 0.0 if r is None or not np.isfinite(r) else round(r, 9)
    return counts, matrix.tolist() if related else []


def _bins(column: str, found: _Range) -> str:
    """Return SQL that counts a column's values: each of them where they are few, else in bins by their upper ends."""
    return f"histogram({column}, {list(found.values) or found.edges[1:].tolist()!r})" if found.n else "MAP {}"


def _asked(rows: Iterator[Any], columns: Sequence[str], sql: str) -> tuple[Any, ...]:
    """Return the one row of a query over passing rows (columns c0, c1, …), in a database that can reach no file."""
    import pyarrow as pa

    schema = pa.schema([(f"c{i}", pa.float64()) for i in range(len(columns))])
    numbers = (pa.RecordBatch.from_arrays([b.column(name) for name in columns], schema=schema) for b in rows)
    with in_memory(_MEMORY) as cursor:
        try:
            with passing(cursor, "passing", numbers, schema):
                return tuple(every(cursor, sql)[0])
        except duckdb.Error as error:
            raise StoreError(f"The folder could not be counted: {str(error).splitlines()[0]}.") from None


def _metric(metric: Metric, n: int, found: _Range, counts: _Counts) -> MetricSummary:
    values, times = np.array(sorted(counts)), np.array([counts[v] for v in sorted(counts)], dtype=np.int64)
    quantiles: tuple[float, ...] = ()
    bins = times
    if found.values:
        places = np.searchsorted(np.cumsum(times), np.array(QUANTILES) * found.n)
        quantiles = tuple(values[np.minimum(places, len(values) - 1)].tolist())
        bins = np.bincount(np.searchsorted(found.edges[1:], values), weights=times, minlength=len(found.edges) - 1)
    elif found.n:
        below = np.concatenate([[0], np.cumsum(times)]) / found.n
        quantiles = tuple(np.interp(QUANTILES, below, found.edges).tolist())
    n_distinct, counted = len(found.values) or min(found.n_distinct, found.n), tuple(bins.astype(np.int64).tolist())
    ends = found.low, found.high, found.mean
    return MetricSummary(metric, found.n, n - found.n, n_distinct, *ends, quantiles, found.log, counted)


def _refuse_infinite(folder: Folder, columns: Sequence[str], ranges: Sequence[_Range]) -> None:
    for column, found in zip(columns, ranges, strict=True):
        if not all(np.isfinite(end) for end in (found.low, found.high) if end is not None):
            raise StoreError(
                f"Metric '{column}' is infinite in some row of {folder.place.shown}. "
                f"Mend the files, or leave it out with --ignore {column}."
            )
