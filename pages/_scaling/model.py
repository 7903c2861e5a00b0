"""The model that the Scaling page asks, trained here or read from a file, and sliders for what it says of a target."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import ReadError
from core.frozen import Frozen
from core.option import specs
from core.progress import Progress
from core.report.figures.scaling_panel import front_cloud
from core.report.scaling import predicted
from core.report.scaling.kernels import Panel, moving
from core.report.scaling.predicted import askable, without_kernel
from core.report.scaling.race import SCALING, Front, best_point, front_of, warnings
from core.report.shared.naming import interval, quantity
from core.scaling.model_file import is_scaling, read_scaling
from core.scaling.outcome import OBJECTIVES
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Predictor
from core.scaling.race import CHOSEN, fit_scaling, predictor_named
from core.scaling.scaling_model import Kernel, Predicted, ScalingModel
from core.scaling.study import usual_folds
from pages._models.values import label_of, saved_scaling
from pages._scaling import study as studies
from pages._ui.choices import act, pick
from pages._ui.database import kept, store
from pages._ui.drawn import choose_kind, csv_button, draw_surface, literal, percent, short_table
from pages._ui.forms import options_form
from pages._ui.jobs import computed, key_of
from pages._ui.page import beside, fragment, instrument, pick_known

USUAL = "shared_leaves"
_TRAINED = "None: train one"
_HELP = "How a kernel's surface follows from its counters at the base. The view Race tells which one errs least here."


class Trained(Frozen):
    """A model, and how it was trained; one that was made before has no predictor to train with again.

    Attributes
    ----------
    kernels : those of the study that it can be asked for
    """

    model: ScalingModel
    kernels: tuple[str, ...] = ()
    predictor: Predictor | None = None
    folds: str = ""
    name: str = ""


def choose_and_train(asked: studies.Asked) -> Trained | None:
    """Let the user choose a predictor, train it on all kernels, or read a model from a file."""
    choices, row = beside("Predictor")
    with choices:
        predictor = choose_predictor("scaling_predictor", USUAL, asked.study.n_configurations - 2)
        folds = studies.choose_folds(asked.study, "scaling_folds", usual_folds(asked.study, asked.base))
        if (cls := type(predictor)) in PREDICTORS.values() and specs(cls):
            predictor = cls(**options_form(cls, f"with_{PREDICTORS.name_of(cls)}"))
        given = _saved() or _uploaded()
    if given is not None:
        given = replace(given, kernels=askable(asked.study, given.model))
        row.caption(literal(f"Asked is the model {given.name}."))
    found = given or train(asked, predictor, folds)
    if given is None:
        row.caption(literal(f"{getattr(type(predictor), 'label', '')}, trained on all kernels."))
    return found


def choose_predictor(key: str, usual: str, most: int) -> Predictor:
    """Let the user choose a predictor that asks for at most so many further runs; it has its usual options."""
    names = [usual, *(n for n in (*PREDICTORS, CHOSEN) if n != usual and predictor_named(n).n_measurements <= most)]
    name = pick("Predictor", names, key, _HELP, words=lambda n: predictor_named(n).label)
    return predictor_named(name)


def train(asked: studies.Asked, predictor: Predictor, folds: str, without: int | None = None) -> Trained | None:
    """Return the model of all kernels (or all but one), or None while it is trained."""
    study = asked.study
    key = key_of(asked.dataset, asked.key, asked.names, asked.base, type(predictor).__name__, predictor, folds, without)
    if without is not None:
        study = without_kernel(study, without)
    title = f"Learning how {study.n_kernels:,} kernels scale"

    def work(progress: Progress) -> ScalingModel:
        return fit_scaling(study, predictor, base=asked.base, folds=folds, dataset=asked.dataset, progress=progress)

    model = computed(f"scaling model {without is None}", title, key, work)
    return None if model is None else Trained(model, askable(asked.study, model), predictor, folds)


def _saved() -> Trained | None:
    cards = {label_of(card): card for card in store().models.all() if card.recipe == SCALING}
    if not cards:
        return None
    help = "From the Models page. It is asked in place of one trained here."
    label = pick_known("A saved model", [_TRAINED, *cards], "scaling_saved", "saved model", help)
    if label not in cards:
        return None
    return Trained(saved_scaling(cards[label].id), name=cards[label].name)


def _uploaded() -> Trained | None:
    help = "Taken away here, or written by `ridgeline scale fit`. It is asked in place of the trained one."
    upload = st.file_uploader("A scaling model", key="scaling_model_file", help=help)
    if upload is None:
        return None
    raw = upload.getvalue()
    if not is_scaling(raw):
        raise ReadError(
            f"{upload.name} is no scaling model. Upload a file that was taken away here or written by "
            "`ridgeline scale fit`."
        )
    return Trained(_read(raw), name=upload.name)


_read = kept(lambda raw: hashlib.sha256(raw).hexdigest(), 4)(read_scaling)


_INTERVAL = "Nine in ten measurements of held-out kernels lay inside such an interval."
_INSIDE = ":green[:material/check_circle: Its counters lie inside the range that was learnt from.]"
_NO_ENERGY = "Energy and the front need a time in seconds and a power in watts among the responses."


@fragment()
def bench(asked: studies.Asked, trained: Trained, kernel: Kernel, place: int | None) -> None:
    """Draw what a slider changes; it alone runs again when one moves.

    Parameters
    ----------
    place : the kernel's place in the study, whose measurements are drawn beside; None for a kernel of a file
    """
    model = trained.model
    found = model.predict(kernel, n_nearest=6)
    at = predicted.at_target(model, found, studies.current_target(model))
    front = front_of(model, found, at.nearest)
    head, said, controls, picture = instrument()
    with head:
        _headline(asked, found, at, place, model)
    with said:
        doubts = [*warnings(model), *([f"{at.why}."] if at.why else [])]
        told = [f":orange[:material/warning: {literal(doubt)}]" for doubt in doubts]
        st.markdown("  \n".join(told if at.why else [*told, _INSIDE]))
    with controls:
        studies.draw_target(model)
        _buttons(model, front)
        draw_map = _surface(model, found, at) if len(moving(model.grid)) > 1 else None
    with picture:
        rows, note = _curves(asked, trained, found, at, place)
        studies.draw_pictures(rows, "target_curves", draw_map, note)
    _front(front)
    _relatives(asked, found)
    csv_button("Predicted surface as CSV", lambda: predicted.surfaces_table(model, found), "predicted_surface")


def _headline(
    asked: studies.Asked, found: Predicted, at: predicted.AtTarget, place: int | None, model: ScalingModel
) -> None:
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
        act("To the base", "to_base", "undo", studies.go_to, model.base_point, names, help=help)
        if front is not None:
            for objective, said in zip(OBJECTIVES, ("time", "power", "energy", "energy-delay"), strict=True):
                least = best_point(model, front, objective)
                act(f"Least {said}", f"to_least_{objective}", "", studies.go_to, least, names)
        studies.choose_between()


def _curves(
    asked: studies.Asked, trained: Trained, found: Predicted, at: predicted.AtTarget, place: int | None
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
    pair = studies.choose_pair([a.name for a in model.axes], moving(model.grid), "predict_map")
    kind = choose_kind("predict_map")
    drawn = predicted.predicted_map(model, found, of, at.nearest, *pair)
    return lambda: draw_surface(drawn, kind, "predicted_map")


def _front(front: Front | None) -> None:
    if front is None:
        st.caption(_NO_ENERGY)
        return
    st.header("Time against power", anchor=False)
    st.markdown(literal(front.sentence()))
    studies.draw_cloud(front_cloud(front), "time_power")


def _relatives(asked: studies.Asked, found: Predicted) -> None:
    st.header("Nearest known kernels", anchor=False)
    short_table(predicted.nearest_table(found, asked.relative), digits=3)
    st.caption("By their counters at the base; 1 is how far a known kernel typically is from its nearest.")
