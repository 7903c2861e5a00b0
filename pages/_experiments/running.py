"""An experiment under way: started, watched, stopped and gone on with, in this tab or in another."""

import streamlit as st

from core.jobs import Job, JobState
from core.report.experiment.best import size_sentence
from core.report.experiment.results import n_done, seconds_of
from pages._experiments import place
from pages._experiments.question import Question, experiment_work, results_of
from pages._ui import jobs
from pages._ui.page import fragment, show_error
from pages._ui.text import literal


def run_or_wait(question: Question) -> bool:
    """Draw the button that starts the experiment, or how far it is; return whether it stands still."""
    job = jobs.find(question.key)
    if job is not None and not job.ended:
        _watch(job, question)
        return False
    if job is not None and job.state == JobState.DONE:
        jobs.forget(question.key)
    grid, results = question.grid, results_of(question)
    done = n_done(grid, results)
    if done < grid.n_fits:
        _offer(question, job, done)
    return True


def _offer(question: Question, job: Job | None, done: int) -> None:
    """Say how much there is to do, and draw the button."""
    if job is not None and job.state == JobState.FAILED:
        show_error(job.error)
    grid = question.grid
    seconds = seconds_of(grid, results_of(question))
    st.caption(literal(size_sentence(grid.n_fits, len(grid.settings), done, seconds)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Go on" if done else "Run"
        begin = st.button(label, key="run_experiment", type="primary", icon=":material/play_arrow:")
        workers, cluster = place.choose()
    if begin:
        _start(question, workers, cluster)
        st.rerun()


def _start(question: Question, workers: int, cluster: str) -> Job:
    """Start the job, or find it started in another tab."""
    jobs.forget(question.key)
    e = question.experiment
    options = {"dataset": e.dataset, "experiment": question.id, "fits": question.grid.n_fits}
    return jobs.submit("experiment", e.name, experiment_work(question, workers, cluster), question.key, options)


@fragment(run_every=1.0)
def _watch(job: Job, question: Question) -> None:
    """Draw how far the experiment is, with a button to stop it; you may leave the page meanwhile."""
    if job.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.progress(job.fraction, literal(job.message), width="stretch")
        stop = st.button("Stop", key="stop_experiment", icon=":material/stop:", help="What is done is kept.")
    if stop:
        job.cancel()
        st.caption("It stops when the fits under way are done.")
    st.caption("Each result is kept at once; you may close this page meanwhile.")
