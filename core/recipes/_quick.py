"""The few entries of the automatic model, what folds say of each, and how these errors become weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.blend import MEAN, Mixture
from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.models import FAMILIES
from core.models._trees import AveragedTrees
from core.models.base import Family
from core.models.gradient_boosting import GradientBoosting
from core.pipeline import FittedPipeline
from core.recipes._nested import inner_folds
from core.recipes._treated import Treated
from core.scale import LOG, LOG_RATIO, RAW
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.folds import Fold, FoldPlan, default_folds

FACTOR = 1.2
"""No entry counts as further than this from the weighted median of all: one that runs away is heard, not followed."""
MOST_APE = 3.0
"""Of a single trial in an entry's error, so that one odd trial does not choose."""
POWER = 8
"""Weights fall with this power of the error: (smallest / own)^8 was within a percent of the best entry of each set."""
MOST_NODES, NODES_PER_TRIAL = 140_000, 1.3
"""Of each forest, and what a tree with two trials in a leaf has."""
MOST_OF_TREES, MOST_OF_ANOVA, MOST_COLUMNS = 3500, 600, 12
"""Trials that deep trees and functional ANOVA learn from at most, and metrics up to which the latter takes part."""
MOST_NUMBERS = 100_000
"""Of the points that support vectors and a Gaussian process keep."""
GIVEN_UP = 2.0
"""Times the smallest error at half time beyond which an entry is asked no more."""
LEAST_WEIGHT = 0.01
"""Entries of less are left out."""
DEALT = 5
"""Folds that many groups are dealt into."""
MOST_FOLDS = 9
"""Up to which each group is held out in turn."""


