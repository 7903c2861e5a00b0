"""Natural cubic splines of one parameter: columns that are straight outside the outermost knots."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import ModelFileError

AUTO, EVEN, ORIGINAL = SPACINGS = ("auto", "even", "original")
MANY = 20
"""Levels over which a parameter counts as continuous, so that some of its range may be nearly empty."""
_SAME = 0.01
"""Relative difference under which levels count as doubling, or as symmetric."""


class Axis(Frozen):
    """A parameter and the knots of its spline.

    Attributes
    ----------
    column : of X
    log : whether the spline is of the parameter's logarithm (base 2)
    knots : ascending, on the scale of the spline, the first and the last at the outermost levels;
        two knots make a straight line
    """

    column: int
    log: bool
    knots: FloatArray

    @property
    def width(self) -> int:
        """Columns of the basis, without the constant."""
        return len(self.knots) - 1

    def basis(self, X: FloatArray) -> FloatArray:
        """Return the basis at rows of X, array of shape (n, width)."""
        return self.columns(X[:, self.column])

    def columns(self, values: FloatArray) -> FloatArray:
        """Return the basis at values of the parameter, array of shape (n, width); NaN where it has no logarithm.

        Column k is the natural cubic spline that is 1 at knot k + 1 and 0 at all others, so that a
        coefficient is the effect at that knot against the first.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.log2(values) if self.log else np.asarray(values, dtype=np.float64)
        known = np.isfinite(x)
        found = np.full((len(x), self.width), np.nan)
        found[known] = _cardinal(self.knots, x[known])[:, 1:]
        return found

    def tables(self, levels: FloatArray) -> "Tables":
        """Return bases of these splines at levels within the knots."""
        x = np.log2(levels) if self.log else np.asarray(levels, dtype=np.float64)
        return _tables(self.knots.tobytes(), x.tobytes())

    def to_cardinal(self) -> FloatArray:
        """Return the matrix that maps coefficients on the columns of R's `ns` to those on `basis`."""
        return _tables(self.knots.tobytes(), self.knots[1:].tobytes()).r

    def bend(self) -> FloatArray:
        """Return the second derivatives at the knots of the splines that are 1 at one of them: square array."""
        return _second_derivatives(self.knots, np.diff(self.knots))

    def check(self, width: int) -> None:
        """Raise ModelFileError unless the column exists and the knots ascend."""
        right = 0 <= self.column < width and self.knots.ndim == 1 and 2 <= len(self.knots) <= 64
        if not right or not (np.diff(self.knots) > 0).all():
            raise ModelFileError("The spline model has a parameter that is not there, or knots that do not ascend.")


class Tables(Frozen):
    """Three bases of the same splines at the levels of a parameter, arrays of shape (n_levels, width).

    Attributes
    ----------
    cardinal : that of `Axis.basis`
    r : that of R's `ns`; which columns of a model count as aliased depends on the basis, and with this
        one it is as in R's lm
    orthonormal : over the levels, the constant left out, so that sums of products of its columns and
        of their interactions lose hardly a digit; where the levels cannot tell the splines apart, the
        columns of `r` less their means
    """

    cardinal: FloatArray
    r: FloatArray
    orthonormal: FloatArray


@lru_cache(maxsize=256)
def _tables(knots: bytes, x: bytes) -> Tables:
    """Return the bases at x on the scale of the spline; remembered, as every fit of a study asks for the same."""
    places, levels = np.frombuffer(knots), np.frombuffer(x)
    r, cardinal = _ns(places, levels), _cardinal(places, levels)[:, 1:]
    centred = r - r.mean(axis=0)
    Q, R = np.linalg.qr(centred)
    own = np.abs(np.diag(R))
    orthonormal = Q * np.sqrt(len(r)) if own.min() > 1e-5 * own.max() else centred
    for shared in (cardinal, r, orthonormal):
        shared.flags.writeable = False
    return Tables(cardinal, r, orthonormal)


def _ns(knots: FloatArray, x: FloatArray) -> FloatArray:
    """Return the columns of R's `splines::ns(x, knots, Boundary.knots)` up to signs, shape (n, n_knots - 1).

    Cubic B-splines but for the first, turned by the orthogonal matrix of the QR decomposition of
    their second derivatives at both ends, whose first two columns are left out.
    """
    from scipy.interpolate import BSpline

    if len(knots) == 2:
        return np.asarray(((x - knots[0]) / (knots[1] - knots[0]))[:, None])
    padded = np.concatenate([[knots[0]] * 3, knots, [knots[-1]] * 3])
    splines = BSpline(padded, np.eye(len(padded) - 4), 3)
    ends: FloatArray = splines.derivative(2)(knots[[0, -1]])[:, 1:]
    return np.asarray(splines(x)[:, 1:] @ np.linalg.qr(ends.T, mode="complete")[0][:, 2:])


