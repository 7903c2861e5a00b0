"""The dendrogram of kernels, and the line that cuts it."""

import numpy as np

from core.codec import FloatArray
from core.report.figures._picture import GREY, Picture, draw_dots, draw_line, new_figure, whole
from core.report.scaling.clusters import Branches

_MOST_NAMES = 60
_STEEP = 8.0
"""A tree that is so much higher than its cut is drawn over the cube root of the distance, so that its leaves show."""


def dendrogram_tree(value: Branches) -> Picture:
    """Draw which kernels scale alike: the lower two meet, the more alike; the dashed line cuts the groups apart."""
    figure = new_figure(420, showlegend=False)
    highest = float(value.y.max())
    power = 1 / 3 if highest > _STEEP * value.at > 0 else 1.0
    for group in sorted(set(value.group.tolist())):
        rows = value.group == group
        x, y = _broken(value.x[rows]), _broken(value.y[rows] ** power)
        colour = {"color": GREY} if group < 0 else {}
        draw_line(figure, x, y, hover=None, line={"width": 1.4, **colour})
    places = np.arange(len(value.leaves))
    texts = [f"{whole(name)}<br>cluster {g + 1}" for name, g in zip(value.leaves, value.leaf_groups, strict=True)]
    draw_dots(figure, places, np.zeros(len(places)), texts=texts, marker={"size": 5, "color": GREY})
    figure.add_hline(y=value.at**power, line={"color": GREY, "dash": "dash", "width": 1.5})
    few = len(places) <= _MOST_NAMES
    names = [whole(name if len(name) <= 24 else f"{name[:23]}…") for name in value.leaves]
    figure.update_xaxes(
        tickvals=places if few else [],
        ticktext=names if few else [],
        tickangle=-60,
        showgrid=False,
        title_text="" if few else "kernels, those that scale alike side by side",
    )
    figure.update_yaxes(title_text="distance at which they join", rangemode="tozero")
    if power < 1:
        ticks = [float(f"{highest * (i / 5) ** 3:.2g}") for i in range(6)]
        figure.update_yaxes(
            title_text="distance at which they join (cube-root scale)",
            tickvals=np.power(ticks, power),
            ticktext=[f"{t:g}" for t in ticks],
        )
    n = len(set(value.leaf_groups.tolist()))
    alt = f"Dendrogram of {len(places)} kernels, cut into {n} clusters at the distance {value.at:.3g}."
    return Picture(figure, alt, value.table)


def _broken(corners: FloatArray) -> FloatArray:
    """Return lines one after another with gaps between."""
    found: FloatArray = np.column_stack([corners, np.full(len(corners), np.nan)]).ravel()
    return found
