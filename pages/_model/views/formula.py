"""The view of the formula beside its curves: every weight, and what the model was made from."""

import pandas as pd
import streamlit as st

from core.export.formula import latex_lines
from core.pipeline import FittedPipeline
from core.report.figures.effects import effect_curve
from core.report.model.contributions import ranked_terms
from core.report.model.effects import OTHERS
from core.report.model.formula import formula, is_formula, notation
from core.report.model.rounds import has_rounds
from core.report.model.summary import knots_table
from pages._model.shown import Shown, choose_cluster
from pages._model.values import effects_of
from pages._ui.drawn import count, download, literal, noted, show, table

TITLE, PLACE = "Formula", 7

_BESIDE, _LETTERS = 4, 54
"""Curves beside the terms, and letters in a line of the formula."""


def draw(shown: Shown) -> None:
    """Draw the formula beside the curves of its metrics, its terms by what they move, the clusters and the notes."""
    model, frame = shown.model, shown.frame
    with st.grid(2, min_column_width=480):
        with st.container(gap="small"):
            _written(model)
            cluster = choose_cluster(model) if is_formula(model) else 0
        left, right = st.columns(2, gap="medium")
        with left:
            _ranked(ranked_terms(model, model.rows(frame), cluster))
        with right:
            value = effects_of(model, frame, OTHERS[0], shown.key)
            help = "The metrics that move the prediction most; Effects has all."
            st.header("Largest effects", anchor=False, help=help)
            with st.grid(2, min_column_width=250, gap="small"):
                for i, curve in enumerate(value.moving[:_BESIDE]):
                    show(effect_curve(value, curve), f"formula_effect_{i}", download=False)
    _knots(model, cluster)
    for i, member in enumerate(model.clusters):
        if len(model.clusters) > 1:
            note = f": {member.note}" if member.note else ""
            st.markdown(literal(f"Cluster {i + 1}, {count(member.n_trials, 'trial')}{note}."))
    for note in noted(model.notes):
        st.caption(literal(note))


def _written(model: FittedPipeline) -> None:
    """Draw the formula as it is printed where it is one, and as text that can be copied."""
    value = formula(model)
    if printed := is_formula(model):
        st.latex(f"\\begin{{aligned}}\n{latex_lines(model, _LETTERS, defined=False)}\n\\end{{aligned}}")
        if named := [v.title for v in value.variables if v.title != v.name]:
            st.caption(literal("; ".join(named)))
    for said in notation(model):
        st.caption(said)
    with st.expander("Every weight and variable, as text", key="formula_all", expanded=not printed):
        st.code(value.text(), language=None, wrap_lines=True)
        download("Formula as text", value.text(), "formula.txt", "formula_text")


def _ranked(ranked: pd.DataFrame | None) -> None:
    if ranked is None:
        return
    st.header("Terms, largest first", anchor=False)
    st.caption("How far each moves the predictions of the training trials, in standard deviations of these.")
    table(ranked, "ranked_terms", alt=f"Terms by what they move; the largest is {ranked['term'].iloc[0]}", digits=3)


def _knots(model: FittedPipeline, cluster: int) -> None:
    shown = knots_table(model, cluster) if has_rounds(model) else None
    if shown is None:
        return
    st.header("What the splines add at their knots", anchor=False)
    st.caption("Every term is 0 at its first knot. Between knots it is the natural cubic spline through these values.")
    table(shown, "knots", alt="What each term adds at each of its knots")
