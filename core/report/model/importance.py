"""What matters to a model that was not chosen term by term: shares of variance, of error, or length scales."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray, IntArray
from core.models import FAMILIES
from core.models._linear import LinearModel
from core.models._trees import TreesModel
from core.models.anova import AnovaModel
from core.models.base import Model
from core.models.formula import FormulaModel
from core.models.gaussian_process import GaussianProcessModel
from core.models.ridge import RidgeModel
from core.pipeline import FittedPipeline

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
    fitted = model.clusters[cluster].model
    if isinstance(fitted, LinearModel):
        return _slopes(fitted, model.features) if len(fitted.columns) else None
    if isinstance(fitted, FormulaModel):
        return _terms(fitted, model.features)
    if isinstance(fitted, RidgeModel):
        return _sizes(fitted, model.features)
    for kind, tell in ((AnovaModel, _effects), (TreesModel, _splits), (GaussianProcessModel, _lengths)):
        if isinstance(fitted, kind):
            found: Importance = tell(fitted, model.features)
            return found
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
    found: IntArray = order[100 * shares[order] >= LEAST_SHARE]
    return found


def _sizes(model: RidgeModel, names: tuple[str, ...]) -> Importance:
    order = _largest(model.importance)
    return Importance(
        "share of the coefficients",
        "%",
        "How large the coefficients of a metric, and of its products, are among all, each on standard scores. Metrics "
        "that go together share it.",
        tuple(names[j] for j in order),
        100 * model.importance[order],
        n_hidden=len(names) - len(order),
    )


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
    order = _largest(model.importance)
    return Importance(
        "share of the error taken away",
        "%",
        "How much of the squared error the splits on each metric take away in training. Metrics that go together "
        "share what they take away.",
        tuple(names[j] for j in order),
        100 * model.importance[order],
        n_hidden=len(names) - len(order),
    )


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
