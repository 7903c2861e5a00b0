"""The Metrics view: which go together, and with the response."""

import streamlit as st

from core.report.figures.trials import correlation_map, response_bars
from core.report.trials.metrics import METHODS
from pages._explore.values import Shown, correlation_of
from pages._ui.choices import switch
from pages._ui.drawn import count, listed, literal, show

TITLE, PLACE = "Metrics", 2


def draw(shown: Shown) -> None:
    """Draw the correlations of the metrics with each other and with the response."""
    frame = shown.frame
    help = (
        "Linear is Pearson's, after the logarithm of metrics that span more than a decade. "
        "Rank is Spearman's: it sees any rise, straight or not."
    )
    value = correlation_of(frame, switch("Correlation", METHODS, "correlation", help))
    with st.grid(2, min_column_width=480, gap="medium"):
        with st.container():
            st.header("Metrics with each other", anchor=False)
            show(correlation_map(value), "correlation_map")
            st.caption("Blocks of strong colour are metrics that say the same: few components can stand for them.")
        with st.container():
            st.header(literal(f"Metrics with {frame.response.name}"), anchor=False)
            show(response_bars(value), "response_bars")
            st.caption("The square of a bar is the share of the variance that the metric explains alone, by a line.")
    if value.constant:
        n = count(len(value.constant), "metric")
        st.caption(literal(f"Left out because constant over these trials: {n}: {listed(value.constant)}."))
