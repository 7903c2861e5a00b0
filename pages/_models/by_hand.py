"""One prediction by hand: set the metrics, see what the model says."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.model.one_row import Dial, answer_one, dials, row_of
from core.report.shared.naming import interval, quantity
from pages._models.why import draw_why
from pages._ui.page import fragment
from pages._ui.text import count, literal, number


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
    draw_why(model, row, key)


def _input(dial: Dial, key: str) -> float:
    known = dial.low is not None and dial.high is not None
    trained = f"Trained from {number(dial.low)} to {number(dial.high)}." if known else "The trained range is not known."
    step = float(f"{(dial.high - dial.low) / 20:.1g}") if known and dial.high > dial.low else 1.0
    found = st.number_input(
        literal(str(dial.metric)), value=dial.start, step=step, format="%g", key=key, help=literal(trained)
    )
    return float(found if found is not None else dial.start)
