"""The view of the best designs: the designs to choose from, the whole space scored, what matters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.ingest import more_is_better
from core.report.figures.surface import interaction_bars, space_histogram, variance_shares
from core.report.shared.naming import quantity
from core.report.space.decision import ANY, problem_text, usual_sense
from core.report.space.design_points import MOST_ROWS, inside_percent, whole_table
from core.space.design_space import DesignSpace
from core.space.sensitivity import Sensitivity, sensitivity
from core.space.sweep import Sweep, sweep
from core.space.wishes import SENSES, Problem, Wishes
from core.trial import Metric
from pages._design_space import recommended
from pages._design_space.model import Asked, Choice, Chosen, ask, offers
from pages._design_space.shown import Shown, problems_of, space_key, surrogate_of
from pages._ui.choices import in_url, pick, switch
from pages._ui.drawn import count, csv_button, listed, literal, percent, show
from pages._ui.jobs import computed, key_of, known, one_bar
from pages._ui.page import guard
from pages._ui.state import possible_responses

TITLE, PLACE = "Best designs", 4

_NONE = "None"
_FURTHER = ("space_second", "space_goal", "space_conditions")


def draw(shown: Shown) -> None:
    """Let the user say what is good and what counts, then draw the designs to choose from and the scored space."""
    with one_bar("best_designs_bar", shown.row):
        asked = shown.asked()
        if asked is not None and shown.choice is not None:
            _draw(asked, shown.choice, shown)


def _draw(asked: Asked, choice: Choice, shown: Shown) -> None:
    space, chosen = asked.space, shown.chosen
    label = f"Wanted {literal(asked.model.response.name)}"
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        sense = _choose_sense(label, "space_sense", usual_sense(asked.model))
    with st.expander("More goals and limits", key="more_goals", expanded=any(map(in_url, _FURTHER))):
        with st.grid(3, min_column_width=200, vertical_alignment="bottom"):
            senses = (sense, _choose_second(asked, chosen, choice))
            models = recommended.named(asked, _second(choice, space, chosen))
            over = recommended.choose(models, choice, chosen, shown.everybody)
            ends, goals = recommended.choose_goals(models, space, senses[: len(models)], over)
        wishes = recommended.choose_limits(models, space, ends, goals, over)
    with row:
        wishes = wishes.for_first(_choose_problem(*models.values(), growing=not wishes.trades))
    with guard():
        recommended.draw(models, wishes, space, over)
    if over is not None:
        st.caption("All designs scored and what matters over the space are shown for one alone.")
        return
    with st.grid(2, min_column_width=560):
        with st.container(gap="small"), guard():
            _draw_whole(models, wishes)
        with guard():
            _draw_shares(asked, wishes)


def _choose_problem(*asked: Asked, growing: bool) -> Sequence[Problem]:
    """Let the user choose for which problem designs are, where sizes are parameters too."""
    offered = {problem_text(problem): problem for problem in problems_of(*asked, growing=growing)}
    if not offered:
        return ()
    help = (
        "What belongs to the problem, such as its size, is no choice: designs are compared at one. Or at any of them."
    )
    picked = pick("For the problem", [*offered, ANY], "space_problem", help, width=240)
    return [offered[picked]] if picked in offered else ()


def _draw_shares(asked: Asked, wishes: Wishes) -> None:
    """Draw Sobol' indices and the strength of interactions."""
    found = shares(asked, wishes.space)
    if found is None:
        return
    where = f"for {literal(problem_text(wishes.problem))}" if wishes.problem else "over the whole space"
    with st.container(gap="small"):
        st.header(f"What matters {where}: Sobol’ indices", anchor=False)
        show(variance_shares(found), "sobol")
    with st.container(gap="small"):
        st.header("Which parameters act together", anchor=False)
        draw_interactions(found)


def draw_interactions(found: Sensitivity) -> None:
    """Draw which parameters act together, over the whole space."""
    if found.interacts:
        show(interaction_bars(found), "interactions")
    else:
        st.caption("No interactions: on the model's scale no two parameters explain 0.1 % of the variance together.")


