"""Trials that are alike in every metric and yet of different applications, inputs or machines."""

from dataclasses import dataclass

import numpy as np

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
    settings = np.unique(frame.X, axis=0, return_inverse=True)[1].reshape(-1)
    n_settings = int(settings.max(initial=-1)) + 1
    for role in ROLES:
        names, codes = np.unique(np.array(frame.labels[role]), return_inverse=True)
        if len(names) < 2 or not n_settings:
            continue
        pairs = np.unique(settings * len(names) + codes) // len(names)
        several = int((np.bincount(pairs, minlength=n_settings) > 1).sum())
        if several > LEAST_SHARE * n_settings:
            return Untold(role, tuple(str(n) for n in names))
    return None
