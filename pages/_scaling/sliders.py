"""Sliders for the target configuration: what a kernel would take there, its curves, its front, its relatives."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.report.figures.scaling_cloud import front_cloud
from core.report.scaling import predicted
from core.report.scaling.kept import warnings
from core.report.scaling.race import Front, best_point, front_of
from core.report.scaling.slices import Panel, moving
from core.report.shared.naming import interval, quantity
from core.scaling.outcome import OBJECTIVES
from core.scaling.scaling_model import Kernel, Predicted, ScalingModel
from pages._scaling import targets
from pages._scaling.drawing import choose_pair, draw_cloud, draw_pictures
from pages._scaling.model import Trained
from pages._scaling.study import Asked
from pages._ui.choices import act, pick
from pages._ui.drawn import choose_kind, csv_button, draw_surface, literal, percent, short_table
from pages._ui.page import fragment, instrument

_INTERVAL = "Nine in ten measurements of held-out kernels lay inside such an interval."
_INSIDE = ":green[:material/check_circle: Its counters lie inside the range that was learnt from.]"
_NO_ENERGY = "Energy and the front need a time in seconds and a power in watts among the responses."


@fragment()
def bench(asked: Asked, trained: Trained, kernel: Kernel, place: int | None) -> None:
    """Draw what a slider changes; it alone runs again when one moves.

    Parameters
    ----------
    place : the kernel's place in the study, whose measurements are drawn beside; None for a kernel of a file
    """
    model = trained.model
    found = model.predict(kernel, n_nearest=6)
    at = predicted.at_target(model, found, targets.current(model))
    front = front_of(model, found, at.nearest)
    head, said, controls, picture = instrument()
    with head:
        _headline(asked, found, at, place, model)
    with said:
        doubts = [*warnings(model), *([f"{at.why}."] if at.why else [])]
        told = [f":orange[:material/warning: {literal(doubt)}]" for doubt in doubts]
        st.markdown("  \n".join(told if at.why else [*told, _INSIDE]))
    with controls:
        targets.draw(model)
        _buttons(model, front)
        draw_map = _surface(model, found, at) if len(moving(model.grid)) > 1 else None
    with picture:
        rows, note = _curves(asked, trained, found, at, place)
        draw_pictures(rows, "target_curves", draw_map, note)
    _front(front)
    _relatives(asked, found)
    csv_button("Predicted surface as CSV", lambda: predicted.surfaces_table(model, found), "predicted_surface")


def _headline(asked: Asked, found: Predicted, at: predicted.AtTarget, place: int | None, model: ScalingModel) -> None:
    """Draw what is predicted, what was measured, and how far such predictions are off on held-out kernels."""
    with st.grid(6, min_column_width=108, gap="small"):
        for name, (value, low, high) in at.values.items():
            metric = found.surfaces[name].response
            look: Any = {"delta": interval(low, high), "delta_color": "off", "delta_arrow": "off"}
            help = f"Below it the 90 % interval. {_INTERVAL}"
            st.metric(f"Predicted {literal(name)}", quantity(value, metric), help=help, **look)
            if place is not None:
                known = predicted.measured_at(asked.study, name, place, at)
                help = "Of this kernel at this very configuration; a dash where it was not measured."
                st.metric(f"Measured {literal(name)}", quantity(known, metric), help=help)
        for answer in model.answers:
            mean, said = percent(answer.mean_surface_mape), f"Mean error of {answer.response} on kernels held out"
            covered = f"{percent(answer.coverage_90)} of the measurements lie inside their 90 % interval."
            base = f"Baseline, every kernel follows the mean surface: {mean}."
            help = literal(f"{said} ({answer.folds}). {base} {covered}")
            several = f", {literal(answer.response.name)}" if len(model.answers) > 1 else ""
            st.metric(f"Held-out error{several}", percent(answer.mape), help=help)
        if at.energy_j == at.energy_j:
            st.metric("Energy", quantity(at.energy_j, predicted.ENERGY_METRIC), help="Predicted time × power")
            st.metric("Energy-delay", quantity(at.edp_js, predicted.EDP_METRIC), help="Predicted energy × time")


def _buttons(model: ScalingModel, front: Front | None) -> None:
    names = tuple(model.axes[i].name for i in moving(model.grid))
    with st.container(horizontal=True, vertical_alignment="center"):
        help = "Where the kernel was measured"
        act("To the base", "to_base", "undo", targets.go_to, model.base_point, names, help=help)
        if front is not None:
            for objective, said in zip(OBJECTIVES, ("time", "power", "energy", "energy-delay"), strict=True):
                least = best_point(model, front, objective)
                act(f"Least {said}", f"to_least_{objective}", "", targets.go_to, least, names)
        targets.choose_between()


def _curves(
    asked: Asked, trained: Trained, found: Predicted, at: predicted.AtTarget, place: int | None
) -> tuple[list[tuple[Panel, ...]], str]:
    """Return the curves through the target, a row per response, and what is said of them."""
    model, study = trained.model, asked.study
    rows: list[tuple[Panel, ...]] = []
    for name in found.surfaces:
        measured = None if place is None else study.surface(name)[place]
        beside = predicted.nearest_surfaces(study, model, found, name) if trained.kernels else {}
        rows.append(predicted.predicted_panels(model, found, name, at, beside, measured))
    rings = ", rings what was measured" if place is not None else ""
    relatives = ", thin the nearest known kernels from the same start" if trained.kernels else ""
    return rows, f"Blue: predicted, with its 90 % interval{rings}{relatives}."


def _surface(model: ScalingModel, found: Predicted, at: predicted.AtTarget) -> Callable[[], None]:
    """Draw the choices of the map, and return what draws it."""
    offered = predicted.objectives(found)
    of = pick("Map of", tuple(offered), "predict_map_of", words=lambda o: offered[o][0].name)
    pair = choose_pair([a.name for a in model.axes], moving(model.grid), "predict_map")
    kind = choose_kind("predict_map")
    drawn = predicted.predicted_map(model, found, of, at.nearest, *pair)
    return lambda: draw_surface(drawn, kind, "predicted_map")


def _front(front: Front | None) -> None:
    if front is None:
        st.caption(_NO_ENERGY)
        return
    st.header("Time against power", anchor=False)
    st.markdown(literal(front.sentence()))
    draw_cloud(front_cloud(front), "time_power")


def _relatives(asked: Asked, found: Predicted) -> None:
    st.header("Nearest known kernels", anchor=False)
    short_table(predicted.nearest_table(found, asked.relative), digits=3)
    st.caption("By their counters at the base; 1 is how far a known kernel typically is from its nearest.")
