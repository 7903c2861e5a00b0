"""Cross-validation: fit without each fold, predict it, score what comes out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.execution.execute import execute_where_it_pays
from core.grouped import all_but
from core.progress import Progress, part, silent
from core.scale import RAW, ResponseScale, RowScale
from core.trial import Frame
from core.validate.calibration import AUTO, OutOfFold, measure
from core.validate.folds import Fold, FoldPlan, groups_held_out, parse_folds
from core.validate.scores import Scores, score
from core.validate.sharing import MANY, Fit, Predictor, Settle, settled

NOMINAL = 0.9


class Validation(Frozen):
    """Out-of-fold predictions of a frame and what they are worth.

    Attributes
    ----------
    folds : as users write them
    fold_names : one per fold
    fold_of_row : array of shape (n_trials,); -1 for trials that were never held out
    predicted, low, high : arrays of shape (n_trials,), response's unit; NaN where refused or
        never held out
    residuals : array of shape (n_trials,) on the scale
    scale : that of most folds; those of a response that spans about a decade may differ
    scores : over all held-out trials
    groups : scores per held-out application, machine, or fold
    known : what intervals are learnt from
    method : that the intervals are made by, one of `core.validate.calibration.METHODS` but "auto"
    asked : the one of `METHODS` that was asked for
    """

    folds: str
    fold_names: tuple[str, ...]
    fold_of_row: IntArray
    predicted: FloatArray
    low: FloatArray
    high: FloatArray
    residuals: FloatArray
    scale: ResponseScale
    scores: Scores
    groups: Mapping[str, Scores]
    known: OutOfFold
    method: str
    asked: str = AUTO

    def by_fold(self, y: FloatArray) -> tuple[Scores, ...]:
        """Return the scores of each fold for the measured responses."""
        parts = (y, self.predicted, self.low, self.high)
        rows = (self.fold_of_row == i for i in range(len(self.fold_names)))
        return tuple(score(*(part[own] for part in parts)) for own in rows)

    def __repr__(self) -> str:
        return f"Validation({self.folds}: {self.scores})"


class FoldResult(Frozen):
    """What a model that was learnt without a fold says of the fold's trials.

    Attributes
    ----------
    scaled : array of shape (n_test,), on the model's scale, NaN where refused
    scale : of these trials
    leverage : array of shape (n_test,), in the domain of that model; None if that is not known
    doubts : array of shape (n_test, k), what tells how unsure that model is; None if that is not known
    """

    scaled: FloatArray
    scale: RowScale
    leverage: FloatArray | None = None
    doubts: FloatArray | None = None

    @property
    def predicted(self) -> FloatArray:
        """The predictions in the response's unit."""
        return self.scale.inverse(self.scaled)

    def on(self, scale: RowScale, least: float) -> "FoldResult":
        """Return the same on another scale, on which logarithms take predictions below `least` as that."""
        if self.scale.whole == scale.whole:
            return self
        value = np.maximum(self.predicted, least) if scale.whole.log else self.predicted
        return replace(self, scaled=scale.forward(value), scale=scale)


def cross_validate(
    fit: Fit,
    frame: Frame,
    plan: FoldPlan,
    seed: int = 0,
    progress: Progress = silent,
    interval: str = AUTO,
    cluster: IntArray | None = None,
    workers: int | None = None,
    settle: Settle | None = None,
) -> Validation:
    """Hold out each fold in turn; everything that is learnt is learnt from the rest alone.

    Parameters
    ----------
    fit : called with the training part only
    settle : chooses on a frame what is left open, and returns how to fit from then on; None where nothing is.
        More than 20 folds are dealt into five parts, and what is chosen is chosen once without each part
    seed : of the random folds
    interval : how the half widths are found, one of `core.validate.calibration.METHODS`
    cluster : of each trial by the model of all trials, if clusters may have intervals of their own
    workers : processes of this machine, which change no result; as many as pay if None

    Raises
    ------
    FitError
        If the folds or the fits are impossible with so few trials.
    """
    folds = plan.split(frame, seed)
    fits = [fit] * len(folds)
    if settle is not None and len(folds) > MANY:
        fits = settled(fit, settle, frame, folds, seed, part(progress, 0.0, 0.3))
        progress = part(progress, 0.3, 1.0)
    results: dict[int, FoldResult] = {}
    said = (f"fold {i + 1} of {len(folds)}: without {fold.name}" for i, fold in enumerate(folds))
    tasks, keep = [*zip(fits, folds, said, strict=True)], results.__setitem__
    execute_where_it_pays(_without_fold, tasks, frame, on_result=keep, progress=progress, workers=workers)
    return validation_of(frame, plan, folds, [results[i] for i in range(len(folds))], interval, cluster)


def _without_fold(frame: Frame, task: tuple[Fit, Fold, str], progress: Progress) -> FoldResult:
    """Return what is said of a fold by what was learnt from all other trials, in any process."""
    fit, fold, said = task
    progress(0.0, said)
    try:
        model, test = fit(without(frame, fold), progress), frame.take(fold.test)
    except FitError as error:
        raise FitError(f"Without {fold.name} no model can be fitted: {error}") from None
    return replace(held_out(model, test), doubts=model.doubts(model.rows(test)))


