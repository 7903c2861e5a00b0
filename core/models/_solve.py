"""Linear algebra of selections: criteria, coefficients where columns may be aliased, products of a growing basis."""

import math
from collections.abc import Callable

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen
from core.models._blocks import ALIASED, in_order
from core.models.parts.columns import Candidates


def least_squares(A: FloatArray, y: FloatArray) -> FloatArray:
    """Return the coefficients of least squares; a column aliased by those before it has 0, as in R's lm."""
    lengths = np.sqrt(np.einsum("ij,ij->j", A, A))
    lengths[lengths == 0] = 1.0
    scaled = A / lengths
    Q, R = np.linalg.qr(scaled)
    new = not_aliased(scaled, R)
    if not new.all():
        Q, R = np.linalg.qr(scaled[:, new])
    found = np.zeros(A.shape[1])
    found[new] = np.linalg.solve(R, Q.T @ y) / lengths[new]
    return found


_MOST_CONDITION = 1e8
"""Of a square matrix that coefficients are solved from; beyond it half of the digits are lost."""


def solved(A: FloatArray, b: FloatArray) -> FloatArray | None:
    """Return the solution of A·x = b of a square A; None where its condition is too large."""
    from scipy.linalg import lapack

    triangles, places, failed = lapack.dgetrf(A)
    if failed or lapack.dgecon(triangles, np.abs(A).sum(axis=0).max())[0] * _MOST_CONDITION <= 1:
        return None
    return np.asarray(lapack.dgetrs(triangles, places, b)[0])


PENALTIES = np.geomspace(1e-10, 1e2, 49)
"""Ridge penalties that are tried, in units of the largest squared singular value."""
INFLATION = 1.4
"""What a degree of freedom counts: at 1 a model of nearly as many columns as points passes for one without error."""


def ridge(A: FloatArray, y: FloatArray) -> FloatArray:
    """Return the coefficients of ridge regression with the penalty of least generalised cross-validation.

    Columns are measured by their lengths about the mean; the first column, which must be the
    constant (times the square roots of weights), is not penalised.

    References
    ----------
    Golub, Heath, Wahba 1979, Generalized cross-validation as a method for choosing a good ridge parameter.
    Kim, Gu 2004, Smoothing spline Gaussian regression, section 3: degrees of freedom count 1.4 times.
    """
    constant, n = A[:, 0] / np.linalg.norm(A[:, 0]), len(y)
    centred, left = A[:, 1:] - np.outer(constant, constant @ A[:, 1:]), y - constant * (constant @ y)
    lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    used = lengths > 1e-12 * np.sqrt(np.einsum("ij,ij->j", A[:, 1:], A[:, 1:]))
    if not used.any():
        return least_squares(A, y)
    U, s, Vt = np.linalg.svd(centred[:, used] / lengths[used], full_matrices=False)
    along = U.T @ left
    outside = max(float(left @ left - along @ along), 0.0)
    square = s * s
    kept = square / (square + PENALTIES[:, None] * square[0])
    rss = outside + (((1 - kept) * along) ** 2).sum(axis=1)
    free = n - 1 - INFLATION * kept.sum(axis=1)
    best = int(np.argmin(np.where(free > 0, rss / np.maximum(free, 1e-9) ** 2, np.inf)))
    found = np.zeros(A.shape[1])
    found[1:][used] = Vt.T @ (kept[best] * along / np.maximum(s, 1e-300)) / lengths[used]
    found[0] = float(constant @ (y - A[:, 1:] @ found[1:])) / np.linalg.norm(A[:, 0])
    return found


def not_aliased(A: FloatArray, R: FloatArray) -> BoolArray:
    """Return which columns, of length 1 (or 0) each, are new to those before them; R is their triangle."""
    own = np.zeros(A.shape[1])
    own[: len(R)] = np.abs(np.diag(R))
    new: BoolArray = own > ALIASED
    if new.all():
        return new
    first = int(np.argmin(new))
    behind = A[:, first:]  # columns behind an aliased one are judged without it
    new[first:] = in_order(np.linalg.qr(A[:, :first])[0], behind, np.ones(behind.shape[1]), len(A))[1]
    return new


