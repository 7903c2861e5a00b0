"""The Scaling page: which study, which base; then one view of it."""

from collections.abc import Callable

import streamlit as st

from core.ingest import load_sample
from core.workspace import SAMPLES
from pages._scaling import applications, bases, clusters, kernels, measure, predict, race, roofline
from pages._scaling.study import Asked, choose_study, say_notes
from pages._ui.choices import DATASET, METRICS, set_choice
from pages._ui.database import store
from pages._ui.page import guard
from pages._ui.text import literal

SAMPLE = "scaling"
VIEWS: dict[str, Callable[[Asked], None]] = {
    "Kernels": kernels.draw,
    "Clusters": clusters.draw,
    "Bases": bases.draw,
    "Predict": predict.draw,
    "Roofline": roofline.draw,
    "Race": race.draw,
    "Measure next": measure.draw,
    "Applications": applications.draw,
}


def draw(dataset: str | None) -> None:
    """Draw the choices, then the view that is open."""
    if dataset is None:
        return
    bases.take_clicked()
    asked = choose_study(dataset)
    if asked is None:
        _without_axes(dataset)
        return
    say_notes(asked.study)
    opened = st.tabs(list(VIEWS), key="scaling_view", bind="query-params", on_change="rerun")
    for view, tab in zip(VIEWS.values(), opened, strict=True):
        if tab.open:
            with tab, guard():
                view(asked)
            return
    with opened[0], guard():
        next(iter(VIEWS.values()))(asked)


def _without_axes(dataset: str) -> None:
    """Say what is missing, and lead on to the sample."""
    st.info(
        literal(
            f"Dataset {dataset} has no parameters that were set before a run, such as cores, clocks or bandwidth, "
            "so there is nothing to scale over. Import a dataset with such columns, or begin with the sample."
        )
    )
    if not (SAMPLES / SAMPLE).is_dir():
        return
    there = SAMPLE in store().dataset_names()
    label = f"Open the sample “{SAMPLE}”" if there else f"Load the sample “{SAMPLE}”"
    if st.button(label, key="scaling_sample", type="primary", icon=":material/stacked_line_chart:"):
        if not there:
            with st.spinner("Loading 58,240 trials …"):
                store().add(SAMPLE, load_sample(SAMPLES / SAMPLE))
        set_choice(DATASET, SAMPLE)
        for key in ("response", METRICS, "where"):
            st.query_params.pop(key, None)
        st.rerun()
