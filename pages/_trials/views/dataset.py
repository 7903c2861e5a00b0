"""One dataset: how much there is, how its response is distributed, and every trial, metric and file."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.ingest import samples
from core.report.figures.trials import histogram
from core.report.shared.naming import columns_of
from core.report.trials.metrics import distribution
from core.report.trials.repeats import repeats
from core.store.cards import Condition, DatasetCard, SourceCard
from core.trial import ROLES, Frame, Metric, Skipped
from core.workspace import SAMPLES
from pages._trials import receipts
from pages._trials.receipts import DATASET_VIEW, draw_machines, draw_report, show_dataset
from pages._ui import database
from pages._ui.choices import switch
from pages._ui.database import store
from pages._ui.drawn import LONGEST, count, literal, number, short, short_texts, show, table
from pages._ui.forms import page_link
from pages._ui.state import card_of, choose_response, choose_where, note_gone


def draw_manage(name: str) -> None:
    """Offer a new name, and deletion behind a question."""
    with st.container(horizontal=True):
        with st.popover("Rename …", icon=":material/edit:", key="rename_open"):
            _rename(name)
        with st.popover("Delete …", icon=":material/delete:", key="delete_open"):
            _delete(name)


def _rename(name: str) -> None:
    new_name = st.text_input("New name", name, key=f"rename_{name}", max_chars=120)
    if st.button("Rename", key=f"do_rename_{name}", type="primary"):
        store().datasets.rename(name, new_name or "")
        receipts.leave()
        show_dataset((new_name or "").strip())


def _delete(name: str) -> None:
    trials = count(card_of(name).n_trials, "trial")
    st.markdown(f"**{literal(name)}** with {trials} is deleted for good. Models that were trained from it stay.")
    if st.button("Delete for good", key=f"delete_for_good_{name}", type="primary"):
        store().datasets.delete(name)
        note_gone(name)
        receipts.leave()
        st.rerun()


TITLE, PLACE = DATASET_VIEW, 1

_SHOWN_TRIALS = 1000
_SHORT_TABLE = 8
_FEW_SOURCES = 4
_METRICS = (
    "metric: metric.name | kind: metric.kind.value | unit: metric.unit | trials with a value: n_values | "
    "missing: n_missing | different values: n_distinct | lowest: low | highest: high"
)
_AXES = {"auto": "Automatic", "linear": "Linear", "log": "Logarithmic"}


def draw(name: str | None) -> None:
    """Show a dataset, the response and the trials that the sidebar asks for."""
    if name is None:
        return
    card = card_of(name)
    response, where = choose_response(name), choose_where(name)
    _draw_head(card)
    if card.folder:
        st.caption(
            f"A folder of Parquet files, which is only read: {literal(card.folder)}. The numbers above and the "
            "metrics' ranges are of all its rows. Trials, figures and models are of a sample, drawn by a hash of "
            "what the rows hold, so that it is the same each time; Explore has a view of all rows."
        )
    frame = database.frame(name, response, (), where)
    _draw_distribution(frame)
    _draw_trials(name, where, card)
    counts = f"{count(card.n_metrics - len(card.responses), 'metric')} and {count(len(card.responses), 'response')}"
    with st.expander(f"{counts}: kinds, units, ranges, what is missing", key="metrics_open"):
        _draw_metrics(name)
    draw_machines(name)
    _draw_repeats(frame)
    sources = store().datasets.sources(name)
    came = "Read in place from a folder" if card.folder else f"Imported from {count(len(sources), 'file')}"
    with st.expander(came, key="sources_open"):
        _draw_sources(sources)
    draw_manage(name)


def _draw_head(card: DatasetCard) -> None:
    """Say what the dataset is and how much there is of it, and where to go from here."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(literal(card.name), anchor=False, width="content")
        page_link("pages/explore.py", "Explore its metrics", ":material/bubble_chart:")
        page_link("pages/model.py", "Make a model", ":material/show_chart:")
    n_responses = len(card.responses)
    with st.grid(6, min_column_width=100, gap="small"):
        st.metric("Trials", f"{card.n_trials:,}", help="Measured executions")
        st.metric("Applications", f"{card.n_applications:,}", help="What ran")
        st.metric("Inputs", f"{card.n_inputs:,}", help="On which problems; 1 of each application where none is named")
        st.metric("Machines", f"{card.n_machines:,}", help="Where it ran; 1 where no machine is named")
        st.metric("Metrics", f"{card.n_metrics - n_responses:,}", help="Named numbers that may predict a response")
        st.metric("Responses", f"{n_responses:,}", help="Outcomes that can be predicted")
    if card.n_excluded:
        st.caption(f"{count(card.n_excluded, 'trial')} excluded: they are kept and shown, but do not count.")
    sample = next((s for s in samples(SAMPLES) if s.name == card.name), None)
    if sample is not None:
        st.caption(f"**{literal(sample.title)}.** {literal(sample.description)}")


