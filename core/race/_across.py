"""Logarithms of responses over machines as one Gaussian vector per workload, learnt from tables with holes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]
Alike = tuple[IntArray, BoolArray, FloatArray]
_ROUNDS, _SETTLED = 60, 1e-6
_PENALTY = 0.05
"""Of the slopes, per workload, on standard scores."""
_PRIOR = 2.0
"""Machines' worth of workloads with uncorrelated errors that are believed beforehand."""
_SIZE = 1e4
"""Variance of a workload's size, relative to that of all logarithms: nothing is believed of it beforehand."""


@dataclass(frozen=True)
class Across:
    """ln y of workload w on machine m is size_w + (X slopes)_wm + error_wm, errors together normal over machines.

    Attributes
    ----------
    slopes : array of shape (n_features, n_machines)
    covariance : array of shape (n_machines, n_machines), of the errors
    size : variance of the sizes
    """

    slopes: FloatArray
    covariance: FloatArray
    size: float

    def told(self, Z: FloatArray, noise: FloatArray, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of each workload's true logarithms, given those that were measured.

        Parameters
        ----------
        Z, noise : arrays of shape (n, n_machines): measured logarithms, NaN where there are none, and the variances of
            their means
        X : array of shape (n, n_features)

        Returns
        -------
        arrays of shape (n, n_machines) and (n, n_machines, n_machines)
        """
        base = X @ self.slopes
        means: FloatArray = np.empty_like(Z)
        covariances: FloatArray = np.empty((*Z.shape, Z.shape[1]))
        for rows, seen, own in _alike(Z, noise):
            gain, left = _given(self.covariance + self.size, seen, own)
            means[rows] = base[rows] + (Z[rows] - base[rows])[:, seen] @ gain.T
            covariances[rows] = left
        return means, covariances


def _alike(Z: FloatArray, noise: FloatArray) -> Iterator[Alike]:
    """Yield workloads that ran on the same machines: their rows, these machines, and the mean noise there."""
    patterns, of = np.unique(np.isfinite(Z), axis=0, return_inverse=True)
    for k, seen in enumerate(patterns):
        rows = np.flatnonzero(of.ravel() == k)
        yield rows, seen, noise[rows][:, seen].mean(axis=0)


def _given(C: FloatArray, seen: BoolArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return by what a normal vector of covariance C follows what was seen of it with noise, and what is left of C."""
    gain = np.asarray(np.linalg.solve(C[np.ix_(seen, seen)] + np.diag(noise), C[seen]).T)
    left = C - gain @ C[seen]
    return gain, np.asarray((left + left.T) / 2)


def learn(Z: FloatArray, noise: FloatArray, X: FloatArray) -> Across:
    """Learn slopes and covariance by expectation and maximisation (Dempster, Laird, Rubin 1977).

    Parameters
    ----------
    as in `Across.told`; every machine has a measured workload, and every workload a measured machine
    """
    n, m = Z.shape
    centred = Z - np.nanmean(Z, axis=1, keepdims=True)
    level = np.nan_to_num(np.nanmean(centred, axis=0))
    slopes = np.zeros((X.shape[1], m))
    slopes[0] = level
    apart = float(np.nanmean((centred - level) ** 2)) or 1e-12
    size = _SIZE * (float(np.nanvar(Z)) + apart)
    covariance = apart * np.eye(m)
    penalty = _PENALTY * n * np.eye(X.shape[1])
    penalty[0, 0] = 0.0
    normal, alike = X.T @ X + penalty, list(_alike(Z, noise))
    for _ in range(_ROUNDS):
        errors, spread = _expected(Across(slopes, covariance, size), Z, alike, X)
        slopes = slopes + np.linalg.solve(normal, X.T @ errors - penalty @ slopes)
        prior = _PRIOR * m
        variance = float(np.trace(errors.T @ errors + spread)) / (n * m)
        new = (errors.T @ errors + spread + prior * variance * np.eye(m)) / (n + prior)
        moved = float(np.abs(new - covariance).max() / max(np.abs(new).max(), 1e-300))
        covariance = new
        if moved < _SETTLED:
            break
    return Across(slopes, covariance, size)


def _expected(of: Across, Z: FloatArray, alike: list[Alike], X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the expected errors, sizes taken out, and the sum of their covariances."""
    C, base = of.covariance + of.size, X @ of.slopes
    errors, spread = np.empty_like(Z), np.zeros_like(of.covariance)
    for rows, seen, own in alike:
        gain = np.linalg.solve(C[np.ix_(seen, seen)] + np.diag(own), of.covariance[seen]).T
        errors[rows] = (Z[rows] - base[rows])[:, seen] @ gain.T
        spread += len(rows) * (of.covariance - gain @ of.covariance[seen])
    return errors, spread
