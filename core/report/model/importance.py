"""What matters to a model not chosen term by term: shares of variance or error, length scales, permutations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray
from core.models import FAMILIES
from core.models.anova import AnovaModel
from core.models.formula import FormulaModel
from core.models.gaussian_process import GaussianProcessModel
from core.models.parts.linear import LinearModel
from core.models.parts.trees import TreesModel
from core.models.ridge import RidgeModel
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.report.model.summary import feature_terms
from core.trial import Frame

if TYPE_CHECKING:
    import pandas as pd

LEAST_SHARE = 0.1
"""Percent under which an effect is not listed."""


@dataclass(frozen=True)
class Importance:
    """How much each metric, or pair of metrics, matters.

    Attributes
    ----------
    title : what is measured, such as "share of the variance"
    unit : of `values`: "%", "ranges" or "deviations"
    meaning : what a value says, in a sentence
    names : metrics, or pairs such as "a:b", what matters most first
    values : array of shape (n_names,)
    smaller_matters : whether small values are the important ones
    n_hidden : how many more there are, too small to list
    """

    title: str
    unit: str
    meaning: str
    names: tuple[str, ...]
    values: FloatArray
    smaller_matters: bool = False
    n_hidden: int = 0

    def table(self) -> "pd.DataFrame":
        """Return a row per metric or pair."""
        import pandas as pd

        return pd.DataFrame({"metric": self.names, f"{self.title} ({self.unit})": self.values})


_MOVED = (
    "How far the prediction moves when the {0} moves by one standard deviation, in standard deviations of the response "
    "over the training trials. {1}s that go together share it{2}."
)
_SIGNS = ", or take it from each other with opposite signs"
_SIZES = (
    "How large the coefficients of a metric, and of its products, are among all, each on standard scores. Metrics that "
    "go together share it."
)
_SPLITS = (
    "How much of the squared error the splits on each metric take away in training. Metrics that go together share "
    "what they take away."
)
_VARIANCE = (
    "How much of the prediction's variance, over all combinations of the levels measured, comes from each metric alone "
    "and from each pair (a:b) beyond its two metrics."
)
_LENGTHS = (
    "How far a metric must move, in its own trained ranges, before trials tell little of each other. Compare the "
    "metrics: the shortest bends the prediction most, and along one of 100, the most that is tried, it is all but "
    "straight or flat."
)


@np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
def importance(model: FittedPipeline, cluster: int = 0) -> Importance | None:
    """Return what matters to one cluster's model; None if its family does not tell."""
    fitted, names = model.clusters[cluster].model, feature_terms(model)
    match fitted:
        case LinearModel(columns=columns) if len(columns):
            meaning = _MOVED.format("metric", "Metric", _SIGNS)
            return _ranked("movement", "deviations", meaning, fitted.importance(), [names[j] for j in columns])
        case FormulaModel():
            meaning = _MOVED.format("term", "Term", "")
            return Importance("movement", "deviations", meaning, fitted.terms(names), fitted.movement)
        case RidgeModel():
            return _shares("share of the coefficients", _SIZES, fitted.importance, names)
        case TreesModel():
            return _shares("share of the error taken away", _SPLITS, fitted.importance, names)
        case AnovaModel():
            found = {fitted.term_name(axes, names): share for axes, share in fitted.importance().items()}
            return _shares("share of the variance", _VARIANCE, np.array(list(found.values())), list(found))
        case GaussianProcessModel():
            return _ranked("length scale", "ranges", _LENGTHS, fitted.lengths, names, smaller=True)
    return None


def _ranked(
    title: str, unit: str, meaning: str, values: FloatArray, names: Sequence[str], smaller: bool = False
) -> Importance:
    order = np.argsort(values if smaller else -values, kind="stable")
    return Importance(title, unit, meaning, tuple(names[j] for j in order), values[order], smaller)


def _shares(title: str, meaning: str, shares: FloatArray, names: Sequence[str]) -> Importance:
    """Return the shares worth showing in percent, the largest first."""
    found = _ranked(title, "%", meaning, 100 * shares, names)
    n = int((found.values >= LEAST_SHARE).sum())
    return replace(found, names=found.names[:n], values=found.values[:n], n_hidden=len(names) - n)


def why_no_selection(model: FittedPipeline) -> str:
    """Say why there is neither a selection nor an importance to show."""
    families = sorted({FAMILIES.name_of(type(m.model)) for m in model.clusters})
    return (
        f"This model of the family {', '.join(families)} keeps neither the steps that led to it nor what matters "
        "to it, so there is nothing to tell here; the Effects view shows how each metric moves its predictions."
    )


REPEATS = 5


def permutation_importance(
    model: FittedPipeline, frame: Frame, groups: Sequence[Sequence[str]], seed: int = 0, progress: Progress = silent
) -> Importance:
    """Return the mean absolute percentage error that a model gains when metrics are permuted.

    Metrics that tell the same are permuted together: alone, each would look needless, as the others speak for it.

    Parameters
    ----------
    groups : of metrics; those that the model does not take are left out

    References
    ----------
    Breiman 2001, Random forests, section 10; Fisher, Rudin, Dominici 2019 for models of any kind.
    """
    rows = model.rows(frame)
    before = _error(model, rows, frame.y)
    rng = np.random.default_rng(seed)
    places = [[model.names.index(name) for name in group if name in model.names] for group in groups]
    known = [(group, own) for group, own in zip(groups, places, strict=True) if own]
    gained = np.zeros(len(known))
    for i, (group, columns) in enumerate(known):
        progress(i / len(known), f"permuting {group[0]}")
        for _ in range(REPEATS):
            mixed = rows.copy()
            mixed[:, columns] = rows[rng.permutation(len(rows))][:, columns]
            gained[i] += (_error(model, mixed, frame.y) - before) / REPEATS
    order = [int(i) for i in np.argsort(-gained, kind="stable") if gained[i] > 0]
    return Importance(
        "error added by permuting",
        "% points",
        "How much larger the mean error on these trials gets when the metric's values are dealt out anew among them, "
        "which tells how much the model leans on it. Metrics that tell the same are dealt out together.",
        tuple(_named(known[i][0]) for i in order),
        gained[order],
    )


def _named(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{group[0]} and {len(group) - 1} alike"


def _error(model: FittedPipeline, rows: FloatArray, y: FloatArray) -> float:
    """Return the mean absolute percentage error; a refused prediction counts as 100 %."""
    predicted = model.predict(rows).value
    there = y != 0
    ape = 100 * np.abs(predicted[there] / y[there] - 1)
    return float(np.where(np.isfinite(ape), ape, 100.0).mean()) if there.any() else 0.0
