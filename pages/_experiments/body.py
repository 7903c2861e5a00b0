"""The Experiments page: what is asked, how far it is, and what came of it."""

import streamlit as st

from core.experiment.experiment import Experiment
from pages._experiments import earlier, file, form, results
from pages._experiments.question import question_of
from pages._experiments.running import run_or_wait
from pages._ui.choices import switch
from pages._ui.filters import Condition
from pages._ui.text import literal

NEW, FILE, EARLIER = WAYS = ("New", "From a file", "Earlier")


def draw(
    dataset: str, response: str, metrics: tuple[str, ...] | None, where: tuple[Condition, ...], repeats: str
) -> None:
    """Draw the way to an experiment, then the experiment."""
    help = "Make one here, read one that the command line takes too, or look at one that was begun before."
    way = switch("Experiment", WAYS, "way", help, usual=NEW, label_visibility="collapsed")
    experiment: Experiment | None
    if way == FILE:
        experiment = file.choose()
    elif way == EARLIER:
        experiment = earlier.choose()
    else:
        experiment = form.choose(dataset, response, metrics, where, repeats)
    if experiment is None:
        return
    question = question_of(experiment)
    if way != NEW:
        st.subheader(literal(experiment.name), anchor=False)
        if experiment.about:
            st.caption(literal(experiment.about))
    if run_or_wait(question):
        results.draw(question)
