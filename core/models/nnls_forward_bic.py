"""NNLS, forward selection by BIC."""

from dataclasses import dataclass

from core.models._linear import NonNegativeModel
from core.models._linear_families import ByBic, NnlsSelection


@dataclass(frozen=True)
class NnlsForwardBicModel(NonNegativeModel):
    """The columns that forward selection by the Bayesian criterion left, fitted by non-negative least squares."""


@dataclass(frozen=True)
class NnlsForwardBic(ByBic, NnlsSelection):
    """Non-negative least squares; columns are added one by one while BIC falls.

    Neither a coefficient nor the intercept is negative. A column whose coefficient becomes 0 leaves the model.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label, forward = "NNLS, forward, BIC", True
