"""What pages share: the database, and the choices of dataset, response, metrics and filters in the URL."""

from pathlib import Path

import streamlit as st

from core.errors import RidgelineError
from core.ingest import load_sample
from core.store import DatasetCard, Store
from core.trial import ROLES, Kind, Metric
from core.workspace import SAMPLES, default_database
from pages._ui.choices import DATASET, METRICS, RESPONSE, WHERE, drop_unknown, keep, prefer
from pages._ui.filters import Condition, parse_condition, suggestions
from pages._ui.text import literal

FIRST_SAMPLE = "generations"


def store() -> Store:
    """Return the one database of this process; a new one starts with the first sample in it."""
    return _open(str(default_database()))


@st.cache_resource(show_spinner="Opening the database …", on_release=Store.close)
def _open(path: str) -> Store:
    is_new = not Path(path).exists()
    opened = Store.open(Path(path))
    if is_new and (SAMPLES / FIRST_SAMPLE).is_dir():
        try:
            opened.add(FIRST_SAMPLE, load_sample(SAMPLES / FIRST_SAMPLE))
        except RidgelineError as error:
            st.warning(literal(f"The sample '{FIRST_SAMPLE}' could not be loaded: {error}"))
    return opened


def choose_dataset() -> str | None:
    """Let the user choose a dataset in the sidebar; None (and a way on) when there is none."""
    names = [card.name for card in store().datasets()]
    if not names:
        _offer_first_sample()
        return None
    drop_unknown(DATASET, names)
    default = names.index(FIRST_SAMPLE) if FIRST_SAMPLE in names else 0
    chosen = st.sidebar.selectbox(
        "Dataset", names, index=default, key=DATASET, bind="query-params",
        help="Trials that were imported together. Add more on the Trials page.",
    )  # fmt: skip
    keep(DATASET, chosen)
    return chosen


def card_of(dataset: str) -> DatasetCard:
    """Return what the store says of a dataset."""
    return next(card for card in store().datasets() if card.name == dataset)


def choose_response(dataset: str) -> str:
    """Let the user choose in the sidebar what to predict; declared responses come first.

    Raises
    ------
    RidgelineError
        If the dataset has no metric that could be predicted.
    """
    names = [m.name for m in possible_responses(dataset)]
    if not names:
        raise RidgelineError(
            f"Dataset '{dataset}' has no response and no counter, so there is nothing to predict. "
            "Import it again and give a column the role of a response."
        )
    drop_unknown(RESPONSE, names)
    chosen = st.sidebar.selectbox(
        "Response", names, key=RESPONSE, bind="query-params",
        help="The metric to predict: run time, energy, cycles, or any other number measured per trial.",
    )  # fmt: skip
    keep(RESPONSE, chosen)
    return chosen if chosen is not None else names[0]


def possible_responses(dataset: str) -> tuple[Metric, ...]:
    """Return the metrics that can be predicted: responses first, then counters."""
    metrics = [card.metric for card in store().metrics(dataset)]
    responses = [m for m in metrics if m.kind == Kind.RESPONSE]
    return (*responses, *(m for m in metrics if m.kind == Kind.COUNTER))


def choose_metrics(dataset: str, response: str) -> tuple[str, ...] | None:
    """Let the user choose in the sidebar what to predict from; None means the default choice."""
    names = [card.metric.name for card in store().metrics(dataset) if card.metric.name != response]
    drop_unknown(METRICS, names)
    chosen = st.sidebar.multiselect(
        "Metrics", names, key=METRICS, bind="query-params", placeholder="Default choice",
        help="What to predict from. Left empty: the deterministic, machine and parameter metrics "
        "that have a value in every trial and vary; where a dataset has no deterministic metrics, "
        "everything but its responses.",
    )  # fmt: skip
    keep(METRICS, chosen)
    return tuple(chosen) or None


def choose_where(dataset: str) -> tuple[Condition, ...]:
    """Let the user choose in the sidebar which trials count; the conditions must all hold.

    Raises
    ------
    OptionError
        If a typed condition cannot be understood.
    """
    labels = store().labels(dataset)
    columns = [*ROLES, *labels, *(card.metric.name for card in store().metrics(dataset))]
    chosen = st.sidebar.multiselect(
        "Filters", suggestions(labels), key=WHERE, bind="query-params", accept_new_options=True,
        placeholder="All trials",
        help="Only trials for which all of these hold. Pick one, or type your own, such as "
        "`machine=K40`, `size!=tiny` or `cycles<=1000`.",
    )  # fmt: skip
    keep(WHERE, chosen)
    return tuple(parse_condition(text, columns) for text in chosen)


def _offer_first_sample() -> None:
    st.info("There are no trials yet. Load a sample here, or import a CSV of your own on the Trials page.")
    if st.button(f"Load the sample “{FIRST_SAMPLE}”", key="load_first_sample", type="primary"):
        store().add(FIRST_SAMPLE, load_sample(SAMPLES / FIRST_SAMPLE))
        prefer(DATASET, FIRST_SAMPLE)
        st.rerun()
