"""OLS: ordinary least squares on all columns."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.models import _ols_path
from core.models._linear import LinearModel
from core.models._linear_families import LinearFamily
from core.progress import Progress, silent


@dataclass(frozen=True)
class OlsModel(LinearModel):
    """All columns, with the coefficients of least squares."""


@dataclass(frozen=True)
class Ols(LinearFamily):
    """Ordinary least squares on all columns, with an intercept.

    Where several models fit alike (not more trials than columns, or columns that say the same) it is the one whose
    coefficients, of columns about their means and of length 1, have the least Euclidean norm.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.2.
    """

    label: ClassVar[str] = "OLS"
    kind = "ols"

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> OlsModel:
        """Estimate the coefficients."""
        d = self._design(X, y)
        return d.model(OlsModel, np.arange(d.p), _ols_path.least_norm(d))
