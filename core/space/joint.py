"""How far predictions may lie from measurements, and how errors go together: learnt from trials held out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import minimize
from scipy.stats import t as student

from core.codec import FloatArray, IntArray
from core.models._trees import TreesModel
from core.models.extra_trees import resampled
from core.progress import Progress, part, silent
from core.scale import ResponseScale
from core.space._surrogate import Fit
from core.space.columns import NOTHING_FIXED, Fixed, rows_of
from core.space.design_space import BoolArray, DesignSpace
from core.space.measured import on_levels
from core.trial import Frame
from core.validate.folds import parse_folds

_FOLDS = "kfold:5"
_TREES = 100
_PAIRS, _MOST_ROWS = 3000, 4000
NORMAL = 1e6
"""Degrees of freedom at which Student's distribution is as good as normal."""
_TAILS = (3.0, 10.0, NORMAL)
_FAR_TAILS = (1.0, 2.0, *_TAILS)
"""Of errors that only order designs; those that tell by how much are taken as normal, so no scale of far tails."""
_LEAST = 1e-4
"""Share of the variance of the response that no difference is known better than."""
_MOST_PAIRED = 12
"""Columns up to which their products are told too."""


Known = tuple[IntArray, FloatArray, IntArray]
"""Measured designs: ranks, ascending, the means of their trials on a scale, and how many these are."""


@dataclass(frozen=True)
class Joint:
    """What is believed of some designs together: the logarithms of positive responses, else these themselves.

    Attributes
    ----------
    mean : array of shape (n,)
    apart : array of shape (k, n); the covariance of the errors is apartᵀ apart, and `own` on its diagonal
    own : array of shape (n,)
    tails : degrees of freedom of the errors' Student distribution
    """

    mean: FloatArray
    apart: FloatArray
    own: FloatArray
    tails: float

    @property
    def doubt(self) -> FloatArray:
        """The scale of each design's error, array of shape (n,)."""
        found: FloatArray = np.sqrt((self.apart**2).sum(axis=0) + self.own)
        return found

    def take(self, places: IntArray) -> "Joint":
        """Return what is believed of some of the designs."""
        return Joint(self.mean[places], self.apart[:, places], self.own[places], self.tails)

    def draws(self, n: int, seed: int, other: int = 0, alike: float = 0.0) -> FloatArray:
        """Return what the designs may turn out to be, n times: array of shape (n, n_designs).

        Parameters
        ----------
        other : not 0 for one of several applications of the same seed, whose errors by the same trees go together
        alike : share of the variance of the errors that designs have alone in which their applications agree
        """
        rng = np.random.default_rng(seed)
        error = rng.standard_normal((n, len(self.apart))) @ self.apart
        alone = rng.standard_normal((n, len(self.own)))
        if other:
            differ = np.random.default_rng((seed, other)).standard_normal(alone.shape)
            alone = np.sqrt(alike) * alone + np.sqrt(1 - alike) * differ
        error += np.sqrt(self.own) * alone
        if self.tails < NORMAL:
            error *= np.sqrt(self.tails / rng.chisquare(self.tails, n))[:, None]
        return self.mean + error


@dataclass(frozen=True)
class Errors:
    """How the error of a difference between two designs is distributed.

    Its variance is shared · |dₐ - d_b|² + alone, where d is how trees grown at random on the same trials lie about
    their mean: designs that the same trials tell of err together.

    Attributes
    ----------
    slope : measurements lie about centre + slope · (prediction - centre)
    tails : degrees of freedom of Student's distribution
    """

    shared: float
    alone: float
    slope: float = 1.0
    tails: float = NORMAL


@dataclass(frozen=True)
class Doubt:
    """What trials held out taught of a model's errors.

    Attributes
    ----------
    trees : grown on all trials
    sizes : errors by which differences held out are likeliest; normal, as the best of very many designs else follows
        from far tails, of which some hundred trials tell nothing
    orders : errors by which it is likeliest which of two designs held out is better
    centre : mean of the predictions
    noise : variance of a repeat, 0 where nothing was repeated
    alike : share of the variance that designs have alone in which the applications of a design agree
    """

    frame: Frame
    scale: ResponseScale
    trees: TreesModel
    sizes: Errors
    orders: Errors
    centre: float
    noise: float
    alike: float = 0.0

    def joint(
        self,
        space: DesignSpace,
        codes: IntArray,
        known: Known,
        mean: FloatArray | None = None,
        *,
        fixed: Fixed = NOTHING_FIXED,
        orders: bool = False,
    ) -> Joint:
        """Return what is believed of designs; those that were measured are as they were measured.

        Parameters
        ----------
        known : the designs that were measured
        fixed : columns that no parameter gives
        orders : to say which is better, not by how much
        mean : what the model predicts, in the response's unit; that of the trees if None
        """
        errors = self.orders if orders else self.sizes
        said, apart = _about(self.trees, _told(rows_of(self.frame, space, codes, fixed), self.frame.X))
        centred = self.centre + errors.slope * (
            (said if mean is None else _on(self.scale, self.frame, mean)) - self.centre
        )
        own = np.full(len(codes), errors.alone / 2)
        ranks, values, counts = known
        place, there = places_of(ranks, space.ranks(codes))
        apart = np.sqrt(errors.shared) * apart
        apart[:, there] = 0.0
        centred[there], own[there] = values[place[there]], self.noise / counts[place[there]]
        return Joint(centred, apart, own, errors.tails)


