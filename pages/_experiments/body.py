"""The Experiments page: what is asked, how far it is, and what came of it."""

import streamlit as st

from core.experiment.experiment import Experiment
from pages._experiments import form, results
from pages._experiments.question import question_of
from pages._experiments.running import run_or_wait
from pages._experiments.written import choose_earlier, choose_file
from pages._ui.choices import switch
from pages._ui.layout import instrument
from pages._ui.page import fragment
from pages._ui.state import Asked
from pages._ui.text import literal

NEW, FILE, EARLIER = WAYS = ("New", "File", "Earlier")
_FORMER_FILE = "From a file"
"""What older addresses say."""


@fragment()
def draw(asked: Asked) -> None:
    """Draw the way to an experiment, then the experiment; this alone runs again when a choice of it changes."""
    head, said, controls, picture = instrument()
    with controls:
        experiment = _choose(asked)
    if experiment is None:
        return
    question = question_of(experiment)
    with said:
        if st.session_state.get("way", NEW) != NEW:  # a new one is named by its question
            st.header(literal(experiment.name), anchor=False)
        st.caption(literal(experiment.about))
        stands = run_or_wait(question)
    if stands:
        results.draw(question, head, picture)
    else:
        with picture:
            results.until_now(question)


def _choose(asked: Asked) -> Experiment | None:
    """Let the user make an experiment, read one, or look at an earlier one."""
    help = "Make one here, read one that the command line takes too, or look at one that was begun before."
    if st.query_params.get("way") == _FORMER_FILE:
        st.session_state["way"] = FILE
    way = switch("Experiment", WAYS, "way", help, usual=NEW, label_visibility="collapsed")
    if way == FILE:
        return choose_file()
    return choose_earlier() if way == EARLIER else form.choose(asked)
