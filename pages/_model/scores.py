"""The view of scores: training beside held out, and random folds beside honest ones."""

import streamlit as st

from core.report.figures import score_bars
from core.report.outcome import Outcome
from core.report.scorecard import folds_in_words, score_card
from pages._model.tested import Tested
from pages._ui.charts import table
from pages._ui.columns import short_numbers
from pages._ui.pictures import show

_COMPARED = {"median_ape": "Median error", "mape": "Mean error (MAPE)", "inliers_20": "Within 20 %", "r2": "R²"}


def draw(training: Outcome, tested: Tested) -> None:
    """Draw one score over all validations, and all scores in a table."""
    columns = {"training": training.scores}
    columns |= {folds_in_words(folds): found.scores for folds, found in tested.found.items()}
    card = score_card(columns, training.response)
    st.caption(
        "Training scores flatter: the model has seen those trials. Random folds flatter too, since close relatives "
        "of a held-out trial stay in training. Left-out applications or machines are the honest question."
    )
    field = st.segmented_control(
        "Score", list(_COMPARED), default="median_ape", required=True, format_func=_COMPARED.__getitem__,
        key="score", bind="query-params",
    )  # fmt: skip
    show(score_bars(card, field or "median_ape"), "score_bars", download=False)
    shown = card.table()
    alt = "Every score, training beside held out"
    table(shown, "score_card", alt=alt, column_config=short_numbers(shown, 4))
    if len(tested.found) == 0:
        st.info("Nothing has been held out yet: these are training scores alone.")