def _on(scale: ResponseScale, frame: Frame, values: FloatArray) -> FloatArray:
    """Return predictions on a scale; of positive responses what is far below all of them is held there."""
    return scale.forward(np.maximum(values, frame.y.min() / 10) if scale.log else values)


def measured(frame: Frame, scale: ResponseScale, space: DesignSpace) -> Known:
    """Return the ranks of measured designs, ascending, the means of their trials on a scale, and how many these are."""
    codes, there = on_levels(space, frame)
    ranks, place, counts = np.unique(space.ranks(codes[there]), return_inverse=True, return_counts=True)
    means = np.bincount(place, scale.forward(frame.y[there]), minlength=len(ranks)) / counts
    return ranks, means, counts.astype(np.int64)


def places_of(known: IntArray, ranks: IntArray) -> tuple[IntArray, BoolArray]:
    """Return where ranks stand among known ones, ascending, and which of them do."""
    if not len(known):
        return np.zeros(len(ranks), dtype=np.int64), np.zeros(len(ranks), dtype=bool)
    place = np.searchsorted(known, ranks).clip(max=len(known) - 1).astype(np.int64)
    return place, known[place] == ranks


@dataclass(frozen=True)
class Cells:
    """Which application and which design each trial is of, as numbers, arrays of shape (n_trials,)."""

    application: IntArray
    design: IntArray

    def take(self, rows: IntArray) -> "Cells":
        """Return those of some trials."""
        return Cells(self.application[rows], self.design[rows])


def held_out(fit: Fit, frame: Frame, tests: Sequence[IntArray], progress: Progress = silent) -> FloatArray:
    """Return what models say of trials that they have not seen, in the response's unit, shape (n_trials,)."""
    said = np.empty(len(frame))
    for k, test in enumerate(tests):
        rest = np.setdiff1d(np.arange(len(frame)), test)
        model = fit(frame.take(rest), part(progress, k / len(tests), (k + 1) / len(tests)))
        said[test] = model.predict(model.rows(frame.take(test))).value
    return said


def fifths(frame: Frame, seed: int) -> list[IntArray]:
    """Return the trials of a fifth of the configurations at a time."""
    return [fold.test for fold in parse_folds(_FOLDS).split(frame, seed)]


def learn_doubt(
    frame: Frame,
    scale: ResponseScale,
    tests: Sequence[IntArray],
    said: FloatArray | None = None,
    cells: Cells | None = None,
    *,
    seed: int = 0,
) -> Doubt:
    """Return what a model's errors are like, from trials that it has not seen.

    Parameters
    ----------
    tests : the trials that were held out together
    said : what the model said of them, in the response's unit; the trees themselves are the model if None
    cells : of the trials, where there are several applications; only designs of one are compared

    Raises
    ------
    FitError
        If there are too few trials.
    """
    z, features = scale.forward(frame.y), _told(frame.X, frame.X)
    mean, fold = np.empty(len(z)), np.empty(len(z), dtype=np.int64)
    apart = np.empty((_TREES, len(z)))
    for k, test in enumerate(tests):
        rest = np.setdiff1d(np.arange(len(z)), test)
        mean[test], apart[:, test] = _about(resampled(features[rest], z[rest], _TREES, seed), features[test])
        fold[test] = k
    mean = mean if said is None else _on(scale, frame, said)
    block = fold if cells is None else fold + len(tests) * cells.application
    known = np.flatnonzero(np.isfinite(mean))
    sizes, orders = _likeliest(z[known], mean[known], apart[:, known], block[known], seed)
    alike = 0.0 if cells is None else _alike(cells.take(known), (z - mean)[known], apart[:, known], block[known], sizes)
    trees = resampled(features, z, _TREES, seed)
    return Doubt(frame, scale, trees, sizes, orders, float(mean[known].mean()), _noise(frame, z), alike)


