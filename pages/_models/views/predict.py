"""Predictions for the rows of a CSV, from a saved model or a model file."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.export import read_model
from core.frozen import Frozen
from core.pipeline import EXTRAPOLATION, FittedPipeline
from core.report.figures.outcome import predicted_actual
from core.report.model.card import OUTSIDE
from core.report.model.predictions import COLUMNS, PredictedRows, predict_file
from core.report.scaling.race import SCALING
from core.report.shared.naming import predictors
from core.report.shared.outcome import rows_outcome
from core.scaling.model_file import is_scaling, read_scaling
from core.scaling.scaling_model import ScalingModel
from core.store.cards import ModelCard
from pages._models import scaling
from pages._models.scaling import draw_by_hand, draw_drift, draw_nearest
from pages._models.values import label_of, saved_model, saved_scaling
from pages._models.view import PREDICT_VIEW, SOURCE
from pages._trials.files import as_source, choose_facts, sha256
from pages._ui.choices import pick
from pages._ui.database import Shelf
from pages._ui.drawn import download, large_as_texts, listed, literal, number, percent, show, table
from pages._ui.jobs import computed, key_of
from pages._ui.page import guard, pick_known

TITLE, PLACE = PREDICT_VIEW, 3

UPLOADED = "A model file (JSON)"
_SHOWN_ROWS = 1000
_ROW = "row"
_COLUMNS = {
    "in_domain": st.column_config.CheckboxColumn(help="Whether the row lies inside the trained range."),
    "why": st.column_config.TextColumn(help="Why it does not, or why there is no prediction."),
}
_POLICIES = (
    "Each metric is held at the edge of its trained range with a warning, the formula runs on with a warning, or "
    "there is no prediction. Predictions that the model holds within the trained responses stay there in any case. "
    "Where a formula has a pole there is never one."
)
_PREDICTED = Shelf("predictions", 4)


def draw(cards: Sequence[ModelCard]) -> None:
    """Let the user choose a model and a CSV, and show what the one says of the other."""
    labels = {label_of(card): card for card in cards}
    chosen = pick_known("Predict with", [*labels, UPLOADED], SOURCE, "saved model")
    with guard():
        found = _saved(labels[chosen]) if chosen in labels else _uploaded_model()
        if isinstance(found, ScalingModel):
            scaling.draw_kernels(found)
        elif found is not None:
            _draw_needs(found.model)
            with st.expander("One prediction by hand", key="by_hand_open", icon=":material/tune:"):
                draw_by_hand(found.model, found.digest)
            _draw_predictions(_outside(found))


class _Model(Frozen):
    """A model and the digest of its file."""

    digest: str
    model: FittedPipeline


def _saved(card: ModelCard) -> _Model | ScalingModel:
    return saved_scaling(card.id) if card.recipe == SCALING else _Model(card.id, saved_model(card.id))


def _uploaded_model() -> _Model | ScalingModel | None:
    help = "As downloaded here, written by `ridgeline fit --out`, or a model file of the original Eiger."
    upload = st.file_uploader("Model file", key="upload_model", help=help)
    if upload is None:
        return None
    raw = upload.getvalue()
    return read_scaling(raw) if is_scaling(raw) else _Model(hashlib.sha256(raw).hexdigest(), read_model(raw))


def _outside(found: _Model) -> _Model:
    """Let the user choose what happens outside the trained range; the model's own way stands first."""
    own = found.model.extrapolation
    offered = [own, *(policy for policy in EXTRAPOLATION if policy != own)]
    words = OUTSIDE | {own: f"{OUTSIDE[own]} (as trained)"}
    chosen = pick("Outside the trained range", offered, "outside", _POLICIES, usual=own, words=words.__getitem__)
    if chosen == own:
        return found
    return _Model(f"{found.digest} {chosen}", replace(found.model, extrapolation=chosen))


def _draw_needs(model: FittedPipeline) -> None:
    columns = dict.fromkeys(m.name.partition("=")[0] if "=" in m.name else str(m) for m in model.metrics)
    st.markdown(
        f"Predicts **{literal(model.response)}** from {literal(predictors(model.names))}: "
        f"{literal(listed(columns, 8))}. The CSV needs a column for each, in any order."
    )


def _draw_predictions(chosen: _Model) -> None:
    help = (
        "A CSV with a column for every metric of the model, or a file of the kind that it was learnt from, such as a "
        "profiler's. With the response too, the predictions are scored."
    )
    rows = as_source(st.file_uploader("Rows to predict", key="upload_rows", help=help))
    facts = choose_facts("predict")
    if rows is None:
        return
    key, title = key_of(chosen.digest, *(file and sha256(file) for file in (rows, *facts))), f"Predicting {rows.name}"
    found = computed("predict", title, key, lambda _: predict_file(chosen.model, rows, *facts), shelf=_PREDICTED)
    if found is not None:
        _draw_cards(found)
        _draw_table(found, rows.name)
        draw_nearest(found, chosen.model)
        draw_drift(found, chosen.model)
        _draw_chart(found, chosen.model, rows.name)


def _draw_cards(found: PredictedRows) -> None:
    with st.grid(6, min_column_width=140):
        st.metric("Rows", f"{len(found):,}", border=True, help="One prediction per row of the file.")
        help = (
            "Rows with every metric inside the range that the model learnt from, and all of them together no "
            "farther from its centre than any trained trial. Be careful with the others."
        )
        st.metric("In range", f"{found.n_in_domain:,}", border=True, help=help)
        st.metric("Refused", f"{found.n_refused:,}", border=True, help="Rows without a prediction; the table says why.")
        if found.scores is not None:
            s = found.scores
            st.metric("Median error", percent(s.median_ape), border=True, help="Half of the predictions are closer.")
            st.metric("Mean error", percent(s.mape), border=True, help="Mean absolute error (MAPE).")
            st.metric("R²", number(s.r2, 3), border=True, help="1 is perfect; below 0 is useless.")
            if s.coverage_90 is not None:
                st.metric("In 90 % interval", percent(s.coverage_90), border=True, help="Near 90 is right.")


def _draw_table(found: PredictedRows, name: str) -> None:
    values = found.frame()
    if _ROW not in values.columns:
        values.insert(0, _ROW, range(1, len(values) + 1))
    if len(values) > _SHOWN_ROWS:
        st.caption(f"The first {_SHOWN_ROWS:,} rows are shown; the download has all.")
    first = [c for c in values.columns if c in (_ROW, *COLUMNS)]
    order = [*first, *(c for c in values.columns if c not in first)]
    shown = large_as_texts(values.head(_SHOWN_ROWS))
    alt = "Predictions beside the file's columns"
    known = {"column_order": order, "column_config": _COLUMNS}
    table(shown, key="predictions", alt=alt, download=False, digits=4, **known)
    file = f"{name} predictions.csv"
    download("Predictions as CSV", lambda: found.to_csv().encode(), file, "download_predictions", type="primary")


def _draw_chart(found: PredictedRows, model: FittedPipeline, name: str) -> None:
    outcome = rows_outcome(found, model, name)
    if outcome is None:
        missing = "The file has no column" if found.observed is None else "No row has both a prediction and a value of"
        st.caption(f"{missing} {literal(found.response.name)}, so nothing can be scored.")
        return
    st.markdown("**Predicted over measured**")
    show(predicted_actual(outcome), key="predicted_measured")
