"""Why a group is predicted wrong: what it has that nothing trained had, what drives the miss, what one run would do."""

import numpy as np
from scipy.spatial.distance import cdist

from core.codec import FloatArray, Frozen
from core.errors import OptionError
from core.progress import Progress, part, silent
from core.recipes import Recipe, validate
from core.registry import unknown
from core.report.model import untrained as beyond
from core.report.model.miss_parts import ABSOLUTE, FACTOR, MOST_SPLIT, NEIGHBOURS, RELATIVE, Split, errors_of, split
from core.report.model.untrained import MOST_ASKED, MOST_TRAINED, FurtherRun, Held, Texts, Untrained, evenly
from core.trial import Frame, Metric
from core.validate.crossval import Validation, without
from core.validate.folds import FoldPlan, held_out_together

RUNS, MOST_NEAR = 5, 3
"""Runs that are tried one at a time; nearest groups told."""
UNKNOWN = float("nan")
_VALIDATED = 0.5
"""Share of the work."""


class NearGroup(Frozen):
    """A trained group: how far it is (weighted standard deviations), and its own error when it was held out."""

    name: str
    distance: float
    error: float


class Miss(Frozen):
    """Why a group is predicted wrong by models that have not seen it.

    Attributes
    ----------
    label, group, folds : what was held out, and how
    measure : of errors: "factor" is a mean |ln(predicted / measured)|, "relative" a mean |predicted / measured - 1|,
        "absolute" a mean |predicted - measured|
    error, bias : of the group: the mean size, and the mean with its sign, above 0 where predictions are high; NaN
        where every prediction is refused
    errors : of all groups, the largest first
    n, n_refused : trials of the group with a prediction, and without
    why_refused : the first reason
    untrained : metrics with values where nothing was trained, the most telling first
    n_outside : trials outside what was trained, in a metric or in all together
    near : trained groups, the nearest first
    usual : distance at which half of the trained trials have the nearest of another group
    split : of the error into parts; None where nothing could be taken apart
    runs : one more run at a time; empty where the group has but one configuration
    """

    response: Metric
    recipe: str
    label: str
    group: str
    folds: str
    measure: str
    error: float
    bias: float
    errors: tuple[tuple[str, float], ...]
    n: int
    n_refused: int
    why_refused: str
    untrained: tuple[Untrained, ...]
    n_outside: int
    near: tuple[NearGroup, ...]
    usual: float
    split: Split | None
    runs: tuple[FurtherRun, ...]

    @property
    def typical(self) -> float:
        """The median error of the other groups."""
        others = [error for name, error in self.errors if name != self.group]
        return float(np.median(others)) if others else UNKNOWN

    @property
    def after(self) -> tuple[float, float, float]:
        """The mean error of the rest after a further run, and the smallest and largest over the runs tried."""
        found = [run.after for run in self.runs]
        return float(np.mean(found)), min(found), max(found)

    @property
    def before(self) -> float:
        """The mean error of the same rests before."""
        return float(np.mean([run.before for run in self.runs]))


def miss(
    recipe: Recipe,
    frame: Frame,
    plan: FoldPlan,
    group: str = "",
    *,
    validation: Validation | None = None,
    runs: int = RUNS,
    seed: int = 0,
    progress: Progress = silent,
) -> Miss:
    """Return why a recipe is wrong about a group of trials that it has not seen.

    The group's fold is held out as in validation. A further run is one configuration of the group with its repeats,
    first the one nearest to all others (the medoid), then some drawn by the seed: the recipe learns it too, and is
    scored on the group's other configurations, as it was without it.

    Parameters
    ----------
    plan : that holds out whole groups
    group : which; the one with the largest error if ""
    validation : of the recipe on this plan and seed, if it is known
    runs : further runs to try, one fit each; 0 for none

    Raises
    ------
    OptionError
        If the plan holds out no whole groups, or there is no such group.
    """
    if plan.how != "by":
        raise OptionError(f"Folds '{plan}' hold out no whole groups; choose such as by:application or by:machine.")
    folds = plan.split(frame, seed)
    texts = np.array([text or "(none)" for text in held_out_together(frame, plan)])
    if group and group not in texts:
        raise OptionError(unknown(plan.column, group, sorted(set(texts.tolist()))))
    known = validation or validate(recipe, frame, plan, seed, part(progress, 0.0, _VALIDATED))
    group = group or _worst(frame, known, texts)
    asked = np.flatnonzero(texts == group)
    fold = next(fold for fold in folds if asked[0] in fold.test)
    progress(_VALIDATED, f"without {fold.name}")
    asking = recipe.asking(plan)
    held = Held(asking, asking.fit(without(frame, fold)), frame, fold, asked, texts)
    return _told(held, plan, known, beyond.further_runs(held, runs, seed, part(progress, _VALIDATED, 1.0)))


