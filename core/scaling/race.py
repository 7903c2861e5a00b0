"""Every predictor on the same folds, the one that does best on folds inside, and a model trained for use."""

import hashlib
from collections.abc import Mapping, Sequence
from time import perf_counter

import numpy as np

from core import __version__
from core.codec import FloatArray, Frozen, IntArray, to_plain
from core.errors import FitError
from core.grouped import all_but
from core.option import option
from core.pipeline import Provenance
from core.progress import Progress, in_turn, part, silent
from core.scaling.lesson import Task, Taught, inputs_at_base, make_task, teach
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Learnt, Lesson, Predictor
from core.scaling.predictors.typical import nearest
from core.scaling.scaling_model import Answer, ScalingModel
from core.scaling.study import Study, placed
from core.scaling.surfaces import default_base
from core.scaling.validation import ScalingValidation, validate_scaling
from core.trial import Metric
from core.validate.domain import learn_range

INNER_FOLDS = 5
FROM_ONE_RUN = tuple(name for name, cls in PREDICTORS.items() if not cls.n_measurements)
BASELINES = ("mean_surface", "median_surface")
CANDIDATES = tuple(name for name in FROM_ONE_RUN if name not in (*BASELINES, "boosting", "soft_network"))


class Choose(Predictor):
    """Tries several predictors with their usual options and uses the one with the smallest mean relative error."""

    label = "Chosen on folds inside"

    candidates: tuple[str, ...] = option(CANDIDATES, choices=tuple(PREDICTORS), help="Which predictors are tried")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> Learnt:
        """Choose, then learn from all kernels."""
        return PREDICTORS[self.choice(lesson, part(progress, 0.0, 0.9))]().fit(lesson, part(progress, 0.9, 1.0))

    def choice(self, lesson: Lesson, progress: Progress = silent) -> str:
        """Return the name of the winner."""
        errors = self.errors(lesson, progress)
        if not errors or not np.isfinite(min(errors.values())):
            raise FitError(f"None of {', '.join(self.candidates)} can be tried on {len(lesson.log)} kernels.")
        return min(errors, key=lambda name: errors[name])

    def errors(self, lesson: Lesson, progress: Progress = silent) -> dict[str, float]:
        """Return each candidate's mean relative error on the inner folds, in percent; inf where it cannot learn."""
        folds = _folds(lesson.groups)
        found = {}
        for i, name in enumerate(self.candidates):
            progress(i / len(self.candidates), f"{name} on {len(folds)} folds inside")
            found[name] = _error(PREDICTORS[name](), lesson, folds)
        return found


def _folds(groups: IntArray) -> list[IntArray]:
    """Deal groups of kernels out to folds, the largest first, each to the fold that has fewest."""
    names, sizes = np.unique(groups, return_counts=True)
    n = min(INNER_FOLDS, len(names))
    filled, place = np.zeros(n, dtype=np.int64), {}
    for g in np.argsort(-sizes, kind="stable"):
        place[int(names[g])] = int(filled.argmin())
        filled[place[int(names[g])]] += sizes[g]
    fold = np.array([place[int(g)] for g in groups])
    return [np.flatnonzero(fold == i) for i in range(n)]


def _error(predictor: Predictor, lesson: Lesson, folds: list[IntArray]) -> float:
    if len(folds) < 2:
        return float("inf")
    try:
        errors = [_fold_error(predictor, lesson, test) for test in folds]
    except FitError:
        return float("inf")
    return float(100 * np.mean(np.concatenate(errors)))


def _fold_error(predictor: Predictor, lesson: Lesson, test: IntArray) -> FloatArray:
    train, held = all_but(len(lesson.log), test), lesson.take(test)
    learnt = predictor.fit(lesson.take(train))
    asked = held.asked(learnt.wants())
    others = np.isnan(asked.measured).all(axis=0)
    return np.abs(np.expm1((learnt.surfaces(asked) - held.log)[:, others])).ravel()


CHOSEN = "chosen"


class Entry(Frozen):
    """One predictor's result.

    Attributes
    ----------
    n_measurements : configurations besides the base at which kernels had to be measured
    """

    name: str
    label: str
    n_measurements: int
    validation: ScalingValidation
    seconds: float


class Race(Frozen):
    """Results, the smallest mean error first."""

    entries: tuple[Entry, ...]

    @property
    def reference(self) -> ScalingValidation:
        """The validation whose mean surface and best cluster are told: one that scores every cell but the base's."""
        return min(self.entries, key=lambda e: e.n_measurements).validation

    @property
    def best(self) -> Entry:
        """The best of those that need one run alone."""
        return next(e for e in self.entries if not e.n_measurements)


def race(
    study: Study,
    task: Task,
    folds: str = "kfold:10",
    seed: int = 0,
    *,
    names: Sequence[str] | None = None,
    progress: Progress = silent,
) -> Race:
    """Validate predictors with their usual options on the same folds.

    The entry `chosen` picks one of the others on folds inside each training part, so that its
    error is what somebody gets who lets the trials choose.

    Parameters
    ----------
    names : which predictors; if None all that leave something to predict, and `chosen`
    """
    wanted = tuple(names) if names is not None else able(study)
    entries = []
    for told, name in in_turn(progress, wanted):
        started = perf_counter()
        predictor = predictor_named(name)
        found = validate_scaling(study, task, predictor, folds, seed, name=name, progress=told)
        entries.append(Entry(name, predictor.label, predictor.n_measurements, found, perf_counter() - started))
    return Race(tuple(sorted(entries, key=lambda e: e.validation.mape)))


def able(study: Study) -> tuple[str, ...]:
    """Return the predictors, and `chosen`, whose measurements leave configurations of a study to predict."""
    most = study.n_configurations - 2
    return tuple(name for name in (*PREDICTORS, CHOSEN) if predictor_named(name).n_measurements <= most)


def predictor_named(name: str, settings: Mapping[str, str] | None = None, seed: int = 0) -> Predictor:
    """Return a predictor, or the choice among those that need one run alone, with options given as texts.

    Parameters
    ----------
    seed : of its random draws, if it has any and the options name none

    Raises
    ------
    OptionError
        If there is no such predictor or option, or a value is not allowed.
    """
    kind = Choose if name == CHOSEN else PREDICTORS.find(name)
    usual = {"seed": str(seed)} if hasattr(kind, "seed") else {}
    return kind.parse({**usual, **(settings or {})})


assert FROM_ONE_RUN  # what `best` can always find


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
