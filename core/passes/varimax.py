"""Varimax: turn the components so that each is made of few metrics."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import FitError, ModelFileError
from core.option import option
from core.passes._varimax import climb
from core.passes.base import Features, FittedPass, Pass
from core.passes.pca import largest_positive
from core.progress import Progress, silent


@dataclass(frozen=True)
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
        if self.rotation.shape != (width, width):
            raise ModelFileError(f"The rotation has shape {self.rotation.shape}, but gets {width} columns.")
        if self.loadings.ndim != 2 or self.loadings.shape[1] != width:
            raise ModelFileError(f"The rotated loadings have shape {self.loadings.shape} for {width} components.")
        return width


@dataclass(frozen=True)
class Varimax(Pass):
    """Rotate the loadings to the largest variance of their squares (Eiger, II-A).

    References
    ----------
    Kaiser 1958, The varimax criterion for analytic rotation in factor analysis; the maximum
    is that which R's `stats::varimax` climbs to (see `_varimax`).
    """

    label: ClassVar[str] = "Varimax rotation"

    normalize: bool = option(
        True, help="Kaiser's normalisation: every metric weighs the same, however much is explained"
    )

    def fit(self, before: Features, progress: Progress = silent) -> FittedVarimax:
        """Learn the rotation from the loadings.

        Raises
        ------
        FitError
            If there are no components yet.
        """
        if before.loadings.shape[1] != len(before.names):
            raise FitError("Varimax turns components: put pca before it.")
        rotation = varimax(before.loadings, normalize=self.normalize, progress=progress)
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
