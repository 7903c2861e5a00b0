"""Train for use: settle what a recipe leaves open, fit to all trials, validate on folds, give the interval."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from core.codec import Frozen, IntArray
from core.passes.pca import NotFewerError
from core.pipeline import ClusterModel, FittedPipeline, Pipeline, Prepared, Provenance
from core.progress import Progress, part, silent
from core.recipes.base import Prepare, Recipe, in_passing
from core.scale import ResponseScale
from core.trial import Frame
from core.validate.calibration import AUTO, learn_interval
from core.validate.crossval import NOMINAL, Validation, cross_validate, on_scale
from core.validate.domain import learn_domain, reach_of
from core.validate.folds import FoldPlan, default_folds
from core.validate.record import made_record
from core.validate.scores import score


class Trained(Frozen):
    """A model ready for use, and the validation behind its interval."""

    model: FittedPipeline
    validation: Validation


def train(
    recipe: Recipe,
    frame: Frame,
    plan: FoldPlan | None = None,
    seed: int = 0,
    dataset: str = "",
    progress: Progress = silent,
    interval: str = AUTO,
) -> Trained:
    """Fit a recipe to a frame and validate it on the plan's folds (by default the hardest ones).

    Parameters
    ----------
    interval : how its intervals are made, one of `core.validate.calibration.METHODS`

    Raises
    ------
    FitError
        If the trials allow no model, or no validation.
    """
    chosen = plan or default_folds(frame)
    recipe = recipe.asking(chosen)
    model = recipe.fit(frame, part(progress, 0.0, 0.1))
    share = part(progress, 0.1, 1.0)
    cluster = clusters_of(model, frame)
    fit, settle = partial(recipe.fit, prepare=in_passing), partial(recipe.settled, prepare=in_passing)
    validation = _on_its_scale(
        model, cross_validate(fit, frame, chosen, seed, share, interval, cluster, None, settle), frame
    )
    return Trained(with_validation(model, validation, seed, dataset, frame), validation)


def validate(
    recipe: Recipe,
    frame: Frame,
    plan: FoldPlan,
    seed: int = 0,
    progress: Progress = silent,
    interval: str = AUTO,
    workers: int | None = None,
    prepare: Prepare = in_passing,
) -> Validation:
    """Return what a recipe is worth on the plan's folds, with the intervals that `train` would give its model.

    A recipe with clusters is fitted to all trials too, because they may have intervals of their own. It runs in
    `workers` processes, in as many as pay if None; `prepare` is as in `Recipe.fit`.
    """
    recipe = recipe.asking(plan)
    several = getattr(recipe, "clusters", 1) > 1
    cluster = clusters_of(recipe.fit(frame, prepare=prepare), frame) if several else None
    fit, settle = partial(recipe.fit, prepare=prepare), partial(recipe.settled, prepare=prepare)
    return cross_validate(fit, frame, plan, seed, progress, interval, cluster, workers, settle)


def with_validation(
    model: FittedPipeline, validation: Validation, seed: int, dataset: str, frame: Frame
) -> FittedPipeline:
    """Return the model with the interval that a validation found, and a record of it.

    Parameters
    ----------
    frame : that was validated, of trials that the model learnt from
    """
    validation, X = _on_its_scale(model, validation, frame), model.rows(frame)
    interval = learn_interval(validation.known, validation.method, NOMINAL, validation.folds, len(model.clusters))
    if interval is not None:
        interval = replace(interval, reach=reach_of(X, validation.fold_of_row))
    training = score(frame.y, model.predict(X).value)
    record = {**made_record(validation, seed, frame, training, log=model.scale.log), "interval": validation.asked}
    provenance = replace(model.provenance, dataset=dataset)
    return replace(model, interval=interval, validation=record, provenance=provenance)


def _on_its_scale(model: FittedPipeline, validation: Validation, frame: Frame) -> Validation:
    """Return the validation with intervals on the model's scale, as folds may have chosen others."""
    if validation.scale == model.scale:
        return validation
    return on_scale(validation, frame, model.scale, validation.asked, clusters_of(model, frame))


def clusters_of(model: FittedPipeline, frame: Frame) -> IntArray | None:
    """Return the cluster of each trial, None where the model has but one."""
    return None if model.partition is None else model.assign(model.scores(model.rows(frame)))


def mean_model(frame: Frame, provenance: Provenance, why: str) -> FittedPipeline:
    """Return the model that says the mean response of every row; a note says why it stands in."""
    from core.models.selection import OlsModel

    none, columns, spread = np.zeros(0), np.zeros(0, dtype=np.int64), float(frame.y.std()) or 1.0
    mean = OlsModel(
        intercept=float(frame.y.mean()),
        columns=columns,
        coefficients=none,
        spreads=none,
        response_spread=spread,
        r2=0.0,
        n_trials=len(frame),
    )
    return FittedPipeline(
        metrics=frame.metrics,
        response=frame.response,
        scale=ResponseScale(),
        features=frame.names,
        clusters=(ClusterModel(mean, len(frame)),),
        domain=learn_domain(frame.X),
        notes=(*frame.notes, f"the mean of the response stands in: {why}"),
        provenance=provenance,
        unset=frame.unset,
    )


T = TypeVar("T")


def best_of(
    ways: Mapping[str, Pipeline],
    frame: Frame,
    prepare: Prepare,
    judge: Callable[[Pipeline, Prepared], tuple[T, float]],
    progress: Progress,
) -> tuple[T, Prepared, tuple[str, ...]]:
    """Return what was made of the pipeline of smallest error (the first of equal ones), and what is said of the choice.

    One that calls for hardly fewer components than there are metrics is not tried.

    Parameters
    ----------
    judge : returns something of a pipeline and what it prepared, and the mean error of groups held out

    Returns
    -------
    what `judge` made, what was prepared for it, sentences
    """
    least, shown = None, []
    for i, (name, pipeline) in enumerate(ways.items()):
        progress(i / len(ways), f"{name} on {len(frame):,} trials")
        try:
            prepared = prepare(pipeline, frame)
        except NotFewerError as why:
            shown.append(f"{name} not tried ({why})")
            continue
        made, error = judge(pipeline, prepared)
        shown.append(f"{name} {error:.4g}")
        if least is None or error < least:
            least, best = error, (name, made, prepared)
        del made, prepared  # of large frames there is room for few
    name, made, prepared = best
    said = f"mean error of groups held out, on the model's scale: {', '.join(shown)}; {name} is used"
    return made, prepared, (said,) if len(ways) > 1 else ()


def completed(provenance: Provenance, pipeline: Pipeline, prepared: Prepared) -> tuple[FittedPipeline, float]:
    """Return a fitted pipeline, and the error of groups held out over the clusters' models by their trials.

    The error is infinite where none was asked.
    """
    model = pipeline.complete(prepared, provenance)
    errors = [own.model.inner_error * own.n_trials for own in model.clusters]
    return model, float(np.sum(errors)) / max(sum(own.n_trials for own in model.clusters), 1)
