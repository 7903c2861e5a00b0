"""Models: what was kept, and predictions from it."""

import streamlit as st

from pages._models.predict import draw_predict
from pages._models.saved import draw_saved
from pages._models.view import KEY, VIEWS, take_next
from pages._ui.database import store
from pages._ui.page import guard, page

with page("Models", "Models that you saved: look at them, take them away, or predict the rows of a file."):
    take_next()
    cards = store().models()
    saved, predict = st.tabs(VIEWS, key=KEY, on_change="rerun", bind="query-params")
    if saved.open:
        with saved, guard():
            draw_saved(cards)
    if predict.open:
        with predict, guard():
            draw_predict(cards)
