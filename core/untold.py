"""Trials that are alike in every metric and yet of different applications, inputs or machines."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.texts import ranked
from core.trial import ROLES, Frame, Kind, Metric

LEAST_SHARE = 0.5
"""Of the different settings of the metrics, that occur with several names, before it is worth a word."""
LEAST_DRAWN = 20
"""Settings, from which on a space may be one that was drawn from: two for each of ten folds."""
_MOST, _LEAST, _EACH, _NAMES = 600, 40, 8, 20
"""Trials whose nearest ones are looked at, of how many at least, of each name on average, and of how many names."""
_SORTED, _SEEN = 20_000, 1_000
"""Trials up to which rows of metrics are sorted, which takes minutes for a million; settings of more that suffice."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
_BY_CHANCE = 2.5
"""Standard deviations within which neighbours have one name as often as any two trials."""


class Untold(Frozen):
    """What no model can tell from the metrics.

    Attributes
    ----------
    role : "application", "input" or "machine"
    names : its different values, in alphabetical order
    """

    role: str
    names: tuple[str, ...]


def untold(frame: Frame) -> Untold | None:
    """Return the first role whose names differ where the metrics do not; None if there is none to speak of."""
    counted = counters(frame.metrics)
    for role in ROLES:
        if is_untold(frame.X, frame.labels[role], frame.y, counted):
            return Untold(role, tuple(sorted(set(frame.labels[role]))))
    return None


def counters(metrics: Sequence[Metric]) -> BoolArray:
    """Return which metrics were counted while a trial ran, an array of shape (n_metrics,)."""
    return np.array([m.kind is Kind.COUNTER for m in metrics], dtype=bool)


def settings_of(frame: Frame) -> list[FloatArray]:
    """Return the columns of each parameter: of a number one, of a text one for each value; names of what ran are none.

    Returns
    -------
    Arrays of shape (n_trials, n_columns).
    """
    places: dict[str, list[int]] = {}
    for j, metric in enumerate(frame.metrics):
        name = metric.name.partition("=")[0]
        if metric.kind is Kind.PARAMETER and name not in ROLES:
            places.setdefault(name, []).append(j)
    return [frame.X[:, own] for own in places.values()]


def is_drawn(frame: Frame) -> bool:
    """Whether most settings ran several names that are predicted from, and most combinations of their levels did not.

    The next question of such a space is a setting that nothing has run. Trials of one setting tell of each other, so
    that those of its other names would give it away.
    """
    roles = [role for role in ROLES if any(name.startswith(f"{role}=") for name in frame.names)]
    settings = settings_of(frame)
    if not roles or not settings:
        return False
    codes = np.unique(_hashes(np.hstack(settings)), return_inverse=True)[1].reshape(-1)
    n_combinations = math.prod(len(np.unique(_hashes(columns))) for columns in settings)
    is_thin = LEAST_DRAWN <= int(codes.max()) + 1 <= LEAST_SHARE * n_combinations
    return is_thin and any(_shared(codes, ranked(frame.labels[role])) for role in roles)


def is_untold(X: FloatArray, texts: Sequence[str], y: FloatArray, counted: BoolArray) -> bool:
    """Whether names differ where the metrics do not, for more than half of the settings of the metrics.

    Settings that were drawn at random hardly come again: there, whether trials alike have one name no more often than
    any two have. What was counted hardly comes again, either, and may tell all that matters: beside it, names have to
    tell more of the response, or, where they differ at half of what was set, what no counter tells of a new name.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    texts : a name per trial
    y : the response, array of shape (n_trials,)
    counted : which metrics were counted, array of shape (n_metrics,)
    """
    codes = ranked(texts)
    n_names = int(codes.max(initial=0)) + 1
    if n_names < 2:
        return False
    rows, settings = _settings(X)
    if _shared(settings, codes[rows]) or _strewn(X[rows], settings, codes[rows], y[rows] if counted.any() else None):
        return True
    mixed = 0 < counted.sum() < len(counted) and n_names <= _NAMES and len(X) >= _EACH * n_names
    if not mixed:
        return False
    rows, cells = _settings(X[:, ~counted])
    return _shared(cells, codes[rows]) and not _carry(X[:, counted][rows], cells, codes[rows], y[rows])


