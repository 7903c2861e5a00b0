"""Which metrics a model looks at, how often over the folds, and which of them tell the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from core.codec import FloatArray
from core.models._linear import LinearModel
from core.models._sum import SumModel
from core.models._trees import TreesModel
from core.models.ridge import RidgeModel
from core.models.roofline import RooflineModel
from core.models.splines import SplinesModel
from core.pipeline import FittedPipeline
from core.trial import Frame

SHARE = 0.9
"""Of a forest's importance: the metrics that together have so much of it are those that it looks at."""
ALIKE = 0.999
"""Correlation of ranks or logarithms beyond which two metrics tell the same."""


@dataclass(frozen=True)
class Stability:
    """How often a metric, or any of a group that tells the same, is looked at over folds.

    Attributes
    ----------
    metrics : one, or several that tell the same
    share : of the folds
    """

    metrics: tuple[str, ...]
    share: float


def chosen_features(model: FittedPipeline) -> tuple[str, ...]:
    """Return the columns that a model looks at, the weightiest first where it knows weights.

    Of a forest, or of ridge regression, which take all, these are the fewest that have nine tenths of
    the importance; a model that cannot tell looks at all.
    """
    found: dict[str, None] = {}
    for member in model.clusters:
        for column in _columns(member.model, len(model.features)):
            found[model.features[column]] = None
    return tuple(found)


def _columns(model: object, width: int) -> list[int]:
    if isinstance(model, TreesModel | RidgeModel):
        order = np.argsort(-model.importance, kind="stable")
        needed = int(np.searchsorted(np.cumsum(model.importance[order]), SHARE * model.importance.sum())) + 1
        return [int(j) for j in order[:needed] if model.importance[j] > 0]
    if isinstance(model, LinearModel):
        return [int(j) for j in model.columns]
    if isinstance(model, RooflineModel):
        pairs = zip(model.work.tolist(), model.capacity.tolist(), strict=True)
        return list(dict.fromkeys(j for pair in pairs for j in pair if j >= 0))
    if isinstance(model, SumModel):
        return list(dict.fromkeys(f.variable for term in model.chosen for f in term.factors))
    if isinstance(model, SplinesModel):
        return list(dict.fromkeys(model.axes[a].column for term in model.chosen for a in term.axes))
    return list(range(width))


def alike(frame: Frame) -> tuple[tuple[str, ...], ...]:
    """Return groups of metrics that order the trials alike or are powers of each other, every metric in one group.

    Two metrics are alike where the absolute correlation of their ranks or, if both are positive, of
    their logarithms is above 0.999; a group holds everything that is alike by any chain of such pairs.
    """
    p = len(frame.metrics)
    near = _near(np.column_stack([rankdata(x) for x in frame.X.T])) if p else np.zeros((0, 0), dtype=bool)
    positive = (frame.X > 0).all(axis=0)
    if positive.any():
        rows = np.flatnonzero(positive)
        near[np.ix_(rows, rows)] |= _near(np.log(frame.X[:, rows]))
    group = np.arange(p)
    for i, j in zip(*np.nonzero(np.triu(near, 1)), strict=True):
        group[group == group[j]] = group[i]
    return tuple(tuple(frame.names[k] for k in np.flatnonzero(group == g)) for g in dict.fromkeys(group.tolist()))


def _near(columns: FloatArray) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    centred = columns - columns.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.where(size > 1e-12 * np.abs(columns).max(axis=0), centred / size, 0.0)
    found: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = np.abs(unit.T @ unit) > ALIKE
    return found


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
