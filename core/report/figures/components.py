"""Components and groups as pictures: what each explains and is made of, where trials stand, how many groups."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from core.codec import FloatArray, IntArray
from core.report.figures import draw
from core.report.figures.draw import ACCENT, GREY, Picture, name, whole
from core.report.figures.points import Points, add_points
from core.report.figures.trials import signed_map
from core.report.shared.naming import Colour, fewer, telling
from core.report.trials.components import ClusterChoice, Components

MOST_METRICS = 60
_NAMED = 6
"""So many metrics, of the strongest loadings, have their name beside them."""
_LETTER, _LINE = 0.05, 0.1
"""As wide is a letter and as high a line in units of loadings, in a window of 390 pixels."""
_TITLE_PX = 30
"""A panel's title above it."""


def scree(value: Components) -> Picture:
    """Draw the share of the variance per component, its running sum, and how many are kept."""
    percent = 100 * value.explained
    shown = min(len(percent), max(12, len(value) + 4), 60)
    number = list(range(1, shown + 1))
    together = np.cumsum(percent)
    kept = len(value)
    up = {"title_text": "explained variance (%)", "range": [0, 112], "tickvals": [0, 20, 40, 60, 80, 100]}
    figure = draw.new_figure(340, {"title_text": "component, before rotation", "dtick": 1 if shown <= 20 else 5}, up)
    draw.bars(figure, number, percent[:shown], "each", hover="component %{x}: %{y:.1f} %")
    draw.curve(figure, number, together[:shown], "together", hover="first %{x}: %{y:.1f} %")
    line, place = {"dash": "dash", "color": GREY, "width": 1.5}, "top right" if kept <= shown / 2 else "top left"
    said = f"{kept} kept: {100 * value.kept_share:.1f} %"
    figure.add_vline(x=kept + 0.5, line=line, annotation_text=said, annotation_position=place)
    alt = (
        f"Scree plot: the first component explains {percent[0]:.1f} % of the metrics' variance; the {kept} "
        f"kept ones explain {100 * value.kept_share:.1f} % together; there are {len(percent)}."
    )
    table = {"component": range(1, len(percent) + 1), "explained (%)": percent, "together (%)": together}
    return Picture(figure, alt, lambda: pd.DataFrame(table))


def loadings_map(value: Components, show: str = "both") -> Picture:
    """Draw the correlation of each metric with each component, "after" rotation, "before" it, or "both".

    Metrics stand in the order of the component (after rotation) that they load most.
    """
    order, note = _metric_order(value)
    names = [value.metric_names[j] for j in order]
    places = list(range(len(order)))
    plain = tuple(f"PC{j + 1}" for j in range(len(value)))
    panels = [("after", value.after, value.names, value.titles), ("before", value.before, plain, plain)]
    panels = [p for p in panels if show in (p[0], "both")] if value.rotated else panels[:1]
    titled = {"subplot_titles": [title for title, *_ in panels] if value.rotated else None}
    figure = make_subplots(rows=1, cols=len(panels), shared_yaxes=True, horizontal_spacing=0.03, **titled)
    height = max(260, min(1100, 90 + 15 * len(order)))
    draw.style(figure, height)
    for column, (_, loadings, columns, titles) in enumerate(panels, start=1):
        hover = [[f"{whole(m)}<br>{whole(t)}" for t in titles] for m in names]
        trace = signed_map(loadings[order], columns, places, hover, "loading")
        trace.showscale = column == len(panels)
        trace.colorbar.y = 1 + (_TITLE_PX / height if value.rotated else 0)  # above the title of its panel
        figure.add_trace(trace, row=1, col=column)
    figure.update_xaxes(showgrid=False, tickangle=-60 if len(value) > 8 else 0)
    figure.update_yaxes(**draw.DOWN, showgrid=False)
    figure.update_yaxes(tickvals=places, ticktext=[name(m, 40) for m in telling(names, 24)], col=1)
    return Picture(figure, _loadings_alt(value), lambda: _loadings_table(value), note)


def scores_scatter(
    value: Components, x: int, y: int, trials: tuple[str, ...], colour: Colour | None = None, marked: Sequence[int] = ()
) -> Picture:
    """Draw where trials stand on two components (numbers from 0); points can be selected.

    Parameters
    ----------
    value : the components
    x, y : numbers of the two
    trials : a name per trial
    colour : what tells the trials apart; None draws all alike
    marked : trials with a ring around them
    """
    axes = (f"{name(fewer(value.titles[k], 42), 42)} (sd)" for k in (x, y))
    figure = draw.numbers_figure(470, *axes, dragmode="pan")
    points = Points(value.scores[:, x], value.scores[:, y], trials, np.arange(len(trials)))
    note = add_points(figure, points, colour)
    if len(marked):
        ring = {"symbol": "circle-open", "size": 15, "color": ACCENT, "line": {"width": 3}}
        rows = list(marked)
        draw.dots(figure, points.x[rows], points.y[rows], "marked", hover=None, marker=ring, showlegend=False)
    by = "" if colour is None else f", coloured by {_colour_name(colour)}"
    alt = f"Scatter plot of {len(trials)} trials over {value.titles[x]} and {value.titles[y]}{by}."
    return Picture(figure, alt, lambda: _scores_table(value, x, y, trials, colour), note)


