"""Rotations: varimax, by which each component is made of few metrics, and the original Eiger's, applied to raw ones."""

import cmath
from collections import deque

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError, hold
from core.option import option
from core.passes.base import Features, FittedPass, Pass
from core.passes.pca import largest_positive
from core.passes.scales import centre_and_scale
from core.progress import Progress, silent

Planes = tuple[IntArray, IntArray]
"""The numbers of the two components that each plane is of."""

FIRST = 30
"""Sweeps of R's iteration, which lead to its maximum; it needs a thousand where factors are hard to tell apart."""
MOST = 300
_MEMORY = 30
_SHORTEN = 8
_LARGE, _CLEAR = 64, 1e-10
"""Factors, and eigenvalue in shares of the largest, from which on a nearest rotation is found by eigenvectors."""
_LEAST = 1e-3
"""Curvature of a plane, in shares of the largest, under which it is taken for flat."""


def climb(A: FloatArray, tolerance: float) -> tuple[FloatArray, int, bool]:
    """Return the rotation of loadings A, shape (p, k), the sweeps it took, and whether it stands still.

    A sweep is one pass over the loadings. It stands still if no entry moves by more than `tolerance`.

    References
    ----------
    The first sweeps are those of R's `stats::varimax`; then a quasi-Newton search over rotations whose first guess of
    the curvature is that of each plane by itself (Kaiser 1958), as in Ablin, Cardoso, Gramfort 2018, Faster ICA under
    orthogonal constraint.
    """
    rotation = np.eye(A.shape[1])
    for sweep in range(FIRST):
        B = A @ rotation
        squares = B * B
        before, rotation = rotation, _nearest(A.T @ (B * (squares - squares.mean(axis=0))))
        if np.abs(rotation - before).max() < tolerance:
            return rotation, sweep + 1, True
    return _quasi_newton(A, rotation, tolerance)


def _quasi_newton(A: FloatArray, rotation: FloatArray, tolerance: float) -> tuple[FloatArray, int, bool]:
    i, j = np.triu_indices(A.shape[1], 1)
    planes: Planes = i.astype(np.int64), j.astype(np.int64)
    known: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=_MEMORY)
    B = A @ rotation
    height, slope, curve = _look(B, planes)
    for sweep in range(FIRST, MOST):
        if np.abs(slope / curve).max() < tolerance:
            return _nearest(rotation), sweep, True
        angles = _direction(slope, curve, known)
        for _ in range(_SHORTEN):
            turned: FloatArray = rotation @ _turn(angles, planes, len(rotation))
            B = A @ turned
            new = _look(B, planes)
            if new[0] > height - 1e-12 * abs(height):
                break
            angles = angles / 2
        else:
            if not known:
                break
            known.clear()  # what was learnt no longer holds
            continue
        change = slope - new[1]
        if angles @ change > 0:
            known.append((angles, change))
        rotation, (height, slope, curve) = turned, new
    return _nearest(rotation), MOST, False


def _look(B: FloatArray, planes: Planes) -> tuple[float, FloatArray, FloatArray]:
    """Return the criterion, and per plane its slope and its curvature (at least a little) by the angle."""
    p = len(B)
    squares = B * B
    sums = squares.sum(axis=0)
    T = B.T @ (squares * B - B * (sums / p))
    i, j = planes
    fourth, both, cross = (squares * squares).sum(axis=0), squares.T @ squares, B.T @ B
    u = fourth[i] + fourth[j] - 2 * both[i, j] - (sums[i] - sums[j]) ** 2 / p
    v = 4 * both[i, j] - 4 * cross[i, j] ** 2 / p
    curve = np.abs(u - v)
    height = float(fourth.sum() - (sums**2).sum() / p)
    return height / 4, T[i, j] - T[j, i], np.maximum(curve, _LEAST * curve.max(initial=1e-300))