def without(frame: Frame, fold: Fold) -> Frame:
    """Return the trials of a frame that are not in a fold: those to learn from."""
    return frame.take(all_but(len(frame), fold.test))


def held_out(model: Predictor, test: Frame) -> FoldResult:
    """Return what a model says of the trials of a fold that it has not seen."""
    rows = model.rows(test)
    return FoldResult(model.predict_scaled(rows), model.scale_of(rows), model.domain.leverage(rows))


def validation_of(
    frame: Frame,
    plan: FoldPlan,
    folds: Sequence[Fold],
    results: Sequence[FoldResult],
    interval: str = AUTO,
    cluster: IntArray | None = None,
    scale: ResponseScale | None = None,
) -> Validation:
    """Return what the results of all folds are worth together.

    Parameters
    ----------
    folds : of the plan on this frame
    results : one per fold, in the same order
    interval, cluster : see `cross_validate`
    scale : that of the residuals; if none is given, that of most folds
    """
    scale = scale or Counter(result.scale.whole for result in results).most_common(1)[0][0]
    fold_of_row = np.full(len(frame), -1, dtype=np.int64)
    predicted, residuals, scaled, leverage, low, high = np.full((6, len(frame)), np.nan)
    told = _on(results, frame, folds, scale)
    for i, (fold, result, own) in enumerate(zip(folds, results, told, strict=True)):
        fold_of_row[fold.test], predicted[fold.test] = i, result.predicted
        residuals[fold.test] = own.scale.forward(frame.y[fold.test]) - own.scaled
        scaled[fold.test] = own.scaled
        if own.leverage is not None:
            leverage[fold.test] = own.leverage
    far = leverage if all(result.leverage is not None for result in results) else None
    doubts = _doubts(len(frame), folds, results)
    known = OutOfFold(residuals, scaled, far, fold_of_row, cluster, groups_held_out(frame, plan), doubts)
    found = measure(known, interval, NOMINAL)
    for fold, own in zip(folds, told, strict=True):
        low[fold.test] = own.scale.inverse(own.scaled - found.widths[fold.test])
        high[fold.test] = own.scale.inverse(own.scaled + found.widths[fold.test])
    names = tuple(fold.name for fold in folds)
    groups = _groups(frame, plan, names, fold_of_row)
    parts = frame.y, predicted, low, high
    return Validation(
        folds=str(plan),
        fold_names=names,
        fold_of_row=fold_of_row,
        predicted=predicted,
        low=low,
        high=high,
        residuals=residuals,
        scale=scale,
        scores=score(*(part[fold_of_row >= 0] for part in parts)),
        groups={name: score(*(part[rows] for part in parts)) for name, rows in groups.items()},
        known=known,
        method=found.method,
        asked=interval,
    )


def on_scale(
    validation: Validation, frame: Frame, scale: ResponseScale, interval: str = AUTO, cluster: IntArray | None = None
) -> Validation:
    """Return a validation with residuals and intervals on another scale, such as that of the model of all trials.

    Parameters
    ----------
    frame : of the validation
    interval, cluster : see `cross_validate`
    """
    known, names = validation.known, validation.fold_names
    folds = [Fold(name, np.flatnonzero(validation.fold_of_row == i)) for i, name in enumerate(names)]

    def of(part: FloatArray | None, fold: Fold) -> FloatArray | None:
        return None if part is None else part[fold.test]

    results = [
        FoldResult(validation.predicted[fold.test], RowScale(RAW), of(known.leverage, fold), of(known.doubts, fold))
        for fold in folds
    ]
    found = validation_of(frame, parse_folds(validation.folds), folds, results, interval, cluster, scale)
    return replace(found, predicted=validation.predicted)


def _on(results: Sequence[FoldResult], frame: Frame, folds: Sequence[Fold], scale: ResponseScale) -> list[FoldResult]:
    """Return the results on one scale."""
    reference, least = frame.reference_values, float(frame.y[frame.y > 0].min(initial=np.inf))
    own = (scale.of(None if reference is None else reference[fold.test]) for fold in folds)
    return [result.on(rows, least) for result, rows in zip(results, own, strict=True)]


def _doubts(n: int, folds: Sequence[Fold], results: Sequence[FoldResult]) -> FloatArray | None:
    """Return what tells how unsure the models of all folds were, shape (n, k); None unless each has told the same."""
    widths = {0 if result.doubts is None else result.doubts.shape[1] for result in results}
    if len(widths) > 1 or widths <= {0}:
        return None
    found = np.full((n, *widths), np.nan)
    for fold, result in zip(folds, results, strict=True):
        found[fold.test] = result.doubts
    return found


def _groups(frame: Frame, plan: FoldPlan, names: tuple[str, ...], fold_of_row: IntArray) -> dict[str, IntArray]:
    """Rows per group to score: the held-out values themselves, or the applications under random folds."""
    if plan.how == "by":
        return {name: np.flatnonzero(fold_of_row == i) for i, name in enumerate(names)}
    texts = np.array(frame.labels["application"], dtype=object)
    held = fold_of_row >= 0
    return {str(v) or "(none)": np.flatnonzero((texts == v) & held) for v in sorted(set(texts[held]))}
