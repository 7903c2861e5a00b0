"""Trials: what was measured, and how more of it gets in."""

from pages._trials import receipts
from pages._trials.receipts import KEY
from pages._ui.page import draw_open, page, views_of
from pages._ui.state import choose_dataset

with page(
    "Trials",
    "Measurements to learn from. Look at a dataset, say which trials count, upload your own, or load a sample.",
):
    receipts.draw_last()
    receipts.draw_inbox()
    draw_open(views_of("trials"), KEY, choose_dataset())
