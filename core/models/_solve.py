"""Coefficients of a linear model whose columns may be aliased: least squares as in R's lm, and ridge regression."""

import numpy as np

from core.codec import BoolArray, FloatArray
from core.models._blocks import ALIASED, in_order


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
