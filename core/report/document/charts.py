"""Pictures of documents as SVG, drawn from values alone: points and curves, bars, boxes, maps and spans of time."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from core.codec import FloatArray, Frozen
from core.report.shared import svg
from core.report.shared.naming import short_number
from core.report.shared.svg import Sketch as Sketch

_DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2")
N_LOOKS = len(_DASHES)
_LEGEND, _PER_ROW = 18, 2
_ROW, _NAMES, _LONGEST_NAME = 22, 168, 24
_LIGHT, _DARK = np.array([232, 241, 250]), np.array([16, 66, 120])
"""Ends of a map's colours."""
_BLACK_TO = 0.69
"""Text is black up to this share and white beyond it, with a contrast of at least 4.5 everywhere."""


Place = Callable[..., list[float]]
"""Where values lie along the axis of a picture."""
Titled = svg.Axis | str
"""An axis, or the title of one that holds all values."""


class Series(Frozen):
    """Points, or a line through them.

    Attributes
    ----------
    x, y : arrays of shape (n,); a line breaks where y is not known
    """

    name: str
    x: FloatArray
    y: FloatArray
    line: bool = True


def picture(inner: str, height: float, alt: str) -> Sketch:
    """Return a picture that says what it shows."""
    said = escape(alt)
    head = f'<svg viewBox="0 0 {svg.WIDTH} {height:.0f}" role="img" aria-label="{said}">'
    return Sketch(f"{head}<title>{said}</title>{inner}</svg>", f"{alt}.")


def scatter(
    x: FloatArray, y: FloatArray, across: Titled, up: Titled, alt: str, lines: tuple[tuple[float, float], ...]
) -> Sketch:
    """Return a picture of points, and of straight lines up = slope · across + level behind them.

    Parameters
    ----------
    x, y : arrays of shape (n,); points beyond an axis are drawn on its end
    alt : what the picture shows, for those who cannot see it
    lines : pairs of slope and level; the first is drawn solid
    """
    return plot([Series("", x, y, line=False)], across, up, alt, lines)


def over_measured(y: FloatArray, predicted: FloatArray, response: str, alt: str) -> Sketch:
    """Return a picture of predictions over what was measured, on like axes.

    A line shows what is right; where nothing is below 0, two more show what is 20 % off. `response` has its unit.
    """
    every = np.concatenate([y, predicted])
    both = svg.axis_for("", every)
    across, up = (replace(both, title=f"{what} {response}") for what in ("measured", "predicted"))
    lines = ((1.0, 0.0), (1.2, 0.0), (0.8, 0.0)) if every.min() >= 0 else ((1.0, 0.0),)
    return scatter(y, predicted, across, up, alt, lines)


