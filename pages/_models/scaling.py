"""Rows and kernels that a saved model is asked for: one by hand with its why, those of a file, and surfaces."""

from collections.abc import Sequence

import streamlit as st

from core.codec import FloatArray
from core.export import model_sha256
from core.ingest import SourceFile
from core.pipeline import FittedPipeline
from core.report.compare.versus import drift_sentence, drift_table, rows_drift
from core.report.document.scaling import scaling_model_page
from core.report.figures.effects import waterfall
from core.report.model.predictions import PredictedRows
from core.report.model.why import Dial, dials, nearest_table, row_of, why
from core.report.scaling.race import answers_table, axes_sentence, kernels_table
from core.report.shared.naming import interval, quantity
from core.scaling.model_file import read_kernels
from core.scaling.scaling_model import ScalingModel
from core.store.cards import ModelCard
from pages._models.manage import draw_actions, draw_note, draw_versions
from pages._models.values import label_of, saved_scaling
from pages._ui.choices import DATASET, toggle
from pages._ui.database import store
from pages._ui.drawn import count, csv_button, listed, literal, noted, number, show, table
from pages._ui.forms import open_page
from pages._ui.jobs import computed, key_of
from pages._ui.page import fragment, show_error

_SHOWN_ROWS = 1000
_MEANINGS = {
    "mean error (%)": "Over all configurations but the base, of kernels that it had not seen.",
    "mean surface (%)": "The error if every kernel scaled as the mean of all does: what has to be beaten.",
    "90 % interval covers (%)": "How often the truth was inside; near 90 is right.",
}


def draw_one(card: ModelCard, cards: Sequence[ModelCard]) -> None:
    """Show how well a scaling model predicts, what it asks for, and where it can go; `cards` are all models."""
    model = saved_scaling(card.id)
    st.header(literal(card.name), anchor=False)
    st.markdown(
        f"Predicts how **{literal(card.response)}** scale · trained on {count(card.n_trials, 'kernel')} of dataset "
        f"{literal(card.dataset or 'unknown')} · saved {card.created:%Y-%m-%d %H:%M}"
    )
    st.markdown(literal(axes_sentence(model)))
    rows = answers_table(model)
    alt = "What predicts each response, and its errors on kernels held out"
    look = {name: st.column_config.NumberColumn(format="%.3g", help=help) for name, help in _MEANINGS.items()}
    table(rows, "scaling_answers", alt=alt, download=False, digits=3, column_config=look)
    if draw_actions(card, cards, lambda: _card_page(card), "Open on the Scaling page"):
        _reopen(card)
    draw_note(card)
    with st.expander("Counters and notes", key="scaling_card_more"):
        st.markdown(literal(f"Counters: {listed([m.name for m in model.counters], 40) or 'none'}."))
        for note in noted(model.notes):
            st.caption(literal(note))
    draw_versions(card, cards)


def _card_page(card: ModelCard) -> bytes:
    saved, digest = f"{card.created:%Y-%m-%d %H:%M}", model_sha256(store().models.get(card.id))
    return scaling_model_page(saved_scaling(card.id), label_of(card), saved, card.note, digest)


def _reopen(card: ModelCard) -> None:
    """Go to the Scaling page, which asks this model in place of one trained there."""
    if card.dataset not in store().datasets.names():
        show_error(f"Dataset '{card.dataset}' is not here any more. Predict the kernels of a file with this model.")
        return
    chosen = {"scaling_view": "Predict", "scaling_saved": label_of(card)}
    open_page("pages/scaling.py", chosen, {DATASET: card.dataset, **chosen})


def draw_kernels(model: ScalingModel) -> None:
    """Predict the kernels of a CSV over all configurations."""
    st.markdown(
        f"Predicts how **{literal(', '.join(model.responses))}** scale, from {count(len(model.counters), 'counter')}. "
        "The CSV needs a row per kernel: its name in the column kernel, the responses at the base, and the counters. "
        "A counter that is missing is taken as the typical kernel's, and flagged."
    )
    st.caption(literal(axes_sentence(model)))
    upload = st.file_uploader("Kernels measured at the base", key="upload_kernels")
    if upload is None:
        return
    found = [model.predict(kernel) for kernel in read_kernels(SourceFile(upload.name, upload.getvalue()), model)]
    values = kernels_table(model, found)
    if len(values) > _SHOWN_ROWS:
        st.caption(f"The first {_SHOWN_ROWS:,} of {len(values):,} rows are shown; the download has all.")
    alt = "Predicted surfaces, a row per kernel and configuration"
    table(values.head(_SHOWN_ROWS), "kernel_surfaces", alt=alt, download=False, digits=4)
    csv_button("Surfaces as CSV", values, "predicted_surfaces")


