"""Curves over one axis as a small vector graphic: several kernels, intervals, measured points, a mark."""

import numpy as np

from core.codec import FloatArray
from core.report.figures._picture import GREY, name
from core.report.figures._sketch import LIGHT, Ground, Sketch, box, drawing, label, line
from core.report.quantity import short_number
from core.report.scaling_slices import Line, Panel
from core.report.whatif import log_axis
from core.space.plan import shown

PALETTE = ("#3d83cc", "#d9822b", "#3f9b5f", "#b0569b", "#8a6fd1", "#b8960c")
"""Readable on light and on dark ground."""
_WIDTH, _HEIGHT = 300.0, 160.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 50.0, 10.0, 28.0, 34.0
_LEGEND = 420.0
_LETTER, _ROOM, _WIDE = 6.4, 8.0, 20.0


def panel_sketch(panel: Panel, ends: tuple[float, float] | None = None, ground: Ground = LIGHT) -> Sketch:
    """Draw curves over an axis; `ends` are those of the axis upwards, so that several panels can share it."""
    frame = _Frame(panel, *(ends or panel.ends))
    parts = _axes(frame, panel)
    fronts = [one for one in panel.lines if not one.behind]
    for one in panel.lines:
        colour = GREY if one.behind else PALETTE[fronts.index(one) % len(PALETTE)]
        parts += _band(frame, one, colour) + _curve(frame, one, colour)
    return Sketch(drawing([*parts, *_mark(frame, panel)], _WIDTH, _HEIGHT, ground), _alt(panel))


def legend_sketch(names: tuple[str, ...], ground: Ground = LIGHT) -> Sketch:
    """Draw which colour stands for which curve."""
    parts, x, y = [], 4.0, 12.0
    for i, text in enumerate(names):
        said = name(text, 40)
        width = 26 + _LETTER * len(said)
        if x + width > _LEGEND and x > 4:
            x, y = 4.0, y + 16
        parts.append(box(x, y - 6, 14, 3.5, f'fill="{PALETTE[i % len(PALETTE)]}"'))
        parts.append(label(x + 18, y, said, "start", 0.9))
        x += width + 8
    return Sketch(drawing(parts, _LEGEND, y + 6, ground, 11.0), f"Colours of the curves: {', '.join(names)}.")


class _Frame:
    """Where values lie in the graphic."""

    def __init__(self, panel: Panel, low: float, high: float) -> None:
        self.across = np.log if log_axis(panel.axis) else np.asarray
        numbers = self.across(panel.axis.numbers)
        self.first, self.span = float(numbers.min()), float(np.ptp(numbers)) or 1.0
        self.x: FloatArray = self.place(panel.axis.numbers)
        self.log = low > 0 and high / low > _WIDE
        room = 0.0 if high > low else abs(low) * 0.1 or 1.0
        self.low, self.high = low - room, high + room
        self.bottom = _HEIGHT - _BOTTOM

    def place(self, numbers: FloatArray) -> FloatArray:
        """Return where numbers of the axis lie."""
        found: FloatArray = _LEFT + 6 + (self.across(numbers) - self.first) / self.span * (_WIDTH - _LEFT - _RIGHT - 12)
        return found

    @property
    def marks(self) -> FloatArray:
        """Both ends of the axis upwards and what is half-way between them."""
        ends = np.array([self.low, self.high])
        return np.array([self.low, np.exp(np.log(ends).mean()) if self.log else ends.mean(), self.high])

    def y(self, values: FloatArray) -> FloatArray:
        """Return heights of values; those beyond the ends stay on the edge."""
        ends = np.array([self.low, self.high])
        held = np.clip(values, self.low, self.high)
        v, (low, high) = (np.log(held), np.log(ends)) if self.log else (held, ends)
        found: FloatArray = self.bottom - _ROOM / 2 - (v - low) / (high - low) * (self.bottom - _TOP - _ROOM)
        return found


def _axes(frame: _Frame, panel: Panel) -> list[str]:
    marks = frame.marks
    heights = frame.y(marks).tolist()
    parts = [line([_LEFT, _WIDTH - _RIGHT], [y, y], "currentColor", 0.5, ' opacity="0.25"') for y in heights]
    parts += [
        label(_LEFT - 5, y + 3.5, short_number(v, 3), "end", 0.75) for v, y in zip(marks.tolist(), heights, strict=True)
    ]
    texts = [name(shown(level), 10) for level in panel.axis.levels]
    parts += [label(frame.x[i], frame.bottom + 12, texts[i], "middle", 0.75) for i in _with_room(frame.x, texts)]
    parts.append(label(4, 9, name(panel.title, 46), "start", 1.0))
    parts.append(label(4, 21, name(panel.what, 40) + (", log scale" if frame.log else ""), "start", 0.7))
    parts.append(label((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, name(str(panel.axis), 44), "middle", 0.9))
    return parts


def _with_room(x: FloatArray, texts: list[str]) -> list[int]:
    """Return the levels to label: the first, the last, and those between that have room."""
    taken: list[int] = []
    for i in dict.fromkeys([0, len(texts) - 1, *range(1, len(texts) - 1)]):
        half = len(texts[i]) * _LETTER / 2 + 6
        if all(abs(x[i] - x[j]) > half + len(texts[j]) * _LETTER / 2 for j in taken):
            taken.append(i)
    return taken


def _band(frame: _Frame, one: Line, colour: str) -> list[str]:
    if one.low is None or one.high is None:
        return []
    known = np.flatnonzero(np.isfinite(one.low) & np.isfinite(one.high))
    x = [*frame.x[known], *frame.x[known][::-1]]
    y = [*frame.y(one.high[known]), *frame.y(one.low[known])[::-1]]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return [f'<polygon points="{points}" fill="{colour}" opacity="0.2"/>']


def _curve(frame: _Frame, one: Line, colour: str) -> list[str]:
    known = np.flatnonzero(np.isfinite(one.values))
    if not len(known):
        return []
    x, y = frame.x[known], frame.y(one.values[known])
    if one.behind and not one.measured:
        return [line(x, y, colour, 0.8, ' opacity="0.35"')]
    parts = [] if one.behind else [line(x, y, colour, 2)]
    look = f'fill="none" stroke="{colour}" stroke-width="1.4"' if one.behind else f'fill="{colour}"'
    size = 3.2 if one.behind else 2.4
    return [*parts, *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{size}" {look}/>' for a, b in zip(x, y, strict=True))]


def _mark(frame: _Frame, panel: Panel) -> list[str]:
    if not np.isfinite(panel.at):
        return []
    x = float(frame.place(np.array([panel.at]))[0])
    parts = [line([x, x], [_TOP, frame.bottom], "currentColor", 1, ' opacity="0.35"')]
    value, low, high = panel.marked
    if np.isfinite(low) and np.isfinite(high):
        ends = frame.y(np.array([low, high]))
        parts.append(line([x, x], ends, PALETTE[0], 5, ' opacity="0.35" stroke-linecap="round"'))
    if np.isfinite(value):
        y = float(frame.y(np.array([value]))[0])
        look = f'fill="{PALETTE[0]}" stroke="currentColor" stroke-width="1.2"'
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {look}/>')
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