def _draw_distribution(frame: Frame) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        st.markdown(f"**Distribution of {literal(_titled(frame.response))}**")
        help, words = "Automatic is logarithmic from a decade on", _AXES.__getitem__
        axis = switch("Axis", list(_AXES), "axis", help, words=words, label_visibility="collapsed")
    value = distribution(frame.y, frame.response, None if axis == "auto" else axis == "log")
    show(histogram(value, height=280), key="response_distribution")
    if axis == "log" and not value.log:
        st.caption("A logarithmic axis needs values above 0; this response has others.")


def _titled(metric: Metric) -> str:
    return metric.name if metric.unit == metric.name else str(metric)


def _draw_trials(name: str, where: tuple[Condition, ...], card: DatasetCard) -> None:
    st.markdown("**Trials**")
    values = database.trials(name, where)
    empty = [c for c in ("excluded", *ROLES) if not values[c].any()]
    labels = {f"{role} (label)": role for role in ROLES}
    twice = [c for c in values.columns if c in labels and values[c].equals(values[labels[c]])]
    values = _first_things_first(values.drop(columns=[*empty, *twice]), [m.name for m in card.responses])
    drawn = f" of {card.n_trials:,}, drawn by hash" if card.folder and len(values) < card.n_trials else ""
    chosen = f"{count(len(values), 'trial')}" + (f" of {card.n_trials:,}, filtered" if where else drawn)
    cut = f"; the first {_SHOWN_TRIALS:,} are shown, the download has all" if len(values) > _SHOWN_TRIALS else ""
    st.caption(f"{chosen}{cut}. Filter them in the sidebar.")
    shown, height = short_texts(values.head(_SHOWN_TRIALS)), 320 if len(values) > _SHORT_TABLE else "auto"
    alt = "Trials with application, input, machine, labels and every metric"
    table(shown, "trials", alt, values=values, height=height)


def _first_things_first(values: pd.DataFrame, responses: Sequence[str]) -> pd.DataFrame:
    """Return the table with responses behind what ran, and texts that are the same in all trials shown at its end."""
    ran = [c for c in values.columns if c in ("run", "excluded", *ROLES)]
    others = [c for c in values.columns if c not in ran]
    outcomes = [c for c in others if c in responses]
    texts = values.head(_SHOWN_TRIALS).select_dtypes(exclude=["number", "bool"])
    same = [c for c in others if c in texts and texts[c].nunique() < 2]
    return values[[*ran, *outcomes, *(c for c in others if c not in (*outcomes, *same)), *same]]


def _draw_metrics(name: str) -> None:
    values = pd.DataFrame(columns_of(database.metric_cards(name), _METRICS))
    st.caption(
        "*deterministic* belongs to application and input, *counter* to one trial, *machine* to a machine, "
        "*parameter* was set before the run, *response* is an outcome to predict."
    )
    table(short_texts(values), key="metrics_table", values=values, alt="Metrics of the dataset")


def _draw_repeats(frame: Frame) -> None:
    found = repeats(frame)
    n = len(found.table)
    title = "No configuration was measured more than once"
    if n:
        typical = "" if found.typical_spread is None else f", typically {number(found.typical_spread, 2)} % apart"
        title = f"{count(n, 'configuration')} measured more than once{typical}"
    with st.expander(literal(title), key="repeats_open"):
        st.caption(
            f"A configuration is one application, input, machine and setting of parameters; there are "
            f"{found.n_configurations:,}. Repeats show how much of the response is noise that no model can predict."
        )
        if n:
            table(short_texts(found.table), "repeats", "Configurations measured more than once", values=found.table)


def _draw_sources(sources: Sequence[SourceCard]) -> None:
    rows = [(s.name, f"{s.imported:%Y-%m-%d %H:%M}", s.format, s.n_trials, len(s.skipped), s.sha256) for s in sources]
    values = pd.DataFrame(rows, columns=["file", "imported", "format", "trials", "skipped", "SHA-256"])
    table(short_texts(values), "sources", "Files of the dataset", values=values)
    if len(sources) <= _FEW_SOURCES:
        for i, source in enumerate(sources):
            if source.skipped or source.warnings:
                st.markdown(f"**{literal(short(source.name, LONGEST))}**")
                draw_report(source.skipped, source.warnings, f"source_{i}", [source.name])
        return
    skipped = [Skipped(_placed(source, place), place.why) for source in sources for place in source.skipped]
    names = [source.name for source in sources]
    draw_report(skipped, [w for source in sources for w in source.warnings], "sources", names)


def _placed(source: SourceCard, place: Skipped) -> str:
    """Return a place with its file, where it does not name it."""
    return place.where if place.where.startswith(source.name) else f"{source.name} {place.where}"
