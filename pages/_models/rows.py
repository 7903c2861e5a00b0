"""Rows that a saved model is asked for: one by hand, with its why, and how those of a file stand to trained trials."""

import streamlit as st

from core.codec import FloatArray
from core.pipeline import FittedPipeline
from core.report.compare.versus import drift_sentence, drift_table, rows_drift
from core.report.figures.effects import waterfall
from core.report.model.one_row import Dial, answer_one, dials, row_of
from core.report.model.predictions import PredictedRows
from core.report.model.why import nearest_table, why
from core.report.shared.naming import interval, quantity
from pages._ui.choices import toggle
from pages._ui.drawn import count, literal, number, show, table
from pages._ui.page import fragment
from pages._ui.work import computed, key_of


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


@fragment()
def draw_by_hand(model: FittedPipeline, key: str) -> None:
    """Draw an input for each metric that matters, and the prediction.

    Parameters
    ----------
    key : what the model is known by
    """
    offered = dials(model)
    head = st.container()
    with st.grid(4, min_column_width=150):
        values = {dial.number: _input(dial, f"dial_{key[:12]}_{dial.number}") for dial in offered}
    left = len(model.metrics) - len(offered)
    if left:
        st.caption(f"{count(left, 'further metric')} stay in the middle of their trained range.")
    row = row_of(model, values)
    said = answer_one(model, row)
    with head:
        first, second = st.columns(2)
        first.metric(literal(str(model.response)), quantity(said.value, model.response), border=True)
        covered = f"{100 * model.interval.nominal:.0f} % interval" if model.interval else "Interval"
        second.metric(covered, interval(said.low, said.high), border=True)
        if said.why:
            st.warning(literal(f"Take care: {said.why}."), icon=":material/warning:")
    _draw_why(model, row, key)


def _input(dial: Dial, key: str) -> float:
    known = dial.low is not None and dial.high is not None
    trained = f"Trained from {number(dial.low)} to {number(dial.high)}." if known else "The trained range is not known."
    step = float(f"{(dial.high - dial.low) / 20:.1g}") if known and dial.high > dial.low else 1.0
    found = st.number_input(
        literal(str(dial.metric)), value=dial.start, step=step, format="%g", key=key, help=literal(trained)
    )
    return float(found if found is not None else dial.start)


def _draw_why(model: FittedPipeline, row: FloatArray, key: str) -> None:
    """Draw what each metric adds to the prediction of a row, once somebody asks.

    Parameters
    ----------
    key : what the model is known by
    """
    help = "Shapley values of the metrics, from the average of training trials to this row."
    if not toggle("Why this prediction", "by_hand_why", help):
        return
    found = computed("why", "Taking the prediction apart", key_of(key, row.tobytes()), lambda _: why(model, row))
    if found is not None:
        show(waterfall(found), "why_waterfall")
