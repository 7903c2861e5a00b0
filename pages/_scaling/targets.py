"""The configuration that sliders show: one slider per axis, over what was measured and between, in the URL."""

from collections.abc import Mapping

import streamlit as st

from core.report.scaling.predicted import start_point, target_levels
from core.report.scaling.slices import moving
from core.scaling.scaling_model import ScalingModel
from core.space.plan import shown
from pages._ui.choices import drop_unknown, toggle
from pages._ui.drawn import literal

BETWEEN = "target_between"


def target_key(name: str) -> str:
    """Return the key, and URL parameter, of an axis' slider."""
    return f"target_{name}"


def levels_of(model: ScalingModel) -> dict[str, tuple[float, ...]]:
    """Return the values that each axis can have."""
    between = bool(st.session_state.get(BETWEEN, st.query_params.get(BETWEEN) == "true"))
    return {model.axes[i].name: target_levels(model, i, between) for i in moving(model.grid)}


def current(model: ScalingModel) -> dict[str, float]:
    """Return the target that the sliders show, also before they are drawn."""
    point = start_point(model)
    for name, values in levels_of(model).items():
        by_text = {shown(x): x for x in values}
        key = target_key(name)
        drop_unknown(key, list(by_text), shown(point[name]))
        asked = st.session_state.get(key) or st.query_params.get(key) or ""
        point[name] = by_text.get(asked, point[name])
    return point


def draw(model: ScalingModel) -> None:
    """Draw a slider per axis."""
    start, titles = start_point(model), {axis.name: literal(axis) for axis in model.axes}
    for name, values in levels_of(model).items():
        texts, usual = [shown(x) for x in values], shown(start[name])
        st.select_slider(titles[name], texts, value=usual, key=target_key(name), bind="query-params")


def choose_between() -> None:
    """Let the user ask for machines between those that were measured."""
    toggle("Values in between", BETWEEN, "Logarithms are linear between neighbouring configurations.")


def go_to(point: Mapping[str, float], names: tuple[str, ...]) -> None:
    """Set the sliders to a configuration; to be called before they are drawn, as in a callback."""
    for name in names:
        st.session_state[target_key(name)] = shown(point[name])
