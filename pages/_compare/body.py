"""The Compare page: what is predicted from what, who races on which folds, and what came of it."""

from collections.abc import Sequence
from types import MappingProxyType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.jobs import Job
from core.race.entry import Entry
from core.report.compare.race_table import bounded
from core.report.compare.side_by_side import n_trainings, progress_sentence, progress_table
from core.report.figures.sketch import planned
from core.report.shared.scorecard import fold_label
from core.validate.folds import FoldPlan
from pages._compare.question import SEED, Heat, Question, choose_beside, choose_entries, choose_folds, question_of
from pages._compare.result import Result, forget, job_key, n_done, progress_of, race_work, results_of
from pages._compare.scenario import Scenario, choose_more, choose_pair, describe, scenarios_of
from pages._compare.views import standings
from pages._ui import jobs
from pages._ui.drawn import MOST_PLANNED, count, draw_sketch, ground, listed, literal, percent, table
from pages._ui.forms import RACE_AT_ONCE, more_options
from pages._ui.page import draw_open, fragment, guard, instrument, views_of
from pages._ui.state import Asked


def run_or_wait(questions: Sequence[Question], dataset: str, head: DeltaGenerator, picture: DeltaGenerator) -> bool:
    """Draw the button that starts the race, or the race under way; return whether it stands still.

    Parameters
    ----------
    head, picture : where to draw how far a race under way is, in short and entry by entry
    """
    heats = [heat for question in questions for heat in question]
    key = job_key(heats)
    with picture:
        job = jobs.under_way(key)
    if job is not None:
        with head:
            watch(job, key, heats)
        with picture:
            _standings_until_now(job, heats)
        return False
    done, needed = n_done(heats)
    if done >= needed:
        _again(heats, key, dataset)
        return True
    with picture:
        if done:
            said = f"{done:,} of {needed:,} runs are done and kept; the race goes on from there."
            st.info(said, icon=":material/pause:")
        else:
            _planned(heats[0])
            st.caption(literal(_size(questions, heats)))
    label, icon = ("Go on", ":material/play_arrow:") if done else ("Race", ":material/flag:")
    pressed = st.button(label, key="race", type="primary", icon=icon, width="stretch")
    if st.session_state.pop(RACE_AT_ONCE, False) or pressed:
        start(heats, dataset, key)
        st.rerun()
    return True


def _planned(heat: Heat) -> None:
    """Draw who will race on which folds; the last column is learnt from all trials."""
    n = len(heat.plan.split(heat.scenario.frame, SEED))
    columns = [*(str(i + 1) for i in range(n)), "all"]
    needed = [(i, j) for i in range(len(heat.entries)) for j in range(n + 1)]
    rings = planned([e.label for e in heat.entries], columns, needed, (), "folds held out, then all", ground())
    draw_sketch(rings, MOST_PLANNED)
    st.caption("A ring is a run; errors are drawn here as they come.")


def _size(questions: Sequence[Question], heats: Sequence[Heat]) -> str:
    first = questions[0]
    folds = " and ".join(fold_label(str(heat.plan)) for heat in first)
    trained = sum(n_trainings(h.scenario.frame, h.plan, SEED, h.entries) for h in heats)
    several = f", for {count(len(questions), 'scenario')}" if len(questions) > 1 else ""
    entries = first[0].entries
    more = [f"and {len(entries) - 4} more"] if len(entries) > 4 else []
    names = "; ".join([*(e.label for e in entries[:4]), *more])
    return (
        f"{count(len(entries), 'entry', 'entries')} ({names}) on {folds}{several}. "
        f"Scales, weights and the winner are chosen on folds inside each training part, so this trains up to "
        f"{trained:,} models; each result is kept, and you may close this page meanwhile."
    )


def _again(heats: Sequence[Heat], key: str, dataset: str) -> None:
    with st.popover("Race again …", icon=":material/replay:"):
        st.caption("The same trials, folds and entries give the same result; racing again measures the times anew.")
        if st.button("Forget the results and race again", key="race_again"):
            forget(heats)
            start(heats, dataset, key)
            st.rerun()


def start(heats: Sequence[Heat], dataset: str, key: str) -> Job:
    """Start the job, or find it started in another tab."""
    jobs.forget(key)
    title = f"Race of {listed(dict.fromkeys(heat.scenario.title for heat in heats), 3)}"
    return jobs.submit("race", title, race_work(heats, dataset), key)


