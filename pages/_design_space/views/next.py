"""The Next experiments view: what to measure next, its results dropped in the same view, and how the search went."""

from collections.abc import Sequence

import streamlit as st

from core.errors import OptionError
from core.report.space.scored_space import DOUBT, GAIN, GAIN_MEANING, doubt_meaning, proposal_columns
from core.space.plan import Plan, make_plan
from core.space.plans import Evidence
from core.space.plans.next import Next
from core.space.seek import MAXIMISE, Proposal
from core.space.wishes import HIGH, LOW
from pages._design_space import history, results
from pages._design_space.model import Asked, Chosen
from pages._design_space.shown import Shown
from pages._design_space.values import space_key
from pages._design_space.views.plan import draw_plan
from pages._ui.choices import whole
from pages._ui.forms import options_form
from pages._ui.page import guard
from pages._ui.text import count, literal
from pages._ui.work import computed, key_of

TITLE, PLACE = "Next experiments", 6

_MOST = 500


def draw(shown: Shown) -> None:
    """Draw the answer so far, the designs to measure next, a place for their results, and the history."""
    asked, chosen = shown.asked(), shown.chosen
    if asked is None:
        return
    answer = st.container()
    columns = st.columns([1, 1, 2], vertical_alignment="bottom")
    with columns[0]:
        n = whole("Designs to measure", 1, _MOST, 20, "next_number")
    with columns[1]:
        seed = whole("Seed", 0, 2**31 - 1, 0, "next_seed", "Of every draw")
    with columns[2]:
        values = options_form(Next, "next", ["goal"])
    values |= options_form(Next, "next", ["criterion", "acquisition", "members", "candidates"])
    wanted = Next(**values)
    plan: Plan | None = None
    with guard():
        plan = _draw_plan(asked, n, seed, wanted, _into(asked, chosen))
    if chosen is None or asked.frame is None:
        return
    with guard():
        results.draw(asked, chosen, plan)
    with guard():
        history.draw(asked, chosen, HIGH if wanted.goal == MAXIMISE else LOW, answer)


def _into(asked: Asked, chosen: Chosen | None) -> list[str]:
    """Return how `ridgeline measure` is told that results join the trials that are shown."""
    if chosen is None or asked.frame is None:
        return []
    response, machines = asked.model.response, set(asked.frame.labels["machine"])
    machine = ["--machine-name", *machines] if len(machines) == 1 and machines != {""} else []
    return ["--dataset", chosen.dataset, "--response", f"{response.name}:{response.unit}".rstrip(":"), *machine]


def _draw_plan(asked: Asked, n: int, seed: int, wanted: Next, into: Sequence[str]) -> Plan | None:
    found, space = _proposed(asked, n, seed, wanted), asked.space
    if found is None:
        return None
    st.caption(literal(f"{found.how[:1].upper()}{found.how[1:]}. The most useful come first."))
    plan = make_plan(space, found.codes)
    beside = proposal_columns(found, asked.model.response)
    draw_plan(plan, space, "next", beside, {DOUBT: doubt_meaning(asked.model), GAIN: GAIN_MEANING}, into)
    return plan


def _proposed(asked: Asked, n: int, seed: int, options: Next) -> Proposal | None:
    if asked.learnt is None:
        raise OptionError(
            f"The next designs follow from the trials that were measured, and there are none with the metrics of "
            f"'{asked.title}'. Choose the dataset that it was trained on."
        )
    frame, model, space = asked.learnt, asked.model, asked.space
    fit = None if asked.recipe is None else asked.recipe.fit
    evidence = Evidence(model, frame, fit)
    left = space.n_points - len(evidence.taken(space))
    if not left:
        st.info("Every design of this space was measured. Which are the best stands under *Best designs*.")
        return None
    if left < n:
        raise OptionError(
            f"Of {space.n_points:,} designs {left:,} are left to measure, and {n:,} were asked for. Ask for fewer, "
            "choose a larger space (its levels need not have been measured), or learn from fewer designs."
        )
    key = key_of(asked.key, space_key(space), frame.digest(), n, seed, options)
    title = f"Choosing {count(n, 'design')} to measure next"
    return computed("next", title, key, lambda p: options.propose(space, n, evidence, seed, p))
