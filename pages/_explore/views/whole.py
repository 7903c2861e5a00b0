"""The view of all rows of a folder, of which the other views show a sample."""

import streamlit as st

from core.report.figures.trials import correlation_map, histogram, response_bars
from core.report.trials.metrics import metric_table, whole_correlation, whole_distribution
from pages._explore.values import Shown
from pages._ui.database import folder_summary
from pages._ui.drawn import literal, show, table

TITLE, PLACE = "All rows", 5


def offered(shown: Shown) -> bool:
    """Whether the dataset is a folder."""
    return shown.folder


def draw(shown: Shown) -> None:
    """Draw what was counted in all rows: ranges and quantiles, the response, correlations."""
    summary, response = folder_summary(shown.dataset), shown.frame.response.name
    st.caption(
        f"Counted in all {summary.n_trials:,} rows when the folder was added; filters and chosen metrics do not count "
        "here. The other views show a sample."
    )
    st.header("Metrics", anchor=False)
    table(metric_table(summary), "whole_metrics", alt="Metrics over all rows")
    st.caption(
        "5 % of the rows lie below the value at 5 %, half below the one at 50 %. "
        "Where a metric has more than a thousand different values, they are read from counts in 960 bins."
    )
    st.header(literal(f"Distribution of {response}"), anchor=False)
    show(histogram(whole_distribution(summary, response), height=280), "whole_distribution")
    found = whole_correlation(summary, response)
    if found is None:
        st.caption("Correlations are counted for 2 to 60 metrics; the Metrics view has those of the sample.")
        return
    st.header("Metrics with each other", anchor=False)
    st.caption("Pearson's correlation, after the logarithm of metrics that span more than a decade.")
    show(correlation_map(found), "whole_correlation_map")
    st.header(literal(f"Metrics with {response}"), anchor=False)
    show(response_bars(found), "whole_response_bars")
