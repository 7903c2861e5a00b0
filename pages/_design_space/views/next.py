"""The Next experiments view: what to measure next, its results dropped in the same view, and how the search went."""

import hashlib
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.curate import BY_HAND
from core.errors import OptionError
from core.progress import Progress
from core.race.reuse import recipe_again
from core.recipes import Recipe
from core.report.figures.outcome import history_curves
from core.report.space import learning
from core.report.space.decision import usual_sense
from core.report.space.design_points import DOUBT, GAIN, GAIN_MEANING, doubt_meaning, proposal_columns
from core.space.plan import Plan, make_plan, write_plan
from core.space.plans import Evidence
from core.space.plans.next import MAXIMISE, MINIMISE, Next, Proposal
from core.space.results import Results, read_results
from core.space.wishes import HIGH, LOW, Wishes, read_wishes, spoken
from core.trial import Arrival
from pages._design_space.model import Asked, Chosen, texts_of
from pages._design_space.shown import Shown, problems_of, space_key
from pages._design_space.views.plan import draw_plan
from pages._trials.files import as_source
from pages._ui.choices import whole
from pages._ui.database import Shelf, metric_names, recipe_key, store
from pages._ui.drawn import count, literal, short, show, table
from pages._ui.forms import options_form
from pages._ui.jobs import computed, key_of
from pages._ui.page import fragment, guard

_GENERATION, _TOLD, _OFFERED = "_results_generation", "_results_told", "_plans_offered"
_MOST_OFFERED = 20


def draw_results(asked: Asked, chosen: Chosen, plan: Plan | None) -> None:
    """Follow what is being measured, and take a table of results: joined, told of, and added on a press."""
    st.header("Results", anchor=False)
    _offer(chosen.dataset, plan)
    _follow(chosen.dataset)
    if told := st.session_state.pop(_TOLD, ""):
        st.success(literal(told), icon=":material/check_circle:")
    generation = st.session_state.get(_GENERATION, 0)
    label = f"The plan with a column '{asked.model.response.name}': what was measured of each design"
    upload = as_source(st.file_uploader(literal(label), key=f"results_{generation}"))
    if upload is None:
        return
    like = chosen.frame(chosen.parameters, asked.model.response.name)
    metrics = metric_names(chosen.dataset)
    found = read_results(upload, asked.space, like, metrics, plan, texts_of(chosen.dataset))
    st.markdown(literal(learning.results_sentence(found)))
    label = literal(f"Add {count(len(found.imported.trials), 'result')} to {chosen.dataset}")
    if st.button(label, key="add_results", type="primary", icon=":material/upload:"):
        _add(chosen.dataset, found)


def _add(dataset: str, found: Results) -> None:
    """Store the results, and draw the page anew: model, plan and answer follow from them."""
    receipt = store().add(dataset, found.imported)
    said = f"{count(receipt.n_trials, 'result')} of {found.imported.source} added to {dataset}."
    known = f"{receipt.already}. If they were taken back, count them again below."
    st.session_state[_TOLD] = known if receipt.already else said
    st.session_state[_GENERATION] = st.session_state.get(_GENERATION, 0) + 1
    st.rerun()


def _offer(dataset: str, plan: Plan | None) -> None:
    """Remember the plan by what `ridgeline measure` calls it, so that its runs are known as they come."""
    offered: dict[tuple[str, str], int] = st.session_state.setdefault(_OFFERED, {})
    if plan is not None:
        offered[dataset, hashlib.sha256(write_plan(plan).encode()).hexdigest()[:8]] = len(plan)
        for old in list(offered)[:-_MOST_OFFERED]:
            del offered[old]


@fragment(run_every=2.0)
def _follow(dataset: str) -> None:
    """Say how many runs of a plan of this session have come, and draw the page anew once all have."""
    offered: dict[tuple[str, str], int] = st.session_state.get(_OFFERED, {})
    came = {arrival.title.rpartition(" ")[2]: arrival for arrival in store().datasets.arrivals(dataset)}
    for (of, mark), n in list(offered.items()):
        if of == dataset and mark in came:
            done, title = len(came[mark].ids), came[mark].title
            st.progress(min(done / n, 1.0), text=literal(f"{done:,} of {n:,} runs of {title} have come."))
            if done >= n:
                del offered[of, mark]
                st.rerun(scope="app")


TITLE, PLACE = "Next experiments", 6

_MOST = 500


def draw(shown: Shown) -> None:
    """Draw the answer so far, the designs to measure next, a place for their results, and the history."""
    asked, chosen = shown.asked(), shown.chosen
    if asked is None:
        return
    answer, plan = st.container(), None
    learnt, space = asked.learnt, asked.space
    left = space.n_points if learnt is None else space.n_points - len(Evidence(frame=learnt).taken(space))
    if left:
        columns = st.columns([1, 1, 2], vertical_alignment="bottom")
        n = whole("Designs to measure", 1, _MOST, min(20, left), "next_number", on=columns[0])
        seed = whole("Seed", 0, 2**31 - 1, 0, "next_seed", "Of every draw", on=columns[1])
        with columns[2]:
            values = options_form(Next, "next", ["goal"])
        values |= options_form(Next, "next", ["criterion", "acquisition", "members", "candidates"])
        with guard():
            plan = _draw_plan(asked, left, n, seed, Next(**values), _into(asked, chosen))
    else:
        st.info("Every design of this space was measured. Which are the best stands under *Best designs*.")
        values = options_form(Next, "next", ["goal"])
    if chosen is None or asked.frame is None:
        return
    with guard():
        draw_results(asked, chosen, plan)
    with guard():
        sense = {MAXIMISE: HIGH, MINIMISE: LOW}.get(values["goal"]) or usual_sense(asked.model)
        _draw_history(asked, chosen, sense, answer)


