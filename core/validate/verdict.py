"""A verdict on held-out predictions, against two baselines, and what would help, by rules from evidence."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import count
from core.grouped import group
from core.scale import DECADE
from core.texts import ranked
from core.trial import Frame, Kind
from core.validate.folds import FoldPlan
from core.validate.scores import Paired, paired

GOOD, USABLE, WEAK, NONE = LEVELS = ("good", "usable", "weak", "none")
NEAR, FAR = 1.2, 1.6
"""Typical factors between predicted and measured up to which a model is good, and usable."""
NEGLIGIBLE = float(np.log(1.02))
"""An error that nobody minds, whatever is better still: it is said, and the model is no weaker for it."""
WHOLE = 100.0
"""Larger factors are told without decimals."""
SMALL, LEAST = float(np.log(1.1)), 1e-5
"""Errors that are told in percent, and those that are not told apart from none."""
LITTLE, HALF, MOST = 0.2, 0.5, 0.8
"""Shares of the constant's error: a good model leaves at most half, a usable one four fifths, however small both are;
where a response is not positive, and there are no factors, a fifth and half."""
FAILING = 2.0
"""How many times the error of all trials a group's may be."""
MOST_NAMED = 3
POINTS = "percentage points"
"""What a share or a change is off by, which is no relative error."""
FEW = {"application": 20, "machine": 8, "input": 20}
"""Of a role's values, below which more of them are the first thing to help."""
ENOUGH = 20
"""Configurations per metric."""
LEAST_REPEATS = 10
STRAY, RARE = 10.0, 0.1
"""Trials stray that are off by so many times what is usual, and by a factor of two at least; no larger share does."""
JUDGED = 3
"""Repeats of a configuration from which on their median tells which of them stray."""
SAME, ALIKE = 1.1, 0.1
"""A counter is the response in another unit where a constant times it is off by less than this factor, and by less than
this share of what the median is off by."""


_FORMULA = "Take the readable formula: it errs less, by more than noise."
_OTHER = "Try the automatic model or extra trees: these metrics tell more than this model takes from them."


class Verdict(Frozen):
    """What held-out predictions are worth.

    Attributes
    ----------
    level : "good", "usable", "weak" or "none"; none is worse than a constant
    says : one sentence
    next : what would help, the most helpful first
    failing : groups that are predicted much worse than the others, the worst first
    over_constant, over_stock : errors of the model against each baseline's, over the held-out groups; None where
        stock extra trees were not grown
    mape : the model's mean error on these trials, in percent, where it was told
    """

    level: str
    says: str
    next: tuple[str, ...]
    failing: tuple[str, ...]
    over_constant: Paired
    over_stock: Paired | None
    mape: float | None = None