def _direction(slope: FloatArray, curve: FloatArray, known: deque[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Return angles to turn by: the limited-memory quasi-Newton step uphill."""
    q, weights = slope.copy(), []
    for s, y in reversed(known):
        weights.append((s @ q) / (s @ y))
        q -= weights[-1] * y
    q /= curve
    for (s, y), weight in zip(known, reversed(weights), strict=True):
        q += s * (weight - (y @ q) / (s @ y))
    largest = float(np.abs(q).max())
    return q / max(1.0, largest / 0.5) if q @ slope > 0 else slope / curve


def _turn(angles: FloatArray, planes: Planes, k: int) -> FloatArray:
    """Return the rotation by angles in planes (Cayley's)."""
    E = np.zeros((k, k))
    E[planes] = angles / 2
    E -= E.T
    return np.asarray(np.linalg.solve(np.eye(k) - E, np.eye(k) + E), dtype=np.float64)


def _nearest(G: FloatArray) -> FloatArray:
    """Return the rotation nearest to G; of a large one by the eigenvectors of G'G, at a fraction of the time."""
    if len(G) > _LARGE:
        values, vectors = np.linalg.eigh(G.T @ G)
        if values[0] > _CLEAR * values[-1]:
            near = G @ (vectors / np.sqrt(values)) @ vectors.T
            return np.asarray(1.5 * near - 0.5 * near @ (near.T @ near))  # what rounding has taken from its angles
    U, _, Vt = np.linalg.svd(G)
    return np.asarray(U @ Vt)


class FittedVarimax(FittedPass):
    """The rotation of standardised scores.

    Attributes
    ----------
    rotation : orthogonal array of shape (n_components, n_components)
    loadings : array of shape (n_metrics, n_components), after rotation
    """

    rotation: FloatArray
    loadings: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the turned scores; they stay uncorrelated and of unit variance."""
        return X @ self.rotation

    def features(self, before: Features) -> Features:
        """Return the components as columns RC1, RC2, …, by explained variance."""
        names = tuple(f"RC{i + 1}" for i in range(self.rotation.shape[1]))
        return Features(names, self.apply(before.X), before.metrics, self.loadings)

    def check(self, width: int) -> int:
        """Hold the arrays against each other and the width."""
        own, turned = self.rotation.shape, self.loadings.shape
        hold(own == (width, width), f"The rotation has shape {own}, but gets {width} columns.")
        hold(turned[1:] == (width,), f"The rotated loadings have shape {turned} for {width} components.")
        return width


class Varimax(Pass):
    """Rotate the loadings to the largest variance of their squares (Eiger, II-A).

    References
    ----------
    Kaiser 1958, The varimax criterion for analytic rotation in factor analysis; the maximum
    is that which R's `stats::varimax` climbs to (see `_varimax`).
    """

    normalize: bool = option(True).says(
        "Kaiser's normalisation: every metric weighs the same, however much is explained"
    )

    def fit(self, before: Features) -> FittedVarimax:
        """Learn the rotation from the loadings.

        Raises
        ------
        FitError
            If there are no components yet.
        """
        if before.loadings.shape[1] != len(before.names):
            raise FitError("Varimax turns components: put pca before it.")
        rotation = varimax(before.loadings, normalize=self.normalize)
        turned = before.loadings @ rotation
        order = np.argsort(-(turned**2).sum(axis=0), kind="stable")
        rotation, turned = rotation[:, order], turned[:, order]
        sign = largest_positive(turned)
        return FittedVarimax(rotation * sign, turned * sign)


def varimax(
    loadings: FloatArray, *, normalize: bool = True, tolerance: float = 1e-9, progress: Progress = silent
) -> FloatArray:
    """Return the orthogonal matrix that turns loadings of shape (p, k) to the varimax criterion.

    Climbs until no entry of the rotation moves by more than `tolerance`, which takes tens of sweeps over the loadings;
    after 300 it stops, and tells `progress` so.
    """
    k = loadings.shape[1]
    if k < 2:
        return np.eye(k)
    A = loadings
    if normalize:
        length = np.sqrt((A**2).sum(axis=1))
        A = A / np.where(length > 0, length, 1.0)[:, None]
    rotation, sweeps, still = climb(A, tolerance)
    if not still:
        progress(1.0, f"varimax stopped after {sweeps} sweeps, before it stood still")
    return rotation


class FittedEigerRotation(FittedPass):
    """The rotation matrix, of shape (n_metrics, n_components)."""

    rotation: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Return raw metrics times the rotation: no centring, no scaling."""
        return X @ self.rotation

    def features(self, before: Features) -> Features:
        """Return the rotated metrics as columns x0, x1, … as the original counts them."""
        names = tuple(f"x{i}" for i in range(self.rotation.shape[1]))
        return Features(names, self.apply(before.X), before.metrics, self.rotation)

    def check(self, width: int) -> int:
        """Hold the matrix against the width."""
        shape = self.rotation.shape
        hold(len(shape) == 2 and shape[0] == width, f"The rotation has shape {shape}, but gets {width} columns.")
        return int(shape[1])


class EigerRotation(Pass):
    """Eigenvectors of the correlation matrix after one sweep of planar varimax rotations.

    The original's convergence test compares total sums of squares, which no rotation changes,
    so that it stops after its first sweep; this is repeated here.

    References
    ----------
    Eiger v4, PCA.py (pretreat, VARIMAX) and Eiger.py.
    """

    components: int = option(0, low=0, high=500, help="How many components to keep; 0 keeps all")
    rotate: bool = option(True, help="Whether the eigenvectors are turned by varimax")

    def fit(self, before: Features) -> FittedEigerRotation:
        """Learn the rotation from the training rows.

        Raises
        ------
        FitError
            If there are fewer than 2 trials, or a number has no square.
        """
        if len(before.X) < 2:
            raise FitError(f"The rotation needs at least 2 trials, got {len(before.X)}.")
        mean, scale = centre_and_scale(before.X, before.names)
        _, _, rows = np.linalg.svd((before.X - mean) / scale, full_matrices=False)
        vectors = rows.T * largest_positive(rows.T)
        turned = _one_sweep(vectors) if self.rotate else vectors
        return FittedEigerRotation(turned[:, : self.components or None])


def _one_sweep(vectors: FloatArray) -> FloatArray:
    """Turn every pair of columns once, in order, each by the varimax angle of the pair."""
    A = vectors.copy()
    for j in range(A.shape[1] - 1):
        for i in range(j + 1, A.shape[1]):
            z = A[:, j] + 1j * A[:, i]
            angle = cmath.phase(complex(np.mean(z**4) - np.mean(z**2) ** 2)) / 4
            c, s = np.cos(angle), np.sin(angle)
            A[:, j], A[:, i] = c * A[:, j] + s * A[:, i], -s * A[:, j] + c * A[:, i]
    return A
