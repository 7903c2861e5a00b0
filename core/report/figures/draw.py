"""What every figure shares: size, axes with units, escaped names, samples of what is too much to draw."""

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.codec import FloatArray, Frozen
from core.report.shared.naming import PALETTE, cut, short_number, telling
from core.report.shared.svg import Axis
from core.trial import Metric

WEBGL_FROM = 2_000
"""From so many points on they are drawn with WebGL: as SVG each is an element of the page, laid out at every redraw.
Below, a machine without a graphics processor needs longer to set WebGL up than to lay the elements out."""
_FEW_DECADES, _SOME_DECADES = 2.2, 3.2
"""Over so few decades there is room for ticks at 2 and 5, or at 3, too."""
_MOST_DECADES = 8
"""With more decades than this, not each has a tick."""
GREY = "#8a929b"
"""Readable on light and on dark ground, for lines that help and points that stand back."""
ACCENT = "#c2590e"
"""What is chosen, on light and on dark ground."""
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star", "triangle-down", "cross", "hexagon", "bowtie")


class Picture(Frozen):
    """A figure, and what goes with it.

    Attributes
    ----------
    figure : colours are left to the template, so that a light and a dark theme both fit
    alt : what the figure shows, for those who cannot see it
    values : makes the table behind the figure
    note : what the figure leaves out, or ""
    """

    figure: go.Figure
    alt: str
    values: Callable[[], pd.DataFrame]
    note: str = ""


def name(text: object, limit: int = 32) -> str:
    """Return a name from a file as Plotly shows it letter for letter, its middle cut where it is long."""
    return whole(cut(str(text), limit))


def names(texts: Iterable[str], limit: int = 32) -> list[str]:
    """Return names from a file as `name` does, and what tells them apart of those that would look alike."""
    full = list(texts)
    short = [name(text, limit) for text in full]
    return short if len({*short}) == len({*full}) else [whole(text) for text in telling(full, limit)]


def whole(text: object) -> str:
    """Return a name as Plotly shows it letter for letter, uncut, for hovering."""
    return html.escape(str(text), quote=False)


def unit_label(metric: Metric, before: str = "") -> str:
    """Return an axis title: what, of which metric, in which unit."""
    text = metric.name if metric.unit in ("", metric.name) else f"{metric.name} ({metric.unit})"
    return name(f"{before} {text}".strip(), 60)


Look = str | Mapping[str, Any] | None
"""An axis: its title, or all of its look as `update_xaxes` takes it."""


def new_figure(height: int, across: Look = None, up: Look = None, **layout: Any) -> go.Figure:
    """Return an empty figure with little around it, its legend above it."""
    axes = {"xaxis": _axis(across), "yaxis": _axis(up)}
    return go.Figure(
        layout={**_layout(height), **axes, **layout, "template": {}}
    )  # Plotly's own takes five times as long


def _axis(look: Look) -> dict[str, Any]:
    return {"title_text": look} if isinstance(look, str) else dict(look or {})


