"""How many terms of a forward path, and how small they are held: judged on groups held out, all prefixes at once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.grouped import all_but
from core.models.parts.pool import Term, hold

PENALTIES = (1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1)
"""Of ridge regression on standard scores, in units of one trial's squared error."""
INNER = 5
POWER = 8
"""Prefixes count as (smallest error / own error)^8."""
LEAST = 0.05
"""Weights below this share of the largest are 0."""
RISEN = 2.0
"""Standard errors, over the inner folds, by which an error has risen beyond doubt."""
WORTH = 0.1
"""Of the error of what is held, that running on must save."""
EARLIEST, LATEST = 8, 16
"""Terms before which no path is given up, and from which on it is followed to its end."""

Way = TypeVar("Way")
Search = Callable[[FloatArray, FloatArray, IntArray], Iterable[Term]]
"""Returns the terms of a forward path, in order and as they are asked for, from X, y and groups."""


class Choice(Frozen):
    """What inner folds said of a path.

    Attributes
    ----------
    sizes : array of shape (n_sizes,), numbers of terms that were tried
    errors : array of shape (n_sizes,), mean absolute error of held-out groups with so many terms, on the scale
        of the fit, at the best penalty
    weights : array of shape (n_sizes, n_penalties), what each counts in the coefficients
    error : of the weighted mean of them all
    """

    sizes: IntArray
    errors: FloatArray
    weights: FloatArray
    error: float

    def check(self) -> None:
        """Raise ModelFileError unless the arrays fit each other."""
        n = len(self.sizes)
        right = self.errors.shape == (n,) and self.weights.shape == (n, len(PENALTIES))
        hold(right, "tells of a choice that does not hold together")

    @property
    def longest(self) -> int:
        """The largest number of terms that counts."""
        return int(self.sizes[np.flatnonzero(self.weights.sum(axis=1) > 0).max(initial=0)])


def dealt(groups: IntArray, n: int = INNER) -> list[IntArray]:
    """Return the rows of at most `n` folds of whole groups, dealt at random but always alike."""
    known, own = np.unique(groups, return_inverse=True)
    place = np.empty(len(known), dtype=np.int64)
    place[np.random.default_rng(0).permutation(len(known))] = np.arange(len(known)) % min(n, len(known))
    fold = place[own]
    return [np.flatnonzero(fold == i) for i in range(min(n, len(known)))]


def reach(y: FloatArray, groups: IntArray) -> float:
    """Return how far responses of groups that are held out lie beyond those of the others, at most."""
    folds = ((y[rows], np.delete(y, rows)) for rows in dealt(apart(groups)))
    return max(max(float(own.max() - rest.max()), float(rest.min() - own.min()), 0.0) for own, rest in folds)


def apart(groups: IntArray) -> IntArray:
    """Return the groups, or each trial as one of its own where there are not two."""
    return groups if len(np.unique(groups)) > 1 else np.arange(len(groups))


def values(terms: Sequence[Term], X: FloatArray) -> FloatArray:
    """Return what terms are at rows of X, shape (n_terms, n)."""
    return np.array([term.evaluate(X) for term in terms]).reshape(len(terms), len(X))


