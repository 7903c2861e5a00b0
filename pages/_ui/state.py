"""What pages share: the database, and the choices of dataset, response, metrics and filters in the URL."""

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from core.curate import AGGREGATES
from core.errors import OptionError, RidgelineError
from core.frozen import Frozen
from core.ingest import load_sample, samples
from core.store import GAPS
from core.store.cards import Condition, DatasetCard, condition_of
from core.trial import ROLES, Frame, Kind, Metric, notes_about
from core.workspace import SAMPLES
from pages._ui import database
from pages._ui.choices import (
    DATASET,
    METRICS,
    REPEATS,
    RESPONSE,
    WHERE,
    in_url,
    pick,
    pick_several,
    set_choice,
    set_url,
)
from pages._ui.database import FIRST_SAMPLE, store
from pages._ui.drawn import literal, short, shortened

_MOST_VALUES = 60


def suggestions(labels: Mapping[str, Iterable[str]]) -> list[str]:
    """Return one equality per value of each label that has between 2 and 60 values."""
    offered = []
    for column, values in labels.items():
        distinct = [v for v in values if v]
        if 2 <= len(distinct) <= _MOST_VALUES:
            offered += [f"{column}={value}" for value in distinct]
    return offered


def parse_condition(text: str, columns: Iterable[str]) -> Condition:
    """Return the condition that a text stands for; the longest known column that it starts with counts.

    Raises
    ------
    OptionError
        If it names no known column, or no comparison follows it.
    """
    known = sorted(set(columns))
    if found := condition_of(text, known):
        return found
    raise OptionError(
        f"Filter '{text}' is not understood: write a column, one of = != < <= > >=, and a value, "
        f"such as machine=K40. The columns are: {', '.join(known[:12])}"
        f"{' and more' if len(known) > 12 else ''}."
    )


EACH = "each"
_GONE = "_deleted_dataset"
_REPEATS = {
    EACH: "A row each",
    "mean": "One row: mean of the inliers",
    "median": "One row: median",
    "minimum": "One row: smallest",
}
_COUNTERS = {"use": "Predict from them too", "none": "Leave out: for what has not run"}
_GAPS = {"most": "Keep most values", "metrics": "Leave out the metrics", "trials": "Leave out the trials"}


def choose_dataset() -> str | None:
    """Let the user choose a dataset in the sidebar; None (and a way on) when there is none."""
    names = store().datasets.names()
    if not names:
        _offer_first_sample()
        return None
    first = FIRST_SAMPLE if FIRST_SAMPLE in names else names[0]
    if (held := _missing(names)) and held in {card.name for card in samples(SAMPLES)}:
        _offer_asked_sample(held, first)
        return None
    if held:
        st.warning(
            literal(f"There is no dataset '{short(held)}' any more: it was deleted or renamed. Another one is shown."),
            icon=":material/warning:",
        )
    said = "Trials that were imported together. Add more on the Trials page."
    return pick("Dataset", names, DATASET, said, usual=first, words=shortened(names), on=st.sidebar)


def note_gone(dataset: str) -> None:
    """Note that this session deleted a dataset, so that nobody need be told that it is gone."""
    st.session_state[_GONE] = dataset


def _missing(names: Sequence[str]) -> str | None:
    """Return the dataset in view where it is not there, but was deleted or renamed elsewhere, or never loaded."""
    held: str | None = next(iter(in_url(DATASET)), None) or st.session_state.get(DATASET)
    return None if held in (*names, st.session_state.get(_GONE)) else held


def card_of(dataset: str) -> DatasetCard:
    """Return what the store says of a dataset."""
    card = store().datasets.get(dataset)
    if card is None:
        raise RidgelineError(f"There is no dataset '{dataset}' any more. Choose another one.")
    return card


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
    said = "The metric to predict: run time, energy, cycles, or any other number measured per trial."
    return pick("Response", names, RESPONSE, said, words=shortened(names), on=st.sidebar)


def possible_responses(dataset: str) -> tuple[Metric, ...]:
    """Return the metrics that can be predicted: responses first, then counters."""
    metrics = database.metric_names(dataset)
    responses = [m for m in metrics if m.kind == Kind.RESPONSE]
    return (*responses, *(m for m in metrics if m.kind in (Kind.COUNTER, Kind.DERIVED)))


def choose_metrics(dataset: str, response: str) -> tuple[str, ...] | None:
    """Let the user choose in the sidebar what to predict from; None means the default choice."""
    names = [m.name for m in database.metric_names(dataset) if m.name != response]
    names += database.indicator_names(dataset)
    said = (
        "What to predict from. Left empty: everything but the responses, without counters where machines are described "
        "and at least as many deterministic metrics say what ran."
    )
    chosen = pick_several(
        "Metrics", names, METRICS, said, words=shortened(names), on=st.sidebar, placeholder="Default choice"
    )
    return chosen or None


