"""Support vector regression: a smooth function of all columns that leaves small errors alone and bounds large ones."""

from collections.abc import Sequence

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray
from core.errors import FitError, hold
from core.models.base import Family, Model, fixed
from core.models.parts.trees import check_trials
from core.option import option
from core.progress import Progress, silent


class SupportVectorsModel(Model):
    """level + Σ weight · exp(-gamma · |x - point|²).

    Attributes
    ----------
    points : array of shape (n_points, n_columns), the trials that matter
    weights : array of shape (n_points,)
    """

    level: float
    gamma: float
    points: FloatArray
    weights: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the sum over the points."""
        value = np.full(len(X), self.level)
        for rows in row_blocks(len(X), len(self.points)):
            value[rows] += np.exp(-self.gamma * _squares(X[rows], self.points)) @ self.weights
        return value

    def formula(self, names: Sequence[str]) -> str:
        """Say what it is; support vectors have no formula."""
        return f"sum over {len(self.weights)} support vectors of {', '.join(names)}"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns, which all matter alike."""
        return tuple(names)

    def check(self, width: int) -> None:
        """Hold the arrays against each other and the width."""
        fits = self.points.shape == (len(self.weights), width) and self.gamma > 0
        hold(fits, "The support vectors have points that do not fit, or a reach that is not positive.")


class SupportVectors(Family):
    """Errors count by their size and only beyond a tolerance, so that a few odd trials do not bend the function.

    References
    ----------
    Drucker, Burges, Kaufman, Smola, Vapnik 1997, Support vector regression machines.
    """

    label = "Support vectors"
    linear = False
    variants = fixed(
        **{
            "cost 1": {"cost": 1.0},
            "cost 3": {"cost": 3.0},
            "cost 0.1, smooth": {"cost": 0.1, "reach": 0.06},
            "cost 10, smooth": {"cost": 10.0, "reach": 0.06},
        }
    )
    """A smaller cost is steadier far from the trials, a smaller reach nearer to a plane."""

    reach: float = option(0.2, low=1e-6, high=1e3).says(
        "Of gamma = reach / number of metrics; less is smoother and looks further beyond the trials"
    )
    cost: float = option(10.0, low=1e-6, high=1e6, help="Of an error beyond the tolerance; more fits closer")
    tolerance: float = option(0.1, low=0.0, high=10.0).says(
        "Errors up to so many standard deviations of the response are none"
    )
    most_trials: int = option(5000, low=10, high=100000, expert=True).says(
        "More are refused, as time grows with their second to third power"
    )

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> SupportVectorsModel:
        """Find the points that matter, and their weights."""
        from sklearn.svm import SVR

        check_trials(X, y, self.least_trials, "Support vector regression")
        if len(y) > self.most_trials:
            raise FitError(
                f"Support vector regression takes at most {self.most_trials} trials, got {len(y)}. "
                "Filter the trials, or raise most_trials."
            )
        mean, scale = float(y.mean()), float(y.std())
        gamma = self.reach / X.shape[1]
        found = SVR(C=self.cost, epsilon=self.tolerance, gamma=gamma, tol=1e-4, cache_size=100)
        found.fit(X, (y - mean) / scale)
        weights = scale * np.asarray(found.dual_coef_, dtype=np.float64)[0]
        level = mean + scale * float(found.intercept_[0])
        return SupportVectorsModel(level, gamma, np.asarray(found.support_vectors_, dtype=np.float64), weights)


def _squares(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return squared distances, array of shape (len(A), len(B))."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
        found: FloatArray = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1)[None, :] - 2 * A @ B.T
    return np.maximum(found, 0.0)
