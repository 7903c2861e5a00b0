"""NNLS, backward elimination by BIC."""

from dataclasses import dataclass

from core.models._linear import NonNegativeModel
from core.models._linear_families import ByBic, NnlsSelection


@dataclass(frozen=True)
class NnlsBackwardBicModel(NonNegativeModel):
    """The columns that backward elimination by the Bayesian criterion left, fitted by non-negative least squares."""


@dataclass(frozen=True)
class NnlsBackwardBic(ByBic, NnlsSelection):
    """Non-negative least squares; columns are taken out one by one while BIC falls.

    Neither a coefficient nor the intercept is negative. A column whose coefficient becomes 0 leaves the model.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label, forward = "NNLS, backward, BIC", False
