"""The blend: how often each entry would be the best one, if other applications had been there to choose on."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.blend import MEAN, Mixture
from core.codec import FloatArray
from core.race.result import Run
from core.recipes._nested import trial_errors

DRAWS = 2000
NEAR = 1.5
"""How many times the smallest inner error an entry may have to be in a blend."""
MOST_MEMBERS = 5
EQUAL = 1 / 3
"""Of the weight, what the best of each kind share equally."""
FACTOR = 1.3
"""No member counts as further than this from the weighted median of all."""
DEVIATIONS = 3.0
"""The same on a response that is not positive, in root mean squared errors of the best entry."""


def voted(
    y: FloatArray, groups: Sequence[str], runs: Sequence[Run], kinds: Mapping[str, str] | None = None, seed: int = 0
) -> Mixture:
    """Return the blend of runs of different entries that learnt from the same trials.

    Which entry has the smallest inner error depends on which applications (machines, …) happened to be
    measured. So √g of the g groups are drawn with replacement, again and again, and each time the entry of
    smallest error on these gets a vote. An entry's share of the votes makes two thirds of its weight in the
    mean of logarithms. The other third is shared equally by the best of each kind, as an application unlike
    all that were measured is one on which nobody could vote.

    Parameters
    ----------
    groups : per trial, a text that trials share that are held out together
    kinds : by entry; entries of one kind are much alike

    References
    ----------
    Breiman 1996, Bagging predictors, section 4.2 (unstable choices gain by averaging over them);
    Shao 1996, Bootstrap model selection (drawing fewer than there are).
    """
    able = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: r.inner_error)
    near = [r for r in able if r.inner_error <= NEAR * able[0].inner_error]
    votes = _wins(np.column_stack([trial_errors(y, r.inner) for r in near]), groups, seed)
    share = (1 - EQUAL) * votes + EQUAL * _first_of_kinds([r.entry for r in near], kinds or {})
    order = np.argsort(-share, kind="stable")[:MOST_MEMBERS]
    kept = share[order] / share[order].sum()
    weights = {near[i].entry: float(w) for i, w in zip(order.tolist(), kept, strict=True) if w > 0}
    log = bool(y.min() > 0)
    bound = float(np.log(FACTOR)) if log else DEVIATIONS * able[0].inner_error
    return Mixture(weights, MEAN, log, bound)


def _first_of_kinds(entries: Sequence[str], kinds: Mapping[str, str]) -> FloatArray:
    """Return equal shares of the first entry of each of the first few kinds, 0 for others."""
    first: dict[str, int] = {}
    for i, entry in enumerate(entries):
        first.setdefault(kinds.get(entry) or entry, i)
    chosen = list(first.values())[:MOST_MEMBERS]
    found = np.zeros(len(entries))
    found[chosen] = 1 / len(chosen)
    return found


def _wins(errors: FloatArray, groups: Sequence[str], seed: int) -> FloatArray:
    """Return the share of draws of groups in which each column of errors has the smallest mean."""
    place = np.unique(np.array(groups, dtype=object), return_inverse=True)[1]
    count = np.bincount(place)
    total = np.column_stack([np.bincount(place, column) for column in errors.T])
    drawn = np.random.default_rng(seed).integers(0, len(count), (DRAWS, int(np.ceil(np.sqrt(len(count))))))
    mean = total[drawn].sum(axis=1) / count[drawn].sum(axis=1)[:, None]
    found: FloatArray = np.bincount(mean.argmin(axis=1), minlength=errors.shape[1]) / DRAWS
    return found
