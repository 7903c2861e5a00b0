"""Kernels over configurations as pictures: predictors, roofline, dendrogram."""

from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.codec import FloatArray
from core.errors import count
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.scaling.bases import Branches, Panes, Roofline, base_table, clusters_table, histogram_table
from core.report.scaling.kernels import cluster_colour
from core.report.scaling.race import NextRuns, finishes, race_table
from core.scaling.base_map import BaseMap, ClusterCount
from core.scaling.race import Race
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
    note = f"{count(left, 'more pane')} in the table only." if left > 0 else ""
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
    positive = np.array([e for f in found for e in (f.error, f.best_cluster) if e > 0])
    figure = draw.new_figure(320, "clusters", draw.from_zero("mean error (%)", draw.wide_axis(positive, 20)))
    counts = [f.n_clusters for f in found]
    for title, errors, look in (
        ("network", [f.error for f in found], {}),
        ("best possible cluster", [f.best_cluster for f in found], {"dash": "dash", "color": GREY}),
    ):
        draw.curve(figure, counts, errors, title, hover=f"{title}<br>%{{x}} clusters: %{{y:.3g}} %", line=look)
    best = min(found, key=lambda f: f.error)
    alt = f"Mean error over the number of clusters: smallest {best.error:.3g} % with {best.n_clusters}."
    note = "Between the dashed line and 0 is what grouping costs; between the two lines, what recognising costs."
    return Picture(figure, alt, lambda: clusters_table(found), note)


def race_bars(found: Race) -> Picture:
    """Draw each predictor's mean error on held-out kernels, the smallest first; references are grey."""
    rows = finishes(found)
    colours = [GREY if r.reference else "#cb7120" if r.runs > 1 else "#3d83cc" for r in rows]
    labels = ["<br>".join(wrap(whole(r.label) + (f" ({r.runs} runs)" if r.runs > 1 else ""), 28)) for r in rows]
    errors, texts = [r.error for r in rows], [f"{r.error:.3g} %" for r in rows]
    hover, across = "%{hovertext}: %{x:.3g} %", draw.from_zero("mean held-out error (%)")
    look = {"marker": {"color": colours}, "textposition": "auto", "hovertext": [whole(r.label) for r in rows]}
    figure = draw.ranking(90, 34, errors, labels, hover, across, texts=texts, **look)
    told = ", ".join(f"{r.label} {r.error:.3g} %" for r in rows[:4])
    note = "Blue: from one run; orange: from several; grey: what there is to beat, and what clusters could reach."
    alt = f"Bars of mean errors on held-out kernels, the smallest first: {told}."
    return Picture(figure, alt, lambda: race_table(found), note)


def next_curve(value: NextRuns) -> Picture:
    """Draw how much of the difference between kernels is left after each further measurement."""
    across, up = {"title_text": "measurements besides the base", "dtick": 1}, draw.from_zero("left of the variance (%)")
    figure = draw.new_figure(300, across, up, showlegend=False)
    left = [100.0, *value.left.tolist()]
    texts = ["the base alone", *(whole(value.texts[i]) for i in value.rows)]
    draw.curve(figure, list(range(len(left))), left, texts=texts, hover="%{text}<br>%{y:.3g} % left")
    return Picture(figure, value.sentence(), value.table)


