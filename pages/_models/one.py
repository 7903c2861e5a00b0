"""One saved model in detail: what it is, what it is worth, and everything that can be done with it."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.export.card import write_card
from core.pipeline import FittedPipeline
from core.report.model.formula import formula
from core.report.model.summary import options_in_words
from core.store.cards import ModelCard
from pages._models.export import draw_export
from pages._models.manage import draw_actions, draw_note, draw_versions
from pages._models.reopen import open_in_model_page
from pages._models.values import label_of, saved_model, scores_of
from pages._ui.charts import table
from pages._ui.database import store
from pages._ui.page import show_error
from pages._ui.text import count, literal, number, percent


def draw_one(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Draw a saved model; `cards` are all of them."""
    _draw_head(card, cards)
    _draw_scores(card)
    if draw_actions(card, cards, lambda: _card_page(card), "Open on the Model page"):
        if card.dataset in store().datasets.names():
            open_in_model_page(card, saved_model(card.id))
        show_error(_why_not_opened(card))
    draw_note(card)
    with st.expander("Formula", key="formula_open"):
        model = saved_model(card.id)
        st.code(formula(model).text(limit=4), language=None, wrap_lines=True)
        _draw_notes(model)
    with st.expander("Export: source code, and files for other programs", key="export_open", icon=":material/output:"):
        draw_export(card, saved_model(card.id))
    with st.expander("Options", key="options_open"):
        _draw_options(card)
    draw_versions(card, cards)


def _draw_head(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    several = sum(other.name == card.name for other in cards) > 1
    st.header(literal(f"{card.name} · version {card.version}" if several else card.name), anchor=False)
    learnt = f"trained on {count(card.n_trials, 'trial')} of dataset {literal(card.dataset or 'unknown')} · "
    st.markdown(
        f"Predicts **{literal(card.response)}** · recipe {literal(card.recipe)} · {learnt if card.n_trials else ''}"
        f"saved {card.created:%Y-%m-%d %H:%M}"
    )


def _draw_scores(card: ModelCard) -> None:
    scores = scores_of(card)
    if not scores.folds:
        st.caption("This model was never tested on unseen trials, so it has neither scores nor intervals.")
        return
    with st.grid(5, min_column_width=120):
        st.metric("Median error", percent(scores.value("median_ape")), border=True, help="Half are closer.")
        st.metric("MAPE", percent(scores.value("mape")), border=True, help="Mean absolute percentage error.")
        st.metric("Within 20 %", percent(scores.value("inliers_20")), border=True, help="Of the unseen trials.")
        st.metric("R²", number(scores.value("r2"), 3), border=True, help="1 is perfect; below 0 is useless.")
        covered = percent(scores.value("coverage_90"))
        st.metric("In 90 % interval", covered, border=True, help="Of the unseen trials; near 90 is right.")
    st.caption(f"On trials that the model had not seen, tested with {literal(scores.folds_in_words)}.")


def _card_page(card: ModelCard) -> bytes:
    return write_card(saved_model(card.id), label_of(card), f"{card.created:%Y-%m-%d %H:%M}", card.note)


def _why_not_opened(card: ModelCard) -> str:
    if not card.dataset:
        return "This model came from a file that does not say what it was trained on, so there is nothing to refit."
    return f"Dataset '{card.dataset}' is not here any more. Import it again to refit this model."


def _draw_notes(model: FittedPipeline) -> None:
    for note in model.notes:
        st.caption(literal(f"{note[:1].upper()}{note[1:]}."))


def _draw_options(card: ModelCard) -> None:
    options = options_in_words(card.recipe, card.options)
    values = pd.DataFrame({"option": list(options), "value": list(options.values())})
    table(values, key="model_options", alt="Options that the model was made with", download=False, height="content")
