"""Which trials count, and why: what is in force, rules to try, single trials, what it changes, and the trail."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.curate import BY_HAND, RULES
from core.report.trials.curation import standings
from core.report.trials.repeats import made_metrics
from core.store.cards import AuditCard
from core.trial import Measured
from pages._trials.by_hand import draw_by_hand
from pages._trials.compared import draw_compared
from pages._trials.rule import draw_rule
from pages._ui import cached
from pages._ui.charts import table
from pages._ui.database import store
from pages._ui.page import guard
from pages._ui.state import card_of, choose_repeats, choose_response, choose_where
from pages._ui.text import count, listed, literal, short

TITLE, PLACE = "Curate", 2

_ACTIONS = {
    "curate": "rule applied",
    "uncurate": "rule taken back",
    "exclude": "left out",
    "include": "counts again",
    "machine": "machine changed",
}


def draw(dataset: str | None) -> None:
    """Show what is in force, try a rule, leave out by hand, compare, and show the trail."""
    if dataset is None:
        return
    if card_of(dataset).folder:
        st.info(
            "This dataset is a folder of Parquet files that is only read, so all of its rows count. To leave some out, "
            "filter them in the sidebar, or import a part of them as a dataset of its own."
        )
        return
    response, where, repeats = choose_response(dataset), choose_where(dataset), choose_repeats(dataset)
    measured = cached.measured(dataset)
    audit = store().curation.audit(dataset)
    _draw_standing(dataset, measured, audit)
    if where:
        st.caption("Rules judge all trials of the dataset; the filters in the sidebar hold for the comparison below.")
    st.header("Try a rule", anchor=False)
    with guard():
        draw_rule(dataset, measured, response)
    with guard():
        draw_by_hand(dataset, measured, response)
    draw_compared(dataset, measured, response, where, repeats)
    _draw_audit(audit)


def _draw_standing(dataset: str, measured: Measured, audit: Sequence[AuditCard]) -> None:
    """Say how many trials count, and offer to take each rule back."""
    rules, hidden = standings(measured), store().curation.hidden(dataset)
    made = made_metrics(audit, hidden, measured)
    out = len(set().union(*measured.excluded.values()))
    st.markdown(
        f"**{len(measured) - out:,} of {count(len(measured), 'trial')} count.** Nothing is deleted: a rule says which "
        "trials do not count and why, and can be taken back."
    )
    for name in dict.fromkeys([*(r.rule for r in rules), *(h.rule for h in hidden), *made]):
        n = next((r.n_excluded for r in rules if r.rule == name), 0)
        said = _standing(n, [h.metric for h in hidden if h.rule == name], made.get(name, ()))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{literal(_label(name))}**: {literal(said)}")
            if st.button("Take back", key=f"undo_{name}_{dataset}", icon=":material/undo:", type="tertiary"):
                store().curation.undo(dataset, name)
                st.rerun()


def _standing(n_excluded: int, hidden: Sequence[str], made: Sequence[str]) -> str:
    parts = [f"{count(n_excluded, 'trial')} left out"] if n_excluded else []
    parts += [f"hides {listed(map(short, hidden))}"] if hidden else []
    parts += [f"makes {listed(map(short, made))}"] if made else []
    return ", ".join(parts)


def _draw_audit(audit: Sequence[AuditCard]) -> None:
    with st.expander(f"Audit trail ({count(len(audit), 'entry', 'entries')})", key="audit_open"):
        if not audit:
            st.caption("Nothing has been left out of this dataset, or taken back, so far.")
            return
        values = pd.DataFrame(
            {
                "at": [f"{a.at:%Y-%m-%d %H:%M:%S}" for a in audit],
                "what": [_ACTIONS.get(a.action, a.action) for a in audit],
                "rule": [_label(a.rule) for a in audit],
                "reason": [a.reason for a in audit],
                "trials": [a.n_trials for a in audit],
                "metrics": [a.n_metrics for a in audit],
            }
        )
        table(values, key="audit", alt="What was done to the trials of this dataset, and when")


def _label(name: str) -> str:
    return RULES[name].label if name in RULES else "By hand" if name == BY_HAND else name
