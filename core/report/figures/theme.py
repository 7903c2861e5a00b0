"""The looks of figures on a light or a dark ground: the colours of the page around them, in the figure itself."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.frozen import Frozen


class Theme(Frozen):
    """Colours that stand out from a ground.

    Attributes
    ----------
    ink, faint : of texts, and of those of axes
    line, raised : of grids, and of the ground of what hovers
    groups : one after another
    scale, diverging : from little to much, and from less than nothing to more
    """

    ink: str
    faint: str
    line: str
    raised: str
    groups: tuple[str, ...]
    scale: tuple[str, ...]
    diverging: tuple[str, ...]


_MAPS = frozenset({"contour", "heatmap", "surface"})
"""Traces with a scale of colours of their own."""
_SAME = {"datarevision": 0}
"""Says of lists that they are those of before: Streamlit hands a figure over, and a copy of it once it is drawn; of
another figure it makes another chart."""


def worn(figure: go.Figure, theme: Theme) -> dict[str, Any]:
    """Return data and layout of a figure in these colours, of which a copy draws nothing anew.

    They stand in the figure itself, and arrays are not in Plotly's own form of bytes: of that and of a template it
    takes every copy for another.
    """
    own, looks = figure.layout.to_plotly_json(), _looks(theme)
    own.pop("template", None)
    axes = {name for name in (*own, "xaxis", "yaxis") if name[1:5] == "axis" and name[:1] in "xy"}
    kinds = {name: looks[name[:5]] for name in axes}
    coloured = {"coloraxis": looks["coloraxis"]} if "coloraxis" in own else {}
    layout = _over({**looks["layout"], **kinds, **coloured}, own)
    return {"data": [_trace(trace.to_plotly_json(), looks) for trace in figure.data], "layout": {**layout, **_SAME}}


def _trace(trace: dict[str, Any], looks: dict[str, Any]) -> dict[str, Any]:
    if trace["type"] in _MAPS:
        automatic = {"autocolorscale": False, "colorscale": looks[_kind(trace)]}
        trace = _over(looks["coloraxis"], {**trace, **(automatic if trace.get("autocolorscale") else {})})
    elif trace["type"] == "scatter":
        trace = _over({"marker": {"line": {"width": 0}}}, trace)
    return trace


def _kind(trace: dict[str, Any]) -> str:
    """Return which scale a map has whose colours are left to its numbers."""
    z = np.asarray(trace["z"], dtype=float)
    low, high = trace.get("zmin", np.nanmin(z)), trace.get("zmax", np.nanmax(z))
    return "diverging" if low < 0 < high else "sequential"


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Return what stands above, and below it what that leaves open."""
    parts = {name: value for name, value in above.items() if isinstance(value, dict)}
    both = {name: _over(below[name], value) for name, value in parts.items() if isinstance(below.get(name), dict)}
    return {**below, **above, **both}


@cache
def _looks(theme: Theme) -> dict[str, Any]:
    axis: dict[str, Any] = dict.fromkeys(("gridcolor", "zerolinecolor", "linecolor"), theme.line)
    axis |= {
        "color": theme.faint,
        "automargin": True,
        "separatethousands": True,
        "minexponent": 7,  # 120,000 rather than 120k
        "title": {"standoff": 8, "font": {"size": 13}},
        "ticklabelstandoff": 4,
        "ticklabeloverflow": "allow",  # else each is measured to see whether it reaches past the picture
    }
    sequential, diverging = _scale(theme.scale), _scale(theme.diverging)
    return {
        "layout": {
            "font": {"family": '"Source Sans", sans-serif', "size": 12, "color": theme.ink},
            "colorway": list(theme.groups),
            "colorscale": {"sequential": sequential, "sequentialminus": sequential, "diverging": diverging},
            "hoverlabel": {"bgcolor": theme.raised, "bordercolor": theme.line, "font": {"color": theme.ink}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#8a929b", "activecolor": "#3d83cc"},
        },
        "coloraxis": {"colorscale": sequential, "colorbar": {"outlinewidth": 0, "tickfont": {"size": 12}}},
        "xaxis": {**axis, "showgrid": False},
        "yaxis": axis,
        "sequential": sequential,
        "diverging": diverging,
    }


def _scale(colours: Sequence[str]) -> list[list[Any]]:
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]
