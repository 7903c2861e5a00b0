"""Which trials count, and why: what is in force, rules, trials by hand, what leaving them out is worth, the trail."""

from collections.abc import Sequence
from functools import partial
from zlib import crc32

import pandas as pd
import streamlit as st

from core.curate import BY_HAND, RULES
from core.errors import OptionError
from core.recipes import make_recipe
from core.report.shared.naming import columns_of
from core.report.shared.scorecard import folds_in_words
from core.report.trials.curation import Difference, difference, standings
from core.report.trials.repeats import furthest, furthest_table, made_metrics
from core.store.cards import AuditCard, Condition
from core.trial import Measured
from core.validate.folds import default_folds
from pages._trials.rule import draw_rule
from pages._ui import database
from pages._ui.database import stamp, store
from pages._ui.drawn import count, listed, literal, number, percent, short, short_texts, table
from pages._ui.jobs import begun, computed, key_of
from pages._ui.page import guard
from pages._ui.state import card_of, choose_repeats, choose_response, choose_where


def draw_compared(dataset: str, measured: Measured, response: str, where: tuple[Condition, ...], repeats: str) -> None:
    """Offer the comparison, and show it when it is there."""
    title = "What does it change? A model with and without the trials left out"
    view = st.expander(title, key="compared_open", on_change="rerun")
    if not view.open:
        return
    with view, guard():
        counted = database.frame(dataset, response, None, where, repeats)
        everything = database.everything(dataset, response, where, repeats)
        if everything.digest() == counted.digest():
            st.caption("Nothing that a model would see is left out at present, so there is no difference.")
            return
        recipe, plan = make_recipe("eiger"), default_folds(counted)
        one_each = counted.n_repeats is None
        whole = None if one_each else dict(zip(measured.ids, measured.configuration.tolist(), strict=True))
        st.caption(literal(f"{recipe.label}, {folds_in_words(str(plan))}; both are scored on the trials that count."))
        key = key_of(stamp(dataset), everything.digest(), counted.digest())
        icon = ":material/compare_arrows:"
        if not begun("difference", key, "Compare", key="compare_curation", icon=icon):
            return
        made = partial(difference, recipe, everything, counted, plan, 0, configuration=whole)
        found = computed("difference", "With and without the trials left out", key, made)
        if found is None:
            return
        with st.grid(3, min_column_width=200, gap="small"):
            st.metric("Mean error, all trials", percent(found.everything.mape), border=True)
            label, error = "Mean error, those that count", percent(found.counted.mape)
            st.metric(label, error, _delta(found), delta_color="inverse", border=True)
            st.metric("Scored", count(found.n_scored, "trial" if one_each else "configuration"), border=True)
        table(found.table(counted), key="difference", alt="Scores with and without the trials left out")


def _delta(found: Difference) -> str | None:
    if found.everything.mape is None or found.counted.mape is None:
        return None
    return f"{number(found.counted.mape - found.everything.mape, 3)} points"


_SHOWN = 2000


def draw_by_hand(dataset: str, measured: Measured, response: str) -> None:
    """Offer to leave out single trials, and to let those in again.

    Raises
    ------
    OptionError
        If no trial is chosen, or there is no reason.
    """
    view = st.expander("Leave out single trials by hand", key="by_hand_open", on_change="rerun")
    if not view.open:
        return
    with view:
        excluded = measured.excluded.get(BY_HAND, frozenset())
        ids = _choose(dataset, measured, response, excluded)
        reason = st.text_input("Reason", key="by_hand_reason", max_chars=300, placeholder="such as: machine was shared")
        back = [id for id in ids if id in excluded]
        with st.container(horizontal=True):
            out = st.button(f"Leave out {count(len(ids), 'trial')}", key=f"by_hand_out_{dataset}", disabled=not ids)
            again = back and st.button(f"Let {count(len(back), 'trial')} count again", key=f"by_hand_in_{dataset}")
        if out:
            _leave_out(dataset, ids, (reason or "").strip())
        if again:
            store().curation.include(dataset, back, BY_HAND)
            st.rerun()


def _choose(dataset: str, measured: Measured, response: str, excluded: frozenset[str]) -> list[str]:
    """Show trials, those left out by hand and odd ones first, and return the ids of the rows chosen."""
    rows = furthest(measured, response, excluded, _SHOWN)
    st.caption(
        "Tick rows, say why, and leave them out. First come trials left out by hand, then those furthest from the "
        "median of their repeats" + (f"; {_SHOWN:,} of {len(measured):,} are shown." if len(measured) > _SHOWN else ".")
    )
    values, alt = short_texts(furthest_table(measured, response, rows)), "Trials to leave out by hand"
    # The key changes with the trials, so that a tick never comes to stand beside another trial.
    key = f"by_hand_{crc32(f'{stamp(dataset)} {response}'.encode()):08x}"
    event = table(values, key, alt, download=False, on_select="rerun", selection_mode="multi-row", height=320)
    return [measured.ids[rows[i]] for i in event["selection"]["rows"] if i < len(rows)]


def _leave_out(dataset: str, ids: list[str], reason: str) -> None:
    if not ids:
        raise OptionError("No trial is ticked, or the trials changed meanwhile. Tick them in the table above.")
    if not reason:
        raise OptionError("Leaving out by hand needs a reason, so that others see why. Give one above.")
    store().curation.exclude(dataset, ids, BY_HAND, reason)
    st.rerun()


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
    measured = database.measured(dataset)
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
                **columns_of(audit, "reason | trials: n_trials | metrics: n_metrics"),
            }
        )
        table(values, key="audit", alt="What was done to the trials of this dataset, and when")


def _label(name: str) -> str:
    return RULES[name].label if name in RULES else "By hand" if name == BY_HAND else name
