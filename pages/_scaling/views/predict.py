"""The Predict view: a kernel measured once, and what it would take on any configuration."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.report.scaling.predicted import known_kernel, template_table
from core.report.scaling.race import card_values, default_name
from core.scaling.model_file import read_kernels, write_scaling
from core.scaling.scaling_model import Kernel, ScalingModel
from pages._scaling.model import Trained, bench, choose_and_train, train
from pages._scaling.study import Asked
from pages._ui.choices import pick, switch, toggle
from pages._ui.database import store
from pages._ui.drawn import csv_button, literal, offer, shortened

TITLE, PLACE = "Predict", 4

KNOWN, FILE = SOURCES = ("A kernel of the study", "A file with counters")


def draw(asked: Asked) -> None:
    """Train, then let the user choose a kernel and a target."""
    trained = choose_and_train(asked)
    if trained is None:
        return
    sources = SOURCES if trained.kernels else (FILE,)
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        source = switch("Kernel from", sources, "scaling_source", label_visibility="collapsed", width="content")
    if source == FILE:
        _of_file(asked, trained)
    else:
        _of_study(asked, trained, row)
    _keep(trained.model)


def _of_study(asked: Asked, trained: Trained, row: DeltaGenerator) -> None:
    """Predict a kernel of the study, with or without having learnt from it; it is chosen in the row."""
    help = "Trains once more without this kernel, so that its one run at the base is all that is known of it."
    with row:
        name = _choose_kernel(list(trained.kernels), label_visibility="collapsed")
        unseen = trained.predictor is not None and toggle("As if it had never been seen", "predict_unseen", help)
    place = asked.study.kernels.index(name)
    if unseen and trained.predictor is not None:
        again = train(asked, trained.predictor, trained.folds, place)
        if again is None:
            return
        trained = again
    elif name in trained.model.kernels:
        st.caption("This kernel is among those learnt from, so it fits better than a new one would.")
    bench(asked, trained, known_kernel(asked.study, place, trained.model), place)


def _of_file(asked: Asked, trained: Trained) -> None:
    """Predict a kernel whose counters are in a file."""
    model = trained.model
    base = ", ".join(f"{axis} = {x:.15g}" for axis, x in model.base_point.items())
    st.caption(
        literal(
            f"A CSV with a row per kernel, measured at {base}: the columns kernel, {', '.join(model.responses)} and "
            "the counters. A counter that is missing is taken as the typical kernel's, and flagged."
        )
    )
    if trained.kernels:
        first = asked.study.kernels.index(trained.kernels[0])
        row = template_table(model, known_kernel(asked.study, first, model))
        csv_button("An example to fill in", row, "kernels_example")
    upload = st.file_uploader("Kernels measured at the base", key="predict_upload")
    if upload is None:
        return
    kernels: tuple[Kernel, ...] = read_kernels(SourceFile(upload.name, upload.getvalue()), model)
    if not kernels:
        raise ReadError(f"{upload.name} has no kernels. It needs one row per kernel.")
    name = _choose_kernel([kernel.name for kernel in kernels])
    bench(asked, trained, next(kernel for kernel in kernels if kernel.name == name), None)


def _choose_kernel(names: list[str], **look: Any) -> str:
    return pick("Kernel", names, "predict_kernel", words=shortened(names), **look)


def _keep(model: ScalingModel) -> None:
    """Offer to save the model, for the Models page, and to download it."""

    def keep(name: str) -> None:
        store().models.save(name, write_scaling(model), **card_values(model))

    keys = ("scaling_model_name", "scaling_model_save", "scaling_model_download")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offer(default_name(model), keys, keep, lambda: write_scaling(model))
