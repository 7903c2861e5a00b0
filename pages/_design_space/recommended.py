"""The designs to choose from: a few that differ, how sure each is the best, and whether further runs would pay."""

import re
from collections.abc import Sequence
from math import isfinite

import streamlit as st

from core.errors import OptionError
from core.progress import Progress
from core.race.reuse import recipe_again
from core.report.space.decision import decision_table, runs_sentence, sentence
from core.space.believed import believe_in
from core.space.design_space import DesignSpace
from core.space.designs import Decision, decide
from core.space.offered import Question
from core.space.plan import shown
from core.space.plans import Evidence
from core.space.sweep import Limit
from core.space.wishes import Wishes, read_wishes
from core.trial import Metric
from pages._design_space.model import Asked
from pages._design_space.values import space_key
from pages._ui.charts import table
from pages._ui.choices import toggle
from pages._ui.text import literal
from pages._ui.work import computed, key_of


def choose_wishes(
    asked: Asked, second: Asked | None, space: DesignSpace, sense: str, limits: Sequence[Limit]
) -> Wishes:
    """Let the user write limits, and return what is wanted of a design, limits on the second response included."""
    goal = _name(asked.model.response)
    text = st.text_area(
        "Only designs where, one condition per line",
        key="space_conditions",
        height=80,
        bind="query-params",
        placeholder=f"such as {space.names[0]} <= {shown(space.parameters[0].levels[-1])}",
        help=f"Conditions on parameters, and on what is predicted ({goal}), which hold for the designs to choose from: "
        "written as the constraints of a design space. `area = 3.1*a + 40*b <= 600` also defines area.",
    )
    names = tuple(_models(asked, second))
    ends = [(sign, end) for limit in limits for sign, end in ((">=", limit.low), ("<=", limit.high)) if isfinite(end)]
    further = [f"{names[-1]} {sign} {end!r}" for sign, end in ends]
    return read_wishes({goal: sense}, [*(text or "").splitlines(), *further], names, space)


def draw(asked: Asked, second: Asked | None, wishes: Wishes) -> None:
    """Draw the designs to choose from, what is said of the first, and of further runs."""
    st.subheader("Designs to choose from", anchor=False)
    outside = toggle("Also outside the evidence", "space_outside", "Designs that the model extrapolates for")
    keys = [one.key for one in _models(asked, second).values()]
    key = key_of(*keys, space_key(wishes.space), wishes.texts, wishes.goals, outside)
    found: Decision | None = computed(
        "decide", "Choosing among designs", key, lambda p: _decided(asked, second, wishes, outside, p)
    )
    if found is None:
        return
    st.markdown(literal(sentence(found)))
    if said := runs_sentence(found):
        st.markdown(f"**{literal(said)}**" if said.startswith("Stop") else literal(said))
    table(decision_table(found), "decision", alt="Designs to choose from, with how probably each is the best")
    how = f"{found.offered.how}; {found.offered.n_feasible:,} may be offered"
    st.caption(literal(f"{how[0].upper()}{how[1:]}."))


def _decided(asked: Asked, second: Asked | None, wishes: Wishes, outside: bool, progress: Progress) -> Decision:
    responses = {
        name: believe_in(_evidence(one), wishes.space)
        for name, one in _models(asked, second).items()
        if name in wishes.names
    }
    return decide(Question(wishes, responses, outside), progress=progress)


def _models(asked: Asked, second: Asked | None) -> dict[str, Asked]:
    """Return the models by what formulas call them, the second last."""
    name = _name(asked.model.response)
    if second is None:
        return {name: asked}
    other = _name(second.model.response)
    return {name: asked, other if other != name else f"{name}_2": second}


def _evidence(asked: Asked) -> Evidence:
    """Return what a model was learnt from, if it can be learnt again."""
    fit = asked.recipe.fit if asked.recipe is not None else None
    try:
        return Evidence(asked.model, asked.learnt, fit or recipe_again(asked.model).fit)
    except OptionError:
        return Evidence(asked.model, asked.learnt)


def _name(response: Metric) -> str:
    """Return what formulas call a response."""
    return re.sub(r"\W", "_", response.name)
