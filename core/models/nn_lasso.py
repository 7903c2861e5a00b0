"""Lasso with NNLS: an ℓ₁ penalty, and no negative coefficients."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models._linear import NonNegativeModel
from core.models._linear_families import Penalised, PenalisedModel
from core.models.base import RAW
from core.progress import Progress, silent


@dataclass(frozen=True)
class NnLassoModel(NonNegativeModel, PenalisedModel):
    """The columns that the penalty and the sign left."""


@dataclass(frozen=True)
class NnLasso(Penalised):
    """The lasso without negative coefficients, so that counts and times cannot make a negative prediction.

    What scikit-learn's Lasso(positive=True) does with the same alpha; where its intercept would be negative it is 0
    here, as with fit_intercept=False.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.5.
    """

    label: ClassVar[str] = "Lasso, NNLS"
    kind, non_negative = "non-negative", True
    preparation: ClassVar[str] = RAW

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> NnLassoModel:
        """Choose the penalty, unless it is given, and estimate the coefficients."""
        return self._lasso(NnLassoModel, X, y, progress, signed=False)