def from_zero(title: str, instead: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return an axis that begins with 0, or has another look where there is one."""
    return {"title_text": title, **(instead or {"rangemode": "tozero"})}


def category(title: str) -> dict[str, Any]:
    """Return an axis of the rows or columns of a map."""
    return {"title_text": title, "type": "category", "showgrid": False}


def numbers_figure(height: int, across: Look, up: Look, **layout: Any) -> go.Figure:
    """Return an empty figure with room for an axis of numbers on either side, each with a title."""
    return _with_room(height, across, up, 72, **layout)


def _with_room(height: int, across: Look, up: Look, left: int, **layout: Any) -> go.Figure:
    looks = ({**_FIXED, **_axis(look)} for look in (across, up))
    return new_figure(height, *looks, margin={"l": left, **_AROUND}, **layout)


_FIXED: Mapping[str, Any] = MappingProxyType({"automargin": False})
"""The look of an axis that has its room: where Plotly measures what stands beside an axis it draws all of it twice."""
_AROUND: Mapping[str, int] = MappingProxyType({"r": 12, "t": 28, "b": 52})
_WIDTHS = MappingProxyType(
    {
        **dict.fromkeys(" |ij',.:;·lI!f()[]{}-tr/\\", 4.2),
        **dict.fromkeys("BCDGHKNOPQRUbdpqnhu&", 7.6),
        **dict.fromkeys("mwMW%@★…", 11.0),
    }
)
"""Of characters in pixels, at the size of axes and no less than the page's own letters take."""
_OTHER, _FOREIGN = 6.6, 13.0
"""Of characters that are not there, in ASCII and beyond."""


def width(label: str) -> float:
    """Return how many pixels the longest line of a label beside an axis takes at most, of what `name` gives."""
    lines = map(html.unescape, label.split("<br>"))
    return max(sum(_WIDTHS.get(sign, _OTHER if sign.isascii() else _FOREIGN) for sign in line) for line in lines)


def rows(labels: Sequence[str], room: int, each: int, across: Look, **layout: Any) -> go.Figure:
    """Return an empty figure with a row for each label, the first at the top, at the places 0, 1, … upwards.

    Parameters
    ----------
    room, each : height around the rows, and of one; there is room for two at least
    across : with `automargin` where it has words, which may stand upright
    """
    left = _BESIDE + round(max(map(width, labels), default=0.0))
    figure = _with_room(room + each * max(len(labels), 2), across, None, left, **layout)
    name_rows(figure, labels)
    return figure


def stacked(height: int, share: float, across: Look, *up: Look, **layout: Any) -> go.Figure:
    """Return two empty panels over the same axis, of which the upper one has a share of the height."""
    heights = [share, 1 - share]
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.07, row_heights=heights)
    style(figure, height, **layout)
    figure.update_xaxes(**_axis(across), row=2, col=1)
    for row, look in enumerate(up, start=1):
        figure.update_yaxes(**_axis(look), row=row, col=1)
    return figure


def column(values: Iterable[object]) -> npt.NDArray[np.object_]:
    """Return values as an array, as Plotly looks at each of a list by itself."""
    return np.fromiter(values, dtype=object)


