"""The lasso, with signs or without, along a path of penalties with the one that predicts best in inner folds."""

from typing import Any

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.models._linear_design import AUTO, Design, LinearFamily, refuse_zero
from core.models._nnls import Solver, Sums, refine, share_without, sums, sums_without
from core.models.base import RAW
from core.models.parts.linear import LinearModel, NonNegativeModel, hold
from core.option import option
from core.progress import Progress, part, silent
from core.registry import companion
from core.scale import check_response

PENALTIES = 100
SMALLEST = 1e-3
"""The least penalty that is tried, as a share of the least one that leaves no column."""


def largest_penalty(d: Design, signed: bool) -> float:
    """Return the least penalty (as scikit-learn's alpha, in the unit of the design's y) that leaves no column."""
    b = d.Z @ d.y if signed or d.along > 0 else sums(d).raw[1]
    return max(float((np.abs(b) if signed else b).max()), 0.0) / d.root


def choose(d: Design, every: Sums, folds: IntArray, signed: bool, progress: Progress = silent) -> dict[str, FloatArray]:
    """Return the penalties that are tried, the largest first, and the mean squared errors of trials held out.

    One path per fold, each penalty starting from the solution at the one before. A fold's sums are those of all trials
    less the products of the rows held out.

    Parameters
    ----------
    folds : array of shape (n_trials,), numbers from 0 on
    """
    alphas = largest_penalty(d, signed) * np.geomspace(1.0, SMALLEST, PENALTIES)
    squares = np.zeros(PENALTIES)
    n_folds = int(folds.max()) + 1
    for i in range(n_folds):
        progress(i / n_folds, f"penalties, fold {i + 1} of {n_folds}")
        squares += _held_out(d, every, np.flatnonzero(folds == i).astype(np.int64), alphas, signed)
    scale = d.unit**2 / d.root**2
    return {"penalties": alphas * d.unit, "errors": squares * scale}


def _held_out(d: Design, every: Sums, held: IntArray, alphas: FloatArray, signed: bool) -> FloatArray:
    """Return, per penalty, the sum of squared errors in the rows held out."""
    a = d.a[held]
    share = share_without(d, held)
    train = sums_without(d, every, held)
    thetas, constants = np.empty((len(alphas), d.p)), np.empty(len(alphas))
    solver = Solver(train, signed=signed)
    for i, alpha in enumerate(alphas.tolist()):
        found = solver.at(alpha * d.root * share)
        thetas[i] = found.theta
        constants[i] = train.constant(found.theta) if found.free else 0.0
    shift = constants / share**0.5 + thetas @ d.mu - d.along
    errors = d.y[held] - thetas @ d.Z[:, held] - np.outer(shift, a)
    return np.asarray(np.vecdot(errors, errors))


def inner_folds(X: FloatArray, most: int) -> IntArray:
    """Return a fold per trial, equal rows of X in the same: distinct rows, shuffled by a fixed seed, dealt in turn.

    Rows come in an order given by their content, so that this depends on nothing else.
    """
    numbers: dict[bytes, int] = {}
    row = np.array([numbers.setdefault(x.tobytes(), len(numbers)) for x in np.ascontiguousarray(X)], dtype=np.int64)
    place = np.random.default_rng(0).permutation(len(numbers))
    return place[row] % min(most, len(numbers))


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


class Penalised(LinearFamily):
    """A family with an ℓ₁ penalty."""

    penalty: str = option(AUTO).says(
        "auto is the one that predicts best in inner cross-validation; or a number from 0 on, as scikit-learn's "
        "alpha for columns of standard deviation 1: more leaves fewer columns"
    )
    folds: int = option(10, low=2, high=1000, label="Inner folds", expert=True, help="For choosing the penalty")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.penalty != AUTO and not _at_least_0(self.penalty):
            raise OptionError(f"Option penalty must be auto or a number from 0 on, got '{self.penalty}'.")

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> PenalisedModel:
        """Choose the penalty, unless it is given, and estimate the coefficients."""
        d, signed = self._design(X, y), not self.non_negative
        every = sums(d)
        tried: dict[str, Any] = {"penalties": np.zeros(0), "errors": np.zeros(0)}
        if self.penalty == AUTO:
            check_response(y)  # errors of the penalties are squares
            tried = choose(d, every, inner_folds(X, self.folds), signed, part(progress, 0.0, 0.9))
            penalty = float(tried["penalties"][np.argmin(tried["errors"])])
        else:
            penalty = float(self.penalty)
        scaled = penalty / d.unit * d.root
        found = Solver(every, signed=signed).at(scaled)
        theta = refine(d, found, scaled)
        if not signed:
            theta = refuse_zero(theta, y, found.free)
        constant = None if found.free else 0.0
        cls = companion(type(self), PenalisedModel)
        return d.model(cls, found.chosen, theta, constant=constant, penalty=penalty, **tried)


def _at_least_0(text: str) -> bool:
    try:
        return 0 <= float(text) < np.inf
    except ValueError:
        return False


class LassoModel(PenalisedModel):
    """The columns that the penalty left."""


class Lasso(Penalised):
    """Least squares with an ℓ₁ penalty that shrinks coefficients, many of them to 0.

    It minimises RSS / 2n + penalty·Σ|coefficient| over columns of standard deviation 1, the intercept free: what
    scikit-learn's Lasso does with the same alpha. RSS is weighted, with weights that add up to n, and so is the
    standard deviation.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.5.
    """

    label = "Lasso"
    kind = "shrinkage"


class NnLassoModel(NonNegativeModel, PenalisedModel):
    """The columns that the penalty and the sign left."""


class NnLasso(Penalised):
    """The lasso without negative coefficients, so that counts and times cannot make a negative prediction.

    What scikit-learn's Lasso(positive=True) does with the same alpha; where its intercept would be negative it is 0
    here, as with fit_intercept=False.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs, section 4.5.
    """

    label = "Lasso, NNLS"
    kind, non_negative = "non-negative", True
    preparation = RAW
