"""The study that the Scaling page goes by, its base and folds, the configuration shown, and curves and maps of it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from core.errors import FitError, RidgelineError
from core.frozen import Frozen
from core.report.figures.scaling_panel import Cloud, cloud_picture, cloud_sketch, legend_sketch, panel_sketch
from core.report.figures.sketch import WIDTH
from core.report.scaling import kernels
from core.report.scaling.kernels import Panel, Relative
from core.report.scaling.predicted import start_point, target_levels
from core.report.scaling.race import KERNELS_HELD_OUT
from core.scaling.gather import study_from_measured
from core.scaling.race import study_digest
from core.scaling.scaling_model import ScalingModel
from core.scaling.study import Study, kernel_folds
from core.scaling.surfaces import default_base
from core.space.plan import shown
from core.store.cards import Condition
from core.validate.folds import FORMS
from pages._ui import drawn
from pages._ui.choices import drop_unknown, pick, pick_several, toggle
from pages._ui.database import kept, measured, metric_names, stamp
from pages._ui.page import beside
from pages._ui.state import choose_response, choose_where

BASE = "scaling_base"
_NONE = "None"
_BETTER = "Set by a click on the map of the view Bases, too. A new kernel is to be measured here."


class Asked(Frozen):
    """A study and what is asked of it.

    Attributes
    ----------
    key : the same for the same study
    response : what is predicted, in front
    base : the configuration at which kernels are measured
    texts : configurations as people write them
    """

    dataset: str
    study: Study
    key: str
    response: str
    base: int
    texts: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All responses of the study, the one in front first."""
        return tuple(m.name for m in self.study.responses)

    @property
    def relative(self) -> Relative:
        """The kernels against the base."""
        return _relative(self.study, self.response, self.base)


def choose_study(dataset: str) -> Asked | None:
    """Let the user choose responses, axes and base; None if the dataset has no parameters."""
    metrics = metric_names(dataset)
    axes = kernels.axes_of(metrics)
    if not axes:
        return None
    response, where = choose_response(dataset), choose_where(dataset)
    choices, row = beside("Study and base")
    with choices:
        offered = [*kernels.beside_of(metrics, response), _NONE]
        usual = offered[0] if kernels.makes_energy(metrics, (response, offered[0])) else _NONE
        help = "Predicted together with the first. A time and a power make energy and energy-delay."
        second = pick("Second response", offered, "scaling_beside", help, usual=usual)
        help = "What the machine is varied in: cores, clocks, bandwidth. Left empty: all that varies, but for sizes."
        chosen = pick_several("Axes", axes, "scaling_axes", help, placeholder="All but sizes")
        place = st.container()
    responses = (response,) if second == _NONE else (response, second)
    with choices:
        counters = _choose_counters(kernels.counters_of(metrics, axes, responses))
    study = _study(stamp(dataset), dataset, responses, chosen or None, counters, where)
    _refuse_constant(study, response)
    texts = _texts(study)
    with place:
        base = texts.index(pick("Base configuration", texts, BASE, _BETTER, usual=texts[default_base(study)]))
    with row:
        _say_notes(study, texts[base])
    return Asked(dataset, study, study_key(study), response, base, texts)


def study_key(study: Study) -> str:
    """Return a text that is the same for the same study; kept with the study, as large ones take a while to read."""
    return _keyed(study)[0]


@kept(lambda study: id(study.values), 16)
def _keyed(study: Study) -> tuple[str, Study]:
    return study_digest(study), study


def _choose_counters(offered: tuple[str, ...]) -> tuple[str, ...] | None:
    help = (
        "What a kernel is recognised by. Fewer can be measured in one run. Left empty: every counter and static count "
        "that varies."
    )
    return pick_several("Counters", offered, "scaling_counters", help, placeholder="All that vary") or None


def _refuse_constant(study: Study, response: str) -> None:
    if not kernels.varies(study, response):
        raise FitError(
            f"'{response}' is the same everywhere, so nothing scales. Choose another response in the sidebar."
        )


def _say_notes(study: Study, base: str) -> None:
    """Say in a line what was gathered, and what was left out on the way."""
    counters = drawn.count(len(study.counters), "counter")
    said = f"{drawn.count(study.n_kernels, 'kernel')} × {drawn.count(study.n_configurations, 'configuration')}"
    st.caption(drawn.literal("; ".join([f"{said}, {counters}", f"base {base}", *study.notes]) + "."))


@kept(lambda *key: key, 6, "Gathering kernels and configurations …")
def _study(
    at: str,
    dataset: str,
    responses: tuple[str, ...],
    axes: tuple[str, ...] | None,
    counters: tuple[str, ...] | None,
    where: tuple[Condition, ...],
) -> Study:
    study = study_from_measured(measured(dataset, where), responses, axes, counters)
    filtered = (f"only trials with {drawn.listed(''.join(condition) for condition in where)}",) if where else ()
    return replace(study, notes=(*filtered, *study.notes))


_relative = kept(lambda study, response, base: (study_key(study), response, base), 16)(kernels.relative)


@kept(study_key, 16)
def _texts(study: Study) -> tuple[str, ...]:
    return kernels.texts_of(study.grid, study.axes)


_HELP = (
    "What is predicted has not been learnt from. Kernels of a family have names alike up to their first number: "
    f"leaving whole families out is the harder question. Others can be typed: {FORMS}."
)


