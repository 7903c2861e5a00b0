"""The Limits view, where counters say of a kernel what limits it: verdicts, and kernels under a roofline."""

import streamlit as st

from core.report.figures.scaling import roofline_scatter
from core.report.trials.bottleneck.kernels import limits, roofline_of
from core.report.trials.bottleneck.rules import judged_by
from pages._explore.values import Shown
from pages._ui.database import trials
from pages._ui.drawn import literal, show, table

TITLE, PLACE = "Limits", 6

_WIDTHS = {"kernel": 150, "limited by": 110, "because": 560}


def offered(shown: Shown) -> bool:
    """Whether counters tell what limits a kernel."""
    return bool(judged_by(shown.counters))


def draw(shown: Shown) -> None:
    """Draw a row per kernel, and those that count operations, bytes and time under their roofs."""
    st.header("What limits each kernel", anchor=False)
    st.caption("By the rule of the tool that counted, over medians of all trials that count; filters take no part.")
    wide = {name: st.column_config.TextColumn(width=px) for name, px in _WIDTHS.items()}
    found = limits(trials(shown.dataset), shown.counters)
    st.markdown(literal(found.sentence()))
    table(found.table(), "limits", alt="Kernels with what limits them, and why", column_config=wide)
    groups = ", ".join(f"{family} {len(names):,}" for family, names in found.subsystems.items())
    st.caption(f"Counters by subsystem: {groups}.")
    value = roofline_of(found.kernels)
    if value is not None:
        st.header("Kernels under the roofline", anchor=False)
        show(roofline_scatter(value), "limits_roofline")
