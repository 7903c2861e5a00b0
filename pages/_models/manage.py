"""What people do to a saved model: name it, say something of it, look through its versions, delete it."""

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.report.scaling.kept import SCALING
from core.store.cards import ModelCard
from pages._models.values import SCORES, card_columns, counterpart, label_of
from pages._models.view import COMPARE_VIEW, FIRST, PREDICT_VIEW, SECOND, SOURCE, choose_model, show_view
from pages._ui.database import store
from pages._ui.drawn import count, download, literal, table

LONGEST_NOTE = 4000


def _rename(card: ModelCard) -> None:
    """Let the user give a model, with its versions, another name."""
    name = st.text_input("New name", card.name, key=f"new_name_{card.id}", max_chars=120)
    if st.button("Rename", key="rename_model", type="primary"):
        store().models.rename(card.id, name or "")
        choose_model(label_of(next(c for c in store().models.all() if c.id == card.id)))


def _delete(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Ask before a model is deleted: this version of it, or all."""
    versions = [c for c in cards if c.name == card.name]
    this = f"Version {card.version} of **{literal(card.name)}**" if len(versions) > 1 else f"**{literal(card.name)}**"
    st.markdown(f"{this} is deleted for good. Downloaded files of it go on working.")
    if st.button("Delete for good", key="delete_model", type="primary"):
        store().models.delete(card.id)
        _after_delete()
    if len(versions) > 1 and st.button(f"Delete all {len(versions)} versions for good", key="delete_versions"):
        for version in versions:
            store().models.delete(version.id)
        _after_delete()


def _after_delete() -> None:
    """Look at another model: whoever deleted one need not be told that it is gone."""
    left = store().models.all()
    if left:
        choose_model(label_of(left[0]))
    st.rerun()


def draw_actions(card: ModelCard, cards: Sequence[ModelCard], page: Callable[[], bytes], reopen: str) -> bool:
    """Offer what can be done with a saved model; return whether it is to be opened again on the page of such models.

    Parameters
    ----------
    cards : of all models
    page : makes the model's card
    reopen : what opening it again is called
    """
    with st.container(horizontal=True):
        raw, name = partial(store().models.get, card.id), label_of(card)
        download("Download JSON", raw, f"{name}.json", "download_model")
        help = "One HTML file to send to a colleague: what the model was trained on, where it holds, how good it is."
        download("Model card", page, f"{name} card.html", "download_card", icon=":material/badge:", help=help)
        if st.button("Predict with it", key="predict_with_it", icon=":material/play_arrow:"):
            show_view(PREDICT_VIEW, **{SOURCE: label_of(card)})
        two = card.recipe != SCALING and len(cards) > 1
        if two and st.button("Compare …", key="compare_it", icon=":material/compare_arrows:"):
            show_view(COMPARE_VIEW, **{FIRST: label_of(card), SECOND: label_of(counterpart(card, cards))})
        opened = st.button(reopen, key="open_model", icon=":material/tune:")
        with st.popover("Rename …", icon=":material/edit:", key="rename_open"):
            _rename(card)
        with st.popover("Delete …", icon=":material/delete:", key="delete_open"):
            _delete(card, cards)
    return opened


def draw_note(card: ModelCard) -> None:
    """Show what people say of a model, to be changed."""
    title = "Note" if card.note else "Add a note"
    with st.expander(title, key=f"note_open_{card.id}", icon=":material/edit_note:", expanded=bool(card.note)):
        written = st.text_area(
            "What should others know of this version?",
            card.note,
            key=f"note_{card.id}",
            max_chars=LONGEST_NOTE,
            placeholder="What it is for, who uses it, what to be careful about. It stands on the model card, too.",
        )
        if st.button("Keep the note", key="keep_note", icon=":material/save:"):
            store().models.note(card.id, written or "")
            st.toast("The note is kept.", icon=":material/check:")
            st.rerun()


def draw_versions(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Show all versions of a model's name, where there are several."""
    versions = sorted((c for c in cards if c.name == card.name), key=lambda c: -c.version)
    if len(versions) < 2:
        return
    with st.expander(f"All {count(len(versions), 'version')} of {literal(card.name)}", key="versions_open"):
        order = ["version", "saved", "dataset", "trials", "recipe", *SCORES, "note"]
        values = pd.DataFrame(card_columns(versions))[order]
        three = st.column_config.NumberColumn(format="%.3g")
        alt = "Versions of this model, the newest first"
        table(values, key="model_versions", alt=alt, column_config=dict.fromkeys(SCORES, three))
        others = [c for c in versions if c.id != card.id]
        with st.container(horizontal=True):
            for other in others[:8]:
                if st.button(f"Look at version {other.version}", key=f"version_{other.version}"):
                    choose_model(label_of(other))
