"""Trials: what was measured, and how more of it gets in."""

import streamlit as st

from pages._trials import receipts
from pages._trials.curation import draw_curation
from pages._trials.dataset import draw_dataset
from pages._trials.inbox import draw_inbox
from pages._trials.samples import draw_samples
from pages._trials.upload import draw_upload
from pages._trials.view import KEY, VIEWS, take_next
from pages._ui.page import guard, page
from pages._ui.state import choose_dataset

with page(
    "Trials",
    "Measurements to learn from. Look at a dataset, say which trials count, upload your own, or load a sample.",
):
    receipts.draw_last()
    draw_inbox()
    take_next()
    dataset, curation, upload, samples = st.tabs(VIEWS, key=KEY, on_change="rerun", bind="query-params")
    chosen = choose_dataset()
    if dataset.open and chosen is not None:
        with dataset, guard():
            draw_dataset(chosen)
    if curation.open and chosen is not None:
        with curation, guard():
            draw_curation(chosen)
    if upload.open:
        with upload, guard():
            draw_upload()
    if samples.open:
        with samples, guard():
            draw_samples()
