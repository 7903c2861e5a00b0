"""A curve of one parameter as a small vector graphic, light enough to be drawn anew at every move of a slider."""

import numpy as np

from core.report.figures._picture import GREY, name
from core.report.figures._plot import WIDTH, Plot, dot
from core.report.figures._sketch import FAR, LIGHT, Ground, Sketch, drawing, label, line
from core.report.quantity import short_number
from core.report.whatif import Curve, WhatIf
from core.space.plan import shown

LINE = "#3d83cc"
"""Readable on light and on dark ground."""
_TOP, _HEIGHT = 16.0, 148.0


def profile(value: WhatIf, curve: Curve, ground: Ground = LIGHT, own: bool = False) -> Sketch:
    """Draw the response over one parameter's levels; the design is marked, the baseline is dashed and grey.

    All curves have the same axis upwards, so that they can be compared, or each its own.
    """
    low, high = value.ends_of(curve) if own else value.ends
    frame = Plot(curve.parameter, curve.log, low, high, _TOP, _HEIGHT)
    alt = _alt(value, curve)
    parts = [
        *_axes(frame, value),
        *_band(frame, curve),
        *_pinned(frame, curve),
        *_line(frame, curve),
        *_design(frame, curve, value),
    ]
    return Sketch(drawing(parts, WIDTH, _HEIGHT, ground), alt)


def _axes(frame: Plot, value: WhatIf) -> list[str]:
    unit = name(value.response.unit or value.response.name, 34) + (", log scale" if frame.up.log else "")
    return frame.axes(label(4, 9, unit, "start", 0.75))


def _line(frame: Plot, curve: Curve) -> list[str]:
    """Draw the curve, dashed where a level lies outside the trained range, and a point per level."""
    x, y = frame.x, frame.y(curve.values)
    parts = []
    for i in range(len(x) - 1 if not curve.parameter.categorical else 0):
        if np.isfinite(y[i : i + 2]).all():
            far = bool(curve.outside[i : i + 2].any())
            dash = ' stroke-dasharray="4 3"' if far else ""
            parts.append(line(x[i : i + 2], y[i : i + 2], FAR if far else LINE, 2, dash))
    for i in np.flatnonzero(np.isfinite(y)).tolist():
        colour = FAR if curve.outside[i] else LINE
        look = f'fill="{colour}"' if curve.allowed[i] else f'fill="none" stroke="{colour}"'
        size = 4.2 if curve.parameter.categorical else 2.4
        parts.append(dot(x[i], y[i], size, look))
    return parts


def _band(frame: Plot, curve: Curve) -> list[str]:
    """Draw the 90 % interval along the curve, where its levels have an order."""
    known = np.flatnonzero(np.isfinite(curve.low) & np.isfinite(curve.high))
    if curve.parameter.categorical or len(known) < 2:
        return []
    low, high, x = frame.y(curve.low)[known], frame.y(curve.high)[known], frame.x[known]
    ends = zip([*x, *x[::-1]], [*high, *low[::-1]], strict=True)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in ends)
    return [f'<polygon points="{points}" fill="{LINE}" opacity="0.14"/>']


def _pinned(frame: Plot, curve: Curve) -> list[str]:
    if curve.pinned is None:
        return []
    y = frame.y(curve.pinned)
    known = np.flatnonzero(np.isfinite(y))
    dash = ' stroke-dasharray="2 3"'
    parts = [] if curve.parameter.categorical else [line(frame.x[known], y[known], GREY, 1.5, dash)]
    at = curve.pinned_at
    if np.isfinite(y[at]):
        box = f'x="{frame.x[at] - 3.5:.1f}" y="{y[at] - 3.5:.1f}" width="7" height="7"'
        parts.append(f'<rect {box} fill="{GREY}"/>')
    return parts


def _design(frame: Plot, curve: Curve, value: WhatIf) -> list[str]:
    """Mark the design, with its interval."""
    x = float(frame.x[curve.at])
    parts = [frame.upright(x, 0.3)]
    answer = value.answer
    if not np.isfinite(answer.value):
        return parts
    if answer.has_interval:
        ends = frame.y(np.array([answer.low, answer.high]))
        parts.append(line([x, x], list(ends), LINE, 5, ' opacity="0.35" stroke-linecap="round"'))
    y = float(frame.y(np.array([answer.value]))[0])
    colour = FAR if answer.why else LINE
    parts.append(dot(x, y, 5, f'fill="{colour}" stroke="currentColor" stroke-width="1.2"'))
    return parts


def _alt(value: WhatIf, curve: Curve) -> str:
    known = np.flatnonzero(np.isfinite(curve.values))
    if not len(known):
        return f"{value.response} over {curve.parameter}: no prediction at any level."
    low, high = (int(known[i]) for i in (np.argmin(curve.values[known]), np.argmax(curve.values[known])))
    told = [(shown(curve.parameter.levels[i]), short_number(float(curve.values[i]))) for i in (low, high)]
    return (
        f"Predicted {value.response} over {curve.parameter}, all else as chosen: smallest {told[0][1]} "
        f"at {told[0][0]}, largest {told[1][1]} at {told[1][0]}; here {shown(curve.parameter.levels[curve.at])}."
    )
