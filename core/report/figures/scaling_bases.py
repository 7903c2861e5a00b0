"""Every possible base as pictures: a map to click, a box per axis value, a histogram, errors by clusters."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.codec import FloatArray
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.scaling.bases import Panes, base_table, clusters_table, histogram_table
from core.scaling.base_map import BaseMap, ClusterCount
from core.space.plan import shown

MOST_PANES = 24
_PER_ROW = 4


def base_heat(value: BaseMap, of: Panes, base: int, texts: tuple[str, ...]) -> Picture:
    """Draw the mean error from each base as a square that can be clicked; the chosen base is framed."""
    drawn = of.panes[:MOST_PANES]
    columns = min(_PER_ROW, len(drawn))
    rows = -(-len(drawn) // columns)
    high = max(140, 26 * len(of.rows))
    spacing = {"horizontal_spacing": 0.02, "vertical_spacing": min(0.12, 40 / (rows * (high + 40)))}
    titles = [name(pane.title, 30) for pane in drawn]
    figure = make_subplots(rows, columns, subplot_titles=titles, shared_xaxes=True, shared_yaxes=True, **spacing)
    known = value.error[np.isfinite(value.error)]
    ends = {"cmin": float(known.min()), "cmax": float(np.quantile(known, 0.98))} if len(known) else {}
    for i, pane in enumerate(drawn):
        errors = value.error[pane.bases]
        said = [f"{whole(texts[b])}<br>mean error {e:.3g} %" for b, e in zip(pane.bases, errors, strict=True)]
        chosen = pane.bases == base
        size = max(7, min(32, int(900 / columns / max(len(of.columns), 1)) - 5, int(high / max(len(of.rows), 1)) - 4))
        marker: dict[str, Any] = {"color": errors, "coloraxis": "coloraxis", "symbol": "square", "size": size}
        marker["line"] = {"width": np.where(chosen, 3, 0), "color": "#cb7120"}
        look: dict[str, Any] = {"marker": marker, "customdata": pane.bases, "hovertemplate": "%{text}<extra></extra>"}
        look |= {key: {"marker": {"opacity": 1}} for key in ("selected", "unselected")}
        trace = go.Scatter(x=pane.column, y=pane.row, mode="markers", text=said, showlegend=False, **look)
        figure.add_trace(trace, i // columns + 1, i % columns + 1)
    draw.style(figure, rows * (high + 40) + 70, dragmode=False, showlegend=False)
    bar = draw.colour_bar("mean error (%)")
    figure.update_layout(coloraxis={"colorscale": "Viridis", "colorbar": bar, **ends}, margin={"t": 34})
    figure.update_xaxes(**_axis(of.columns))
    figure.update_yaxes(**_axis(of.rows) if of.up else {"tickvals": [], "range": [-0.6, 0.6]})
    for i in range(columns):
        figure.update_xaxes(title_text=name(of.across, 40), row=rows, col=i + 1)
    for i in range(rows if of.up else 0):
        figure.update_yaxes(title_text=name(of.up, 30), row=i + 1, col=1)
    best = value.best_base
    alt = (
        f"Map of the mean error from each of {len(value.grid)} base configurations: smallest {value.error[best]:.3g} % "
        f"at {texts[best]}, largest {np.nanmax(value.error):.3g} %; chosen {texts[base]}."
    )
    left = len(of.panes) - len(drawn)
    note = f"{left} more panes are in the table only." if left > 0 else ""
    return Picture(figure, alt, lambda: base_table(value), note)


def _axis(levels: FloatArray) -> dict[str, Any]:
    return draw.level_axis([shown(float(level)) for level in levels], -(-len(levels) // 10), 0.6, **draw.BARE)


def base_boxes(value: BaseMap, axis: int, title: str) -> Picture:
    """Draw how the bases' errors are spread for each value of an axis."""
    along = value.along(axis)
    boxes = {shown(level): errors for level, errors in along.items()}
    figure = draw.boxes(300, boxes, name(f"{title} of the base", 50), "mean error (%)")
    medians = {level: float(np.nanmedian(errors)) for level, errors in along.items()}
    best, worst = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    alt = (
        f"Box plot of the mean errors of bases for each {value.axes[axis]}: median {medians[best]:.3g} % "
        f"at {shown(best)}, {medians[worst]:.3g} % at {shown(worst)}."
    )
    return Picture(figure, alt, lambda: base_table(value))


def error_histogram(value: BaseMap) -> Picture:
    """Draw how many single predictions miss by how much."""
    across = "error of a prediction (%); the last bar is all beyond"
    figure = draw.new_figure(300, across, "share of predictions (%)", bargap=0.05, showlegend=False)
    table = histogram_table(value)
    share = 100 * value.counts / max(int(value.counts.sum()), 1)
    ends = [f"{a:g} to {b} %" for a, b in zip(table["from (%)"], table["to (%)"], strict=True)]
    width = float(value.edges[1])
    draw.bars(figure, value.edges + width / 2, share, texts=ends, hover="%{text}: %{y:.3g} % of all", width=width)
    within = float(share[value.edges < 10].sum())
    alt = f"Histogram of the errors of {value.n_predictions:,} predictions from all bases: {within:.3g} % within 10 %."
    return Picture(figure, alt, lambda: table)


def errors_over_clusters(found: tuple[ClusterCount, ...]) -> Picture:
    """Draw the error over the number of clusters, and that of the best possible choice among them."""
    figure = draw.new_figure(320, "clusters")
    counts = [f.n_clusters for f in found]
    for title, errors, look in (
        ("network", [f.error for f in found], {}),
        ("best possible cluster", [f.best_cluster for f in found], {"dash": "dash", "color": GREY}),
    ):
        draw.curve(figure, counts, errors, title, hover=f"{title}<br>%{{x}} clusters: %{{y:.3g}} %", line=look)
    positive = np.array([e for f in found for e in (f.error, f.best_cluster) if e > 0])
    figure.update_yaxes(title_text="mean error (%)", **(draw.wide_axis(positive, 20) or {"rangemode": "tozero"}))
    best = min(found, key=lambda f: f.error)
    alt = f"Mean error over the number of clusters: smallest {best.error:.3g} % with {best.n_clusters}."
    note = "Between the dashed line and 0 is what grouping costs; between the two lines, what recognising costs."
    return Picture(figure, alt, lambda: clusters_table(found), note)
