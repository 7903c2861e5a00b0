"""The one database of this process; a new one starts with a sample in it."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.errors import RidgelineError
from core.ingest import load_sample
from core.store import Store
from core.store.drainer import Drainer
from core.workspace import SAMPLES, database_path
from pages._ui.text import literal

FIRST_SAMPLE = "generations"


def store() -> Store:
    """Return the one database of this process; a new one starts with the first sample in it."""
    return _open(str(database_path())).store


def mark_read_only() -> None:
    """Say so where nothing can be stored."""
    if store().read_only:
        st.badge("This database can only be read here: nothing is stored", icon=":material/lock:", color="orange")


@dataclass(frozen=True)
class _Owned:
    """The database while this process owns it, and the thread that stores what comes into its inbox."""

    store: Store
    drainer: Drainer | None

    def close(self) -> None:
        if self.drainer is not None:
            self.drainer.stop()
        self.store.close()


@st.cache_resource(show_spinner="Opening the database …", on_release=_Owned.close)
def _open(path: str) -> _Owned:
    is_new = not Path(path).exists()
    opened = Store.open(Path(path))
    if is_new and (SAMPLES / FIRST_SAMPLE).is_dir():
        try:
            opened.add(FIRST_SAMPLE, load_sample(SAMPLES / FIRST_SAMPLE))
        except RidgelineError as error:
            st.warning(literal(f"The sample '{FIRST_SAMPLE}' could not be loaded: {error}"))
    return _Owned(opened, None if opened.read_only else Drainer(opened).start())


def stamp(dataset: str) -> str:
    """Return a text that changes whenever the trials of a dataset, or what counts of them, do."""
    return f"{store().path} {store().datasets.stamp(dataset)}"