FAR = 4.0
"""Roundings of a pass over the candidates that products may have without one."""
FEWER = 4
"""Where no product with those that might win next was of use, so many times fewer are taken."""
Latest = tuple[int, FloatArray, float]
"""A candidate, that on the basis before it, and the length that this left of it."""


class Passes:
    """What a selection has learnt of its candidates' products.

    Where a pass is dear it takes products with those that may win next, too. A winner is z = Q w + |v| q, so that Z'q
    follows from Z'z and Z'Q without a pass, as long as its rounding stays near to one's. Where none of those was of
    use, fewer are taken the next time.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates, self.several, self.of_use = candidates, candidates.together - 1, True
        self.ahead: dict[int, FloatArray] = {}
        self.taken: list[FloatArray] = []
        self.roundings: list[float] = []

    def newest(self, latest: Latest, q: FloatArray, scale: FloatArray, gains: Callable[[], FloatArray]) -> FloatArray:
        """Return the products of the newest basis vector with candidates of length 1, 0 where one is closed.

        Parameters
        ----------
        latest, q : what it was made of, and the vector
        scale : array of shape (n_candidates,), 1 / length, 0 of those that are closed
        gains : returns an array of shape (n_candidates,), of which the largest may win next
        """
        if not self.several:
            return self.candidates.times(q) * scale
        winner, weights, norm = latest
        rounding = (1 + float(np.abs(weights) @ self.roundings)) / norm
        if winner in self.ahead and rounding < FAR:
            self.of_use = True
            known = weights @ np.reshape(self.taken, (len(weights), -1))
            found: FloatArray = (self.ahead[winner] - known) / norm * (scale > 0)
        else:
            self.several = self.several if self.of_use else self.several // FEWER
            self.of_use = False
            near = np.argsort(-gains(), kind="stable")[: self.several].tolist()
            rows = self.candidates.some(near)
            rows *= scale[near, None]
            found, *others = self.candidates.times(np.vstack([q, rows])) * scale
            self.ahead, rounding = dict(zip(near, others, strict=True)), 1.0
        self.taken.append(found)
        self.roundings.append(rounding)
        return found.copy()


CRITERIA = ("aic", "aicc", "bic", "ebic")
AIC, AICC, BIC, EBIC = CRITERIA


class Criterion(Frozen):
    """One of the criteria, for models of the same trials.

    With k terms beside the intercept and e = k + 1 coefficients, all up to the same constant, which
    is that of R's `extractAIC`:

    - aic: n·log(RSS / n) + 2e
    - aicc: aic + 2(e + 1)(e + 2) / (n - e - 2), which counts the variance of the noise too
    - bic: n·log(RSS / n) + log(n)·e
    - ebic: bic + 2·log C(pool, min(k, pool/2)), the number of models of this size; more than half of
      the pool is not made cheaper again, so that a selection that starts with all columns can leave them

    Attributes
    ----------
    n : trials
    pool : columns that could become terms
    least : residual sum of squares under which a model explains everything, and smaller is no better
    log_unit : logarithm of the unit of sums of squares

    References
    ----------
    Akaike 1974; Hurvich, Tsai 1989; Schwarz 1978; Chen, Chen 2008, Extended Bayesian information
    criteria for model selection with large model spaces, with γ = 1.
    """

    name: str
    n: int
    pool: int
    least: float = 0.0
    log_unit: float = 0.0

    def value(self, rss: float, terms: int) -> float:
        """Return the criterion; infinity where no degree of freedom is left to estimate the noise.

        Parameters
        ----------
        rss : residual sum of squares
        terms : of the model, without the intercept
        """
        e = terms + 1
        if self.n - e < 1 or (self.name == AICC and self.n - e - 2 < 1):
            return math.inf
        return self.n * math.log(max(rss, self.least, 1e-300) / self.n) + self.n * self.log_unit + self._penalty(e)

    def _penalty(self, e: int) -> float:
        if self.name == AIC:
            return 2.0 * e
        if self.name == AICC:
            return 2.0 * e + 2.0 * (e + 1) * (e + 2) / (self.n - e - 2)
        bic = math.log(self.n) * e
        n, k = self.pool, min(e - 1, self.pool // 2)
        choices = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return bic if self.name == BIC else bic + 2 * choices
