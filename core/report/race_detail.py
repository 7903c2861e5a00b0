"""One model of a race in detail: its folds, its workloads, its metrics, its time, and the model itself."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.curate import Unjoined
from core.errors import FitError
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.race import STACK, Disagreement, Entry, Failures, Race, Stability, Standing, alike, stability
from core.recipes import with_validation
from core.report.race_table import fold_scores
from core.trial import Frame
from core.validate.crossval import FoldResult, Validation, validation_of
from core.validate.folds import parse_folds


def validation_named(race: Race, entry: str) -> Validation | None:
    """Return the validation of an entry, or of the stack."""
    if entry == STACK:
        return race.stack.validation if race.stack is not None else None
    return next((s.validation for s in race.standings if s.entry == entry), None)


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


def fold_table(frame: Frame, validation: Validation, standing: Standing | None) -> pd.DataFrame:
    """Return a row per fold: what was left out, how well it was predicted, and what was chosen without it."""
    found = fold_scores(frame, validation)
    columns: dict[str, object] = {
        "left out": list(validation.fold_names),
        "workloads": [s.n + s.n_refused for s in found],
        "MAPE (%)": [s.mape for s in found],
        "median error (%)": [s.median_ape for s in found],
        "within 20 % (%)": [s.inliers_20 for s in found],
    }
    if standing is not None:
        columns["scale and weights"] = list(standing.treatments)
        columns["features"] = list(standing.n_features)
    return pd.DataFrame(columns)


def failures_table(found: Failures, frame: Frame) -> pd.DataFrame:
    """Return a row per workload, by observed value."""
    return pd.DataFrame({
        "workload": found.names,
        f"observed {frame.response}": found.observed,
        f"predicted {frame.response}": found.predicted,
        "error (%)": found.ape,
    })  # fmt: skip


def disagreement_table(found: Disagreement, frame: Frame, first: str, second: str) -> pd.DataFrame:
    """Return a row per workload, the most different first, and which of the two was closer."""
    closer = np.where(np.abs(found.first - found.observed) <= np.abs(found.second - found.observed), first, second)
    return pd.DataFrame({
        "workload": found.names,
        f"observed {frame.response}": found.observed,
        f"{first} says": found.first,
        f"{second} says": found.second,
        "times apart": found.factor,
        "closer": closer,
    })  # fmt: skip


def chosen_metrics(frame: Frame, features: Sequence[Sequence[str]]) -> tuple[Stability, ...]:
    """Return how often each metric is looked at over the folds; metrics that tell the same count as one."""
    return stability(features, alike(frame)) if features else ()


def stability_table(found: Sequence[Stability]) -> pd.DataFrame:
    """Return a row per metric or group of metrics that tell the same."""
    return pd.DataFrame({
        "metric": [s.metrics[0] for s in found],
        "chosen (% of folds)": [100 * s.share for s in found],
        "tells the same as": [", ".join(s.metrics[1:]) for s in found],
    })  # fmt: skip


def fitted_entry(
    frame: Frame, race: Race, entry: Entry, dataset: str, progress: Progress = silent
) -> FittedPipeline:  # fmt: skip
    """Return an entry learnt from all trials, with its interval and its scores on the race's folds.

    Raises
    ------
    FitError
        If the entry cannot run.
    """
    standing = race.standing(entry.name)
    if standing.validation is None:
        raise FitError(f"{entry.label} cannot run on these trials: {standing.error}")
    model = entry.treatments[standing.treatment].fit(frame, progress)
    return with_validation(model, on_its_scale(frame, race, model, standing.validation), race.seed, dataset)


def on_its_scale(frame: Frame, race: Race, model: FittedPipeline, validation: Validation) -> Validation:
    """Return the validation with residuals on the model's scale, as folds may have chosen other scales."""
    plan = parse_folds(race.folds)
    folds = plan.split(frame, race.seed)
    results = []
    for fold in folds:
        scale = model.scale_of(model.rows(frame.take(fold.test)))
        results.append(FoldResult(scale.forward(validation.predicted[fold.test]), scale))
    found = validation_of(frame, plan, folds, results)
    scores = replace(validation.scores, coverage_90=found.scores.coverage_90)
    return replace(found, predicted=validation.predicted, scores=scores)
