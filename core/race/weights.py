"""The blend: weights that fall fast with the error on inner folds, the best of each kind alone."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.blend import MEAN, Mixture
from core.codec import FloatArray
from core.race.result import Run

POWER = 8
"""Of (smallest inner error / own inner error): twice the smallest error has a 256th of the weight."""
LEAST = 0.01
"""An entry of a smaller share of the weight is left out."""
MOST_MEMBERS = 6
FACTOR = 1.3
"""No member counts as further than this from the weighted median of all."""
DEVIATIONS = 3.0
"""The same on a response that is not positive, in root mean squared errors of the best entry."""


def weighted(y: FloatArray, runs: Sequence[Run], kinds: Mapping[str, str] | None = None) -> Mixture:
    """Return the blend of runs of different entries that learnt from the same trials.

    The weight of an entry is (smallest inner error / its inner error)^8; of entries of one kind, which make the
    same errors, the best one takes part.

    Parameters
    ----------
    kinds : by entry; entries of one kind are similar

    References
    ----------
    Wolpert 1992, Stacked generalization (weights from predictions of held-out trials).
    """
    able = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: (r.inner_error, r.entry))
    first: dict[str, Run] = {}
    for run in able:
        first.setdefault((kinds or {}).get(run.entry) or run.entry, run)
    chosen = list(first.values())[:MOST_MEMBERS]
    tiny = 1e-12 * max(1.0, able[0].inner_error)
    share = {r.entry: ((chosen[0].inner_error + tiny) / (r.inner_error + tiny)) ** POWER for r in chosen}
    total = sum(share.values())
    kept = {entry: w for entry, w in share.items() if w >= LEAST * total}
    log = bool(y.min() > 0)
    bound = float(np.log(FACTOR)) if log else DEVIATIONS * able[0].inner_error
    return Mixture({entry: w / sum(kept.values()) for entry, w in kept.items()}, MEAN, log, bound)
