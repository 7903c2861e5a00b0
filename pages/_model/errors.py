"""The view of what the model gets wrong: residuals, and the worst trials."""

from typing import TYPE_CHECKING

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.figures.outcome import residuals
from core.report.shared.outcome import Outcome, outcome_table, worst_rows
from core.trial import Frame
from pages._model.predictions import choose_colour
from pages._ui.charts import table
from pages._ui.pictures import chosen_rows, show
from pages._ui.text import count

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def draw(model: FittedPipeline, frame: Frame, value: Outcome, row: "DeltaGenerator") -> None:
    """Draw residuals over predictions and the worst trials in a table.

    Parameters
    ----------
    row : for what changes the picture
    """
    st.caption("Residuals should show no pattern: a bend or a wedge is something that the model misses.")
    with row:
        colour = choose_colour(model, frame, value, "residual_shade")
    event = show(residuals(value, colour), "residuals", select=True)
    rows = chosen_rows(event)
    places = value.places_of(rows) if rows else worst_rows(value, 25)
    title = count(len(places), "chosen trial") if rows else "The worst trials"
    st.header(title, anchor=False)
    table(outcome_table(value, frame, places), "worst_trials", alt=f"{title}, measured and predicted")
