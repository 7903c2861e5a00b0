"""What the linear families share: their options, and how a selection becomes a model."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from core.codec import FloatArray
from core.errors import NothingToLearnError, OptionError
from core.models import _lasso_path
from core.models._linear import LinearModel, hold
from core.models._linear_design import NONE, WEIGHTS, Design, design
from core.models._nnls import Solver, refine, sums
from core.models.base import Family
from core.option import option
from core.progress import Progress, part

AUTO = "auto"

M = TypeVar("M", bound=LinearModel)


@dataclass(frozen=True)
class LinearFamily(Family):
    """A family whose fits minimise a sum of squares over linear models."""

    weights: str = option(
        NONE, choices=WEIGHTS, label="Weights", expert=True,
        help="relative weighs each trial by 1 / response², so that relative errors are made small",
    )  # fmt: skip

    def _design(self, X: FloatArray, y: FloatArray) -> Design:
        return design(X, y, self.weights, self.least_trials, "A linear model")


@dataclass(frozen=True)
class PenalisedModel(LinearModel):
    """A linear model with its penalty.

    Attributes
    ----------
    penalty : as scikit-learn's alpha, for columns of standard deviation 1, in the unit of the response
    penalties, errors : arrays of shape (n_penalties,), what inner cross-validation tried, and the mean squared errors
        that it found; empty where the penalty was given
    """

    penalty: float
    penalties: FloatArray
    errors: FloatArray

    def check(self, width: int) -> None:
        """Hold the curve of errors too."""
        super().check(width)
        hold(self.penalty >= 0, "has a penalty below 0")
        hold(self.penalties.ndim == 1 and self.penalties.shape == self.errors.shape, "has not one error per penalty")


@dataclass(frozen=True)
class Penalised(LinearFamily):
    """A family with an ℓ₁ penalty."""

    penalty: str = option(
        AUTO, label="Penalty",
        help="auto is the one that predicts best in inner cross-validation; or a number from 0 on, as scikit-learn's "
        "alpha for columns of standard deviation 1: more leaves fewer columns",
    )  # fmt: skip
    folds: int = option(10, low=2, high=1000, label="Inner folds", expert=True, help="For choosing the penalty")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.penalty != AUTO and not _at_least_0(self.penalty):
            raise OptionError(f"Option penalty must be auto or a number from 0 on, got '{self.penalty}'.")

    def _lasso(self, cls: type[M], X: FloatArray, y: FloatArray, progress: Progress, *, signed: bool) -> M:
        d = self._design(X, y)
        every = sums(d)
        tried: dict[str, Any] = {"penalties": np.zeros(0), "errors": np.zeros(0)}
        if self.penalty == AUTO:
            folds = _lasso_path.inner_folds(X, self.folds)
            choice = _lasso_path.choose(d, every, folds, signed, part(progress, 0.0, 0.9))
            tried = {"penalties": choice.penalties, "errors": choice.errors}
            penalty = float(choice.penalties[choice.best])
        else:
            penalty = float(self.penalty)
        scaled = penalty / d.unit * d.root
        found = Solver(every, signed=signed).at(scaled)
        theta = refine(d, found, scaled)
        if not signed:
            theta = refuse_zero(theta, y, found.free)
        constant = None if found.free else 0.0
        return d.model(cls, found.chosen, theta, constant=constant, penalty=penalty, **tried)


def refuse_zero(theta: FloatArray, y: FloatArray, free: bool) -> FloatArray:
    """Return the coefficients of a non-negative model, unless it is 0 everywhere.

    Raises
    ------
    NothingToLearnError
        If it is: the response is hardly ever positive.
    """
    if not len(theta) and not free:
        raise NothingToLearnError(
            f"The best non-negative model of these trials is 0 everywhere, as the response (from {y.min():.4g} to "
            f"{y.max():.4g}) is mostly negative. Choose response scale raw, or a family with signs such as lasso."
        )
    return theta


def _at_least_0(text: str) -> bool:
    try:
        return 0 <= float(text) < np.inf
    except ValueError:
        return False
