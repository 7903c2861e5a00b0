"""The view of what the model gets wrong: residuals, and the worst trials."""

import streamlit as st

from core.report.figures.outcome import residuals
from core.report.shared.outcome import outcome_table, worst_rows
from pages._model.shown import Shown
from pages._model.views.predictions import choose_colour
from pages._ui.drawn import chosen_rows, count, show, table

TITLE, PLACE = "Errors", 4


def draw(shown: Shown) -> None:
    """Draw residuals over predictions and the worst trials in a table."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        value = shown.choose_outcome()
        colour = choose_colour(shown, value, "residual_shade")
    with st.grid(2, min_column_width=480):
        with st.container(gap="small"):
            rows = chosen_rows(show(residuals(value, colour), "residuals", select=True))
            st.caption("Residuals should show no pattern: a bend or a wedge is something that the model misses.")
        with st.container(gap="small"):
            places = value.places_of(rows) if rows else worst_rows(value, 25)
            title = count(len(places), "chosen trial") if rows else "The worst trials"
            st.header(title, anchor=False)
            table(outcome_table(value, shown.frame, places), "worst_trials", alt=f"{title}, measured and predicted")