def errors_of(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return |ln(predicted / y)| per trial, |predicted - y| where a response is not positive; NaN where refused."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found: FloatArray = np.abs(np.log(predicted / y)) if y.min() > 0 else np.abs(predicted - y)
    return np.where(np.isfinite(found), found, np.nan)


def judged(
    frame: Frame,
    plan: FoldPlan,
    fold_of_row: IntArray,
    predicted: FloatArray,
    constant: FloatArray,
    stock: FloatArray | None,
    formula: FloatArray | None = None,
) -> Verdict:
    """Judge predictions of trials that were held out.

    Parameters
    ----------
    fold_of_row : array of shape (n_trials,), -1 for trials that were never held out
    predicted, constant, stock, formula : arrays of shape (n_trials,), of the model, of the trained median, of stock
        extra trees and of the readable formula on the same folds, in the response's unit; all NaN where too few
        trials were learnt from

    Raises
    ------
    FitError
        If the model predicts no trial that a baseline predicts.
    """
    own, groups = errors_of(frame.y, predicted), _groups(frame, plan, fold_of_row)
    over_constant = paired(own, errors_of(frame.y, constant), groups)
    over_stock, over_formula = (
        None if said is None or np.isnan(said).all() else paired(own, errors_of(frame.y, said), groups)
        for said in (stock, formula)
    )
    log = bool(frame.y.min() > 0)
    level = _level(over_constant, log=log)
    failing = _failing(own, frame, plan, fold_of_row)
    worse, read = _loses(over_stock), _loses(over_formula)
    telling = not log or over_constant.first > NEGLIGIBLE
    level = WEAK if worse and telling and level in (GOOD, USABLE) else level
    says = _says(level, over_constant, over_stock, None if log else frame.response.unit, worse=worse)
    helps = () if level == GOOD else _helps(frame, plan, fold_of_row, predicted, over_constant.first, failing)
    if level in (WEAK, NONE) and not helps and not worse:
        helps = (
            f"Add what tells {_asked(plan) or 'configuration'}s apart: these metrics say too little of a new one.",
        )
    better = [said for said, holds in ((_FORMULA, read), (_OTHER, worse and telling)) if holds]
    return Verdict(
        level, says, (*_same_measure(frame), *_zeros(frame), *better, *helps), failing, over_constant, over_stock
    )


def _loses(against: Paired | None) -> bool:
    return against is not None and against.difference < 0 and against.more_than_noise


def _groups(frame: Frame, plan: FoldPlan, fold_of_row: IntArray) -> IntArray:
    """Return the blocks whose differences are compared: what is held out together, else the folds."""
    if plan.how != "by" or plan.column not in frame.labels:
        return fold_of_row
    return np.where(fold_of_row >= 0, ranked(frame.labels[plan.column]), -1)


def _level(over: Paired, *, log: bool) -> str:
    if log and over.first <= LEAST:
        return GOOD
    if over.difference <= 0:
        return NONE
    left, size = over.first / over.second, over.first
    if not log:
        return GOOD if left <= LITTLE else USABLE if left <= HALF else WEAK
    if size <= NEGLIGIBLE:
        return GOOD
    return GOOD if size <= np.log(NEAR) and left <= HALF else USABLE if size <= np.log(FAR) and left <= MOST else WEAK


def _says(level: str, over: Paired, stock: Paired | None, unit: str | None, *, worse: bool) -> str:
    """Say how far off the model and its rivals are: by factors, or in a unit where there is one."""

    def size(error: float) -> str:
        if unit is not None:
            return f"by {error:.4g} {POINTS if unit == '%' else unit}".rstrip()
        if error < SMALL:
            return f"by {100 * np.expm1(error):.2g} %" if error > LEAST else "by less than 0.001 %"
        factor = float(np.exp(error))
        return f"by a factor of {factor:,.{2 if factor < WHOLE else 0}f}"

    if level == NONE:
        return (
            f"Worse than a constant: the median of the trained trials is typically off {size(over.second)}, this model "
            f"{size(over.first)}."
        )
    hardly = "Hardly better than a constant: t" if level == WEAK and over.first > MOST * over.second else "T"
    said = f"{hardly}ypically off {size(over.first)} on what it has not seen; a constant is off {size(over.second)}"
    if stock is None:
        return f"{said}."
    if worse:
        return f"{said}, and stock extra trees only {size(stock.second)}, which is more than noise."
    return f"{said}, stock extra trees {size(stock.second)}."


def _failing(own: FloatArray, frame: Frame, plan: FoldPlan, fold_of_row: IntArray) -> tuple[str, ...]:
    column = plan.column if plan.how == "by" and plan.column in frame.labels else "application"
    texts, whole = np.array(frame.labels[column], dtype=object), float(np.nanmean(own))
    known = [t for t in sorted(set(texts[fold_of_row >= 0].tolist())) if t and np.isfinite(own[texts == t]).any()]
    means: Mapping[str, float] = {t: float(np.nanmean(own[texts == t])) for t in known}
    return tuple(t for t in sorted(means, key=lambda t: -means[t]) if means[t] > FAILING * whole)


def _helps(
    frame: Frame, plan: FoldPlan, fold_of_row: IntArray, predicted: FloatArray, error: float, failing: Sequence[str]
) -> tuple[str, ...]:
    """Return what would help, by what the trials lack."""
    noise = _spread_within(frame, frame.configuration)
    strays = _strays(frame, plan, predicted)
    rules = [
        strays,
        _own_factor(frame, _asked(plan), fold_of_row, predicted, error),
        _more_groups(frame, plan),
        _facts(frame),
        _untold(frame, error),
        f"Repeats of one configuration differ by {100 * np.expm1(noise):.0f} %, most of the error: measure longer, or "
        "take the median of repeats."
        if noise > error / 2 and not strays
        else "",
        f"Worst {'is' if len(failing) == 1 else 'are'} {', '.join(failing[:MOST_NAMED])}: look at the trials there, or "
        "measure more that are like them."
        if failing
        else "",
    ]
    return tuple(rule for rule in rules if rule)


def _same_measure(frame: Frame) -> tuple[str, ...]:
    """Say so where a counter is the response times a constant of each machine: it explains nothing.

    Machines of few trials tell nothing: one trial is a constant of its machine times whatever was counted.
    What was measured on a host is known before the run on the target, and may well follow it.
    """
    if frame.reference:
        return ()
    machine = ranked(frame.labels["machine"])
    every = np.split(np.argsort(machine, kind="stable"), np.cumsum(np.bincount(machine))[:-1])
    parts = [rows for rows in every if len(rows) >= LEAST_REPEATS]
    if frame.y.min() <= 0 or not parts:
        return ()

    def apart(values: FloatArray) -> float:
        return float(np.abs(np.concatenate([values[rows] - np.median(values[rows]) for rows in parts])).mean())

    z = np.log(frame.y)
    found = {
        metric.name: apart(z - np.log(column))
        for column, metric in zip(frame.X.T, frame.metrics, strict=True)
        if metric.kind in (Kind.COUNTER, Kind.DERIVED) and column.min() > 0
    }
    least = min(float(np.log(SAME)), ALIKE * apart(z))
    return tuple(
        f"{name} follows {frame.response.name} one to one, within {100 * np.expm1(size):.2g} % on each machine: if "
        f"both count the same, import without {name}: the model then says what it depends on."
        for name, size in sorted(found.items(), key=lambda one: one[1])[:1]
        if size < least
    )


def _zeros(frame: Frame) -> tuple[str, ...]:
    """Say so where zeros keep a response that spans decades from its logarithm, in which it would be learnt."""
    y, unit = frame.y, f" {frame.response.unit}".rstrip()
    small = np.sort(y[y > 0])
    if y.min() != 0 or len(small) < HALF * len(y) or small[-1] <= DECADE * small[0]:
        return ()
    return (
        f"{len(y) - len(small)} of {len(y):,} trials are 0{unit}, which has no logarithm, so that small values are "
        "learnt badly: if they were too small to be measured, leave them out with curation's rule zero.",
    )


def _asked(plan: FoldPlan) -> str:
    """Return the role of which new ones are asked for; nothing where it is new configurations."""
    return plan.column if plan.how == "by" and plan.column in FEW else ""


def _own_factor(frame: Frame, role: str, fold_of_row: IntArray, predicted: FloatArray, error: float) -> str:
    """Say so where most of what held-out groups are off by is one factor of each, which a few trials would tell."""
    if not role or frame.y.min() <= 0:
        return ""
    held = (fold_of_row >= 0) & np.isfinite(predicted) & (predicted > 0)
    group = ranked(frame.labels[role])[held]
    left = _spread_about_means(np.log(predicted[held] / frame.y[held]), group)
    if not 0 < left < error / 2:
        return ""
    return (
        f"Measure a few trials of a new {role}, or ask of known ones alone, with random folds: mostly it is off by one "
        f"factor of its own, without which {np.exp(error):.2f} would be {np.exp(left):.2f}."
    )


def _more_groups(frame: Frame, plan: FoldPlan) -> str:
    role = _asked(plan)
    if not role:
        varied = np.ptp(frame.X, axis=0) > 0
        texts = {m.name.partition("=")[0] for m, own in zip(frame.metrics, varied, strict=True) if own}
        n, p = len(np.unique(frame.configuration)), len(texts)
        return f"Measure more configurations: {n} are few for {count(p, 'metric')}." if n < ENOUGH * p else ""
    n = len(set(frame.labels[role]))
    return f"Measure more {role}s: {n} are few to learn from what a new one does." if n < FEW[role] else ""


def _facts(frame: Frame) -> str:
    several = len(set(frame.labels["machine"])) > 1
    known = any(m.kind is Kind.MACHINE for m in frame.metrics)
    lacking = "Add facts of the machines, such as cores, clock and bandwidth: there are none."
    return lacking if several and not known else ""


def _strays(frame: Frame, plan: FoldPlan, predicted: FloatArray) -> str:
    """Say so where few trials lie far from the median of their repeats or, unrepeated, from what is predicted.

    What is predicted of new applications, inputs or machines may be far off for other reasons.
    """
    if frame.y.min() <= 0:
        return ""
    z = np.log(frame.y)
    repeats = group(z, frame.configuration)
    judged = repeats.size[repeats.of] >= JUDGED
    if (far := _far(repeats.distance(), judged)).any():
        return (
            f"{_counted(frame, far)} far from the median of their repeats: leave them out with curation's rule mad, or "
            "take the median of repeats."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.abs(np.log(predicted) - z)
    far = _far(off, ~judged & np.isfinite(off) & (not plan.asks_for_groups))
    return f"{_counted(frame, far)} far from what all others say: measure again, or leave them out." * bool(far.any())


def _far(off: FloatArray, among: BoolArray) -> BoolArray:
    """Return which of some values are far larger than is usual among them; none if these are not few."""
    some = among & (off > 0)
    usual = float(np.median(off[some])) if some.sum() >= LEAST_REPEATS else np.inf
    far: BoolArray = some & (off > max(STRAY * usual, np.log(2.0)))
    return far if far.sum() <= RARE * among.sum() else np.zeros_like(far)


def _counted(frame: Frame, far: BoolArray) -> str:
    """Say how many trials stray, and what the one with the largest response is, such as "2 of 64 trials lie (…)"."""
    row = int(np.argmax(np.where(far, frame.y, 0.0)))
    names = [texts[row] for role in FEW if len(set(texts := frame.labels[role])) > 1]
    settings = [(m.name, x) for m, x in zip(frame.metrics, frame.X[row], strict=True) if m.kind is Kind.PARAMETER]
    where = ", ".join([*names, *(f"{name} {x:.15g}" for name, x in settings)][:MOST_NAMED])
    lie = "lies" if far.sum() == 1 else "lie"
    return f"{far.sum()} of {len(frame):,} trials {lie} ({frame.response.name} {frame.y[row]:.4g} at {where})"


def _untold(frame: Frame, error: float) -> str:
    """Say so where trials that no metric tells apart, yet of different configurations, differ in the response."""
    same = np.unique(frame.X, axis=0, return_inverse=True)[1].ravel()
    spread = _spread_within(frame, same) if len(np.unique(same)) < len(np.unique(frame.configuration)) else 0.0
    if spread <= error / 2:
        return ""
    return (
        f"Trials of different configurations look alike to every metric and differ by {100 * np.expm1(spread):.0f} %: "
        "add what tells them apart, such as a size or an option."
    )


def _spread_within(frame: Frame, group: IntArray) -> float:
    """Return the mean |ln(response / its group's geometric mean)| of groups of several trials; 0 if these are few."""
    return _spread_about_means(np.log(frame.y), group) if frame.y.min() > 0 else 0.0


def _spread_about_means(z: FloatArray, group: IntArray) -> float:
    """Return the mean distance of values from their group's mean, in groups of several; 0 if these are few."""
    number = np.unique(group, return_inverse=True)[1].ravel()
    count = np.bincount(number)
    several = count[number] > 1
    if several.sum() < LEAST_REPEATS:
        return 0.0
    return float(np.abs(z - (np.bincount(number, z) / count)[number])[several].mean())
