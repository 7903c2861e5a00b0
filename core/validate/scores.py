"""Scores of predictions, where intervals cover, and whether one model errs less than another by more than noise."""

from collections.abc import Mapping
from math import exp

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError

_ALIKE = 1e-12
"""A response that varies by a smaller share of itself is constant but for rounding."""


class Scores(Frozen):
    """How far predictions are from measurements.

    Attributes
    ----------
    n : trials with a prediction
    n_refused : trials without one (a pole, or a metric that has no logarithm)
    mape, median_ape, max_ape : mean, median and largest absolute percentage error; None where
        every response is 0
    inliers_10, inliers_20 : percent of trials predicted within 10 % and 20 %
    r2 : coefficient of determination of the predictions, None for one trial or a constant response
    rmse, mse : in the response's unit, and its square
    coverage_90 : percent of trials inside their 90 % interval, None where there are no intervals
    width_90 : median width of these intervals, in percent of the measured response
    log_error : mean |ln(predicted / measured)|, so that its exponential is the typical factor; None where a
        response or a prediction is not positive
    bias : mean ln(predicted / measured), below 0 where predictions are low; None as before
    """

    n: int
    n_refused: int
    mape: float | None
    median_ape: float | None
    max_ape: float | None
    inliers_10: float | None
    inliers_20: float | None
    r2: float | None
    rmse: float | None
    mse: float | None
    coverage_90: float | None = None
    width_90: float | None = None
    log_error: float | None = None
    bias: float | None = None

    def __str__(self) -> str:
        refused = f", {self.n_refused:,} refused" if self.n_refused else ""
        if self.mape is None or self.median_ape is None:
            return f"{self.n:,} trials without a relative error{refused}"
        typical = "" if self.log_error is None else f", typically by a factor of {exp(self.log_error):.2f}"
        return f"{self.n:,} trials off by {self.mape:.3g} % (MAPE), median {self.median_ape:.3g} %{typical}{refused}"


@np.errstate(over="ignore")  # squares of what is near the largest number are infinite
def score(
    y: FloatArray, predicted: FloatArray, low: FloatArray | None = None, high: FloatArray | None = None
) -> Scores:
    """Score predictions of shape (n_trials,), all in the response's unit; NaN means refused.

    Trials whose response is 0 have no percentage error and are left out of the relative scores.
    """
    given = np.isfinite(predicted)
    y_given, p = y[given], predicted[given]
    n = int(given.sum())
    if n == 0:
        return Scores(0, len(y), None, None, None, None, None, None, None, None, None)
    error = p - y_given
    mse = float(np.mean(error**2))
    nonzero = y_given != 0
    ape = 100 * np.abs(error[nonzero] / y_given[nonzero])
    covered, width = (None, None) if low is None or high is None else _intervals(y, predicted, low, high)
    mape, median, largest, within_10, within_20 = _relative(ape) if nonzero.any() else (None, None, None, None, None)
    r2, rmse = _r2(y_given, mse), float(np.sqrt(mse))
    factors = _factors(y_given, p)
    return Scores(n, len(y) - n, mape, median, largest, within_10, within_20, r2, rmse, mse, covered, width, *factors)


def _intervals(y: FloatArray, p: FloatArray, low: FloatArray, high: FloatArray) -> tuple[float | None, float | None]:
    """Return how many percent of the trials lie within their interval, and its median relative width.

    In logarithms a few intervals may be wider by powers of ten, so that a mean would speak of these alone.
    """
    known = np.isfinite(p) & np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return None, None
    inside = (y[known] >= low[known]) & (y[known] <= high[known])
    sized = known & (y != 0)
    width = 100 * float(np.median((high[sized] - low[sized]) / np.abs(y[sized]))) if sized.any() else None
    return float(100 * np.mean(inside)), width


def _relative(ape: FloatArray) -> tuple[float, float, float, float, float]:
    return (
        float(ape.mean()),
        float(np.median(ape)),
        float(ape.max()),
        float(100 * np.mean(ape <= 10)),
        float(100 * np.mean(ape <= 20)),
    )


def _factors(y: FloatArray, p: FloatArray) -> tuple[float | None, float | None]:
    """Return the mean size and the mean of the logarithms of predicted over measured."""
    if y.min() <= 0 or p.min() <= 0:
        return None, None
    log = np.log(p) - np.log(y)
    return float(np.abs(log).mean()), float(log.mean())


def _r2(y: FloatArray, mse: float) -> float | None:
    mean = float(y.mean())
    spread = float(np.mean((y - mean) ** 2))
    return 1 - mse / spread if spread > (_ALIKE * mean) ** 2 else None


QUARTERS = 4
LEAST = 5
"""Trials of a group from which on its share says something."""


