"""How errors on folds inside become the weights of a mixture."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.blend import MEAN, Mixture
from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.recipes._nested import inner_error, trial_errors

POWER = 8
"""Weights fall with this power of the error: (smallest / own)^8 was within a percent of the best entry of each set."""
LEAST_WEIGHT = 0.01
"""Entries of less are left out."""
FACTOR = 1.2
"""No entry counts as further than this from the weighted median of all: one that runs away is heard, not followed."""
DEVIATIONS = 3.0
"""The same on a response that is not positive, in errors of the best entry."""
WITNESS = "extra_trees"
"""Kept in every mixture: how far its trees are apart, and it from the others, tells how sure a prediction is."""
GIVEN_UP = 4.0
"""Times the smallest error at half time beyond which an entry is asked no more: it would hardly weigh anything if it
were as good as the best on the other half."""


def by_errors(y: FloatArray, errors: Mapping[str, float], witness: str = "") -> Mixture:
    """Return the mixture of entries of such errors: each weighs the eighth power of smallest error over own error.

    Parameters
    ----------
    witness : an entry that stays in, with the least weight at least
    """
    least = min(errors.values())
    tiny = 1e-12 * max(1.0, least)
    share = {name: ((least + tiny) / (error + tiny)) ** POWER for name, error in errors.items()}
    floor = LEAST_WEIGHT * sum(share.values())
    kept = {name: max(w, floor) for name, w in share.items() if w >= floor or name == witness}
    log = bool(y.min() > 0)
    bound = float(np.log(FACTOR)) if log else DEVIATIONS * least
    return Mixture({name: w / sum(kept.values()) for name, w in kept.items()}, MEAN, log, bound)


def cautious(errors: FloatArray, groups: Sequence[str]) -> float:
    """Return the mean error and its standard error over groups that are held out together.

    An entry that is good on most applications and far off on some is no safe choice for one that nobody has seen.
    """
    place = np.unique(np.array(groups, dtype=object).astype(str), return_inverse=True)[1]
    count, mean = np.bincount(place), float(errors.mean())
    if len(count) < 2:
        return mean
    apart = np.bincount(place, errors) / count - mean
    spread = len(count) / (len(count) - 1) * float(((count / count.sum() * apart) ** 2).sum())
    return mean + float(np.sqrt(spread))


def weighed(y: FloatArray, groups: Sequence[str], predicted: Mapping[str, FloatArray]) -> Mixture:
    """Return the mixture of entries by what they said of trials that they had not seen.

    Parameters
    ----------
    groups : per trial, a text that trials share that are held out together

    Raises
    ------
    FitError
        If none said anything.
    """
    able = {name: p for name, p in predicted.items() if np.isfinite(p).any()}
    if not able:
        raise FitError("No entry can learn from so few trials. Import more trials.")
    return by_errors(y, {name: cautious(trial_errors(y, p), groups) for name, p in able.items()}, WITNESS)


def mixture_of(
    y: FloatArray, groups: Sequence[str], names: Sequence[str], folds: Sequence[IntArray],
    said: Callable[[str, int], FloatArray],
) -> Mixture:  # fmt: skip
    """Return the mixture of entries by what they say of folds after learning from the others.

    After half of the folds an entry with four times the smallest error is asked no more.

    Parameters
    ----------
    groups : of all trials, as in `weighed`
    folds : rows held out together
    said : what the entry of a name says of the fold of a number
    """
    found, going = {name: np.full(len(y), np.nan) for name in names}, list(names)
    for i, test in enumerate(folds):
        if i == max(2, len(folds) // 2):
            rows = np.concatenate(folds[:i])
            errors = {name: inner_error(y[rows], found[name][rows]) for name in going}
            going = [name for name in going if errors[name] <= GIVEN_UP * min(errors.values())]
        for name in going:
            found[name][test] = said(name, i)
    rows = np.sort(np.concatenate(folds))
    return weighed(y[rows], [groups[i] for i in rows.tolist()], {name: p[rows] for name, p in found.items()})
