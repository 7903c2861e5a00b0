"""The few entries of the automatic model, and what they say of folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.codec import FloatArray
from core.errors import FitError
from core.models import FAMILIES
from core.models._trees import AveragedTrees
from core.models.base import Family
from core.models.gaussian_process import GaussianProcess
from core.models.gradient_boosting import GradientBoosting
from core.pipeline import FittedPipeline
from core.recipes._nested import inner_folds
from core.recipes._treated import Treated
from core.scale import LOG, LOG_RATIO, RAW
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.folds import DEALT, EACH, Fold, FoldPlan

MOST_NODES, NODES_PER_TRIAL = 140_000, 1.3
"""Of each forest, and what a tree with two trials in a leaf has."""
MOST_OF_TREES, MOST_OF_ANOVA, MOST_COLUMNS = 3500, 600, 12
"""Trials that deep trees and functional ANOVA learn from at most, and metrics up to which the latter takes part; of so
few trials and metrics boosted trees are smaller and more."""
FEW_SEARCHED = 150
"""Trials on which lengths of a Gaussian process are searched where it is only to tell how good it is."""
MOST_NUMBERS = 100_000
"""Of the points that support vectors and a Gaussian process keep."""


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
        """The same with half the trees, boosted ones in steps twice as long, or fewer trials to search lengths on."""
        family = self.recipe.family
        if isinstance(family, AveragedTrees):
            family = replace(family, trees=-(-family.trees // 2))
        elif isinstance(family, GradientBoosting):
            family = replace(family, trees=-(-family.trees // 2), rate=min(1.0, 2 * family.rate))
        elif isinstance(family, GaussianProcess):
            family = replace(family, search_trials=min(FEW_SEARCHED, family.search_trials))
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
    return 2 < len(folds) <= EACH and sum(len(fold.test) for fold in folds) == n


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

    few = p <= MOST_COLUMNS and n <= MOST_OF_ANOVA
    steps = {"trees": 4 * trees, "leaves": 8, "min_leaf": 3} if few else {"leaves": 15, "min_leaf": 10}
    steps = {"trees": max(1, round(1.2 * trees)), **steps}
    smooth = (member("anova", MOST_OF_ANOVA, "positive"),) if few else ()
    return (
        member("extra_trees", MOST_OF_TREES, "raw", **deep, seed=seed),
        member("gradient_boosting", 200_000, "raw", rate=0.1, max_features=1.0, penalty=0.0, seed=seed, **steps),
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
