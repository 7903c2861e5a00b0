"""The Applications view: what matters to each application, and which react alike (Stargazer, section 8.2)."""

import streamlit as st

from core.errors import StoreError
from core.recipes import Recipe, recipe_label
from core.report.figures.effects import contribution_bars
from core.report.figures.outcome import diversity_map, reaction_curves
from core.report.space.diversity import Applications, compare
from core.trial import ROLES, Frame
from pages._design_space.model import Chosen
from pages._design_space.shown import Shown
from pages._ui import database
from pages._ui.choices import pick
from pages._ui.database import recipe_key
from pages._ui.drawn import count, listed, literal, percent, show
from pages._ui.jobs import computed, key_of

TITLE, PLACE = "Applications", 7


def draw(shown: Shown) -> None:
    """Fit a model to each application's trials, and draw what each says."""
    choice, chosen = shown.choice, shown.everybody
    if chosen is None or choice is None or choice.recipe is None:
        st.info("Choose a dataset in the sidebar, and under Model a recipe to train one model per application with.")
        return
    names, left_out = _shared(chosen)
    if not names:
        st.info("No parameter has a value in every trial, so the applications cannot be asked for the same designs.")
        return
    frame = chosen.frame(names)
    by = next((role for role in ROLES if len(set(frame.labels[role])) > 1), None)
    if by is None:
        st.info("All these trials are of one application: there is nothing to compare. Import those of another one.")
        return
    found = _compared(choice.recipe, frame, by)
    if found is not None:
        _draw(found, by)
    apart = f" Left out, as some trials have no value of them: {listed(left_out)}." if left_out else ""
    part = f"Every {by} of the sidebar's trials takes part, whichever is chosen under Space and model."
    st.caption(literal(f"{part}{apart}"))


def _shared(chosen: Chosen) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the parameters that all trials have, and the others, where no trial has all; else all."""
    try:
        chosen.frame(chosen.parameters)
        return chosen.parameters, ()
    except StoreError:
        known = {card.metric.name: card.n_values for card in database.metric_cards(chosen.dataset)}
    most = max((known.get(name, 0) for name in chosen.parameters), default=0)
    left_out = tuple(name for name in chosen.parameters if known.get(name, most) < most)
    return tuple(name for name in chosen.parameters if name not in left_out), left_out


def _compared(recipe: Recipe, frame: Frame, by: str) -> Applications | None:
    key = key_of("applications", frame.digest(), recipe_key(recipe), by)
    return computed(
        "applications", f"{recipe_label(recipe.name)}: a model per {by}", key, lambda p: compare(recipe, frame, by, p)
    )


def _draw(found: Applications, by: str) -> None:
    apart = found.apart
    far = int(apart.unlike.argmax())
    st.markdown(
        literal(
            f"{count(len(found.models), 'model')}, one per {by}, asked for the same "
            f"{count(apart.n_designs, 'design')}. {apart.applications[far]} is the odd one out: a design changes it "
            f"{percent(100 * apart.unlike[far])} differently from the others, on average; most similar "
            f"to it is {apart.applications[apart.nearest(far)]}."
        )
    )
    with st.grid(2, min_column_width=480, gap="medium"):
        with st.container(gap="small"):
            st.header("How differently they react", anchor=False)
            st.caption(f"{apart.measure} Neighbours are similar.")
            show(diversity_map(apart), "diversity")
        if found.added is not None:
            with st.container(gap="small"):
                st.header("What matters to each", anchor=False)
                show(contribution_bars(found.added), "contributions")
    st.header("One parameter, all others in the middle", anchor=False)
    over = pick("Parameter", found.moving, "applications_over")
    show(reaction_curves(found.over(over)), "reactions")
