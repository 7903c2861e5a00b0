"""A response over a design space: two parameters at once; all as histogram, front and shares of the variance."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, unit_label, whole
from core.report.figures.sketch import DARK, FAR, LIGHT, Ground, Sketch, box, drawing, label, line
from core.report.shared.naming import HIGH_90, LOW_90, short_number
from core.report.space.decision import goal_metric, goal_title
from core.report.space.design_points import Cloud, interactions_table, offered_table, shares_table
from core.report.space.whatif import Surface, ends_among
from core.space.design_space import Parameter
from core.space.designs import Alternative, Decision
from core.space.plan import shown
from core.space.sensitivity import Sensitivity
from core.space.sweep import Sweep
from core.trial import Metric

_COLOURS = "Viridis"
"""From little to much, readable on light and on dark ground."""


def surface_contours(value: Surface) -> Picture:
    """Draw the response over the levels of two parameters; the design is a circle, the baseline a square."""
    figure = draw.new_figure(360, _axis(value.first), _axis(value.second), showlegend=False)
    bar = draw.colour_bar(unit_label(value.response))
    look = {"contours": {"showlabels": True}, "ncontours": 14, "connectgaps": False, "colorscale": _COLOURS}
    figure.add_trace(go.Contour(z=value.values, colorbar=bar, hovertext=_hover(value), hoverinfo="text", **look))
    if value.outside is not None and value.n_outside:
        rows, columns = np.nonzero(value.outside & np.isfinite(value.values))
        hatch = {"symbol": "line-ne-open", "size": 16, "color": FAR, "line": {"width": 1.5}}
        draw.dots(figure, columns, rows, hover=None, marker=hatch)
    if value.pinned_at is not None:
        _mark(figure, value.pinned_at, "square", GREY)
    _mark(figure, value.at, "circle", "#ffffff")
    return Picture(figure, surface_alt(value), value.table, forbidden_note(value))


def surface_in_space(value: Surface) -> Picture:
    """Draw the response as the height over the levels of two parameters; the design is a point, the baseline grey."""
    figure = draw.new_figure(460, showlegend=False)
    bar = draw.colour_bar(unit_label(value.response))
    figure.add_trace(
        go.Surface(z=value.values, colorbar=bar, hovertext=_hover(value), hoverinfo="text", colorscale=_COLOURS)
    )
    for at, colour in ((value.pinned_at, GREY), (value.at, "#cb7120")):
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
    return Picture(figure, surface_alt(value), value.table, forbidden_note(replace(value, outside=None)))


def forbidden_note(value: Surface) -> str:
    """Say how many combinations are left empty, and what is hatched."""
    empty = (
        f"{value.n_forbidden:,} combinations that the constraints forbid are left empty. " if value.n_forbidden else ""
    )
    return f"{empty}{'Hatched: outside the trained range.' if value.n_outside else ''}".strip()


def _mark(figure: go.Figure, at: tuple[int, int], symbol: str, colour: str) -> None:
    marker = {"size": 13, "symbol": symbol, "color": colour, "line": {"width": 2.5, "color": "#1c2733"}}
    draw.dots(figure, [at[0]], [at[1]], hover=None, marker=marker)


def _axis(parameter: Parameter) -> dict[str, Any]:
    texts = draw.names(map(shown, parameter.levels), 12)
    return draw.level_axis(texts, len(texts) // 12, 0.5, title_text=name(str(parameter), 60), **draw.BARE)


def _side(parameter: Parameter) -> dict[str, Any]:
    texts = draw.names(map(shown, parameter.levels), 10)
    return draw.level_axis(texts, -(-len(texts) // 6), 0.2, title_text=name(str(parameter), 30))


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


WIDE, NARROW = 460.0, 350.0
"""Units across a map beside other things, and on a phone."""
_LEFT, _TOP, _BOTTOM = 62.0, 40.0, 40.0
_LETTER, _PER_LETTER = 7.2, 6.4
_STEPS = 24


def surface_map(value: Surface, ground: Ground = LIGHT, across: float = WIDE) -> Sketch:
    """Draw the response over the levels of two parameters; the design is framed, the baseline dashed."""
    m, n = value.values.shape
    width, height = (across - _LEFT - 8) / n, max(9.0, min(34.0, 300 / m))
    bottom = _TOP + m * height
    parts = [*_cells(value, width, height, ground), *_marks(value, width, height, ground)]
    parts += _across(value.first, width, bottom) + _up(value.second, height, bottom) + _legend(value, ground, across)
    parts.append(label((_LEFT + across) / 2, bottom + 32, name(str(value.first), 54), "middle", 0.9))
    parts.append(label(4, _TOP - 8, name(str(value.second), 40), "start", 0.9))
    return Sketch(drawing(parts, across, bottom + _BOTTOM, ground, 11.5), surface_alt(value))


def _cells(value: Surface, width: float, height: float, ground: Ground) -> list[str]:
    known = value.values[np.isfinite(value.values)]
    low, high = ends_among(known)
    told = height >= 14 and width >= _LETTER * max((len(short_number(v)) for v in known.tolist()), default=0) + 4
    parts = []
    for row, values in enumerate(value.values.tolist()):
        for column, v in enumerate(values):
            x, y = _corner(value, column, row, width, height)
            if not np.isfinite(v):
                parts.append(box(x, y, width - 1, height - 1, f'fill="none" stroke="{GREY}" opacity="0.35"'))
                continue
            shade = ground.shade((v - low) / (high - low) if high > low else 0.5)
            parts.append(box(x, y, width - 1, height - 1, f'fill="{_hex(shade)}"'))
            if value.outside is not None and value.outside[row, column]:
                parts += _hatched(x, y, width - 1, height - 1)
            if told:
                colour = "#ffffff" if _dark(shade) else "#1c2733"
                parts.append(label(x + width / 2, y + height / 2 + 4, short_number(v), "middle", 1.0, colour))
    return parts


def _hatched(x: float, y: float, width: float, height: float) -> list[str]:
    """Return strokes over a cell outside the trained range."""
    strokes = [(x, y + height / 2, x + width / 2, y), (x, y + height, x + width, y)]
    strokes.append((x + width / 2, y + height, x + width, y + height / 2))
    return [line([a, c], [b, d], FAR, 1.2, ' opacity="0.8"') for a, b, c, d in strokes]


def _marks(value: Surface, width: float, height: float, ground: Ground) -> list[str]:
    parts = []
    if value.pinned_at is not None:
        x, y = _corner(value, *value.pinned_at, width, height)
        dashed = 'fill="none" stroke="#cb7120" stroke-width="2" stroke-dasharray="4 3"'
        parts.append(box(x + 1, y + 1, width - 3, height - 3, dashed))
    x, y = _corner(value, *value.at, width, height)
    within = LIGHT if ground is DARK else DARK  # a line inside the other, as cells are light and dark on either ground
    for ink, wide in ((ground.ink, 4), (within.ink, 1.2)):
        parts.append(box(x - 0.5, y - 0.5, width, height, f'fill="none" stroke="{ink}" stroke-width="{wide}" rx="2"'))
    return parts


def _across(parameter: Parameter, width: float, bottom: float) -> list[str]:
    texts = draw.names(map(shown, parameter.levels), 10)
    step = max(1, int(np.ceil(max(len(t) for t in texts) * _LETTER / width)))
    return [label(_LEFT + (i + 0.5) * width, bottom + 14, texts[i], "middle", 0.8) for i in range(0, len(texts), step)]


def _up(parameter: Parameter, height: float, bottom: float) -> list[str]:
    texts = draw.names(map(shown, parameter.levels), 9)
    step = max(1, int(np.ceil(12 / height)))
    return [label(_LEFT - 6, bottom - (i + 0.5) * height + 4, texts[i], "end", 0.8) for i in range(0, len(texts), step)]


def _legend(value: Surface, ground: Ground, across: float) -> list[str]:
    """Return a bar of the colours with both ends, and what they stand for."""
    known = value.values[np.isfinite(value.values)]
    if not len(known):
        return []
    unit = f" {value.response.unit}" if value.response.unit else ""
    least, most = short_number(float(known.min())), name(f"{short_number(float(known.max()))}{unit}", 18)
    width = 4.0 if across >= WIDE else 2.0
    x = across - 13 - width * _STEPS - _PER_LETTER * len(most)
    parts = [
        box(x + i * width, 4, width + 0.3, 9, f'fill="{_hex(ground.shade(i / (_STEPS - 1)))}"') for i in range(_STEPS)
    ]
    parts.append(label(x - 5, 12.5, least, "end", 0.8))
    parts.append(label(x + _STEPS * width + 5, 12.5, most, "start", 0.8))
    parts.append(label(4, 12.5, name(value.response.name, int((x - 16) / _PER_LETTER) - len(least)), "start", 0.9))
    return parts


def _corner(value: Surface, column: int, row: int, width: float, height: float) -> tuple[float, float]:
    """Return the upper left corner of a cell; rows count from below."""
    return _LEFT + column * width, _TOP + (value.values.shape[0] - 1 - row) * height


def _hex(shade: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*shade)


def _dark(shade: tuple[int, int, int]) -> bool:
    red, green, blue = shade
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


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
    draw.dots(figure, goals[0], goals[1], "front", _design_told(found), **look)
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


def _design_told(found: Decision) -> list[str]:
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