@dataclass(frozen=True)
class Member:
    """An entry: a family with its treatment.

    Attributes
    ----------
    most : trials that it learns from at most, drawn at random from more
    """

    name: str
    recipe: Treated
    most: int
    seed: int

    def fit(self, frame: Frame) -> FittedPipeline:
        """Learn from a frame, or from so many of its trials."""
        return self.recipe.fit(drawn(frame, self.most, self.seed))

    @property
    def light(self) -> "Member":
        """The same with half as many trees, boosted ones in steps twice as long, to tell how good it is."""
        family = self.recipe.family
        if isinstance(family, AveragedTrees):
            family = replace(family, trees=-(-family.trees // 2))
        elif isinstance(family, GradientBoosting):
            family = replace(family, trees=-(-family.trees // 2), rate=min(1.0, 2 * family.rate))
        return replace(self, recipe=replace(self.recipe, family=family))


def _of_size(trees: int, n: int) -> Mapping[str, int]:
    """Return options of deep trees on n trials that have so few nodes that the model file can hold them."""
    if 2 * n * trees <= MOST_NODES:
        return {"trees": trees}
    return {"trees": max(1, min(trees, int(MOST_NODES / (NODES_PER_TRIAL * n)))), "min_leaf": 2}


def drawn(frame: Frame, most: int, seed: int) -> Frame:
    """Return at most so many trials of a frame, drawn at random, in the frame's order."""
    if len(frame) <= most:
        return frame
    return frame.take(np.sort(np.random.default_rng(seed).choice(len(frame), most, replace=False)))


def question(frame: Frame) -> FoldPlan:
    """Return the hardest question that a frame can answer in a few folds; many applications are dealt into five."""
    plan = default_folds(frame)
    if plan.how == "by" and len(set(frame.labels[plan.column])) > MOST_FOLDS:
        return FoldPlan("by", DEALT, plan.column)
    return FoldPlan("kfold", DEALT) if plan.how == "kfold" and plan.count > DEALT else plan


def choosing_folds(frame: Frame, plan: FoldPlan, seed: int) -> tuple[Fold, ...]:
    """Return the folds that weights are chosen on: those of the plan where they are few and hold every trial."""
    try:
        folds = plan.split(frame, seed)
    except FitError:
        folds = ()
    if shared(folds, len(frame)):
        return folds
    return inner_folds(frame, plan, seed, DEALT)


def shared(folds: Sequence[Fold], n: int) -> bool:
    """Whether folds are few and hold each of n trials, so that the others choose for each."""
    return 2 < len(folds) <= MOST_FOLDS and sum(len(fold.test) for fold in folds) == n


def scale_of(frame: Frame) -> str:
    """Return the scale of the entries: logarithms of the response, or of its ratio to the host's, where they exist."""
    if frame.y.min() <= 0:
        return RAW
    reference = frame.reference_values
    return LOG_RATIO if reference is not None and reference.min() > 0 else LOG


def members_of(frame: Frame, trees: int, seed: int, *, hold: bool) -> tuple[Member, ...]:
    """Return the entries that suit a frame, of the size that they have when they learn from all of it."""
    n, p = len(frame), len(frame.metrics)
    scale, some = scale_of(frame), max(300, MOST_NUMBERS // max(1, p))
    deep = _of_size(trees, min(n, MOST_OF_TREES))

    def member(name: str, most: int, metric_scale: str, **options: object) -> Member:
        family: Family = FAMILIES[name](**options)
        recipe = Treated(family=family, response_scale=scale, metric_scale=metric_scale, hold=hold)
        return Member(name, recipe, most, seed)

    smooth = (member("anova", MOST_OF_ANOVA, "positive"),) if p <= MOST_COLUMNS and n <= MOST_OF_ANOVA else ()
    return (
        member("extra_trees", MOST_OF_TREES, "raw", **deep, seed=seed),
        member("gradient_boosting", 200_000, "raw", trees=max(1, round(1.2 * trees)), rate=0.1, leaves=15, min_leaf=10,
               max_features=1.0, penalty=0.0, seed=seed),
        member("trended", MOST_OF_TREES, "positive", **deep, seed=seed),
        member("support_vectors", min(2000, some), "positive", cost=3.0, reach=0.25),
        member("gaussian_process", min(1000, some), "positive", order="3/2", search_trials=250, evaluations=30,
               seed=seed),
        *smooth,
    )  # fmt: skip


def said_of(member: Member, frame: Frame, fold: Fold) -> FloatArray:
    """Return what an entry says of a fold after learning from the others, NaN where it cannot learn."""
    try:
        model = member.fit(without(frame, fold))
    except FitError:
        return np.full(len(fold.test), np.nan)
    return held_out(model, frame.take(fold.test)).predicted


def typical_errors(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return per trial half |ln(predicted / y)| and half the relative error, at most 3; a refused one counts 3.

    Relative errors alone reward predicting low, logarithms alone forgive predicting high. Where a response is not
    positive it is |predicted - y|, for a refused one the largest response.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found, worst = np.abs(predicted - y), float(np.abs(y).max())
        if y.min() > 0:
            found, worst = (np.abs(np.log(predicted / y)) + np.minimum(found / y, MOST_APE)) / 2, MOST_APE
    return np.where(np.isfinite(found), found, worst)


def cautious(errors: FloatArray, groups: Sequence[str]) -> float:
    """Return the mean error and its standard error over groups that are held out together.

    An entry that is good on most applications and far off on some is no safe choice for one that nobody has seen.
    """
    place = np.unique(np.array(groups, dtype=object).astype(str), return_inverse=True)[1]
    count, mean = np.bincount(place), float(errors.mean())
    if len(count) < 2:
        return mean
    apart = np.bincount(place, errors) / count - mean
    spread = len(count) / (len(count) - 1) * float(((count / count.sum() * apart) ** 2).sum())
    return mean + float(np.sqrt(spread))


def weighed(y: FloatArray, groups: Sequence[str], predicted: Mapping[str, FloatArray]) -> Mixture:
    """Return the mixture of entries by what they said of trials that they had not seen.

    Parameters
    ----------
    groups : per trial, a text that trials share that are held out together

    Raises
    ------
    FitError
        If none said anything.
    """
    able = {name: p for name, p in predicted.items() if np.isfinite(p).any()}
    if not able:
        raise FitError("No entry can learn from so few trials. Import more trials.")
    errors = {name: 1e-12 + cautious(typical_errors(y, p), groups) for name, p in able.items()}
    share = {name: (min(errors.values()) / error) ** POWER for name, error in errors.items()}
    total = sum(share.values())
    kept = {name: w for name, w in share.items() if w >= LEAST_WEIGHT * total}
    weights = {name: w / sum(kept.values()) for name, w in kept.items()}
    log = bool(y.min() > 0)
    return Mixture(weights, MEAN, log, float(np.log(FACTOR)) if log else float("inf"))


def mixture_of(
    y: FloatArray, groups: Sequence[str], names: Sequence[str], folds: Sequence[IntArray],
    said: Callable[[str, int], FloatArray],
) -> Mixture:  # fmt: skip
    """Return the mixture of entries by what they say of folds after learning from the others.

    After half of the folds an entry with twice the smallest error is asked no more: its weight would be nothing.

    Parameters
    ----------
    groups : of all trials, as in `weighed`
    folds : rows held out together
    said : what the entry of a name says of the fold of a number
    """
    found, going = {name: np.full(len(y), np.nan) for name in names}, list(names)
    for i, test in enumerate(folds):
        if i == max(2, len(folds) // 2):
            rows = np.concatenate(folds[:i])
            errors = {name: float(typical_errors(y[rows], found[name][rows]).mean()) for name in going}
            going = [name for name in going if errors[name] <= GIVEN_UP * min(errors.values())]
        for name in going:
            found[name][test] = said(name, i)
    rows = np.sort(np.concatenate(folds))
    return weighed(y[rows], [groups[i] for i in rows.tolist()], {name: p[rows] for name, p in found.items()})
