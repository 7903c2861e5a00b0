"""The head of the Model page: how good the model is where it matters, and how it got there, in one glance."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.on_scale import words_on_scale
from core.report.outcome import Outcome
from core.report.scorecard import honest_sentence, unseen
from core.report.summary import fit_summary
from core.trial import Frame
from core.validate.scores import Scores
from pages._model.tested import Tested
from pages._ui.text import count, literal, number, percent

_NOUNS = {
    "term": "Terms of the formula, over all clusters.",
    "effect": "Curves of one metric and surfaces of two that explain at least 0.1 % each.",
    "metric": "Metrics that the model uses; it has no formula whose terms could be counted.",
}


def draw(model: FittedPipeline, frame: Frame, training: Outcome, tested: Tested) -> None:
    """Draw the honest error beside the training error, and say both in words."""
    summary = fit_summary(model, frame)
    held_out = tested.chosen.scores if tested.chosen is not None else None
    new = unseen(str(tested.plan))
    half = f"Median over {new}: half of the predictions are closer."
    fifth = f"Share of predictions within a fifth of the truth, for {new}."
    with st.grid(4, min_column_width=140, gap="small"):
        _card("Error on the unseen", held_out, "median_ape", half)
        _card("Within 20 %", held_out, "inliers_20", fifth)
        _card("Error in training", training.scores, "median_ape", "Median over the trials that the model learnt from.")
        st.metric(f"{summary.noun.capitalize()}s", summary.n_terms, help=_NOUNS[summary.noun], border=True)
    if held_out is not None:
        st.markdown(literal(honest_sentence(str(tested.plan), held_out, training.scores)))
    scale = words_on_scale(model)
    made_of = count(len(model.features), "component" if model.loadings.size else "metric")
    verb = "explains" if summary.n_terms == 1 else "explain"
    of = f"of {len(model.features)}" if summary.noun == "metric" else f"of {made_of}"
    st.caption(
        literal(
            f"{count(summary.n_terms, summary.noun)} {of} {verb} {number(100 * summary.r2, 3)} % of the variance of "
            f"{scale} over {count(summary.n_trials, 'trial')} (training R²)."
        )
    )


def _card(label: str, scores: Scores | None, field: str, help: str) -> None:
    value = None if scores is None else getattr(scores, field)
    st.metric(label, "…" if scores is None else percent(value), help=literal(help), border=True)
