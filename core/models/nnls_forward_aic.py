"""NNLS, forward selection by AIC."""

from dataclasses import dataclass

from core.models._linear import NonNegativeModel
from core.models._linear_families import ByAic, NnlsSelection


@dataclass(frozen=True)
class NnlsForwardAicModel(NonNegativeModel):
    """The columns that forward selection by Akaike's criterion left, fitted by non-negative least squares."""


@dataclass(frozen=True)
class NnlsForwardAic(ByAic, NnlsSelection):
    """Non-negative least squares; columns are added one by one while AIC falls.

    Neither a coefficient nor the intercept is negative. A column whose coefficient becomes 0 leaves the model.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label, forward = "NNLS, forward, AIC", True
