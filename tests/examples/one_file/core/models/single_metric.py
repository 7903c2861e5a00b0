"""A straight line through the metric of the largest correlation."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import ModelFileError
from core.models.base import Family, Model
from core.models.parts.story import Importance
from core.models.parts.trees import check_trials
from core.option import option
from core.progress import Progress, silent


class SingleMetricModel(Model):
    """intercept + slope · column."""

    column: int
    intercept: float
    slope: float

    noun: ClassVar[str] = "line"

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the line."""
        return np.asarray(self.intercept + self.slope * X[:, self.column])

    def formula(self, names: Sequence[str]) -> str:
        """Return the line."""
        return f"{self.intercept:.4g} + {self.slope:.4g}·{names[self.column]}"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the metric."""
        return (names[self.column],)

    def importances(self, names: Sequence[str]) -> Importance:
        """Return the slope: nothing else matters."""
        return Importance("slope", "per unit", "How steep the line is.", self.terms(names), np.array([self.slope]))

    def written(self) -> list[int]:
        """Return the column: the line is all of the model."""
        return [self.column]

    def notation(self) -> tuple[str, ...]:
        """Say where the numbers come from."""
        return ("The slope is that of least squares.",)

    def check(self, width: int) -> None:
        """Hold the column against the width."""
        if not 0 <= self.column < width:
            raise ModelFileError("The line is through a metric that is not there.")


class SingleMetric(Family):
    """Least squares on one metric."""

    label: ClassVar[str] = "Single metric"

    shrinkage: float = option(1.0, low=0.0, high=1.0, help="Factor of the slope; less than 1 holds it small")

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> SingleMetricModel:
        """Take the metric of the largest correlation."""
        check_trials(X, y, self.least_trials, "A line")
        with np.errstate(invalid="ignore"):
            strength = np.nan_to_num(np.abs([np.corrcoef(x, y)[0, 1] for x in X.T]))
        column = int(strength.argmax())
        slope = self.shrinkage * float(np.polyfit(X[:, column], y, 1)[0])
        return SingleMetricModel(column, float(y.mean() - slope * X[:, column].mean()), slope)
