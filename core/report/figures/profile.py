"""A curve of one parameter as a small vector graphic, light enough to be drawn anew at every move of a slider."""

import numpy as np

from core.codec import FloatArray
from core.report.figures._picture import GREY, name
from core.report.figures._sketch import LIGHT, Ground, Sketch, drawing, label, line
from core.report.quantity import short_number
from core.report.whatif import Curve, WhatIf
from core.space.plan import shown

LINE = "#3d83cc"
"""Readable on light and on dark ground."""
FAR = "#d9822b"
_WIDTH, _HEIGHT = 300.0, 148.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 50.0, 10.0, 16.0, 34.0
_LETTER = 6.4
_ROOM = 8.0
_WIDE = 20.0


def profile(value: WhatIf, curve: Curve, ground: Ground = LIGHT, own: bool = False) -> Sketch:
    """Draw the response over one parameter's levels; the design is marked, the baseline is dashed and grey.

    All curves have the same axis upwards, so that they can be compared, or each its own.
    """
    frame = _Frame(curve, *(value.ends_of(curve) if own else value.ends))
    alt = _alt(value, curve)
    parts = [*_axes(frame, curve, value), *_pinned(frame, curve), *_line(frame, curve), *_design(frame, curve, value)]
    return Sketch(drawing(parts, _WIDTH, _HEIGHT, ground), alt)


class _Frame:
    """Where values lie in the graphic."""

    def __init__(self, curve: Curve, low: float, high: float) -> None:
        numbers = np.log(curve.parameter.numbers) if curve.log else curve.parameter.numbers
        span = float(np.ptp(numbers)) or 1.0
        self.x: FloatArray = _LEFT + 6 + (numbers - numbers.min()) / span * (_WIDTH - _LEFT - _RIGHT - 12)
        self.log = low > 0 and high / low > _WIDE
        room = 0.0 if high > low else abs(low) * 0.1 or 1.0
        self.low, self.high = low - room, high + room
        self.bottom = _HEIGHT - _BOTTOM

    @property
    def marks(self) -> FloatArray:
        """Both ends of the axis upwards and what is half-way between them."""
        ends = np.array([self.low, self.high])
        return np.array([self.low, np.exp(np.log(ends).mean()) if self.log else ends.mean(), self.high])

    def y(self, values: FloatArray) -> FloatArray:
        """Return heights of values."""
        ends = np.array([self.low, self.high])
        v, (low, high) = (np.log(values), np.log(ends)) if self.log else (values, ends)
        share: FloatArray = (v - low) / (high - low)
        return self.bottom - _ROOM / 2 - share * (self.bottom - _TOP - _ROOM)


def _axes(frame: _Frame, curve: Curve, value: WhatIf) -> list[str]:
    marks = frame.marks
    parts = [line([_LEFT, _WIDTH - _RIGHT], [y, y], "currentColor", 0.5, ' opacity="0.25"') for y in frame.y(marks)]
    parts += [
        label(_LEFT - 5, y + 3.5, short_number(v, 3), "end", 0.75) for v, y in zip(marks, frame.y(marks), strict=True)
    ]
    parts += [label(frame.x[i], frame.bottom + 12, text, "middle", 0.75) for i, text in _ticks(frame, curve)]
    unit = name(value.response.unit or value.response.name, 34) + (", log scale" if frame.log else "")
    parts.append(label(4, 9, unit, "start", 0.75))
    parts.append(label((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, name(str(curve.parameter), 44), "middle", 0.9))
    return parts


def _ticks(frame: _Frame, curve: Curve) -> list[tuple[int, str]]:
    """Return the levels to label: the first, the last, and those between that have room."""
    texts = [name(shown(level), 10) for level in curve.parameter.levels]
    order = [0, len(texts) - 1, *range(1, len(texts) - 1)]
    taken: list[int] = []
    for i in order:
        half = len(texts[i]) * _LETTER / 2 + 6
        if all(abs(frame.x[i] - frame.x[j]) > half + len(texts[j]) * _LETTER / 2 for j in taken):
            taken.append(i)
    return [(i, texts[i]) for i in sorted(taken)]


def _line(frame: _Frame, curve: Curve) -> list[str]:
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
        parts.append(f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="{size}" {look}/>')
    return parts


def _pinned(frame: _Frame, curve: Curve) -> list[str]:
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


def _design(frame: _Frame, curve: Curve, value: WhatIf) -> list[str]:
    """Mark the design, with its interval."""
    x = float(frame.x[curve.at])
    parts = [line([x, x], [_TOP, frame.bottom], "currentColor", 1, ' opacity="0.3"')]
    answer = value.answer
    if not np.isfinite(answer.value):
        return parts
    if answer.has_interval:
        ends = frame.y(np.array([max(answer.low, frame.low), min(answer.high, frame.high)]))
        parts.append(line([x, x], list(ends), LINE, 5, ' opacity="0.35" stroke-linecap="round"'))
    y = float(frame.y(np.array([answer.value]))[0])
    colour = FAR if answer.why else LINE
    parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" stroke="currentColor" stroke-width="1.2"/>')
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
