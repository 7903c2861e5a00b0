"""How good a model gets with how many trials: the error on unseen trials, over growing training sets."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.progress import Progress, part, silent
from core.trial import Frame
from core.validate.folds import FoldPlan, shuffled_configurations
from core.validate.scores import percentages
from core.validate.sharing import Fit

UNSEEN = FoldPlan("kfold", 10)
"""What a curve asks of a recipe: configurations, not new applications or machines."""


class LearningCurve(Frozen):
    """Errors on unseen trials for growing training sets, relative, in percent.

    Attributes
    ----------
    sizes : configurations learnt from
    n_test : configurations predicted in each repeat, the same for all sizes
    mean, p75, p98, largest : arrays of shape (n_sizes,), over the trials of all repeats together
    by_repeat : array of shape (n_sizes, n_repeats), the mean error of each repeat
    refused : array of shape (n_sizes,), predictions that no model would make
    """

    sizes: tuple[int, ...]
    n_test: int
    mean: FloatArray
    p75: FloatArray
    p98: FloatArray
    largest: FloatArray
    by_repeat: FloatArray
    refused: IntArray


def learning_curve(
    fit: Fit,
    frame: Frame,
    sizes: Sequence[int] = tuple(range(30, 301, 30)),
    n_test: int = 200,
    repeats: int = 5,
    seed: int = 0,
    progress: Progress = silent,
) -> LearningCurve:
    """Learn from more and more configurations drawn at random, and predict others.

    In each repeat the configurations are shuffled; the first `n_test` are predicted, and each size
    learns from the first so many of the rest, so that a larger training set holds the smaller ones.

    Raises
    ------
    OptionError
        If a number is below 1.
    FitError
        If there are fewer configurations than the largest size and the test set need, or a fit fails.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 7.3 and figure 5 (which draws each training set anew).
    """
    if not sizes or min(sizes) < 1 or n_test < 1 or repeats < 1:
        raise OptionError("A learning curve needs at least one size, one unseen configuration and one repeat.")
    n_configurations = len(np.unique(frame.configuration))
    if n_configurations < max(sizes) + n_test:
        raise FitError(
            f"A learning curve to {max(sizes)} with {n_test} unseen needs {max(sizes) + n_test} configurations, "
            f"got {n_configurations}. Choose smaller sizes, or a smaller test set."
        )
    errors: list[list[FloatArray]] = [[] for _ in sizes]
    for repeat in range(repeats):
        order = shuffled_configurations(frame, seed + 1000 * repeat)
        test = np.flatnonzero(np.isin(frame.configuration, order[:n_test]))
        for i, size in enumerate(sizes):
            done = (repeat * len(sizes) + i) / (repeats * len(sizes))
            share = part(progress, done, done + 1 / (repeats * len(sizes)))
            train = np.flatnonzero(np.isin(frame.configuration, order[n_test : n_test + size]))
            errors[i].append(_errors(fit, frame, train, test, share))
    pooled = [np.concatenate(row) for row in errors]
    known = [e if len(e) else np.full(1, np.nan) for e in (e[np.isfinite(e)] for e in pooled)]
    return LearningCurve(
        sizes=tuple(sizes),
        n_test=n_test,
        mean=np.array([e.mean() for e in known]),
        p75=np.array([np.quantile(e, 0.75) for e in known]),
        p98=np.array([np.quantile(e, 0.98) for e in known]),
        largest=np.array([e.max() for e in known]),
        by_repeat=np.array([[np.nanmean(e) if np.isfinite(e).any() else np.nan for e in row] for row in errors]),
        refused=np.array([int((~np.isfinite(e)).sum()) for e in pooled], dtype=np.int64),
    )


def _errors(fit: Fit, frame: Frame, train: IntArray, test: IntArray, progress: Progress) -> FloatArray:
    """Return the relative errors of the test trials in percent; NaN where a prediction is refused."""
    model = fit(frame.take(train), progress)
    held = frame.take(test)
    rows = model.rows(held)
    return percentages(held.y, model.scale_of(rows).inverse(model.predict_scaled(rows)))
