"""Which trials count, and why: rules tried before they are applied, trials left out by hand, all of it reversible."""

import inspect
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.curate import BY_HAND, RULES, Judgement, Rule
from core.report.curation import Effect, configurations, effect, repeat_strip, spread_change, standings
from core.report.figures import repeats_strip, spread_curves
from core.store import AuditCard, HiddenCard
from core.trial import Measured
from pages._trials.by_hand import draw_by_hand
from pages._trials.compared import draw_compared
from pages._ui import cached
from pages._ui.charts import table
from pages._ui.database import stamp, store
from pages._ui.forms import options_form
from pages._ui.pictures import show
from pages._ui.state import choose_repeats, choose_response, choose_where
from pages._ui.text import count, listed, literal, number

_SHOWN_REASONS = 500
_ORDER = ("warmup", "mad", "iqr", "zero", "multiplexed", "constant", "duplicates", "giveaway", "tail")


def draw_curation(dataset: str) -> None:
    """Show what is in force, try a rule, leave out by hand, compare, and show the trail."""
    response, where, repeats = choose_response(dataset), choose_where(dataset), choose_repeats(dataset)
    measured = cached.measured(dataset)
    _draw_standing(dataset, measured)
    st.subheader("Try a rule", anchor=False)
    _draw_rule(dataset, measured, response)
    draw_by_hand(dataset, measured, response)
    draw_compared(dataset, response, where, repeats)
    _draw_audit(store().audit(dataset))


def _draw_standing(dataset: str, measured: Measured) -> None:
    """Say how many trials count, and offer to take each rule back."""
    rules, hidden = standings(measured), store().hidden(dataset)
    out = len(set().union(*measured.excluded.values()))
    st.markdown(
        f"**{len(measured) - out:,} of {count(len(measured), 'trial')} count.** Nothing is deleted: a rule says which "
        "trials do not count and why, and can be taken back."
    )
    names = list(dict.fromkeys([*(r.rule for r in rules), *(h.rule for h in hidden)]))
    for name in names:
        standing = next((r for r in rules if r.rule == name), None)
        own = [h for h in hidden if h.rule == name]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{literal(_label(name))}**: {literal(_standing(standing.n_excluded if standing else 0, own))}"
            )
            if st.button("Take back", key=f"undo_{name}", icon=":material/undo:", type="tertiary"):
                store().uncurate(dataset, name)
                st.rerun()


def _standing(n_excluded: int, hidden: Sequence[HiddenCard]) -> str:
    parts = [f"{count(n_excluded, 'trial')} left out"] if n_excluded else []
    parts += [f"hides {listed([h.metric for h in hidden])}"] if hidden else []
    return ", ".join(parts)


def _draw_rule(dataset: str, measured: Measured, response: str) -> None:
    names = [*(n for n in _ORDER if n in RULES), *(n for n in RULES if n not in _ORDER)]
    name = st.selectbox(
        "Rule", names, format_func=_label, key="rule", bind="query-params",
        help="What it would do is shown below before anything changes.",
    )  # fmt: skip
    cls = RULES[name or names[0]]
    st.caption(literal(_first_sentence(cls)))
    with st.grid(3, min_column_width=220):
        rule = cls(**options_form(cls, f"rule_{cls.__module__.rpartition('.')[2]}"))
    found = _judged(stamp(dataset), rule.said(response), measured, rule, response)
    _draw_effect(found, measured)
    done = found.n_in_force and found.n_in_force == found.n_excluded
    label = "Apply again" if done else "Apply this rule"
    if _changes(found) and st.button(label, key="apply_rule", type="primary", icon=":material/check:"):
        said = found.judgement
        texts = said.why_excluded(), said.why_hidden()
        store().curate(dataset, rule.name, *texts, said.made(measured.ids), rule.said(found.response))
        st.rerun()


