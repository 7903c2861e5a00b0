"""The models that were kept: found, all in a table, one in detail with everything that can be done with it."""

from collections.abc import Sequence
from contextlib import suppress

import pandas as pd
import streamlit as st

from core.errors import RidgelineError
from core.export.card import write_card
from core.pipeline import FittedPipeline
from core.recipes import recipe_label
from core.report.model.card import tested_with
from core.report.model.formula import formula
from core.report.model.summary import options_in_words
from core.report.scaling.race import SCALING
from core.store.cards import ModelCard
from pages._models import scaling
from pages._models.manage import draw_actions, draw_export, draw_note, draw_versions
from pages._models.values import SCORES, card_columns, folds_of, label_of, latest, matching, saved_model, score_of
from pages._models.view import MODEL, SAVED_VIEW, UPLOAD_VIEW, show_view
from pages._ui.choices import DATASET, METRICS, RESPONSE, WHERE, line, set_choice, toggle
from pages._ui.database import default_repeats, frame, store
from pages._ui.drawn import count, literal, noted, number, percent, short, table
from pages._ui.forms import REOPENED, open_model_page, page_link
from pages._ui.jobs import key_of
from pages._ui.page import guard, pick_known, show_error


def open_in_model_page(card: ModelCard, model: FittedPipeline) -> None:
    """Go to the Model page with this model's choices in its widgets and in its URL."""
    metrics = [] if _is_default_choice(card, model) else list(model.names)
    trials: dict[str, str | list[str]] = {DATASET: card.dataset, RESPONSE: card.response, METRICS: metrics, WHERE: []}
    options = {**card.options, **card.options.get("family", {})}
    with suppress(RidgelineError):
        opened = frame(card.dataset, card.response, tuple(metrics) or None, (), default_repeats(card.dataset))
        if not opened.is_of(model.provenance.trials_sha256):
            learnt = count(model.provenance.n_trials, "trial")
            said = f"{label_of(card)} learnt from {learnt}, others than these {len(opened):,}: choose its filters"
            st.session_state[REOPENED] = opened.digest(), f"{said} and repeats anew, as a model does not keep them."
    open_model_page(trials, card.recipe, options, folds_of(card))


def _is_default_choice(card: ModelCard, model: FittedPipeline) -> bool:
    try:
        return set(model.names) == set(frame(card.dataset, card.response).names)
    except RidgelineError:
        return False


def draw_one(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Draw a saved model; `cards` are all of them."""
    _draw_head(card, cards)
    _draw_scores(card)
    said = label_of(card), f"{card.created:%Y-%m-%d %H:%M}", card.note
    if draw_actions(card, cards, lambda: write_card(saved_model(card.id), *said), "Open on the Model page"):
        if card.dataset in store().datasets.names():
            open_in_model_page(card, saved_model(card.id))
        show_error(_why_not_opened(card))
    draw_note(card)
    with st.expander("Formula", key="formula_open"):
        model = saved_model(card.id)
        st.code(formula(model).text(limit=4), language=None, wrap_lines=True)
        for note in noted(model.notes):
            st.caption(literal(note))
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
        f"Predicts **{literal(card.response)}** · recipe {literal(recipe_label(card.recipe))} · "
        f"{learnt if card.n_trials else ''}saved {card.created:%Y-%m-%d %H:%M}"
    )


def _draw_scores(card: ModelCard) -> None:
    if not folds_of(card):
        st.caption("This model was never tested on unseen trials, so it has neither scores nor intervals.")
        return
    with st.grid(5, min_column_width=120):
        st.metric("Median error", percent(score_of(card, "median_ape")), border=True, help="Half are closer.")
        st.metric("Mean error", percent(score_of(card, "mape")), border=True, help="Mean absolute error (MAPE).")
        st.metric("Within 20 %", percent(score_of(card, "inliers_20")), border=True, help="Of the unseen trials.")
        st.metric("R²", number(score_of(card, "r2"), 3), border=True, help="1 is perfect; below 0 is useless.")
        covered = percent(score_of(card, "coverage_90"))
        st.metric("In 90 % interval", covered, border=True, help="Of the unseen trials; near 90 is right.")
    st.caption(f"On trials that the model had not seen, tested with {literal(tested_with(folds_of(card)))}.")


def _why_not_opened(card: ModelCard) -> str:
    if not card.dataset:
        return "This model came from a file that does not say what it was trained on, so there is nothing to refit."
    return f"Dataset '{card.dataset}' is not here any more. Import it again to refit this model."


def _draw_options(card: ModelCard) -> None:
    options = options_in_words(card.recipe, card.options)
    values = pd.DataFrame({"option": list(options), "value": list(options.values())})
    table(values, key="model_options", alt="Options that the model was made with", download=False, height="content")


TITLE, PLACE = SAVED_VIEW, 1

_ROW = "_seen_model_row"
_LONGEST_NAME, _NAME_PX = 48, 150
*_FRONT, _LATER = SCORES
"""Scores that stand in front, where a narrow window shows them, and the one that does not."""


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
        text = line("Search", "find_model", help, where, width=320)
        help = "Saving under a name that exists makes a new version; the older ones stay."
        everything = older > 0 and toggle("Older versions too", "older_models", help)
    found = matching(cards, text)
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
    version = ["version"] if any(c.version > 1 for c in cards) else []
    order = ["name", *_FRONT, *version, "response", "dataset", "recipe", "learnt from", _LATER, "tested with", "saved"]
    learnt = [(c.n_trials, "kernel" if c.recipe == SCALING else "trial") for c in cards]
    columns = card_columns(cards) | {"learnt from": [count(n, noun) if n else "" for n, noun in learnt]}
    values = pd.DataFrame(columns | {"name": [short(c.name, _LONGEST_NAME) for c in cards]})[[*order, "note"]]
    three = st.column_config.NumberColumn(format="%.3g")
    look = {"name": st.column_config.TextColumn(width=_NAME_PX), **dict.fromkeys(SCORES, three)}
    alt = "Saved models with their data and their scores on unseen trials"
    key = f"saved_models {key_of(*(c.id for c in cards))}"
    event = table(values, key, alt, column_config=look, on_select="rerun", selection_mode="single-row")
    return tuple(event["selection"]["rows"]) if event else ()