def _cardinal(knots: FloatArray, x: FloatArray) -> FloatArray:
    """Return the natural splines that are 1 at one knot and 0 at the others, array of shape (n, n_knots).

    Straight lines outside the outermost knots. With second derivatives M at the knots, which are
    linear in the values there, the spline between two knots is
    a·f0 + b·f1 + ((a³ - a)·M0 + (b³ - b)·M1)·h²/6 (Press et al. 2007, Numerical Recipes, 3.3.3).
    """
    n, h = len(knots), np.diff(knots)
    bend = _second_derivatives(knots, h)
    place = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, n - 2)
    inside = np.clip(x, knots[0], knots[-1])
    own = h[place]
    b = (inside - knots[place]) / own
    a = 1 - b
    values = np.zeros((len(x), n))
    rows = np.arange(len(x))
    values[rows, place] += a
    values[rows, place + 1] += b
    values += ((a**3 - a) * own**2 / 6)[:, None] * bend[place] + ((b**3 - b) * own**2 / 6)[:, None] * bend[place + 1]
    unit = np.eye(n)
    start = (unit[1] - unit[0]) / h[0] - h[0] / 6 * bend[1]
    end = (unit[-1] - unit[-2]) / h[-1] + h[-1] / 6 * bend[-2]
    return np.asarray(
        values + np.minimum(x - knots[0], 0)[:, None] * start + np.maximum(x - knots[-1], 0)[:, None] * end
    )


def _second_derivatives(knots: FloatArray, h: FloatArray) -> FloatArray:
    """Return the second derivatives at the knots per unit of the value at each: shape (n_knots, n_knots)."""
    n = len(knots)
    found = np.zeros((n, n))
    if n == 2:
        return found
    inner = np.arange(1, n - 1)
    A, B = np.zeros((n - 2, n - 2)), np.zeros((n - 2, n))
    A[inner - 1, inner - 1] = (h[:-1] + h[1:]) / 3
    A[inner[:-1] - 1, inner[:-1]] = A[inner[:-1], inner[:-1] - 1] = h[1:-1] / 6
    B[inner - 1, inner - 1] = 1 / h[:-1]
    B[inner - 1, inner + 1] = 1 / h[1:]
    B[inner - 1, inner] = -1 / h[:-1] - 1 / h[1:]
    found[1:-1] = np.linalg.solve(A, B)
    return found


def levels_of(X: FloatArray) -> list[FloatArray]:
    """Return the different values of each column, ascending."""
    ordered = np.sort(X.T, axis=1)
    first = np.ones(ordered.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=first[:, 1:])
    return [own[new] for own, new in zip(ordered, first, strict=True)]


def make_axis(
    column: int, values: FloatArray, levels: FloatArray, *, knots: int, spacing: str
) -> tuple[Axis | None, str]:
    """Return the axis of a parameter from its values in the training points, or None and why.

    A parameter of L levels gets min(knots, L - 2) inner knots, so that it has never more columns
    than its levels can tell apart.

    Parameters
    ----------
    levels : the different values, ascending
    knots : most inner knots
    spacing : "auto" is even on the parameter's own scale, which is its logarithm where its levels
        double, and at quantiles where there are many levels; "even" is even between the outermost
        levels (section 5.3); "original" is the original program's rule: even in the logarithm unless
        the levels are symmetric, and no parameter of fewer than three levels
    """
    if len(levels) < 2:
        return None, "it never varies"
    if spacing == ORIGINAL and len(levels) < 3:
        return None, "the original program drops parameters of fewer than three levels"
    if spacing == AUTO and len(levels) > MANY:
        log = doubles(levels)
        places = np.quantile(np.log2(values) if log else values, np.linspace(0, 1, min(knots, len(levels) - 2) + 2))
        return Axis(column, log, np.unique(places)), ""
    log, shared = _knots(levels.tobytes(), knots, spacing)
    return Axis(column, log, shared), ""


@lru_cache(maxsize=256)
def _knots(raw: bytes, most: int, spacing: str) -> tuple[bool, FloatArray]:
    """Return whether the spline is of the logarithm, and its knots, from the levels alone."""
    levels = np.frombuffer(raw)
    log = spacing == AUTO and doubles(levels)
    inner = min(most, len(levels) - 2)
    if spacing == ORIGINAL and levels[0] > 0 and not symmetric(levels):
        places = np.geomspace(levels[0], levels[-1], inner + 2)
        places[[0, -1]] = levels[[0, -1]]
    else:
        first, last = np.log2(levels[[0, -1]]) if log else levels[[0, -1]]
        places = np.linspace(first, last, inner + 2)
    places.flags.writeable = False
    return log, places


def doubles(levels: FloatArray) -> bool:
    """Whether levels (at least three) grow by one factor: 1, 2, 4, 8."""
    if len(levels) < 3 or levels[0] <= 0:
        return False
    ratios = levels[1:] / levels[:-1]
    return bool(np.ptp(ratios) <= _SAME * ratios[0])


def symmetric(levels: FloatArray) -> bool:
    """Whether levels lie alike on both sides of their middle, within 1 % of their span: 1, 2, 3."""
    mirrored = levels[0] + levels[-1] - levels[::-1]
    return bool(np.abs(mirrored - levels).max() <= _SAME * (levels[-1] - levels[0]))


def product_columns(blocks: Sequence[FloatArray]) -> FloatArray:
    """Return every product of one column of each block, row by row: shape (n, product of the widths)."""
    found = blocks[0]
    for block in blocks[1:]:
        found = (found[:, :, None] * block[:, None, :]).reshape(len(found), -1)
    return found


def product_rows(blocks: Sequence[FloatArray]) -> FloatArray:
    """Return the same where columns are rows: shape (product of the heights, n)."""
    found = blocks[0]
    for block in blocks[1:]:
        found = (found[:, None, :] * block[None, :, :]).reshape(-1, found.shape[1])
    return found
