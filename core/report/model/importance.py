"""What matters to a model not chosen term by term: shares of variance or error, length scales, permutations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray, IntArray
from core.models import FAMILIES
from core.models.anova import AnovaModel
from core.models.base import Model
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


@np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
def importance(model: FittedPipeline, cluster: int = 0) -> Importance | None:
    """Return what matters to one cluster's model; None if its family does not tell."""
    fitted, names = model.clusters[cluster].model, feature_terms(model)
    if isinstance(fitted, LinearModel):
        return _slopes(fitted, names) if len(fitted.columns) else None
    if isinstance(fitted, FormulaModel):
        return _terms(fitted, names)
    if isinstance(fitted, RidgeModel):
        return _sizes(fitted, names)
    for kind, tell in ((AnovaModel, _effects), (TreesModel, _splits), (GaussianProcessModel, _lengths)):
        if isinstance(fitted, kind):
            return tell(fitted, names)
    return None


def why_no_selection(model: FittedPipeline) -> str:
    """Say why there is neither a selection nor an importance to show."""
    families = sorted({FAMILIES.name_of(type(m.model)) for m in model.clusters})
    return (
        f"This model of the family {', '.join(families)} keeps neither the steps that led to it nor what matters "
        "to it, so there is nothing to tell here; the Effects view shows how each metric moves its predictions."
    )


def _slopes(model: LinearModel, names: tuple[str, ...]) -> Importance:
    moved = model.importance()
    order = np.argsort(-moved, kind="stable")
    said = (
        "How far the prediction moves when the metric moves by one standard deviation, in standard deviations of the "
        "response over the training trials. Metrics that go together share it, or take it from each other with "
        "opposite signs."
    )
    return Importance("movement", "deviations", said, tuple(names[model.columns[i]] for i in order), moved[order])


def _terms(model: FormulaModel, names: tuple[str, ...]) -> Importance:
    said = (
        "How far the prediction moves when the term moves by one standard deviation, in standard deviations of the "
        "response over the training trials. Terms that go together share it."
    )
    return Importance("movement", "deviations", said, model.terms(names), model.movement)


def _largest(shares: FloatArray) -> IntArray:
    """Return the places of the shares worth showing, the largest first."""
    order = np.argsort(-shares, kind="stable")
    return order[100 * shares[order] >= LEAST_SHARE]


def _sizes(model: RidgeModel, names: tuple[str, ...]) -> Importance:
    said = (
        "How large the coefficients of a metric, and of its products, are among all, each on standard scores. Metrics "
        "that go together share it."
    )
    return _shares("share of the coefficients", said, model.importance, names)


def _shares(title: str, said: str, shares: FloatArray, names: tuple[str, ...]) -> Importance:
    order = _largest(shares)
    shown = tuple(names[j] for j in order)
    return Importance(title, "%", said, shown, 100 * shares[order], n_hidden=len(names) - len(order))


def _effects(model: Model, names: tuple[str, ...]) -> Importance:
    assert isinstance(model, AnovaModel)
    shares = {model.term_name(axes, names): 100 * share for axes, share in model.importance().items()}
    shown = {name: share for name, share in shares.items() if share >= LEAST_SHARE}
    return Importance(
        "share of the variance",
        "%",
        "How much of the prediction's variance, over all combinations of the levels measured, comes from each metric "
        "alone and from each pair (a:b) beyond its two metrics.",
        tuple(shown),
        np.array(list(shown.values())),
        n_hidden=len(shares) - len(shown),
    )


def _splits(model: Model, names: tuple[str, ...]) -> Importance:
    assert isinstance(model, TreesModel)
    said = (
        "How much of the squared error the splits on each metric take away in training. Metrics that go together "
        "share what they take away."
    )
    return _shares("share of the error taken away", said, model.importance, names)


def _lengths(model: Model, names: tuple[str, ...]) -> Importance:
    assert isinstance(model, GaussianProcessModel)
    order = np.argsort(model.lengths, kind="stable")
    return Importance(
        "length scale",
        "ranges",
        "How far a metric must move, in its own trained ranges, before trials tell little of each other. Compare the "
        "metrics: the shortest bends the prediction most, and along one of 100, the most that is tried, it is all but "
        "straight or flat.",
        tuple(names[j] for j in order),
        model.lengths[order],
        smaller_matters=True,
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
