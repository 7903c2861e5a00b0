"""A scored design space as pictures: histogram, front of two responses, shares of the variance."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.codec import FloatArray
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.space.scored_space import Cloud, front_table, interactions_table, shares_table
from core.space.design_space import DesignSpace, Level
from core.space.pareto import ParetoFront
from core.space.plan import shown
from core.space.sensitivity import Sensitivity
from core.space.sweep import Sweep
from core.trial import Metric

MOST_PAIRS = 12


def space_histogram(value: Sweep, response: Metric) -> Picture:
    """Draw how many designs have which predicted response."""
    edges = value.edges
    log = bool(len(edges) > 2 and edges[0] > 0 and not np.allclose(np.diff(edges), edges[1] - edges[0], rtol=1e-6))
    log = log and edges[-1] / edges[0] > 10
    figure = draw.new_figure(300, bargap=0.02, showlegend=False)
    middle = (edges[:-1] + edges[1:]) / 2
    ends = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges.tolist())]
    draw.bars(figure, middle, value.counts, texts=ends, hover="%{text}: %{y:,} designs", width=np.diff(edges))
    figure.update_xaxes(title_text=unit_label(response, "predicted"), **(_log(edges) if log else {}))
    figure.update_yaxes(title_text="designs")
    alt = (
        f"Histogram of the predicted {response} of {value.n_points:,} designs: "
        f"from {value.smallest:.4g} to {value.largest:.4g}."
    )
    rows = {"from": edges[:-1], "to": edges[1:], "designs": value.counts}
    return Picture(figure, alt, lambda: pd.DataFrame(rows))


def front_scatter(value: ParetoFront, cloud: Cloud, space: DesignSpace, first: Metric, second: Metric) -> Picture:
    """Draw the front of two responses before some thousand designs of the space."""
    figure = draw.new_figure(420)
    marker = {"size": 4, "color": GREY, "opacity": 0.35}
    draw.dots(figure, cloud.first, cloud.second, "some designs of the space", hover=None, marker=marker)
    draw.curve(
        figure,
        [d.value for d in value.first],
        [d.value for d in value.second],
        "front",
        [_said(space, d.point) for d in value.first],
        "%{text}<br>%{x:.4g}, %{y:.4g}",
        line={"shape": "hv"},
        marker={"size": 8},
    )
    figure.update_xaxes(title_text=unit_label(first, "predicted"))
    figure.update_yaxes(title_text=unit_label(second, "predicted"))
    alt = (
        f"Pareto front of {first} and {second}: {len(value)} of {value.n_points:,} designs that no other beats in both"
    )
    if len(value):
        a, b = value.first[0], value.second[-1]
        alt += f"; the best {first.name} is {a.value:.4g}, the best {second.name} {b.value:.4g}"
    note = _front_note(value, len(cloud.first))
    return Picture(figure, f"{alt}.", lambda: front_table(space, value, first, second), note)


def _front_note(value: ParetoFront, n_drawn: int) -> str:
    on = "One design is best in both" if len(value) == 1 else f"{len(value):,} designs are on the front"
    behind = f"; {n_drawn:,} of {value.n_points:,} designs are drawn behind it" if n_drawn < value.n_points else ""
    return f"{on}{behind}."


def variance_shares(value: Sensitivity) -> Picture:
    """Draw Sobol' indices: what each parameter explains alone, and in all with its interactions."""
    table = shares_table(value)
    figure = draw.new_figure(110 + 44 * len(table), barmode="group")
    labels = [name(n, 30) for n in table["parameter"]]
    for kind, title in (("alone", "alone (first order)"), ("in all", "with interactions (total)")):
        x = table[f"{kind} (%)"]
        bars = None if value.exact else _whiskers(x, table[f"{kind} low (%)"], table[f"{kind} high (%)"])
        figure.add_trace(
            go.Bar(
                x=x,
                y=labels,
                orientation="h",
                name=title,
                error_x=bars,
                hovertext=[whole(n) for n in table["parameter"]],
                hovertemplate="%{hovertext}: %{x:.3g} %<extra>" + title + "</extra>",
            )
        )
    figure.update_xaxes(title_text="share of the variance over the space (%)", rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    told = ", ".join(f"{n} {v:.3g} %" for n, v in zip(table["parameter"][:4], table["in all (%)"][:4], strict=True))
    note = (
        "Exact, from the model's own terms."
        if value.exact
        else (f"From {value.n_samples:,} drawn designs; whiskers are 90 % intervals.")
    )
    if not value.exact and (table["alone (%)"] > table["in all high (%)"]).any():
        note += " Where alone exceeds the total, constraints tie the parameter to others, and it tells of their doing."
    return Picture(figure, f"Bars of Sobol' indices, the largest total first: {told}.", lambda: table, note)


def interaction_bars(value: Sensitivity) -> Picture:
    """Draw which pairs of parameters act together, the strongest first."""
    table = interactions_table(value)
    top = table.head(MOST_PAIRS)
    pairs = [f"{a} × {b}" for a, b in zip(top["parameter"], top["with"], strict=True)]
    figure = draw.ranking(
        80 + 28 * max(len(top), 2),
        top["together (%)"],
        [name(p, 34) for p in pairs],
        "%{hovertext}: %{x:.3g} %",
        {"title_text": "share of the variance explained together (%)", "rangemode": "tozero"},
        hovertext=[whole(p) for p in pairs],
        error_x=None if value.exact else _whiskers(top["together (%)"], top["low (%)"], top["high (%)"]),
    )
    told = ", ".join(f"{p} {v:.3g} %" for p, v in zip(pairs[:3], top["together (%)"][:3], strict=True))
    notes = [f"The strongest {len(top)} of {len(table)} pairs."] if len(table) > len(top) else []
    notes += [] if value.exact else ["Whiskers are 90 % intervals; a bar whose whiskers reach 0 may be chance."]
    if not value.exact and (top["high (%)"] < 0).any():
        notes.append("Below 0 are pairs that constraints tie together: what one tells, the other tells already.")
    note = " ".join(notes)
    return Picture(figure, f"Bars of the interactions of pairs, the strongest first: {told}.", lambda: table, note)


def _whiskers(x: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, Any]:
    ends = {"array": (high - x).to_numpy(), "arrayminus": (x - low).to_numpy()}
    return {"type": "data", "symmetric": False, "color": GREY, "thickness": 1.5, **ends}


def _log(edges: FloatArray) -> dict[str, Any]:
    return {"type": "log", **draw.decade_ticks(float(edges[0]), float(edges[-1]))}


def _said(space: DesignSpace, point: Sequence[Level]) -> str:
    return "<br>".join(f"{whole(n)} {whole(shown(v))}" for n, v in zip(space.names, point, strict=True))
