"""What a recipe leaves open: of several pipelines the one that predicts groups held out best."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from core.passes.pca import NotFewerError
from core.pipeline import FittedPipeline, Pipeline, Prepared, Provenance
from core.progress import Progress
from core.recipes.base import Prepare
from core.trial import Frame

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
