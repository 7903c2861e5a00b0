"""NNLS: least squares on all columns without negative coefficients."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models._linear import NonNegativeModel
from core.models._linear_families import LinearFamily, refuse_zero
from core.models._nnls import non_negative, refine, sums
from core.models.base import RAW
from core.progress import Progress, silent


@dataclass(frozen=True)
class NnlsModel(NonNegativeModel):
    """The columns with a positive coefficient."""


@dataclass(frozen=True)
class Nnls(LinearFamily):
    """Non-negative least squares on all columns, so that counts and times cannot make a negative prediction.

    The intercept is one more column, of ones: not negative either. Where columns say the same as others, the first
    of them are used.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.3.
    """

    label: ClassVar[str] = "NNLS"
    kind, non_negative = "non-negative", True
    preparation: ClassVar[str] = RAW

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> NnlsModel:
        """Estimate the coefficients."""
        d = self._design(X, y)
        found = non_negative(sums(d))
        theta = refuse_zero(refine(d, found), y, found.free)
        return d.model(NnlsModel, found.chosen, theta, constant=None if found.free else 0.0)
