"""Curves over one axis as small vector graphics: kernels or a response, intervals, measured points, a mark."""

import numpy as np

from core.codec import FloatArray
from core.report.figures import sketch
from core.report.figures.draw import GREY, name
from core.report.scaling.slices import Line, Panel, cluster_colour
from core.report.shared.grouping import PALETTE
from core.report.shared.naming import short_number
from core.report.space.whatif import Curve, WhatIf, log_axis
from core.space.plan import shown

_TOP, _HEIGHT = 28.0, 146.0
_LEGEND = 420.0
LINE = PALETTE[0]


def panel_sketch(
    panel: Panel,
    ends: tuple[float, float] | None = None,
    ground: sketch.Ground = sketch.LIGHT,
    width: float = sketch.WIDTH,
) -> sketch.Sketch:
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
