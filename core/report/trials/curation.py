"""What curation does: each rule's judgement, spread before and after, repeats in and out, a model with and without."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.curate import Judgement, Rule, Spread, counted, run_to_run, variation
from core.progress import Progress, part, silent
from core.recipes.base import Recipe
from core.report.shared.naming import row_of
from core.report.shared.scorecard import ScoreCard, score_card
from core.trial import Frame, Kind, Measured, Metric
from core.validate.crossval import Validation, cross_validate
from core.validate.folds import FoldPlan
from core.validate.scores import Scores, score


class Effect(Frozen):
    """What one rule says of a dataset, and what comes of it.

    Attributes
    ----------
    rule, label : its name and what people call it
    response : what it judged by, or ""
    n_trials : all trials, counted or not
    n_after : trials that count with the rule; other rules stay in force
    n_in_force : trials that it excludes at present
    before, after : run-to-run spread without the rule and with it; None without a response
    """

    rule: str
    label: str
    response: str
    judgement: Judgement
    n_trials: int
    n_after: int
    n_in_force: int
    before: Spread | None
    after: Spread | None

    @property
    def n_excluded(self) -> int:
        """How many trials the rule excludes."""
        return len(self.judgement.excluded)


class Standing(Frozen):
    """A rule in force: how many trials it excludes, and how many of them no other rule does."""

    rule: str
    n_excluded: int
    n_alone: int


class Configuration(Frozen):
    """A configuration with repeats.

    Attributes
    ----------
    number : as in `Measured.configuration`
    name : "application · input · machine", with the parameters that differ
    spread : standard deviation / |mean| of the repeats that count, in percent; None if under two count
    """

    number: int
    name: str
    n_repeats: int
    n_excluded: int
    spread: float | None


class RepeatStrip(Frozen):
    """The repeats of one configuration in the order they were measured.

    Attributes
    ----------
    run : array of shape (n_repeats,), ascending
    y : array of shape (n_repeats,), NaN where missing
    counts : array of shape (n_repeats,), whether a repeat counts
    why : per repeat, the rules that exclude it, or ""
    median : of the repeats that count; None if none does
    """

    name: str
    response: Metric
    ids: tuple[str, ...]
    run: IntArray
    y: FloatArray
    counts: BoolArray
    why: tuple[str, ...]
    median: float | None

    def table(self) -> pd.DataFrame:
        """Return a row per repeat."""
        measured = {"run": self.run, str(self.response): self.y}
        return pd.DataFrame({**measured, **row_of(self, "counts | excluded by: why | id: ids")})


class SpreadChange(Frozen):
    """Run-to-run spread of every configuration with repeats, without a rule and with it.

    Attributes
    ----------
    before, after : arrays of the spreads in percent, ascending
    """

    response: str
    rule: str
    before: FloatArray
    after: FloatArray


def effect(measured: Measured, rule: Rule, response: str) -> Effect:
    """Judge a dataset by a rule; `response` may be "" for a rule that looks at none."""
    judgement = rule.judge(measured, response)
    before = counted(measured, without=rule.name)
    after = before & ~_excluded(measured, judgement)
    y = measured.column(response) if response else None
    spreads = [None if y is None else run_to_run(y, measured.configuration, there) for there in (before, after)]
    return Effect(
        rule=rule.name,
        label=rule.label,
        response=response,
        judgement=judgement,
        n_trials=len(measured),
        n_after=int(after.sum()),
        n_in_force=len(measured.excluded.get(rule.name, ())),
        before=spreads[0],
        after=spreads[1],
    )


def standings(measured: Measured) -> tuple[Standing, ...]:
    """Return the rules in force, by name."""
    alone = {rule: int((counted(measured, without=rule) & ~counted(measured)).sum()) for rule in measured.excluded}
    return tuple(Standing(r, len(ids), alone[r]) for r, ids in sorted(measured.excluded.items()) if ids)


def configurations(measured: Measured, response: str) -> tuple[Configuration, ...]:
    """Return the configurations with repeats: most excluded trials first, then the widest spread."""
    there = counted(measured)
    numbers, first, size = np.unique(measured.configuration, return_index=True, return_counts=True)
    out = np.bincount(np.searchsorted(numbers, measured.configuration), weights=~there)
    known, spread = variation(measured.column(response), measured.configuration, there)
    spreads = dict(zip(known.tolist(), (100 * spread).tolist(), strict=True))
    names = configuration_names(measured, first)
    found = [
        Configuration(int(c), name, int(n), int(x), spreads.get(int(c)))
        for c, name, n, x in zip(numbers, names, size, out, strict=True)
        if n > 1
    ]
    return tuple(sorted(found, key=lambda c: (-c.n_excluded, -(c.spread or 0.0), c.name)))


def configuration_names(measured: Measured, rows: IntArray) -> tuple[str, ...]:
    """Name the configurations of some rows by what ran where, and by the parameters that differ in the dataset."""
    settings = [
        (m.name, x)
        for m, x in zip(measured.metrics, measured.values.T, strict=True)
        if m.kind == Kind.PARAMETER and len(np.unique(x[np.isfinite(x)])) > 1
    ]
    named = []
    for i in rows.tolist():
        roles = (measured.application[i], measured.input[i], measured.machine[i])
        parts = [part for part in roles if part] + [f"{name} {x[i]:.15g}" for name, x in settings if np.isfinite(x[i])]
        named.append(" · ".join(parts) or measured.ids[i])
    return tuple(named)


def repeat_strip(
    measured: Measured, response: str, configuration: int, rule: str = "", judgement: Judgement | None = None
) -> RepeatStrip:
    """Return the repeats of a configuration and which of them count.

    Parameters
    ----------
    rule, judgement : a rule's new judgement, shown in place of what that rule said before
    """
    rows = np.flatnonzero(measured.configuration == configuration)
    rows = rows[np.argsort(measured.run[rows], kind="stable")]
    standing = {name: ids for name, ids in measured.excluded.items() if judgement is None or name != rule}
    if judgement is not None:
        standing[rule] = frozenset(judgement.excluded)
    ids = tuple(measured.ids[i] for i in rows)
    why = tuple(", ".join(name for name in sorted(standing) if id in standing[name]) for id in ids)
    counts = np.array([not w for w in why], dtype=np.bool_)
    y = measured.column(response)[rows]
    good = y[counts & np.isfinite(y)]
    return RepeatStrip(
        name=configuration_names(measured, rows[:1])[0] if len(rows) else "",
        response=next(m for m in measured.metrics if m.name == response),
        ids=ids,
        run=measured.run[rows],
        y=y,
        counts=counts,
        why=why,
        median=float(np.median(good)) if len(good) else None,
    )


def spread_change(measured: Measured, found: Effect) -> SpreadChange:
    """Return the spread of every configuration without the rule and with it."""
    y, before = measured.column(found.response), counted(measured, without=found.rule)
    masks = (before, before & ~_excluded(measured, found.judgement))
    spreads = [np.sort(100 * variation(y, measured.configuration, there)[1]) for there in masks]
    return SpreadChange(found.response, found.label, spreads[0], spreads[1])


def _excluded(measured: Measured, judgement: Judgement) -> BoolArray:
    return np.fromiter((i in judgement.excluded for i in measured.ids), dtype=np.bool_, count=len(measured))


class Difference(Frozen):
    """Two validations of one recipe, scored on the trials that count in both.

    Attributes
    ----------
    everything, counted : scores of models that learnt from all trials, and from those that count
    n_scored : trials that both predict
    """

    everything: Scores
    counted: Scores
    n_scored: int

    def card(self, frame: Frame) -> ScoreCard:
        """Return both side by side."""
        columns = {"learnt from all trials": self.everything, "learnt from those that count": self.counted}
        return score_card(columns, frame.response)

    def table(self, frame: Frame) -> pd.DataFrame:
        """Return the card as a table."""
        return self.card(frame).table()


def difference(
    recipe: Recipe,
    everything: Frame,
    counted: Frame,
    plan: FoldPlan,
    seed: int = 0,
    progress: Progress = silent,
    configuration: Mapping[str, int] | None = None,
) -> Difference:
    """Cross-validate a recipe on both frames; both are scored on the trials that count.

    An excluded trial would score a model by a value that is not believed, so such trials may
    teach the first model but score neither.

    Parameters
    ----------
    configuration : by trial, where each row stands for the repeats of one: rows are then paired by
        it, because the trial that names a row may be one that was left out

    Raises
    ------
    FitError
        If the trials allow no model, or no folds.
    """
    recipe = recipe.asking(plan)
    first = cross_validate(recipe.fit, everything, plan, seed, part(progress, 0.0, 0.5))
    second = cross_validate(recipe.fit, counted, plan, seed, part(progress, 0.5, 1.0))
    names = [[configuration[id] if configuration else id for id in frame.ids] for frame in (everything, counted)]
    rows = {name: i for i, name in enumerate(names[0])}
    pairs = [(rows[name], i) for i, name in enumerate(names[1]) if name in rows]
    held = [(a, b) for a, b in pairs if first.fold_of_row[a] >= 0 and second.fold_of_row[b] >= 0]
    a = np.array([pair[0] for pair in held], dtype=np.int64)
    b = np.array([pair[1] for pair in held], dtype=np.int64)
    return Difference(
        everything=_scored(first, counted.y[b], a), counted=_scored(second, counted.y[b], b), n_scored=len(held)
    )


def _scored(validation: Validation, y: FloatArray, rows: IntArray) -> Scores:
    return score(y, validation.predicted[rows], validation.low[rows], validation.high[rows])