def choose_folds(study: Study, key: str, usual: str) -> str:
    """Let the user choose among the folds that there are kernels for; labels of several values can be held out, too."""
    labels = [f"by:{name}" for name, texts in study.labels.items() if 1 < len(set(texts)) < study.n_kernels]
    known = dict.fromkeys([usual, *KERNELS_HELD_OUT, *labels])
    offered = [text for text in known if _dealt(study, text)] or [usual]
    return pick("Kernels held out", offered, key, _HELP, words=_words, gone=drawn.by_label)


def _dealt(study: Study, folds: str) -> bool:
    with suppress(RidgelineError):
        return bool(kernel_folds(study, folds))
    return False


def _words(text: str) -> str:
    return KERNELS_HELD_OUT.get(text) or (drawn.folds_said(text) if drawn.by_label(text) else text)


BETWEEN = "target_between"


def target_key(name: str) -> str:
    """Return the key, and URL parameter, of an axis' slider."""
    return f"target_{name}"


def levels_of(model: ScalingModel) -> dict[str, tuple[float, ...]]:
    """Return the values that each axis can have."""
    between = bool(st.session_state.get(BETWEEN, st.query_params.get(BETWEEN) == "true"))
    return {model.axes[i].name: target_levels(model, i, between) for i in kernels.moving(model.grid)}


def current_target(model: ScalingModel) -> dict[str, float]:
    """Return the target that the sliders show, also before they are drawn."""
    point = start_point(model)
    for name, values in levels_of(model).items():
        by_text = {shown(x): x for x in values}
        key = target_key(name)
        drop_unknown(key, list(by_text), shown(point[name]))
        asked = st.session_state.get(key) or st.query_params.get(key) or ""
        point[name] = by_text.get(asked, point[name])
    return point


def draw_target(model: ScalingModel) -> None:
    """Draw a slider per axis."""
    start, titles = start_point(model), {axis.name: drawn.literal(axis) for axis in model.axes}
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


_NARROW, _LEAST, _PHONE, _ALONE, _MOST = 190.0, 170, 330.0, 420.0, 640
"""Of a curve that is one of three, its width and the least pixels; its width on phones; alone, width and most."""
_POINTED = "A chart whose points say which configuration they are; it follows a slider more slowly."
Rows = Sequence[Sequence[Panel]]


def draw_pictures(rows: Rows, key: str, draw_map: Callable[[], None] | None, note: str = "") -> None:
    """Draw small multiples, and a map beside them, or below where there is no room.

    Three stand above each other beside a map three times as wide, or in a row above it; one without a map has all room.
    """
    first, *others = [(panel, row) for row in rows for panel in row]
    if draw_map is None:
        if others or drawn.is_narrow():
            draw_panels(rows, key, note)
        else:
            _draw_panel(*first, _ALONE, _MOST)
            _say(rows, key, note)
        return
    if len(others) != 2 or drawn.is_narrow():
        with st.grid(2, min_column_width=480, gap="medium"):
            with st.container(gap="small"):
                draw_panels(rows, key, note)
            with st.container(gap="small"):
                draw_map()
        return
    grid = st.grid(4, min_column_width=_LEAST, dense=True)
    with grid:
        _draw_panel(*first, _NARROW)
        with grid.cell(column_span=3, row_span=3):
            draw_map()
        for panel, row in others:
            _draw_panel(panel, row, _NARROW)
        with grid.cell(column_span="all"):
            _say(rows, key, note)


def draw_panels(rows: Rows, key: str, note: str = "") -> None:
    """Draw small multiples, each row on a scale of its own, three or two beside each other.

    Three are drawn narrower than two, so that their letters are as large.
    """
    columns, width = (1, _PHONE) if drawn.is_narrow() else (2, WIDTH) if any(len(r) % 3 for r in rows) else (3, _NARROW)
    with st.grid(columns, min_column_width=int(width) - 15):
        for row in rows:
            for panel in row:
                _draw_panel(panel, row, width)
    _say(rows, key, note)


def _draw_panel(panel: Panel, row: Sequence[Panel], width: float, most: int = 0) -> None:
    drawn.draw_sketch(panel_sketch(panel, kernels.ends_of(row), drawn.ground(), width), most)


def _say(rows: Rows, key: str, note: str) -> None:
    if note:
        st.caption(note)
    drawn.csv_button("Curves as CSV", lambda: kernels.panels_table([p for row in rows for p in row]), key)


def draw_legend(names: Sequence[str]) -> None:
    """Draw which colour stands for which curve, if there are several."""
    if len(names) > 1:
        drawn.draw_sketch(legend_sketch(tuple(names), drawn.ground()))


def choose_pair(axes: Sequence[str], moving: Sequence[int], prefix: str) -> tuple[int, int]:
    """Let the user choose the two axes of a map, by their numbers."""
    names = [axes[i] for i in moving]
    first = pick("Horizontal axis", names, f"{prefix}_x")
    second = pick("Vertical axis", [n for n in names if n != first], f"{prefix}_y")
    return axes.index(first), axes.index(second)


def draw_cloud(cloud: Cloud, key: str) -> None:
    """Draw configurations as points: light enough for a slider, or as a chart whose points tell what they are."""
    if toggle("Point at configurations", f"{key}_points", _POINTED):
        drawn.show(cloud_picture(cloud), key)
        return
    drawn.draw_sketch(cloud_sketch(cloud, drawn.ground()), 620)
    drawn.csv_button("Data as CSV", cloud.table, key)
