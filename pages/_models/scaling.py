"""A saved scaling model in detail, and the surfaces that it predicts for the kernels of a file."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.export import model_sha256
from core.ingest import SourceFile
from core.report.document.scaling import scaling_model_page
from core.report.scaling.kept import answers_table, axes_sentence, kernels_table
from core.scaling.model_file import read_kernels
from core.scaling.scaling_model import ScalingModel
from core.store.cards import ModelCard
from pages._models.manage import draw_actions, draw_note, draw_versions
from pages._models.values import label_of, saved_scaling
from pages._ui.choices import DATASET
from pages._ui.database import store
from pages._ui.drawn import count, csv_button, listed, literal, noted, table
from pages._ui.forms import open_page
from pages._ui.page import show_error

_SHOWN_ROWS = 1000


def draw_one(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Show how well a scaling model predicts, what it asks for, and where it can go; `cards` are all models."""
    model = saved_scaling(card.id)
    st.header(literal(card.name), anchor=False)
    st.markdown(
        f"Predicts how **{literal(card.response)}** scale · trained on {count(card.n_trials, 'kernel')} of dataset "
        f"{literal(card.dataset or 'unknown')} · saved {card.created:%Y-%m-%d %H:%M}"
    )
    st.markdown(literal(axes_sentence(model)))
    rows = answers_table(model)
    alt = "What predicts each response, and its errors on kernels held out"
    table(rows, "scaling_answers", alt=alt, download=False, digits=3, column_config=_columns(rows))
    if draw_actions(card, cards, lambda: _card_page(card), "Open on the Scaling page"):
        _reopen(card)
    draw_note(card)
    with st.expander("Counters and notes", key="scaling_card_more"):
        st.markdown(literal(f"Counters: {listed([m.name for m in model.counters], 40) or 'none'}."))
        for note in noted(model.notes):
            st.caption(literal(note))
    draw_versions(card, cards)


def _columns(rows: pd.DataFrame) -> dict[str, Any]:
    """Return how the columns are shown, with what the errors mean."""
    three = {"format": "%.3g"}
    return {
        "mean error (%)": st.column_config.NumberColumn(
            **three, help="Over all configurations but the base, of kernels that it had not seen."
        ),
        "mean surface (%)": st.column_config.NumberColumn(
            **three, help="The error if every kernel scaled as the mean of all does: what has to be beaten."
        ),
        "90 % interval covers (%)": st.column_config.NumberColumn(
            **three, help="How often the truth was inside; near 90 is right."
        ),
    }


def _card_page(card: ModelCard) -> bytes:
    saved, digest = f"{card.created:%Y-%m-%d %H:%M}", model_sha256(store().models.get(card.id))
    return scaling_model_page(saved_scaling(card.id), label_of(card), saved, card.note, digest)


def _reopen(card: ModelCard) -> None:
    """Go to the Scaling page, which asks this model in place of one trained there."""
    if card.dataset not in store().datasets.names():
        show_error(f"Dataset '{card.dataset}' is not here any more. Predict the kernels of a file with this model.")
        return
    chosen = {"scaling_view": "Predict", "scaling_saved": label_of(card)}
    open_page("pages/scaling.py", chosen, {DATASET: card.dataset, **chosen})


def draw_kernels(model: ScalingModel) -> None:
    """Predict the kernels of a CSV over all configurations."""
    st.markdown(
        f"Predicts how **{literal(', '.join(model.responses))}** scale, from {count(len(model.counters), 'counter')}. "
        "The CSV needs a row per kernel: its name in the column kernel, the responses at the base, and the counters. "
        "A counter that is missing is taken as the typical kernel's, and flagged."
    )
    st.caption(literal(axes_sentence(model)))
    upload = st.file_uploader("Kernels measured at the base", key="upload_kernels")
    if upload is None:
        return
    found = [model.predict(kernel) for kernel in read_kernels(SourceFile(upload.name, upload.getvalue()), model)]
    values = kernels_table(model, found)
    if len(values) > _SHOWN_ROWS:
        st.caption(f"The first {_SHOWN_ROWS:,} of {len(values):,} rows are shown; the download has all.")
    alt = "Predicted surfaces, a row per kernel and configuration"
    table(values.head(_SHOWN_ROWS), "kernel_surfaces", alt=alt, download=False, digits=4)
    csv_button("Surfaces as CSV", values, "predicted_surfaces")
