"""Trials that are alike in every metric and yet of different applications, inputs or machines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.trial import ROLES, Frame

LEAST_SHARE = 0.5
"""Of the different settings of the metrics, that occur with several names, before it is worth a word."""


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
    for role in ROLES:
        if is_untold(frame.X, frame.labels[role]):
            return Untold(role, tuple(sorted(set(frame.labels[role]))))
    return None


def is_untold(X: FloatArray, texts: Sequence[str]) -> bool:
    """Whether names differ where the metrics do not, for more than half of the settings of the metrics.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    texts : a name per trial
    """
    settings = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    n_settings = int(settings.max(initial=-1)) + 1
    names, codes = np.unique(np.array(texts), return_inverse=True)
    if len(names) < 2 or not n_settings:
        return False
    pairs = np.unique(settings * len(names) + codes) // len(names)
    return int((np.bincount(pairs, minlength=n_settings) > 1).sum()) > LEAST_SHARE * n_settings


def without_names(frame: Frame) -> Frame:
    """Return the frame without metrics that are names of applications, inputs or machines, where others are left."""
    others = [name for name in frame.names if name.partition("=")[0] not in ROLES]
    return frame.select(others) if 0 < len(others) < len(frame.names) else frame