def draw_nearest(found: PredictedRows, model: FittedPipeline) -> None:
    """Let the user choose a row and show the trained trials that are most like it."""
    if not len(model.domain.landmarks):
        return
    with st.expander("Trained trials that are nearest to a row", key="nearest_open"):
        help = "Counted from 1. It begins with the first row outside the trained range."
        row = st.number_input("Row", 1, len(found), found.first_outside + 1, key="nearest_row", help=help)
        why = found.predictions.why[row - 1]
        st.markdown(literal(f"Outside: {why}." if why else "The row lies inside the trained range."))
        near = nearest_table(model, found.X[row - 1])
        if not len(near):
            st.caption("The row has no value of a metric, so it is near to nothing.")
            return
        table(near, "nearest_trials", alt="Trained trials nearest to the row")
        st.caption(
            "The model keeps up to 200 of its trials, chosen to cover all of them. A distance of 1 is a standard "
            "deviation of the trained trials; the farther the nearest, the more the model is guessing."
        )


def draw_drift(found: PredictedRows, model: FittedPipeline) -> None:
    """Say whether the rows are like the trained trials, and in which metrics they are not."""
    drift = rows_drift(found, model)
    if drift is None:
        return
    with st.expander("Do these rows resemble the trained trials?", key="drift_open"):
        st.markdown(literal(drift_sentence(drift, model, found.scores)))
        table(drift_table(drift), "drift", alt="How far each metric has moved")
        st.caption(
            "The stability index compares the shares of rows between the trained deciles: below 0.1 is alike, above "
            "0.25 is far, if it is more than chance explains. The largest distance is between the two distributions."
        )


@fragment()
def draw_by_hand(model: FittedPipeline, key: str) -> None:
    """Draw an input for each metric that matters, and the prediction.

    Parameters
    ----------
    key : what the model is known by
    """
    offered = dials(model)
    head = st.container()
    with st.grid(4, min_column_width=150):
        values = {dial.number: _input(dial, f"dial_{key[:12]}_{dial.number}") for dial in offered}
    left = len(model.metrics) - len(offered)
    if left:
        st.caption(f"{count(left, 'further metric')} stay in the middle of their trained range.")
    row = row_of(model, values)
    said = model.predict(row[None])
    value, low, high = (float(v[0]) for v in (said.value, said.low, said.high))
    with head:
        first, second = st.columns(2)
        first.metric(literal(str(model.response)), quantity(value, model.response), border=True)
        covered = f"{100 * model.interval.nominal:.0f} % interval" if model.interval else "Interval"
        second.metric(covered, interval(low, high), border=True)
        if said.why[0]:
            st.warning(literal(f"Take care: {said.why[0]}."), icon=":material/warning:")
    _draw_why(model, row, key)


def _input(dial: Dial, key: str) -> float:
    known = dial.low is not None and dial.high is not None
    trained = f"Trained from {number(dial.low)} to {number(dial.high)}." if known else "The trained range is not known."
    step = float(f"{(dial.high - dial.low) / 20:.1g}") if known and dial.high > dial.low else 1.0
    found = st.number_input(
        literal(str(dial.metric)), value=dial.start, step=step, format="%g", key=key, help=literal(trained)
    )
    return float(found if found is not None else dial.start)


def _draw_why(model: FittedPipeline, row: FloatArray, key: str) -> None:
    """Draw what each metric adds to the prediction of a row, once somebody asks.

    Parameters
    ----------
    key : what the model is known by
    """
    help = "Shapley values of the metrics, from the average of training trials to this row."
    if not toggle("Why this prediction", "by_hand_why", help):
        return
    found = computed("why", "Taking the prediction apart", key_of(key, row.tobytes()), lambda _: why(model, row))
    if found is not None:
        show(waterfall(found), "why_waterfall")
