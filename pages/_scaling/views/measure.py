"""The Measure next view: which further run of a kernel tells most of its surface."""

import streamlit as st

from core.report.figures.scaling import next_curve
from core.report.scaling.race import next_runs
from pages._scaling.study import Asked
from pages._ui.choices import whole
from pages._ui.drawn import literal, show, table

TITLE, PLACE = "Measure next", 7


def draw(asked: Asked) -> None:
    """Let the user say how many runs there can be, and draw where to make them."""
    most = max(1, min(20, asked.study.n_configurations - 1))
    found = next_runs(asked.relative, whole("Runs besides the base", 1, most, min(4, most), "next_runs", width=240))
    st.markdown(literal(found.sentence()))
    show(next_curve(found), "next_curve", download=False)
    table(found.table(), "next_table", alt="Configurations to measure, in order", digits=3)
    st.caption(
        "The same for every kernel: it follows from how surfaces of known kernels differ, before counters are looked "
        "at. The predictor that asks for one more run makes use of it; choose it in the view Predict."
    )
