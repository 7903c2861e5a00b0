"""What `curate` reports: a rule's effect, what is in force, and the audit trail, as values and as lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.codec import fields_of
from core.report.trials.curation import Effect, standings
from core.store import Store
from core.store.cards import AuditCard
from core.trial import Measured

SHOWN = 10


@dataclass(frozen=True)
class InForce:
    """What one rule does at present."""

    rule: str
    n_excluded: int
    n_excluded_alone: int
    hidden: tuple[str, ...]
    derived: tuple[str, ...]


def in_force(store: Store, dataset: str, measured: Measured) -> list[InForce]:
    """Return the rules that leave out a trial, hide a metric or made one."""
    standing = {s.rule: s for s in standings(measured)}
    hidden = [(h.rule, h.metric) for h in store.curation.hidden(dataset)]
    derived = [(c.rule, c.metric.name) for c in store.metrics(dataset) if c.rule]
    return [
        InForce(
            rule=rule,
            n_excluded=standing[rule].n_excluded if rule in standing else 0,
            n_excluded_alone=standing[rule].n_alone if rule in standing else 0,
            hidden=tuple(metric for by, metric in hidden if by == rule),
            derived=tuple(metric for by, metric in derived if by == rule),
        )
        for rule in sorted({*standing, *(by for by, _ in hidden + derived)})
    ]


def force_line(r: InForce) -> str:
    """Return what a rule does at present as a person reads it."""
    parts = [
        f"leaves out {r.n_excluded:,} trials, {r.n_excluded_alone:,} of them alone" if r.n_excluded else "",
        f"hides {', '.join(r.hidden)}" if r.hidden else "",
        f"derives {', '.join(r.derived)}" if r.derived else "",
    ]
    return f"  {r.rule}: {'; '.join(part for part in parts if part)}"


def effect_plain(found: Effect, dataset: str, *, applied: bool) -> dict[str, Any]:
    """Return what a rule did, or would do, for `--json`."""
    said, before, after = found.judgement, found.before, found.after
    return {
        "dataset": dataset,
        **fields_of(found, "rule response"),
        "applied": applied,
        **fields_of(found, "n_trials n_counted=n_after n_excluded"),
        "excluded": [{"id": e.trial_id, "reason": e.reason} for e in said.exclusions],
        "hidden": [{"metric": h.metric_name, "reason": h.reason} for h in said.hidden],
        "flagged": [{"metric": f.metric_name, "reason": f.reason} for f in said.flagged],
        "derived": [
            {"metric": d.metric.name, "unit": d.metric.unit, "n_trials": int(np.isfinite(d.values).sum())}
            for d in said.derived
        ],
        "spread_before": before.median if before else None,
        "spread_after": after.median if after else None,
        "spread_before_p90": before.p90 if before else None,
        "spread_after_p90": after.p90 if after else None,
        "n_configurations_with_repeats": before.n_configurations if before else None,
        "notes": list(said.notes),
    }


def effect_lines(found: Effect, dataset: str, *, applied: bool) -> list[str]:
    """Return it as a person reads it, of many reasons the first ten."""
    said, of = found.judgement, f" by {found.response}" if found.response else ""
    would = "leaves" if applied else "would leave"
    replaced = f" (before: {found.n_in_force:,})" if found.n_in_force else ""
    return [
        f"{found.rule} on {dataset}{of} {would} out {found.n_excluded:,} of {found.n_trials:,} trials{replaced}; "
        f"{found.n_after:,} count",
        *_some([f"{e.trial_id}: {e.reason}" for e in said.exclusions]),
        *_some([f"hidden {h.metric_name}: {h.reason}" for h in said.hidden]),
        *_some([f"flagged {f.metric_name}: {f.reason}" for f in said.flagged]),
        *(f"  derived {d.metric} for {int(np.isfinite(d.values).sum()):,} trials" for d in said.derived),
        *_spread_line(found),
        *(f"note: {note}" for note in said.notes),
    ]


def _some(lines: Sequence[str]) -> list[str]:
    more = [f"  … and {len(lines) - SHOWN:,} more; --json lists them all"] if len(lines) > SHOWN else []
    return [*(f"  {line}" for line in lines[:SHOWN]), *more]


def _spread_line(found: Effect) -> list[str]:
    before, after = found.before, found.after
    if not found.n_excluded or before is None or after is None or before.median is None or after.median is None:
        return []
    return [
        f"run-to-run spread of {found.response} (standard deviation / mean of the repeats): "
        f"median {before.median:.3g} % before, {after.median:.3g} % after; "
        f"90th percentile {before.p90:.3g} % before, {after.p90:.3g} % after; "
        f"{before.n_configurations:,} configurations with repeats"
    ]


def audit_plain(card: AuditCard) -> dict[str, Any]:
    """Return a row of the audit trail for `--json`."""
    return {"at": card.at.isoformat(timespec="seconds"), **fields_of(card, "action rule reason n_trials n_metrics")}


def audit_line(card: AuditCard) -> str:
    """Return a row of the audit trail as a person reads it."""
    why = f"; {card.reason}" if card.reason else ""
    counts = f"{card.n_trials:,} trials, {card.n_metrics:,} metrics"
    return f"  {card.at:%Y-%m-%d %H:%M:%S}  {card.action} {card.rule}: {counts}{why}"
