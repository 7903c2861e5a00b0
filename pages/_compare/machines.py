"""Which machine is best for one's own workloads: chosen by application, ranked by a job."""

import streamlit as st

from core.errors import count
from core.ingest import more_is_better
from core.race.machines import GEOMEAN, GOALS, TOTAL, Ranking, rank
from core.report.compare.machines import machines_sentence, machines_table, runs_sentence, trust_sentence
from core.trial import Frame
from pages._ui.choices import pick, pick_several, toggle
from pages._ui.drawn import literal, table
from pages._ui.jobs import computed, key_of
from pages._ui.page import fragment
from pages._ui.state import Asked

_WORDS = {"total": "Sum of workloads", "geomean": "Geometric mean"}


@fragment()
def draw(asked: Asked) -> None:
    """Let the user choose applications, and rank the machines of the trials for these."""
    frame = asked.frame()
    applications = sorted({name for name in frame.labels["application"] if name})
    if len({name for name in frame.labels["machine"] if name}) < 2 or not applications or frame.y.min() <= 0:
        return
    st.header("Which machine?", anchor=False)
    help = "Machines are ranked for these: by what was measured, and by predictions where they did not run."
    with st.container(horizontal=True):
        chosen = pick_several("Your applications", applications, "own_applications", help, placeholder="Choose some")
        rate = more_is_better(frame.response.unit, frame.response.name)
        goal = pick("Goal", GOALS, "machines_goal", usual=GEOMEAN if rate else TOTAL, words=_WORDS.__getitem__)
        less = rate and toggle("Less is better", "machines_less", "More is, where this is off.")
        more = not less if rate else toggle("More is better", "machines_more", "As of a throughput.")
    if not chosen:
        return
    key, title = key_of(frame.digest(), chosen, goal, more), f"Ranking machines for {count(len(chosen), 'application')}"
    found = computed("machines", title, key, lambda p: rank(frame, chosen, goal=goal, more=more, progress=p), 0.3)
    if found is not None:
        _draw(found, frame)


def _draw(found: Ranking, frame: Frame) -> None:
    for said in (machines_sentence(found, frame.response), runs_sentence(found)):
        if said:
            st.markdown(literal(said))
    shown = machines_table(found, frame.response)
    table(shown, "machines_table", alt=machines_sentence(found, frame.response), digits=4)
    if said := trust_sentence(found):
        st.caption(literal(said))
