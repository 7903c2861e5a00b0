"""What the entries of a race look at, how often over the folds; and where they fail, by workload."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.passes.products import FittedPairs, FittedWhole
from core.pipeline import FittedPipeline
from core.trial import Frame
from core.validate.crossval import Validation

ALIKE = 0.999
"""Correlation of ranks or logarithms beyond which two metrics tell the same."""


class Stability(Frozen):
    """How often a metric, or any of a group that tells the same, is looked at over folds.

    Attributes
    ----------
    metrics : one, or several that tell the same
    share : of the folds
    """

    metrics: tuple[str, ...]
    share: float


def chosen_features(model: FittedPipeline) -> tuple[str, ...]:
    """Return the columns that a model looks at, the weightiest first where it knows weights; of a pair, both.

    Of a forest, or of ridge regression, which take all, these are the fewest that have nine tenths of
    the importance; a model that cannot tell looks at all.
    """
    columns = [column for member in model.clusters for column in member.model.used(len(model.features))]
    for fitted in reversed(model.passes):
        if isinstance(fitted, FittedPairs | FittedWhole):
            columns = [own for column in columns for own in fitted.made_of(column)]
    return tuple(dict.fromkeys(model.features[own] for own in columns))


def alike(frame: Frame) -> tuple[tuple[str, ...], ...]:
    """Return groups of metrics that order the trials alike or are powers of each other, every metric in one group.

    Two metrics are alike where the absolute correlation of their ranks or, if both are positive, of
    their logarithms is above 0.999; a group holds everything that is alike by any chain of such pairs.
    """
    from scipy.sparse.csgraph import connected_components
    from scipy.stats import rankdata

    if not frame.metrics:
        return ()
    near = _near(rankdata(frame.X, axis=0))
    positive = np.flatnonzero((frame.X > 0).all(axis=0))
    if len(positive):
        near[np.ix_(positive, positive)] |= _near(np.log(frame.X[:, positive]))
    group = connected_components(near, directed=False)[1]
    return tuple(tuple(frame.names[k] for k in np.flatnonzero(group == g)) for g in dict.fromkeys(group.tolist()))


def _near(columns: FloatArray) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    centred = columns - columns.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.where(size > 1e-12 * np.abs(columns).max(axis=0), centred / size, 0.0)
    return np.asarray(np.abs(unit.T @ unit) > ALIKE)


def stability(chosen: Sequence[Sequence[str]], groups: Sequence[tuple[str, ...]]) -> tuple[Stability, ...]:
    """Return the share of folds in which a metric of each group is looked at, largest first, 0 left out.

    Parameters
    ----------
    chosen : per fold, the metrics looked at
    """
    known = {name for group in groups for name in group}
    own = [(name,) for name in dict.fromkeys(n for fold in chosen for n in fold) if name not in known]
    counted = [Stability(g, sum(bool(set(g) & set(fold)) for fold in chosen) / len(chosen)) for g in (*groups, *own)]
    return tuple(sorted((s for s in counted if s.share > 0), key=lambda s: (-s.share, s.metrics)))


def shares(chosen: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """Return by metric the share of folds in which it is looked at."""
    names = dict.fromkeys(name for fold in chosen for name in fold)
    return {name: sum(name in fold for fold in chosen) / len(chosen) for name in names}


class Failures(Frozen):
    """Each held-out workload's error, workloads sorted by what was observed.

    Attributes
    ----------
    rows : array of shape (n,), row numbers in the frame
    names : per workload
    observed, predicted, ape : arrays of shape (n,); ape in percent, NaN where refused or observed 0
    """

    rows: IntArray
    names: tuple[str, ...]
    observed: FloatArray
    predicted: FloatArray
    ape: FloatArray


def failures(frame: Frame, validation: Validation) -> Failures:
    """Return the error of every held-out trial, by observed value (HALWPE, figure 6)."""
    held = np.flatnonzero(validation.fold_of_row >= 0)
    rows = held[np.argsort(frame.y[held], kind="stable")]
    y, predicted = frame.y[rows], validation.predicted[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        ape = np.where(y == 0, np.nan, 100 * np.abs(predicted / y - 1))
    return Failures(rows, workload_names(frame, rows), y, predicted, ape)


def workload_names(frame: Frame, rows: IntArray) -> tuple[str, ...]:
    """Return `application · input` per row; the machine too where there are several."""
    roles = ["application", "input"] + ["machine"] * (len(set(frame.labels["machine"])) > 1)
    return tuple(" · ".join(t for t in (frame.labels[r][i] for r in roles) if t) for i in rows.tolist())
