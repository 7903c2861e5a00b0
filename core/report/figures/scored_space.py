"""A scored design space as pictures: histogram, front of two responses, shares of the variance."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.shared.naming import HIGH_90, LOW_90
from core.report.space.decision import goal_metric, goal_title
from core.report.space.scored_space import Cloud, interactions_table, offered_table, shares_table
from core.space.designs import Alternative, Decision
from core.space.plan import shown
from core.space.sensitivity import Sensitivity
from core.space.sweep import Sweep
from core.trial import Metric

MOST_PAIRS = 12
_FRONT = "#3d83cc"


def space_histogram(value: Sweep, response: Metric) -> Picture:
    """Draw how many designs have which predicted response."""
    edges = value.edges
    log = bool(len(edges) > 2 and edges[0] > 0 and not np.allclose(np.diff(edges), edges[1] - edges[0], rtol=1e-6))
    log = log and edges[-1] / edges[0] > 10
    title = unit_label(response, "predicted")
    alt = (
        f"Histogram of the predicted {response} of {value.n_points:,} designs: "
        f"from {value.smallest:.4g} to {value.largest:.4g}."
    )
    return draw.histogram(300, title, edges, value.counts, "designs", alt, log=log)


def front_scatter(found: Decision, cloud: Cloud, chosen: Alternative | None = None) -> Picture:
    """Draw designs that no other beats in every goal before some thousand of the space, a third goal as colour.

    Each point of the front carries its number as `customdata`, so that it can be chosen.
    """
    wishes, front = found.question.wishes, found.offered
    goals = front.worth * np.array([[goal.sign] for goal in wishes.goals])
    pairs = zip(wishes.goals[:2], cloud.goals, strict=False)
    axes = ({"title_text": name(goal_title(found, goal), 60), **draw.wide_axis(known, 10)} for goal, known in pairs)
    figure = draw.new_figure(420, *axes)
    for offered, title, symbol in ((True, "may be offered", "circle"), (False, "may not be offered", "x-thin-open")):
        x, y = cloud.goals[:2, cloud.offered == offered]
        if len(x):
            marker = {"size": 4, "color": GREY, "opacity": 0.35, "symbol": symbol}
            draw.dots(figure, x, y, title, hover=None, marker=marker)
    marker = {"size": 9, "color": _FRONT}
    if len(goals) > 2:
        title = goal_title(found, wishes.goals[2])
        marker |= {"color": goals[2], "colorscale": "Viridis", "colorbar": draw.colour_bar(name(title, 40))}
    look: dict[str, Any] = {"marker": marker, "customdata": np.arange(goals.shape[1])}
    if len(goals) == 2:
        look |= {"mode": "lines+markers", "line": {"shape": "hv", "color": _FRONT}}
    draw.dots(figure, goals[0], goals[1], "front", _said(found), **look)
    if chosen is not None:
        ring = {"size": 18, "symbol": "circle-open", "color": draw.ACCENT, "line": {"width": 3}}
        draw.dots(figure, chosen.goals[:1], chosen.goals[1:2], "chosen", hover=None, marker=ring)
    best = [
        f"the best {goal_metric(found, goal).name} is {goal.sign * worth.min():.4g}"
        for goal, worth in zip(wishes.goals, front.worth, strict=True)
    ]
    n, many = goals.shape[1], front.n_feasible
    on = "One design is best in every goal" if n == 1 else f"{n:,} designs are on the front"
    alt = f"Pareto front of {len(goals)} goals: {n:,} of {many:,} designs that no other beats in every goal"
    note = f"{on}; {cloud.goals.shape[1]:,} designs are drawn behind it. Click one to choose it."
    return Picture(figure, f"{alt}; {'; '.join(best)}.", lambda: offered_table(found), note)


def _said(found: Decision) -> list[str]:
    """Return what is told of each design of a front on hover."""
    space, goals = found.question.space, found.question.wishes.goals
    numbers = zip(*(goal.sign * worth for goal, worth in zip(goals, found.offered.worth, strict=True)), strict=True)
    return [
        "<br>".join(
            [f"{whole(n)} {whole(shown(v))}" for n, v in zip(space.names, point, strict=True)]
            + [f"{whole(goal_metric(found, goal).name)} {value:.4g}" for goal, value in zip(goals, values, strict=True)]
        )
        for point, values in zip(space.texts(found.offered.codes), numbers, strict=True)
    ]


def variance_shares(value: Sensitivity) -> Picture:
    """Draw Sobol' indices: what each parameter explains alone, and in all with its interactions."""
    table = shares_table(value)
    across = draw.from_zero("share of the variance over the space (%)")
    figure = draw.new_figure(110 + 44 * len(table), across, draw.DOWN, barmode="group")
    labels = draw.names(table["parameter"], 30)
    for kind, title in (("alone", "alone (first order)"), ("in all", "with interactions (total)")):
        x = table[f"{kind} (%)"]
        bars = None if value.exact else _whiskers(x, table[f"{kind}, {LOW_90} (%)"], table[f"{kind}, {HIGH_90} (%)"])
        hover = "%{hovertext}: %{x:.3g} %<extra>" + title + "</extra>"
        look = {"error_x": bars, "hovertext": [whole(n) for n in table["parameter"]], "hovertemplate": hover}
        figure.add_trace(go.Bar(x=x, y=labels, orientation="h", name=title, **look))
    told = ", ".join(f"{n} {v:.3g} %" for n, v in zip(table["parameter"][:4], table["in all (%)"][:4], strict=True))
    drawn = f"From {value.n_samples:,} drawn designs; whiskers are 90 % intervals."
    note = "Exact, from the model's own terms." if value.exact else drawn
    if not value.exact and (table["alone (%)"] > table[f"in all, {HIGH_90} (%)"]).any():
        note += " Where alone exceeds the total, constraints tie the parameter to others, and it tells of their doing."
    return Picture(figure, f"Bars of Sobol' indices, the largest total first: {told}.", lambda: table, note)


def interaction_bars(value: Sensitivity) -> Picture:
    """Draw which pairs of parameters act together, the strongest first."""
    table = interactions_table(value)
    top = table.head(MOST_PAIRS)
    pairs = [f"{a} × {b}" for a, b in zip(top["parameter"], top["with"], strict=True)]
    shares, low, high = top["together (%)"], top[f"{LOW_90} (%)"], top[f"{HIGH_90} (%)"]
    hover, across = "%{hovertext}: %{x:.3g} %", draw.from_zero("share of the variance (%)")
    look = {"hovertext": [whole(p) for p in pairs], "error_x": None if value.exact else _whiskers(shares, low, high)}
    figure = draw.ranking(80, 28, shares, draw.names(pairs, 34), hover, across, **look)
    told = ", ".join(f"{p} {v:.3g} %" for p, v in zip(pairs[:3], shares[:3], strict=True))
    notes = [f"The strongest {len(top)} of {len(table)} pairs."] if len(table) > len(top) else []
    notes += [] if value.exact else ["Whiskers are 90 % intervals; a bar whose whiskers reach 0 may be chance."]
    if not value.exact and (high < 0).any():
        notes.append("Below 0 are pairs that constraints tie together: what one tells, the other tells already.")
    note = " ".join(notes)
    return Picture(figure, f"Bars of the interactions of pairs, the strongest first: {told}.", lambda: table, note)


def _whiskers(x: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, Any]:
    ends = {"array": (high - x).to_numpy(), "arrayminus": (x - low).to_numpy()}
    return {"type": "data", "symmetric": False, "color": GREY, "thickness": 1.5, **ends}
