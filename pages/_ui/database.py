"""The one database of this process; a new one starts with a sample in it."""

from pathlib import Path

import streamlit as st

from core.errors import RidgelineError
from core.ingest import load_sample
from core.store import Store
from core.workspace import SAMPLES, default_database
from pages._ui.text import literal

FIRST_SAMPLE = "generations"


def store() -> Store:
    """Return the one database of this process; a new one starts with the first sample in it."""
    return _open(str(default_database()))


@st.cache_resource(show_spinner="Opening the database …", on_release=Store.close)
def _open(path: str) -> Store:
    is_new = not Path(path).exists()
    opened = Store.open(Path(path))
    if is_new and (SAMPLES / FIRST_SAMPLE).is_dir():
        try:
            opened.add(FIRST_SAMPLE, load_sample(SAMPLES / FIRST_SAMPLE))
        except RidgelineError as error:
            st.warning(literal(f"The sample '{FIRST_SAMPLE}' could not be loaded: {error}"))
    return opened


def stamp(dataset: str) -> str:
    """Return a text that changes whenever the trials of a dataset, or those that count, do."""
    card = next((c for c in store().datasets() if c.name == dataset), None)
    return f"{store().path} {card!r} {hash(store().exclusions(dataset)) if card else 0}"
