"""Metrics that tell nothing new are hidden: what never varies, and of proportional metrics all but one."""

import numpy as np

from core.codec import FloatArray
from core.curate.base import Judgement, Rule
from core.errors import count
from core.option import option
from core.trial import Kind, Measured, Metric

_PREFERRED = (Kind.PARAMETER, Kind.DETERMINISTIC, Kind.MACHINE, Kind.COUNTER)


class Duplicates(Rule):
    """Hide metrics that are a constant multiple of another in every trial; looks at no response.

    Of alike metrics the one known earliest is kept (parameter, deterministic, machine, counter),
    then the one of the shortest name. Metrics with two different values only are proportional by
    chance too easily, so they must be equal. Constant metrics are the rule `constant`'s business.
    """

    label = "Duplicate metrics"
    of_response = False

    tolerance: float = option(1e-9, low=0.0, high=1e-3).says(
        "How far, relative to its value, a metric may be from a multiple of another in any trial; "
        "more also finds counters that were rounded, or measured twice"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Hide by the values of the trials that count."""
        there = self.counted(measured)
        metrics = [m for m in measured.metrics if not m.kind.outcome]
        columns = [j for j, m in enumerate(measured.metrics) if not m.kind.outcome]
        values = measured.values[there][:, columns]
        return Judgement(
            hidden={
                metrics[j].name: _why(metrics[kept], ratio, int(np.isfinite(values[:, j]).sum()))
                for kept, *others in proportional(values, _order(metrics), self.tolerance)
                for j in others
                if _says(values[:, j], ratio := _ratio(values, kept, j))
            }
        )


def proportional(values: FloatArray, order: list[int], tolerance: float) -> list[list[int]]:
    """Return groups of two or more columns that are multiples of each other; in each the first of `order` leads.

    Columns are sorted by their projection on a fixed direction, which alike columns share; only
    neighbours are compared in full.

    Parameters
    ----------
    values : array of shape (n_trials, n_columns), NaN where missing; columns alike miss the same
    order : columns, those that shall lead first
    """
    usable = [j for j in order if _varies(values[:, j])]
    if not usable:
        return []
    unit = {j: _unit(values[:, j]) for j in usable}
    direction = _direction(len(values))
    place = np.array([abs(float(np.nan_to_num(unit[j]) @ direction)) for j in usable])
    ascending = np.argsort(place, kind="stable")
    chains = np.split(ascending, np.flatnonzero(np.diff(place[ascending]) > 2 * tolerance + 1e-9) + 1)
    near = [[usable[i] for i in np.sort(chain)] for chain in chains if len(chain) > 1]
    return sorted((g for columns in near for g in _alike(columns, unit, tolerance)), key=lambda g: order.index(g[0]))


def _alike(columns: list[int], unit: dict[int, FloatArray], tolerance: float) -> list[list[int]]:
    """Return the groups among a few columns, each compared with the leaders found so far."""
    groups: list[list[int]] = []
    for j in columns:
        for g in groups:
            if _same(unit[g[0]], unit[j], tolerance) or _same(unit[g[0]], -unit[j], tolerance):
                g.append(j)
                break
        else:
            groups.append([j])
    return [g for g in groups if len(g) > 1]


def _same(a: FloatArray, b: FloatArray, tolerance: float) -> bool:
    missing = np.isnan(a)
    if not np.array_equal(missing, np.isnan(b)):
        return False
    return not (np.abs(a - b) > (tolerance + 1e-12) * np.maximum(np.abs(a), np.abs(b)))[~missing].any()


def _unit(x: FloatArray) -> FloatArray:
    """Return a column divided by its length."""
    scaled: FloatArray = x / np.nanmax(np.abs(x))
    return np.divide(scaled, np.sqrt(np.nansum(scaled**2)))


def _varies(x: FloatArray) -> bool:
    known = x[~np.isnan(x)]
    return len(known) > 1 and bool(known.min() < known.max())


def _direction(n: int) -> FloatArray:
    drawn = np.random.default_rng(0).standard_normal(n)
    return np.divide(drawn, np.sqrt(drawn @ drawn))


def _order(metrics: list[Metric]) -> list[int]:
    """Return which metrics would rather be kept, first choice first."""
    ranks = [(_PREFERRED.index(m.kind), len(m.name), m.name) for m in metrics]
    return sorted(range(len(metrics)), key=ranks.__getitem__)


def _ratio(values: FloatArray, kept: int, other: int) -> float:
    """Return how many times the kept column another is, by its largest value."""
    largest = int(np.nanargmax(np.abs(values[:, kept])))
    return float(values[largest, other] / values[largest, kept])


def _says(x: FloatArray, ratio: float) -> bool:
    """Return whether a column has enough different values for a ratio to be no chance."""
    return ratio == 1 or len(np.unique(x[np.isfinite(x)])) > 2


def _why(kept: Metric, ratio: float, n: int) -> str:
    what = "equals" if ratio == 1 else f"is {ratio:.6g} times"
    return f"{what} {kept.name} in all {count(n, 'trial')} that have it"


class Constant(Rule):
    """Hide metrics with one value in all trials, or nearly so; looks at no response."""

    label = "Constant metrics"
    of_response = False

    share: float = option(1.0, low=0.5, high=1.0, label="Share of the most frequent value").says(
        "A metric is hidden if at least this share of its values are the same; 1 hides constant metrics only"
    )
    near: float = option(1e-9, low=0.0, high=1.0, label="Relative spread").says(
        "A metric whose values differ by no more than this share of the largest is constant but for rounding"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Hide by the values of the trials that count."""
        there = self.counted(measured)
        if there.sum() < 2:
            return Judgement(notes=("fewer than two trials count, so that no metric can be seen to vary",))
        columns = zip(measured.metrics, measured.values[there].T, strict=True)
        return Judgement(hidden={m.name: why for m, x in columns if not m.kind.outcome and (why := self._why(x))})

    def _why(self, column: FloatArray) -> str:
        """Return why a column of values is as good as constant; "" if it is not."""
        x = column[~np.isnan(column)]
        if not len(x):
            return "has no value in any trial that counts"
        missing = f"; {count(len(column) - len(x), 'trial')} without it" if len(x) < len(column) else ""
        low, high = float(x.min()), float(x.max())
        if low == high:
            return f"is {low:g} in all {len(x):,} trials that have it{missing}"
        if high - low <= self.near * max(abs(low), abs(high)):
            return f"is {high:g} in all {len(x):,} trials that have it, but for rounding{missing}"
        return self._frequent(x, missing) if self.share < 1 else ""

    def _frequent(self, x: FloatArray, missing: str) -> str:
        found, n = np.unique(x, return_counts=True)
        most = int(n.argmax())
        if n[most] < self.share * len(x):
            return ""
        return f"is {found[most]:g} in {n[most]:,} of the {len(x):,} trials that have it{missing}"
