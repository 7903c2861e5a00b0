"""Trials left out by hand: chosen in a table, with a reason, and let in again."""

import streamlit as st

from core.curate import BY_HAND
from core.errors import OptionError
from core.report.furthest import furthest, furthest_table
from core.trial import Measured
from pages._ui.charts import table
from pages._ui.database import store
from pages._ui.text import count

_SHOWN = 2000


def draw_by_hand(dataset: str, measured: Measured, response: str) -> None:
    """Offer to leave out single trials, and to let those in again."""
    with st.expander("Leave out single trials by hand", key="by_hand_open"):
        excluded = measured.excluded.get(BY_HAND, frozenset())
        rows = furthest(measured, response, excluded, _SHOWN)
        st.caption(
            "Choose rows, say why, and leave them out. Trials furthest from the median of their repeats come first"
            + (f"; {_SHOWN:,} of {len(measured):,} are shown." if len(measured) > _SHOWN else ".")
        )
        values = furthest_table(measured, response, rows)
        event = table(
            values, key="by_hand", alt="Trials to leave out by hand", download=False, on_select="rerun",
            selection_mode="multi-row", height=320,
        )  # fmt: skip
        ids = [measured.ids[rows[i]] for i in event["selection"]["rows"]]
        reason = st.text_input("Reason", key="by_hand_reason", max_chars=300, placeholder="such as: machine was shared")
        with st.container(horizontal=True):
            if st.button(f"Leave out {count(len(ids), 'trial')}", key="by_hand_out", disabled=not ids):
                if not (reason or "").strip():
                    raise OptionError("Leaving out by hand needs a reason, so that others see why. Give one above.")
                store().exclude(dataset, ids, BY_HAND, (reason or "").strip())
                st.rerun()
            back = [i for i in ids if i in excluded]
            if back and st.button(f"Let {count(len(back), 'trial')} count again", key="by_hand_in"):
                store().include(dataset, back, BY_HAND)
                st.rerun()