def choose_gaps(notes: Sequence[str]) -> str:
    """Let the user choose in the sidebar what blanks cost; not asked where a frame's notes tell of none."""
    if not notes_about(notes, "trials with gaps", "metrics with gaps"):
        return GAPS[0]
    said = "Some metrics miss values in some trials: leave out the trials, the metrics, or what costs fewest values."
    return pick("Blanks", GAPS, "gaps", said, words=_GAPS.__getitem__, on=st.sidebar)


def choose_counters(notes: Sequence[str]) -> bool:
    """Let the user leave counters out, in the sidebar; not asked where a frame's notes tell of none."""
    if not notes_about(notes, "counters"):
        return True
    said = "What only a run gives tells much of it; a model that predicts what has not run does without."
    return pick("Counters", list(_COUNTERS), "counters", said, words=_COUNTERS.__getitem__, on=st.sidebar) == "use"


def choose_where(dataset: str) -> tuple[Condition, ...]:
    """Let the user choose in the sidebar which trials count; the conditions must all hold.

    Raises
    ------
    OptionError
        If a typed condition cannot be understood.
    """
    labels = database.labels(dataset)
    columns = [*ROLES, *labels, *(m.name for m in database.metric_names(dataset))]
    said = (
        "Only trials for which all of these hold. Pick one, or type your own, such as "
        "`machine=K40`, `size!=tiny` or `cycles<=1000`."
    )
    offered = suggestions(labels)
    chosen = pick_several(
        "Filters", offered, WHERE, said, words=shortened(offered), own=True, on=st.sidebar, placeholder="All trials"
    )
    return tuple(parse_condition(text, columns) for text in chosen)


def choose_repeats(dataset: str) -> str:
    """Let the user choose in the sidebar what becomes of repeats; datasets without repeats are not asked."""
    if not database.has_repeats(dataset):
        return EACH
    said = (
        "Trials of one application, input, machine and setting of parameters are repeats. As one row each they "
        "count together once, and their spread is noise that no model has to explain."
    )
    usual = database.default_repeats(dataset)
    return pick("Repeats", AGGREGATES, REPEATS, said, usual=usual, words=_REPEATS.__getitem__, on=st.sidebar)


class Asked(Frozen):
    """The choices of the sidebar."""

    dataset: str
    response: str
    metrics: tuple[str, ...] | None
    where: tuple[Condition, ...]
    repeats: str

    def frame(self, response: str = "", gaps: str = GAPS[0], *, counted: bool = True) -> Frame:
        """Return the trials as they are stored now, with this or another response."""
        asked = self.dataset, response or self.response, self.metrics, self.where, self.repeats
        return database.frame(*asked, gaps, counted)


def choose_trials() -> Asked | None:
    """Let the user choose trials in the sidebar, and what to predict from what; None where there are none."""
    dataset = choose_dataset()
    if dataset is None:
        return None
    response = choose_response(dataset)
    metrics = choose_metrics(dataset, response)
    return Asked(dataset, response, metrics, choose_where(dataset), choose_repeats(dataset))


def offer_sample(name: str, key: str, icon: str) -> None:
    """Draw a button that opens a sample, loaded first where it is not there yet."""
    if not (SAMPLES / name).is_dir():
        return
    there = name in store().datasets.names()
    if st.button(f"{'Open' if there else 'Load'} the sample “{name}”", key=key, type="primary", icon=icon):
        if not there:
            with st.spinner("Loading the sample …"):
                store().add(name, load_sample(SAMPLES / name))
        if in_url(DATASET) != [name]:  # else the address has choices among its trials
            set_choice(DATASET, name)
            for choice in (RESPONSE, METRICS, WHERE):
                set_url(choice, ())
        st.rerun()


def _offer_first_sample() -> None:
    st.info("There are no trials yet. Load a sample here, or import a CSV of your own on the Trials page.")
    offer_sample(FIRST_SAMPLE, "load_first_sample", ":material/table_rows:")


def _offer_asked_sample(name: str, instead: str) -> None:
    """Say that an address asks for a sample that nobody has loaded, and lead on to it or to another dataset."""
    st.info(literal(f"This address asks for the sample “{name}”, which is not loaded here yet."))
    with st.container(horizontal=True):
        offer_sample(name, "load_asked_sample", ":material/download:")
        st.button(
            f"Show “{literal(instead)}” instead", key="show_instead", on_click=set_choice, args=(DATASET, instead)
        )
