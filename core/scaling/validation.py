"""How well surfaces of kernels that a model has not seen are predicted, and what clusters and classifier each cost."""

from collections.abc import Mapping

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.grouped import all_but
from core.progress import Progress, in_turn, silent
from core.scaling.clusters import Clustering
from core.scaling.lesson import FeatureMap, Task, ask, teach
from core.scaling.predictors.base import Learnt, Lesson, Predictor
from core.scaling.study import Study, groups_for, kernel_folds
from core.validate.intervals import half_width
from core.validate.scores import Scores, score

NOMINAL = 0.9
LEAST_FOR_OWN_WIDTH = 20
"""With fewer kernels, all configurations share one interval."""


class ScalingValidation(Frozen):
    """Out-of-fold surfaces of a study, and what they are worth. Errors are relative, in percent.

    Attributes
    ----------
    folds, fold_names : as users write them, and one name per fold
    fold_of_kernel : array of shape (n_kernels,); -1 for kernels that were never held out
    predicted : array of shape (n_kernels, n_configurations) in the response's unit;
        NaN where nothing is scored: at the base, where the model asked for a measurement, in holes
    error : array of the same shape
    mean_error, best_error : the same for the mean surface, and for the best of the training clusters
        (the one nearest to the truth, as no classifier could choose better)
    scores : over all scored cells
    groups : mean error per held-out group, or per fold
    half_width : array of shape (n_configurations,), of the 90 % interval in logs, from all residuals
    """

    task: Task
    predictor: str
    folds: str
    fold_names: tuple[str, ...]
    fold_of_kernel: IntArray
    predicted: FloatArray
    error: FloatArray
    mean_error: FloatArray
    best_error: FloatArray
    scores: Scores
    groups: Mapping[str, float]
    half_width: FloatArray

    @property
    def mape(self) -> float:
        """The mean error."""
        return mean_of(self.error)

    @property
    def mean_surface_mape(self) -> float:
        """The mean error of the mean surface."""
        return mean_of(self.mean_error)

    @property
    def best_cluster_mape(self) -> float:
        """The mean error of the best possible cluster."""
        return mean_of(self.best_error)

    @property
    def by_kernel(self) -> FloatArray:
        """Mean error per kernel, NaN for those that were never scored."""
        return _row_means(self.error)

    @property
    def by_configuration(self) -> FloatArray:
        """Mean error per configuration, NaN where nothing is scored."""
        return _row_means(self.error.T)


def validate_scaling(
    study: Study,
    task: Task,
    predictor: Predictor,
    folds: str = "kfold:10",
    seed: int = 0,
    *,
    name: str = "",
    clustering: Clustering | None = None,
    progress: Progress = silent,
) -> ScalingValidation:
    """Hold out kernels, learn from the others, predict the held-out ones at all other configurations.

    Parameters
    ----------
    folds : see `kernel_folds`
    clustering : of the best possible cluster

    Raises
    ------
    FitError, OptionError
        If the folds are impossible, or the predictor cannot learn.
    """
    need_rest(study, predictor)
    parts = kernel_folds(study, folds, seed)
    groups = groups_for(study, folds)
    truth = np.log(study.surface(task.response))
    shape = truth.shape
    logs, means, bests = (np.full(shape, np.nan) for _ in range(3))
    fold_of = np.full(len(truth), -1, dtype=np.int64)
    for i, (told, fold) in enumerate(in_turn(progress, parts)):
        told(0.0, f"fold {i + 1} of {len(parts)}: without {fold.name}")
        taught = teach(study, task, all_but(len(truth), fold.test), groups)
        try:
            learnt = predictor.fit(taught.lesson, told)
        except FitError as why:
            raise FitError(f"Without {fold.name} no model can be fitted: {why}") from None
        rows, logs[fold.test] = predicted_logs(study, task, learnt, taught.features, fold.test)
        start = truth[rows][:, [task.base]]
        means[rows] = start + taught.lesson.log.mean(axis=0)
        bests[rows] = start + _best(taught.lesson, truth[rows] - start, clustering or Clustering())
        fold_of[rows] = i
    scored = np.isfinite(logs)
    residual = truth - logs
    widths = _widths_of_other_folds(residual, fold_of)
    y, predicted = np.exp(truth), np.exp(logs)
    low, high = np.exp(logs - widths), np.exp(logs + widths)
    error = 100 * np.abs(predicted / y - 1)
    if not scored.any():
        raise FitError("No held-out kernel was measured at the base, so nothing can be scored. Choose another base.")
    return ScalingValidation(
        task=task,
        predictor=name or type(predictor).__name__,
        folds=folds.strip(),
        fold_names=tuple(fold.name for fold in parts),
        fold_of_kernel=fold_of,
        predicted=predicted,
        error=error,
        mean_error=np.where(scored, 100 * np.abs(np.exp(means) / y - 1), np.nan),
        best_error=np.where(scored, 100 * np.abs(np.exp(bests) / y - 1), np.nan),
        scores=score(y[scored], predicted[scored], low[scored], high[scored]),
        groups={f.name: mean_of(error[fold_of == i]) for i, f in enumerate(parts) if scored[fold_of == i].any()},
        half_width=_interval_widths(residual),
    )