def plot(
    series: Sequence[Series], across: Titled, up: Titled, alt: str, lines: tuple[tuple[float, float], ...] = ()
) -> Sketch:
    """Return a picture of several series over the same axes, named above it; `lines` as of `scatter`."""
    across, up = _axis(across, [s.x for s in series]), _axis(up, [s.y for s in series])
    named = [s.name for s in series if s.name]
    rows = -(-len(named) // _PER_ROW) if len(series) > 1 else 0
    area = svg.Area(top=12.0 + rows * _LEGEND)
    guides = "".join(_guide(across, up, area, slope, level, i) for i, (slope, level) in enumerate(lines))
    drawn = "".join(_series(s, across, up, area, i) for i, s in enumerate(series))
    inner = f'{svg.drawn_across(across, area)}{svg.drawn_up(up, area)}<g class="lines">{guides}</g>{drawn}'
    return picture(inner + (_legend(series) if rows else ""), area.whole, alt)


def _axis(given: Titled, values: Sequence[FloatArray]) -> svg.Axis:
    every = np.concatenate(values)
    return svg.axis_for(given, every[np.isfinite(every)]) if isinstance(given, str) else given


def _guide(across: svg.Axis, up: svg.Axis, area: svg.Area, slope: float, level: float, number: int) -> str:
    x = np.geomspace(across.low, across.high, 60) if across.log else np.linspace(across.low, across.high, 60)
    y = slope * x + level
    inside = (y >= up.low) & (y <= up.high)
    dash = ' stroke-dasharray="3 4"' if number else ""
    return f'<polyline points="{_places(across, up, area, x[inside], y[inside])}"{dash}/>'


def _series(s: Series, across: svg.Axis, up: svg.Axis, area: svg.Area, look: int) -> str:
    known = np.isfinite(s.x) & np.isfinite(s.y)
    if not s.line:
        places = zip(area.x(across.share(s.x[known])), area.y(up.share(s.y[known])), strict=True)
        return f'<g class="dots s{look % N_LOOKS}">{"".join(svg.dot(a, b, 3) for a, b in places)}</g>'
    parts = np.split(np.flatnonzero(known), np.flatnonzero(np.diff(np.flatnonzero(known)) > 1) + 1)
    lines = "".join(f'<polyline points="{_places(across, up, area, s.x[p], s.y[p])}"/>' for p in parts)
    return f'<g class="curve s{look % N_LOOKS}"{_dash(look)}>{lines}</g>'


def _places(across: svg.Axis, up: svg.Axis, area: svg.Area, x: FloatArray, y: FloatArray) -> str:
    return svg.points(area.x(across.share(x)), area.y(up.share(y)))


def _dash(look: int) -> str:
    dash = _DASHES[look % N_LOOKS]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _legend(series: Sequence[Series]) -> str:
    parts = []
    for i, s in enumerate(s for s in series if s.name):
        x, y = 68 + (i % _PER_ROW) * 194, 12 + (i // _PER_ROW) * _LEGEND
        look = f'class="curve s{i % N_LOOKS}"{_dash(i)}'
        mark = f'<g {look}><polyline points="{x},{y} {x + 24},{y}"/></g>' if s.line else ""
        point = "" if s.line else f'<g class="dots s{i % N_LOOKS}">{svg.dot(x + 12, y, 4)}</g>'
        parts.append(f'{mark}{point}<text x="{x + 30}" y="{y + 4}">{escape(_short(s.name))}</text>')
    return "".join(parts)


def bars(names: Sequence[str], values: FloatArray, title: str, alt: str, ends: FloatArray | None = None) -> Sketch:
    """Return a picture of lying bars from 0, with their numbers.

    Parameters
    ----------
    values : array of shape (n,); what is not known has no bar
    title : of the axis, with its unit
    ends : array of shape (n, 2), low and high ends of a whisker each; NaN for none
    """

    def drawn(i: int, y: float, place: Place) -> str:
        left, right = sorted(place(0.0, values[i]))
        bar = _rect(left, right, y, "s0") if np.isfinite(values[i]) else ""
        return bar + (_whisker(place(*ends[i]), y) if ends is not None and np.isfinite(ends[i]).all() else "")

    return _rows(names, values if ends is None else np.append(values, ends), title, alt, drawn)


def boxes(names: Sequence[str], groups: Sequence[FloatArray], title: str, alt: str) -> Sketch:
    """Return a picture of a lying box per group: the mean, a standard deviation to both sides, and both extremes.

    References
    ----------
    Greathouse, Loh 2018, figure 9, has the same meaning of box and whiskers.
    """

    def drawn(i: int, y: float, place: Place) -> str:
        group, mean, std = groups[i], float(groups[i].mean()), float(groups[i].std())
        low, left, centre, right, high = place(group.min(), mean - std, mean, mean + std, group.max())
        line = f'<line class="mark" x1="{centre:.1f}" x2="{centre:.1f}" y1="{y + 3:.1f}" y2="{y + 19:.1f}"/>'
        return _whisker([low, high], y) + _rect(left, right, y, "s0 pale") + line

    return _rows(names, np.concatenate(groups), title, alt, drawn)


def spans(
    names: Sequence[str], starts: FloatArray, ends: FloatArray, marked: Sequence[bool], title: str, alt: str
) -> Sketch:
    """Return a picture of spans along an axis, one below the other; those marked are drawn in another colour."""

    def drawn(i: int, y: float, place: Place) -> str:
        left, right = place(starts[i], ends[i])
        return _rect(left, max(right, left + 1), y, f"s{int(marked[i])}")

    return _rows(names, ends, title, alt, drawn)


def _rows(
    names: Sequence[str], values: FloatArray, title: str, alt: str, drawn: Callable[[int, float, Place], str]
) -> Sketch:
    """Return a picture of named rows along an axis of values, of which what is not known does not count."""
    known = np.append(values[np.isfinite(values)], 0.0)
    across, area = svg.axis_for(title, known), svg.Area(left=_NAMES, height=float(_ROW * max(len(names), 1)))
    across = replace(across, low=0.0) if known.min() >= 0 else across

    def place(*values: float) -> list[float]:
        found: list[float] = area.x(across.share(np.array(values))).tolist()
        return found

    parts = [svg.drawn_across(across, area)]
    for i, name in enumerate(names):
        y = area.top + i * _ROW
        parts += [_text(area.left - 6, y + 15, _short(name), "end"), drawn(i, y, place)]
    return picture("".join(parts), area.whole, alt)


def heat(columns: Sequence[str], rows: Sequence[str], values: FloatArray, titles: tuple[str, str], alt: str) -> Sketch:
    """Return a map of numbers, the first row at the bottom.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns), NaN where nothing is known
    titles : of the axis across and of the one up, with units
    """
    area = svg.Area(height=max(26.0 * len(rows), 60.0))
    wide, high = (svg.WIDTH - svg.RIGHT - area.left) / len(columns), area.height / len(rows)
    low, top = float(np.nanmin(values)), float(np.nanmax(values))
    parts = []
    for (i, j), value in np.ndenumerate(values):
        x, y = area.left + j * wide, area.top + (len(rows) - 1 - i) * high
        parts.append(_square(x, y, wide, high, float(value), (float(value) - low) / ((top - low) or 1.0)))
    bottom = area.top + area.height
    for j, text in enumerate(columns):
        parts.append(_text(area.left + (j + 0.5) * wide, bottom + 16, text))
    for i, text in enumerate(rows):
        parts.append(_text(area.left - 6, area.top + (len(rows) - 0.5 - i) * high + 4, text, "end"))
    named = svg.title_across(titles[0], area) + svg.title_up(titles[1], area)
    return picture("".join(parts) + named, area.whole, alt)


def _square(x: float, y: float, wide: float, high: float, value: float, share: float) -> str:
    if not np.isfinite(value):
        return ""
    colour = ",".join(f"{c:.0f}" for c in _LIGHT + share * (_DARK - _LIGHT))
    ink = "#fff" if share > _BLACK_TO else "#000"
    number = _text(x + wide / 2, y + high / 2 + 4, short_number(value, 3), look=f' style="fill:{ink}"')
    shown = number if wide > 24 else ""
    return svg.box(x, y, wide, high, f'style="fill:rgb({colour})"') + shown


def _text(x: float, y: float, text: str, anchor: str = "middle", look: str = "") -> str:
    return f'<text{look} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _rect(left: float, right: float, y: float, look: str) -> str:
    """Return the bar of a row."""
    return svg.box(left, y + 4, right - left, 14, f'class="{look}"')


def _whisker(x: Sequence[float], y: float) -> str:
    low, high = x
    ends = "".join(f'<line x1="{e:.1f}" x2="{e:.1f}" y1="{y + 6:.1f}" y2="{y + 16:.1f}"/>' for e in (low, high))
    return f'<g class="whisker"><line x1="{low:.1f}" x2="{high:.1f}" y1="{y + 11:.1f}" y2="{y + 11:.1f}"/>{ends}</g>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
