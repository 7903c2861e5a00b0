"""The part of the Explore page about trials: where they stand on two components, and which they are."""

import streamlit as st

from core.report.figures.components import scores_scatter
from core.report.shared.grouping import MOST_COLOURS, Colour, group, group_by_label, shade_by_response
from core.report.shared.naming import grouping_labels
from core.report.shared.outcome import trial_table
from core.report.trials.clusters import Clusters
from core.report.trials.components import Components
from core.trial import Frame
from pages._explore.values import names_of
from pages._ui.charts import table
from pages._ui.choices import drop_unknown, pick, pick_several
from pages._ui.columns import short_numbers
from pages._ui.pictures import chosen_rows, show
from pages._ui.text import count, literal, short

CLUSTER, RESPONSE, NOTHING = "cluster", "response", "nothing"
_MOST_SHOWN = 500


def draw(frame: Frame, value: Components, found: Clusters) -> None:
    """Draw the trials on two components, and the chosen ones in a table."""
    x, y, colour = _choices(frame, value, found)
    event = show(scores_scatter(value, x, y, names_of(frame), colour), "scores", select=True)
    rows = chosen_rows(event)
    if not rows:
        st.caption(
            "Axes are in standard deviations (sd). "
            "Click a point, or draw a box around some, to see which trials they are."
        )
        return
    st.subheader(f"{count(len(rows), 'chosen trial')}", anchor=False)
    if len(rows) > _MOST_SHOWN:
        st.caption(f"The first {_MOST_SHOWN} of them.")
    shown = trial_table(frame, rows[:_MOST_SHOWN])
    alt = "The chosen trials with their metrics"
    table(shown, "chosen_trials", alt=alt, column_config=short_numbers(shown, 6))


def _choices(frame: Frame, value: Components, found: Clusters) -> tuple[int, int, Colour | None]:
    columns = st.columns(3)
    titles = dict(zip(value.names, value.titles, strict=True))
    with columns[0]:
        x = _axis("Across", "x", value.names, titles, 0)
    with columns[1]:
        y = _axis("Up", "y", value.names, titles, 1 if x == 0 and len(value) > 1 else 0)
    with columns[2]:
        colour = _colour(frame, found)
    return x, y, colour


def _axis(label: str, key: str, names: tuple[str, ...], titles: dict[str, str], index: int) -> int:
    """Let the user choose a component by its title; the URL holds its short name alone."""
    drop_unknown(key, names)
    linked = st.query_params.get(key)
    first = names.index(linked) if linked in names else index
    said = {name: short(title, 70) for name, title in titles.items()}
    chosen = st.selectbox(label, names, index=first, key=key, format_func=lambda name: said.get(name, name))
    place = names.index(chosen) if chosen in names else index
    if place != index:
        st.query_params[key] = names[place]
    elif linked is not None:
        del st.query_params[key]
    return place


def _colour(frame: Frame, found: Clusters) -> Colour | None:
    labels = grouping_labels(frame)
    offered = (CLUSTER, *labels, RESPONSE, NOTHING)
    chosen = pick("Colour", offered, "colour")
    if chosen == CLUSTER:
        return group("cluster", found.texts)
    if chosen == RESPONSE:
        return shade_by_response(frame)
    return group_by_label(frame, chosen, _highlight(frame, chosen)) if chosen in labels else None


def _highlight(frame: Frame, label: str) -> tuple[str, ...]:
    """Let the user choose which values get a colour, where there are more than colours."""
    values = sorted({text or "(none)" for text in frame.labels[label]})
    if len(values) <= MOST_COLOURS:
        return ()
    chosen = pick_several(
        "Highlight",
        values,
        "highlight",
        literal(f"There are {len(values)}, and colours for {MOST_COLOURS} at a time."),
        max_selections=MOST_COLOURS,
        placeholder="The most frequent ones",
    )
    return chosen
