"""The answer of the Model page in one row: how far the model is off on what it has not seen, and in training."""

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.pipeline import FittedPipeline
from core.report.model.summary import FitSummary, fit_summary, words_on_scale
from core.report.shared.scorecard import fold_spread, honest_sentence, unseen
from core.trial import Frame
from core.validate.scores import Scores
from core.validate.verdict import WHOLE
from pages._model.shown import Shown
from pages._model.values import untold_of
from pages._ui.choices import WHERE, in_url, set_url
from pages._ui.database import kept
from pages._ui.drawn import count, literal, number, percent


def say_alike(frame: Frame) -> None:
    """Say that trials of several names are alike in every metric, and offer to model those of one name."""
    found = untold_of(frame)
    if found is None:
        return
    names = list(found.names)
    st.info(
        literal(
            f"These are trials of {count(len(names), found.role)} with the same metrics, so no model can tell them "
            f"apart: it predicts something between them. Model one {found.role} at a time."
        ),
        icon=":material/filter_alt:",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(f"One {found.role}", names, key="untold", width=320) or names[0]
        if st.button("Model it alone", key="model_one", type="primary"):
            set_url(WHERE, [*in_url(WHERE), f"{found.role}={chosen}"])
            st.rerun()


@kept(lambda shown: shown.key, 64)
def _summary(shown: Shown) -> FitSummary:
    return fit_summary(shown.model, shown.frame)


def draw(shown: Shown) -> DeltaGenerator:
    """Draw the error on held-out trials in three measures and that of the trained ones; return a place beside them."""
    model, frame, tested = shown.model, shown.frame, shown.tested
    summary, chosen = _summary(shown), tested.chosen
    held_out, new = (None if chosen is None else chosen.scores), unseen(str(tested.plan))
    spread = None if chosen is None else fold_spread(s.mape for s in chosen.by_fold(frame.y))
    apart = "" if spread is None else f" The folds differ by {percent(spread)} (standard deviation)."
    with st.grid(6, min_column_width=108, gap="small"):
        _card("Mean error", held_out, "mape", f"MAPE over {new}.{apart}")
        _card("Median error", held_out, "median_ape", f"Over {new}: half of the predictions are closer.")
        factor = None if held_out is None or held_out.log_error is None else math.exp(held_out.log_error)
        _figure(
            "Typical factor",
            "…" if held_out is None else "–" if factor is None else f"× {factor:,.{2 if factor < WHOLE else 0}f}",
            f"Between predicted and measured, over {new}; too high and too low count alike.",
        )
        _card("In training", shown.training.scores, "mape", "MAPE over the trials that the model learnt from.")
        more = f"{summary.counted} {_explained(model, summary)}"
        _figure(f"{summary.noun.capitalize()}s", str(summary.n_terms), more)
        return st.container()


def sentence(shown: Shown) -> str:
    """Return in words how good the model is on what it has not seen; "" while nobody knows."""
    chosen = shown.tested.chosen
    return "" if chosen is None else honest_sentence(str(shown.tested.plan), chosen.scores, shown.training.scores)


def _explained(model: FittedPipeline, summary: FitSummary) -> str:
    made_of = count(len(model.features), "component" if model.loadings.size else "metric")
    verb = "explains" if summary.n_terms == 1 else "explain"
    of = f"of {len(model.features)}" if summary.noun == "metric" else f"of {made_of}"
    return (
        f"{count(summary.n_terms, summary.noun)} {of} {verb} {number(100 * summary.r2, 3)} % of the variance of "
        f"{words_on_scale(model)} over {count(summary.n_trials, 'trial')} (training R²)."
    )


def _card(label: str, scores: Scores | None, field: str, help: str) -> None:
    _figure(label, "…" if scores is None else percent(getattr(scores, field)), help)


def _figure(label: str, value: str, help: str) -> None:
    st.metric(label, value, help=literal(help))
