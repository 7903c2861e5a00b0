"""OLS, backward elimination by AIC."""

from dataclasses import dataclass

from core.models._linear import LinearModel
from core.models._linear_families import ByAic, OlsSelection


@dataclass(frozen=True)
class OlsBackwardAicModel(LinearModel):
    """The columns that backward elimination by Akaike's criterion left, fitted by least squares."""


@dataclass(frozen=True)
class OlsBackwardAic(ByAic, OlsSelection):
    """Least squares; columns are taken out one by one while AIC falls.

    Where there are not more trials than columns and intercept, it starts with as many columns as trials determine,
    picked by QR with column pivoting; the model's `note` says so.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.4.
    """

    label, forward = "OLS, backward, AIC", False
