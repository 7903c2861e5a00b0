"""Two models against each other, and what stands beside the automatic one: a constant, stock trees, a formula."""

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.models.forest import ExtraTrees
from core.pipeline import FLAG, FittedPipeline, Pipeline, Provenance
from core.progress import Progress, in_turn, silent
from core.race.result import Race
from core.race.reuse import recipe_again
from core.recipes import make_recipe, validate
from core.recipes.base import in_passing
from core.scale import LOG_RATIO, RATIO, RAW, logarithm_of
from core.texts import ranked
from core.trial import Frame
from core.validate.calibration import AUTO, METHODS
from core.validate.crossval import Validation, held_out, without
from core.validate.folds import Fold, FoldPlan, parse_folds
from core.validate.scores import Paired, Scores, errors, paired, score
from core.validate.verdict import Verdict, judged

AS_THEY_ARE, PERCENT = "as they are", "%"


class Versus(Frozen):
    """Two models on the same trials.

    Attributes
    ----------
    folds : as users write them, or "as they are"
    inside : whether the blocks are groups of trials inside one fold, as one fold alone tells nothing of noise
    unit : of the errors: "%" of the response where it is positive, else its own
    scores : of the first and the second
    seen : which of the two was trained on these very trials, as they are: its error is no honest one
    """

    folds: str
    paired: Paired
    unit: str
    scores: tuple[Scores, Scores]
    seen: tuple[bool, bool] = (False, False)
    inside: bool = False

    @property
    def percent(self) -> bool:
        """Whether errors are in percent of the response, else in its unit."""
        return self.unit == PERCENT


def needed(models: Sequence[FittedPipeline]) -> tuple[str, ...]:
    """Return the metrics that any of some models of one response takes.

    Raises
    ------
    OptionError
        If they predict different responses.
    """
    responses = {str(model.response) for model in models}
    if len(responses) > 1:
        raise OptionError(
            f"The models predict different things, {' and '.join(sorted(responses))}: their errors cannot be compared."
        )
    return tuple(dict.fromkeys(name for model in models for name in model.names))


def on_folds(
    first: FittedPipeline,
    second: FittedPipeline,
    frame: Frame,
    plan: FoldPlan,
    seed: int = 0,
    progress: Progress = silent,
) -> Versus:
    """Learn both recipes again without each fold, and compare what they say of it.

    The blocks are the folds; of a single fold they are its applications, or its configurations. Each model
    has intervals of its own kind, as its file says.

    Raises
    ------
    FitError
        If the folds or the fits are impossible.
    OptionError
        If a recipe is not known, or the models predict different things.
    """
    needed((first, second))
    found = [
        validate(recipe_again(model), frame.select(model.names), plan, seed, share, _interval(model))
        for share, model in in_turn(progress, (first, second))
    ]
    return of_validations(frame, found[0], found[1], str(plan))


def of_validations(frame: Frame, first: Validation, second: Validation, folds: str) -> Versus:
    """Compare what two recipes say of the same folds, which neither has seen; see `on_folds` for the blocks."""
    a, b = (errors(frame.y, one.predicted) for one in (first, second))
    fold = first.fold_of_row
    inside = len(first.fold_names) == 1
    block = np.where(fold >= 0, _blocks(frame, fold >= 0), -1) if inside else fold
    told = paired(a, b, block, retrained=not inside)
    return Versus(folds, told, _unit(frame), (first.scores, second.scores), inside=inside)


def _interval(model: FittedPipeline) -> str:
    """Return how a model's intervals were asked for (files of before say how they were made), else what is usual."""
    kept = model.validation.get("interval")
    return kept if kept in METHODS else AUTO


def as_they_are(first: FittedPipeline, second: FittedPipeline, frame: Frame) -> Versus:
    """Compare what two trained models say of trials, best ones that neither has seen.

    The blocks are applications where there are at least 5, else configurations: trials of one application
    are wrong together.
    """
    needed((first, second))
    said = [model.predict(model.rows(frame)) for model in (first, second)]
    a, b = (errors(frame.y, one.value) for one in said)
    told = paired(a, b, _blocks(frame, np.ones(len(frame), dtype=bool)), retrained=False)
    scores = [score(frame.y, one.value, one.low, one.high) for one in said]
    seen = [_has_seen(model, frame) for model in (first, second)]
    return Versus(AS_THEY_ARE, told, _unit(frame), (scores[0], scores[1]), (seen[0], seen[1]))


def _unit(frame: Frame) -> str:
    return PERCENT if frame.y.min() > 0 else frame.response.unit


