"""Least squares over all columns or those that a criterion selects, with signs or without: ten families."""

from typing import Any, ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import OptionError
from core.models import SELECTIONS, _nnls_path, _ols_path
from core.models._forward import SOLVED
from core.models._linear_design import AUTO, LinearFamily, refuse_zero
from core.models._nnls import non_negative, refine, sums
from core.models._ols_path import least_norm
from core.models._solve import AIC, CRITERIA, Criterion
from core.models.base import RAW, STANDARDISE
from core.models.parts.linear import LinearModel, NonNegativeModel
from core.option import option
from core.progress import Progress, silent
from core.registry import companion

COLLINEAR = "collinear with columns of the model"
_CORRECTED: dict[str, tuple[str, str]] = {
    "aic": ("aicc", "aicc corrects for few trials per column, and selects fewer"),
    "bic": ("ebic", "ebic also weighs how many models of a size there are, and selects fewer"),
}


class Selection(LinearFamily):
    """A family that selects columns by a criterion.

    Attributes
    ----------
    path : how, with the names of its two directions
    forward : whether columns are added one by one, else they are taken out
    """

    path: ClassVar[Any] = _ols_path
    forward = True

    criterion: str = option(AIC, choices=CRITERIA, help="What must fall for the selection to go on")
    max_terms: str = option(AUTO, label="Most terms", expert=True).says(
        "Most columns that the model has; auto is a third of the trials where there are at least as many columns, "
        "else no limit"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_terms != AUTO and not (self.max_terms.isdecimal() and int(self.max_terms) >= 1):
            raise OptionError(f"Option max_terms must be auto or a whole number from 1 on, got '{self.max_terms}'.")

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> LinearModel:
        """Select columns and estimate their coefficients."""
        d = self._design(X, y)
        usual = max(d.n // 3, 1) if X.shape[1] >= d.n else d.p
        most = usual if self.max_terms == AUTO else int(self.max_terms)
        criterion = Criterion(self.criterion, d.n, d.p, SOLVED * d.total, d.log_unit)
        found = (self.path.forward if self.forward else self.path.backward)(d, criterion, most, progress)
        aliased = [(j, COLLINEAR) for j in d.numbers(np.array(found.aliased, dtype=np.int64))]
        told = {"ordered": self.forward, "steps": found.steps, "criterion": self.criterion, "note": found.note}
        theta, constant = refuse_zero(found.theta, y, found.free), None if found.free else 0.0
        cls = companion(type(self), LinearModel)
        return d.model(cls, found.chosen, theta, constant=constant, left_out=aliased, **told)


class OlsModel(LinearModel):
    """All columns, with the coefficients of least squares."""


class Ols(LinearFamily):
    """Ordinary least squares on all columns, with an intercept.

    Where several models fit alike (not more trials than columns, or columns that say the same) it is the one whose
    coefficients, of columns about their means and of length 1, have the least Euclidean norm.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.2.
    """

    label = "OLS"
    kind = "ols"

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> OlsModel:
        """Estimate the coefficients."""
        d = self._design(X, y)
        return d.model(OlsModel, np.arange(d.p), least_norm(d))


class NnlsModel(NonNegativeModel):
    """The columns with a positive coefficient."""


class Nnls(LinearFamily):
    """Non-negative least squares on all columns, so that counts and times cannot make a negative prediction.

    The intercept is one more column, of ones: not negative either. Where columns say the same as others, the first
    of them are used.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.3.
    """

    label = "NNLS"
    kind, non_negative = "non-negative", True
    preparation = RAW

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> NnlsModel:
        """Estimate the coefficients."""
        d = self._design(X, y)
        found = non_negative(sums(d))
        theta = refuse_zero(refine(d, found), y, found.free)
        return d.model(NnlsModel, found.chosen, theta, constant=None if found.free else 0.0)


def _named(name: str) -> dict[str, type]:
    """Return the family and the model of a name such as ols_forward_aic, by the names of their classes."""
    loss, way, criterion = name.split("_")
    ols, title = loss == "ols", name.title().replace("_", "")
    corrected, why = _CORRECTED[criterion]
    told = {
        "__module__": __name__,
        "__annotations__": {"criterion": str},
        "path": _ols_path if ols else _nnls_path,
        "criterion": option(criterion, label="Criterion", choices=(criterion, corrected), help=why),
        "forward": way == "forward",
        "label": f"{loss.upper()}, {way}, {criterion.upper()}",
        "non_negative": not ols,
        "kind": "ols" if ols else "non-negative",
        "preparation": STANDARDISE if ols else RAW,
        "__doc__": f"{loss.upper()}, columns selected {way} by {criterion.upper()}.",
    }
    model = type(f"{title}Model", (LinearModel if ols else NonNegativeModel,), {"__module__": __name__})
    return {title: type(title, (Selection,), told), model.__name__: model}


for _name in SELECTIONS:
    globals().update(_named(_name))  # so that they can be copied to other processes
