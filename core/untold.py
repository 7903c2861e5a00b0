"""Trials that are alike in every metric and yet of different applications, inputs or machines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.trial import ROLES, Frame, Kind

LEAST_SHARE = 0.5
"""Of the different settings of the metrics, that occur with several names, before it is worth a word."""
_MOST, _LEAST, _EACH, _NAMES = 600, 40, 8, 20
"""Trials whose nearest ones are looked at, of how many at least, of each name on average, and of how many names."""
_BY_CHANCE = 2.5
"""Standard deviations within which neighbours have one name as often as any two trials."""


@dataclass(frozen=True)
class Untold:
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
    counted = any(m.kind is Kind.COUNTER for m in frame.metrics)
    for role in ROLES:
        if is_untold(frame.X, frame.labels[role], frame.y if counted else None):
            return Untold(role, tuple(sorted(set(frame.labels[role]))))
    return None


def is_untold(X: FloatArray, texts: Sequence[str], y: FloatArray | None = None) -> bool:
    """Whether names differ where the metrics do not, for more than half of the settings of the metrics.

    Settings that were drawn at random hardly come again: there, whether trials alike have one name no more often than
    any two have.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    texts : a name per trial
    y : the response, array of shape (n_trials,), where some metrics were counted: these hardly come again and may tell
        all that matters, so that names have to tell more of it
    """
    settings = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    n_settings = int(settings.max(initial=-1)) + 1
    names, codes = np.unique(np.array(texts), return_inverse=True)
    if len(names) < 2 or not n_settings:
        return False
    pairs = np.unique(settings * len(names) + codes) // len(names)
    shared = int((np.bincount(pairs, minlength=n_settings) > 1).sum()) > LEAST_SHARE * n_settings
    return shared or _strewn(X, settings, codes, y)


def _strewn(X: FloatArray, settings: IntArray, codes: IntArray, y: FloatArray | None) -> bool:
    """Whether the trials nearest to each other, by the ranks of their metrics, have one name no more than by chance."""
    n, n_names, varied = len(X), int(codes.max()) + 1, np.ptp(X, axis=0) > 0
    if n < max(_LEAST, _EACH * n_names) or n_names > _NAMES or not varied.any():
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


def _matter(apart: FloatArray, own: IntArray, y: FloatArray) -> bool:
    """Whether the response differs more from the nearest trial of another name than from that of the same."""
    same, z = own[:, None] == own, np.log(y) if y.min() > 0 else y
    near = (np.where(kind, apart, np.inf).argmin(axis=1) for kind in (same, ~same))
    alike, other = (float(np.median(np.abs(z[place] - z))) for place in near)
    return other > _MATTERS * alike


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
