"""The dendrogram of kernels, and the line that cuts it."""

import numpy as np

from core.codec import FloatArray
from core.report.figures._picture import (
    GREY,
    Picture,
    draw_dots,
    draw_line,
    name,
    name_rows,
    new_figure,
    whole,
)
from core.report.scaling_clusters import Branches
from core.report.scaling_slices import cluster_colour

_NAME_PX = 13
_STEEP = 8.0
"""A tree that is so much higher than its cut is drawn over the cube root of the distance, so that its leaves show."""


def dendrogram_tree(value: Branches) -> Picture:
    """Draw which kernels scale alike: the sooner two meet, the more alike; the dashed line cuts the groups apart."""
    n = len(value.leaves)
    figure = new_figure(max(420, 70 + _NAME_PX * n), showlegend=False)
    highest = float(value.y.max())
    power = 1 / 3 if highest > _STEEP * value.at > 0 else 1.0
    for group in sorted(set(value.group.tolist())):
        rows = value.group == group
        places, heights = _broken(value.x[rows]), _broken(value.y[rows] ** power)
        colour = GREY if group < 0 else cluster_colour(group)
        draw_line(figure, heights, places, hover=None, line={"width": 1.4, "color": colour})
    colours = [cluster_colour(g) for g in value.leaf_groups.tolist()]
    texts = [f"{whole(leaf)}<br>cluster {g + 1}" for leaf, g in zip(value.leaves, value.leaf_groups, strict=True)]
    draw_dots(figure, np.zeros(n), np.arange(n), texts=texts, marker={"size": 6, "color": colours})
    figure.add_vline(x=value.at**power, line={"color": GREY, "dash": "dash", "width": 1.5})
    name_rows(figure, [name(leaf, 28) for leaf in value.leaves])
    figure.update_yaxes(side="left", showgrid=False, tickfont={"size": 10})
    figure.update_xaxes(title_text="distance at which they join", rangemode="tozero")
    if power < 1:
        ticks = [float(f"{highest * (i / 5) ** 3:.2g}") for i in range(6)]
        figure.update_xaxes(
            title_text="distance at which they join (cube-root scale)",
            tickvals=np.power(ticks, power),
            ticktext=[f"{t:g}" for t in ticks],
        )
    groups = len(set(value.leaf_groups.tolist()))
    alt = f"Dendrogram of {n} kernels, cut into {groups} clusters at the distance {value.at:.3g}."
    return Picture(figure, alt, value.table)


def _broken(corners: FloatArray) -> FloatArray:
    """Return lines one after another with gaps between."""
    found: FloatArray = np.column_stack([corners, np.full(len(corners), np.nan)]).ravel()
    return found
