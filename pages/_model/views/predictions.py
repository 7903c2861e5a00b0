"""The view of predictions beside measurements: the diagonal, and the trials that are chosen on it."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.figures.outcome import predicted_actual
from core.report.model.formula import formula, is_formula
from core.report.model.why import nearest_table
from core.report.shared.naming import MOST_COLOURS, Colour, group, group_by_label, grouping_labels
from core.report.shared.outcome import Outcome, outcome_table
from pages._model.shown import Shown
from pages._ui.choices import pick, toggle
from pages._ui.drawn import chosen_rows, count, literal, show, table

TITLE, PLACE = "Predictions", 1

NOTHING, CLUSTER = "nothing", "cluster"
_MOST_SHOWN, _MOST_LETTERS = 500, 900


def draw(shown: Shown) -> None:
    """Draw predicted over measured, the chosen trials, and the formula in short."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        value = shown.choose_outcome()
        colour = choose_colour(shown, value, "shade")
        help = "Each made from the errors of other folds; nine in ten should reach the diagonal."
        intervals = value.has_intervals and toggle("90 % intervals", "intervals", help)
    with st.grid(2, min_column_width=480):
        with st.container(gap="small"):
            event = show(predicted_actual(value, colour, intervals), "predicted_actual", select=True)
            st.caption(
                "On the line a prediction is right; between the dotted lines it is within 20 %. "
                "Click a point, or draw a box with the tool above the picture, to see which trials they are."
            )
        with st.container(gap="small"):
            _write(shown.model)
    rows = chosen_rows(event)
    if rows:
        places = value.places_of(rows)
        st.header(count(len(places), "chosen trial"), anchor=False)
        chosen = outcome_table(value, shown.frame, places[:_MOST_SHOWN])
        table(chosen, "chosen_outcomes", alt="The chosen trials, measured and predicted")
        _draw_nearest(shown, value, int(places[0]))


def _write(model: FittedPipeline) -> None:
    """Write the formula in short."""
    written = is_formula(model)
    st.header("The formula" if written else "The model", anchor=False)
    text = formula(model).short_text()
    text = text if len(text) <= _MOST_LETTERS else f"{text[: text.rfind(' ', 0, _MOST_LETTERS)]} …"
    st.text(text)  # a block of code takes longer to mount than all other texts of the page
    st.caption(
        "The Formula view has it whole, and says what each variable is made of, in the metrics' own units."
        if written
        else "This family has no formula to read; the Effects view shows how each metric moves the prediction."
    )


def _draw_nearest(shown: Shown, value: Outcome, place: int) -> None:
    """Show which trials that the model keeps are most like the first chosen one."""
    model, row = shown.model, shown.model.rows(shown.frame)[int(value.rows[place])]
    why = model.domain.outside(row[None], model.names).get(0, "")
    near = nearest_table(model, row)
    if not len(near):
        return
    st.markdown(literal(f"Trials that are most like {value.names[place]}" + (f" (outside: {why})" if why else "")))
    table(near, "nearest_outcomes", alt="Nearest trials that the model keeps")
    st.caption("A distance of 1 is a standard deviation of the trained trials; the model keeps up to 200 of them.")


def choose_colour(shown: Shown, value: Outcome, key: str) -> Colour | None:
    """Let the user choose what the points of an outcome are coloured by."""
    model, frame = shown.model, shown.frame
    labels = grouping_labels(frame)
    offered = (NOTHING, *((CLUSTER,) if model.partition is not None else ()), *labels)
    chosen = pick("Colour", offered, key, words=_coloured_by, label_visibility="collapsed", width=180)
    if chosen == CLUSTER:
        assigned = model.assign(model.scores(model.rows(frame)))
        return group("cluster", tuple(f"cluster {i + 1}" for i in assigned)).take(value.rows)
    if chosen not in labels:
        return None
    whole = group_by_label(frame, chosen)
    if whole.n_others:
        st.caption(literal(f"The {MOST_COLOURS - 1} most frequent have a colour."))
    return whole.take(value.rows)


def _coloured_by(name: str) -> str:
    return "One colour" if name == NOTHING else f"Coloured by {name}"
