"""Models: what was kept, what two of them have in common, predictions from them, and files of models from elsewhere."""

import streamlit as st

from pages._models.compare import draw_compare
from pages._models.predict import draw_predict
from pages._models.saved import draw_saved
from pages._models.upload import draw_upload
from pages._models.view import KEY, VIEWS, take_next
from pages._ui.database import store
from pages._ui.page import guard, page

_DRAWN = (draw_saved, draw_compare, draw_predict, draw_upload)

with page(
    "Models", "Models that you saved: look at them, compare them, take them away, or predict the rows of a file."
):
    take_next()
    cards = store().models()
    for tab, draw in zip(st.tabs(VIEWS, key=KEY, on_change="rerun", bind="query-params"), _DRAWN, strict=True):
        if tab.open:
            with tab, guard():
                draw(cards)