def _draw_effect(found: Effect, measured: Measured) -> None:
    """Show what a rule would do: counts, spread before and after, the repeats themselves, every reason."""
    said = found.judgement
    with st.grid(4, min_column_width=140, gap="small"):
        st.metric("Would leave out", f"{found.n_excluded:,} trials", border=True)
        if said.hidden or said.flagged or said.derived:
            st.metric("Metrics hidden", f"{len(said.hidden):,}", border=True)
            st.metric("Metrics flagged", f"{len(said.flagged):,}", border=True)
            st.metric("Metrics made", f"{len(said.derived):,}", border=True)
        if found.n_excluded and found.before and found.after:
            _spread_metric("Typical spread of repeats", found.before.median, found.after.median)
            _spread_metric("90th percentile of spreads", found.before.p90, found.after.p90)
    for note in said.notes:
        st.caption(literal(note))
    reasons = found.table()
    if len(reasons):
        shown = reasons.head(_SHOWN_REASONS)
        with st.expander(f"Each of them, with the reason ({len(reasons):,})", key="reasons_open"):
            table(shown, key="reasons", values=reasons, alt="Trials and metrics that the rule speaks of, with reasons")
    if found.response:
        _draw_repeats(found, measured, said)


def _spread_metric(label: str, before: float | None, after: float | None) -> None:
    if before is None or after is None:
        return
    st.metric(
        label, f"{number(after, 3)} %", f"{number(after - before, 2)} points", delta_color="inverse", border=True,
        help=f"Standard deviation over mean of the repeats of a configuration; {number(before, 3)} % before.",
    )  # fmt: skip


def _draw_repeats(found: Effect, measured: Measured, said: Judgement) -> None:
    """Show the repeats of one configuration, in and out, and the spread of all."""
    known = configurations(measured, found.response)
    if not known:
        st.caption("No configuration was measured more than once.")
        return
    of_trial = dict(zip(measured.ids, measured.configuration.tolist(), strict=True))
    hit: dict[int, int] = {}
    for exclusion in said.exclusions:
        hit[of_trial[exclusion.trial_id]] = hit.get(of_trial[exclusion.trial_id], 0) + 1
    offered = sorted(known, key=lambda c: -hit.get(c.number, 0))[:200]
    names = {c.number: f"{c.name} ({hit.get(c.number, 0)} of {c.n_repeats} left out)" for c in offered}
    left, right = st.columns(2)
    with left:
        number_ = st.selectbox("Repeats of", list(names), format_func=names.__getitem__, key="strip")
        if number_ is not None:
            show(repeats_strip(repeat_strip(measured, found.response, number_, found.rule, said)), key="repeats_strip")
    if found.n_excluded:
        with right:
            st.markdown("**Spread of all configurations, before and after**")
            show(spread_curves(spread_change(measured, found)), key="spread_curves")


def _draw_audit(audit: Sequence[AuditCard]) -> None:
    with st.expander(f"Audit trail ({count(len(audit), 'entry', 'entries')})", key="audit_open"):
        if not audit:
            st.caption("Nothing has been left out of this dataset, or taken back, so far.")
            return
        values = pd.DataFrame({
            "at": [f"{a.at:%Y-%m-%d %H:%M:%S}" for a in audit],
            "action": [a.action for a in audit],
            "rule": [_label(a.rule) for a in audit],
            "reason": [a.reason for a in audit],
            "trials": [a.n_trials for a in audit],
            "metrics": [a.n_metrics for a in audit],
        })  # fmt: skip
        table(values, key="audit", alt="What was done to the trials of this dataset, and when")


def _changes(found: Effect) -> bool:
    said = found.judgement
    return bool(found.n_excluded or said.hidden or said.derived or found.n_in_force)


def _label(name: str) -> str:
    return RULES[name].label if name in RULES else "By hand" if name == BY_HAND else name


def _first_sentence(cls: type[Rule]) -> str:
    return (inspect.getdoc(cls) or "").partition("\n")[0]


@st.cache_resource(max_entries=16, ttl="1h", show_spinner="Judging …")
def _judged(at: str, said: str, _measured: Measured, _rule: Rule, response: str) -> Effect:
    return effect(_measured, _rule, response)
