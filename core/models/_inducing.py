"""A Gaussian process of many trials: in an order of their own, a sample of them, and told through a few of them."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, IntArray
from core.models.base import Family
from core.models.parts.trees import check_trials
from core.option import option
from core.progress import Progress, silent

Covariance = Callable[[IntArray, IntArray], FloatArray]
"""The covariance of the function between trials and some of those that inducing points are chosen among, by number."""
Prepared = tuple[FloatArray, FloatArray, float, float, IntArray]
_FEW_SEARCHED = 150
"""Trials of the search where it is for choosing."""
_BEHIND = 100_000
"""Trials that are told through inducing points; of more so many are drawn, as no points hold more than these say."""
_NEW = 1e-11
"""Share of its variance that a point must have new to be an inducing point; more than the digits that are lost."""
_OF_NOISE = 1e-3
"""Share of the noise that it must have new, too: less does not show."""


class Process(Family):
    """A family whose model is a Gaussian process, of many trials told through a few."""

    linear, few_columns = False, True

    search_trials: int = option(300, low=10, high=10000, label="Trials of the search", expert=True).says(
        "Sizes and lengths are searched on at most so many trials, drawn at random; all are used with them"
    )
    most_trials: int = option(2000, low=10, high=10000, expert=True).says(
        "More are told through inducing points, as time grows with their third power"
    )
    inducing: int = option(500, low=10, high=2000, label="Inducing points", expert=True).says(
        "How many trials stand for all where there are more than most_trials"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the random draws")

    found: tuple[float, ...] = ()
    """What the search found on other trials of the same columns; it searches where that is not one for each."""

    def settled(
        self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent
    ) -> tuple[Self, float]:
        """Return the family with sizes and lengths as they are found on these trials."""
        X, z, _, _, some = self._prepared(X, y, f"The family {self.label}")
        return replace(self, found=tuple(self._searched(X, z, some, progress).tolist())), np.inf

    @abstractmethod
    def _searched(self, X: FloatArray, z: FloatArray, some: IntArray, progress: Progress) -> FloatArray:
        """Return the likeliest parameters on some of the trials, or those that were found before."""

    @property
    def light(self) -> Self:
        """The same with fewer trials to search sizes and lengths on."""
        return replace(self, search_trials=min(_FEW_SEARCHED, self.search_trials))

    def _prepared(self, X: FloatArray, y: FloatArray, noun: str) -> Prepared:
        """Return the trials in an order of their own, their responses as standard scores, and what these were.

        That is columns, scores, mean and deviation of the response, and the numbers of the trials that are searched on.
        """
        check_trials(X, y, self.least_trials, noun)
        rows = in_order(X, y)
        rows = rows[drawn(len(rows), _BEHIND, self.seed)]
        own = y[rows]
        mean, scale = float(own.mean()), float(own.std())
        return X[rows], (own - mean) / scale, mean, scale, drawn(len(rows), self.search_trials, self.seed)


def induce(
    covariance: Covariance, among: IntArray, z: FloatArray, noise: float, most: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the process of all trials through at most `most` inducing points.

    Parameters
    ----------
    covariance : of the function, without noise
    among : numbers of the trials that inducing points are chosen among
    z : array of shape (n,), what was measured, of mean 0
    noise : variance of the measurements

    Returns
    -------
    chosen : numbers of the trials that are inducing points
    weights : array of shape (n_points,): mean(x) = Σ weight · covariance(x, point)
    factor : packed lower triangle of the Cholesky factor of I + A A' / noise (see `parts_known`)

    References
    ----------
    Titsias 2009, Variational learning of inducing variables in sparse Gaussian processes, equation 6; points by
    greatest variance left, as in Burt, Rasmussen, van der Wilk 2020, Convergence of sparse variational inference in
    Gaussian processes regression, section 4.2.2.
    """
    from scipy.linalg import cho_solve, cholesky, solve_triangular

    K = covariance(among, among)
    places = greedy(K, most, _OF_NOISE * noise)
    chosen, L = among[places], cholesky(_jittered(K[np.ix_(places, places)]), lower=True)
    B, c = np.eye(len(chosen)), np.zeros(len(chosen))
    for rows in (np.arange(len(z))[block] for block in row_blocks(len(z), len(chosen))):
        A = solve_triangular(L, covariance(rows, chosen).T, lower=True)
        B += A @ A.T / noise
        c += A @ z[rows] / noise
    F = cholesky(B, lower=True)
    weights = solve_triangular(L, cho_solve((F, True), c), lower=True, trans="T")
    return chosen, weights, F[np.tril_indices(len(F))]


def greedy(K: FloatArray, most: int, least: float = 0.0) -> IntArray:
    """Return the points that leave the least variance of the others, the first with the most (pivoted Cholesky).

    Parameters
    ----------
    K : array of shape (n, n), the points' covariance
    least : variance that a point must have left, but for the first
    """
    left, most = np.diag(K).copy(), min(most, len(K))
    least = max(least, _NEW * float(left.max()))
    basis = np.empty((most, len(K)))
    chosen: list[int] = []
    for k in range(most):
        i = int(np.argmax(left))
        if chosen and left[i] <= least:
            break
        basis[k] = (K[i] - basis[:k, i] @ basis[:k]) / np.sqrt(left[i])
        left -= basis[k] ** 2
        left[i] = 0.0
        chosen.append(i)
    return np.array(chosen, dtype=np.int64)


def parts_known(K: FloatArray, across: FloatArray, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return A and G so that the covariance of the mean's error is the function's own less A'A plus G'G.

    Parameters
    ----------
    K : array of shape (n_points, n_points), the inducing points' covariance, without noise
    across : array of shape (n, n_points), of rows with the points
    factor : as `induce` returns it
    """
    from scipy.linalg import cholesky, solve_triangular

    F = np.zeros_like(K)
    F[np.tril_indices(len(K))] = factor
    A = solve_triangular(cholesky(_jittered(K), lower=True), across.T, lower=True)
    return A, solve_triangular(F, A, lower=True)


def factor_fits(factor: FloatArray, n_points: int) -> bool:
    """Return whether a model's factor is empty, as where the points are the trials, or one of so many points."""
    return factor.shape in ((0,), (n_points * (n_points + 1) // 2,))


def _jittered(K: FloatArray) -> FloatArray:
    return K + 1e-2 * _NEW * float(np.diag(K).max()) * np.eye(len(K))


def in_order(X: FloatArray, y: FloatArray) -> IntArray:
    """Return the rows' numbers, sorted by the columns of X one after another, then by y."""
    return np.lexsort((y, *X.T[::-1])).astype(np.int64)


def drawn(n: int, most: int, seed: int) -> IntArray:
    """Return at most `most` of n rows' numbers, ascending, drawn at random."""
    if n <= most:
        return np.arange(n, dtype=np.int64)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False)).astype(np.int64)


def repeat_variance(X: FloatArray, y: FloatArray) -> float:
    """Return the variance of y among rows that are equal in X, rows in order; 0 if none are."""
    same = (X[1:] == X[:-1]).all(axis=1)
    group = np.r_[0, np.cumsum(~same)]
    counts = np.bincount(group)
    means = np.bincount(group, y) / counts
    return float(((y - means[group]) ** 2).sum() / same.sum()) if same.any() else 0.0
