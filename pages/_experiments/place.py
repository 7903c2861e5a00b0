"""Where an experiment runs: processes of this machine, a Dask cluster made here, or one at an address."""

import os
from importlib.util import find_spec

import streamlit as st

from pages._ui.choices import drop_unknown, whole

HERE, LOCAL, ADDRESS = PLACES = ("Processes here", "Dask, made here", "Dask, at an address")
_NO_DASK = "Dask is not installed. Install it with `pip install 'ridgeline[cluster]'` and start Ridgeline again."


def choose() -> tuple[int, str]:
    """Let the user choose; return how many processes, and the cluster, "" for none."""
    drop_unknown("place", list(PLACES))
    chosen = str(st.session_state.get("place") or HERE)
    with st.popover(f"Where: {chosen}", icon=":material/memory:", key="where_it_runs"):
        place = st.radio(
            "Where it runs",
            PLACES,
            key="place",
            bind="query-params",
            captions=(
                "Nothing else is needed.",
                "A scheduler and workers, started for this experiment and ended after it.",
                "Where one machine is not enough; workers need Ridgeline and no database.",
            ),
            help="Results are the same everywhere. A process or worker that dies costs its fits another try.",
        )
        if place != HERE and find_spec("distributed") is None:
            st.warning(_NO_DASK)
        if place == ADDRESS:
            return 1, _address()
        help = "As many as this machine has cores is a good number."
        workers = whole("Processes", 1, 256, min(2, os.cpu_count() or 1), "workers", help)
        return (1, f"local:{workers}") if place == LOCAL else (workers, "")


def _address() -> str:
    help = "The address that `dask scheduler` prints when it starts."
    text = st.text_input(
        "Scheduler", key="cluster", bind="query-params", placeholder="tcp://HOST:8786", help=help
    ).strip()
    if not text:
        st.caption("Type the address of a scheduler; without one it runs in a process here.")
    return text