def _has_seen(model: FittedPipeline, frame: Frame) -> bool:
    """Whether a model has learnt from most of these trials, or from most of its own among these, by those it kept."""
    kept = model.domain.landmarks
    if not len(kept):
        return frame.is_of(model.provenance.trials_sha256)
    known = {row.tobytes() for row in np.column_stack([model.rows(frame), frame.y])}
    there = [row.tobytes() in known for row in np.column_stack([kept.rows, kept.responses])]
    expected = len(frame) * len(there) / max(model.provenance.n_trials, len(there))
    return sum(there) > min(len(there), expected) / 2


def _blocks(frame: Frame, scored: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> IntArray:
    """Return the application of each trial where those that are scored have five or more, else its configuration."""
    texts = frame.labels["application"]
    if len({texts[i] for i in np.flatnonzero(scored).tolist()}) >= 5:
        return ranked(texts)
    return np.unique(frame.configuration, return_inverse=True)[1].astype(np.int64)


CONSTANT, STOCK = "constant", "stock extra trees"
STOCK_TREES = 100
"""As scikit-learn grows them if nobody says otherwise."""
READABLE = "formula"
"""The family whose formula people are offered beside the best model."""

Predict = Callable[[Frame], FloatArray]
Learn = Callable[[Frame], Predict]
"""From trials to learn from, to what is said of others."""


class Contender(Frozen):
    """What one procedure says of trials that it has not seen.

    Attributes
    ----------
    predicted : array of shape (n_trials,), in the response's unit, NaN where it says nothing
    seconds : of processor, over all folds
    error : why it says nothing, or ""
    """

    name: str
    predicted: FloatArray
    seconds: float
    error: str = ""


def rivals(seed: int, plan: FoldPlan) -> Mapping[str, Learn]:
    """Return what stands beside the model, by name: given the trials to learn from, what it says of others."""
    recipe = make_recipe(READABLE).asking(plan)

    def readable(train: Frame) -> Predict:
        model = recipe.fit(train, prepare=in_passing)
        return lambda test: held_out(model, test).predicted

    return {CONSTANT: _constant, STOCK: lambda train: _stock(train, seed), READABLE: readable}


def _constant(train: Frame) -> Predict:
    """Return the median of the trained responses, of their ratios to the host's where there is one."""
    if logarithm_of(train.y, train.reference_values) != LOG_RATIO:
        middle = float(np.median(train.y))
        return lambda test: np.full(len(test), middle)
    ratio = float(np.median(train.y / _reference(train)))
    return lambda test: ratio * _reference(test)


def _stock(train: Frame, seed: int) -> Predict:
    """Return scikit-learn's ExtraTreesRegressor() on metrics and response (or ratio to the host's) as they are."""
    scale = RATIO if logarithm_of(train.y, train.reference_values) == LOG_RATIO else RAW
    pipeline = Pipeline((), ExtraTrees(trees=STOCK_TREES, seed=seed), response_scale=scale, extrapolation=FLAG)
    model = pipeline.complete(in_passing(pipeline, train), Provenance(STOCK, {}, seed, "", "", len(train)))
    return lambda test: held_out(model, test).predicted


def _reference(frame: Frame) -> FloatArray:
    found = frame.reference_values
    assert found is not None  # asked for only where there is a host
    return found


def contender(name: str, fit: Learn, frame: Frame, folds: Sequence[Fold]) -> Contender:
    """Return what a rival says of each fold after learning from the others."""
    started, found, why = time.process_time(), np.full(len(frame), np.nan), ""
    try:
        for fold in folds:
            found[fold.test] = fit(without(frame, fold))(frame.take(fold.test))
    except FitError as error:
        found, why = np.full(len(frame), np.nan), str(error)
    return Contender(name, found, time.process_time() - started, why)


AFFORDABLE = 20_000
"""Trials times folds for which stock extra trees are grown beside a model that somebody asked for."""


def verdict_on_race(frame: Frame, found: Race) -> Verdict | None:
    """Return the verdict on the winner, chosen anew without each fold; None where nothing could run."""
    return None if found.nested is None else verdict_beside(frame, found.nested, found.seed)


def verdict_beside(frame: Frame, found: Validation, seed: int) -> Verdict | None:
    """Return the verdict on any model by its validation, beside baselines on the same folds.

    The constant stands beside it always, stock extra trees on as many of the folds as they take seconds for.

    Parameters
    ----------
    seed : of the validation's folds

    Returns
    -------
    Verdict or None
        None where the model predicts no held-out trial.
    """
    plan = parse_folds(found.folds)
    folds, all_rivals = plan.split(frame, seed), rivals(seed, plan)
    constant = contender(CONSTANT, all_rivals[CONSTANT], frame, folds).predicted
    some = folds[: AFFORDABLE // len(frame)]
    stock = contender(STOCK, all_rivals[STOCK], frame, some).predicted if some else None
    try:
        return judged(frame, plan, found.fold_of_row, found.predicted, constant, stock)
    except FitError:
        return None
