"""The Design space page: which space, which trials, which model; then one view of them."""

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import RidgelineError
from core.space.design_space import DesignSpace
from pages._design_space import applications, enough, explored, next_batch, plan, space, what_if
from pages._design_space.model import Asked, Choice, ask, choose_model, choose_options
from pages._design_space.source import TRIALS, Source, choose_source, space_of
from pages._design_space.trials import Chosen, choose_slice, choose_trials, parameters_of
from pages._ui.cached import frame as load_frame
from pages._ui.choices import METRICS, set_url
from pages._ui.layout import beside, open_view
from pages._ui.page import guard, show_error
from pages._ui.state import offer_sample
from pages._ui.text import count, literal, percent

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

SPACE, PLAN, WHAT_IF, EXPLORE, LEARNING, NEXT, APPLICATIONS = VIEWS = (
    "Space",
    "Plan",
    "What if",
    "Best designs",
    "Learning curve",
    "Next experiments",
    "Applications",
)
_FORMER = MappingProxyType({"Explore the space": EXPLORE})
_MOST_METRICS = 30


def draw(dataset: str | None) -> None:
    """Draw the choices, then the view that is open."""
    everybody = chosen = choose_trials(dataset) if dataset else None
    choices, row = beside("Space and model")
    with choices:
        kind = choose_source(chosen)
        bare = kind == TRIALS and chosen is not None and not chosen.parameters
        chosen = choose_slice(chosen) if chosen is not None and not bare else chosen
        choice = choose_model(can_train=chosen is not None) if not bare else None
        choice = choose_options(choice) if choice is not None else None
    with row:
        if chosen is not None and chosen.notes:
            said = "; ".join(chosen.notes)
            st.caption(literal(f"{said[:1].upper()}{said[1:]}."))
    source = space_of(kind, chosen)
    view, place = open_view(VIEWS, "space_view", WHAT_IF, _FORMER)
    with place, guard():
        if view == SPACE:
            space.draw(source, chosen)
        elif view == APPLICATIONS:
            applications.draw(choice, everybody)
        elif source.space is None:
            _without_space(source, chosen)
        elif view == PLAN:
            plan.draw(source.space, chosen)
        else:
            _with_model(view, choice, source.space, chosen, everybody, row)


def _with_model(
    view: str,
    choice: Choice | None,
    space: DesignSpace,
    chosen: Chosen | None,
    everybody: Chosen | None,
    row: "DeltaGenerator",
) -> None:
    """Draw a view that asks a model."""
    if choice is None:
        st.info("There is no model yet: choose a dataset in the sidebar to train one here, or save one there.")
        return
    with row:  # where what is under way pushes no control aside
        asked = ask(choice, space, chosen)
        if asked is None:
            return
        _said_of(asked, space, chosen)
    draws: dict[str, Callable[[], None]] = {
        WHAT_IF: lambda: what_if.draw(asked, space),
        LEARNING: lambda: enough.draw(asked),
        EXPLORE: lambda: explored.draw(asked, choice, space, chosen, everybody),
        NEXT: lambda: next_batch.draw(asked, space, chosen),
    }
    draws[view]()


def _said_of(asked: Asked, space: DesignSpace, chosen: Chosen | None) -> None:
    """Say in a line how large the space is and how good the model."""
    model = asked.model
    scores = model.validation.get("scores", {})
    error = scores.get("median_ape")
    tested = f"median error on unseen trials {percent(error)}" if isinstance(error, int | float) else "not tested yet"
    designs = f"{size_of(space)} of {count(len(space.parameters), 'parameter')}"
    learnt = f"{model.provenance.recipe} trained on {count(model.provenance.n_trials, 'trial')}"
    whose = " ".join(value for _, _, value in chosen.where) if chosen is not None else ""
    st.caption(literal(f"{whose}: {designs}; {model.response} by {learnt}, {tested}.".removeprefix(": ")))


def size_of(space: DesignSpace) -> str:
    """Return how many designs a space has, or at most has."""
    try:
        return count(space.n_points, "design")
    except RidgelineError:
        return f"at most {space.n_combinations:.3g} designs"


def _without_space(source: Source, chosen: Chosen | None) -> None:
    """Say what is missing, and show a way on."""
    if source.kind != TRIALS or chosen is None:
        st.info(literal(source.why or "There is no design space yet."))
        return
    if chosen.parameters:
        show_error(source.why)
        return
    if parameters_of(chosen.dataset):
        st.info("No parameter has a value in every one of these trials. Choose some under Metrics in the sidebar.")
        return
    st.info(
        literal(f"Dataset {chosen.dataset} has no parameters that were set before a run, so it spans no design space.")
    )
    with st.container(horizontal=True):
        offer_sample("design_space", "space_sample", ":material/tune:")
        _offer_metrics(chosen)


def _offer_metrics(chosen: Chosen) -> None:
    names = load_frame(chosen.dataset, chosen.response, None, chosen.where).names
    said = literal(f"Metrics that {chosen.dataset} is modelled from by default; change them in the sidebar.")
    if len(names) <= _MOST_METRICS and st.button("Use its metrics as parameters", key="use_metrics", help=said):
        set_url(METRICS, names)
        st.rerun()
