"""Metrics that give the response away: what was measured with it and is it, in another unit."""

import re

import numpy as np

from core.closeness import Closeness, closeness, rank_correlation, still_in_repeats
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.curate.base import Judgement, Rule
from core.errors import count
from core.option import option
from core.texts import ranked
from core.trial import Kind, Measured, Metric

MOST_TRIALS = 2_000
MOST_REPEATS = 8
LEAST_RANKS = 0.99
"""Rank correlation from which a counter that speaks of time is flagged, however its ratio varies."""
_BEFORE = (Kind.PARAMETER, Kind.DETERMINISTIC, Kind.MACHINE)
_WORDS = "cycle cycles cyc elapsed duration time timestamp runtime walltime latency seconds clockticks tsc"


class _Case(Frozen):
    """The trials judged: values, and what groups them.

    Attributes
    ----------
    y, log_y : arrays of shape (n_trials,)
    machine, work, configuration : arrays of shape (n_trials,), numbers of machines, of applications
        with their inputs, and of configurations
    before : logarithms of what is known before a run, by metric
    """

    response: str
    y: FloatArray
    log_y: FloatArray
    machine: IntArray
    work: IntArray
    configuration: IntArray
    before: dict[str, FloatArray]


class Giveaway(Rule):
    """Flag counters that are the response but for a factor: measured evidence, names only to weigh it.

    A counter is flagged if, inside groups, its ratio to the response is constant within `ratio`
    and ten times steadier than the response itself: response / counter on each machine (cycles =
    time × clock), response · counter for each application and input (a rate of fixed work), either
    of them among the repeats of each configuration, whose noise no cause knows; or if it orders
    the trials of each machine exactly as the response does. A counter whose name or unit speaks
    of time is held to `named`, also times a parameter (a clock), or to a rank correlation of 0.99.

    What is known before a run gives nothing away: where such a metric is as close to the response,
    and where a counter is the same in all repeats of each configuration, closeness proves nothing.
    """

    label = "Metrics that give the response away"

    ratio: float = option(0.05, low=0.0, high=0.5, label="Steadiness of the ratio").says(
        "Share within which 90 % of the ratios of response and counter must lie; more flags more"
    )
    named: float = option(0.3, low=0.0, high=1.0, label="The same, of times").says(
        "Share for counters whose name or unit speaks of time or cycles"
    )
    monotone: float = option(0.9999, low=0.9, high=1.0, label="Rank correlation").says(
        "A counter that orders the trials of each machine so nearly as the response does is flagged"
    )
    words: tuple[str, ...] = option(tuple(_WORDS.split()), expert=True).says(
        "Words of a name that speak of time; names of rates, with the word per, do not"
    )
    hide: bool = option(False, help="Hide the flagged metrics, too, so that no model takes them unasked")

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Flag by the trials that count, at most 2,000 of them, evenly over the range of the response."""
        counted = self.counted(measured)
        rows = _sample(measured, counted & np.isfinite(measured.column(response)), response)
        if len(rows) < 20:
            return Judgement(
                notes=(f"{count(len(rows), 'trial')} with {response} are too few to judge; 20 are needed",)
            )
        case = _case(measured, response, rows)
        found = {
            metric.name: reason
            for j, metric in enumerate(measured.metrics)
            if metric.kind == Kind.COUNTER and metric.name != response
            if (reason := self._reason(case, metric, measured.values[rows, j]))
        }
        n = int(counted.sum())
        note = f"judged by {len(rows):,} of {n:,} trials, evenly over the range of {response}"
        return Judgement(flagged=found, hidden=found if self.hide else {}, notes=(note,) if len(rows) < n else ())

    def _reason(self, case: _Case, metric: Metric, x: FloatArray) -> str:
        known = x[np.isfinite(x)]
        if len(known) < max(20, len(x) // 4) or known.min() == known.max():
            return ""
        rho, n_different = rank_correlation(case.y, x, case.machine)
        log_x = _log(x)
        named = speaks_of_time(metric, self.words)
        why = self._named(case, metric.name, log_x, rho) if named else ""
        if not why and not still_in_repeats(case.y, x, case.configuration):
            why = self._unnamed(case, metric.name, log_x, x, rho, n_different)
        return f"{why}; rank correlation {rho:.4f}" if why else ""

    def _named(self, case: _Case, name: str, log_x: FloatArray, rho: float) -> str:
        found = closeness(case.log_y, log_x, case.machine)
        if found is not None and found.within(self.named, 3):
            return _ratio(case.response, name, found, "on each machine")
        for other, log_m in case.before.items():
            found = closeness(case.log_y, log_x - log_m, case.machine)
            if found is not None and found.within(self.named, 3):
                return _ratio(f"{case.response} · {other}", name, found, "on each machine")
        alike = f"{name} speaks of time and orders the trials of each machine as {case.response} does"
        return alike if abs(rho) >= LEAST_RANKS else ""

    def _unnamed(self, case: _Case, name: str, log_x: FloatArray, x: FloatArray, rho: float, n_different: int) -> str:
        for sign, keys, where in (
            (1, case.machine, "on each machine"),
            (-1, case.work, "for each application and input"),
            (1, case.configuration, "among the repeats of each configuration"),
            (-1, case.configuration, "among the repeats of each configuration"),
        ):
            found = closeness(case.log_y, sign * log_x, keys)
            if found is not None and found.within(self.ratio, 10) and not _known_before(case, found, sign, keys):
                return _ratio(case.response, name, found, where, "/" if sign > 0 else "·")
        before = (abs(rank_correlation(case.y, m, case.machine)[0]) for m in case.before.values())
        if abs(rho) >= self.monotone and n_different >= 30 and max(before, default=0.0) < self.monotone:
            way = "as" if rho > 0 else "in reverse, as"
            return f"{name} orders the trials of each machine just {way} {case.response} does"
        return ""


def speaks_of_time(metric: Metric, words: tuple[str, ...]) -> bool:
    """Return whether a metric's name or unit speaks of time or cycles, and not of a rate per cycle."""
    parts = [p.lower() for p in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", metric.name)]
    return "per" not in parts and (metric.is_time or bool(set(words) & set(parts)))


def _known_before(case: _Case, found: Closeness, sign: int, keys: IntArray) -> bool:
    """Return whether something known before a run is about as close to the response."""
    others = (closeness(case.log_y, sign * log_m, keys) for log_m in case.before.values())
    return any(o is not None and o.half <= 2 * found.half for o in others)


def _ratio(response: str, name: str, found: Closeness, where: str, sign: str = "/") -> str:
    value = f"{found.low:.4g}" if found.high <= 1.01 * found.low else f"{found.low:.4g} to {found.high:.4g}"
    return f"{response} {sign} {name} is {value} and {where} constant within {found.percent:.2g} %"


def _log(x: FloatArray) -> FloatArray:
    return np.log(x, out=np.full(len(x), np.nan), where=x > 0)


def _case(measured: Measured, response: str, rows: IntArray) -> _Case:
    y = measured.column(response)[rows]
    before = {m.name: _log(measured.values[rows, j]) for j, m in enumerate(measured.metrics) if m.kind in _BEFORE}
    varying = {name: x for name, x in before.items() if np.isfinite(x).any() and np.nanmin(x) < np.nanmax(x)}
    machine = ranked([measured.machine[i] for i in rows])
    work = ranked([f"{measured.application[i]}\x1f{measured.input[i]}" for i in rows])
    return _Case(response, y, _log(y), machine, work, measured.configuration[rows], varying)


def _sample(measured: Measured, there: BoolArray, response: str) -> IntArray:
    """Return at most about 2,000 rows: some repeats each of configurations evenly spread over the response."""
    rows = np.flatnonzero(there)
    rows = rows[np.lexsort((measured.run[rows], measured.configuration[rows]))]
    if len(rows) <= MOST_TRIALS:
        return rows
    told = measured.configuration[rows]
    _, first, of, size = np.unique(told, return_index=True, return_inverse=True, return_counts=True)
    most = np.maximum(MOST_REPEATS, MOST_TRIALS // len(size))
    rows = rows[_evenly(np.arange(len(rows)) - first[of], size[of], np.minimum(size, most)[of])]
    _, of, size = np.unique(measured.configuration[rows], return_inverse=True, return_counts=True)
    mean = np.bincount(of, weights=measured.column(response)[rows]) / size
    place = np.empty(len(size), dtype=np.int64)
    place[np.argsort(mean, kind="stable")] = np.arange(len(size))
    wanted = min(len(size), max(1, len(size) * MOST_TRIALS // len(rows)))
    return rows[_evenly(place, np.full(len(size), len(size)), np.full(len(size), wanted))[of]]


def _evenly(place: IntArray, size: IntArray, wanted: IntArray) -> BoolArray:
    """Return whether a place, 0 to size - 1, is one of `wanted` places that are evenly spread."""
    return np.asarray((place + 1) * wanted // size != place * wanted // size)
