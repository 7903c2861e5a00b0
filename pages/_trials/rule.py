"""One rule of curation: its options, what it would do and why, and the button that applies it."""

import inspect

import streamlit as st

from core.curate import RULES, Judgement, Rule
from core.report.figures.trials import repeats_strip, spread_curves
from core.report.trials.curation import Effect, configurations, effect, repeat_strip, spread_change
from core.report.trials.repeats import already_made, reasons_table
from core.trial import Measured
from pages._ui.choices import pick
from pages._ui.database import kept, stamp, store
from pages._ui.drawn import count, literal, noted, number, short_distinct, short_texts, show, table
from pages._ui.forms import options_form

_SHOWN_REASONS = 500
_SHOWN_CONFIGURATIONS = 200
_LONGEST = 60
_APPLY = "Apply this rule"
_ORDER = ("warmup", "mad", "iqr", "zero", "multiplexed", "constant", "duplicates", "giveaway", "tail")


def draw_rule(dataset: str, measured: Measured, response: str) -> None:
    """Let the user choose a rule and its options, show what it would do, and offer to apply it.

    Raises
    ------
    RidgelineError
        If the rule does not fit the dataset, or its options are wrong.
    """
    names = [*(n for n in _ORDER if n in RULES), *(n for n in RULES if n not in _ORDER)]
    help = "What it would do is shown below before anything changes."
    name = pick("Rule", names, "rule", help, words=lambda n: RULES[n].label)
    cls = RULES[name]
    st.caption(
        literal((inspect.getdoc(cls) or "").partition("\n")[0]),
        help="Trials of one application, input, machine and setting of parameters are repeats of one configuration, "
        "numbered in the order they were measured.",
    )
    with st.grid(3, min_column_width=220):
        rule = cls(**options_form(cls, f"rule_{name}"))
    found = _judged(stamp(dataset), rule.said(response), measured, rule, response)
    _draw_effect(found)
    _offer(dataset, measured, rule, found)
    reasons = reasons_table(found, measured)
    if len(reasons):
        with st.expander(f"Each of them, with the reason ({len(reasons):,})", key="reasons_open"):
            shown = short_texts(reasons.head(_SHOWN_REASONS))
            table(shown, key="reasons", values=reasons, alt="Trials and metrics that the rule speaks of, with reasons")
    if found.response:
        _draw_repeats(found, measured, found.judgement)


def _offer(dataset: str, measured: Measured, rule: Rule, found: Effect) -> None:
    """Offer to apply the rule, if that would change what counts."""
    said = found.judgement
    ids = frozenset(said.excluded)
    held = {h.metric: h.reason for h in store().curation.hidden(dataset) if h.rule == rule.name}
    in_force = ids == measured.excluded.get(rule.name, frozenset()) and said.hidden.keys() == held.keys()
    if in_force and already_made(said, measured):
        if ids or held or said.derived:
            st.caption("This is in force.")
        return
    replaces = found.n_in_force or held
    label, meaning = ("Apply it instead", "In place of what this rule said before.") if replaces else (_APPLY, None)
    if st.button(label, key=f"apply_rule_{dataset}", type="primary", icon=":material/check:", help=meaning):
        made, text = said.made(measured.ids), rule.said(found.response)
        store().curation.apply(dataset, rule.name, said.excluded, said.hidden, made, text)
        st.rerun()


def _draw_effect(found: Effect) -> None:
    """Say what a rule would do, and show the spread of repeats before and after."""
    said = found.judgement
    parts = [
        f"leave out {count(found.n_excluded, 'trial')} of {found.n_trials:,}" if found.n_excluded else "",
        f"hide {count(len(said.hidden), 'metric')}" if said.hidden else "",
        f"flag {count(len(said.flagged), 'metric')}" if said.flagged else "",
        f"make {count(len(said.derived), 'metric')}" if said.derived else "",
    ]
    told = ", ".join(part for part in parts if part)
    if told:
        st.markdown(f"**It would {told}.**")
    elif found.n_in_force:
        st.markdown(f"**It would leave out nothing; {count(found.n_in_force, 'trial')} would count again.**")
    else:
        st.markdown("**It finds nothing here to leave out or to hide.**")
    for note in noted(said.notes):
        st.caption(literal(note))
    if found.n_excluded and found.before and found.after:
        with st.grid(2, min_column_width=200, gap="small"):
            _spread_metric("Spread of repeats, typical", found.before.median, found.after.median)
            _spread_metric("Spread, 90th percentile", found.before.p90, found.after.p90)


def _spread_metric(label: str, before: float | None, after: float | None) -> None:
    if before is None or after is None:
        return
    now, moved = f"{number(after, 3)} %", f"{number(after - before, 2)} points"
    help = f"Standard deviation over mean of the repeats of a configuration; {number(before, 3)} % before."
    st.metric(label, now, moved, delta_color="inverse", border=True, help=help)


def _draw_repeats(found: Effect, measured: Measured, said: Judgement) -> None:
    """Show the repeats of one configuration, in and out, and the spread of all."""
    known = configurations(measured, found.response)
    if not known:
        st.caption("No configuration was measured more than once, so there are no repeats to compare.")
        return
    of_trial = dict(zip(measured.ids, measured.configuration.tolist(), strict=True))
    hit: dict[int, int] = {}
    for trial in said.excluded:
        hit[of_trial[trial]] = hit.get(of_trial[trial], 0) + 1
    offered = sorted(known, key=lambda c: -hit.get(c.number, 0))[:_SHOWN_CONFIGURATIONS]
    cut = short_distinct((c.name for c in offered), _LONGEST)
    names = {c.number: f"{hit.get(c.number, 0)} of {c.n_repeats} out: {cut[c.name]}" for c in offered}
    left, right = st.columns(2)
    with left:
        chosen = st.selectbox("Repeats of", list(names), format_func=names.__getitem__, key="strip")
        if chosen is not None:
            show(repeats_strip(repeat_strip(measured, found.response, chosen, found.rule, said)), key="repeats_strip")
    if found.n_excluded:
        with right:
            st.markdown("**Spread of all configurations, before and after**")
            show(spread_curves(spread_change(measured, found)), key="spread_curves")


@kept(lambda at, said, measured, rule, response: (at, said, response), 16, "Judging …")
def _judged(at: str, said: str, measured: Measured, rule: Rule, response: str) -> Effect:
    return effect(measured, rule, response)
