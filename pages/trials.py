"""Trials: what was measured, and how more of it gets in."""

import streamlit as st

from pages._trials import receipts
from pages._trials.inbox import draw_inbox
from pages._trials.view import KEY, take_next
from pages._ui.page import guard, page
from pages._ui.state import choose_dataset
from pages._ui.views import views_of

VIEWS = views_of("trials")

with page(
    "Trials",
    "Measurements to learn from. Look at a dataset, say which trials count, upload your own, or load a sample.",
):
    receipts.draw_last()
    draw_inbox()
    take_next()
    tabs = st.tabs(tuple(VIEWS), key=KEY, on_change="rerun", bind="query-params")
    chosen = choose_dataset()
    for tab, draw in zip(tabs, VIEWS.values(), strict=True):
        if tab.open:
            with tab, guard():
                draw(chosen)