class Coverage(Frozen):
    """Shares of held-out trials inside their interval, in percent; None where there is none.

    Attributes
    ----------
    quartiles : of the trials with the smallest measured responses first
    worst_group : the group of at least five trials with the smallest share, "" if there is none
    """

    overall: float | None
    quartiles: tuple[float, ...]
    worst_group: str
    worst_share: float | None


def coverage_of(y: FloatArray, low: FloatArray, high: FloatArray, groups: Mapping[str, Scores]) -> Coverage:
    """Return where intervals cover.

    Parameters
    ----------
    y, low, high : arrays of shape (n_trials,), NaN where there is no interval
    groups : scores per held-out group, with their own coverage
    """
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return Coverage(None, (), "", None)
    inside = ((y >= low) & (y <= high))[known]
    parts = np.array_split(inside[np.argsort(y[known], kind="stable")], QUARTERS)
    shares = {name: s.coverage_90 for name, s in groups.items() if s.n >= LEAST and s.coverage_90 is not None}
    worst = min(shares, key=lambda name: (shares[name], name), default="")
    quartiles = tuple(float(100 * part.mean()) for part in parts if len(part))
    return Coverage(float(100 * inside.mean()), quartiles, worst, shares.get(worst))


LEVEL = 0.95


class Paired(Frozen):
    """Two models on the same trials.

    Attributes
    ----------
    first, second : mean errors
    difference : second minus first: above 0 the first is better
    low, high : ends of its 95 % interval; infinite where too few blocks tell
    p : two-sided, of no difference
    n_trials : that both predict
    n_blocks : folds, or groups of trials, whose differences are taken as the observations
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    n_trials: int
    n_blocks: int

    @property
    def more_than_noise(self) -> bool:
        """Whether the 95 % interval of the difference leaves out 0."""
        return self.low > 0 or self.high < 0


def paired(first: FloatArray, second: FloatArray, block: IntArray, retrained: bool = True) -> Paired:
    """Compare errors of two models trial by trial, in blocks that share a model or an application.

    The observations are the blocks' mean differences d_j, weighted by their trials, w_j = n_j / n; their mean is
    the difference of the mean errors. Its variance is J/(J - 1) · Σ w_j² (d_j - d)², which for blocks of one size is
    s²/J. Models that were trained again for each block share most of their training trials, so that the d_j vary
    less than the models do: the variance is multiplied by 1 + J · n_test/n_train (Nadeau and Bengio's correction,
    1/J + n_test/n_train instead of 1/J). Student's t with J - 1 degrees of freedom.

    Parameters
    ----------
    first, second : arrays of shape (n_trials,), errors such as absolute percentages; NaN where there is none
    block : array of shape (n_trials,), the fold (or, for models that stay as they are, the group) of each trial;
        -1 for trials that do not count
    retrained : whether each block was predicted by models trained without it

    References
    ----------
    Nadeau, Bengio 2003, Inference for the generalization error, section 3 (corrected resampled t-test);
    Bouckaert, Frank 2004, Evaluating the replicability of significance tests (with cross-validation).

    Raises
    ------
    FitError
        If no trial is predicted by both.
    """
    from scipy.stats import t as student

    both = np.isfinite(first) & np.isfinite(second) & (block >= 0)
    if not both.any():
        raise FitError("The two models have no predicted trial in common, so there is nothing to compare.")
    apart, own = (second - first)[both], np.unique(block[both], return_inverse=True)[1]
    counts = np.bincount(own)
    means, weights = np.bincount(own, apart) / counts, counts / counts.sum()
    difference, n_blocks = float(apart.mean()), len(counts)
    if n_blocks < 2:
        low, high, p = -np.inf, np.inf, 1.0
    else:
        share = 1 / n_blocks  # of the trials that a block holds on average
        correction = 1 + n_blocks * share / (1 - share) if retrained else 1.0
        spread = n_blocks / (n_blocks - 1) * float((weights**2 * (means - difference) ** 2).sum())
        error = float(np.sqrt(spread * correction))
        reach = float(student.ppf((1 + LEVEL) / 2, n_blocks - 1)) * error
        low, high = difference - reach, difference + reach
        p = float(2 * student.sf(abs(difference) / error, n_blocks - 1)) if error > 0 else float(difference == 0)
    return Paired(
        float(first[both].mean()), float(second[both].mean()), difference, low, high, p, int(both.sum()), n_blocks
    )


def percentages(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return absolute percentage errors, NaN where refused, without trials whose response is 0."""
    known = y != 0
    return np.asarray(100 * np.abs(predicted[known] / y[known] - 1))


def errors(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return absolute errors, in percent of the response where no response is 0 or below."""
    with np.errstate(invalid="ignore", over="ignore"):
        found: FloatArray = 100 * np.abs(predicted / y - 1) if y.min() > 0 else np.abs(predicted - y)
    return np.where(np.isfinite(predicted), found, np.nan)
