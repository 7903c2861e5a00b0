"""What every view of the Design space page is given: the space, the trials, and the model that is asked."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import RidgelineError
from core.frozen import Frozen
from core.recipes import recipe_label
from core.space.design_space import DesignSpace
from pages._design_space import worth
from pages._design_space.model import Asked, Choice, Chosen, ask, parameters_of
from pages._design_space.source import FILE, TRIALS, Source, ask_file
from pages._ui.choices import METRICS, set_url
from pages._ui.database import frame as load_frame
from pages._ui.drawn import count, literal, percent
from pages._ui.page import show_error
from pages._ui.state import offer_sample

_MOST_METRICS = 30


class Shown(Frozen):
    """What was chosen above the views.

    Attributes
    ----------
    everybody : the trials before one application was chosen
    row : where is said what is asked, and what is under way, so that it pushes no control aside
    """

    source: Source
    chosen: Chosen | None
    everybody: Chosen | None
    choice: Choice | None
    row: DeltaGenerator

    def space(self) -> DesignSpace | None:
        """Return the design space; where there is none, say what is missing, and show a way on."""
        if self.source.space is None:
            _without_space(self.source, self.chosen)
        return self.source.space

    def asked(self) -> Asked | None:
        """Return the model that is asked of the space; None where there is none, or while it is trained."""
        if (space := self.space()) is None:
            return None
        if self.choice is None:
            st.info("There is no model yet: choose a dataset in the sidebar to train one here, or save one there.")
            return None
        with self.row:
            if (asked := ask(self.choice, space, self.chosen)) is not None:
                _say(asked, self.chosen)
                worth.draw(asked, self.chosen.dataset if self.chosen is not None else "")
        return asked


def _say(asked: Asked, chosen: Chosen | None) -> None:
    """Say in a line how large the space is and how good the model."""
    model, space = asked.model, asked.space
    scores = model.validation.get("scores", {})
    mean, median = scores.get("mape"), scores.get("median_ape")
    known = isinstance(mean, int | float) and isinstance(median, int | float)
    tested = f"mean held-out error {percent(mean)}, median {percent(median)}" if known else "not tested yet"
    designs = f"{_size_of(space)} of {count(len(space.parameters), 'parameter')}"
    learnt = f"{recipe_label(model.provenance.recipe)}, trained on {count(model.provenance.n_trials, 'trial')}"
    whose = " ".join(value for _, _, value in chosen.where) if chosen is not None else ""
    st.caption(literal(f"{whose}: {designs}; {model.response} by {learnt}, {tested}.".removeprefix(": ")))


def _size_of(space: DesignSpace) -> str:
    """Return how many designs a space has, or at most has."""
    try:
        return count(space.n_points, "design")
    except RidgelineError:
        return f"at most {space.n_combinations:.3g} designs"


def _without_space(source: Source, chosen: Chosen | None) -> None:
    """Say what is missing, and show a way on."""
    if source.kind == FILE and not source.why:
        ask_file()
    elif source.kind != TRIALS or chosen is None:
        st.info(literal(source.why or "There is no design space yet."))
    elif chosen.parameters:
        show_error(source.why)
    elif parameters_of(chosen.dataset):
        st.info("No parameter has a value in every one of these trials. Choose some under Metrics in the sidebar.")
    else:
        said = "has no parameters that were set before a run, so it spans no design space."
        st.info(literal(f"Dataset {chosen.dataset} {said}"))
        with st.container(horizontal=True):
            offer_sample("design_space", "space_sample", ":material/tune:")
            _offer_metrics(chosen)


def _offer_metrics(chosen: Chosen) -> None:
    names = load_frame(chosen.dataset, chosen.response, None, chosen.where).names
    said = literal(f"Metrics that {chosen.dataset} is modelled from by default; change them in the sidebar.")
    if len(names) <= _MOST_METRICS and st.button("Use its metrics as parameters", key="use_metrics", help=said):
        set_url(METRICS, names)
        st.rerun()
