"""The lasso along a path of penalties, and the penalty that predicts best in inner cross-validation."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.models._linear_design import Design
from core.models._nnls import Solver, Sums, sums, sums_without
from core.progress import Progress, silent

PENALTIES = 100
SMALLEST = 1e-3
"""The least penalty that is tried, as a share of the least one that leaves no column."""


@dataclass(frozen=True)
class Choice:
    """The penalties that were tried, the largest first, and what each gave.

    Attributes
    ----------
    penalties : as scikit-learn's alpha, in the unit of the response
    errors : mean squared errors (with the weights of the fit) of the trials held out
    best : place of the chosen one
    """

    penalties: FloatArray
    errors: FloatArray
    best: int


def largest_penalty(d: Design, signed: bool) -> float:
    """Return the least penalty (as scikit-learn's alpha, in the unit of the design's y) that leaves no column."""
    b = d.Z @ d.y if signed or d.along > 0 else sums(d).raw[1]
    return max(float((np.abs(b) if signed else b).max()), 0.0) / d.root


def choose(d: Design, every: Sums, folds: IntArray, signed: bool, progress: Progress = silent) -> Choice:
    """Return the penalty of least error on trials held out; of equal ones the largest.

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
    return Choice(alphas * d.unit, squares * scale, int(np.argmin(squares)))


def _held_out(d: Design, every: Sums, held: IntArray, alphas: FloatArray, signed: bool) -> FloatArray:
    """Return, per penalty, the sum of squared errors in the rows held out."""
    a = d.a[held]
    share = 1.0 - float(a @ a)
    train = sums_without(d, every, held)
    thetas, constants = np.empty((len(alphas), d.p)), np.empty(len(alphas))
    solver = Solver(train, signed=signed)
    for i, alpha in enumerate(alphas.tolist()):
        found = solver.at(alpha * d.root * share)
        thetas[i] = found.theta
        constants[i] = train.constant(found.theta) if found.free else 0.0
    shift = constants / share**0.5 + thetas @ d.mu - d.along
    errors = d.y[held] - thetas @ d.Z[:, held] - np.outer(shift, a)
    squares: FloatArray = np.vecdot(errors, errors)
    return squares


def inner_folds(X: FloatArray, most: int) -> IntArray:
    """Return a fold per trial, equal rows of X in the same: distinct rows, shuffled by a fixed seed, dealt in turn.

    Rows come in an order given by their content, so that this depends on nothing else.
    """
    numbers: dict[bytes, int] = {}
    row = np.array([numbers.setdefault(x.tobytes(), len(numbers)) for x in np.ascontiguousarray(X)], dtype=np.int64)
    place = np.random.default_rng(0).permutation(len(numbers))
    return place[row] % min(most, len(numbers))
