"""The Experiments page: what is asked, how far it is, and what came of it."""

import os
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from core.errors import ReadError
from core.experiment.experiment import Experiment
from core.experiment.toml_text import read_experiment
from core.report.experiment.best import size_sentence
from core.report.experiment.results import n_done, seconds_of
from core.store.cards import ExperimentCard
from core.workspace import EXPERIMENTS
from pages._experiments import results
from pages._experiments.question import Question, choose_experiment, experiment_work, question_of, results_of
from pages._ui import jobs
from pages._ui.choices import drop_unknown, line, pick, switch, whole
from pages._ui.database import store
from pages._ui.drawn import count, literal
from pages._ui.page import fragment, instrument
from pages._ui.state import Asked

OWN = "A file of my own"


def choose_file() -> Experiment | None:
    """Let the user choose a ready-made experiment or upload one; None until there is one."""
    files = sorted(EXPERIMENTS.glob("*.toml"))
    shipped = {e.name: e for e in (read_experiment(p.read_text(encoding="utf-8"), p.stem) for p in files)}
    names = list(shipped)
    help = "Figures of the four papers, on the samples that come with Ridgeline; load a sample on the Trials page."
    chosen = pick("Experiment", [*names, OWN], "ready_made", help)
    if chosen != OWN:
        return shipped[chosen]
    uploaded = st.file_uploader("Experiment (TOML)", key="experiment_file", max_upload_size=1)
    if uploaded is None:
        st.caption("The same file as `ridgeline experiment FILE.toml` takes; any experiment here can be downloaded.")
        return None
    try:
        text = uploaded.getvalue().decode()
    except UnicodeDecodeError:
        raise ReadError(f"{uploaded.name} is not UTF-8 text, so it is no experiment.") from None
    return read_experiment(text, Path(uploaded.name).stem)


def choose_earlier() -> Experiment | None:
    """Let the user choose one of the experiments that are kept, the newest first."""
    cards = {card.id: card for card in store().experiments.all()}
    if not cards:
        st.info("No experiment was begun yet. Make one under New.", icon=":material/science:")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        id = pick("Experiment", list(cards), "earlier", words=lambda i: _said(cards[i]))
        with st.popover("Forget …", icon=":material/delete:"):
            st.caption("It leaves this list; its results stay, so that it goes quickly if it is made again.")
            if st.button("Forget this experiment", key=f"forget_experiment_{id}"):
                store().experiments.forget(str(id))
                st.rerun()
    card = cards[str(id)]
    return read_experiment(card.document, card.name)


def _said(card: ExperimentCard) -> str:
    return f"{card.name} · {card.dataset} · {count(card.n_fits, 'fit')} · {card.made:%d %b %Y %H:%M}"


HERE, LOCAL, ADDRESS = PLACES = ("Processes here", "Dask, made here", "Dask, at an address")
_NEEDS = (
    "Nothing else is needed.",
    "A scheduler and workers, started for this experiment and ended after it.",
    "Where one machine is not enough; workers need Ridgeline and no database.",
)
_NO_DASK = "Dask is not installed. Install it with `pip install 'ridgeline[cluster]'` and start Ridgeline again."


def choose_place() -> tuple[int, str]:
    """Let the user choose; return how many processes, and the cluster, "" for none."""
    drop_unknown("place", list(PLACES))
    chosen = str(st.session_state.get("place") or HERE)
    with st.popover(f"Where: {chosen}", icon=":material/memory:", key="where_it_runs"):
        help = "Results are the same everywhere. A process or worker that dies costs its fits another try."
        place = st.radio("Where it runs", PLACES, key="place", bind="query-params", captions=_NEEDS, help=help)
        if place != HERE and find_spec("distributed") is None:
            st.warning(_NO_DASK)
        if place == ADDRESS:
            return 1, _address()
        help = "As many as this machine has cores is a good number."
        workers = whole("Processes", 1, 256, min(2, os.cpu_count() or 1), "workers", help)
        return (1, f"local:{workers}") if place == LOCAL else (workers, "")


def _address() -> str:
    help = "The address that `dask scheduler` prints when it starts."
    text = line("Scheduler", "cluster", help, "tcp://HOST:8786")
    if not text:
        st.caption("Type the address of a scheduler; without one it runs in a process here.")
    return text


def run_or_wait(question: Question) -> bool:
    """Draw the button that starts the experiment, or how far it is; return whether it stands still."""
    job = jobs.under_way(question.key)
    if job is not None:
        jobs.progress((job,), question.key)
        st.caption(
            "Each result is kept at once; you may close this page meanwhile. Stopped, it ends when the fits under way "
            "are done."
        )
        return False
    done = n_done(question.grid, results_of(question))
    if done < question.grid.n_fits:
        _offer(question, done)
    return True


def _offer(question: Question, done: int) -> None:
    """Say how much there is to do, and draw the button."""
    grid = question.grid
    seconds = seconds_of(grid, results_of(question))
    st.caption(literal(size_sentence(grid.n_fits, len(grid.settings), done, seconds)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Go on" if done else "Run"
        begin = st.button(label, key="run_experiment", type="primary", icon=":material/play_arrow:")
        workers, cluster = choose_place()
    if begin:
        jobs.forget(question.key)
        jobs.submit("experiment", question.experiment.name, experiment_work(question, workers, cluster), question.key)
        st.rerun()


NEW, FILE, EARLIER = WAYS = ("New", "File", "Earlier")
_FORMER_FILE = "From a file"
"""What older addresses say."""


@fragment()
def draw(asked: Asked) -> None:
    """Draw the way to an experiment, then the experiment; this alone runs again when a choice of it changes."""
    head, said, controls, picture = instrument()
    with controls:
        experiment = _choose(asked)
    if experiment is None:
        return
    question = question_of(experiment)
    with said:
        if st.session_state.get("way", NEW) != NEW:  # a new one is named by its question
            st.header(literal(experiment.name), anchor=False)
        st.caption(literal(experiment.about))
        stands = run_or_wait(question)
    if stands:
        results.draw(question, head, picture)
    else:
        with picture:
            results.until_now(question)


def _choose(asked: Asked) -> Experiment | None:
    """Let the user make an experiment, read one, or look at an earlier one."""
    help = "Make one here, read one that the command line takes too, or look at one that was begun before."
    if st.query_params.get("way") == _FORMER_FILE:
        st.session_state["way"] = FILE
    way = switch("Experiment", WAYS, "way", help, usual=NEW, label_visibility="collapsed")
    if way == FILE:
        return choose_file()
    return choose_earlier() if way == EARLIER else choose_experiment(asked)