def style(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Give a figure of several panels the same looks."""
    figure.update_layout(**_layout(height), **layout)
    return figure


_BESIDE = 12
"""Pixels that stand between a label, its axis and the edge."""
_ABOVE = {"yanchor": "bottom", "y": 1.02, "xanchor": "left", "x": 0}


def _layout(height: int) -> dict[str, Any]:
    return {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 28, "b": 8},
        "legend": {"orientation": "h", "itemsizing": "constant", **_ABOVE},
        "hoverlabel": {"align": "left"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }


def dots(
    figure: go.Figure,
    x: Any,
    y: Any,
    title: str | None = None,
    texts: Sequence[str] | None = None,
    hover: str | None = "%{text}",
    *,
    mode: str = "markers",
    row: int | None = None,
    **look: Any,
) -> None:
    """Add points whose hover says `hover` and nothing else; with None they have none.

    Parameters
    ----------
    texts : what `%{text}` stands for, one per point
    row : of a figure of several rows
    look : of the trace
    """
    _add(figure, row, hover, x=x, y=y, mode=mode, name=title, text=texts, **{"type": "scatter", **look})


def curve(figure: go.Figure, *values: Any, **look: Any) -> None:
    """Add points that a line joins; see `dots`."""
    dots(figure, *values, mode="lines+markers", **look)


def line(figure: go.Figure, *values: Any, **look: Any) -> None:
    """Add a line without points; see `dots`."""
    dots(figure, *values, mode="lines", **look)


def rule(figure: go.Figure, look: Mapping[str, Any], *, x: float | None = None, y: float | None = None) -> None:
    """Add a straight line from end to end of a figure of one panel, upright at x or level at y.

    Plotly's own way takes ten times as long.
    """
    at = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
    if x is None:
        at = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
    figure.layout.shapes = (*figure.layout.shapes, {"type": "line", "line": look, **at})


def spans(figure: go.Figure, low: Any, high: Any, title: str | None = None) -> None:
    """Add a thick grey line from `low` to `high` at each place 0, 1, … of the upward axis; none where either is NaN."""
    ends = list(zip(low, high, strict=True))
    x = [v for a, b in ends for v in (a, b, None)]
    y = [v for place in range(len(ends)) for v in (place, place, None)]
    line(figure, x, y, title, hover=None, line={"color": GREY, "width": 3}, showlegend=title is not None)


def bars(
    figure: go.Figure,
    x: Any,
    y: Any,
    title: str | None = None,
    texts: Sequence[str] | None = None,
    hover: str = "%{text}",
    *,
    across: bool = False,
    row: int | None = None,
    textposition: str = "none",
    **look: Any,
) -> None:
    """Add bars whose hover says `hover` and nothing else, from left to right where `across`; see `dots`."""
    look |= {"orientation": "h" if across else None, "textposition": textposition}
    _add(figure, row, hover, type="bar", x=x, y=y, name=title, text=texts, **look)


def _add(figure: go.Figure, row: int | None, hover: str | None, **trace: Any) -> None:
    said = {"hoverinfo": "skip"} if hover is None else {"hovertemplate": f"{hover}<extra></extra>"}
    figure.add_trace({**said, **trace}, **({} if row is None else {"row": row, "col": 1}))


def heat(
    z: Any, x: Sequence[object], y: Sequence[object], texts: Any, hover: str = "%{text}", **look: Any
) -> go.Heatmap:
    """Return a map of `z`, of shape (len(y), len(x)), whose cells stand a little apart; see `dots`."""
    hover = f"{hover}<extra></extra>"
    return go.Heatmap(z=z, x=list(x), y=list(y), text=texts, hovertemplate=hover, xgap=1, ygap=1, **look)


def ranking(
    room: int, each: int, values: Any, labels: Sequence[str], hover: str, across: Look, **look: Any
) -> go.Figure:
    """Return bars across, the first at the top, each with its label beside it; see `rows` and `bars`."""
    figure = rows(labels, room, each, across, showlegend=False)
    bars(figure, values, list(range(len(labels))), hover=hover, across=True, **look)
    return figure


def boxes(height: int, values: Mapping[str, Any], across: str, up: str) -> go.Figure:
    """Return a box for the spread of each group of values, by what the group is called."""
    figure = new_figure(height, {"title_text": across, "type": "category"}, from_zero(up), showlegend=False)
    for title, own in values.items():
        figure.add_trace(go.Box(y=own, name=title, boxpoints=False, line={"color": PALETTE[0]}))
    return figure


def histogram(
    height: int, title: str, edges: FloatArray, counts: Any, noun: str, alt: str, *, log: bool, **up: Any
) -> Picture:
    """Return how many of a noun are between each two of the edges, which stand on an axis of that title."""
    across = {"title_text": title, **(log_axis(edges) if log else {})}
    figure = new_figure(height, across, {"title_text": noun, **up}, showlegend=False)
    ends, wide = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges.tolist())], np.diff(edges)
    bars(figure, edges[:-1] + wide / 2, counts, texts=ends, hover=f"%{{text}}: %{{y:,}} {noun}", width=wide)
    table = {"from": edges[:-1], "to": edges[1:], noun: counts}
    return Picture(figure, alt, lambda: pd.DataFrame(table))


def pairs_map(trace: go.Heatmap, labels: Sequence[str], height: int, **look: Any) -> go.Figure:
    """Return a map of the same things across and down, which are called by labels at the places 0, 1, …."""
    figure = new_figure(height)
    figure.add_trace(trace)
    axis = {"tickvals": list(range(len(labels))), "ticktext": list(labels), "showgrid": False, **look}
    figure.update_xaxes(**{"tickangle": -60, **axis})
    figure.update_yaxes(**{**axis, "tickangle": None, "autorange": "reversed"})
    return figure


def each_pair(labels: Sequence[object]) -> list[list[str]]:
    """Return what is hovered over a map of the same things across and down."""
    full = [whole(label) for label in labels]
    return [[f"{a}<br>{b}" for b in full] for a in full]


def name_rows(figure: go.Figure, labels: Sequence[str]) -> None:
    """Write a label beside each place 0, 1, … of the upward axis, the first at the top."""
    n = len(labels)
    figure.update_yaxes(tickvals=list(range(n)), ticktext=list(labels), range=[n - 0.4, -0.6], zeroline=False)


def colour_bar(title: str, **more: Any) -> dict[str, Any]:
    """Return the look of a colour scale with its title beside it."""
    return {"title": {"text": title, "side": "right"}, "thickness": 12, **more}


def bar_above(title: str, **more: Any) -> dict[str, Any]:
    """Return the look of a colour scale above a map, as a narrow window has no room beside."""
    bar = {"title": {"text": title, "side": "top"}, "thickness": 10, "lenmode": "pixels", "len": 180}
    return {**bar, "orientation": "h", "yanchor": "bottom", "y": 1, "ypad": 6, "xanchor": "right", "x": 1, **more}


def level_axis(texts: Sequence[str], every: int, room: float, **look: Any) -> dict[str, Any]:
    """Return an axis of levels 0, 1, … with `room` before the first and after the last, and a text at some of them."""
    places = list(range(0, len(texts), max(1, every)))
    ends = [-room, len(texts) - 1 + room]
    return {"tickvals": places, "ticktext": [texts[i] for i in places], "range": ends, **look}


DOWN = {"autorange": "reversed"}
"""The look of an upward axis whose first label stands at the top."""
BARE = {"showgrid": False, "zeroline": False}
"""The look of an axis without lines."""


def scatter_type(n: int) -> str:
    """Return the trace to draw n points with."""
    return "scattergl" if n > WEBGL_FROM else "scatter"


def log_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Return powers of ten for a colour bar, as logarithms and as texts."""
    exponents = np.arange(np.floor(low), np.ceil(high) + 1)
    return list(exponents), [f"{10.0**e:g}" for e in exponents]


def decade_ticks(low: float, high: float) -> dict[str, Any]:
    """Return ticks of a logarithmic axis, as `update_xaxes` takes them: 1, 2 and 5 of each decade, fewer of many.

    Each tick is a whole number of its own, because Plotly's own "2" and "5" leave the power of ten to be guessed.
    Between ends that have fewer than two of these there are other round numbers.
    """
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    decades = np.log10(high / low)
    steps = (1, 2, 5) if decades <= _FEW_DECADES else (1, 3) if decades <= _SOME_DECADES else (1,)
    every = max(1, -(-(last - first) // _MOST_DECADES))
    ticks = [(step, k) for k in range(first, last + 1, every) for step in steps]
    places = [s * 10.0**k for s, k in ticks]
    if low < high and sum(low <= place <= high for place in places) < 2:
        places = Axis("", low, high).ticks()
        return {"tickvals": places, "ticktext": [short_number(place) for place in places]}
    return {"tickvals": places, "ticktext": [_tick(s, k) for s, k in ticks]}


def log_axis(values: FloatArray) -> dict[str, Any]:
    """Return a logarithmic axis with ticks for these values, of which the positive ones count."""
    known = values[np.isfinite(values) & (values > 0)]
    return {"type": "log", **(decade_ticks(float(known.min()), float(known.max())) if len(known) else {})}


def wide_axis(values: FloatArray, wide: float) -> dict[str, Any]:
    """Return a logarithmic axis for positive values over more than a factor; nothing for others."""
    known = values[np.isfinite(values)]
    return log_axis(known) if len(known) and known.min() > 0 and known.max() > wide * known.min() else {}


def _tick(step: int, exponent: int) -> str:
    """Return such as "0.02" or "50,000", and a power of ten beyond that."""
    if -4 <= exponent < 5:
        return f"{step * 10**exponent:,}" if exponent >= 0 else f"{step * 10.0**exponent:.{-exponent}f}"
    return f"{step}·10<sup>{exponent}</sup>" if step > 1 else f"10<sup>{exponent}</sup>"


def padded(values: FloatArray, log: bool, share: float = 0.04) -> tuple[float, float]:
    """Return the range of finite values with some room, as Plotly wants it (a log axis in logarithms)."""
    known = values[np.isfinite(values) & (values > 0)] if log else values[np.isfinite(values)]
    if not len(known):
        return (0.0, 1.0)
    ends = np.array([known.min(), known.max()])
    low, high = (float(v) for v in (np.log10(ends) if log else ends))
    room = (high - low) * share or 0.5
    return low - room, high + room
