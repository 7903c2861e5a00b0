"""The view of the selection: term by term, what could have been taken, what was, and why it ended."""

import pandas as pd
import streamlit as st

from core.pipeline import FittedPipeline
from core.report.figures.selection import (
    candidate_strip,
    candidate_table,
    selection_curve,
    selection_table,
    terms_curve,
)
from core.report.model.rounds import has_rounds, limits
from core.report.model.selection import (
    Selection,
    Stopping,
    along,
    candidates,
    coefficients,
    is_stepwise,
    selection,
    stopping,
)
from pages._model import matters, rounds
from pages._model.cluster import choose_cluster, choose_place, cluster_in_view
from pages._model.shown import Shown
from pages._model.values import timed_fit
from pages._ui.charts import table
from pages._ui.page import fragment
from pages._ui.pictures import show
from pages._ui.sketches import draw_sketch, ground
from pages._ui.text import count, literal, number

TITLE, PLACE = "Selection", 2

_CHEAP_S = 0.5


def draw(shown: Shown) -> None:
    """Draw the selection of one cluster's model, to be stepped through, or what matters where there is none."""
    model, ends = shown.model, stopping(shown.recipe)
    if ends is not None and is_stepwise(model):
        known = ends.whole is not None and shown.fit_s < _CHEAP_S
        whole = timed_fit(shown.frame, ends.whole)[0] if known else None
        _steps(model, ends, whole)
    elif has_rounds(model):
        rounds.draw(model, limits(shown.recipe))
    else:
        matters.draw(model)


def draw_curve(shown: Shown) -> None:
    """Draw errors by number of terms, on groups held out and in training, where they are cheap to know."""
    frame, model, ends = shown.frame, shown.model, stopping(shown.recipe)
    if ends is None or ends.judged is None or not is_stepwise(model):
        return
    judged, cluster = timed_fit(frame, ends.judged)[0], cluster_in_view(model)
    told = along(judged, frame, cluster) if len(judged.clusters) == len(model.clusters) else None
    if told is not None:
        n_terms = selection(model, cluster, ends.threshold, ends.max_terms).n_terms
        draw_sketch(terms_curve(told, n_terms, ground()))


@fragment()
def _steps(model: FittedPipeline, ends: Stopping, whole: FittedPipeline | None) -> None:
    cluster = choose_cluster(model)
    told = selection(model, cluster, ends.threshold, ends.max_terms, whole)
    _say(told)
    step = choose_place("Step", told.n_terms, "step")
    show(selection_curve(told, step), "selection_curve")
    st.header(literal(f"Step {step}: {told.steps[step - 1].term}"), anchor=False)
    _step(model, cluster, step, told)
    st.header("All steps", anchor=False)
    table(selection_table(told), "selection_steps", alt="Every step with its term, gain and runner-up")
    _dropped(told)


def _say(told: Selection) -> None:
    st.markdown(
        literal(
            f"From a pool of {count(told.n_pool, 'candidate')}, each step takes the one that raises adjusted R² most, "
            f"on {count(told.n_trials, 'trial')}. {told.stopped}"
        )
    )


def _step(model: FittedPipeline, cluster: int, step: int, told: Selection) -> None:
    tried = candidates(model, step, cluster, told.threshold)
    taken = told.steps[step - 1]
    said = f"Adjusted R² rises by {number(taken.gain, 3)} to {number(taken.adjusted_r2, 5)}."
    if taken.runner_up:
        said += f" The runner-up, {taken.runner_up}, would have gained {number(taken.runner_up_gain, 3)}."
    st.markdown(literal(said))
    left, right = st.columns([3, 2])
    with left:
        show(candidate_strip(tried), "candidate_strip")
    with right:
        st.markdown("**The model after this step**")
        rows = coefficients(model, step, cluster)
        frame = pd.DataFrame({"coefficient": [r.value for r in rows], "term": [r.term for r in rows]})
        table(frame, "step_coefficients", alt=f"Coefficients after step {step}")
        with st.expander("The best candidates of this step"):
            best = candidate_table(tried, 25)
            table(best, "step_candidates", alt=f"The best candidates of step {step}")


def _dropped(told: Selection) -> None:
    if not told.dropped:
        return
    with st.expander(f"{count(len(told.dropped), 'candidate')} that could not become a term"):
        columns = {"candidate": [d[0] for d in told.dropped], "step": [d[1] for d in told.dropped]}
        reasons = pd.DataFrame({**columns, "reason": [d[2] for d in told.dropped]})
        table(reasons, "dropped_candidates", alt="Candidates that could not become a term, and why")
