"""Ridge regression: all columns, or all their products of two as well, with coefficients held small."""

from collections.abc import Sequence

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.errors import FitError, count, hold
from core.models._linear_design import NONE
from core.models.base import Family, Model, Parts, Piece, fixed, need_positive, slope, weightiest, within
from core.models.gradient_boosting import GradientBoosting
from core.models.parts.story import Importance, shares_of
from core.models.parts.trees import check_trials
from core.option import like, option
from core.progress import Progress, silent

ALONE = -1
"""Stands for the second column of a term that is one column."""
MOST_PRODUCTS = 100
"""Columns beyond which there would be too many products."""
WRITTEN = 20
"""Terms that a formula writes out."""


class RidgeModel(Model):
    """intercept + Σ coefficient · column, or · product of two columns.

    Attributes
    ----------
    first, second : arrays of shape (n_terms,), columns of X; second is -1 for a column alone
    coefficients : array of shape (n_terms,)
    importance : array of shape (n_columns,), share of the coefficients' sizes, in standard deviations of their terms
    """

    intercept: float
    first: IntArray
    second: IntArray
    coefficients: FloatArray
    importance: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the sum."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
            return np.asarray(self.intercept + _terms(X, self.first, self.second) @ self.coefficients)

    def parts(self) -> Parts:
        """Return a piece per term."""
        terms = zip(self.first.tolist(), self.second.tolist(), self.coefficients.tolist(), strict=True)
        return Parts(tuple(_piece(i, j, c) for i, j, c in terms))

    def used(self, width: int) -> list[int]:
        """Return the columns that together have nine tenths of the importance."""
        return weightiest(self.importance)

    def importances(self, names: Sequence[str]) -> Importance:
        """Return each column's share of the coefficients."""
        meaning = (
            "How large the coefficients of a metric, and of its products, are among all, each on standard scores. "
            "Metrics that go together share it."
        )
        return shares_of("share of the coefficients", meaning, self.importance, names)

    def formula(self, names: Sequence[str]) -> str:
        """Return the sum with its first terms."""
        texts = self.terms(names)
        parts = [f"{c:+.4g}·{t}" for c, t in zip(self.coefficients[:WRITTEN], texts, strict=False)]
        left = len(texts) - WRITTEN
        return " ".join([f"{self.intercept:.4g}", *parts, f"+ {count(left, 'more term')}" if left > 0 else ""]).strip()

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the terms' names."""
        pairs = zip(self.first.tolist(), self.second.tolist(), strict=True)
        return tuple(names[i] if j == ALONE else f"{names[i]}·{names[j]}" for i, j in pairs)

    def check(self, width: int) -> None:
        """Hold the arrays against each other and the width."""
        n = len(self.coefficients)
        right = self.first.shape == self.second.shape == (n,) and self.importance.shape == (width,)
        right = right and within(self.first, width) and within(self.second, width, ALONE)
        hold(right, "The ridge model has terms of columns that are not there.")


