"""The view of two models: where they disagree most, and who was closer."""

import streamlit as st

from core.race import disagreement
from core.race.versus import of_validations
from core.report.compare.race_detail import disagreement_table
from core.report.compare.versus import versus_sentence
from core.report.figures.workloads import disagreement_dots
from pages._compare.one import choose
from pages._compare.result import Result
from pages._ui.charts import table
from pages._ui.pictures import show
from pages._ui.text import literal


def draw(result: Result) -> None:
    """Let the user choose two models and draw the workloads of which they say the most different things."""
    if len(result.able) < 2:
        st.info("Two models are needed to compare them; the standings say what could be run.")
        return
    names = [line.entry for line in result.able if line.entry != result.race.winner]
    others = [name for name in names if result.race.together(name) is None] or names
    with st.grid(2, min_column_width=220):
        first = choose(result, "First model", "first_model", result.race.winner)
        second = choose(result, "Second model", "second_model", others[0])
    if first == second:
        st.info("Choose two different models.")
        return
    labels = {line.entry: line.label for line in result.able}
    a, b, validations = labels[first], labels[second], (result.validation(first), result.validation(second))
    paired = of_validations(result.frame, *validations, result.race.folds)
    st.markdown(literal(versus_sentence(paired, a, b)))
    found = disagreement(result.frame, *validations)
    st.caption(
        literal(
            "Where models of different kinds agree, a prediction can be trusted more; where they do not, measure. "
            f"These are the {len(found.rows)} held-out workloads that the two differ in most."
        )
    )
    show(disagreement_dots(found, result.frame, a, b, result.log), "disagreement", download=False)
    shown = disagreement_table(found, result.frame, a, b)
    columns = {"workload": st.column_config.TextColumn(width="medium")}
    alt = "Workloads on which the two models differ most"
    table(shown, "race_disagreement", alt=alt, digits=4, column_config=columns)
