"""The models that were kept: all in a table, one in detail, renamed, deleted, taken away."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.pipeline import FittedPipeline
from core.report.formula import formula
from core.store import ModelCard
from pages._models.reopen import open_in_model_page
from pages._models.values import label_of, saved_model, scores_of
from pages._models.view import PREDICT_VIEW, choose_model, show_view
from pages._ui.charts import table
from pages._ui.choices import drop_unknown
from pages._ui.database import store
from pages._ui.links import page_link
from pages._ui.page import guard, show_error
from pages._ui.text import count, file_name, literal, number, percent

_SCORES = ("median error (%)", "MAPE (%)", "R²", "in 90 % interval (% of trials)")


def draw_saved(cards: Sequence[ModelCard]) -> None:
    """Show every saved model, and the chosen one in detail."""
    if not cards:
        st.info("No model has been saved yet. Make one on the Model page and press Save there.")
        page_link("pages/model.py", "Make a model", ":material/arrow_forward:")
        return
    _draw_table(cards)
    labels = {label_of(card): card for card in cards}
    drop_unknown("model", list(labels))
    chosen = st.selectbox("Look at", list(labels), key="model", bind="query-params")
    with guard():
        _draw_one(labels[chosen or next(iter(labels))])


def _draw_table(cards: Sequence[ModelCard]) -> None:
    scores = [scores_of(card) for card in cards]
    values = pd.DataFrame({
        "name": [c.name for c in cards],
        "dataset": [c.dataset for c in cards],
        "response": [c.response for c in cards],
        "recipe": [c.recipe for c in cards],
        "trials": [c.n_trials for c in cards],
        "tested with": [s.folds_in_words for s in scores],
        _SCORES[0]: [s.value("median_ape") for s in scores],
        _SCORES[1]: [s.value("mape") for s in scores],
        _SCORES[2]: [s.value("r2") for s in scores],
        _SCORES[3]: [s.value("coverage_90") for s in scores],
        "saved": [f"{c.created:%Y-%m-%d %H:%M}" for c in cards],
    })  # fmt: skip
    three = st.column_config.NumberColumn(format="%.3g")
    table(
        values, key="saved_models", alt="Saved models with their data and their scores on unseen trials",
        column_config=dict.fromkeys(_SCORES, three),
    )  # fmt: skip


def _draw_one(card: ModelCard) -> None:
    scores = scores_of(card)
    st.subheader(literal(card.name), anchor=False)
    st.markdown(
        f"Predicts **{literal(card.response)}** · recipe {literal(card.recipe)} · trained on "
        f"{count(card.n_trials, 'trial')} of dataset {literal(card.dataset or 'unknown')} · "
        f"saved {card.created:%Y-%m-%d %H:%M}"
    )
    if scores.folds:
        with st.grid(5, min_column_width=120):
            st.metric("Median error", percent(scores.value("median_ape")), border=True, help="Half are closer.")
            st.metric("MAPE", percent(scores.value("mape")), border=True, help="Mean absolute percentage error.")
            st.metric("Within 20 %", percent(scores.value("inliers_20")), border=True, help="Of the unseen trials.")
            st.metric("R²", number(scores.value("r2"), 3), border=True, help="1 is perfect; below 0 is useless.")
            covered = percent(scores.value("coverage_90"))
            st.metric("In 90 % interval", covered, border=True, help="Of the unseen trials; near 90 is right.")
        st.caption(f"On trials that the model had not seen, tested with {literal(scores.folds_in_words)}.")
    else:
        st.caption("This model was never tested on unseen trials, so it has neither scores nor intervals.")
    _draw_actions(card)
    with st.expander("Formula", key="formula_open"):
        model = saved_model(card.id)
        st.code(formula(model).text(limit=4), language=None, wrap_lines=True)
        _draw_notes(model)
    with st.expander("Options", key="options_open"):
        _draw_options(card)


def _draw_actions(card: ModelCard) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Download JSON", lambda: store().model(card.id), file_name(card.name, ".json"), "application/json",
            key="download_model", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        if st.button("Predict with it", key="predict_with_it", icon=":material/play_arrow:"):
            show_view(PREDICT_VIEW, source=label_of(card))
        if st.button("Open on the Model page", key="open_model", icon=":material/tune:"):
            if any(d.name == card.dataset for d in store().datasets()):
                open_in_model_page(card, saved_model(card.id))
            show_error(f"Dataset '{card.dataset}' is not here any more. Import it again to refit this model.")
        with st.popover("Rename …", icon=":material/edit:", key="rename_open"):
            _rename(card)
        with st.popover("Delete …", icon=":material/delete:", key="delete_open"):
            _delete(card)


def _rename(card: ModelCard) -> None:
    name = st.text_input("New name", card.name, key=f"new_name_{card.id}", max_chars=120)
    if st.button("Rename", key="rename_model", type="primary"):
        store().rename_model(card.id, name or "")
        renamed = next(c for c in store().models() if c.id == card.id)
        choose_model(label_of(renamed))


def _delete(card: ModelCard) -> None:
    st.markdown(f"**{literal(card.name)}** is deleted for good. Downloaded files of it go on working.")
    if st.button("Delete for good", key="delete_model", type="primary"):
        store().delete_model(card.id)
        st.rerun()


def _draw_notes(model: FittedPipeline) -> None:
    for note in model.notes:
        st.caption(literal(f"{note[:1].upper()}{note[1:]}."))


def _draw_options(card: ModelCard) -> None:
    options = card.options.get("family", card.options)
    values = pd.DataFrame({"option": list(options), "value": [_shown(v) for v in options.values()]})
    table(values, key="model_options", alt="Options that the model was made with", download=False)


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