def shares(asked: Asked, space: DesignSpace) -> Sensitivity | None:
    """Return Sobol' indices, or None while they are computed."""
    key = key_of(asked.key, space_key(space))
    title = "Sharing the variance out"
    return computed("sensitivity", title, key, lambda p: sensitivity(asked.model, space, progress=p))


def known_shares(asked: Asked, space: DesignSpace) -> Sensitivity | None:
    """Return Sobol' indices where they are there already."""
    return known("sensitivity", key_of(asked.key, space_key(space)))


def _choose_second(asked: Asked, chosen: Chosen | None, choice: Choice) -> str:
    """Let the user choose a second response; return what is good of it."""
    offered = [_NONE, *_seconds(asked, chosen, choice)]
    help = "As a second goal, or for limits alone: trained like the first, or a saved model."
    second = pick("Second response", offered, "space_second", help)
    if second == _NONE:
        return SENSES[0]
    rates = () if chosen is None else possible_responses(chosen.dataset)
    high = any(m.name == second and more_is_better(m.unit, m.name) for m in rates)
    return _choose_sense("Wanted second response", "space_second_sense", SENSES[high], recommended.SECOND_SENSES)


def _choose_sense(label: str, key: str, usual: str, senses: Sequence[str] = SENSES) -> str:
    """Let the user say what is good; choices that begin with something else are apart, so that each stays as it is."""
    return switch(label, senses, key if usual == SENSES[0] else f"{key}_of_rate", usual=usual)


def _seconds(asked: Asked, chosen: Chosen | None, choice: Choice) -> list[str]:
    trained = [] if chosen is None or choice.recipe is None else [m.name for m in possible_responses(chosen.dataset)]
    saved = [title for title in offers(False) if title != choice.title]
    return [*(name for name in trained if name != asked.model.response.name), *saved]


def _second(choice: Choice, space: DesignSpace, chosen: Chosen | None) -> Asked | None:
    title = st.session_state.get("space_second", _NONE)
    if title == _NONE:
        return None
    saved = offers(False)
    if title in saved:
        return ask(saved[title], space, chosen, test=False)
    return ask(choice, space, chosen, response=title, test=False)


def _draw_whole(models: Mapping[str, Asked], wishes: Wishes) -> None:
    """Draw how many designs that break no limit have which predicted response, and offer all of them as a file."""
    asked, *others = models.values()
    named = {name: one.model for name, one in models.items()}
    first = replace(wishes, goals=wishes.goals[:1])
    key = key_of(asked.full_key, *(one.key for one in others), space_key(wishes.space), wishes.texts)
    said = f"Scoring {count(wishes.space.n_combinations, 'design')}"
    found = computed("sweep", said, key, lambda p: sweep(first, named, top=0, progress=p))
    if found is None:
        return
    _counts(found, asked.model.response)
    if found.n_points == found.n_refused:
        st.info("No design is left that fulfils the limits. Loosen them.")
        return
    show(space_histogram(found, asked.model.response), "space_histogram")
    if idle := surrogate_of(asked, wishes.space).idle:
        st.caption(literal(f"The model has no term with {listed(idle, 12)}: designs that differ only there are alike."))
    if found.n_points <= MOST_ROWS:
        csv_button("All designs as CSV", lambda: whole_table(wishes.space, list(named.values())), "all_designs")
    else:
        st.caption("For a file of all designs use `ridgeline sweep` with `--out`.")


def _counts(found: Sweep, response: Metric) -> None:
    with st.grid(4, min_column_width=120):
        st.metric("Designs", f"{found.n_points:,}", border=True, help="That fulfil constraints, conditions and limits")
        inside = inside_percent(found)
        if inside is not None:
            st.metric("In trained range", percent(inside), border=True, help="The model extrapolates for the others")
        st.metric("Lowest prediction", quantity(found.smallest, response), border=True, help="Of any design")
        st.metric("Highest prediction", quantity(found.largest, response), border=True, help="Of any design")
    if found.n_refused:
        st.caption(f"{count(found.n_refused, 'design')} got no prediction.")
