"""The Trials view: where they stand on two components, why, and which they are."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from core.report.figures.components import axis_loadings, scores_scatter
from core.report.shared import naming
from core.report.shared.outcome import trial_table
from core.report.trials.components import Clusters, Components, telling
from core.trial import Frame
from pages._explore.values import Shown, names_of, usual_clusters
from pages._ui.choices import pick, pick_several
from pages._ui.drawn import chosen_rows, count, literal, short, show, table
from pages._ui.jobs import key_of

TITLE, PLACE = "Trials", 1

CLUSTER, RESPONSE, NOTHING = "cluster", "response", "nothing"
SCATTER, LOADINGS, MEMBERS = "scores", "axis_loadings", "chosen_trials"
_MOST_SHOWN = 500


def draw(shown: Shown) -> None:
    """Draw the trials and the metrics on two components, and the chosen trials in a table; each follows the others.

    The axes begin with those that tell the usual clusters apart, and stay as the number of clusters moves.
    """
    frame, value = shown.frame, shown.components
    scatter, loadings = f"{SCATTER} {frame.digest()}", f"{LOADINGS} {key_of(frame.digest(), value.metric_names)}"
    with shown.controls:
        order = telling(value.scores, shown.clusters(usual_clusters(frame)).assigned)
        x, y, colour = _choices(frame, value, shown.clusters(), order)
    metrics = chosen_rows(st.session_state.get(loadings))
    if metrics:
        colour = naming.shade(value.metrics[metrics[0]], frame.X[:, frame.names.index(value.metric_names[metrics[0]])])
    rows = chosen_rows(st.session_state.get(scatter))
    members = f"{MEMBERS} {key_of(frame.digest(), rows)}"
    marked = [rows[i] for i in _rows_of_table(members)]
    with st.grid(2, min_column_width=480):
        with st.container(gap="small"):
            show(scores_scatter(value, x, y, names_of(frame), colour, marked), scatter, select=True)
        if len(value) > 1:
            show(axis_loadings(value, x, y, rows), loadings, select=True, download=False)
    if not rows:
        st.caption(
            "Axes are in standard deviations (sd). Choose trials (a click, with Shift several, or a box with the "
            "tool above the picture) to list them and to see which metrics set them apart; choose a metric among the "
            "loadings to colour the trials by it."
        )
        return
    st.header(f"{count(len(rows), 'chosen trial')}", anchor=False)
    if len(rows) > _MOST_SHOWN:
        st.caption(f"The first {_MOST_SHOWN} of them.")
    alt = "The chosen trials with their metrics; a row that is chosen has a ring in the scatter plot"
    listed = trial_table(frame, rows[:_MOST_SHOWN])
    table(listed, members, alt=alt, digits=6, on_select="rerun", selection_mode="multi-row")


def _rows_of_table(key: str) -> tuple[int, ...]:
    event: Any = st.session_state.get(key)
    return tuple(event["selection"]["rows"]) if event else ()


def _choices(
    frame: Frame, value: Components, found: Clusters, order: Iterable[int]
) -> tuple[int, int, naming.Colour | None]:
    best = [value.names[i] for i in order]
    x = _axis("Horizontal axis", "x", value, list(value.names), best)
    y = _axis("Vertical axis", "y", value, [name for name in value.names if name != x] or [x], best)
    return value.names.index(x), value.names.index(y), _colour(frame, found)


def _axis(label: str, key: str, value: Components, names: list[str], best: list[str]) -> str:
    """Let the user choose a component by its title, the one that tells clusters apart best to begin with.

    The URL holds its short name alone.
    """
    titles = dict(zip(value.names, value.titles, strict=True))
    usual = next(name for name in best if name in names)
    return pick(label, names, key, usual=usual, words=lambda name: short(naming.fewer(titles[name], 30), 70))


def _colour(frame: Frame, found: Clusters) -> naming.Colour | None:
    labels = naming.grouping_labels(frame)
    offered = (CLUSTER, *labels, RESPONSE, NOTHING)
    chosen = pick("Colour", offered, "colour", words=str.capitalize)
    if chosen == CLUSTER:
        return naming.group("cluster", found.texts)
    if chosen == RESPONSE:
        return naming.shade_by_response(frame)
    return naming.group_by_label(frame, chosen, _highlight(frame, chosen)) if chosen in labels else None


def _highlight(frame: Frame, label: str) -> tuple[str, ...]:
    """Let the user choose which values get a colour, where there are more than colours."""
    values = sorted({text or "(none)" for text in frame.labels[label]})
    if len(values) <= naming.MOST_COLOURS:
        return ()
    help = literal(f"There are {len(values)}, and colours for {naming.MOST_COLOURS} at a time.")
    most: dict[str, Any] = {"max_selections": naming.MOST_COLOURS, "placeholder": "The most frequent ones"}
    return pick_several("Highlight", values, "highlight", help, **most)
