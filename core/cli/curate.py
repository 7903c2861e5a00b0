"""`ridgeline curate`: which trials count, by rule or by hand, and why; nothing is deleted."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.cli._frame import add_set, options_told, settings_of
from core.cli.base import Arguments, Parser, Report, Verb, add_dataset, flag, names, open_store
from core.codec import fields_of
from core.curate import BY_HAND, RULES, Rule, choose_response
from core.errors import OptionError, count
from core.report.trials.curation import Effect, effect, standings
from core.store import Store
from core.store.cards import AuditCard
from core.trial import Measured


class CurateVerb(Verb):
    """Say by rule or by hand which trials and metrics count."""

    group = "look at files and trials"
    examples = ("ridgeline curate --dataset mine --rule mad", "ridgeline curate --dataset mine")

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_dataset(parser)
        flag(parser, "--rule RULE", f"one of {', '.join(RULES)}; without it: what is in force")
        flag(parser, "--response METRIC", "to judge by; the only response if not given", default="")
        add_set(parser, "the rule")
        flag(parser, "--dry-run", "say what the rule would do, and change nothing")
        flag(parser, "--undo", "take back what the rule said, or what --exclude did")
        flag(parser, "--exclude ID[,ID]", "leave out trials by hand")
        flag(parser, "--reason TEXT", "why the trials of --exclude do not count", default="")

    def told(self, words: Sequence[str]) -> list[str]:
        """Return the options of the rule that is named."""
        return options_told(words, "curate --rule RULE", RULES)

    def run(self, a: Arguments) -> Report:
        """Judge and write, take back, or list."""
        _check(a)
        with open_store(a) as store:
            if a.exclude is not None:
                return _by_hand(store, a)
            if a.undo:
                return _undo(store, a)
            return _apply(store, a) if a.rule else _overview(store, a.dataset)


def _check(a: Arguments) -> None:
    if a.exclude is not None and (a.rule or a.dry_run or a.set or a.response):
        raise OptionError("--exclude is by hand, and takes --reason, or --undo, and no rule.")
    if a.exclude is not None and not names(a.exclude):
        raise OptionError("--exclude takes the ids of trials, as curate --json and the page's table give them.")
    if a.exclude is not None and not a.undo and not a.reason.strip():
        raise OptionError("--exclude needs a --reason, so that others see why the trials do not count.")
    if a.undo and (a.dry_run or (not a.rule and a.exclude is None)):
        raise OptionError("--undo takes back a --rule, or what --exclude did; name one, without --dry-run.")
    if a.reason and a.exclude is None:
        raise OptionError("--reason goes with --exclude; a rule gives its reasons itself.")
    if not a.rule and a.exclude is None and (a.set or a.dry_run or a.response):
        raise OptionError(f"--set, --response and --dry-run need a --rule; there are: {', '.join(RULES)}.")


def _apply(store: Store, a: Arguments) -> Report:
    rule = RULES.find(a.rule).parse(settings_of(a))
    measured = store.measured(a.dataset)
    found = effect(measured, rule, _response(measured, rule, a))
    applied, said = not a.dry_run, found.judgement
    if applied:
        store.curation.apply(
            a.dataset, rule.name, said.excluded, said.hidden, said.made(measured.ids), rule.said(found.response)
        )
    return Report(effect_lines(found, a.dataset, applied=applied), effect_plain(found, a.dataset, applied=applied))


def _response(measured: Measured, rule: Rule, a: Arguments) -> str:
    """Return the response to judge by; for a rule that looks at none, the only one there is, or ""."""
    try:
        return choose_response(measured.metrics, a.response, a.dataset)
    except OptionError:
        if a.response or rule.of_response:
            raise
        return ""


def _undo(store: Store, a: Arguments) -> Report:
    measured = store.measured(a.dataset)
    if a.rule not in (*RULES, BY_HAND, *measured.excluded):
        RULES.find(a.rule)
    n = len(measured.excluded.get(a.rule, ()))
    hidden = [h.metric for h in store.curation.hidden(a.dataset) if h.rule == a.rule]
    store.curation.undo(a.dataset, a.rule)
    left = {m.name for m in store.metric_names(a.dataset)}
    gone = [m.name for m in measured.metrics if m.name not in left]
    told = {"n_trials": len(measured), "n_included": n, "shown": hidden, "removed": gone}
    plain = {**fields_of(a, "dataset rule"), "undone": True, **told}
    parts = [
        f"{a.rule} on {a.dataset} is taken back: {count(n, 'trial')} no longer left out by it",
        f"{count(len(hidden), 'metric')} shown again" if hidden else "",
        f"{', '.join(gone)} is gone" if gone else "",
    ]
    return Report([", ".join(part for part in parts if part)], plain)


def _by_hand(store: Store, a: Arguments) -> Report:
    ids = list(dict.fromkeys(names(a.exclude) or ()))
    if a.undo:
        out = {card.trial for card in store.curation.exclusions(a.dataset) if card.rule == BY_HAND}
        store.curation.include(a.dataset, ids, BY_HAND)
        ids = [id for id in ids if id in out]
    else:
        store.curation.exclude(a.dataset, ids, BY_HAND, a.reason.strip())
    what = "no longer left out by hand" if a.undo else f"left out by hand: {a.reason.strip()}"
    plain = {"dataset": a.dataset, "rule": BY_HAND, "undone": a.undo, "ids": ids, "reason": a.reason.strip()}
    return Report([f"{count(len(ids), 'trial')} of {a.dataset} {what}"], plain)


def _overview(store: Store, dataset: str) -> Report:
    measured, audit = store.measured(dataset), store.curation.audit(dataset)
    out = set().union(*measured.excluded.values())
    rules = in_force(store, dataset, measured)
    counts = {"n_trials": len(measured), "n_excluded": len(out)}
    plain = {"dataset": dataset, **counts, "rules": rules, "audit": [audit_plain(card) for card in audit]}
    lines = [
        f"{dataset}: {len(measured) - len(out):,} of {len(measured):,} trials count",
        *(force_line(r) for r in rules),
        *(audit_line(card) for card in audit),
        f"rules: {', '.join(RULES)}",
    ]
    return Report(lines, plain)


SHOWN = 10


def in_force(store: Store, dataset: str, measured: Measured) -> list[dict[str, Any]]:
    """Return what each rule does that leaves out a trial, hides a metric or made one."""
    standing = {s.rule: s for s in standings(measured)}
    hidden = [(h.rule, h.metric) for h in store.curation.hidden(dataset)]
    derived = [(c.rule, c.metric.name) for c in store.metrics(dataset) if c.rule]
    return [
        {
            "rule": rule,
            "n_excluded": standing[rule].n_excluded if rule in standing else 0,
            "n_excluded_alone": standing[rule].n_alone if rule in standing else 0,
            "hidden": [metric for by, metric in hidden if by == rule],
            "derived": [metric for by, metric in derived if by == rule],
        }
        for rule in sorted({*standing, *(by for by, _ in hidden + derived)})
    ]


def force_line(r: dict[str, Any]) -> str:
    """Return what a rule does at present as a person reads it."""
    parts = [
        f"leaves out {count(r['n_excluded'], 'trial')}, {r['n_excluded_alone']:,} of them alone"
        if r["n_excluded"]
        else "",
        f"hides {', '.join(r['hidden'])}" if r["hidden"] else "",
        f"derives {', '.join(r['derived'])}" if r["derived"] else "",
    ]
    return f"  {r['rule']}: {'; '.join(part for part in parts if part)}"


def effect_plain(found: Effect, dataset: str, *, applied: bool) -> dict[str, Any]:
    """Return what a rule did, or would do, for `--json`."""
    said, before, after = found.judgement, found.before, found.after
    return {
        "dataset": dataset,
        **fields_of(found, "rule response"),
        "applied": applied,
        **fields_of(found, "n_trials n_counted=n_after n_excluded"),
        "excluded": [{"id": id, "reason": why} for id, why in said.excluded.items()],
        "hidden": [{"metric": name, "reason": why} for name, why in said.hidden.items()],
        "flagged": [{"metric": name, "reason": why} for name, why in said.flagged.items()],
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
        *_some([f"{id}: {why}" for id, why in said.excluded.items()]),
        *_some([f"hidden {name}: {why}" for name, why in said.hidden.items()]),
        *_some([f"flagged {name}: {why}" for name, why in said.flagged.items()]),
        *(f"  derived {d.metric} for {count(int(np.isfinite(d.values).sum()), 'trial')}" for d in said.derived),
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
        f"{count(before.n_configurations, 'configuration')} with repeats"
    ]


def audit_plain(card: AuditCard) -> dict[str, Any]:
    """Return a row of the audit trail for `--json`."""
    return {"at": card.at.isoformat(timespec="seconds"), **fields_of(card, "action rule reason n_trials n_metrics")}


def audit_line(card: AuditCard) -> str:
    """Return a row of the audit trail as a person reads it."""
    why = f"; {card.reason}" if card.reason else ""
    counts = f"{count(card.n_trials, 'trial')}, {count(card.n_metrics, 'metric')}"
    return f"  {card.at:%Y-%m-%d %H:%M:%S}  {card.action} {card.rule}: {counts}{why}"
