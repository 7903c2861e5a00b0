"""Trials left out by hand: chosen in a table, with a reason, and let in again."""

from zlib import crc32

import streamlit as st

from core.curate import BY_HAND
from core.errors import OptionError
from core.report.trials.repeats import furthest, furthest_table
from core.trial import Measured
from pages._ui.charts import table
from pages._ui.columns import short_texts
from pages._ui.database import stamp, store
from pages._ui.text import count

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
    values = short_texts(furthest_table(measured, response, rows))
    # The key changes with the trials, so that a tick never comes to stand beside another trial.
    event = table(
        values,
        key=f"by_hand_{crc32(f'{stamp(dataset)} {response}'.encode()):08x}",
        download=False,
        alt="Trials to leave out by hand",
        on_select="rerun",
        selection_mode="multi-row",
        height=320,
    )
    return [measured.ids[rows[i]] for i in event["selection"]["rows"] if i < len(rows)]


def _leave_out(dataset: str, ids: list[str], reason: str) -> None:
    if not ids:
        raise OptionError("No trial is ticked, or the trials changed meanwhile. Tick them in the table above.")
    if not reason:
        raise OptionError("Leaving out by hand needs a reason, so that others see why. Give one above.")
    store().curation.exclude(dataset, ids, BY_HAND, reason)
    st.rerun()