class Prefixes(Frozen):
    """Ridge regression on the first terms of a path, for every number of them and every penalty.

    Attributes
    ----------
    intercepts : array of shape (n_sizes, n_penalties)
    coefficients : array of shape (n_sizes, n_penalties, n_terms), 0 for terms behind the prefix
    """

    intercepts: FloatArray
    coefficients: FloatArray

    def predict(self, rows: FloatArray) -> FloatArray:
        """Return predictions of shape (n_sizes, n_penalties, n) at values of the terms, shape (n_terms, n)."""
        return self.intercepts[:, :, None] + self.coefficients @ rows

    def mean(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Return the weighted mean of intercepts and coefficients."""
        return float((weights * self.intercepts).sum()), np.einsum("sp,spk->k", weights, self.coefficients)


def prefixes(rows: FloatArray, y: FloatArray, sizes: Sequence[int]) -> Prefixes:
    """Fit the prefixes of a path, with one eigendecomposition for each.

    Parameters
    ----------
    rows : array of shape (n_terms, n), values of the terms
    """
    n_terms, n = rows.shape
    mean, level = rows.mean(axis=1), float(y.mean())
    Z = rows - mean[:, None]
    spread = np.sqrt(np.einsum("kn,kn->k", Z, Z) / n)
    Z /= np.where(spread > 0, spread, 1.0)[:, None]
    squares, along = Z @ Z.T / n, Z @ (y - level) / n
    found = np.zeros((len(sizes), len(PENALTIES), n_terms))
    for i, size in enumerate(sizes):
        eigenvalues, vectors = np.linalg.eigh(squares[:size, :size])
        shrunk = (vectors.T @ along[:size])[:, None] / (np.maximum(eigenvalues, 0.0)[:, None] + np.array(PENALTIES))
        found[i, :, :size] = (vectors @ shrunk).T
    found /= np.where(spread > 0, spread, 1.0)
    return Prefixes(level - found @ mean, found)


def held_out(
    search: Search, X: FloatArray, y: FloatArray, groups: IntArray, sizes: Sequence[int]
) -> Iterator[FloatArray]:
    """Yield, for some sizes at a time, predictions of every group by paths that never saw it, held and free.

    Their shape is (2, n_some, n_penalties, n), as `without` has them.
    """
    ends = [i for i, size in enumerate(sizes) if size > EARLIEST and sizes[i - 1] <= LATEST]
    blocks, tests = np.split(np.array(sizes), ends), dealt(groups)
    for said in zip(*(without(search, X, y, groups, test, blocks) for test in tests), strict=True):
        found = np.empty((*said[0].shape[:3], len(y)))
        for test, own in zip(tests, said, strict=True):
            found[..., test] = own
        yield found


def without(
    search: Search, X: FloatArray, y: FloatArray, groups: IntArray, test: IntArray, blocks: Sequence[IntArray]
) -> Iterator[FloatArray]:
    """Yield predictions of some rows by a path that never saw them, followed as far as is asked for.

    Returns
    -------
    arrays of shape (2, n_some, n_penalties, n_test), first with rows and predictions held within what the path has
    seen, then with those that run on
    """
    train = all_but(len(y), test)
    seen, own = X[train], y[train]
    new = np.concatenate([np.clip(X[test], seen.min(axis=0), seen.max(axis=0)), X[test]])
    path = iter(search(seen, own, groups[train]))
    rows, asked = np.empty((0, len(train))), np.empty((0, len(new)))
    for sizes in blocks:
        terms = list(islice(path, int(sizes[-1]) - len(rows)))
        rows, asked = np.vstack([rows, values(terms, seen)]), np.vstack([asked, values(terms, new)])
        fitted = prefixes(rows, own, np.minimum(sizes, len(rows)).tolist())
        with np.errstate(over="ignore", invalid="ignore"):  # what runs on may have no number
            held, free = np.split(fitted.predict(asked), 2, axis=2)
        yield np.array([np.clip(held, own.min(), own.max()), free])


def until_risen(said: Iterable[FloatArray], y: FloatArray, groups: IntArray) -> FloatArray:
    """Return predictions of shape (2, n_sizes, n_penalties, n) up to where more terms are worse beyond doubt.

    That is where the errors of three sizes in a row are above the smallest before them by two standard errors each.

    Parameters
    ----------
    said : from `held_out`, whose paths are followed no further
    """
    kept, errors, folds = [], [], dealt(groups)
    for some in said:
        kept.append(some)
        for each in np.abs(some[0] - y):
            best = each[each.mean(axis=1).argmin()]
            errors.append([float(best[rows].mean()) for rows in folds])
        if len(folds) == INNER and len(errors) > 3 and _risen(np.array(errors)):
            break
    return np.concatenate(kept, axis=1)


def _risen(errors: FloatArray) -> bool:
    """Return whether the last three rows of errors by size and fold are beyond doubt above the best before them."""
    before, last = errors[:-3], errors[-3:]
    rise = last - before[before.mean(axis=1).argmin()]
    return bool((rise.mean(axis=1) > RISEN * rise.std(axis=1, ddof=1) / errors.shape[1] ** 0.5).all())


def best_size(said: FloatArray, y: FloatArray, groups: IntArray, *, one_error: bool) -> int:
    """Return the place of the size of smallest held-out error, or of the first within one standard error of it.

    The standard error is that of the mean over the inner folds.

    Parameters
    ----------
    said : array of shape (n_sizes, n_penalties, n), what is held of `held_out` with these groups
    """
    sizes = np.abs(said - y)
    errors = sizes.mean(axis=2)
    best, penalty = np.unravel_index(int(errors.argmin()), errors.shape)
    folds = [float(sizes[best, penalty, rows].mean()) for rows in dealt(groups)]
    room = float(np.std(folds, ddof=1)) / len(folds) ** 0.5 if one_error else 0.0
    return int(np.flatnonzero(errors.min(axis=1) <= errors.min() + room)[0])


def choose(said: FloatArray, y: FloatArray, sizes: Sequence[int], last: int | None = None) -> tuple[Choice, FloatArray]:
    """Return what counts how much by its held-out error, and the weighted mean of the held-out predictions.

    Parameters
    ----------
    said : array of shape (n_sizes, n_penalties, n), what is held of `held_out`
    sizes : at least as many numbers of terms
    last : place of the largest size that counts; all do if None
    """
    errors = np.abs(said - y).mean(axis=2)
    errors = np.maximum(errors, 1e-12 * max(float(np.ptp(y)), 1e-300))
    counting = slice(None, None if last is None else last + 1)
    weights = np.zeros_like(errors)
    weights[counting] = (errors[counting].min() / errors[counting]) ** POWER
    weights[weights < LEAST] = 0.0
    weights /= weights.sum()
    mean: FloatArray = np.tensordot(weights, said, 2)
    error = float(np.abs(mean - y).mean())
    return Choice(np.array(sizes[: len(said)], dtype=np.int64), errors.min(axis=1), weights, error), mean


Judge = Callable[[FloatArray], tuple[Choice, FloatArray]]


def settle(
    ways: Mapping[Way, FloatArray], y: FloatArray, groups: IntArray, choose: Judge, *, free: bool
) -> tuple[Way, Choice, FloatArray, bool]:
    """Return the way of smallest held-out error, its choice, its held-out predictions, and whether they run on.

    Parameters
    ----------
    ways : per way arrays of shape (2, n_sizes, n_penalties, n), held and free, from `held_out`
    choose : what counts how much, of arrays of shape (n_sizes, n_penalties, n), and its held-out predictions
    free : whether they may run on
    """
    worst = y + np.ptp(y)  # what has no number is as far off as responses are apart

    def least(i: int) -> tuple[Way, Choice, FloatArray]:
        tried = [(way, *choose(np.where(np.isfinite(said[i]), said[i], worst))) for way, said in ways.items()]
        return min(tried, key=lambda one: one[1].error)

    held, on = least(0), least(1) if free else None
    return (*on, True) if on and gains(held[2], on[2], y, groups) else (*held, False)


def gains(held: FloatArray, free: FloatArray, y: FloatArray, groups: IntArray) -> bool:
    """Whether groups are predicted better beyond what the others show than held within it.

    By more than the standard error over groups of what is gained, and than a tenth of their error: beyond, a formula
    can be off by any factor.

    Parameters
    ----------
    held, free : arrays of shape (n,), predictions of y that never saw the groups
    """
    place = np.unique(groups, return_inverse=True)[1]
    size = np.bincount(place)
    off = np.bincount(place, np.abs(held - y)) / size
    own = off - np.bincount(place, np.abs(free - y)) / size
    return bool(own.mean() > max(own.std() / np.sqrt(max(len(own) - 1, 1)), WORTH * off.mean()))
