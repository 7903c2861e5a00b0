"""The Explore view: the whole space scored, its best designs, the front of two responses, what matters."""

from collections.abc import Sequence

import streamlit as st

from core.report.figures.scored_space import front_scatter, interaction_bars, space_histogram, variance_shares
from core.report.shared.naming import quantity
from core.report.space.scored_space import MOST_ROWS, cloud, designs_table, inside_percent, whole_table
from core.space.design_space import DesignSpace
from core.space.pareto import ParetoFront, pareto_front
from core.space.sensitivity import Sensitivity, sensitivity
from core.space.sweep import SENSES, Limit, Sweep, sweep
from core.trial import Metric
from pages._design_space import recommended, sliders
from pages._design_space.model import Asked, Choice, ask, offers
from pages._design_space.trials import Chosen
from pages._design_space.values import space_key, surrogate_of
from pages._ui.charts import csv_button, table
from pages._ui.choices import pick, switch
from pages._ui.page import guard
from pages._ui.pictures import show
from pages._ui.state import possible_responses
from pages._ui.text import count, listed, literal, percent
from pages._ui.work import computed, key_of, known

_NONE = "None"
_TOP = (10, 20, 50, 100, 500)


def draw(asked: Asked, choice: Choice, space: DesignSpace, chosen: Chosen | None) -> None:
    """Let the user say what is good and what counts, then draw the scored space."""
    sense, second_sense, top = _wanted(asked, chosen, choice)
    second = _second(choice, space, chosen)
    limits = _limits(second)
    wishes = recommended.choose_wishes(asked, second, space, sense, limits)
    part = wishes.space
    with guard():
        recommended.draw(asked, second, wishes)
    found = _swept(asked, second, part, sense, top, limits)
    if found is not None:
        _draw_sweep(asked, second, part, found, space)
    if second is not None:
        with guard():
            _draw_front(asked, second, part, (sense, second_sense))
    with guard():
        draw_shares(asked, part)


def draw_shares(asked: Asked, space: DesignSpace) -> None:
    """Draw Sobol' indices and the strength of interactions."""
    found = shares(asked, space)
    if found is None:
        return
    st.subheader("What matters over the whole space: Sobol’ indices", anchor=False)
    show(variance_shares(found), "sobol")
    draw_interactions(asked, space)


def draw_interactions(asked: Asked, space: DesignSpace) -> None:
    """Draw which parameters act together, over the whole space."""
    found = shares(asked, space)
    if found is None:
        return
    st.subheader("Which parameters act together", anchor=False)
    if found.interactions:
        show(interaction_bars(found), "interactions")
    else:
        st.caption("None: on its scale the model lets each parameter do the same whatever the others are.")


def shares(asked: Asked, space: DesignSpace) -> Sensitivity | None:
    """Return Sobol' indices, or None while they are computed."""
    key = key_of(asked.key, space_key(space))
    title = "Sharing the variance out"
    return computed("sensitivity", title, key, lambda p: sensitivity(asked.model, space, progress=p))


def known_shares(asked: Asked, space: DesignSpace) -> Sensitivity | None:
    """Return Sobol' indices where they are there already."""
    return known("sensitivity", key_of(asked.key, space_key(space)))


def _wanted(asked: Asked, chosen: Chosen | None, choice: Choice) -> tuple[str, str, int]:
    with st.grid(4, min_column_width=200, vertical_alignment="bottom"):
        sense = switch(f"Wanted {literal(asked.model.response.name)}", SENSES, "space_sense")
        top = st.select_slider("Best designs", _TOP, value=20, key="space_top", bind="query-params")
        offered = [_NONE, *_seconds(asked, chosen, choice)]
        help = "For limits and for the front of two: trained like the first, or a saved model."
        pick("Second response", offered, "space_second", help)
        alone = st.session_state.get("space_second", _NONE) == _NONE
        second = SENSES[0] if alone else switch("Wanted second response", SENSES, "space_second_sense")
    return sense, second, int(top)


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


def _limits(second: Asked | None) -> tuple[Limit, ...]:
    if second is None:
        return ()
    name = literal(second.model.response)
    with st.grid(2, min_column_width=200):
        low = st.number_input(f"{name} at least", value=None, key="second_low", format="%g", bind="query-params")
        high = st.number_input(f"{name} at most", value=None, key="second_high", format="%g", bind="query-params")
    if low is None and high is None:
        return ()
    infinite = float("inf")
    return (Limit(second.model, -infinite if low is None else low, infinite if high is None else high),)


def _swept(
    asked: Asked, second: Asked | None, space: DesignSpace, sense: str, top: int, limits: Sequence[Limit]
) -> Sweep | None:
    ends = [(limit.low, limit.high) for limit in limits]
    key = key_of(asked.full_key, second.key if second else "", space_key(space), sense, top, ends)
    model = asked.model
    said = f"Scoring {count(space.n_combinations, 'design')}"
    return computed("sweep", said, key, lambda p: sweep(model, space, top=top, sense=sense, limits=limits, progress=p))


def _draw_sweep(asked: Asked, second: Asked | None, space: DesignSpace, found: Sweep, every: DesignSpace) -> None:
    response = asked.model.response
    _counts(found, response)
    if found.n_points == found.n_refused:
        st.info("No design is left that fulfils the limits. Loosen them.")
        return
    show(space_histogram(found, response), "space_histogram")
    st.subheader("Best designs", anchor=False)
    best = designs_table(space, found.best, response, second.model if second else None)
    table(best, "best_designs", alt="The best designs with what is predicted of them")
    if idle := surrogate_of(asked, space).idle:
        st.caption(literal(f"The model has no term with {listed(idle, 12)}: designs that differ only there are alike."))
    with st.container(horizontal=True):
        if found.best:
            said = "Show the best in What if"
            st.button(said, key="best_to_sliders", icon=":material/tune:", on_click=_to_sliders, args=(every, found))
        if found.n_points <= MOST_ROWS:
            models = [asked.model, *([second.model] if second else [])]
            csv_button("All designs as CSV", lambda: whole_table(space, models), "all_designs")
        else:
            st.caption("For a file of all designs use `ridgeline sweep` with `--out`.")


def _counts(found: Sweep, response: Metric) -> None:
    with st.grid(4, min_column_width=160):
        st.metric("Designs", f"{found.n_points:,}", border=True, help="That fulfil constraints, conditions and limits")
        inside = inside_percent(found)
        if inside is not None:
            st.metric("In trained range", percent(inside), border=True, help="The model extrapolates for the others")
        st.metric("Smallest", quantity(found.smallest, response), border=True, help="Predicted of any design")
        st.metric("Largest", quantity(found.largest, response), border=True, help="Predicted of any design")
    if found.n_refused:
        st.caption(f"{count(found.n_refused, 'design')} got no prediction.")


def _to_sliders(space: DesignSpace, found: Sweep) -> None:
    sliders.go_to(space, tuple(space.encode([found.best[0].point])[0].tolist()))
    st.session_state["space_view"] = "What if"


def _draw_front(asked: Asked, second: Asked, space: DesignSpace, senses: tuple[str, str]) -> None:
    key = key_of(asked.key, second.key, space_key(space), senses)
    found: ParetoFront | None = computed(
        "pareto",
        "Finding the front",
        key,
        lambda p: pareto_front(asked.model, second.model, space, senses=senses, progress=p),
    )
    if found is None:
        return
    st.subheader("Front of two responses", anchor=False)
    responses = asked.model.response, second.model.response
    show(front_scatter(found, cloud(space, asked.model, second.model), space, *responses), "front")
