"""Experiments that were begun before, here or by the command line."""

import streamlit as st

from core.experiment.experiment import Experiment
from core.experiment.toml_text import read_experiment
from core.store import ExperimentCard
from pages._ui.choices import pick
from pages._ui.database import store
from pages._ui.text import count


def choose() -> Experiment | None:
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
