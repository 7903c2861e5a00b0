"""Experiments that are there: ready-made ones of the papers' figures, a file of one's own, one begun before."""

from pathlib import Path

import streamlit as st

from core.errors import ReadError
from core.experiment.experiment import Experiment
from core.experiment.toml_text import read_experiment
from core.store.cards import ExperimentCard
from core.workspace import EXPERIMENTS
from pages._ui.choices import pick
from pages._ui.database import store
from pages._ui.text import count

OWN = "A file of my own"


def choose_file() -> Experiment | None:
    """Let the user choose a ready-made experiment or upload one; None until there is one."""
    shipped = {e.name: e for e in (read_experiment(p.read_text(encoding="utf-8"), p.stem) for p in _shipped())}
    names = list(shipped)
    help = "Figures of the four papers, on the samples that come with Ridgeline; load a sample on the Trials page."
    chosen = pick("Experiment", [*names, OWN], "ready_made", help)
    if chosen != OWN:
        return shipped[chosen]
    uploaded = st.file_uploader("Experiment (TOML)", key="experiment_file", max_upload_size=1)
    if uploaded is None:
        st.caption("The same file as `ridgeline experiment FILE.toml` takes; any experiment here can be downloaded.")
        return None
    try:
        text = uploaded.getvalue().decode()
    except UnicodeDecodeError:
        raise ReadError(f"{uploaded.name} is not UTF-8 text, so it is no experiment.") from None
    return read_experiment(text, Path(uploaded.name).stem)


def _shipped() -> list[Path]:
    return sorted(EXPERIMENTS.glob("*.toml"))


def choose_earlier() -> Experiment | None:
    """Let the user choose one of the experiments that are kept, the newest first."""
    cards = {card.id: card for card in store().experiments.all()}
    if not cards:
        st.info("No experiment was begun yet. Make one under New.", icon=":material/science:")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        id = pick("Experiment", list(cards), "earlier", words=lambda i: _said(cards[i]))
        with st.popover("Forget …", icon=":material/delete:"):
            st.caption("It leaves this list; its results stay, so that it goes quickly if it is made again.")
            if st.button("Forget this experiment", key="forget_experiment"):
                store().experiments.forget(str(id))
                st.rerun()
    card = cards[str(id)]
    return read_experiment(card.document, card.name)


def _said(card: ExperimentCard) -> str:
    return f"{card.name} · {card.dataset} · {count(card.n_fits, 'fit')} · {card.made:%d %b %Y %H:%M}"
