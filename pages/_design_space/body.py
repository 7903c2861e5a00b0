"""The Design space page: which space, which trials, which model; then one view of them."""

from types import MappingProxyType

import streamlit as st

from pages._design_space.model import choose_model, choose_options, choose_slice, choose_trials
from pages._design_space.shown import FILE, SOURCE, TRIALS, Shown, choose_source, space_of
from pages._ui.choices import act, in_url, set_choice
from pages._ui.drawn import literal
from pages._ui.page import beside, draw_open, views_of

_FORMER = MappingProxyType({"Explore the space": "Best designs"})


def draw(dataset: str | None) -> None:
    """Draw the choices, then the view that is open; without trials and a space only the way to one of them."""
    if dataset is None and SOURCE not in st.session_state and not in_url(SOURCE):
        _lead_on()
        return
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
    shown = Shown(space_of(kind, chosen), chosen, everybody, choice, row)
    draw_open(views_of("design_space"), "space_view", shown, _FORMER, "What if")


def _lead_on() -> None:
    """Offer a design space without trials."""
    said = "A file, an example, or a table to fill in: what to measure of it can be planned without trials."
    act("Begin with a design space", "without_trials", "tune", set_choice, SOURCE, FILE, help=said)
