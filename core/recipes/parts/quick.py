"""The entries of the automatic model, what they say of folds, and how errors become weights of their mixture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from types import MappingProxyType

import numpy as np

from core.blend import MEAN, Mixture, spread_of
from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.models import FAMILIES
from core.models.base import Family
from core.models.gradient_boosting import MANY_SMALL
from core.passes.base import Features
from core.passes.products import Whole, whole_columns
from core.pipeline import FLAG, FittedPipeline, Pipeline
from core.recipes.base import POSITIVE, PRODUCTS, WHOLE, Prepare, Treated, in_passing
from core.recipes.parts.nested import inner_error, inner_folds, trial_errors
from core.scale import LOG, RAW, logarithm_of
from core.texts import ranked
from core.trial import Frame, Kind
from core.validate.crossval import held_out, without
from core.validate.folds import DEALT, EACH, Fold, FoldPlan

POWER = 8
"""Weights fall with at most this power of the error: (smallest / own)^8 was within a percent of the best entry of each
set. Of n trials it is 8 · n / (n + 8), as few of them hardly tell a good entry from a lucky one."""
USUAL = {
    "anova": 1.2,
    "gaussian_process": 1.45,
    "trended": 1.5,
    "formula": 1.55,
    "extra_trees": 1.7,
    "roofline": 1.7,
    "support_vectors": 2.0,
    "boosted_products": 2.8,
    "gradient_boosting": 2.8,
}
"""Error of each entry, in that of the best one, on tables of few trials; by it goes what power they lack."""
FEW = 100
"""Trials from which on none is lacking."""
LEAST_WEIGHT = 0.01
"""Entries of less are left out."""
FACTOR = 1.2
"""No entry counts as further than this from the weighted median of all: one that runs away is heard, not followed."""
DEVIATIONS = 3.0
"""The same on a response that is not positive, in errors of the best entry."""
WITNESS = "extra_trees"
"""Kept in every mixture: how far its trees are apart, and it from the others, tells how sure a prediction is."""
GIVEN_UP = 4.0
"""Times the smallest error at half time beyond which an entry is asked no more: it would hardly weigh anything if it
were as good as the best on the other half."""


def by_errors(
    y: FloatArray, errors: Mapping[str, float], witness: str = "", usual: Mapping[str, float] = MappingProxyType({})
) -> Mixture:
    """Return the mixture of entries of such errors: each weighs a power of smallest error over own error.

    Of many trials that is the eighth power, of few a smaller one.

    Parameters
    ----------
    witness : an entry that stays in, with the least weight at least
    usual : errors that entries are known for, which count where trials are few
    """
    least = min(errors.values())
    tiny, power = 1e-12 * max(1.0, least), _power(len(y))
    lacking = max(0.0, _power(FEW) - power)
    share = {
        name: ((least + tiny) / (error + tiny)) ** power / usual.get(name, 1.0) ** lacking
        for name, error in errors.items()
    }
    floor = LEAST_WEIGHT * fsum(share.values())
    kept = {name: max(w, floor) for name, w in share.items() if w >= floor or name == witness}
    log = bool(y.min() > 0)
    bound = float(np.log(FACTOR)) if log else DEVIATIONS * least
    whole = fsum(kept.values())  # the same last digits in every version of Python
    return Mixture({name: w / whole for name, w in kept.items()}, MEAN, log, bound)


def _power(n: int) -> float:
    return POWER * n / (n + POWER)


def cautious(errors: FloatArray, groups: Sequence[str]) -> float:
    """Return the mean error and its standard error over groups that are held out together.

    An entry that is good on most applications and far off on some is no safe choice for one that nobody has seen.
    """
    place = ranked(groups)
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
        if len(y) > 1 and np.ptp(y) == 0:
            raise FitError("The response is the same in every trial: there is nothing to learn.")
        raise FitError("No entry can learn from so few trials. Import more trials.")
    return by_errors(y, {name: cautious(trial_errors(y, p), groups) for name, p in able.items()}, WITNESS, USUAL)


def mixture_of(
    y: FloatArray,
    groups: Sequence[str],
    names: Sequence[str],
    folds: Sequence[IntArray],
    said: Callable[[str, int], FloatArray],
) -> Mixture:
    """Return the mixture of entries by what they say of folds after learning from the others.

    After half of the folds an entry with four times the smallest error is asked no more.

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
            errors = {name: inner_error(y[rows], found[name][rows]) for name in going}
            going = [name for name in going if errors[name] <= GIVEN_UP * min(errors.values())]
        for name in going:
            found[name][test] = said(name, i)
    rows = np.sort(np.concatenate(folds))
    return weighed(y[rows], [groups[i] for i in rows.tolist()], {name: p[rows] for name, p in found.items()})


MOST_NODES, NODES_PER_TRIAL = 140_000, 1.3
"""Of each forest, and what a tree with two trials in a leaf has."""
MOST_OF_BOOSTED, MOST_OF_TREES, MOST_OF_ANOVA, MOST_COLUMNS = 200_000, 3500, 600, 12
"""Trials that boosted trees, deep ones and functional ANOVA learn from at most, and metrics up to which the last takes
part; of so few trials and metrics boosted trees are smaller and more."""
LEAST_OF_FORMULA, LEAST_OF_FEW, FEW_METRICS, MOST_LEVELS = 30, 6, 3, 40
"""Trials under which a formula that runs on is trusted by chance, the same of up to three metrics, and columns, of
which a text has one a value, up to which it takes part."""
MOST_PAIRED = 16
"""Metrics up to which the Gaussian process sees products of every two beside them, such as the threads of a block, and
how round these are."""
MOST_NUMBERS = 100_000
"""Of the points that support vectors and a Gaussian process keep."""