class Ridge(Family):
    """Least squares plus a penalty on the coefficients' squares, so that columns that tell alike share the work.

    References
    ----------
    Hoerl, Kennard 1970, Ridge regression: biased estimation for nonorthogonal problems.
    """

    label = "Ridge"
    kind, raced = "shrinkage", fixed(penalty=0.1)
    variants = fixed(
        **{
            "penalty 0.1": {},
            "penalty 0.3": {"penalty": 0.3},
            "products, penalty 0.03": {"penalty": 0.03, "degree": 2},
            "products, penalty 0.5": {"penalty": 0.5, "degree": 2},
        }
    )
    """Several penalties, as the best of folds at random is far too small for applications left out."""

    penalty: float = option(0.1, low=1e-9, high=1e6).says(
        "Of each coefficient's square, in units of one trial's squared error; more holds the coefficients smaller"
    )
    degree: int = option(1, low=1, high=2, help="2 adds the square of each metric and the product of each two")
    weights: str = like(GradientBoosting, "weights", expert=False)

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> RidgeModel:
        """Solve the penalised normal equations on standard scores, in trials or terms, whichever are fewer."""
        check_trials(X, y, self.least_trials, "Ridge regression")
        w = self._weights(y)
        first, second = self._pairs(X)
        level = float(np.average(y, weights=w))
        Z, mean, spread, keep = _scores(_terms(X, first, second), w)
        left = y - level if w is None else (y - level) * np.sqrt(w)
        beta = _solve(Z, left, self.penalty * len(y))
        coefficients = beta / spread
        return RidgeModel(
            intercept=level - float(mean @ coefficients),
            first=first[keep],
            second=second[keep],
            coefficients=coefficients,
            importance=_importance(first[keep], second[keep], np.abs(beta), X.shape[1]),
        )

    def _pairs(self, X: FloatArray) -> tuple[IntArray, IntArray]:
        p = X.shape[1]
        alone = np.arange(p, dtype=np.int64)
        if self.degree == 1:
            return alone, np.full(p, ALONE, dtype=np.int64)
        if p > MOST_PRODUCTS:
            raise FitError(
                f"Products of {p} metrics are too many: ridge of degree 2 takes at most {MOST_PRODUCTS}. "
                "Choose fewer metrics, or degree 1."
            )
        i, j = np.triu_indices(p)
        second = np.concatenate([np.full(p, ALONE), j]).astype(np.int64)
        return np.concatenate([alone, i]).astype(np.int64), second

    def _weights(self, y: FloatArray) -> FloatArray | None:
        """Return weights of mean 1; None where all are 1."""
        if self.weights == NONE:
            return None
        need_positive(y)
        w = (y.min() / y) ** 2
        return np.asarray(w / w.mean())


def _piece(i: int, j: int, coefficient: float) -> Piece:
    if j == ALONE:
        return slope(i, coefficient)
    return Piece(tuple(dict.fromkeys((i, j))), lambda X: coefficient * X[:, 0] * X[:, -1])


def _terms(X: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return columns, and products of columns, array of shape (n, n_terms), the values of each one after another."""
    rows = np.vstack([X.T, np.ones(len(X))])  # ALONE is the last
    found = rows.take(first, axis=0)
    if (second != ALONE).any():
        found *= rows.take(second, axis=0)
    return found.T


def _scores(T: FloatArray, w: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return standard scores times root weights, means and spreads of the terms that vary, and which do; T is used up.

    A term that varies by next to nothing of its size does not.
    """
    mean, largest = np.average(T, axis=0, weights=w), np.maximum(T.max(axis=0), -T.min(axis=0))
    T -= mean
    spread = np.sqrt(np.average(T**2, axis=0, weights=w))
    keep = spread > 1e-9 * np.maximum(largest, 1e-300)
    T, mean, spread = (T, mean, spread) if keep.all() else (T[:, keep], mean[keep], spread[keep])
    T *= 1.0 if w is None else np.sqrt(w)[:, None]
    T /= spread
    return T, mean, spread, keep


def _solve(Z: FloatArray, y: FloatArray, penalty: float) -> FloatArray:
    """Return the minimiser of |y - Z b|² + penalty |b|²."""
    from scipy.linalg import cho_factor, cho_solve

    wide = Z.shape[1] > Z.shape[0]
    G = Z @ Z.T if wide else Z.T @ Z
    G.flat[:: len(G) + 1] += penalty
    factor = cho_factor(G.T, overwrite_a=True, check_finite=False)
    return np.asarray(Z.T @ cho_solve(factor, y) if wide else cho_solve(factor, Z.T @ y))


def _importance(first: IntArray, second: IntArray, size: FloatArray, width: int) -> FloatArray:
    """Return each column's share of the sizes of the terms, of which a product's is halved between its two."""
    columns = np.concatenate([first, np.where(second == ALONE, first, second)])
    found = np.bincount(columns, weights=np.tile(size / 2, 2), minlength=width)
    total = found.sum()
    return np.asarray(found / total if total > 0 else found)
