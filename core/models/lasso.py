"""Lasso: least squares with a penalty on the sum of the coefficients' sizes."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models._linear_families import Penalised, PenalisedModel
from core.progress import Progress, silent


@dataclass(frozen=True)
class LassoModel(PenalisedModel):
    """The columns that the penalty left."""


@dataclass(frozen=True)
class Lasso(Penalised):
    """Least squares with an ℓ₁ penalty that shrinks coefficients, many of them to 0.

    It minimises RSS / 2n + penalty·Σ|coefficient| over columns of standard deviation 1, the intercept free: what
    scikit-learn's Lasso does with the same alpha. RSS is weighted, with weights that add up to n, and so is the
    standard deviation.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.5.
    """

    label: ClassVar[str] = "Lasso"
    kind = "shrinkage"

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> LassoModel:
        """Choose the penalty, unless it is given, and estimate the coefficients."""
        return self._lasso(LassoModel, X, y, progress, signed=True)