def _settings(X: FloatArray) -> tuple[IntArray | slice, IntArray]:
    """Return rows, and the number of the values of each: in their order, but of many rows in that of a hash of these.

    Of many rows those of some settings, whichever stand where, if these are enough; else all.
    """
    everywhere = slice(None)
    if len(X) <= _SORTED:
        return everywhere, np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    hashes = _hashes(X)
    rows: IntArray | slice
    for rows in (np.flatnonzero(hashes % np.uint64(len(X) // _SORTED) == 0), everywhere):
        different, settings = np.unique(hashes[rows], return_inverse=True)
        if len(different) >= _SEEN:
            break
    return rows, settings.reshape(-1)


def _hashes(X: FloatArray) -> npt.NDArray[np.uint64]:
    """Return a number per row that rows of the same values share."""
    hashes = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        hashes ^= (column + 0.0).view(np.uint64)  # of both zeros the same
        hashes *= _ODD
        hashes ^= hashes >> np.uint64(29)
    return hashes


def _shared(settings: IntArray, codes: IntArray) -> bool:
    """Whether more than half of the settings occur with several names."""
    n_names = int(codes.max()) + 1
    occurs = np.bincount(np.unique(settings * n_names + codes) // n_names)
    return int((occurs > 1).sum()) > LEAST_SHARE * len(occurs)


def _carry(counts: FloatArray, cells: IntArray, codes: IntArray, y: FloatArray) -> bool:
    """Whether counters tell of a name without trials how it differs from others in what was set, or names tell little.

    Differences from the mean of a setting, in logarithms, follow a counter's in proportion, found without the name.
    """
    n_in_cell = np.bincount(cells)
    logged = [np.log(x) if x.min() > 0 else x for x in (y, *counts.T)]
    own, *others = (x - (np.bincount(cells, x) / n_in_cell)[cells] for x in logged)
    total = float(own @ own)
    of_names = float((np.bincount(codes, own) ** 2 / np.bincount(codes)).sum())
    if of_names < _OF_NAMES * total:
        return True
    left = [total]
    for x in others:
        products, squares = (np.bincount(codes, x * z) for z in (own, x))
        slopes = (products.sum() - products) / np.maximum(squares.sum() - squares, np.finfo(float).tiny)
        left.append(float(((own - slopes[codes] * x) ** 2).sum()))
    return min(left) < (1 - _CARRIED) * total


def _strewn(X: FloatArray, settings: IntArray, codes: IntArray, y: FloatArray | None) -> bool:
    """Whether the trials nearest to each other, by the ranks of their metrics, have one name no more than by chance."""
    n, n_names, varied = len(X), int(codes.max()) + 1, np.ptp(X, axis=0) > 0
    if n < max(_LEAST, _EACH * n_names) or n_names > _NAMES or not varied.any() or _is_settled(X, codes):
        return False
    some = np.lexsort((codes, settings))[np.linspace(0, n - 1, min(n, _MOST)).astype(np.int64)]
    ranks = np.column_stack([_ranks(column) for column in X[np.ix_(some, varied)].T])
    square = (ranks**2).sum(axis=1)
    apart = square[:, None] + square - 2 * ranks @ ranks.T
    np.fill_diagonal(apart, np.inf)
    own, share = codes[some], np.bincount(codes) / n
    chance = float((share**2).sum())
    alike = float((own[apart.argmin(axis=1)] == own).mean())
    by_chance = alike <= chance + _BY_CHANCE * float(np.sqrt(chance * (1 - chance) / len(some)))
    return by_chance and (y is None or _matter(apart, own, y[some]))


def _is_settled(X: FloatArray, codes: IntArray) -> bool:
    """Whether metrics that are the same in all trials of a name, such as a size, are different for each name.

    In a full grid the nearest trials of one name are no nearer than those of the next size.
    """
    first = np.unique(codes, return_index=True)[1]
    known = [column[first] for column in X.T if np.array_equal(column[first][codes], column)]
    return bool(known) and len(np.unique(known, axis=1).T) == len(first)


def _matter(apart: FloatArray, own: IntArray, y: FloatArray) -> bool:
    """Whether the response differs more from the nearest trial of another name than from that of the same."""
    same, z = own[:, None] == own, np.log(y) if y.min() > 0 else y
    near = (np.where(kind, apart, np.inf).argmin(axis=1) for kind in (same, ~same))
    alike, other = (float(np.median(np.abs(z[place] - z))) for place in near)
    return other > _MATTERS * alike


_OF_NAMES, _CARRIED = 0.5, 0.05
"""Shares of what differs at the same settings: that names tell, and that a counter tells of a name without trials."""
_MATTERS = 2.0
"""Times that names have to make a difference to the response, beside metrics that were counted."""


def _ranks(column: FloatArray) -> FloatArray:
    """Return the places of values among the different ones, from 0 to 1."""
    different, place = np.unique(column, return_inverse=True)
    return np.asarray(place.reshape(-1) / max(len(different) - 1, 1))


def without_names(frame: Frame) -> Frame:
    """Return the frame without metrics that are names of applications, inputs or machines, where others are left."""
    others = [name for name in frame.names if name.partition("=")[0] not in ROLES]
    return frame.select(others) if 0 < len(others) < len(frame.names) else frame
