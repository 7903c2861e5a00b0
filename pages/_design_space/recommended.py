"""The designs to choose from: what they are to be good for, a few that differ, and the one chosen among them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import streamlit as st

from core.codec import Frozen, IntArray
from core.errors import OptionError
from core.progress import Progress, part
from core.race.reuse import recipe_again
from core.recipes.auto import Auto
from core.report.document.race import space_page
from core.report.figures.surface import front_scatter
from core.report.space.decision import decision_table, doubts, plain, runs_sentence, sentence, told_of
from core.report.space.design_points import Cloud, cloud, offered_table, point, point_of_texts, texts_of
from core.space.applications import ask_over, several_of
from core.space.believed import believe_in
from core.space.design_space import DesignSpace
from core.space.designs import Alternative, Decision, decide, one_more
from core.space.mix import GEOMEAN, MEAN, SLOWDOWN, WORST, Several, over, with_mix
from core.space.offered import Question
from core.space.plan import make_plan, shown, write_plan
from core.space.plans import Evidence
from core.space.wishes import SENSES, Wishes, read_wishes, spoken
from core.trial import ROLES
from core.validate.folds import some_configurations
from pages._design_space import sliders
from pages._design_space.model import Asked, Choice, Chosen
from pages._design_space.shown import space_key
from pages._ui import database
from pages._ui.choices import act, in_url, line, pick, set_url, switch, toggle
from pages._ui.drawn import chosen_rows, download, literal, show, table
from pages._ui.jobs import computed, key_of
from pages._ui.page import fragment, guard

_ALONE = "this one alone"
_WAYS = {"geometric mean": GEOMEAN, "weighted mean": MEAN, "the worst": WORST, "the worst slow-down": SLOWDOWN}


class Over(Frozen):
    """All applications, as one.

    Attributes
    ----------
    weights : as they were written
    evidence : by what formulas call a response
    """

    several: Several
    how: str
    weights: str
    evidence: Mapping[str, Evidence]
    key: str

    def goal(self, text: str) -> str:
        """Return a goal over all of them; of parameters alone, or of one application, it stays as it is."""
        shared = set(re.findall(r"\w+", text)) & set(self.several.responses)
        return text if over(text) or not shared else with_mix(text, self.several.role, self.how, self.weights)


def choose(models: Mapping[str, Asked], choice: Choice, chosen: Chosen | None, everybody: Chosen | None) -> Over | None:
    """Let the user choose over what goals are, where trials are of several applications; None for one alone.

    Parameters
    ----------
    everybody : the trials before one application was chosen
    """
    if chosen is None or everybody is None:
        return None
    labels = database.frame(everybody.dataset, everybody.response, (), everybody.where).labels
    role = next((role for role in ROLES if len(set(labels[role])) > 1), None)
    if role is None or any(role in one.space.names for one in models.values()):
        return None
    said = f"A model of each {role}, or one that knows the {role}: whichever errs less on designs that none measured."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = pick(f"Good for which {role}s", [_ALONE, *_WAYS], "space_over", said)
        if way == _ALONE:
            return None
        help = f"Of {role}s, such as gemm=2, fft=0.5; the others weigh 1, and 0 leaves one out."
        placeholder = ", ".join(f"{name}=1" for name in sorted(set(labels[role]))[:2])
        weights = line("Weights", "space_weights", help, f"such as {placeholder}")
    where = tuple(condition for condition in chosen.where if condition[0] != role)
    all_of_them = replace(chosen, where=where)
    evidence = {name: _evidence(one, choice, all_of_them, role) for name, one in models.items()}
    frames = {name: one.frame for name, one in evidence.items() if one.frame is not None}
    several = several_of(role, frames)
    keys = [part for name, one in models.items() for part in (frames[name].digest(), one.key)]
    return Over(several, _WAYS[way], weights, evidence, key_of("over", *keys))


def evidence_of(asked: Asked) -> Evidence:
    """Return what a model was learnt from, if it can be learnt again."""
    fit = asked.recipe.fit if asked.recipe is not None else None
    tested = asked.validation if isinstance(asked.recipe, Auto) else None  # which is there before the model is
    try:
        return Evidence(asked.model, asked.learnt, fit or recipe_again(asked.model).fit, tested)
    except OptionError:
        return Evidence(asked.model, asked.learnt)


def _evidence(asked: Asked, choice: Choice, everybody: Chosen, role: str) -> Evidence:
    """Return the trials of all applications, as many designs of each as the model of one learns from."""
    own = evidence_of(asked)
    names = own.frame.names if own.frame is not None else asked.model.names
    frame = everybody.frame(names, asked.model.response.name)
    return replace(own, frame=some_configurations(frame, n, by=role) if (n := choice.n_designs) else frame)


CHOSEN = "space_chosen"
_LIMIT = "limit only"
_TOP = (10, 20, 50, 100, 500)
SECOND_SENSES = (*SENSES, _LIMIT)
_TABLE, _FRONT = "decision", "front"


Answers = tuple[Decision, Cloud | None]
"""A decision, and for a front some designs to draw behind it."""


def named(asked: Asked, second: Asked | None) -> dict[str, Asked]:
    """Return the models by what formulas call them, the second last."""
    name = spoken(asked.model.response.name)
    if second is None:
        return {name: asked}
    other = spoken(second.model.response.name)
    return {name: asked, other if other != name else f"{name}_2": second}


def choose_goals(
    models: Mapping[str, Asked], space: DesignSpace, senses: Sequence[str], over: Over | None = None
) -> tuple[list[str], dict[str, str]]:
    """Let the user write a further goal, and return conditions on the second response and all goals.

    Parameters
    ----------
    senses : of each model's response, whether low or high is good
    """
    of = (lambda text: text) if over is None else over.goal
    goals = {of(name): sense for name, sense in zip(models, senses, strict=True) if sense != _LIMIT}
    ends = _ends(models)
    help = "Over parameters and what is predicted; with several goals the designs that no other beats in all."
    further = line("Further goal, a formula", "space_goal", help, f"such as 2*{min(space.names, key=len)}")
    if further:
        goals[of(further)] = switch("Wanted of it", SENSES, "space_goal_sense")
    return ends, goals


def choose_limits(
    models: Mapping[str, Asked],
    space: DesignSpace,
    ends: Sequence[str],
    goals: Mapping[str, str],
    over: Over | None = None,
) -> Wishes:
    """Let the user write limits, and return what is wanted of a design."""
    text = st.text_area(
        "Only designs where, one condition per line",
        key="space_conditions",
        height=68,
        bind="query-params",
        placeholder=f"such as {space.names[0]} <= {shown(space.parameters[0].levels[-1])}",
        help=f"Conditions on parameters, and on what is predicted ({', '.join(models)}): "
        "written as the constraints of a design space. `area = 3.1*a + 40*b <= 600` also defines area.",
    )
    several = None if over is None else over.several
    return read_wishes(goals, [*(text or "").splitlines(), *ends], tuple(models), space, several)


def _ends(models: Mapping[str, Asked]) -> list[str]:
    """Let the user say between which ends the second response must lie, and return that as conditions."""
    if len(models) < 2:
        return []
    name, second = list(models.items())[-1]
    label, found = literal(second.model.response), []
    for sign, word, key in ((">=", "least", "second_low"), ("<=", "most", "second_high")):
        end = st.number_input(f"{label} at {word}", value=None, key=key, format="%g", bind="query-params")
        found += [f"{name} {sign} {shown(end)}"] if end is not None and isfinite(end) else []
    return found


def draw(models: Mapping[str, Asked], wishes: Wishes, every: DesignSpace, over: Over | None = None) -> None:
    """Draw the designs to choose from, what is said of them and of further runs.

    Parameters
    ----------
    every : the space of the sliders
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Designs to choose from", anchor=False)
        outside = toggle("Also outside the evidence", "space_outside", "Designs that the model extrapolates for")
    keys = [one.key for one in models.values()] if over is None else [over.key]
    key = key_of(*keys, space_key(wishes.space), wishes.texts, wishes.goals, outside)
    found = computed("decide", "Choosing among designs", key, lambda p: _answers(models, wishes, outside, over, p))
    if found is None:
        return
    decision, _ = found
    st.markdown(literal(sentence(decision)))
    if said := runs_sentence(decision):
        st.markdown(f"**{literal(said)}**" if said.startswith("Stop") else literal(said))
    _choose(found, every, key)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.header("Best designs", anchor=False, width="content")
        top = st.select_slider("How many", _TOP, value=20, key="space_top", bind="query-params", width=240)
    best = offered_table(decision, top)
    table(best, "best_designs", "The best designs that may be offered", values=lambda: offered_table(decision))
    how = f"{decision.offered.how}; {decision.offered.n_feasible:,} may be offered"
    st.caption(literal(" ".join((f"{how[0].upper()}{how[1:]}.", *decision.question.notes, *doubts(decision)))))


