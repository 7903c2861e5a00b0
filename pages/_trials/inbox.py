"""The inbox: trials that other programs delivered, waiting or set aside."""

import pandas as pd
import streamlit as st

from core.store.inbox import Inbox
from pages._ui.charts import table
from pages._ui.database import store
from pages._ui.text import count, literal


def draw_inbox() -> None:
    """Say what waits in the inbox and what was set aside; nothing, while it is empty."""
    inbox = Inbox(store().path)
    status = inbox.status()
    if status.n_waiting:
        st.caption(f"{count(status.n_waiting, 'file')} in the inbox, stored within seconds.")
    if not status.bad:
        return
    with st.expander(f"{count(len(status.bad), 'file')} of the inbox set aside", key="inbox_open"):
        st.caption(
            literal(f"They are in {status.folder / 'bad'}, with the reason beside each. Mend them, then try again.")
        )
        values = pd.DataFrame({"file": [name for name, _ in status.bad], "why": [why for _, why in status.bad]})
        table(values, key="inbox_bad", alt="Files of the inbox that were set aside, and why", download=False)
        if st.button("Try them again", key="inbox_retry", icon=":material/replay:"):
            inbox.retry()
            st.rerun()
