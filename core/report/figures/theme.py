"""The looks of figures on a light or a dark ground: the colours of the page around them, as a template of Plotly."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import plotly.graph_objects as go


@dataclass(frozen=True)
class Theme:
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


@cache
def template(theme: Theme) -> dict[str, Any]:
    """Return what gives figures these colours, as the `template` of a layout."""
    axis: dict[str, Any] = dict.fromkeys(("gridcolor", "zerolinecolor", "linecolor"), theme.line)
    axis |= {
        "color": theme.faint,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 13}},
        "ticklabelstandoff": 4,
    }
    bar, scale = {"outlinewidth": 0, "tickfont": {"size": 12}}, list(theme.scale)
    maps = {kind: [{"colorscale": scale, "colorbar": bar}] for kind in ("contour", "heatmap", "surface")}
    looks = go.layout.Template(
        data={**maps, "scatter": [{"marker": {"line": {"width": 0}}}]},
        layout={
            "font": {"family": '"Source Sans", sans-serif', "size": 12, "color": theme.ink},
            "colorway": list(theme.groups),
            "coloraxis": {"colorscale": scale, "colorbar": bar},
            "colorscale": {"sequential": scale, "sequentialminus": scale, "diverging": list(theme.diverging)},
            "hoverlabel": {"bgcolor": theme.raised, "bordercolor": theme.line, "font": {"color": theme.ink}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#8a929b", "activecolor": "#3d83cc"},
            "xaxis": {**axis, "showgrid": False},
            "yaxis": axis,
        },
    )
    made: dict[str, Any] = looks.to_plotly_json()
    return made
