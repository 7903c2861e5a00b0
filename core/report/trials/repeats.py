"""Configurations measured more than once, how far trials are from their repeats, and what rules say of trials."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.codec import Frozen, IntArray
from core.curate import RULES, Judgement
from core.errors import count
from core.report.shared.naming import trial_names
from core.report.trials.curation import Effect, configuration_names
from core.store.cards import AuditCard, HiddenCard
from core.trial import Frame, Measured


class Repeats(Frozen):
    """The configurations of a frame that were measured more than once.

    Attributes
    ----------
    n_configurations : different configurations, measured once or more often
    table : a row per configuration with repeats, widest spread first: what ran where, its trials, the lowest, median
        and highest response, and their spread, (highest - lowest) / |median| in percent, NaN where the median is 0
    typical_spread : median of the spreads in percent; None without repeats
    """

    n_configurations: int
    table: pd.DataFrame
    typical_spread: float | None


def repeats(frame: Frame) -> Repeats:
    """Find the configurations with more than one trial."""
    known = pd.Series(frame.y).groupby(frame.configuration).agg(["size", "min", "median", "max"])
    several = (known["size"] > 1).to_numpy()
    first = np.unique(frame.configuration, return_index=True)[1][several]
    found = known[several]
    spread = (100 * (found["max"] - found["min"]) / found["median"].abs()).where(found["median"] != 0)
    table = found.assign(spread=spread).sort_values("spread", ascending=False, kind="stable", na_position="last")
    table.insert(0, "name", pd.Series(trial_names(frame.take(first)), index=found.index, dtype=object))
    values = [f"{end} {frame.response}" for end in ("lowest", "median", "highest")]
    table.columns = ["configuration", "trials", *values, "spread (% of median)"]
    typical = float(spread.median()) if spread.notna().any() else None
    return Repeats(len(known), table.reset_index(drop=True), typical)


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
    reasons = [", ".join(why.get(measured.ids[i], ())) for i in rows]
    return pd.DataFrame({**_trials(measured, response, rows), "left out by": reasons})


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
        *(("made", str(d.metric), count(int(np.isfinite(d.values).sum()), "trial")) for d in said.derived),
    ]
    if not len(rows):
        return pd.DataFrame(metrics, columns=["what", "metric", "why"])
    reasons = {"why": list(said.excluded.values()), "id": list(said.excluded)}
    trials = pd.DataFrame({"what": "left out", **_trials(measured, found.response, rows), **reasons})
    if not metrics:
        return trials
    return pd.concat([trials, pd.DataFrame(metrics, columns=["what", "trial", "why"])], ignore_index=True)


def _trials(measured: Measured, response: str, rows: IntArray) -> dict[str, object]:
    """Return what ran where, which run it was, and the response, if there is one."""
    titled = [str(m) for m in measured.metrics if m.name == response]
    values = {title: measured.column(response)[rows] for title in titled}
    return {"trial": configuration_names(measured, rows), "run": measured.run[rows], **values}
