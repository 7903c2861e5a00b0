"""Whether one model errs less than another on the same held-out trials, by more than noise."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError

LEVEL = 0.95


@dataclass(frozen=True)
class Paired:
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


def errors(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return absolute errors, in percent of the response where no response is 0 or below."""
    with np.errstate(invalid="ignore", over="ignore"):
        found: FloatArray = 100 * np.abs(predicted / y - 1) if y.min() > 0 else np.abs(predicted - y)
    return np.where(np.isfinite(predicted), found, np.nan)
