"""Scaling surfaces: how a response changes over configurations, and where one more measurement tells most of it."""

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, count, hold
from core.scale import check_response
from core.scaling.study import Study

RANK, ROUNDS, TOLERANCE = 4, 100, 1e-7


class Surfaces(Frozen):
    """Log surfaces of some kernels relative to a base configuration.

    Attributes
    ----------
    kernels : array of shape (n,), their places in the study: those that were measured at the base
    log : array of shape (n, n_configurations), log(value / value at the base), holes filled
    known : array of bool, same shape, what was measured
    """

    kernels: IntArray
    log: FloatArray
    known: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"


def default_base(study: Study) -> int:
    """Return the highest of the configurations that most kernels have."""
    return int(study.n_configurations - 1 - study.n_measured[::-1].argmax())


def relative_surfaces(study: Study, response: str, base: int, kernels: IntArray | None = None) -> Surfaces:
    """Return the surfaces of the kernels that were measured at the base, holes filled from these kernels alone.

    Raises
    ------
    FitError
        If fewer than two kernels were measured there, or none of those at another configuration.
    """
    rows = np.arange(study.n_kernels) if kernels is None else kernels
    values = study.surface(response)[rows]
    there = np.isfinite(values[:, base])
    if there.sum() < 2:
        raise FitError(
            f"Only {count(int(there.sum()), 'kernel')} with '{response}' at the base {study.shown(base)}; "
            "at least 2 are needed. Choose another base."
        )
    values = values[there]
    if (never := np.isnan(values).all(axis=0)).any():
        raise FitError(
            f"None of the {len(values)} kernels that have '{response}' at the base {study.shown(base)} has it at "
            f"{study.shown(int(never.argmax()))}. Choose another base, fewer axes, or leave out trials by a condition."
        )
    check_response(values[np.isfinite(values)], response)
    filled = fill_holes(np.log(values))
    return Surfaces(rows[there].astype(np.int64), filled - filled[:, [base]], np.isfinite(values))


def fill_holes(logs: FloatArray) -> FloatArray:
    """Return log values of shape (n_kernels, n_configurations) with estimates in place of NaN.

    Kernel and configuration means are fitted first, then components of what they leave are found
    and put back in turn until the estimates rest; each component is shrunk by the size of the
    first one left out, so that few measurements do not make bold guesses.

    References
    ----------
    Mazumder, Hastie, Tibshirani 2010, Spectral regularization algorithms for learning large
    incomplete matrices, algorithm 1 (soft-impute), here with a fixed rank.
    """
    known = np.isfinite(logs)
    if known.all():
        return logs
    if not known.any(axis=0).all() or not known.any(axis=1).all():
        raise FitError("A kernel or a configuration has no measurement at all, so its surface cannot be estimated.")
    means = _two_way_means(logs, known)
    rest = np.where(known, logs - means, 0.0)
    estimate = np.zeros_like(logs)
    for _ in range(ROUNDS):
        u, s, vt = np.linalg.svd(np.where(known, rest, estimate), full_matrices=False)
        kept = min(RANK, len(s) - 1)
        shrunk = np.maximum(s[:kept] - s[kept], 0.0)
        found = (u[:, :kept] * shrunk) @ vt[:kept]
        moved = float(np.abs(found - estimate)[~known].max())
        estimate = found
        if moved < TOLERANCE:
            break
    return np.where(known, logs, means + estimate)


