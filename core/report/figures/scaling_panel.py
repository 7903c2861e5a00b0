"""Small vector graphics: curves over one axis, segments over time, and configurations as points with their front."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.report.figures import draw, sketch
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.figures.sketch import LIGHT, Ground, Scale, Sketch, box, dot, drawing, label, line
from core.report.scaling.application import Everywhere, Timeline
from core.report.scaling.kernels import Line, Panel, cluster_colour
from core.report.scaling.race import Front
from core.report.shared.naming import PALETTE, short_number
from core.report.space.whatif import Curve, WhatIf, log_axis
from core.scaling.outcome import EDP, ENERGY
from core.space.plan import shown

_TOP, _HEIGHT = 28.0, 146.0
_LEGEND = 420.0
LINE = PALETTE[0]


def panel_sketch(
    panel: Panel, ends: tuple[float, float] | None = None, ground: Ground = LIGHT, width: float = sketch.WIDTH
) -> Sketch:
    """Draw curves over an axis; `ends` are those of the axis upwards, so that several panels can share it.

    A wide one is higher too.
    """
    low, high = ends or panel.ends
    height = max(_HEIGHT, 0.44 * width)
    frame = sketch.Plot(panel.axis, log_axis(panel.axis), low, high, _TOP, height, width)
    what = sketch.label(4, 21, name(panel.what, frame.letters - 1) + frame.up.log_told, "start", 0.7)
    parts = frame.axes(sketch.label(4, 9, name(panel.title, frame.letters), "start", 1.0), what)
    fronts = [one for one in panel.lines if not one.behind]
    for one in panel.lines:
        colour = panel.colour or (GREY if one.behind else cluster_colour(fronts.index(one)))
        parts += _band(frame, one.low, one.high, colour) + _curve(frame, one, colour)
    if np.isfinite(panel.at):
        parts += _mark(frame, float(frame.place(np.array([panel.at]))[0]), panel.marked)
    return sketch.Sketch(sketch.drawing(parts, width, height, ground), _alt(panel))


def legend_sketch(names: tuple[str, ...], ground: sketch.Ground = sketch.LIGHT) -> sketch.Sketch:
    """Draw which colour stands for which curve."""
    parts, x, y = [], 4.0, 12.0
    for i, text in enumerate(names):
        said = name(text, 40)
        width = 26 + sketch.LETTER * len(said)
        if x + width > _LEGEND and x > 4:
            x, y = 4.0, y + 16
        parts.append(sketch.box(x, y - 6, 14, 3.5, f'fill="{PALETTE[i % len(PALETTE)]}"'))
        parts.append(sketch.label(x + 18, y, said, "start", 0.9))
        x += width + 8
    return sketch.Sketch(
        sketch.drawing(parts, _LEGEND, y + 6, ground, 11.0), f"Colours of the curves: {', '.join(names)}."
    )


def _curve(frame: sketch.Plot, one: Line, colour: str) -> list[str]:
    known = np.flatnonzero(np.isfinite(one.values))
    if not len(known):
        return []
    x, y = frame.x[known], frame.up.place(one.values[known])
    if one.behind and not one.measured:
        return [sketch.line(x, y, colour, 0.8, ' opacity="0.35"')]
    parts = [] if one.behind else [sketch.line(x, y, colour, 2)]
    look = f'fill="none" stroke="{colour}" stroke-width="1.4"' if one.behind else f'fill="{colour}"'
    size = 3.2 if one.behind else 2.4
    return [*parts, *(sketch.dot(a, b, size, look) for a, b in zip(x, y, strict=True))]


def _band(frame: sketch.Plot, low: FloatArray | None, high: FloatArray | None, colour: str) -> list[str]:
    """Draw an interval along the levels at which both ends are known."""
    if low is None or high is None:
        return []
    known = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
    down, up = (frame.up.place(end[known]) for end in (low, high))
    return [sketch.area(frame.x[known], down, up, colour)] if len(known) > 1 else []


def _mark(frame: sketch.Plot, x: float, marked: tuple[float, float, float], colour: str = LINE) -> list[str]:
    """Mark a place, and the value there with both ends of its interval, as far as they are known."""
    parts = [frame.upright(x, 0.35)]
    value, low, high = frame.up.place(np.array(marked)).tolist()
    if np.isfinite(low) and np.isfinite(high):
        parts.append(sketch.line([x, x], [low, high], LINE, 5, ' opacity="0.35" stroke-linecap="round"'))
    if np.isfinite(value):
        parts.append(sketch.dot(x, value, 5, f'fill="{colour}" stroke="currentColor" stroke-width="1.2"'))
    return parts


def _alt(panel: Panel) -> str:
    said = []
    for one in [one for one in panel.lines if not one.behind][:6]:
        known = np.flatnonzero(np.isfinite(one.values))
        if len(known):
            a, b = int(known[0]), int(known[-1])
            levels = panel.axis.levels
            said.append(
                f"{one.name} from {short_number(float(one.values[a]), 3)} at {shown(levels[a])} "
                f"to {short_number(float(one.values[b]), 3)} at {shown(levels[b])}"
            )
    here = f"; here {short_number(panel.at)}" if np.isfinite(panel.at) else ""
    return f"{panel.what} over {panel.axis}, {panel.title}: {'; '.join(said) or 'nothing known'}{here}."


_PROFILE_TOP, _PROFILE_HEIGHT, _PROFILE_WIDTH = 16.0, 130.0, 240.0


def profile(value: WhatIf, curve: Curve, ground: sketch.Ground = sketch.LIGHT, own: bool = False) -> sketch.Sketch:
    """Draw the response over one parameter's levels; the design is marked, the baseline is dashed and grey.

    All curves have the same axis upwards, so that they can be compared, or each its own.
    """
    low, high = value.ends_of(curve) if own else value.ends
    frame = sketch.Plot(curve.parameter, curve.log, low, high, _PROFILE_TOP, _PROFILE_HEIGHT, _PROFILE_WIDTH)
    categorical, answer = curve.parameter.categorical, value.answer
    unit = name(value.response.unit or value.response.name, 34) + frame.up.log_told
    parts = [
        *frame.axes(sketch.label(4, 9, unit, "start", 0.75)),
        *([] if categorical else _band(frame, curve.low, curve.high, LINE)),
        *_pinned(frame, curve),
        *_line(frame, curve),
        *_mark(frame, frame.x[curve.at], (answer.value, answer.low, answer.high), sketch.FAR if answer.why else LINE),
    ]
    return sketch.Sketch(sketch.drawing(parts, _PROFILE_WIDTH, _PROFILE_HEIGHT, ground), _profile_alt(value, curve))


def _line(frame: sketch.Plot, curve: Curve) -> list[str]:
    """Draw the curve, dashed where a level lies outside the trained range, and a point per level."""
    x, y = frame.x, frame.up.place(curve.values)
    parts = []
    for i in range(len(x) - 1 if not curve.parameter.categorical else 0):
        if np.isfinite(y[i : i + 2]).all():
            far = bool(curve.outside[i : i + 2].any())
            dash = ' stroke-dasharray="4 3"' if far else ""
            parts.append(sketch.line(x[i : i + 2], y[i : i + 2], sketch.FAR if far else LINE, 2, dash))
    for i in np.flatnonzero(np.isfinite(y)).tolist():
        colour = sketch.FAR if curve.outside[i] else LINE
        look = f'fill="{colour}"' if curve.allowed[i] else f'fill="none" stroke="{colour}"'
        size = 4.2 if curve.parameter.categorical else 2.4
        parts.append(sketch.dot(x[i], y[i], size, look))
    return parts


def _pinned(frame: sketch.Plot, curve: Curve) -> list[str]:
    if curve.pinned is None:
        return []
    y = frame.up.place(curve.pinned)
    known = np.flatnonzero(np.isfinite(y))
    dash = ' stroke-dasharray="2 3"'
    parts = [] if curve.parameter.categorical else [sketch.line(frame.x[known], y[known], GREY, 1.5, dash)]
    at = curve.pinned_at
    if np.isfinite(y[at]):
        parts.append(sketch.box(frame.x[at] - 3.5, y[at] - 3.5, 7, 7, f'fill="{GREY}"'))
    return parts


def _profile_alt(value: WhatIf, curve: Curve) -> str:
    known = np.flatnonzero(np.isfinite(curve.values))
    if not len(known):
        return f"{value.response} over {curve.parameter}: no prediction at any level."
    low, high = (int(known[i]) for i in (np.argmin(curve.values[known]), np.argmax(curve.values[known])))
    told = [(shown(curve.parameter.levels[i]), short_number(float(curve.values[i]))) for i in (low, high)]
    return (
        f"Predicted {value.response} over {curve.parameter}, all else as chosen: smallest {told[0][1]} "
        f"at {told[0][0]}, largest {told[1][1]} at {told[1][0]}; here {shown(curve.parameter.levels[curve.at])}."
    )


MOST_DRAWN = 60
ENERGY_UNKNOWN = "Energy is not known: a segment has no power, and its model predicts none."
CRITICAL, OTHER = "#cb7120", "#3d83cc"
_WIDTH, _LEFT, _RIGHT, _ROW = 440.0, 140.0, 58.0, 22.0


def timeline_sketch(value: Timeline, ground: Ground = LIGHT) -> Sketch:
    """Draw a bar per segment; those on the critical path are orange, thin lines say what waits for what."""
    n = min(len(value.names), MOST_DRAWN)
    scale = (_WIDTH - _LEFT - _RIGHT) / (value.total_s or 1.0)
    starts, ends = _LEFT + value.start_s * scale, _LEFT + (value.start_s + value.time_s) * scale
    edges, parts = list[str](), list[str]()
    for i in range(n):
        y = 6 + i * _ROW
        for j in (j for j in value.after[i] if j < n):
            both = value.critical[i] and value.critical[j]
            before = 6 + j * _ROW + _ROW / 2
            across, heights = [ends[j], starts[i], starts[i]], [before, before, y + _ROW / 2]
            edges.append(line(across, heights, CRITICAL if both else GREY, 1.0, ' opacity="0.7"'))
    for i in range(n):
        y, colour = 6 + i * _ROW, CRITICAL if value.critical[i] else OTHER
        if value.slack_s[i] > 0:
            look = f'fill="none" stroke="{GREY}" stroke-dasharray="2 2"'
            parts.append(box(ends[i], y + 6, value.slack_s[i] * scale, _ROW - 12, look))
        parts.append(box(starts[i], y + 3, max(ends[i] - starts[i], 1.0), _ROW - 6, f'fill="{colour}" rx="2"'))
        parts.append(label(4, y + 15, name(f"{value.names[i]} · {value.devices[i]}", 25), "start", 0.95))
        right = max(ends[i], starts[i] + 1) + value.slack_s[i] * scale
        parts.append(label(right + 4, y + 15, seconds(value.time_s[i]), "start", 0.8))
    bottom = 6 + n * _ROW
    parts.append(line([_LEFT, _WIDTH - _RIGHT], [bottom + 2] * 2, "currentColor", 0.6, ' opacity="0.4"'))
    for share in (0.0, 0.5, 1.0):
        x = _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
        parts.append(label(x, bottom + 15, seconds(share * value.total_s), "middle", 0.8))
    alt = f"Timeline of {len(value.names)} segments, {seconds(value.total_s)} in all. Critical path: {value.path()}."
    return Sketch(drawing([*edges, *parts], _WIDTH, bottom + 22, ground, 11.0), alt)


def seconds(value: float) -> str:
    """Return seconds in the unit that people would use."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(value) >= size:
            return f"{short_number(value / size, 3)} {unit}"
    return f"{short_number(value / 1e-9, 3)} ns" if value else "0 s"


