"""The original Eiger's rotation: learnt from standardised metrics, applied to raw ones."""

import cmath

import numpy as np

from core.codec import FloatArray
from core.errors import FitError, hold
from core.option import option
from core.passes.base import Features, FittedPass, Pass
from core.passes.pca import largest_positive
from core.passes.standardize import centre_and_scale


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