def _two_way_means(logs: FloatArray, known: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> FloatArray:
    """Fit one number per kernel and one per configuration to the cells that are known, in turn."""
    cells = np.where(known, logs, 0.0)
    rows, columns = np.zeros(len(logs)), np.zeros(logs.shape[1])
    for _ in range(ROUNDS):
        new_rows = (cells - np.where(known, columns, 0.0)).sum(axis=1) / known.sum(axis=1)
        columns = (cells - np.where(known, new_rows[:, None], 0.0)).sum(axis=0) / known.sum(axis=0)
        moved = float(np.abs(new_rows - rows).max())
        rows = new_rows
        if moved < TOLERANCE:
            break
    return rows[:, None] + columns


class Components(Frozen):
    """Principal components of surfaces.

    Attributes
    ----------
    mean : array of shape (n_configurations,)
    axes : array of shape (n_components, n_configurations), orthonormal
    explained : array of shape (n_components,), share of the variance
    """

    mean: FloatArray
    axes: FloatArray
    explained: FloatArray

    def scores(self, surfaces: FloatArray) -> FloatArray:
        """Return the components of surfaces, array of shape (n, n_components)."""
        return (surfaces - self.mean) @ self.axes.T

    def rebuilt(self, scores: FloatArray) -> FloatArray:
        """Return the surfaces of scores."""
        return self.mean + scores @ self.axes

    def check(self, n_configurations: int) -> None:
        """Hold the arrays of a file against the grid."""
        fits = self.mean.shape == (n_configurations,) == self.axes.shape[1:]
        hold(fits, "The model file does not hold together: its components do not fit its grid.")


def components(surfaces: FloatArray, most: int) -> Components:
    """Return at most so many principal components, those below 1e-10 of the first left out.

    The smaller Gram matrix is decomposed: kernels × kernels where there are more configurations.
    The sign of each component makes its largest element positive.
    """
    mean = surfaces.mean(axis=0)
    C = surfaces - mean
    wide = C.shape[1] > C.shape[0]
    size, vectors = np.linalg.eigh(C @ C.T if wide else C.T @ C)
    size, vectors = np.maximum(size[::-1], 0.0), vectors[:, ::-1]
    kept = int(min(most, (size > 1e-10 * max(size[0], 1e-300)).sum()))
    if not kept:  # all surfaces are alike: along one component, none moves
        return Components(mean, np.eye(1, C.shape[1]), np.zeros(1))
    axes = (C.T @ vectors[:, :kept] / np.sqrt(size[:kept])).T if wide else vectors[:, :kept].T
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(kept), largest])
    total = float(size.sum()) or 1.0
    return Components(mean, np.ascontiguousarray(axes * signs[:, None]), size[:kept] / total)


NOISE = 1e-4
"""Variance of a log measurement: repeats that differ by 1 %."""


def covariance(log: FloatArray) -> FloatArray:
    """Return the covariance of log surfaces between configurations, array of shape (n_configurations, same)."""
    C = log - log.mean(axis=0)
    return np.asarray(C.T @ C / max(len(log) - 1, 1))


def most_telling(log: FloatArray, n: int) -> IntArray:
    """Return the n configurations at which one more measurement tells most about surfaces like these, best first."""
    return next_configurations(covariance(log), n)[0]


def next_configurations(between: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
    """Return where to measure, one after another, so that the variance left over all configurations is smallest.

    A measurement at j takes Σₜ K(t, j)² / (K(j, j) + `NOISE`) of the variance ΣK(t, t) away; what is
    left is the covariance given the measurement, and so on. The share of the variance that is left
    after each measurement and those before is returned as well.

    Parameters
    ----------
    between : covariance of what is not known yet, array of shape (n_configurations, same)

    References
    ----------
    Cohn, Ghahramani, Jordan 1996, Active learning with statistical models (the criterion, for a Gaussian).
    """
    K = between.copy()
    total = float(np.trace(K)) or 1.0
    found, left = np.zeros(min(n, len(K)), dtype=np.int64), np.zeros(min(n, len(K)))
    for i in range(len(found)):
        gain = (K**2).sum(axis=0) / (np.diag(K) + NOISE)
        gain[found[:i]] = -1.0
        best = found[i] = int(np.argmax(gain))
        K = K - np.outer(K[:, best], K[best]) / (K[best, best] + NOISE)
        left[i] = max(float(np.trace(K)) / total, 0.0)
    return found, left