def predicted_logs(
    study: Study, task: Task, learnt: Learnt, features: FeatureMap, kernels: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return the kernels that can be predicted, and the logarithms that a model says of each of those asked for.

    Returns
    -------
    rows : those of `kernels` that were measured at the base and wherever the model asks for it
    logs : array of shape (len(kernels), n_configurations), NaN where nothing is to be scored
    """
    truth = np.log(study.surface(task.response))
    logs = np.full((len(kernels), truth.shape[1]), np.nan)
    places = np.flatnonzero(np.isfinite(truth[kernels, task.base]))
    asked = ask(study, task, features, kernels[places], learnt)
    whole = np.isfinite(asked.measured[:, list(learnt.wants())]).all(axis=1)
    places, asked = places[whole], type(asked)(asked.features[whole], asked.measured[whole])
    rows = kernels[places]
    found = truth[rows][:, [task.base]] + learnt.surfaces(asked)
    logs[places] = np.where(np.isfinite(asked.measured) | ~np.isfinite(truth[rows]), np.nan, found)
    return rows, logs


def need_rest(study: Study, predictor: Predictor) -> None:
    """Refuse a predictor that asks for so many measurements that nothing is left to predict."""
    if predictor.n_measurements > study.n_configurations - 2:
        raise FitError(
            f"'{predictor.label}' asks for {predictor.n_measurements} measurements besides the base, and of "
            f"{study.n_configurations} configurations none would be left to predict. Use another predictor."
        )


def _interval_widths(residual: FloatArray) -> FloatArray:
    """Return the half width of the 90 % interval of each configuration, in logs.

    With at least 20 kernels each configuration has its own (far from the base errors are larger);
    with fewer, and where nothing was scored, that of all together.
    """
    everywhere = half_width(residual.ravel(), NOMINAL)
    columns = zip(residual.T, np.isfinite(residual).sum(axis=0), strict=True)
    return np.array([half_width(own, NOMINAL) if n >= LEAST_FOR_OWN_WIDTH else everywhere for own, n in columns])


def mean_of(errors: FloatArray) -> float:
    """Return the mean of what is known; NaN if nothing is."""
    known = errors[np.isfinite(errors)]
    return float(known.mean()) if len(known) else float("nan")


def _best(lesson: Lesson, truth: FloatArray, clustering: Clustering) -> FloatArray:
    """Return, per kernel, the training cluster's surface with the smallest mean relative error."""
    surfaces = clustering.grouped(lesson.log - lesson.log.mean(axis=1, keepdims=True)).from_base(lesson.base)
    errors = np.abs(np.expm1(surfaces[None] - truth[:, None]))
    return np.asarray(surfaces[np.nanmean(errors, axis=2).argmin(axis=1)])


def _widths_of_other_folds(residual: FloatArray, fold_of: IntArray) -> FloatArray:
    """Return half widths per cell, each from the residuals of the other folds (cross-conformal)."""
    widths = np.full(residual.shape, np.nan)
    for fold in np.unique(fold_of[fold_of >= 0]):
        others = residual[(fold_of != fold) & (fold_of >= 0)]
        if np.isfinite(others).any():
            widths[fold_of == fold] = _interval_widths(others)
    return widths


def _row_means(errors: FloatArray) -> FloatArray:
    known = np.isfinite(errors)
    return ratio(np.where(known, errors, 0.0).sum(axis=1), known.sum(axis=1))


def ratio(sums: FloatArray, n: "FloatArray | IntArray") -> FloatArray:
    """Return means of sums of so many numbers, NaN of none."""
    return np.asarray(np.divide(sums, n, out=np.full(sums.shape, np.nan), where=n > 0))
