"""Results of planned designs: a table dropped beside the plan, or runs of `ridgeline measure` as they come."""

import hashlib

import streamlit as st

from core.report.space.history import results_sentence
from core.space.plan import Plan, write_plan
from core.space.results import Results, read_results
from pages._design_space.model import Asked, Chosen, texts_of
from pages._trials.files import as_source
from pages._ui.database import metric_names, store
from pages._ui.drawn import count, literal
from pages._ui.page import fragment

_GENERATION, _TOLD, _OFFERED = "_results_generation", "_results_told", "_plans_offered"
_MOST_OFFERED = 20


def draw(asked: Asked, chosen: Chosen, plan: Plan | None) -> None:
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
    st.markdown(literal(results_sentence(found)))
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
