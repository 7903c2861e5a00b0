"""The view of effects: how the prediction moves with each metric, and with two together."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.figures.effects import PARTS, effect_curve, effect_surface
from core.report.model.effects import OTHERS, Effects, interactions, offered_pairs
from core.trial import Frame
from pages._model.shown import Shown
from pages._model.values import effects_of, surface_of
from pages._ui.choices import pick, pick_several, switch
from pages._ui.drawn import count, csv_button, listed, literal, number, show
from pages._ui.page import fragment

TITLE, PLACE = "Effects", 3

_FIRST = 6


@fragment()
def draw(shown: Shown) -> None:
    """Draw a curve per metric and a map per pair of metrics."""
    model, frame, key = shown.model, shown.frame, shown.key
    help = (
        "While one metric moves, what do the others do? Averaged: the mean over trials as they are. At their "
        "median: one typical trial."
    )
    with (row := st.container(horizontal=True, vertical_alignment="bottom")):
        value = effects_of(model, frame, switch("The other metrics are", OTHERS, "others", help), key)
    moving = value.moving
    names = [c.metric.name for c in moving]
    chosen = names[:_FIRST]
    if len(names) > _FIRST:
        placeholder = f"The {_FIRST} that move the prediction most"
        chosen = list(pick_several("Shown", names, "curves", placeholder=placeholder, on=row)) or chosen
    with st.grid(3, min_column_width=250, gap="small"):
        for i, curve in enumerate(c for c in moving if c.metric.name in chosen):
            show(effect_curve(value, curve), f"effect_{i}", download=False)
    _say(value)
    still = [c.metric.name for c in value.curves if c not in moving]
    if still:
        st.caption(literal(f"Next to no effect, under 1 % of the steepest curve's: {listed(still, 20)}."))
    csv_button("Curves as CSV", value.table, "effects")
    _surfaces(model, frame, value, key)


def _say(value: Effects) -> None:
    unit = f" {value.response.unit}" if value.response.unit not in ("", value.response.name) else ""
    st.caption(
        literal(
            f"Each curve moves one metric over its trained range while the others are {_others(value)}. The dotted "
            f"line is the prediction where none is moved, {number(value.centre)}{unit}. All curves have the same axis "
            "upwards; the steepest come first. Metrics that always move together in the trials are moved alone here, "
            "so that a curve may show what no trial has done."
        )
    )


def _others(value: Effects) -> str:
    if value.n_rows == 1:
        return value.others
    if value.n_rows < value.n_trials:
        return f"averaged over {count(value.n_rows, 'trial')}, chosen at random of {value.n_trials:,}"
    return f"averaged over all {count(value.n_rows, 'trial')}"


def _surfaces(model: FittedPipeline, frame: Frame, value: Effects, key: str) -> None:
    pairs = {f"{a} : {b}": (a, b) for a, b in offered_pairs(model, value)}
    if not pairs:
        return
    st.header("Two metrics together", anchor=False)
    if not interactions(model):
        st.caption("No term joins two metrics; these are pairs of the metrics that move the prediction most.")
    left, right = st.columns(2, vertical_alignment="bottom")
    pair = pick("Pair", list(pairs), "pair", on=left)
    help = (
        "Both together: the prediction itself. Interaction alone: what is left of it when the two curves above "
        "are taken away; none where two metrics act independently."
    )
    part = switch("Shown is", PARTS, "pair_part", help, on=right)
    show(effect_surface(surface_of(model, frame, pairs[pair], value.others, key), part), "pair_map")