def roofline_scatter(value: Roofline) -> Picture:
    """Draw all measured kernels, the roofs, and one kernel as measured and as predicted."""
    low, high = float(value.intensity.min()), float(value.intensity.max())
    x = np.unique(np.clip([low / 1.5, value.ridge, high * 1.5], low / 1.5, max(high, value.ridge) * 1.5))
    roof = np.minimum(value.most_rate, x * value.most_traffic)
    titles = (name(f"{value.work.name} per {of}", 60) for of in (value.traffic.name, value.time_unit))
    reach = (x, np.concatenate([value.rate, roof]))
    looks = ({"title_text": title, **draw.log_axis(of)} for title, of in zip(titles, reach, strict=True))
    figure = draw.new_figure(440, *looks)
    draw.line(figure, x, roof, "highest reached by any kernel", hover=None, line={"color": GREY, "dash": "dash"})
    names, marker = [whole(n) for n in value.names], {"size": 6, "opacity": 0.6}
    hover = "%{text}<br>%{x:.3g}, %{y:.3g}"
    draw.dots(figure, value.intensity, value.rate, "measured kernels", names, hover, marker=marker)
    if value.marked is not None:
        _mark(figure, *value.marked)
    at = f" at {value.configuration}" if value.configuration else ""
    alt = (
        f"Roofline of {len(value.names)} kernels{at}: the roofs meet at {value.ridge:.3g} "
        f"{value.work.name} per {value.traffic.name}; the highest rate is {value.most_rate:.3g} per {value.time_unit}."
    )
    return Picture(figure, alt, value.table, _roofs_told(value))


def _mark(figure: go.Figure, kernel: str, intensity: float, measured: float, predicted: float) -> None:
    for title, rate, symbol in (("measured", measured, "circle-open"), ("predicted", predicted, "x")):
        if np.isfinite(intensity) and np.isfinite(rate):
            hover = f"{whole(kernel)}, {title}<br>%{{x:.3g}}, %{{y:.3g}}"
            marker = {"size": 14, "symbol": symbol, "line": {"width": 2}, "color": "#d9822b"}
            draw.dots(figure, [intensity], [rate], f"{name(kernel, 24)}, {title}", hover=hover, marker=marker)


def _roofs_told(value: Roofline) -> str:
    note = "The roofs are the highest rates that any of these kernels reached; the machine's own may be higher."
    if value.configuration:
        note += " Work and traffic are those counted at the base."
    if value.marked is not None and not np.isfinite(value.marked[1]):
        note += f" {value.marked[0]} counts none of one of them, and is not drawn."
    return note


_NAME_PX = 13
_STEEP = 8.0
"""A tree that is so much higher than its cut is drawn over the cube root of the distance, so that its leaves show."""


def dendrogram_tree(value: Branches) -> Picture:
    """Draw which kernels scale alike: the sooner two meet, the more alike; the dashed line cuts the groups apart."""
    n, highest = len(value.leaves), float(value.y.max())
    power, across = 1.0, draw.from_zero("distance at which they join")
    if highest > _STEEP * value.at > 0:
        power, ticks = 1 / 3, [float(f"{highest * (i / 5) ** 3:.2g}") for i in range(6)]
        across |= {"title_text": "distance at which they join (cube-root scale)"}
        across |= {"tickvals": np.power(ticks, power), "ticktext": [f"{t:g}" for t in ticks]}
    up = {"side": "left", "showgrid": False, "tickfont": {"size": 10}}
    figure = draw.new_figure(max(420, 70 + _NAME_PX * n), across, up, showlegend=False)
    for group in sorted(set(value.group.tolist())):
        rows = value.group == group
        places, heights = _broken(value.x[rows]), _broken(value.y[rows] ** power)
        colour = GREY if group < 0 else cluster_colour(group)
        draw.line(figure, heights, places, hover=None, line={"width": 1.4, "color": colour})
    colours = [cluster_colour(g) for g in value.leaf_groups.tolist()]
    texts = [f"{whole(leaf)}<br>cluster {g + 1}" for leaf, g in zip(value.leaves, value.leaf_groups, strict=True)]
    draw.dots(figure, np.zeros(n), np.arange(n), texts=texts, marker={"size": 6, "color": colours})
    draw.rule(figure, {"color": GREY, "dash": "dash", "width": 1.5}, x=value.at**power)
    draw.name_rows(figure, draw.names(value.leaves, 28))
    groups = len(set(value.leaf_groups.tolist()))
    alt = f"Dendrogram of {n} kernels, cut into {groups} clusters at the distance {value.at:.3g}."
    return Picture(figure, alt, value.table)


def _broken(corners: FloatArray) -> FloatArray:
    """Return lines one after another with gaps between."""
    return np.column_stack([corners, np.full(len(corners), np.nan)]).ravel()