def _alike(cells: Cells, error: FloatArray, apart: FloatArray, block: IntArray, sizes: Errors) -> float:
    """Return the share of the variance of single designs' errors in which the applications of a design agree.

    The mean product of the errors of two applications at one design is what the same trees explain and that share.
    """
    error = error - (np.bincount(block, error) / np.maximum(np.bincount(block), 1))[block]
    key = cells.design * (cells.application.max() + 1) + cells.application
    first = np.unique(key, return_index=True)[1]  # of repeats one
    design, error, apart = cells.design[first], error[first], apart[:, first]
    n = int(design.max()) + 1
    counts = np.bincount(design, minlength=n)
    pairs = float((counts * (counts - 1)).sum())
    if not pairs:
        return 0.0
    found = (np.bincount(design, error, n) ** 2 - np.bincount(design, error**2, n)).sum() / pairs
    together = np.zeros((n, len(apart)))
    np.add.at(together, design, apart.T)
    trees = ((together**2).sum() - (apart**2).sum()) / pairs
    return float(np.clip((found - sizes.shared * trees) / (sizes.alone / 2), 0.0, 1.0))


def _about(trees: TreesModel, features: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the trees' mean at rows of shape (n, k), and how each lies about it, so that covariances are products."""
    each = trees._each(features)
    mean = each.mean(axis=0)
    return mean, (each - mean) / np.sqrt(len(each) - 1)


def _told(X: FloatArray, known: FloatArray) -> FloatArray:
    """Return rows as trees see them: logarithms, products of two columns and of all, and how often 2 divides a number.

    Trees split one column at a time, and what limits a design is often a product (threads of a block, bytes of a
    tile) or whether it is a power of two.
    """
    low = known.min(axis=0)
    positive = low >= 0
    logs = np.where(positive, np.log2(np.maximum(X, low) + (low <= 0), where=positive, out=np.zeros_like(X)), X)
    wide = [j for j in np.flatnonzero(positive) if len(np.unique(known[:, j])) > 2]
    if not 2 <= len(wide) <= _MOST_PAIRED:
        return logs
    pairs = [logs[:, a] + logs[:, b] for a, b in combinations(wide, 2)]
    whole = [j for j in wide if (known[:, j] == np.round(known[:, j])).all() and known[:, j].max() < 2**53]
    even = [_twos(X[:, j]) for j in whole]
    return np.column_stack([logs, *pairs, logs[:, wide].sum(axis=1), *even])


def _twos(x: FloatArray) -> FloatArray:
    number = x.astype(np.int64)
    found: FloatArray = np.log2(np.maximum(number & -number, 1).astype(np.float64))
    return found


def _likeliest(z: FloatArray, mean: FloatArray, apart: FloatArray, fold: IntArray, seed: int) -> tuple[Errors, Errors]:
    """Return the errors by which differences within folds are likeliest, and those by which their signs are."""
    rng = np.random.default_rng(seed)
    rows = np.arange(len(z)) if len(z) <= _MOST_ROWS else np.sort(rng.permutation(len(z))[:_MOST_ROWS])
    first, second = (rows[places] for places in np.triu_indices(len(rows), 1))
    pairs = rng.permutation(np.flatnonzero((fold[first] == fold[second]) & (z[first] != z[second])))[:_PAIRS]
    first, second = first[pairs], second[pairs]
    found, said = z[first] - z[second], mean[first] - mean[second]
    apart_by = ((apart[:, first] - apart[:, second]) ** 2).sum(axis=0)
    unit = float(np.var(z)) or 1.0

    def deviation(theta: FloatArray) -> FloatArray:
        wide: FloatArray = np.sqrt(np.exp(theta[0]) * apart_by + (np.exp(theta[1]) + _LEAST) * unit)
        return wide

    def far(theta: FloatArray, tails: float) -> float:
        wide = deviation(theta)
        return -float(student.logpdf((found - theta[2] * said) / wide, tails).mean() - np.log(wide).mean())

    def wrong(theta: FloatArray, tails: float) -> float:
        return -float(student.logcdf(np.sign(found) * said / deviation(theta), tails).mean())

    sizes, _ = _least(far, [0.0, -3.0, 1.0], _TAILS)
    orders, tails = _least(wrong, [-1.0, -4.0], _FAR_TAILS)
    return (
        Errors(np.exp(sizes[0]), (np.exp(sizes[1]) + _LEAST) * unit, float(np.clip(sizes[2], 0.0, 1.5))),
        Errors(np.exp(orders[0]), (np.exp(orders[1]) + _LEAST) * unit, tails=tails),
    )


def _least(
    value: Callable[[FloatArray, float], float], start: Sequence[float], among: Sequence[float]
) -> tuple[FloatArray, float]:
    """Return where a value is least, and with which tails."""
    tried = [
        (minimize(value, np.array(start), (tails,), "Nelder-Mead", options={"maxiter": 150}), tails) for tails in among
    ]
    best, tails = min(tried, key=lambda one: float(one[0].fun))
    found: FloatArray = best.x
    return found, tails


def _noise(frame: Frame, z: FloatArray) -> float:
    """Return the variance of one measurement among repeats of a configuration."""
    place = np.unique(frame.configuration, return_inverse=True)[1]
    counts = np.bincount(place)
    left = z - (np.bincount(place, z) / counts)[place]
    return float((left**2).sum() / max(len(z) - len(counts), 1))