@fragment()
def _choose(found: Answers, every: DesignSpace, key: str) -> None:
    """Let the user choose one of the designs, in the table or on the front, and tell what is known of it.

    Parameters
    ----------
    key : what the decision is known by: no other's rows are chosen
    """
    decision, behind = found
    rows, points = f"{_TABLE} {key}", f"{_FRONT} {key}"
    clicked: Any = st.session_state.get(rows)
    _follow(_TABLE, decision, [decision.alternatives[i].codes for i in clicked["selection"]["rows"]] if clicked else [])
    _follow(_FRONT, decision, decision.offered.codes[list(chosen_rows(st.session_state.get(points))[:1])])
    alt = "Designs to choose from, with how probably each is the best"
    table(decision_table(decision), rows, alt, on_select="rerun", selection_mode="single-row")
    chosen = _tell(decision, every)
    if behind is not None:
        show(front_scatter(decision, behind, chosen), points, select=True)


def _follow(key: str, decision: Decision, clicked: Sequence[IntArray] | IntArray) -> None:
    """Choose the design that was clicked, if it is another than the last time."""
    space, seen = decision.question.space, f"_clicked_{key}"
    now = [list(texts_of(space, point(codes)).values()) for codes in clicked]
    if now != st.session_state.get(seen, []):
        st.session_state[seen] = now
        if now:
            set_url(CHOSEN, now[0])


