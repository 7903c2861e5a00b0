"""The models that were kept: found, all in a table, one in detail."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.report.scaling.kept import SCALING
from core.store.cards import ModelCard
from pages._models import scaling
from pages._models.one import draw_one
from pages._models.values import SCORES, label_of, latest, matching, scores_of
from pages._models.view import MODEL, SAVED_VIEW, UPLOAD_VIEW, show_view
from pages._ui.charts import table
from pages._ui.choices import set_choice, toggle
from pages._ui.gone import pick_known
from pages._ui.links import page_link
from pages._ui.page import guard
from pages._ui.text import count, literal, short

TITLE, PLACE = SAVED_VIEW, 1

_ROW = "_seen_model_row"
_LONGEST_NAME, _NAME_PX = 48, 150
_LATER = "coverage_90"
"""The score that does not stand in front, where a narrow window shows it."""


def draw(cards: Sequence[ModelCard]) -> None:
    """Show every saved model, and the chosen one in detail."""
    if not cards:
        st.info("No model has been saved yet. Make one on the Model page and press Save there.")
        page_link("pages/model.py", "Make a model", ":material/arrow_forward:")
        if st.button("Upload a model file", key="to_upload", icon=":material/upload:"):
            show_view(UPLOAD_VIEW)
        return
    found, shown = _search(cards)
    if not found:
        return
    labels = {label_of(card): card for card in found}
    _take_row(_draw_table(shown), [label_of(card) for card in shown])
    chosen = pick_known("Look at", list(labels), MODEL, "saved model", known=[label_of(card) for card in cards])
    with guard():
        card = labels[chosen]
        if card.recipe == SCALING:
            scaling.draw_one(card, cards)
        else:
            draw_one(card, cards)


def _search(cards: Sequence[ModelCard]) -> tuple[list[ModelCard], list[ModelCard]]:
    """Return the models that fulfil the search, and those of them to list: older versions only if asked for."""
    if len(cards) == 1:
        return list(cards), list(cards)
    older = len(cards) - len(latest(cards))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        where = "name, dataset, response, recipe or note"
        help = f"Each word must occur somewhere in a model's {where}."
        text = st.text_input("Search", key="find_model", bind="query-params", placeholder=where, width=320, help=help)
        help = "Saving under a name that exists makes a new version; the older ones stay."
        everything = older > 0 and toggle("Older versions too", "older_models", help)
    found = matching(cards, text or "")
    if not found:
        st.info(f"No saved model has “{literal(text)}”.")
    return found, found if everything else latest(found)


def _take_row(rows: Sequence[int], labels: Sequence[str]) -> None:
    """Look at the model whose row was chosen since the last run."""
    chosen = labels[rows[0]] if rows and rows[0] < len(labels) else ""
    if chosen and chosen != st.session_state.get(_ROW):
        set_choice(MODEL, chosen)
    st.session_state[_ROW] = chosen


def _draw_table(cards: Sequence[ModelCard]) -> Sequence[int]:
    """Draw a row per model, and return which is chosen."""
    scores = [scores_of(card) for card in cards]
    values = pd.DataFrame(
        {
            "name": [short(c.name, _LONGEST_NAME) for c in cards],
            **{title: [s.value(field) for s in scores] for title, field in SCORES.items() if field != _LATER},
            **({"version": [c.version for c in cards]} if any(c.version > 1 for c in cards) else {}),
            "response": [c.response for c in cards],
            "dataset": [c.dataset for c in cards],
            "recipe": [c.recipe for c in cards],
            "learnt from": [_learnt_from(c) for c in cards],
            **{title: [s.value(field) for s in scores] for title, field in SCORES.items() if field == _LATER},
            "tested with": [s.folds_in_words for s in scores],
            "saved": [f"{c.created:%Y-%m-%d %H:%M}" for c in cards],
            "note": [c.note for c in cards],
        }
    )
    three = st.column_config.NumberColumn(format="%.3g")
    event = table(
        values,
        key="saved_models",
        alt="Saved models with their data and their scores on unseen trials",
        column_config={"name": st.column_config.TextColumn(width=_NAME_PX), **dict.fromkeys(SCORES, three)},
        on_select="rerun",
        selection_mode="single-row",
    )
    return tuple(event["selection"]["rows"]) if event else ()


def _learnt_from(card: ModelCard) -> str:
    return count(card.n_trials, "kernel" if card.recipe == SCALING else "trial") if card.n_trials else ""
