"""What is believed of designs together: how far predictions may lie from measurements, and how errors go together."""

from itertools import combinations

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.models.parts.trees import TreesModel
from core.scale import ResponseScale
from core.space.columns import Fixed, rows_of
from core.space.design_space import DesignSpace
from core.space.holes import on_levels
from core.trial import Frame

NORMAL = 1e6
"""Degrees of freedom at which Student's distribution is as good as normal."""
UNREACHED = 0.5
"""Deviation of a prediction beyond all that was measured, as a share of how far beyond it lies.

Learnt from the fifth of the trials with the lowest and with the highest responses, which cost a third more, it was no
better: laws and tuners of docs/design_space.md."""
_MOST_PAIRED = 12
"""Columns up to which their products are told too."""


Known = tuple[IntArray, FloatArray, IntArray]
"""Measured designs: ranks, ascending, the means of their trials on a scale, and how many these are."""


class Joint(Frozen):
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
        return np.asarray(np.sqrt((self.apart**2).sum(axis=0) + self.own))

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


class Errors(Frozen):
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


class Doubt(Frozen):
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
    toward : how far measurements lie on the way from what the model says to what the trees say, 0 to 1
    ends : how much more variance than the others the errors have of what is predicted lowest, and highest
    """

    frame: Frame
    scale: ResponseScale
    trees: TreesModel
    sizes: Errors
    orders: Errors
    centre: float
    noise: float
    alike: float = 0.0
    toward: float = 0.0
    ends: tuple[float, float] = (0.0, 0.0)

    def joint(
        self,
        space: DesignSpace,
        codes: IntArray,
        known: Known,
        mean: FloatArray | None,
        fixed: Fixed,
        *,
        orders: bool = False,
        chosen: bool = False,
    ) -> Joint:
        """Return what is believed of designs; those that were measured are as they were measured.

        Parameters
        ----------
        known : the designs that were measured
        fixed : columns that no parameter gives
        orders : to say which is better, not by how much
        chosen : as the best of very many: what is predicted to be better than all that was measured is less sure, as
            no trial held out lay where the model was chosen for what it says
        mean : what the model predicts, in the response's unit; that of the trees if None
        """
        errors = self.orders if orders else self.sizes
        said, apart = about(self.trees, told(rows_of(self.frame, space, codes, fixed), self.frame.X))
        if mean is not None:
            own = on_scale(self.scale, self.frame, mean)
            said = own + self.toward * (said - own)
        centred = self.centre + errors.slope * (said - self.centre)
        own = np.full(len(codes), errors.alone / 2)
        if chosen:
            least, most = self.scale.forward(np.array([self.frame.y.min(), self.frame.y.max()]))
            own += np.where(centred < self.centre, *self.ends)
            own += (UNREACHED * (np.maximum(least - centred, 0.0) + np.maximum(centred - most, 0.0))) ** 2
        ranks, values, counts = known
        place, there = places_of(ranks, space.ranks(codes))
        apart = np.sqrt(errors.shared) * apart
        apart[:, there] = 0.0
        centred[there], own[there] = values[place[there]], self.noise / counts[place[there]]
        return Joint(centred, apart, own, errors.tails)


def on_scale(scale: ResponseScale, frame: Frame, values: FloatArray) -> FloatArray:
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


def about(trees: TreesModel, features: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the trees' mean at rows of shape (n, k), and how each lies about it, so that covariances are products."""
    each = trees._each(features)
    mean = each.mean(axis=0)
    return mean, (each - mean) / np.sqrt(len(each) - 1)


def told(X: FloatArray, known: FloatArray) -> FloatArray:
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
    numbers = X[:, whole].astype(np.int64)
    even = np.log2(np.maximum(numbers & -numbers, 1).astype(np.float64))  # how often 2 divides each
    return np.column_stack([logs, *pairs, logs[:, wide].sum(axis=1), even])