def axis_loadings(value: Components, x: int, y: int, rows: Sequence[int] = ()) -> Picture:
    """Draw the loadings of the metrics on two components, each metric a point that can be selected.

    Parameters
    ----------
    rows : chosen trials; the metrics are coloured by how far these are off the mean
    """
    across, up = value.after[:, x], value.after[:, y]
    length = np.hypot(across, up)
    named = _with_room(
        across, up, np.argsort(-length, kind="stable")[:_NAMED], [name(m, 40) for m in telling(value.metric_names, 18)]
    )
    axes = ({"title_text": f"loading on {value.names[k]}", "range": [-1.05, 1.05], "zeroline": True} for k in (x, y))
    figure = draw.numbers_figure(470, *axes, dragmode="pan", showlegend=False)
    look: dict[str, Any] = {"size": 9, "color": ACCENT}
    if len(rows):
        apart = value.apart(rows)
        look |= {"color": apart, "colorscale": "RdBu_r", "cmid": 0, "line": {"width": 1, "color": GREY}}
        look["colorbar"] = draw.colour_bar("chosen trials, sd from the mean")
    texts = [name(m, 40) if j in named else "" for j, m in enumerate(telling(value.metric_names, 18))]
    shown: dict[str, Any] = {"marker": look, "cliponaxis": False, "unselected": {"marker": {"opacity": 0.4}}}
    shown["textposition"] = ["middle left" if x > 0 else "middle right" for x in across]
    shown |= {"hovertext": [whole(m) for m in value.metric_names], "customdata": np.arange(len(across))}
    draw.dots(figure, across, up, None, texts, "%{hovertext}: %{x:.2f}, %{y:.2f}", mode="markers+text", **shown)
    top = ", ".join(value.metric_names[j] for j in np.argsort(-length, kind="stable")[:3])
    alt = f"Loadings of {len(across)} metrics on {value.names[x]} and {value.names[y]}; the strongest are {top}."
    return Picture(figure, alt, lambda: _loadings_table(value))


def _with_room(x: FloatArray, y: FloatArray, order: IntArray, names: Sequence[str]) -> set[int]:
    """Return which points, by preference, have their name beside them such that none lies on another, on a phone, too.

    Names stand left of points on the right, and right of the others.
    """
    taken: list[tuple[int, float, float]] = []
    for j in order.tolist():
        wide = _LETTER * len(names[j])
        left = float(x[j]) - (wide if x[j] > 0 else 0.0)
        if all(abs(y[j] - y[k]) > _LINE or left > b or left + wide < a for k, a, b in taken):
            taken.append((j, left, left + wide))
    return {j for j, _, _ in taken}


def _colour_name(colour: Colour) -> str:
    return colour.label if hasattr(colour, "label") else str(colour.metric)


def _metric_order(value: Components) -> tuple[IntArray, str]:
    top = np.abs(value.after).argmax(axis=1)
    strength = np.abs(value.after).max(axis=1)
    order = np.lexsort([-strength, top])
    if len(order) <= MOST_METRICS:
        return order, ""
    strongest = set(np.argsort(-strength, kind="stable")[:MOST_METRICS].tolist())
    note = f"The {MOST_METRICS} of {len(order)} metrics that load a component most; the download has all."
    return np.array([j for j in order if j in strongest]), note


def _loadings_alt(value: Components) -> str:
    when = "after varimax and before" if value.rotated else "without rotation"
    head = f"Heat map of the loadings of {len(value.metrics)} metrics on {len(value)} components {when}"
    return f"{head}. {'; '.join(value.titles[:4])}."


def _loadings_table(value: Components) -> pd.DataFrame:
    head = pd.DataFrame({"metric": [str(m) for m in value.metrics], "scale": list(value.scales)})
    before = pd.DataFrame(value.before, columns=[f"PC{j + 1}" for j in range(len(value))])
    after = pd.DataFrame(value.after, columns=list(value.names))
    return pd.concat([head, after, before] if value.rotated else [head, before], axis=1)


def _scores_table(value: Components, x: int, y: int, trials: tuple[str, ...], colour: Colour | None) -> pd.DataFrame:
    table = pd.DataFrame({"trial": trials, value.titles[x]: value.scores[:, x]})
    table[value.titles[y] if y != x else "the same"] = value.scores[:, y]
    if colour is not None:
        table[_colour_name(colour)] = colour.texts if hasattr(colour, "texts") else colour.values
    return table


def cluster_curves(value: ClusterChoice, chosen: int | None = None) -> Picture:
    """Draw the mean silhouette and the inertia over the number of clusters, the chosen one marked."""
    inertia = draw.from_zero("inertia (squared sd)")
    across = {"title_text": "clusters (k)", "dtick": 1}
    figure = draw.stacked(420, 0.5, across, "mean silhouette", inertia, showlegend=False)
    for row, (title, y) in enumerate((("silhouette", value.silhouette), ("inertia", value.inertia)), start=1):
        draw.curve(figure, list(value.k), y, title, hover="%{x} clusters: %{y:.4g}", row=row)
    if chosen is not None:
        figure.add_vline(x=chosen, line={"dash": "dash", "color": GREY, "width": 1.5})
    table = {"clusters": value.k, "mean silhouette": value.silhouette, "inertia": value.inertia}
    return Picture(figure, _alt(value), lambda: pd.DataFrame(table), _note(value))


def _alt(value: ClusterChoice) -> str:
    text = f"Two curves over 1 to {value.k[-1]} clusters: the mean silhouette and the inertia, which only falls"
    if value.best is not None:
        text += f". The silhouette is largest at {value.best} clusters, {np.nanmax(value.silhouette):.2f}"
    return f"{text}."


def _note(value: ClusterChoice) -> str:
    if value.n_sampled == value.n_trials:
        return ""
    return f"The silhouette is that of {value.n_sampled:,} of {value.n_trials:,} trials, chosen at random."