@fragment(run_every=1.0)
def watch(job: Job, key: str, heats: Sequence[Heat]) -> None:
    """Draw how many entries are still running, the best until now, and a button to stop the race."""
    if job.ended:
        st.rerun()
    done, needed = n_done(heats)
    found = [p for heat in heats for p in progress_of(heat)]
    running = sum(p.n_done < p.n_needed for p in found)
    best = min((p for p in found if p.mape is not None), key=lambda p: p.mape or 0.0, default=None)
    with st.grid(3, min_column_width=160, gap="small", vertical_alignment="center"):
        st.metric("Still running", f"{running} of {len(found)}", help="Entries whose folds are not all done yet.")
        label = "Best until now" if best is None else f"Best until now: {literal(best.label)}"
        st.metric(label, "…" if best is None else percent(best.mape), help="Mean error on the folds done so far.")
        if st.button("Stop", key=f"{key}_stop", icon=":material/stop:", help="What is done is kept."):
            job.cancel()
            st.caption("It stops when the training under way has come to its next step.")
    st.progress(done / max(needed, 1), literal(f"{done:,} of {needed:,} runs are done{jobs.left_of(job)}."))


@fragment(run_every=1.0)
def _standings_until_now(job: Job, heats: Sequence[Heat]) -> None:
    """Draw how far each entry is, and its error until now."""
    now = next((heat for heat in heats if any(p.n_done < p.n_needed for p in progress_of(heat))), None)
    for heat in sorted(heats, key=lambda heat: heat is not now):
        _draw_far(heat, job.message if heat is now else "")


def _draw_far(heat: Heat, message: str) -> None:
    """Draw what of a heat has begun.

    Parameters
    ----------
    message : of the job, if it is at this heat
    """
    found = progress_of(heat)
    if not message and not any(p.n_done for p in found):
        return
    st.markdown(f"**{literal(heat.scenario.title)}**, {literal(fold_label(str(heat.plan)))}")
    if message:
        where = message.rpartition(" done ")[2]  # how many are done is of tasks, and the page counts runs
        st.caption(literal(f"Now {progress_sentence(found)} ({where})."))
    shown = progress_table(found)
    if not len(shown):
        return
    look = {
        "done": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0, width="small"),
        "MAPE until now (%)": st.column_config.NumberColumn(format="%.3g"),
        "seconds": st.column_config.NumberColumn(format="%.1f"),
    }
    alt, height = "How far each entry is and its error until now", min(38 + 35 * len(shown), 760)
    table(bounded(shown), f"far_{heat.key}", alt, download=False, height=height, column_config=look)


VIEWS = views_of("compare")
_FORMER = MappingProxyType({"Two models": "Side by side"})


@fragment()
def draw(asked: Asked) -> None:
    """Draw the choices, the race under way, and its results; this alone runs again when a choice of it changes."""
    head, said, controls, picture = instrument()
    with controls:
        place, entries, own = st.container(gap="small"), st.container(), st.container()
        with more_options("more_choices", "More choices"):
            home, responses = choose_more(asked)
            more = st.container()
    with place:
        pair = choose_pair(asked, home)
    if pair.host and not pair.targets:
        said.info("Choose a target: the machine whose response is to be predicted.")
        return
    with said:
        scenarios = scenarios_of(asked, pair, responses)
        for scenario in scenarios:
            describe(scenario)
    if not scenarios:
        return
    with place:
        plan = choose_folds(scenarios[0].frame)
    with more:
        beside = choose_beside(scenarios[0].frame)
    with entries:
        racing = choose_entries([scenario.frame for scenario in scenarios], own)
    with said:
        questions = _questions(scenarios, [(plan, beside, racing[s.frame.digest()]) for s in scenarios])
    if not questions:
        return
    with controls:
        stands = run_or_wait(questions, asked.dataset, head, picture)
    results = results_of(questions, asked.dataset) if stands else ()
    for result in results:
        with head:
            standings.headline(result, several=len(results) > 1)
        with said:
            standings.say_winner(result, several=len(results) > 1)
    if results:
        with picture:
            show(results)


def _questions(
    scenarios: tuple[Scenario, ...], asked: Sequence[tuple[FoldPlan, FoldPlan | None, tuple[Entry, ...]]]
) -> tuple[Question, ...]:
    """Return what can be asked; folds that a scenario does not have are said in one sentence."""
    found = []
    for scenario, (plan, beside, entries) in zip(scenarios, asked, strict=True):
        with guard():
            found.append(question_of(scenario, plan, beside, entries))
    return tuple(found)


@fragment()
def show(results: tuple[Result, ...]) -> None:
    """Draw the results; this alone runs again when a control of it moves."""
    draw_open(VIEWS, "compare_view", results, _FORMER)
