"""Numbers between -1 and 1 in a grid, their sign and size shown by colour."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.codec import FloatArray


def signed_map(
    z: FloatArray, x: Sequence[object], y: Sequence[object], hover: list[list[str]], what: str
) -> go.Heatmap:
    """Return a heat map of `z`, of shape (len(y), len(x)), whose colours diverge from 0.

    The bar of colours lies above it, as a narrow window has no room beside.
    """
    bar = {
        "title": {"text": what, "side": "top"},
        "thickness": 10,
        "lenmode": "pixels",
        "len": 180,
        "orientation": "h",
        "yanchor": "bottom",
        "y": 1,
        "xanchor": "right",
        "x": 1,
        "tickvals": [-1, -0.5, 0, 0.5, 1],
    }
    return go.Heatmap(
        z=z,
        x=list(x),
        y=list(y),
        zmin=-1,
        zmax=1,
        autocolorscale=True,
        xgap=1,
        ygap=1,
        text=hover,
        hovertemplate=f"%{{text}}<br>{what} %{{z:.2f}}<extra></extra>",
        colorbar=bar,
    )