FRONT, TARGET = "#cb7120", "#3d83cc"
_ACROSS, _CLOUD_HEIGHT = 470.0, 290.0
_FROM, _EDGE, _CLOUD_TOP, _BOTTOM = 58.0, 14.0, 40.0, 42.0
_SYMBOLS = {"◆": "diamond", "★": "star", "○": "circle-open"}
"""Of what is pointed out in a chart, by the letter that stands for it in a graphic."""


class Cloud(Frozen):
    """Configurations as points by a time and by something else.

    Attributes
    ----------
    across, up, unit : what the axes are, "" where there is nothing upwards, and what is counted upwards
    front : places of those that none beats, along the front
    called : what the front is
    marks : what is pointed out: its title, its place and its letter
    texts : a name per configuration
    table : makes the table behind it
    """

    x: FloatArray
    y: FloatArray
    across: str
    up: str
    unit: str
    front: IntArray
    called: str
    marks: tuple[tuple[str, int, str], ...]
    texts: tuple[str, ...]
    alt: str
    table: Callable[[], pd.DataFrame]


def front_cloud(value: Front) -> Cloud:
    """Return power over time: all configurations, the front, the target, the least energy and energy-delay."""
    o = value.outcome
    best = (("least energy", o.best(ENERGY), "◆"), ("least energy-delay", o.best(EDP), "★"))
    marks = (*best, ("target", value.target, "○"))
    axes = ("predicted time (s)", "predicted power (W)", "W")
    alt = f"Power over time of all configurations. {value.sentence()}"
    return Cloud(o.time_s, o.power_w, *axes, o.front, "front", marks, value.texts, alt, value.table)


