"""Metrics that rules of curation made, by what the audit trail says."""

from collections.abc import Sequence

import numpy as np

from core.curate import Judgement
from core.store import AuditCard, HiddenCard
from core.trial import Measured


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
