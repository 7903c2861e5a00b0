"""Principal components of the correlation matrix, through the singular value decomposition."""

import numpy as np

from core.blocks import extremes, row_blocks
from core.codec import FloatArray
from core.errors import FitError, hold
from core.option import option
from core.passes.base import Features, FittedPass, Pass
from core.passes.scales import centre_and_scale, check_centre, products

MANY = 64
"""Components from which on they have to be fewer than half of the metrics, and of the trials, where `fewer`."""


class NotFewerError(FitError):
    """The metrics have so little in common that components would hardly be fewer."""


class FittedPCA(FittedPass):
    """What the components are made of.

    Attributes
    ----------
    mean, scale : arrays of shape (n_metrics,), of the columns that come in
    vectors : array of shape (n_metrics, n_components), orthonormal, as R's `prcomp()$rotation`
    eigenvalues : array of shape (n_metrics,) at most, of the correlation matrix, all of them
    """

    mean: FloatArray
    scale: FloatArray
    vectors: FloatArray
    eigenvalues: FloatArray

    @property
    def n_components(self) -> int:
        """How many components are kept."""
        return int(self.vectors.shape[1])

    @property
    def loadings(self) -> FloatArray:
        """Correlation of each column with each component, shape (n_metrics, n_components)."""
        return self.vectors * np.sqrt(self.eigenvalues[: self.n_components])

    @property
    def explained(self) -> FloatArray:
        """Share of the variance that each component explains, all of them."""
        return np.asarray(self.eigenvalues / self.eigenvalues.sum())

    def apply(self, X: FloatArray) -> FloatArray:
        """Return scores of unit variance over the training trials."""
        weights = self.vectors / np.sqrt(self.eigenvalues[: self.n_components])
        scores = np.empty((len(X), self.n_components))
        for rows in row_blocks(*X.shape):
            np.matmul((X[rows] - self.mean) / self.scale, weights, out=scores[rows])
        return scores

    def features(self, before: Features) -> Features:
        """Return the components as columns PC1, PC2, …, with their loadings."""
        names = tuple(f"PC{i + 1}" for i in range(self.n_components))
        return Features(names, self.apply(before.X), before.metrics, self.loadings)

    def check(self, width: int) -> int:
        """Hold the arrays against each other and the width."""
        check_centre(self.mean, self.scale, width)
        shape, own = self.vectors.shape, self.eigenvalues
        fits = len(shape) == 2 and shape[0] == width
        hold(fits, f"The components are made of {shape} weights, but get {width} columns.")
        hold(own.ndim == 1 and len(own) >= self.n_components, "There are fewer eigenvalues than components.")
        hold(bool((own[: self.n_components] > 0).all()), "A component has a variance that is not positive.")
        return self.n_components


class PCA(Pass):
    """Few uncorrelated components in place of many correlated metrics (Eiger, II-A)."""

    components: int = option(0, low=0, high=500).says(
        "How many components to keep; 0 keeps as many as explain the share below"
    )
    explained: float = option(0.95, low=0.01, high=1.0).says(
        "Share of the variance that the components must explain when their number is 0"
    )

    fewer: bool = option(False, expert=True).says(
        f"Refuse more than {MANY} components, and more than half of the metrics or of the trials"
    )

    def fit(self, before: Features) -> FittedPCA:
        """Learn the components from standardised columns.

        Raises
        ------
        FitError
            If there are fewer than 2 different rows, a column is constant, or a number has no square.
        """
        X = before.X
        if len(X) < 2:
            raise FitError(f"Principal components need at least 2 trials, got {len(X)}.")
        mean, scale = centre_and_scale(X, before.names)
        constant = np.flatnonzero(np.equal(*extremes(X)))
        if len(constant):
            raise FitError(
                f"Metric '{before.names[constant[0]]}' is constant and can be in no component. Leave it out."
            )
        if self.fewer and X.shape[1] > MANY:
            # squares lose digits that no singular value does, at a third of the time: enough to count
            k = self._count(np.asarray(np.linalg.eigvalsh(products(X, mean, 1 / scale))[::-1]))
            if k > max(MANY, min(X.shape) / 2):
                raise NotFewerError(f"{k} components of {X.shape[1]} metrics in {len(X)} trials would be needed")
        _, values, rows = np.linalg.svd(_triangle(X, mean, scale), full_matrices=False)
        eigenvalues = values**2 / (len(X) - 1)
        k = self._count(eigenvalues)
        vectors = rows[:k].T
        return FittedPCA(mean, scale, vectors * largest_positive(vectors), eigenvalues)

    def notes(self, fitted: FittedPass) -> tuple[str, ...]:
        """Say so if the metrics do not vary in as many directions as components were asked for."""
        made = fitted.n_components if isinstance(fitted, FittedPCA) else self.components
        if made >= self.components:
            return ()
        return (f"{made} components instead of {self.components}, because the metrics vary in no more directions",)

    def _count(self, eigenvalues: FloatArray) -> int:
        real = int((eigenvalues > 1e-10 * eigenvalues[0]).sum())
        if self.components == 0:
            share = np.cumsum(eigenvalues) / eigenvalues.sum()
            return min(int(np.searchsorted(share, self.explained - 1e-12)) + 1, real)
        return min(self.components, real)


def _triangle(X: FloatArray, mean: FloatArray, scale: FloatArray) -> FloatArray:
    """Return a matrix of few rows that has the singular values and right directions of standardised columns."""
    n, p = X.shape
    found = np.empty((0, p))
    for rows in row_blocks(n, p, least=4 * p):
        own = np.vstack([found, (X[rows] - mean) / scale])
        found = np.asarray(np.linalg.qr(own, mode="r")) if len(own) > p else own
    return found


def largest_positive(vectors: FloatArray) -> FloatArray:
    """Return the sign per column that makes its entry of largest size positive."""
    top = np.abs(vectors).argmax(axis=0)
    return np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
