"""Explore: which metrics go together, what components they make, and where the trials stand."""

import streamlit as st

from core.recipes.eiger import Eiger
from core.report.trials.components import ComponentOptions, Components
from core.trial import Frame
from core.untold import without_names
from pages._explore import groups, makeup, metrics, trials
from pages._explore import whole as all_rows
from pages._explore.values import clusters_of, components_of
from pages._ui.cached import frame as load_frame
from pages._ui.forms import options_form, url_options, widget_values
from pages._ui.links import open_page
from pages._ui.page import page
from pages._ui.state import card_of, choose_dataset, choose_metrics, choose_repeats, choose_response, choose_where
from pages._ui.text import count, literal

PREFIX = "explore"
TABS = ("Trials", "Metrics", "Components", "Clusters")
WHOLE = "All rows"
"""One more view where the dataset is a folder, of which the others show a sample."""


def explore(dataset: str) -> None:
    """Draw the page for one dataset."""
    response = choose_response(dataset)
    chosen = choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset)
    frame = without_names(load_frame(dataset, response, *chosen))
    options, k = _controls(frame)
    value = components_of(frame, options)
    _notes(frame, value, k)
    whole = [WHOLE] if card_of(dataset).folder else []
    opened = st.tabs([*TABS, *whole], key="view", bind="query-params")
    if whole and opened[-1].open:
        with opened[-1]:
            all_rows.draw(dataset, response)
        return
    if opened[1].open:
        with opened[1]:
            metrics.draw(frame)
        return
    if opened[2].open:
        with opened[2]:
            makeup.draw(value)
        return
    found = clusters_of(frame, options, k)
    with opened[0] if opened[0].open else opened[3]:
        if opened[0].open:
            trials.draw(frame, value, found)
        else:
            groups.draw(frame, value, options, found)


def _controls(frame: Frame) -> tuple[ComponentOptions, int]:
    """Let the user choose components and clusters, and take both to the Model page."""
    columns = st.columns([1, 1, 1, 1], vertical_alignment="bottom")
    values = {}
    for column, name in zip(columns, ("components", "rotation"), strict=False):
        with column:
            values |= options_form(ComponentOptions, PREFIX, [name])
    with columns[2]:
        k = st.number_input(
            "Clusters", 1, min(50, len(frame)), value=min(3, len(frame)), key=f"{PREFIX}_clusters", bind="query-params",
            help="Groups of alike trials, by k-means on the components. See the Clusters view for how many fit.",
        )  # fmt: skip
    with st.expander("More options", key=f"{PREFIX}_more"):
        values |= options_form(ComponentOptions, PREFIX, ["explained", "metric_scale"])
    with columns[3]:
        if st.button("Model with these", key="to_model", icon=":material/arrow_forward:", width="stretch"):
            _to_model(values | {"clusters": int(k)})
    return ComponentOptions(**values), int(k)


def _to_model(values: dict[str, object]) -> None:
    open_page("pages/model.py", widget_values(Eiger, "eiger", values), url_options(Eiger, "eiger", values))


def _notes(frame: Frame, value: Components, k: int) -> None:
    sizes = f"{count(len(frame), 'trial')} of {count(len(frame.metrics), 'metric')}"
    kept = f"{count(len(value), 'component')} that keep {100 * value.kept_share:.0f} % of their variance"
    said = f"{sizes}; {kept}; {count(k, 'cluster')}."
    st.caption(literal(" ".join([said, *(f"{note[:1].upper()}{note[1:]}." for note in frame.notes)])))


with page(
    "Explore",
    "Which metrics go together, which few components stand for them, and where each trial stands. "
    "Nothing here has been told the response, so groups that you see are in the metrics themselves.",
):
    chosen = choose_dataset()
    if chosen is not None:
        explore(chosen)
