"""OLS, forward selection by BIC."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models._linear import LinearModel
from core.models._linear_families import ByBic
from core.progress import Progress, silent


@dataclass(frozen=True)
class OlsForwardBicModel(LinearModel):
    """The columns that forward selection by the Bayesian criterion left, fitted by least squares."""


@dataclass(frozen=True)
class OlsForwardBic(ByBic):
    """Least squares; columns are added one by one while BIC falls.

    The columns, their order and the criterion are those of R's `step`, as long as no columns are collinear.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label: ClassVar[str] = "OLS, forward, BIC"

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> OlsForwardBicModel:
        """Select columns and estimate their coefficients."""
        return self._ols(OlsForwardBicModel, X, y, progress, forward=True)
