"""Where a model has been: the range of its training metrics, how far they went together, and some of the trials."""

from collections.abc import Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from core.blocks import extremes, row_blocks
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.passes.scales import products, spread
from core.validate.landmarks import Landmarks, Marginals, choose_landmarks, learn_marginals

MOST_DIRECTIONS = 20
TRIALS_PER_DIRECTION = 10
"""With fewer, the trials that a direction was learnt from look nearer than any new one could."""
LEAST_VARIANCE = 1e-6
"""Share of the metrics' variance below which a direction is rounding, and not something that varied."""
ROOM = 1e-9


class Reflection(Frozen):
    """Points beyond a range, and the points as far inside it as these are beyond.

    Attributes
    ----------
    rows : array of shape (k,), which points are beyond
    edge, back : arrays of shape (k, n_metrics), the nearest point of the range, and the one as far inside from there
    times : array of shape (k,), how much farther a point is beyond than `back` is inside, where the range ends before
    """

    rows: IntArray
    edge: FloatArray
    back: FloatArray
    times: FloatArray


class Range(Frozen):
    """Smallest and largest value of each metric among the training trials.

    Attributes
    ----------
    low, high : arrays of shape (n_metrics,), in each metric's unit
    """

    low: FloatArray
    high: FloatArray

    def beyond(self, X: FloatArray) -> BoolArray:
        """Return which values of rows of shape (n, n_metrics) leave the trained range."""
        room = ROOM * (self.high - self.low)
        return (X < self.low - room) | (X > self.high + room)

    def reflected(self, X: FloatArray, reach: FloatArray | None = None) -> Reflection:
        """Return the rows of shape (n, n_metrics) that are beyond, reflected at the edge of the range.

        Where a range is above 0, as far inside means by the same factor, else by the same difference.

        Parameters
        ----------
        reach : array of shape (2, n_metrics), how far below and above the range is not yet beyond; 0 if None
        """
        rows = np.flatnonzero(self.beyond(X).any(axis=1))
        X = X[rows]
        powers, edge = (self.low > 0) & (X > 0), np.clip(X, self.low, self.high)
        out = _apart(X, edge, powers)
        if reach is not None:
            room = np.where(powers == (self.low > 0), np.where(out < 0, *reach), 0.0)
            out = np.sign(out) * np.maximum(np.abs(out) - room, 0.0)
            far = out.any(axis=1)
            rows, out, edge, powers = rows[far], out[far], edge[far], powers[far]
        with np.errstate(over="ignore"):
            back = np.clip(np.where(powers, edge * np.exp(-out), edge - out), self.low, self.high)
        gone = _apart(edge, back, powers)
        times = np.where((out != 0) & (gone != 0), out / np.where(gone != 0, gone, 1.0), 1.0)
        return Reflection(rows, edge, back, times.max(axis=1, initial=1.0))

    def mirrored(self, X: FloatArray, edge: FloatArray) -> FloatArray:
        """Return the points as far inside of an edge as rows of shape (n, n_metrics) are beyond, at most the other end.

        As far means by the same factor where a range is above 0, else by the same difference.
        """
        powers = (self.low > 0) & (X > 0)
        back = np.where(powers, edge * (edge / np.where(powers, X, 1.0)), 2 * edge - X)
        return np.where(X == edge, X, np.clip(back, self.low, self.high))

    def outside(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return, per row that leaves the trained range, which metrics do and how far.

        Parameters
        ----------
        X : array of shape (n, n_metrics)
        """
        out = self.beyond(X)
        rows = np.flatnonzero(out.any(axis=1))
        return dict(zip(rows.tolist(), self._sentences(X[rows], out[rows], names), strict=True))

    def _sentences(self, X: FloatArray, out: BoolArray, names: Sequence[str]) -> list[str]:
        """Say of each row, which leaves the range, the two metrics that are farthest out and how many more are."""
        span = np.where(self.high > self.low, self.high - self.low, 1.0)
        how_far = np.where(out, np.maximum(self.low - X, X - self.high) / span, -np.inf)
        texts = [f" is outside the trained {a:.6g} to {b:.6g}" for a, b in zip(self.low, self.high, strict=True)]
        found = []
        for x, n, worst in zip(X, out.sum(axis=1).tolist(), _two_largest(how_far).tolist(), strict=True):
            said = [f"{names[c]} = {x[c]:.6g}{texts[c]}" for c in worst[:n]]
            found.append("; ".join(said + [f"and {n - 2} more"] * (n > 2)))
        return found


class Domain(Range):
    """The trained range, and how far the training trials went from their centre in all metrics together.

    Attributes
    ----------
    centre : array of shape (n_metrics,), the training metrics' means
    directions : array of shape (k, n_metrics): |directions @ (x - centre)|² is the leverage of x, its squared
        Mahalanobis distance from the centre in the space of the k strongest principal components of the
        standardised metrics; k = 0 where that was not learnt (few trials, files of versions 1 and 2)
    furthest : largest leverage of a training trial
    landmarks : training trials kept to say which are nearest
    marginals : how each metric was spread, to hold later trials against
    """

    centre: FloatArray = field(default_factory=lambda: np.empty(0))
    directions: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    furthest: float = 0.0
    landmarks: Landmarks = field(default_factory=Landmarks)
    marginals: Marginals = field(default_factory=Marginals)

    @property
    def knows_leverage(self) -> bool:
        """Whether leverage was learnt."""
        return len(self.directions) > 0

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Return rows of metrics as standard scores of the components, shape (n, k)."""
        if not self.knows_leverage:
            return np.empty((len(X), 0))
        with np.errstate(over="ignore", invalid="ignore"):
            found: FloatArray = (X - self.centre) @ self.directions.T
        return found

    def leverage(self, X: FloatArray) -> FloatArray:
        """Return the leverage of rows of metrics, shape (n,); 0 where it was not learnt."""
        with np.errstate(over="ignore", invalid="ignore"):
            found: FloatArray = np.square(self.coordinates(X)).sum(axis=1)
        return found

    def too_far(self, leverage: FloatArray) -> BoolArray:
        """Return which leverages are larger than that of every training trial."""
        found: BoolArray = leverage > self.furthest * (1 + ROOM)
        return found if self.knows_leverage else np.zeros(len(leverage), dtype=bool)

    def leaves(self, X: FloatArray) -> BoolArray:
        """Return which rows are outside: of the range of a metric, or of the furthest leverage."""
        return self.beyond(X).any(axis=1) | self.too_far(self.leverage(X))

    def outside(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return, per row that is outside, why: the metrics that leave their range, else all of them together.

        Parameters
        ----------
        X : array of shape (n, n_metrics)
        """
        reasons = super().outside(X, names)
        leverage = self.leverage(X)
        far = self.too_far(leverage)
        far[list(reasons)] = False
        rows = np.flatnonzero(far)
        return reasons | dict(zip(rows.tolist(), self._together(X[rows], leverage[rows], names), strict=True))

    def distances(self, X: FloatArray) -> FloatArray:
        """Return how far rows are from each landmark, shape (n, n_landmarks).

        The unit is a standard deviation of the training trials: the root mean square over the components
        (where these were not learnt, over the metrics, in tenths of their trained range).
        """
        return self.landmarks.distances(X, self._unit(X))

    def nearest(self, X: FloatArray, n: int = 3) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """Return the places of the n nearest landmarks of each row and their distances, both (n_rows, n)."""
        distances = np.round(self.distances(X), 12)  # the same trial is at 0, and not at what the last digits leave
        order = np.argsort(distances, axis=1, kind="stable")[:, :n]
        return order, np.take_along_axis(distances, order, axis=1)

    def _unit(self, X: FloatArray) -> FloatArray:
        """Return what differences of metrics are multiplied with to be distances, shape (k or n_metrics, n_metrics)."""
        if self.knows_leverage:
            return np.asarray(self.directions / np.sqrt(len(self.directions)))
        span = self.high - self.low
        return np.diag(np.where(span > 0, 10 / np.where(span > 0, span, 1.0), 0.0) / np.sqrt(max(X.shape[1], 1)))

    def _together(self, X: FloatArray, leverage: FloatArray, names: Sequence[str]) -> list[str]:
        """Say of each row by how much it is too far, and which metrics have the largest part in that."""
        if not len(X):
            return []
        away = X - self.centre
        share = away * (self.coordinates(X) @ self.directions)
        # Without the last digits, which depend on how many rows are asked at once: equal parts stay in order.
        most = _two_largest(np.round(share / np.where(leverage > 0, leverage, 1.0)[:, None], 9))
        with np.errstate(divide="ignore"):
            times = np.sqrt(leverage / self.furthest) if self.furthest > 0 else np.full(len(X), np.inf)
        return [
            f"its metrics together are {t:.3g} times as far from the trained centre as any trial, "
            f"mostly by {' and '.join(names[c] for c in worst)}"
            for t, worst in zip(times.tolist(), most.tolist(), strict=True)
        ]


def _apart(X: FloatArray, edge: FloatArray, powers: BoolArray) -> FloatArray:
    """Return how far points are from others: ln of the quotient where these are powers, else the difference."""
    return np.where(powers, np.log(np.where(powers, X / np.where(powers, edge, 1.0), 1.0)), X - edge)


def reach_of(X: FloatArray, fold_of_row: IntArray) -> FloatArray:
    """Return how far trials that were held out lay beyond the range of all others, array of shape (2, n_metrics).

    Below and above, as factors (their ln) of a metric that is above 0, else as differences. Beyond a range only the one
    fold can lie that has its end, so that it is the gap between the two outermost folds.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    fold_of_row : array of shape (n_trials,), -1 for trials that were never held out
    """
    folds = np.unique(fold_of_row)
    ends = np.array([extremes(X[fold_of_row == fold]) for fold in folds])  # (n_folds, 2, n_metrics)
    found = np.zeros((2, X.shape[1]))
    if len(folds) > 1:
        powers = X.min(axis=0) > 0
        for end, own in enumerate((ends[:, 0], -ends[:, 1])):
            order = np.argsort(own, axis=0, kind="stable")[:2]
            first, second = np.abs(np.take_along_axis(own, order, axis=0))
            found[end] = np.where(folds[order[0]] >= 0, np.abs(_apart(first, second, powers)), 0.0)
    return found


def _two_largest(values: FloatArray) -> IntArray:
    """Return the columns of the two largest values of each row (or of its one), the first of equal ones first."""
    return np.argsort(-values, axis=1, kind="stable")[:, :2]


def learn_range(X: FloatArray) -> Range:
    """Return the range of training rows of shape (n_trials, n_metrics)."""
    return Range(*extremes(X))


def learn_domain(X: FloatArray, names: Sequence[str] = (), y: FloatArray | None = None) -> Domain:
    """Return the domain of training rows of shape (n_trials, n_metrics).

    Parameters
    ----------
    names : of the trials, for the landmarks, "" for one without; without names there are neither landmarks
        nor marginals
    y : array of shape (n_trials,), their responses
    """
    span = learn_range(X)
    centre, directions = _components(X)
    bare = Domain(span.low, span.high, centre, directions)
    furthest = max((float(bare.leverage(X[rows]).max()) for rows in row_blocks(*X.shape)), default=0.0)
    if not len(names) or y is None:
        return Domain(span.low, span.high, centre, directions, furthest)
    kept = choose_landmarks(X @ bare._unit(X).T, X.shape[1])
    landmarks = Landmarks(tuple(names[i] or f"trial {i + 1}" for i in kept), X[kept], y[kept])
    return Domain(span.low, span.high, centre, directions, furthest, landmarks, learn_marginals(X))


def _components(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means, and the directions of the strongest components, each scaled to variance 1."""
    from scipy.linalg import eigh

    n, p = X.shape
    most = min(MOST_DIRECTIONS, n // TRIALS_PER_DIRECTION, p)
    centre: FloatArray = X.mean(axis=0)
    scale = spread(X, centre)
    low, high = extremes(X)
    varies = scale > 1e-12 * np.maximum(high, -low)
    if most < 1 or not varies.any():
        return centre, np.empty((0, p))
    unit = np.where(varies, 1 / np.where(varies, scale, 1.0), 0.0)
    wide = p > n
    Z = (X - centre) * unit if wide else X[:0]
    kernel = products(X, centre, unit) / n
    most = min(most, len(kernel))
    values, vectors = eigh(kernel, subset_by_index=[len(kernel) - most, len(kernel) - 1])
    real = values > LEAST_VARIANCE * varies.sum()
    values, vectors = values[real][::-1], vectors[:, real][:, ::-1]
    loadings = Z.T @ vectors / np.sqrt(n * values) if wide else vectors
    return centre, np.ascontiguousarray((loadings / np.sqrt(values) * unit[:, None]).T)
