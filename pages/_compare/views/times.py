"""The view of time: what the race took, and how much sooner an answer is there than from the simulator."""

from collections.abc import Sequence

import streamlit as st

from core.progress import duration
from core.report.compare.side_by_side import SpeedUp, speed_up
from core.report.figures.race import speed_up_points
from pages._compare.result import Result, choose_result
from pages._compare.scenario import target_metric
from pages._ui.choices import pick
from pages._ui.database import metric_names
from pages._ui.drawn import literal, show

TITLE, PLACE = "Time", 4

NONE = "none"


def draw(results: Sequence[Result]) -> None:
    """Say what the race took, and draw the speed-up over simulation if a simulator's time is chosen."""
    result = choose_result(results)
    st.caption(
        literal(
            f"All folds, treatments and inner folds together took {duration(result.race.seconds)}; how long one "
            "training of each model takes stands in the standings and side by side."
        )
    )
    st.header("Speed-up over simulation", anchor=False)
    if not result.scenario.host:
        st.caption("With a host and a target there can be a speed-up: a simulator's time over the host's.")
        return
    found = _speed_up(result)
    if found is not None:
        st.markdown(literal(found.sentence()))
        show(speed_up_points(found), "speed_up")


def _speed_up(result: Result) -> SpeedUp | None:
    scenario, frame = result.scenario, result.frame
    offered = [NONE, *(m.name for m in metric_names(result.dataset))]
    hosts = [m.name for m in frame.metrics]
    usual = frame.reference or next((name for name in hosts if name.endswith(f" on {scenario.host}")), hosts[0])
    with st.grid(2, min_column_width=220):
        help = f"A metric of {literal(scenario.target)} that says how long it took to simulate a workload."
        simulator = pick("Simulator's time", offered, "simulator_time", help)
        help = f"How long a workload runs on {literal(scenario.host)}; the model answers at once after it."
        host = pick("Host's time", hosts, "host_time", help, usual=usual)
    if simulator == NONE:
        st.caption("Choose the metric that says how long the simulator took, if these trials have one.")
        return None
    return speed_up(frame, target_metric(scenario, simulator), host)