def _worst(frame: Frame, known: Validation, texts: Texts) -> str:
    """Return the group with the largest error, as a factor where every prediction and response is positive.

    That is the first one where none has a prediction.
    """
    said = known.predicted[np.isfinite(known.predicted)]
    positive = frame.y.min() > 0
    measure = FACTOR if positive and said.min(initial=np.inf) > 0 else RELATIVE if positive else ABSOLUTE
    found = _by_group(np.abs(errors_of(frame.y, known.predicted, measure)), texts)
    return found[0][0] if found else min(texts.tolist())


def _by_group(errors: FloatArray, texts: Texts) -> tuple[tuple[str, float], ...]:
    """Return the mean error of each group that has one, the largest first."""
    means = {t: errors[(texts == t) & np.isfinite(errors)] for t in sorted(set(texts.tolist()))}
    found = [(name, float(own.mean())) for name, own in means.items() if len(own)]
    return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0])))


def _told(held: Held, plan: FoldPlan, known: Validation, runs: tuple[FurtherRun, ...]) -> Miss:
    model, asked = held.model, held.asked
    signed = errors_of(held.frame.y, known.predicted, held.measure)
    gone = ~np.isfinite(signed[asked])
    errors, own = _by_group(np.abs(signed), held.texts), signed[asked][~gone]
    reasons = model.predict(held.rows[asked]).why
    near, usual = _near(held.axes.places(held.rows), held)
    return Miss(
        response=held.frame.response,
        recipe=held.recipe.name,
        label=plan.column,
        group=str(held.texts[asked[0]]),
        folds=str(plan),
        measure=held.measure,
        error=float(np.abs(own).mean()) if len(own) else UNKNOWN,
        bias=float(own.mean()) if len(own) else UNKNOWN,
        errors=errors,
        n=len(own),
        n_refused=int(gone.sum()),
        why_refused=next((why for why, none in zip(reasons, gone, strict=True) if none), ""),
        untrained=(*beyond.untrained(model, held.axes, held.rows[held.trained], held.rows[asked]), *_left_out(held)),
        n_outside=int(model.leaves(held.rows[asked]).sum()),
        near=tuple(NearGroup(name, far, dict(errors).get(name, UNKNOWN)) for name, far in near),
        usual=usual,
        split=_split(held),
        runs=runs,
    )


def _left_out(held: Held) -> tuple[Untrained, ...]:
    """Return the metrics that the model left out because they never varied in training, and that do in the group."""
    frame, found = held.frame, []
    for j in (j for j, name in enumerate(frame.names) if name not in held.model.names):
        trained, asked = frame.X[held.trained, j], frame.X[held.asked, j]
        other = asked[asked != trained[0]]
        if np.ptp(trained) == 0 and len(other):
            value, known = float(np.median(other)), float(trained[0])
            share = len(other) / len(asked)
            found.append(Untrained(frame.metrics[j], beyond.CONSTANT, value, known, known, share, np.inf, 0.0))
    return tuple(found)


def _split(held: Held) -> Split | None:
    model, y, rows = held.model, held.frame.y, held.rows
    asked, trained = (own[np.isfinite(model.predict_scaled(rows[own]))] for own in (held.asked, held.trained))
    if not len(asked) or not len(trained):
        return None
    asked, trained = evenly(asked, MOST_SPLIT), evenly(trained, MOST_TRAINED)
    apart = cdist(held.axes.places(rows[asked]), held.axes.places(rows[trained]))
    near = np.argsort(np.round(apart, 9), axis=1, kind="stable")[:, :NEIGHBOURS]
    return split(model, held.measure, rows[asked], y[asked], rows[trained], y[trained], near)


def _near(places: FloatArray, held: Held) -> tuple[list[tuple[str, float]], float]:
    """Return the nearest trained groups with their distances, and how far trained trials are from other groups."""
    to, texts = evenly(held.trained, MOST_TRAINED), held.texts
    apart = cdist(places[evenly(held.asked, MOST_ASKED)], places[to])
    own = {name: float(np.median(apart[:, texts[to] == name].min(axis=1))) for name in sorted(set(texts[to].tolist()))}
    some = evenly(held.trained, MOST_ASKED)
    among = cdist(places[some], places[to])
    among[texts[some][:, None] == texts[to][None, :]] = np.inf
    nearest = among.min(axis=1)
    usual = float(np.median(nearest)) if np.isfinite(nearest).all() else UNKNOWN
    return sorted(own.items(), key=lambda pair: (pair[1], pair[0]))[:MOST_NEAR], usual
