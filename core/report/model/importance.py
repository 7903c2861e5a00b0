"""What matters to a model not chosen term by term: shares of variance or error, length scales, permutations."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.models import FAMILIES
from core.models.parts.story import Importance
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.report.model.summary import feature_terms
from core.trial import Frame


@np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
def importance(model: FittedPipeline, cluster: int = 0) -> Importance | None:
    """Return what matters to one cluster's model; None if its family does not tell."""
    return model.clusters[cluster].model.importances(feature_terms(model))


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
