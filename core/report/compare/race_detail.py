"""One model of a race in detail: its folds, its workloads, its metrics."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.curate import Unjoined
from core.race import Disagreement, Failures, Stability, Standing, Together, alike, stability
from core.report.compare.race_table import fold_scores
from core.trial import Frame
from core.validate.crossval import Validation


def unjoined_table(unjoined: Sequence[Unjoined]) -> pd.DataFrame:
    """Return a row per workload that only one of two machines has; columns that say nothing are left out."""
    columns = {
        "only on": [u.machine for u in unjoined],
        "application": [u.application for u in unjoined],
        "input": [u.input for u in unjoined],
        "parameters": [u.setting for u in unjoined],
    }
    return pd.DataFrame({name: texts for name, texts in columns.items() if any(texts)})


def on_logarithms(frame: Frame) -> bool:
    """Whether a response is better looked at on logarithmic axes: positive, over more than a decade."""
    return bool(frame.y.min() > 0 and frame.y.max() / frame.y.min() > 10)


def fold_table(frame: Frame, validation: Validation, chosen: Standing | Together | None) -> pd.DataFrame:
    """Return a row per fold: what was left out, how well it was predicted, and what was chosen without it."""
    found = fold_scores(frame, validation)
    columns: dict[str, object] = {
        "left out": list(validation.fold_names),
        "workloads": [s.n + s.n_refused for s in found],
        "MAPE (%)": [s.mape for s in found],
        "median error (%)": [s.median_ape for s in found],
        "within 20 % (%)": [s.inliers_20 for s in found],
    }
    if isinstance(chosen, Standing):
        columns["scale and weights"] = list(chosen.treatments)
        columns["features"] = list(chosen.n_features)
    if isinstance(chosen, Together):
        columns["made of"] = [_members(mixture.weights) for mixture in chosen.by_fold]
    return pd.DataFrame(columns)


def _members(weights: Mapping[str, float]) -> str:
    return " + ".join(f"{w:.2g} {entry}" for entry, w in sorted(weights.items(), key=lambda pair: -pair[1]))


def failures_table(found: Failures, frame: Frame) -> pd.DataFrame:
    """Return a row per workload, by observed value."""
    return pd.DataFrame(
        {
            "workload": found.names,
            f"observed {frame.response}": found.observed,
            f"predicted {frame.response}": found.predicted,
            "error (%)": found.ape,
        }
    )


def disagreement_table(found: Disagreement, frame: Frame, first: str, second: str) -> pd.DataFrame:
    """Return a row per workload, the most different first, and which of the two was closer."""
    closer = np.where(np.abs(found.first - found.observed) <= np.abs(found.second - found.observed), first, second)
    return pd.DataFrame(
        {
            "workload": found.names,
            f"observed {frame.response}": found.observed,
            f"{first} says": found.first,
            f"{second} says": found.second,
            "times apart": found.factor,
            "closer": closer,
        }
    )


def chosen_metrics(frame: Frame, features: Sequence[Sequence[str]]) -> tuple[Stability, ...]:
    """Return how often each metric is looked at over the folds; metrics that tell the same count as one."""
    return stability(features, alike(frame)) if features else ()


def stability_table(found: Sequence[Stability]) -> pd.DataFrame:
    """Return a row per metric or group of metrics that tell the same."""
    return pd.DataFrame(
        {
            "metric": [s.metrics[0] for s in found],
            "chosen (% of folds)": [100 * s.share for s in found],
            "tells the same as": [", ".join(s.metrics[1:]) for s in found],
        }
    )
