"""Points of trials, coloured by a label or a number, and the part of the plane to show of them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.report.figures import draw
from core.report.figures.draw import GREY, SYMBOLS, name, unit_label, whole
from core.report.shared.naming import Colour, Grouping, Shading

_MOST_APART = 500
"""Points up to which each is drawn, of those with an interval all are; of more, neighbours are one."""
_ROOM = ((110, 80), (80, 58), (58, 42), (42, 30))
"""How many points of 5, 7, 10 or 14 pixels a picture has room for side by side."""
_SHADES = 8
_WIDE = 20.0
_FAR = 100.0
"""Errors of more than so many times the usual one are not drawn: they would press all others to the foot."""


class View(Frozen):
    """The ends of an axis, as Plotly wants them: logarithms to base 10 on a log axis."""

    low: float
    high: float
    log: bool

    @property
    def range(self) -> list[float]:
        """Both ends."""
        return [self.low, self.high]

    def axis(self, title: str) -> dict[str, Any]:
        """Return an axis with its type, range and ticks."""
        kind = draw.log_axis(self.ends) if self.log else {"type": "linear"}
        return {"title_text": title, **kind, "range": self.range}

    @property
    def ends(self) -> FloatArray:
        """Both ends in the axis' unit."""
        ends: FloatArray = np.array(self.range)
        return 10.0**ends if self.log else ends

    def hold(self, values: FloatArray) -> FloatArray:
        """Return values, those outside moved to the edge; NaN stays."""
        low, high = self.ends
        return np.clip(values, low, high)

    def outside(self, values: FloatArray) -> BoolArray:
        """Return which values lie outside."""
        low, high = self.ends
        return np.asarray((values < low) | (values > high))


def view(core: FloatArray, others: FloatArray, log: bool) -> View:
    """Show all of `core`, and of `others` what lies at most half the span of `core` beyond it."""
    low, high = draw.padded(core, log)
    far_low, far_high = draw.padded(np.concatenate([core, others]), log)
    room = (high - low) / 2
    return View(max(far_low, low - room), min(far_high, high + room), log)


def middle(values: FloatArray, share: float = 0.98) -> FloatArray:
    """Return the values without the outermost ones on both sides."""
    known = values[np.isfinite(values)]
    if len(known) < 3:
        return known
    low, high = np.quantile(known, [(1 - share) / 2, (1 + share) / 2])
    return np.asarray(known[(known >= low) & (known <= high)])


def edge_note(outside: BoolArray, what: str) -> str:
    """Say how many points were moved to the edge."""
    n = int(outside.sum())
    if not n:
        return ""
    lies = "lies" if n == 1 else "lie"
    return f"{n:,} of {len(outside):,} {what} {lies} far outside and {'is' if n == 1 else 'are'} drawn on the edge."


def upwards(errors: FloatArray, wide: float = _WIDE) -> tuple[float, dict[str, Any]]:
    """Return the largest error to draw, and the axis, logarithmic where errors differ widely."""
    known = errors[np.isfinite(errors)]
    if not len(known):
        return 1.0, {"rangemode": "tozero"}
    top, low = min(float(known.max()), _FAR * float(np.median(known))), float(known.min())
    return top, draw.wide_axis(np.array([low, top]), wide) or {"rangemode": "tozero"}


Say = Callable[[int], str]


class Points(Frozen):
    """Where trials stand and what they are called.

    Attributes
    ----------
    x, y : arrays of shape (n_points,)
    names : what hovering shows first, one per point
    rows : array of shape (n_points,), row numbers in the frame
    told : gives the numbers that hovering shows for a point; its place on the axes if None
    low, high : arrays of shape (n_points,), the ends of an interval along y, or None
    log : whether the axes are logarithmic
    """

    x: FloatArray
    y: FloatArray
    names: tuple[str, ...]
    rows: IntArray
    told: Say | None = None
    low: FloatArray | None = None
    high: FloatArray | None = None
    log: bool = False


def add_points(figure: go.Figure, points: Points, colour: Colour | None) -> str:
    """Add one point per trial, or per place where trials lie on each other, and return a note where that is so.

    Each point carries the numbers of its rows as `customdata`, so that a selection can be traced back: in a text, as
    Plotly copies lists number by number.
    """
    here = _together(points, colour)
    drawn = np.array([places[0] for places in here], dtype=np.int64)
    rows = {place: points.rows[places].tolist() for place, places in zip(drawn.tolist(), here, strict=True)}
    sizes = dict(zip(drawn.tolist(), _sizes(here).tolist(), strict=True))
    layers = [
        {
            "type": draw.scatter_type(len(drawn)),
            "x": points.x[places],
            "y": points.y[places],
            "mode": "markers",
            "name": title,
            "error_y": _bars(points, places),
            "showlegend": isinstance(colour, Grouping),
            "legendgroup": title,
            "customdata": draw.column(" ".join(map(str, rows[place])) for place in places.tolist()),
            "text": draw.column(_hover(points, colour, places, rows)),
            "marker": {"size": np.array([sizes[place] for place in places.tolist()]), **marker},
            "hovertemplate": "%{text}" + ("" if points.told else "<br>%{x:.4g}, %{y:.4g}") + "<extra></extra>",
            "selected": {"marker": {"opacity": 1}},
            "unselected": {"marker": {"opacity": 0.12}},
        }
        for places, title, marker in _layers(figure, colour, drawn)
    ]
    figure.add_traces(layers)
    if len(drawn) == len(points.x):
        return ""
    return f"{len(points.x):,} trials, neighbours drawn as one point, the larger the more: {len(drawn):,} points."


