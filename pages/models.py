"""Models: what was kept, what two of them have in common, predictions from them, and files of models from elsewhere."""

import streamlit as st

from pages._models.view import KEY, take_next
from pages._ui.database import store
from pages._ui.page import guard, page
from pages._ui.views import views_of

VIEWS = views_of("models")

with page(
    "Models", "Models that you saved: look at them, compare them, take them away, or predict the rows of a file."
):
    take_next()
    cards = store().models()
    tabs = st.tabs(tuple(VIEWS), key=KEY, on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, VIEWS.values(), strict=True):
        if tab.open:
            with tab, guard():
                draw(cards)
