"""Ridge regression from counters to the components of the surface."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.progress import Progress, silent
from core.scaling.predictors._scores import Scores, ScoresLearnt
from core.scaling.predictors.base import Lesson, hold

PENALTIES = np.logspace(-2, 4, 25)


@dataclass(frozen=True)
class RidgeLearnt(ScoresLearnt):
    """intercept + features · coefficients, held inside the training scores' range.

    Attributes
    ----------
    coefficients : array of shape (n_features, n_components)
    intercept, low, high : arrays of shape (n_components,)
    """

    coefficients: FloatArray
    intercept: FloatArray
    low: FloatArray
    high: FloatArray

    def scores(self, features: FloatArray) -> FloatArray:
        """Return the linear function; a line that leaves the range of what was seen stops at its end."""
        return np.clip(self.intercept + features @ self.coefficients, self.low, self.high)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the coefficients."""
        super().check(n_features, n_configurations)
        k = len(self.basis.axes)
        hold(self.coefficients.shape == (n_features, k), "its coefficients do not fit its features")
        hold(self.intercept.shape == (k,) == self.low.shape == self.high.shape, "its intercept does not fit")


@dataclass(frozen=True)
class Ridge(Scores):
    """The penalty is chosen by generalised cross-validation on the training kernels."""

    label: ClassVar[str] = "Ridge regression"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> RidgeLearnt:
        """Solve once through the singular values, for all penalties."""
        basis, scores = self.basis(lesson)
        mean, middle = lesson.features.mean(axis=0), scores.mean(axis=0)
        u, s, vt = np.linalg.svd(lesson.features - mean, full_matrices=False)
        along = u.T @ (scores - middle)
        penalty = min(PENALTIES, key=lambda p: _gcv(s, along, scores - middle, u, float(p)))
        coefficients = vt.T @ ((s / (s**2 + penalty))[:, None] * along)
        intercept = middle - mean @ coefficients
        return RidgeLearnt(basis, np.ascontiguousarray(coefficients), intercept, scores.min(axis=0), scores.max(axis=0))


def _gcv(s: FloatArray, along: FloatArray, target: FloatArray, u: FloatArray, penalty: float) -> float:
    """Golub, Heath, Wahba 1979: mean squared residual over the squared share of free directions."""
    shrink = s**2 / (s**2 + penalty)
    rest = target - u @ (shrink[:, None] * along)
    return float((rest**2).mean() / (1 - (1 + shrink.sum()) / (len(target) + 1)) ** 2)