def _together(points: Points, colour: Colour | None) -> list[IntArray]:
    """Return the places of trials by the point that stands for them: alike in colour, and near to each other.

    How near is the least of some distances that leaves few enough points; at the first they cannot be told apart.
    """
    n = len(points.x)
    if n <= _MOST_APART or points.low is not None:
        return list(np.arange(n)[:, None])
    colours = _colours(colour, n)
    for width, height in _ROOM:
        across, up = _steps(points.x, width, points.log), _steps(points.y, height, points.log)
        cell = (colours * (height + 2) + up) * (width + 2) + across
        order = np.argsort(cell, kind="stable")
        found = np.split(order, np.flatnonzero(np.diff(cell[order])) + 1)
        if len(found) <= _MOST_APART:
            break
    return sorted(found, key=lambda places: int(places[0]))


def _sizes(here: list[IntArray]) -> IntArray:
    """Return the size of each point: all alike where each is one trial, larger where it stands for more."""
    many = np.array([len(places) for places in here])
    return np.where(many.max(initial=1) == 1, 7, np.minimum(5 + 2 * np.log2(many), 13)).round().astype(np.int64)


def _steps(values: FloatArray, n: int, log: bool) -> IntArray:
    """Return in which of n steps between least and largest each value lies; those that are not numbers in the last."""
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.log(values) if log else values
    known = place[np.isfinite(place)]
    low, span = (known.min(), np.ptp(known) or 1.0) if len(known) else (0.0, 1.0)
    return np.where(np.isfinite(place), np.nan_to_num((place - low) / span * n), n + 1).astype(np.int64)


def _colours(colour: Colour | None, n: int) -> IntArray:
    """Return a number per trial, the same where trials have the same colour."""
    if isinstance(colour, Shading):
        return _steps(colour.values, _SHADES, colour.log)
    number = {} if colour is None else {text: i + 1 for i, text in enumerate(colour.order)}
    return np.array([number.get(text, 0) for text in colour.texts]) if colour else np.zeros(n, dtype=np.int64)


def _layers(figure: go.Figure, colour: Colour | None, drawn: IntArray) -> list[tuple[IntArray, str, dict[str, Any]]]:
    """Return which points are drawn together, as what, and how; those that stand back come first."""
    if colour is None:
        return [(drawn, "trials", {"opacity": 0.7})]
    if isinstance(colour, Shading):
        return [(drawn, unit_label(colour.metric), _shades(figure, colour, drawn))]
    layers = []
    if colour.n_others:
        title = f"{colour.n_others} {'other' if colour.n_others == 1 else 'others'}"
        layers.append((np.intersect1d(drawn, colour.other_rows()), title, {"color": GREY, "opacity": 0.45}))
    for i, value in enumerate(colour.order):
        symbol = SYMBOLS[(i + i // len(SYMBOLS)) % len(SYMBOLS)]  # colours repeat after ten, with other symbols
        look = {"symbol": symbol, "opacity": 0.8}
        layers.append((np.intersect1d(drawn, colour.rows_of(value)), name(value, 28), look))
    return layers


def _bars(points: Points, places: IntArray) -> dict[str, Any] | None:
    if points.low is None or points.high is None:
        return None
    y = points.y[places]
    down, up = np.nan_to_num(y - points.low[places]), np.nan_to_num(points.high[places] - y)
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1, "width": 0}


def _shades(figure: go.Figure, colour: Shading, drawn: IntArray) -> dict[str, Any]:
    values = colour.values[drawn]
    bar: dict[str, Any] = draw.colour_bar(unit_label(colour.metric))
    if colour.log:
        values = np.log10(values)
        bar["tickvals"], bar["ticktext"] = draw.log_ticks(float(values.min()), float(values.max()))
    figure.update_layout(coloraxis={"colorbar": bar})
    return {"color": values, "coloraxis": "coloraxis", "opacity": 0.85}


def _hover(points: Points, colour: Colour | None, places: IntArray, rows: Mapping[int, list[int]]) -> list[str]:
    def called(i: int) -> str:
        return whole(points.names[i]) + (f" and {len(rows[i]) - 1:,} more" if len(rows[i]) > 1 else "")

    parts: list[Say] = [called]
    if isinstance(colour, Grouping):
        head, texts = whole(colour.label), colour.texts
        parts.append(lambda i: f"{head}: {whole(texts[i])}")
    elif isinstance(colour, Shading):
        title, values = unit_label(colour.metric), colour.values
        parts.append(lambda i: f"{title}: {values[i]:.4g}")
    if points.told is not None:
        parts.append(points.told)
    return ["<br>".join(say(i) for say in parts) for i in places.tolist()]
