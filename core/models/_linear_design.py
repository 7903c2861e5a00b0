"""Columns and response as every linear family wants them: weighted, about their means, each of length 1."""

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, NothingToLearnError
from core.models.base import Family, need_positive
from core.models.parts.linear import LinearModel, NonNegativeModel
from core.models.parts.trees import check_trials
from core.option import option

CONSTANT = 1e-12
"""A column that varies by less than this share of its size is constant."""
WEIGHTS = ("none", "relative")
NONE, RELATIVE = WEIGHTS
AUTO = "auto"

M = TypeVar("M", bound=LinearModel)


class Design(Frozen):
    """A least-squares problem with an intercept: minimise |y + along·a - Σ θ (z + mu·a) - t·a|².

    Every row of a trial is multiplied by the root w of its weight. The constant then is the
    vector w; z and y are what it leaves, so that with a free intercept the problem is to minimise
    |y - Σ θ z|², and t is `along` - Σ θ mu.

    Attributes
    ----------
    Z : array of shape (n_columns, n_trials), rows of length 1
    y : array of shape (n_trials,)
    a : array of shape (n_trials,), the constant, of length 1
    mu, along : what Z (in its own unit) and y have along a
    columns : array of shape (n_columns,), which columns of X these are
    lengths : array of shape (n_columns,); θ over this, times `unit`, is a coefficient of X
    root : length of the constant before it was made 1
    unit : of y
    log_unit : logarithm of the unit of sums of squares
    left_out : (column of X, why) of the others
    """

    Z: FloatArray
    y: FloatArray
    a: FloatArray
    mu: FloatArray
    along: float
    columns: IntArray
    lengths: FloatArray
    root: float
    unit: float
    log_unit: float
    spreads: FloatArray
    response_spread: float
    left_out: tuple[tuple[int, str], ...]

    @property
    def total(self) -> float:
        """Sum of squares about the (weighted) mean, in the unit of y, squared."""
        return float(self.y @ self.y)

    @property
    def n(self) -> int:
        """Trials."""
        return len(self.y)

    @property
    def p(self) -> int:
        """Columns that vary."""
        return len(self.columns)

    def numbers(self, chosen: "Sequence[int] | IntArray") -> tuple[int, ...]:
        """Return the columns of X that some columns of Z are."""
        return tuple(self.columns[np.asarray(chosen, dtype=np.int64)].tolist())

    def model(
        self,
        cls: type[M],
        chosen: IntArray,
        theta: FloatArray,
        *,
        constant: float | None = None,
        ordered: bool = False,
        left_out: Sequence[tuple[int, str]] = (),
        **more: Any,
    ) -> M:
        """Return the model with these coefficients.

        Parameters
        ----------
        chosen : columns of Z
        theta : their coefficients
        constant : t; what is best if None
        ordered : whether the order tells something; else the columns that matter most come first
        left_out : more of them
        more : further fields of `cls`
        """
        free = constant is None
        t = self.along - float(theta @ self.mu[chosen]) if constant is None else constant
        t = max(t, 0.0) if issubclass(cls, NonNegativeModel) else t  # rounding may leave what is best a little below
        left = self.y - theta @ self.Z[chosen]
        rss = float(left @ left) + (0.0 if free else (self.along - float(theta @ self.mu[chosen]) - t) ** 2)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            coefficients = theta / self.lengths[chosen] * self.unit
        order = np.arange(len(chosen))
        if not ordered:
            order = np.argsort(-np.abs(coefficients) * self.spreads[chosen], kind="stable")
        if not np.isfinite([*coefficients, t / self.root * self.unit]).all():
            raise FitError("A coefficient would be too large to be a number. Give metrics and response other units.")
        return cls(
            intercept=t / self.root * self.unit,
            columns=self.columns[chosen][order],
            coefficients=coefficients[order],
            spreads=self.spreads[chosen][order],
            response_spread=self.response_spread,
            r2=1 - rss / self.total,
            left_out=tuple(sorted([*self.left_out, *left_out])),
            n_trials=self.n,
            **more,
        )


def design(X: FloatArray, y: FloatArray, weights: str, least: int, noun: str) -> Design:
    """Weight, centre and scale; every scale by which numbers are kept in range is a power of 2.

    Parameters
    ----------
    X : array of shape (n_trials, n_columns)
    y : array of shape (n_trials,)
    weights : "none", or "relative" to minimise the sum of ((y - prediction) / y)²
    least, noun : fewest trials, and who needs them

    Raises
    ------
    FitError
        If there are too few trials, nothing varies, a number is not finite, or y is not positive and weights are
        relative.
    """
    check_trials(X, y, least, noun, squares=False)
    if weights != NONE:
        need_positive(y, choose="raw")
    unit = float(_power_of_2(np.abs(y).max(keepdims=True))[0])
    scaled = y / unit
    w = np.ones(len(y)) if weights == NONE else 1 / scaled
    peaks = _power_of_2(np.abs(X).max(axis=0, initial=0.0))
    Z = np.ascontiguousarray((X / peaks).T)
    spreads = Z.std(axis=1) * peaks
    root = float(np.linalg.norm(w))
    a = w / root
    means = Z @ (a * a)
    Z -= means[:, None]
    Z *= w
    lengths = np.sqrt(np.vecdot(Z, Z))
    varies = lengths > CONSTANT * np.maximum(root * np.abs(means), 1e-140)
    if not varies.any():
        raise FitError("No metric varies over these trials: there is nothing to predict from. Choose other metrics.")
    if not varies.all():
        Z, means, lengths, peaks, spreads = Z[varies], means[varies], lengths[varies], peaks[varies], spreads[varies]
    Z /= lengths[:, None]
    mean = float(scaled @ (a * a))
    return Design(
        Z=Z,
        y=w * (scaled - mean),
        a=a,
        mu=root * means / lengths,
        along=root * mean,
        columns=np.flatnonzero(varies).astype(np.int64),
        lengths=lengths * peaks,
        root=root,
        unit=unit,
        log_unit=2 * math.log(unit) if weights == NONE else 0.0,
        spreads=spreads,
        response_spread=float(scaled.std()) * unit,
        left_out=tuple((j, "constant on the training trials") for j in np.flatnonzero(~varies).tolist()),
    )


def _power_of_2(size: FloatArray) -> FloatArray:
    """Return the power of 2 that brings a size to between 1 and 2; 1 for 0."""
    return np.where(size > 0, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)


class LinearFamily(Family):
    """A family whose fits minimise a sum of squares over linear models."""

    weights: str = option(NONE, choices=WEIGHTS, expert=True).says(
        "relative weighs each trial by 1 / response², so that relative errors are made small"
    )

    def _design(self, X: FloatArray, y: FloatArray) -> Design:
        return design(X, y, self.weights, self.least_trials, "A linear model")


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