def _into(asked: Asked, chosen: Chosen | None) -> list[str]:
    """Return how `ridgeline measure` is told that results join the trials that are shown."""
    if chosen is None or asked.frame is None:
        return []
    response, machines = asked.model.response, set(asked.frame.labels["machine"])
    machine = ["--machine-name", *machines] if len(machines) == 1 and machines != {""} else []
    return ["--dataset", chosen.dataset, "--response", f"{response.name}:{response.unit}".rstrip(":"), *machine]


def _draw_plan(asked: Asked, left: int, n: int, seed: int, wanted: Next, into: Sequence[str]) -> Plan | None:
    found, space = _proposed(asked, left, n, seed, wanted), asked.space
    if found is None:
        return None
    st.caption(literal(f"{found.how[:1].upper()}{found.how[1:]}. The most useful come first."))
    plan = make_plan(space, found.codes)
    beside = proposal_columns(found, asked.model.response)
    draw_plan(plan, space, "next", beside, {DOUBT: doubt_meaning(asked.model), GAIN: GAIN_MEANING}, into)
    return plan


def _proposed(asked: Asked, left: int, n: int, seed: int, options: Next) -> Proposal | None:
    if asked.learnt is None:
        raise OptionError(
            f"The next designs follow from the trials that were measured, and there are none with the metrics of "
            f"'{asked.title}'. Choose the dataset that it was trained on."
        )
    frame, model, space = asked.learnt, asked.model, asked.space
    fit = None if asked.recipe is None else asked.recipe.fit
    evidence = Evidence(model, frame, fit)
    if left < n:
        raise OptionError(
            f"Of {space.n_points:,} designs {left:,} are left to measure, and {n:,} were asked for. Ask for fewer, "
            "choose a larger space (its levels need not have been measured), or learn from fewer designs."
        )
    key = key_of(asked.key, space_key(space), frame.digest(), n, seed, options)
    title = f"Choosing {count(n, 'design')} to measure next"
    return computed("next", title, key, lambda p: options.propose(space, n, evidence, seed, p))


_ROUNDS = Shelf("rounds of a search", 256)
_LONGEST = 40
_REASON = "results taken back on Design space"


def _draw_history(asked: Asked, chosen: Chosen, sense: str, answer: DeltaGenerator) -> None:
    """Draw what was known after each arrival, and in `answer` what is known now."""
    arrivals = store().datasets.arrivals(chosen.dataset)
    found = _found(asked, sense, arrivals)
    if found is None:
        return
    last = found.rounds[-1]
    with answer:
        st.markdown(literal(last.answer or last.why or learning.history_sentence(found)))
        if last.advice:
            st.markdown(f"**{literal(last.advice)}**" if last.advice.startswith("Stop") else literal(last.advice))
    st.header("History", anchor=False)
    st.markdown(literal(learning.history_sentence(found)))
    if len(found.rounds) > 1:
        show(history_curves(found), "history")
    table(learning.history_table(found), "history_table", alt="What was known after each arrival of results")
    st.caption("Made anew from the trials in the database and when they came, by the model that is chosen now.")
    _take_back(chosen.dataset, found, arrivals)


def _found(asked: Asked, sense: str, arrivals: tuple[Arrival, ...]) -> learning.History | None:
    assert asked.frame is not None, "no trials to tell the history of"
    frame, recipe, space = asked.frame, _recipe(asked), asked.space
    name = spoken(asked.model.response.name)
    wishes = read_wishes({name: sense}, (), (name,), space).for_first(problems_of(asked))
    own = (recipe_key(recipe) if recipe else asked.key, space_key(wishes.space), sense)
    came = [(arrival.title, arrival.when, len(arrival.ids)) for arrival in arrivals]

    def ask(part: learning.Part, model: bool, progress: Progress) -> learning.Round:
        return _round(part, wishes, recipe, key_of(part.frame.digest(), model, *own), model, progress)

    title, key = "Looking back on the search", key_of(frame.digest(), came, *own)
    return computed("history", title, key, lambda progress: learning.history_of(frame, arrivals, ask, progress))


def _round(
    part: learning.Part, wishes: Wishes, recipe: Recipe | None, key: str, asked: bool, progress: Progress
) -> learning.Round:
    """Return what was known after an arrival, which further ones do not change."""
    known: learning.Round | None = _ROUNDS.get(key)
    return known or _ROUNDS.put(key, learning.round_of(part, wishes, recipe.fit if recipe else None, asked, progress))


def _recipe(asked: Asked) -> Recipe | None:
    try:
        return asked.recipe or recipe_again(asked.model)
    except OptionError:
        return None


def _take_back(dataset: str, found: learning.History, arrivals: tuple[Arrival, ...]) -> None:
    """Offer to leave the last results out, and to count again those that were."""
    out = {card.trial for card in store().curation.exclusions(dataset) if card.reason == _REASON}
    last = found.parts[-1]
    with st.container(horizontal=True):
        label, key = literal(f"Take back {short(last.title, _LONGEST)}"), f"take_back_{last.title}_{last.when}"
        if len(found.parts) > 1 and st.button(label, key=key, icon=":material/undo:"):
            store().curation.exclude(dataset, sorted(last.ids), BY_HAND, _REASON)
            st.rerun()
        for arrival in (one for one in arrivals if out and one.ids <= out):
            key = f"count_again_{arrival.title}_{arrival.when}"
            if st.button(literal(f"Count {short(arrival.title, _LONGEST)} again"), key=key):
                store().curation.include(dataset, sorted(arrival.ids), BY_HAND)
                st.rerun()
