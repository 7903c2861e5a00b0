"""A model file from elsewhere, made one of the saved models."""

from collections.abc import Sequence
from pathlib import PurePath

import streamlit as st

from core.export import read_model
from core.pipeline import FittedPipeline
from core.recipes import recipe_label
from core.report.scaling.race import axes_sentence, card_values
from core.report.shared.naming import predictors
from core.scaling.model_file import is_scaling, read_scaling, write_scaling
from core.scaling.scaling_model import ScalingModel
from core.store.cards import ModelCard
from pages._model.answer import save
from pages._models.manage import LONGEST_NOTE
from pages._models.values import label_of
from pages._models.view import UPLOAD_VIEW, choose_model
from pages._ui.database import store
from pages._ui.drawn import count, listed, literal

TITLE, PLACE = UPLOAD_VIEW, 4


def draw(cards: Sequence[ModelCard]) -> None:
    """Take a model file, show what it holds, and keep it under a name."""
    st.markdown(
        "A model file that was downloaded here, or written by `ridgeline fit --out` or `ridgeline scale fit --out`, of "
        "any version; or one of the original Eiger, as text or JSON. Nothing in a file is ever run."
    )
    upload = st.file_uploader("Model file", key="upload_saved_model")
    if upload is None:
        return
    raw = upload.getvalue()
    model = read_scaling(raw) if is_scaling(raw) else read_model(raw)
    _draw_found(model)
    stem = PurePath(upload.name).stem
    name = st.text_input("Name", stem, key=f"upload_name_{upload.file_id}", max_chars=120).strip() or stem
    versions = [card.version for card in cards if card.name == name]
    if versions:
        st.caption(literal(f"There is a model {name} already; this becomes version {max(versions) + 1} of it."))
    usual = f"From the file {upload.name}."
    note = st.text_input("Note", usual, key=f"upload_note_{upload.file_id}", max_chars=LONGEST_NOTE)
    if st.button("Save", key="save_upload", type="primary", icon=":material/save:"):
        key = _save(model, name, note or "")
        choose_model(label_of(next(card for card in store().models.all() if card.id == key)))


def _save(model: FittedPipeline | ScalingModel, name: str, note: str) -> str:
    if isinstance(model, ScalingModel):
        return store().models.save(name, write_scaling(model), note=note, **card_values(model))
    return save(model, name, note)


def _draw_found(model: FittedPipeline | ScalingModel) -> None:
    if isinstance(model, ScalingModel):
        st.success(
            literal(f"A model of how {', '.join(model.responses)} scale. {axes_sentence(model)}"),
            icon=":material/check:",
        )
        return
    made = model.provenance
    learnt = f", learnt from {count(made.n_trials, 'trial')}" if made.n_trials else ""
    st.success(
        f"A model by {literal(recipe_label(made.recipe))} that predicts **{literal(model.response)}** from "
        f"{literal(predictors(model.names))}{learnt}: {literal(listed(model.names, 8))}.",
        icon=":material/check:",
    )
