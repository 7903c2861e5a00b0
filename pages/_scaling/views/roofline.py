"""The Roofline view: measured kernels, and one predicted, under the highest rates that were reached."""

import streamlit as st

from core.report.figures.scaling import roofline_scatter
from core.report.scaling.bases import first_placed, likely, roofline
from core.report.scaling.predicted import at_target, known_kernel
from pages._scaling.model import Trained, choose_and_train
from pages._scaling.study import Asked, current_target, draw_target
from pages._ui.choices import pick
from pages._ui.drawn import shortened, show
from pages._ui.page import fragment, instrument

TITLE, PLACE = "Roofline", 5


def draw(asked: Asked) -> None:
    """Let the user choose what counts as work and as traffic, and draw the roofline at a target."""
    trained = choose_and_train(asked)
    if trained is None:
        return
    if not trained.kernels or len(asked.study.counters) < 2:
        st.info("A roofline needs a model of these configurations, and two counters: one of work and one of traffic.")
        return
    _bench(asked, trained)


@fragment()
def _bench(asked: Asked, trained: Trained) -> None:
    study, model = asked.study, trained.model
    _, _, controls, picture = instrument()
    with controls:
        work = _counter(asked, "Work", "roofline_work", traffic=False)
        traffic = _counter(asked, "Traffic", "roofline_traffic", traffic=True)
        names = list(trained.kernels)
        usual = first_placed(study, names, work, traffic, asked.base) if work and traffic else names[0]
        kernel = pick("Kernel", names, "predict_kernel", usual=usual, words=shortened(names))
    if not work or not traffic or work == traffic:
        picture.info("Choose two counters: what the kernels do, such as operations, and what they move, such as bytes.")
        return
    with controls:
        draw_target(model)
    found = model.predict(known_kernel(study, study.kernels.index(kernel), model))
    at = at_target(model, found, current_target(model))
    predicted = float(found.surfaces[asked.response].value[at.nearest])
    value = roofline(study, asked.response, work, traffic, at.nearest, asked.base, kernel, predicted)
    with picture:
        show(roofline_scatter(value), "roofline")
        st.caption("Left of the roofs' meeting point bandwidth limits a kernel, right of it compute does.")


def _counter(asked: Asked, label: str, key: str, *, traffic: bool) -> str:
    names = [m.name for m in asked.study.counters]
    usual = likely(asked.study, asked.base, traffic=traffic)
    said = "What it moves from or to memory" if traffic else "What a kernel does"
    offered = names if usual else ["", *names]
    return pick(label, offered, key, said, usual=usual, words=lambda name: name or "Choose a counter")