def everywhere_cloud(value: Everywhere, here: int) -> Cloud:
    """Return an application's energy over its time at all configurations; without energy, its time alone."""
    known = value.has_energy
    y, up, unit, called = (value.energy_j, "energy (J)", "J", "front") if known else (0 * value.total_s, *_TIME_ALONE)
    best = int(value.total_s.argmin())
    fastest = f"fastest {value.total_s[best]:.4g} s at {value.texts[best]}"
    alt = f"Time{' and energy' if known else ''} at {len(value.texts)} configurations; {fastest}."
    told = (f"{text}\nspeed up first: {first}" for text, first in zip(value.texts, value.first, strict=True))
    axes, marks = ("total time (s)", up, unit), (("target", here, "○"),)
    return Cloud(value.total_s, y, *axes, value.front, called, marks, tuple(told), alt, value.table)


_TIME_ALONE = ("", "", "fastest")


def cloud_picture(value: Cloud) -> Picture:
    """Draw the points as a chart that says on hover which configuration each is."""
    up = {"title_text": value.up, **draw.wide_axis(value.y, 20)} if value.up else {"tickvals": []}
    figure = draw.new_figure(400, {"title_text": value.across, **draw.wide_axis(value.x, 20)}, up)
    texts = [whole(text).replace("\n", "<br>") for text in value.texts]
    hover = "%{text}<br>%{x:.4g} s" + (f", %{{y:.4g}} {value.unit}" if value.unit else "")
    layers: list[tuple[str, IntArray, dict[str, Any], str]] = [
        ("all configurations", np.arange(len(texts)), {"size": 5, "color": GREY, "opacity": 0.5}, "markers"),
        (value.called, value.front, {"size": 7}, "lines+markers"),
    ]
    for title, place, letter in value.marks:
        ring = {"size": 13, "symbol": _SYMBOLS[letter], "line": {"width": 2}}
        layers.append((title, np.array([place]), ring, "markers"))
    for title, rows, marker, mode in layers:
        told, line = [texts[i] for i in rows.tolist()], {"shape": "hv"}
        draw.dots(figure, value.x[rows], value.y[rows], title, told, hover, mode=mode, marker=marker, line=line)
    return Picture(figure, value.alt, value.table)


