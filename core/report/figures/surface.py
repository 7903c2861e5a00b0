"""Two parameters at once in contours, and as a surface in space."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.report.figures._picture import GREY, Picture, colour_bar, name, new_figure, unit_label, whole
from core.report.space.whatif import Surface
from core.space.design_space import Parameter
from core.space.plan import shown

_COLOURS = "Viridis"
"""From little to much, readable on light and on dark ground."""


def surface_contours(value: Surface) -> Picture:
    """Draw the response over the levels of two parameters; the design is a circle, the baseline a square."""
    figure = new_figure(360, showlegend=False)
    bar = colour_bar(unit_label(value.response))
    figure.add_trace(
        go.Contour(
            z=value.values,
            colorbar=bar,
            hovertext=_hover(value),
            hoverinfo="text",
            contours={"showlabels": True},
            ncontours=14,
            connectgaps=False,
            colorscale=_COLOURS,
        )
    )
    if value.pinned_at is not None:
        figure.add_trace(_mark(value.pinned_at, "square", GREY))
    figure.add_trace(_mark(value.at, "circle", "#ffffff"))
    figure.update_xaxes(**_axis(value.first))
    figure.update_yaxes(**_axis(value.second))
    return Picture(figure, surface_alt(value), value.table, forbidden_note(value))


def surface_in_space(value: Surface) -> Picture:
    """Draw the response as the height over the levels of two parameters; the design is a point, the baseline grey."""
    figure = new_figure(460, showlegend=False)
    bar = colour_bar(unit_label(value.response))
    figure.add_trace(
        go.Surface(z=value.values, colorbar=bar, hovertext=_hover(value), hoverinfo="text", colorscale=_COLOURS)
    )
    for at, colour in ((value.pinned_at, GREY), (value.at, "#d9822b")):
        if at is not None:
            height = [float(value.values[at[1], at[0]])]
            marker = {"size": 6, "color": colour, "line": {"width": 2, "color": "#ffffff"}}
            figure.add_trace(
                go.Scatter3d(x=[at[0]], y=[at[1]], z=height, mode="markers", marker=marker, hoverinfo="skip")
            )
    figure.update_scenes(
        xaxis=_side(value.first),
        yaxis=_side(value.second),
        zaxis={"title_text": unit_label(value.response)},
        aspectmode="cube",
        bgcolor="rgba(0,0,0,0)",
        camera_eye={"x": -1.5, "y": -1.6, "z": 0.9},
    )
    return Picture(figure, surface_alt(value), value.table, forbidden_note(value))


def forbidden_note(value: Surface) -> str:
    """Say how many combinations are left empty."""
    return (
        f"{value.n_forbidden:,} combinations that the constraints forbid are left empty." if value.n_forbidden else ""
    )


def _mark(at: tuple[int, int], symbol: str, colour: str) -> go.Scatter:
    marker = {"size": 13, "symbol": symbol, "color": colour, "line": {"width": 2.5, "color": "#1c2733"}}
    return go.Scatter(x=[at[0]], y=[at[1]], mode="markers", marker=marker, hoverinfo="skip")


def _axis(parameter: Parameter) -> dict[str, Any]:
    texts = [name(shown(level), 12) for level in parameter.levels]
    step = max(1, len(texts) // 12)
    places = list(range(0, len(texts), step))
    return {
        "tickvals": places,
        "ticktext": [texts[i] for i in places],
        "title_text": name(str(parameter), 60),
        "range": [-0.5, len(texts) - 0.5],
        "showgrid": False,
        "zeroline": False,
    }


def _side(parameter: Parameter) -> dict[str, Any]:
    texts = [name(shown(level), 10) for level in parameter.levels]
    places = list(range(0, len(texts), -(-len(texts) // 6)))
    return {
        "tickvals": places,
        "ticktext": [texts[i] for i in places],
        "title_text": name(str(parameter), 30),
        "range": [-0.2, len(texts) - 0.8],
    }


def _hover(value: Surface) -> list[list[str]]:
    a, b = value.first, value.second
    across = [f"{whole(a.name)} {whole(shown(level))}" for level in a.levels]
    up = [f"{whole(b.name)} {whole(shown(level))}" for level in b.levels]
    return [
        [f"{x}<br>{y}<br>{_said(v)}" for x, v in zip(across, row, strict=True)]
        for y, row in zip(up, value.values.tolist(), strict=True)
    ]


def _said(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else "no prediction"


def surface_alt(value: Surface) -> str:
    """Say what a surface shows."""
    known = value.values[np.isfinite(value.values)]
    over = f"{value.response} over {value.first} and {value.second}"
    if not len(known):
        return f"Map of the {value.said} {over}: nothing known anywhere."
    low, high = (_place(value, int(i)) for i in (np.nanargmin(value.values), np.nanargmax(value.values)))
    return f"Map of the {value.said} {over}: from {known.min():.4g} at {low} to {known.max():.4g} at {high}."


def _place(value: Surface, i: int) -> str:
    row, column = divmod(i, value.values.shape[1])
    return f"{shown(value.first.levels[column])} and {shown(value.second.levels[row])}"
