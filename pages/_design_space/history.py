"""How the search went: the answer so far, the best and the expected gain after each arrival, and taking one back."""

from typing import TYPE_CHECKING

import streamlit as st

from core.curate import BY_HAND
from core.errors import OptionError
from core.progress import Progress
from core.race.reuse import recipe_again
from core.recipes import Recipe
from core.report.figures.learning import history_curves
from core.report.space.history import History, Part, Round, history_of, history_sentence, history_table, round_of
from core.space.wishes import Wishes, read_wishes, spoken
from core.trial import Arrival
from pages._design_space.model import Asked, Chosen
from pages._design_space.values import space_key
from pages._ui.cached import recipe_key
from pages._ui.charts import show, table
from pages._ui.database import Shelf, store
from pages._ui.text import literal, short
from pages._ui.work import computed, key_of

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_ROUNDS = Shelf("rounds of a search", 256)
_LONGEST = 40
_REASON = "results taken back on Design space"


def draw(asked: Asked, chosen: Chosen, sense: str, answer: "DeltaGenerator") -> None:
    """Draw what was known after each arrival, and in `answer` what is known now."""
    arrivals = store().datasets.arrivals(chosen.dataset)
    found = _found(asked, sense, arrivals)
    if found is None:
        return
    last = found.rounds[-1]
    with answer:
        st.markdown(literal(last.answer or last.why or history_sentence(found)))
        if last.advice:
            st.markdown(f"**{literal(last.advice)}**" if last.advice.startswith("Stop") else literal(last.advice))
    st.header("History", anchor=False)
    st.markdown(literal(history_sentence(found)))
    show(history_curves(found), "history")
    table(history_table(found), "history_table", alt="What was known after each arrival of results")
    st.caption("Made anew from the trials in the database and when they came, by the model that is chosen now.")
    _take_back(chosen.dataset, found, arrivals)


def _found(asked: Asked, sense: str, arrivals: tuple[Arrival, ...]) -> History | None:
    assert asked.frame is not None, "no trials to tell the history of"
    frame, recipe, space = asked.frame, _recipe(asked), asked.space
    name = spoken(asked.model.response.name)
    wishes = read_wishes({name: sense}, (), (name,), space)
    own = (recipe_key(recipe) if recipe else asked.key, space_key(space), sense)
    came = [(arrival.title, arrival.when, len(arrival.ids)) for arrival in arrivals]

    def ask(part: Part, model: bool, progress: Progress) -> Round:
        return _round(part, wishes, recipe, key_of(part.frame.digest(), model, *own), model, progress)

    return computed(
        "history",
        "Looking back on the search",
        key_of(frame.digest(), came, *own),
        lambda progress: history_of(frame, arrivals, wishes, ask, progress),
    )


def _round(part: Part, wishes: Wishes, recipe: Recipe | None, key: str, asked: bool, progress: Progress) -> Round:
    """Return what was known after an arrival, which further ones do not change."""
    known: Round | None = _ROUNDS.get(key)
    return known or _ROUNDS.put(key, round_of(part, wishes, recipe.fit if recipe else None, asked, progress))


def _recipe(asked: Asked) -> Recipe | None:
    try:
        return asked.recipe or recipe_again(asked.model)
    except OptionError:
        return None


def _take_back(dataset: str, found: History, arrivals: tuple[Arrival, ...]) -> None:
    """Offer to leave the last results out, and to count again those that were."""
    out = {card.trial for card in store().curation.exclusions(dataset) if card.reason == _REASON}
    last = found.parts[-1]
    with st.container(horizontal=True):
        if len(found.parts) > 1 and st.button(
            literal(f"Take back {short(last.title, _LONGEST)}"), key="take_back", icon=":material/undo:"
        ):
            store().curation.exclude(dataset, sorted(last.ids), BY_HAND, _REASON)
            st.rerun()
        for k, arrival in enumerate(one for one in arrivals if out and one.ids <= out):
            if st.button(literal(f"Count {short(arrival.title, _LONGEST)} again"), key=f"count_again_{k}"):
                store().curation.include(dataset, sorted(arrival.ids), BY_HAND)
                st.rerun()