def _tell(decision: Decision, every: DesignSpace) -> Alternative:
    """Tell what is known of the chosen design, the best if none is, and what can be done with it."""
    space, chosen = decision.question.space, decision.alternatives[0]
    asked = point_of_texts(space, dict(zip(space.names, in_url(CHOSEN), strict=False)))
    with st.container(border=True):
        if asked is None:
            st.caption("Choose a design in the table, or on the front of several goals; until then it is the best.")
        else:
            with guard():
                chosen = one_more(decision, asked)
                st.markdown(f"**Chosen:** {literal(told_of(decision, chosen))}")
        with st.container(horizontal=True, vertical_alignment="center"):
            levels, said = space.texts(chosen.codes[None])[0], "Show it in What if"
            act(said, "best_to_sliders", "tune", _to_sliders, every, levels)
            made = json.dumps(plain(decision, chosen), indent=1)
            download("Decision as JSON", made, "decision.json", "decision_json")
            if len(decision.further):
                runs = write_plan(make_plan(space, decision.further))
                help = "A plan of the runs that are expected to gain most; of several applications each with all."
                download("Next ten runs", runs, "plan.csv", "decision_plan", help=help)
            said = "Report to keep and print"
            download(said, lambda: space_page(decision, "the design space", {}), "decision.html", "decision_html")
        st.caption("The address of this page restores goals, limits and the design that is chosen.")
    return chosen


def _to_sliders(space: DesignSpace, levels: Sequence[float | str]) -> None:
    sliders.go_to(space, point(space.encode([levels])[0]))
    st.session_state["space_view"] = "What if"


def _answers(
    models: Mapping[str, Asked], wishes: Wishes, outside: bool, over: Over | None, progress: Progress
) -> Answers:
    if over is not None:
        question = ask_over(wishes, over.several, over.evidence, outside, 0, part(progress, 0.0, 0.7))
        progress = part(progress, 0.7, 1.0)
    else:
        used = {name: one for name, one in models.items() if name in wishes.names}
        responses = {name: believe_in(evidence_of(one), wishes.space) for name, one in used.items()}
        question = Question(wishes, responses, outside)
    return decide(question, progress=progress), cloud(question) if len(wishes.goals) > 1 else None
