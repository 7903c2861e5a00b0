"""Components as pictures: how much each explains, what each is made of, where the trials stand."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import FloatArray, IntArray
from core.report.components import Components
from core.report.figures._heat import signed_map
from core.report.figures._picture import GREY, Picture, name, new_figure, whole
from core.report.figures._points import add_points
from core.report.grouping import Colour

MOST_METRICS = 60


def scree(value: Components) -> Picture:
    """Draw the share of the variance per component, its running sum, and how many are kept."""
    percent = 100 * value.explained
    shown = min(len(percent), max(12, len(value) + 4), 60)
    number = list(range(1, shown + 1))
    together = np.cumsum(percent)
    kept = len(value)
    figure = new_figure(340)
    figure.add_trace(
        go.Bar(
            x=number,
            y=percent[:shown],
            name="each",
            hovertemplate="component %{x}: %{y:.1f} %<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=number, y=together[:shown], name="together", mode="lines+markers",
            hovertemplate="first %{x}: %{y:.1f} %<extra></extra>",
        )
    )  # fmt: skip
    figure.add_vline(
        x=kept + 0.5, line={"dash": "dash", "color": GREY, "width": 1.5},
        annotation_text=f"{kept} kept: {100 * value.kept_share:.1f} %",
        annotation_position="bottom right" if kept <= shown / 2 else "bottom left",
    )  # fmt: skip
    figure.update_xaxes(title_text="component, before rotation", dtick=1 if shown <= 20 else 5)
    figure.update_yaxes(title_text="explained variance (%)", range=[0, 104])
    alt = (
        f"Scree plot: the first component explains {percent[0]:.1f} % of the metrics' variance; the {kept} "
        f"kept ones explain {100 * value.kept_share:.1f} % together; there are {len(percent)}."
    )
    table = {"component": range(1, len(percent) + 1), "explained (%)": percent, "together (%)": together}
    return Picture(figure, alt, lambda: pd.DataFrame(table))


def loadings_map(value: Components, rotated: bool = True) -> Picture:
    """Draw the correlation of each metric with each component, before or after rotation.

    Metrics stand in the order of the component (after rotation) that they load most.
    """
    loadings = value.after if rotated else value.before
    columns = list(value.names) if rotated else [f"PC{j + 1}" for j in range(len(value))]
    titles = value.titles if rotated else tuple(columns)
    order, note = _metric_order(value)
    names = [value.metric_names[j] for j in order]
    places = list(range(len(order)))
    figure = new_figure(max(260, min(1100, 70 + 15 * len(order))))
    hover = [[f"{whole(m)}<br>{whole(t)}" for t in titles] for m in names]
    figure.add_trace(signed_map(loadings[order], columns, places, hover, "loading"))
    figure.update_xaxes(side="top", showgrid=False, tickangle=-60 if len(columns) > 8 else 0)
    figure.update_yaxes(tickvals=places, ticktext=[name(m, 28) for m in names], autorange="reversed", showgrid=False)
    return Picture(figure, _loadings_alt(value, rotated), lambda: _loadings_table(value, loadings, columns), note)


def scores_scatter(
    value: Components, x: int, y: int, trials: tuple[str, ...], colour: Colour | None = None,
    centres: FloatArray | None = None,
) -> Picture:  # fmt: skip
    """Draw where trials stand on two components (numbers from 0); points can be selected.

    Parameters
    ----------
    value : the components
    x, y : numbers of the two
    trials : a name per trial
    colour : what tells the trials apart; None draws all alike
    centres : of clusters, array of shape (n_clusters, n_components)
    """
    figure = new_figure(520, dragmode="select")
    note = add_points(figure, value.scores[:, x], value.scores[:, y], trials, colour)
    if centres is not None:
        figure.add_trace(
            go.Scatter(
                x=centres[:, x], y=centres[:, y], mode="text", text=[str(i + 1) for i in range(len(centres))],
                textfont={"size": 16, "weight": "bold"}, showlegend=False, hoverinfo="skip", name="centres",
            )
        )  # fmt: skip
    figure.update_xaxes(title_text=f"{name(value.titles[x], 70)} (standard deviations)")
    figure.update_yaxes(title_text=f"{name(value.titles[y], 50)} (standard deviations)")
    by = "" if colour is None else f", coloured by {_colour_name(colour)}"
    alt = f"Scatter plot of {len(trials)} trials over {value.titles[x]} and {value.titles[y]}{by}."
    return Picture(figure, alt, lambda: _scores_table(value, x, y, trials, colour), note)


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


def _loadings_alt(value: Components, rotated: bool) -> str:
    when = "after varimax" if rotated and value.rotated else "before rotation"
    head = f"Heat map of the loadings of {len(value.metrics)} metrics on {len(value)} components {when}"
    return f"{head}. {'; '.join(value.titles[:4])}." if rotated else f"{head}."


def _loadings_table(value: Components, loadings: FloatArray, columns: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(loadings, columns=columns)
    table.insert(0, "metric", [str(m) for m in value.metrics])
    table.insert(1, "scale", list(value.scales))
    return table


def _scores_table(
    value: Components, x: int, y: int, trials: tuple[str, ...], colour: Colour | None
) -> pd.DataFrame:  # fmt: skip
    table = pd.DataFrame({"trial": trials, value.titles[x]: value.scores[:, x]})
    table[value.titles[y] if y != x else "the same"] = value.scores[:, y]
    if colour is not None:
        table[_colour_name(colour)] = colour.texts if hasattr(colour, "texts") else colour.values
    return table
