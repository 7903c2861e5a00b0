"""Train a scaling model: validate each response on held-out kernels, then learn from all of them."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from core import __version__
from core.codec import FloatArray, to_plain
from core.errors import FitError
from core.pipeline import Provenance
from core.progress import Progress, in_turn, part, silent
from core.scaling.lesson import Task, Taught, inputs_at_base, make_task, teach
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Predictor
from core.scaling.predictors.typical import nearest
from core.scaling.scaling_model import Answer, ScalingModel
from core.scaling.study import Study, placed
from core.scaling.surfaces import default_base
from core.scaling.validation import validate_scaling
from core.trial import Metric
from core.validate.domain import learn_range


def fit_scaling(
    study: Study,
    predictor: Predictor | Mapping[str, Predictor],
    *,
    responses: Sequence[str] | None = None,
    base: int | None = None,
    inputs: tuple[str, ...] | None = None,
    folds: str = "kfold:10",
    seed: int = 0,
    dataset: str = "",
    progress: Progress = silent,
) -> ScalingModel:
    """Learn how each response scales from the kernels of a study.

    Parameters
    ----------
    predictor : for all responses, or one by response
    responses : which of the study's; all if None
    base : the configuration at which new kernels will be measured; the highest that most kernels have if None
    inputs : responses at the base that help to recognise a kernel; all if None
    folds : that validate the model and give its intervals

    Raises
    ------
    FitError
        If the kernels allow no model, or no validation.
    """
    names = tuple(responses) if responses is not None else tuple(m.name for m in study.responses)
    start = default_base(study) if base is None else base
    whole = placed(study, start)
    if whole.n_kernels < 3:
        raise FitError(f"Only {whole.n_kernels} kernels have all responses at the base {study.shown(start)}.")
    if not names:
        raise FitError("A scaling model needs at least one response.")
    answers = []
    for told, name in in_turn(progress, names):
        one = predictor if isinstance(predictor, Predictor) else predictor[name]
        task = make_task(whole, name, start, inputs)
        answer, taught = _answer(whole, task, one, folds, seed, told)
        answers.append(answer)
    return _model(whole, task, tuple(answers), taught, _provenance(study, predictor, seed, dataset))


def _answer(
    study: Study, task: Task, predictor: Predictor, folds: str, seed: int, progress: Progress
) -> tuple[Answer, Taught]:
    found = validate_scaling(study, task, predictor, folds, seed, progress=part(progress, 0.0, 0.9))
    taught = teach(study, task, np.arange(study.n_kernels))
    learnt = predictor.fit(taught.lesson, part(progress, 0.9, 1.0))
    answer = Answer(
        response=study.responses[study.response(task.response)],
        predictor=PREDICTORS.name_of(type(learnt)),
        learnt=learnt,
        coverage_90=found.scores.coverage_90,
        **{name: getattr(found, name) for name in ("half_width", "folds", "mape", "mean_surface_mape")},
    )
    return answer, taught


def _model(
    study: Study, task: Task, answers: tuple[Answer, ...], taught: Taught, provenance: Provenance
) -> ScalingModel:
    features = taught.features
    known = _whole(np.hstack([study.counts_at(task.base), inputs_at_base(study, task)]))
    points = np.ascontiguousarray(taught.lesson.features[:, : features.n_plain])
    own = nearest(points, points, 2)[1][:, -1]
    metrics: tuple[Metric, ...] = tuple(study.responses[study.response(name)] for name in task.inputs)
    return ScalingModel(
        **{name: getattr(study, name) for name in ("axes", "grid", "counters", "kernels", "notes")},
        base=task.base,
        inputs=metrics,
        features=features,
        points=points,
        typical_distance=float(np.median(own[own > 1e-6])) if (own > 1e-6).any() else 1.0,
        domain=learn_range(known),
        answers=answers,
        provenance=provenance,
    )


def _whole(columns: FloatArray) -> FloatArray:
    """Return columns with each missing value replaced by one that is there, so that it widens no range."""
    found = columns.copy()
    for column in found.T:
        known = column[np.isfinite(column)]
        column[~np.isfinite(column)] = known[0] if len(known) else 0.0
    return found


def _provenance(study: Study, predictor: Predictor | Mapping[str, Predictor], seed: int, dataset: str) -> Provenance:
    each = {"all": predictor} if isinstance(predictor, Predictor) else dict(predictor)
    options = {name: {"predictor": type(p).__name__, **to_plain(p)} for name, p in each.items()}
    return Provenance("scaling", options, seed, __version__, study_digest(study), study.n_kernels, dataset)


def study_digest(study: Study) -> str:
    """Return the SHA-256 of everything that a model could learn from."""
    names = [*study.kernels, *map(str, (*study.axes, *study.responses, *study.counters))]
    sha = hashlib.sha256("\n".join(names).encode())
    for array in (study.grid, study.values, study.counts):
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()
