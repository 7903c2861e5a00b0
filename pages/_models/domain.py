"""How rows of a file stand to the trials that a model learnt from: the nearest of them, and drift."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.compare.versus import drift_sentence, drift_table, rows_drift
from core.report.model.nearest import nearest_table
from core.report.model.predictions import PredictedRows
from pages._ui.charts import table
from pages._ui.text import literal


def draw_nearest(found: PredictedRows, model: FittedPipeline) -> None:
    """Let the user choose a row and show the trained trials that are most like it."""
    if not len(model.domain.landmarks):
        return
    with st.expander("Trained trials that are nearest to a row", key="nearest_open"):
        help = "Counted from 1. It begins with the first row outside the trained range."
        row = st.number_input("Row", 1, len(found), found.first_outside + 1, key="nearest_row", help=help)
        why = found.predictions.why[row - 1]
        st.markdown(literal(f"Outside: {why}." if why else "The row lies inside the trained range."))
        near = nearest_table(model, found.X[row - 1])
        if not len(near):
            st.caption("The row has no value of a metric, so it is near to nothing.")
            return
        table(near, "nearest_trials", alt="Trained trials nearest to the row")
        st.caption(
            "The model keeps up to 200 of its trials, chosen to cover all of them. A distance of 1 is a standard "
            "deviation of the trained trials; the farther the nearest, the more the model is guessing."
        )


def draw_drift(found: PredictedRows, model: FittedPipeline) -> None:
    """Say whether the rows are like the trained trials, and in which metrics they are not."""
    drift = rows_drift(found, model)
    if drift is None:
        return
    with st.expander("Do these rows resemble the trained trials?", key="drift_open"):
        st.markdown(literal(drift_sentence(drift, model, found.scores)))
        table(drift_table(drift), "drift", alt="How far each metric has moved")
        st.caption(
            "The stability index compares the shares of rows between the trained deciles: below 0.1 is alike, above "
            "0.25 is far, if it is more than chance explains. The largest distance is between the two distributions."
        )
