"""Configurations measured more than once, how far trials are from their repeats, and what rules say of trials."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray, IntArray
from core.curate import RULES, Judgement
from core.report.shared.columns import columns_of
from core.report.shared.naming import trial_names
from core.report.trials.curation import Effect, configuration_names
from core.store.cards import AuditCard, HiddenCard
from core.trial import Frame, Measured, Metric


@dataclass(frozen=True)
class Repeated:
    """One configuration with several trials.

    Attributes
    ----------
    name : "application · input · machine"
    low, median, high : of the response, in its unit
    spread : (high - low) / |median| in percent; None where the median is 0
    """

    name: str
    n_trials: int
    low: float
    median: float
    high: float
    spread: float | None


@dataclass(frozen=True)
class Repeats:
    """All repeats of a frame, widest spread first.

    Attributes
    ----------
    n_configurations : different configurations, measured once or more often
    typical_spread : median of the spreads in percent; None without repeats
    """

    response: Metric
    n_configurations: int
    repeated: tuple[Repeated, ...]
    typical_spread: float | None


def repeats(frame: Frame) -> Repeats:
    """Find the configurations with more than one trial."""
    order = np.argsort(frame.configuration, kind="stable")
    starts = np.flatnonzero(np.diff(frame.configuration[order], prepend=-1))
    groups = [rows for rows in np.split(order, starts[1:]) if len(rows) > 1]
    names = trial_names(frame) if groups else ()
    found = [_repeated(names[rows[0]], np.sort(frame.y[rows])) for rows in groups]
    found.sort(key=lambda r: -1.0 if r.spread is None else r.spread, reverse=True)
    spreads = [r.spread for r in found if r.spread is not None]
    typical = float(np.median(spreads)) if spreads else None
    return Repeats(frame.response, len(starts), tuple(found), typical)


def repeats_table(value: Repeats) -> pd.DataFrame:
    """Return a row per configuration with repeats."""
    titles = (
        "configuration: name | trials: n_trials | lowest: low | median | highest: high | spread (% of median): spread"
    )
    ends = {end: f"{end} {value.response}" for end in ("lowest", "median", "highest")}
    return pd.DataFrame(columns_of(value.repeated, titles)).rename(columns=ends)


def _repeated(name: str, y: FloatArray) -> Repeated:
    low, median, high = float(y[0]), float(np.median(y)), float(y[-1])
    spread = 100 * (high - low) / abs(median) if median else None
    return Repeated(name, len(y), low, median, high, spread)


def furthest(measured: Measured, response: str, first: frozenset[str] = frozenset(), limit: int = 2000) -> IntArray:
    """Return rows: those of `first`, then by relative distance to the median of their configuration, far ones first."""
    y = pd.Series(measured.column(response))
    middle = y.groupby(measured.configuration).transform("median")
    size = middle.abs()
    distance = ((y - middle).abs() / size.where(size > 0)).fillna(-1.0).to_numpy()
    mine = np.array([id in first for id in measured.ids], dtype=bool)
    return np.lexsort((np.arange(len(y)), -distance, ~mine))[:limit].astype(np.int64)


def furthest_table(measured: Measured, response: str, rows: IntArray) -> pd.DataFrame:
    """Return the trials of some rows: what ran where, which repeat, the response, and the rules that exclude it."""
    why: dict[str, list[str]] = {}
    for rule, ids in sorted(measured.excluded.items()):
        for id in ids:
            why.setdefault(id, []).append(RULES[rule].label if rule in RULES else rule)
    titled = next(str(m) for m in measured.metrics if m.name == response)
    return pd.DataFrame(
        {
            "trial": configuration_names(measured, rows),
            "run": measured.run[rows],
            titled: measured.column(response)[rows],
            "left out by": [", ".join(why.get(measured.ids[i], ())) for i in rows],
        }
    )


def made_metrics(audit: Sequence[AuditCard], hidden: Sequence[HiddenCard], measured: Measured) -> dict[str, list[str]]:
    """Return by rule the metrics that it made and that are there.

    Parameters
    ----------
    audit : the last entry first
    """
    last: dict[str, AuditCard] = {}
    for card in audit:
        if card.action in ("curate", "uncurate"):
            last.setdefault(card.rule, card)
    there = {m.name for m in measured.metrics}
    found = {}
    for rule, card in last.items():
        own = {h.metric for h in hidden if h.rule == rule}
        names = [name for name in card.metrics if name in there and name not in own]
        if names and card.action == "curate":
            found[rule] = names
    return found


def already_made(said: Judgement, measured: Measured) -> bool:
    """Whether all that a rule would make is there, with the same values."""
    names = {m.name for m in measured.metrics}
    return all(
        d.metric.name in names and np.array_equal(measured.column(d.metric.name), d.values, equal_nan=True)
        for d in said.derived
    )


def reasons_table(found: Effect, measured: Measured) -> pd.DataFrame:
    """Return a row per trial or metric that a rule speaks of; of trials what ran where, which run, and the response."""
    said = found.judgement
    row_of = {id: row for row, id in enumerate(measured.ids)}
    rows = np.array([row_of[id] for id in said.excluded], dtype=np.int64)
    metrics = [
        *(("hidden", *told) for told in said.hidden.items()),
        *(("flagged", *told) for told in said.flagged.items()),
        *(("made", str(d.metric), f"{int(np.isfinite(d.values).sum()):,} trials") for d in said.derived),
    ]
    if not len(rows):
        return pd.DataFrame(metrics, columns=["what", "metric", "why"])
    trials = pd.DataFrame(
        {
            "what": "left out",
            "trial": configuration_names(measured, rows),
            "run": measured.run[rows],
            **_response(found, measured, rows),
            "why": list(said.excluded.values()),
            "id": list(said.excluded),
        }
    )
    if not metrics:
        return trials
    return pd.concat([trials, pd.DataFrame(metrics, columns=["what", "trial", "why"])], ignore_index=True)


def _response(found: Effect, measured: Measured, rows: IntArray) -> dict[str, object]:
    if not found.response:
        return {}
    titled = next(str(m) for m in measured.metrics if m.name == found.response)
    return {titled: measured.column(found.response)[rows]}
