"""A model of one target used for a similar one with a few runs of it; its recipe again, and when to train anew."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.blend import BlendModel
from core.codec import FloatArray, Frozen, IntArray, from_plain
from core.errors import FitError, ModelFileError, OptionError
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.recipes import RECIPES, Treated
from core.recipes.base import Recipe
from core.recipes.eiger import FORMER
from core.trial import Frame
from core.validate.crossval import without
from core.validate.folds import Fold, FoldPlan, hashed
from core.validate.scores import percentages


def recipe_again(model: FittedPipeline) -> Recipe:
    """Return the recipe of a model, with its options.

    Raises
    ------
    OptionError
        If it was made by none of the recipes and families here, or by options that are no more.
    """
    name, options = model.provenance.recipe, dict(model.provenance.options)
    if name == "eiger":
        options.setdefault("variant", FORMER)  # files of before there were variants
    if name not in RECIPES and any(isinstance(cluster.model, BlendModel) for cluster in model.clusters):
        raise OptionError("A blend of several models cannot be learnt anew from a few runs. Take one of its members.")
    try:
        if name in RECIPES:
            return from_plain(RECIPES[name], options)
        if name in FAMILIES:
            own: dict[str, Any] = options.pop("family", {})
            family = from_plain(FAMILIES[name], own)
            known = {"response_scale": model.scale.name, "extrapolation": model.extrapolation}
            return Treated(family=family, **{**known, **options})
    except (ModelFileError, ValueError, TypeError) as error:
        raise OptionError(f"The options of the model's recipe '{name}' are not those of today: {error}.") from None
    raise OptionError(f"The model was made by '{name}', which is none of the recipes and families here.")


AS_IT_IS, FACTOR, LINE, RETRAINED = METHODS = ("as it is", "factor", "line", "retrained")
"""The model itself; times a factor; as factor · prediction^slope; and its recipe on the new runs alone."""
SIZES = (2, 3, 5, 10, 20, 40, 80, 160, 320)
LEAST_LINE = 3
"""Runs below which a slope is not asked for."""


class Reuse(Frozen):
    """Errors on the new target's unseen workloads, by method and number of runs.

    Attributes
    ----------
    sizes : runs of the new target that were learnt from
    mape : array of shape (n_sizes, n_methods), mean over folds and draws of the absolute percentage
        error in percent; NaN where a method needs more runs
    folds : those that were predicted, as users write them
    draws : how often the runs were drawn in each fold
    honest : whether the first target's model was trained again without each fold's workloads
    """

    sizes: tuple[int, ...]
    mape: FloatArray
    folds: str
    draws: int
    honest: bool

    @property
    def reused(self) -> FloatArray:
        """Errors of the ways that do not train anew, shape (n_sizes, n_methods - 1), infinite where one has none."""
        return np.nan_to_num(self.mape[:, :-1], nan=np.inf)

    @property
    def retrain_from(self) -> int | None:
        """The number of runs from which on training anew is better than every way of reusing; None if never."""
        better = np.flatnonzero(~(self.mape[:, -1] < self.reused.min(axis=1)))
        first = int(better[-1]) + 1 if len(better) else 0
        return self.sizes[first] if first < len(self.sizes) else None

    def best(self, runs: int) -> str:
        """Return the method of smallest error with so many runs: that of the largest size not above that has one."""
        known = np.flatnonzero(np.isfinite(self.mape).any(axis=1))
        at = known[max(int(np.searchsorted(np.array(self.sizes)[known], runs, side="right")) - 1, 0)]
        return METHODS[int(np.nanargmin(self.mape[at]))]


def rescaled(model: FittedPipeline, frame: Frame, method: str) -> FittedPipeline:
    """Return a model put on the scale of another target by runs of it.

    `factor` is exp of the median of ln(y / prediction); `line` is least squares of ln y on ln prediction.

    Raises
    ------
    FitError
        If responses or predictions are not positive, or there are too few runs.
    """
    if method == AS_IT_IS:
        return model
    predicted = model.predict(model.rows(frame)).value
    known = np.isfinite(predicted) & (predicted > 0) & (frame.y > 0)
    if int(known.sum()) < (LEAST_LINE if method == LINE else 1):
        raise FitError(
            f"To rescale by {method} takes at least {LEAST_LINE if method == LINE else 1} runs with a positive "
            f"response and prediction, got {int(known.sum())}."
        )
    x, z = np.log(predicted[known]), np.log(frame.y[known])
    note = f"rescaled by {method} to {len(x)} runs of {_machines(frame)}"
    slope = _slope(x, z) if method == LINE else None
    if slope is None:
        return model.rescaled(float(np.exp(np.median(z - x))), 1.0, note)
    return model.rescaled(float(np.exp(z.mean() - slope * x.mean())), slope, note)


def _slope(x: FloatArray, z: FloatArray) -> float | None:
    """Return the least-squares slope; None where it is not determined or not positive."""
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (z - z.mean())).sum()) / spread if spread > 0 else 0.0
    return slope if slope > 0 else None


def _machines(frame: Frame) -> str:
    return ", ".join(sorted({m for m in frame.labels["machine"] if m})) or "the new target"


def reuse(
    model: FittedPipeline,
    frame: Frame,
    plan: FoldPlan,
    seed: int = 0,
    *,
    first: Frame | None = None,
    sizes: Sequence[int] = SIZES,
    draws: int = 5,
    progress: Progress = silent,
) -> Reuse:
    """Compare reusing a model with training its recipe anew, on workloads that neither has seen on this target.

    For each fold, k runs are drawn from the other folds, the model is rescaled by them, or trained on
    them, and the fold is predicted.

    Parameters
    ----------
    frame : of the new target, with the model's metrics
    first : of the first target; with it, the model is trained again without each fold's workloads, so
        that it has not seen them there either
    draws : of the k runs, in each fold

    Raises
    ------
    FitError
        If the folds are impossible, a metric of the model is missing, there are too few runs, or no method predicts
        half of what is held out.
    """
    recipe = recipe_again(model)
    model.rows(frame)
    folds = plan.split(frame, seed)
    room = min(len(frame) - len(fold.test) for fold in folds)
    used = tuple(k for k in sizes if k <= room)
    if not used:
        raise FitError(f"To compare takes at least {min(sizes)} runs beside each fold, got {room}. Measure more.")
    errors: list[list[list[FloatArray]]] = [[[] for _ in METHODS] for _ in used]
    for i, fold in enumerate(folds):
        trained = _without_workloads(recipe, model, first, frame, fold)
        rest = without(frame, fold)
        held = frame.take(fold.test)
        for draw in range(draws):
            progress((i * draws + draw) / (len(folds) * draws), f"without {fold.name}, draw {draw + 1} of {draws}")
            order = _drawn(rest, seed, draw)
            for j, k in enumerate(used):
                few = rest.take(np.sort(order[:k]))
                for m, method in enumerate(METHODS):
                    errors[j][m].append(_errors(trained, recipe, few, held, method))
    mape = np.array([[_mean(np.concatenate(cell)) for cell in row] for row in errors])
    if not np.isfinite(mape).any():
        raise FitError(
            f"With up to {used[-1]} runs of {_machines(frame)} neither the model nor its recipe on these predicts "
            "half of the workloads held out. Measure more, or train with extrapolation clamp."
        )
    return Reuse(used, mape, str(plan), draws, first is not None)


def _without_workloads(
    recipe: Recipe, model: FittedPipeline, first: Frame | None, frame: Frame, fold: Fold
) -> FittedPipeline:
    if first is None:
        return model
    gone = set(_workloads(frame.take(fold.test)))
    keep = [i for i, workload in enumerate(_workloads(first)) if workload not in gone]
    if not keep:
        raise FitError(
            f"Without the workloads of {fold.name} nothing is left of the first target: they are told apart by "
            "application and input. Compare without the first target's trials."
        )
    shared = [name for name in first.names if name in frame.names]
    return recipe.fit(first.select(shared).take(np.array(keep, dtype=np.int64)))


def _workloads(frame: Frame) -> list[tuple[str, ...]]:
    """Name workloads by application and input, so that all launch shapes of one input go together."""
    return list(zip(frame.labels["application"], frame.labels["input"], strict=True))


def _drawn(frame: Frame, seed: int, draw: int) -> IntArray:
    """Order rows by a hash of the seed, the draw and what they are."""
    names = [f"{draw}\x1f{w}\x1f{y!r}" for w, y in zip(_workloads(frame), frame.y.tolist(), strict=True)]
    return np.array(sorted(range(len(names)), key=lambda i: hashed(names[i], seed)), dtype=np.int64)


def _errors(model: FittedPipeline, recipe: Recipe, few: Frame, held: Frame, method: str) -> FloatArray:
    """Return the absolute percentage errors of the held-out runs, NaN if the method cannot work with so few."""
    try:
        used = recipe.fit(few) if method == RETRAINED else rescaled(model, few, method)
        predicted = used.predict(used.rows(held)).value
    except FitError:
        return np.full(len(held), np.nan)
    return percentages(held.y, predicted)


def _mean(errors: FloatArray) -> float:
    known = np.isfinite(errors)
    return float(errors[known].mean()) if known.mean() > 0.5 else float("nan")


def reference_host(model: FittedPipeline) -> str:
    """Return the host that a model's counters are of, from what its response is called there; "" if none or several."""
    start = f"{model.response.name} on "
    hosts = [name.removeprefix(start) for name in model.names if name.startswith(start)]
    return hosts[0] if len(hosts) == 1 else ""