def cloud_sketch(value: Cloud, ground: Ground = LIGHT) -> Sketch:
    """Draw the points, the front as steps, and what is pointed out."""
    x = Scale(value.x.min(), value.x.max(), _FROM + 6, _ACROSS - _EDGE - 6)
    y = Scale(value.y.min(), value.y.max(), _CLOUD_HEIGHT - _BOTTOM - 6, _CLOUD_TOP + 8)
    parts = [*_grid(x, y, value), *_points(x.place(value.x), y.place(value.y), GREY, 4.0, 0.55)]
    across, up = x.place(value.x[value.front]), y.place(value.y[value.front])
    parts.append(line(np.repeat(across, 2)[1:], np.repeat(up, 2)[:-1], FRONT, 1.6))
    parts += _points(across, up, FRONT, 6.0, 1.0)
    for _, i, letter in value.marks:
        parts.append(_lettered(float(x.place(value.x[[i]])[0]), float(y.place(value.y[[i]])[0]), letter))
    return Sketch(drawing([*parts, *_legend(value)], _ACROSS, _CLOUD_HEIGHT, ground, 11.0), value.alt)


def _grid(x: Scale, y: Scale, value: Cloud) -> list[str]:
    parts, bottom = [], _CLOUD_HEIGHT - _BOTTOM
    for tick, place in x.ticks():
        parts.append(line([place, place], [_CLOUD_TOP, bottom], "currentColor", 0.5, ' opacity="0.14"'))
        parts.append(label(place, bottom + 15, short_number(tick), "middle", 0.75))
    for tick, place in y.ticks() if value.up else ():
        parts.append(line([_FROM, _ACROSS - _EDGE], [place, place], "currentColor", 0.5, ' opacity="0.14"'))
        parts.append(label(_FROM - 5, place + 4, short_number(tick), "end", 0.75))
    parts.append(label((_FROM + _ACROSS) / 2, _CLOUD_HEIGHT - 8, value.across + x.log_told, "middle", 0.9))
    parts.append(label(4, 30, value.up + y.log_told if value.up else "", "start", 0.9))
    return parts


def _points(x: FloatArray, y: FloatArray, colour: str, size: float, opacity: float) -> list[str]:
    """Return points as one path of strokes without length, which is a tenth of as many circles."""
    path = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    look = f'stroke="{colour}" stroke-width="{size:g}" stroke-linecap="round" opacity="{opacity:g}" fill="none"'
    return [f'<path d="{path}" {look}/>']


def _lettered(x: float, y: float, letter: str) -> str:
    if letter == "○":
        return dot(x, y, 6.5, f'fill="none" stroke="{TARGET}" stroke-width="2.6"')
    return label(x, y + 5.5, letter, "middle", 1.0, "currentColor").replace("<text", '<text font-size="16"')


def _legend(value: Cloud) -> list[str]:
    """Return what the marks mean, right above the points."""
    parts, x = [], _ACROSS - _EDGE
    for title, _, letter in reversed(((value.called, 0, "●"), *value.marks)):
        parts.append(label(x, 12, title, "end", 0.9))
        x -= 6.2 * len(title) + 6
        parts.append(label(x, 12, letter, "end", 1.0, {"●": FRONT, "○": TARGET}.get(letter, "")))
        x -= 22
    return parts
