"""The samples that come with the program: real measurements, loaded with one click."""

import streamlit as st

from core.ingest import SampleCard, load_sample, samples
from core.store.cards import DatasetCard
from core.workspace import SAMPLES
from pages._trials import receipts
from pages._trials.receipts import show_dataset
from pages._ui.database import store
from pages._ui.drawn import count, literal
from pages._ui.page import show_error

TITLE, PLACE = "Samples", 4


def draw(_: str | None) -> None:
    """Show a card per sample."""
    cards = samples(SAMPLES)
    if not cards:
        show_error(f"No samples are installed: {SAMPLES} is missing or empty.")
        return
    st.markdown("Real measurements that come with the program, each with the script that made it.")
    with st.grid(2, min_column_width=320, border=True):
        for card in cards:
            with st.container():
                _draw(card, store().datasets.get(card.name))


def _draw(card: SampleCard, loaded: DatasetCard | None) -> None:
    st.markdown(f"**{literal(card.title)}**")
    st.markdown(literal(card.description))
    st.markdown("\n".join(f"- {literal(one.of)}: {literal(one.says)}" for one in card.answers.values()))
    st.caption(
        f"Measured {literal(card.measured)} with {literal(card.tools)} · {_size(card)} · "
        f"made by {literal(card.command)}"
    )
    if loaded is None:
        if st.button("Load this sample", key=f"load_{card.name}", icon=":material/download:"):
            _load(card)
    else:
        shown = f"Show ({count(loaded.n_trials, 'trial')})"
        if st.button(shown, key=f"show_{card.name}", icon=":material/visibility:"):
            receipts.leave()
            show_dataset(card.name)


def _size(card: SampleCard) -> str:
    files = [path for path in card.folder.iterdir() if ".csv" in path.name]
    kibibytes = sum(path.stat().st_size for path in files) // 1024
    return f"{count(len(files), 'file')}, {kibibytes:,} KiB"


def _load(card: SampleCard) -> None:
    with st.spinner(f"Loading {literal(card.title)} …"):
        receipts.leave(card.name, [(card.name, store().add(card.name, load_sample(card.folder)))])
    show_dataset(card.name)
