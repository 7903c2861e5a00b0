"""The view of scores: training beside held out, and random folds beside honest ones."""

import streamlit as st

from core.report.figures.effects import score_bars
from core.report.shared.scorecard import INTERVALS, folds_in_words, score_card
from pages._model.shown import Shown
from pages._ui.choices import switch
from pages._ui.drawn import show, table

TITLE, PLACE = "Scores", 6

_COMPARED = {"median error": "median_ape", "mean error": "mape", "within 20 %": "inliers_20", "R²": "r2"}


def draw(shown: Shown) -> None:
    """Draw one score over all validations, random folds beside so that their optimism shows, and all in a table."""
    training, tested = shown.training, shown.tested
    known = [t for t in (tested, shown.on_random_folds()) if t is not None and t.chosen is not None]
    columns = {"training": training.scores}
    columns |= {folds_in_words(str(t.plan)): t.chosen.scores for t in known if t.chosen is not None}
    card = score_card(columns, training.response)
    st.caption(
        "Training scores flatter: the model has seen those trials. Random folds flatter too, since close relatives "
        "of a held-out trial stay in training. Left-out applications or machines are the honest question."
    )
    texts = list(_COMPARED)
    show(score_bars(card, _COMPARED[switch("Score", texts, "score")]), "score_bars", download=False)
    alt = "Every score, training beside held out"
    four = st.column_config.NumberColumn(format="%,.4g")
    table(card.table(), "score_card", alt=alt, column_config=dict.fromkeys(columns, four))
    if tested.chosen is not None:
        st.caption(f"90 % intervals of the chosen test: {INTERVALS[tested.chosen.method]}.")
    if not known:
        st.info("Nothing has been held out yet: these are training scores alone.")
