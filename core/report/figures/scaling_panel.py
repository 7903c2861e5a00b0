"""Curves over one axis as a small vector graphic: several kernels, intervals, measured points, a mark."""

import numpy as np

from core.report.figures._picture import GREY, name
from core.report.figures._plot import LETTER, WIDTH, Plot, dot
from core.report.figures._sketch import LIGHT, Ground, Sketch, box, drawing, label, line
from core.report.quantity import short_number
from core.report.scaling_slices import PALETTE, Line, Panel, cluster_colour
from core.report.whatif import log_axis
from core.space.plan import shown

_TOP, _HEIGHT = 28.0, 160.0
_LEGEND = 420.0


def panel_sketch(panel: Panel, ends: tuple[float, float] | None = None, ground: Ground = LIGHT) -> Sketch:
    """Draw curves over an axis; `ends` are those of the axis upwards, so that several panels can share it."""
    low, high = ends or panel.ends
    frame = Plot(panel.axis, log_axis(panel.axis), low, high, _TOP, _HEIGHT)
    parts = _axes(frame, panel)
    fronts = [one for one in panel.lines if not one.behind]
    for one in panel.lines:
        colour = panel.colour or (GREY if one.behind else cluster_colour(fronts.index(one)))
        parts += _band(frame, one, colour) + _curve(frame, one, colour)
    return Sketch(drawing([*parts, *_mark(frame, panel)], WIDTH, _HEIGHT, ground), _alt(panel))


def legend_sketch(names: tuple[str, ...], ground: Ground = LIGHT) -> Sketch:
    """Draw which colour stands for which curve."""
    parts, x, y = [], 4.0, 12.0
    for i, text in enumerate(names):
        said = name(text, 40)
        width = 26 + LETTER * len(said)
        if x + width > _LEGEND and x > 4:
            x, y = 4.0, y + 16
        parts.append(box(x, y - 6, 14, 3.5, f'fill="{PALETTE[i % len(PALETTE)]}"'))
        parts.append(label(x + 18, y, said, "start", 0.9))
        x += width + 8
    return Sketch(drawing(parts, _LEGEND, y + 6, ground, 11.0), f"Colours of the curves: {', '.join(names)}.")


def _axes(frame: Plot, panel: Panel) -> list[str]:
    what = name(panel.what, 40) + (", log scale" if frame.up.log else "")
    return frame.axes(label(4, 9, name(panel.title, 46), "start", 1.0), label(4, 21, what, "start", 0.7))


def _band(frame: Plot, one: Line, colour: str) -> list[str]:
    if one.low is None or one.high is None:
        return []
    known = np.flatnonzero(np.isfinite(one.low) & np.isfinite(one.high))
    x = [*frame.x[known], *frame.x[known][::-1]]
    y = [*frame.y(one.high[known]), *frame.y(one.low[known])[::-1]]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return [f'<polygon points="{points}" fill="{colour}" opacity="0.2"/>']


def _curve(frame: Plot, one: Line, colour: str) -> list[str]:
    known = np.flatnonzero(np.isfinite(one.values))
    if not len(known):
        return []
    x, y = frame.x[known], frame.y(one.values[known])
    if one.behind and not one.measured:
        return [line(x, y, colour, 0.8, ' opacity="0.35"')]
    parts = [] if one.behind else [line(x, y, colour, 2)]
    look = f'fill="none" stroke="{colour}" stroke-width="1.4"' if one.behind else f'fill="{colour}"'
    size = 3.2 if one.behind else 2.4
    return [*parts, *(dot(a, b, size, look) for a, b in zip(x, y, strict=True))]


def _mark(frame: Plot, panel: Panel) -> list[str]:
    if not np.isfinite(panel.at):
        return []
    x = float(frame.place(np.array([panel.at]))[0])
    parts = [frame.upright(x, 0.35)]
    value, low, high = panel.marked
    if np.isfinite(low) and np.isfinite(high):
        ends = frame.y(np.array([low, high]))
        parts.append(line([x, x], ends, PALETTE[0], 5, ' opacity="0.35" stroke-linecap="round"'))
    if np.isfinite(value):
        y = float(frame.y(np.array([value]))[0])
        look = f'fill="{PALETTE[0]}" stroke="currentColor" stroke-width="1.2"'
        parts.append(dot(x, y, 5, look))
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
