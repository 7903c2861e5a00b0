"""Names that people recognise: of components by their top loadings, of trials by what ran where."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.trial import ROLES, Frame

LEAST_LOADING = 0.4
SHARE_OF_TOP = 0.6


def component_title(feature: str, metrics: Sequence[str], loadings: FloatArray, limit: int = 3) -> str:
    """Name a component by the metrics that load it most, such as "RC1: loads, branches (+), shifts (−)".

    Parameters
    ----------
    feature : its short name, such as "RC1"
    metrics : names, one per loading
    loadings : array of shape (n_metrics,), correlations with the component
    limit : most metrics to name; those with less than 0.6 of the top loading, or below 0.4, are
        never named (but the top one always is)
    """
    size = np.abs(loadings)
    top = float(size.max(initial=0.0))
    order = [int(j) for j in np.argsort(-size, kind="stable")[:limit]]
    named = [j for j in order if size[j] >= max(LEAST_LOADING, SHARE_OF_TOP * top)] or order[:1]
    plus = ", ".join(metrics[j] for j in named if loadings[j] >= 0)
    minus = ", ".join(metrics[j] for j in named if loadings[j] < 0)
    if plus and minus:
        return f"{feature}: {plus} (+), {minus} (−)"
    return f"{feature}: {plus}" if plus else f"{feature}: {minus} (−)"


def component_titles(features: Sequence[str], metrics: Sequence[str], loadings: FloatArray) -> tuple[str, ...]:
    """Name every component by its top loadings; `loadings` has shape (n_metrics, n_features)."""
    if loadings.shape != (len(metrics), len(features)):
        return tuple(features)
    return tuple(component_title(f, metrics, loadings[:, j]) for j, f in enumerate(features))


def trial_names(frame: Frame) -> tuple[str, ...]:
    """Name each trial "application · input · machine", or by its id where a file names none of these."""
    return tuple(name or id for name, id in zip(frame.what_ran, frame.ids, strict=True))


def grouping_labels(frame: Frame, most: int = 200) -> tuple[str, ...]:
    """Return the labels that trials can be told apart by: roles first, 2 to `most` different values."""
    names = [*ROLES, *sorted(name for name in frame.labels if name not in ROLES)]
    return tuple(name for name in names if 2 <= len(set(frame.labels[name])) <= most)
