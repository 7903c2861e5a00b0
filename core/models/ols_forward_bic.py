"""OLS, forward selection by BIC."""

from dataclasses import dataclass

from core.models._linear import LinearModel
from core.models._linear_families import ByBic, OlsSelection


@dataclass(frozen=True)
class OlsForwardBicModel(LinearModel):
    """The columns that forward selection by the Bayesian criterion left, fitted by least squares."""


@dataclass(frozen=True)
class OlsForwardBic(ByBic, OlsSelection):
    """Least squares; columns are added one by one while BIC falls.

    The columns, their order and the criterion are those of R's `step`, as long as no columns are collinear.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label, forward = "OLS, forward, BIC", True
