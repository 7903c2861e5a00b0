"""Explore: which metrics go together, what components they make, and where the trials stand."""

import streamlit as st

from core.recipes.eiger import Eiger
from core.report.shared.naming import predictors
from core.report.trials.components import ComponentOptions
from core.trial import Frame
from core.untold import without_names
from pages._explore.values import CLUSTERS, Shown, usual_clusters
from pages._ui.choices import whole
from pages._ui.database import metric_names
from pages._ui.drawn import literal, noted, percent
from pages._ui.forms import more_options, open_page, options_form, url_options, widget_values
from pages._ui.page import draw_open, fragment, instrument, page, views_of
from pages._ui.state import card_of, choose_trials

PREFIX = "explore"


@fragment()
def explore(dataset: str, frame: Frame) -> None:
    """Draw everything that a control of this page changes; it alone runs again when one moves."""
    head, told, controls, picture = instrument()
    if frame.notes:
        told.caption(literal(" ".join(noted(frame.notes))))
    with controls:
        options, k = _controls(frame)
        more = st.container(gap="small")
    folder = bool(card_of(dataset).folder)
    counters = () if folder else metric_names(dataset)
    shown = Shown(dataset, frame, options, k, more, folder, counters)
    with head:
        _headline(shown)
    with picture:
        draw_open(views_of("explore", shown), "view", shown)


def _controls(frame: Frame) -> tuple[ComponentOptions, int]:
    """Let the user choose components and clusters."""
    values = options_form(ComponentOptions, PREFIX, ["components"])
    said = "Groups of similar trials, by k-means on the components. The Clusters view compares their numbers."
    k = whole("Clusters", 1, min(50, len(frame)), usual_clusters(frame), CLUSTERS, said)
    with more_options(f"{PREFIX}_more"):
        values |= options_form(ComponentOptions, PREFIX, ["rotation", "explained", "metric_scale"], apart=False)
    return ComponentOptions(**values), k


def _headline(shown: Shown) -> None:
    """Draw how few components stand for the metrics, and the way to a model that takes them along."""
    frame, value, options, k = shown.frame, shown.components, shown.options, shown.k
    with st.grid(6, min_column_width=100, gap="small", vertical_alignment="center"):
        st.metric("Trials", f"{len(frame):,}")
        of = f"{literal(predictors(value.metric_names))}; a text has a column per value."
        st.metric("Columns", f"{len(value.metrics):,}", help=f"{of} What is constant over these trials is left out.")
        st.metric("Components", f"{len(value):,}", help="Uncorrelated directions that stand for the metrics.")
        st.metric("Variance kept", percent(100 * value.kept_share), help="Of the metrics, by the components together.")
        st.metric("Clusters", f"{k:,}", help="Groups of similar trials on the components.")
        if st.button("Model these", key="to_model", width="stretch"):
            chosen = {name: getattr(options, name) for name in ("components", "rotation", "explained", "metric_scale")}
            _to_model(chosen | {"clusters": k})


def _to_model(values: dict[str, object]) -> None:
    open_page("pages/model.py", widget_values(Eiger, "eiger", values), url_options(Eiger, "eiger", values))


with page("Explore", "Which metrics go together, and where each trial stands. The response takes no part in it."):
    asked = choose_trials()
    if asked is not None:
        explore(asked.dataset, without_names(asked.frame()))