def designed(frame: Frame) -> bool:
    """Whether few metrics, all known before the run, say what is predicted, small whole numbers among them.

    Such are sizes of blocks and tiles, whose products run best where they are round.
    """
    known = all(metric.kind in (Kind.PARAMETER, Kind.DETERMINISTIC) for metric in frame.metrics)
    return known and len(frame.metrics) <= MOST_PAIRED and len(whole_columns(frame.X)) > 1


class Member(Frozen):
    """An entry: a family with its treatment.

    Attributes
    ----------
    most : trials that it learns from at most, drawn at random from more
    """

    name: str
    recipe: Treated
    most: int
    seed: int

    def fit(self, frame: Frame, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from a frame, or from so many of its trials."""
        return self.recipe.fit(drawn(frame, self.most, self.seed), prepare=prepare)

    @property
    def light(self) -> "Member":
        """The same with a family that takes a fraction of the time."""
        return replace(self, recipe=replace(self.recipe, family=self.recipe.family.light))


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
    return folds if shared(folds, len(frame)) else inner_folds(frame, plan, seed, DEALT)


def shared(folds: Sequence[Fold], n: int) -> bool:
    """Whether folds are few and hold each of n trials, so that the others choose for each."""
    return 2 < len(folds) <= EACH and sum(len(fold.test) for fold in folds) == n


def members_of(frame: Frame, trees: int, seed: int, *, hold: bool, grouped: bool) -> tuple[Member, ...]:
    """Return the entries that suit a frame, of the size that they have when they learn from all of it.

    Parameters
    ----------
    grouped : whether groups are asked for that are not among the trials, such as a new application; of these, splits
        between products say less than those between the metrics themselves
    """
    n, p = len(frame), len(frame.metrics)
    scale, deep = logarithm_of(frame.y, frame.reference_values), _of_size(trees, min(n, MOST_OF_TREES))

    def member(family: Family, metric_scale: str, most: int, name: str = "") -> Member:
        recipe = Treated(family=family, response_scale=scale, metric_scale=metric_scale, hold=hold)
        return Member(name or recipe.name, recipe, most, seed)

    def family(name: str, **options: object) -> Family:
        made: Family = FAMILIES[name](**options)
        return made

    few, paired = p <= MOST_COLUMNS and n <= MOST_OF_ANOVA, p <= MOST_PAIRED
    told = {metric.name.partition("=")[0] for metric in frame.metrics}
    least = LEAST_OF_FEW if p <= FEW_METRICS else LEAST_OF_FORMULA
    read = len(told) <= MOST_COLUMNS and p <= MOST_LEVELS and least <= n <= MOST_OF_ANOVA
    size = {"trees": 4 * trees} if few else {"trees": max(1, round(1.2 * trees)), "leaves": 15, "min_leaf": 10}
    boosted = family("gradient_boosting", **{**MANY_SMALL, **size}, seed=seed)
    lengths = family("gaussian_process", order="3/2", search_trials=250, evaluations=30, seed=seed)
    trend, products = (WHOLE, WHOLE) if not grouped and designed(frame) else (POSITIVE, PRODUCTS)
    formula = Member("formula", Treated(family=family("formula"), response_scale=scale), MOST_OF_ANOVA, seed)
    divided = Treated(family("roofline"), response_scale=RAW, metric_scale=RAW, extrapolation=FLAG, hold=hold)
    roofline = Member("roofline", divided, MOST_OF_BOOSTED, seed)
    smooth, columns = (products, _columns(frame, products)) if paired else (POSITIVE, p)
    return (
        member(family("extra_trees", **deep, seed=seed), RAW, MOST_OF_TREES),
        member(boosted, RAW, MOST_OF_BOOSTED),
        member(family("trended", **deep, seed=seed), trend, MOST_OF_TREES),
        member(family("support_vectors", cost=3.0, reach=0.25), POSITIVE, _kept(2000, p)),
        member(lengths, smooth, _kept(1000, columns)),
        *((member(family("anova"), POSITIVE, MOST_OF_ANOVA),) if few else ()),
        *((formula,) if read else ()),
        *((member(boosted, products, MOST_OF_BOOSTED, "boosted_products"),) if few and not grouped else ()),
        *((roofline,) if grouped and scale == LOG and _capacities(frame) else ()),
    )


def _capacities(frame: Frame) -> bool:
    """Whether several metrics say what a machine can do, and others what there is to do."""
    machine = sum(metric.kind is Kind.MACHINE for metric in frame.metrics)
    return 1 < machine < len(frame.metrics)


def _columns(frame: Frame, metric_scale: str) -> int:
    """Return how many columns products of every two of a frame's metrics are, with what is beside them."""
    p = len(frame.metrics)
    beside = Whole().fit(Features(frame.names, frame.X)).check(p) if metric_scale == WHOLE else p
    return beside + p * (p - 1) // 2


def _kept(most: int, columns: int) -> int:
    """Return of how many trials, `most` at most, a model of points learns that it keeps."""
    return min(most, max(300, MOST_NUMBERS // max(1, columns)))


def said_of(member: Member, frame: Frame, fold: Fold, *, spread: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return what an entry says of a fold after learning from the others, and if asked how far its trees are apart.

    That is NaN where it cannot learn, or has no trees.
    """
    nothing = np.full(len(fold.test), np.nan)
    try:
        model, test = member.fit(without(frame, fold), in_passing), frame.take(fold.test)
        trees = spread_of(model, model.rows(test)) if spread else None
        return held_out(model, test).predicted, nothing if trees is None else trees
    except FitError:
        return nothing, nothing  # an entry that cannot learn has no weight
