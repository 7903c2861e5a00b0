"""OLS, forward selection by AIC."""

from dataclasses import dataclass

from core.models._linear import LinearModel
from core.models._linear_families import ByAic, OlsSelection


@dataclass(frozen=True)
class OlsForwardAicModel(LinearModel):
    """The columns that forward selection by Akaike's criterion left, fitted by least squares."""


@dataclass(frozen=True)
class OlsForwardAic(ByAic, OlsSelection):
    """Least squares; columns are added one by one while AIC falls.

    The columns, their order and the criterion are those of R's `step`, as long as no columns are collinear.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label, forward = "OLS, forward, AIC", True
