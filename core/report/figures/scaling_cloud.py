"""An application's segments over time, its critical path in front; configurations as points with their front."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.report.figures import draw
from core.report.figures.draw import GREY, Picture, name, whole
from core.report.figures.sketch import LIGHT, Ground, Scale, Sketch, box, drawing, label, line
from core.report.scaling.application import Everywhere, Timeline
from core.report.scaling.race import Front
from core.report.shared.naming import short_number
from core.scaling.outcome import EDP, ENERGY

MOST_DRAWN = 60
ENERGY_UNKNOWN = "Energy is not known: a segment has no power, and its model predicts none."
CRITICAL, OTHER = "#cb7120", "#3d83cc"
_WIDTH, _LEFT, _RIGHT, _ROW = 520.0, 140.0, 58.0, 22.0


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
        parts.append(label(right + 4, y + 15, _seconds(value.time_s[i]), "start", 0.8))
    bottom = 6 + n * _ROW
    parts.append(line([_LEFT, _WIDTH - _RIGHT], [bottom + 2] * 2, "currentColor", 0.6, ' opacity="0.4"'))
    for share in (0.0, 0.5, 1.0):
        x = _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
        parts.append(label(x, bottom + 15, _seconds(share * value.total_s), "middle", 0.8))
    alt = f"Timeline of {len(value.names)} segments, {_seconds(value.total_s)} in all. Critical path: {value.path()}."
    return Sketch(drawing([*edges, *parts], _WIDTH, bottom + 22, ground, 11.0), alt)


def _seconds(value: float) -> str:
    """Return seconds in the unit that people would use."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(value) >= size:
            return f"{short_number(value / size, 3)} {unit}"
    return f"{short_number(value / 1e-9, 3)} ns" if value else "0 s"


def everywhere_scatter(value: Everywhere, here: int) -> Picture:
    """Draw an application's energy over its time at all configurations; without energy, its time alone."""
    figure = draw.new_figure(380)
    known = value.has_energy
    y = value.energy_j if known else np.zeros(len(value.total_s))
    texts = [f"{whole(t)}<br>speed up first: {whole(f)}" for t, f in zip(value.texts, value.first, strict=True)]
    unit = ", %{y:.4g} J" if known else ""
    hover = "%{text}<br>%{x:.4g} s" + unit
    ring = {"size": 13, "symbol": "circle-open", "line": {"width": 2}}
    layers = (
        ("all configurations", np.arange(len(texts)), {"size": 5, "color": GREY, "opacity": 0.5}, "markers"),
        ("front" if known else "fastest", value.front, {"size": 8}, "lines+markers"),
        ("target", np.array([here]), ring, "markers"),
    )
    for title, rows, marker, mode in layers:
        told, line = [texts[i] for i in rows.tolist()], {"shape": "hv"}
        draw.dots(figure, value.total_s[rows], y[rows], title, told, hover, mode=mode, marker=marker, line=line)
    figure.update_xaxes(title_text="total time (s)")
    figure.update_yaxes(title_text="energy (J)" if known else None, tickvals=None if known else [])
    return Picture(figure, everywhere_alt(value), value.table)


def everywhere_alt(value: Everywhere) -> str:
    """Return in words what time and energy are at all configurations."""
    best = int(value.total_s.argmin())
    return (
        f"Time{' and energy' if value.has_energy else ''} at {len(value.texts)} configurations; fastest "
        f"{value.total_s[best]:.4g} s at {value.texts[best]}."
    )


FRONT, TARGET = "#cb7120", "#3d83cc"
_ACROSS, _HEIGHT = 470.0, 290.0
_FROM, _EDGE, _TOP, _BOTTOM = 58.0, 14.0, 40.0, 42.0
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Cloud:
    """Points by two numbers.

    Attributes
    ----------
    front : places of those that none beats, along the front
    marks : what is pointed out: its title, its place and its letter
    """

    x: FloatArray
    y: FloatArray
    across: str
    up: str
    front: IntArray
    marks: tuple[tuple[str, int, str], ...]
    alt: str


def front_sketch(value: Front, ground: Ground = LIGHT) -> Sketch:
    """Draw power over time: all configurations, the front, the target, the least energy and energy-delay."""
    o = value.outcome
    marks = (
        ("least energy", o.best(ENERGY), "◆"),
        ("least energy-delay", o.best(EDP), "★"),
        ("target", value.target, ""),
    )
    alt = f"Power over time of all configurations. {value.sentence()}"
    return cloud_sketch(
        Cloud(o.time_s, o.power_w, "predicted time (s)", "predicted power (W)", o.front, marks, alt), ground
    )


def everywhere_sketch(value: Everywhere, here: int, ground: Ground = LIGHT) -> Sketch:
    """Draw an application's energy over its time at all configurations; without energy, its time alone."""
    y, up = (value.energy_j, "energy (J)") if value.has_energy else (np.zeros(len(value.total_s)), "")
    marks = (("target", here, ""),)
    return cloud_sketch(
        Cloud(value.total_s, y, "total time (s)", up, value.front, marks, everywhere_alt(value)), ground
    )


def cloud_sketch(value: Cloud, ground: Ground = LIGHT) -> Sketch:
    """Draw the points, the front as steps, and what is pointed out."""
    x = _Axis(value.x.min(), value.x.max(), _FROM + 6, _ACROSS - _EDGE - 6)
    y = _Axis(value.y.min(), value.y.max(), _HEIGHT - _BOTTOM - 6, _TOP + 8)
    parts = [*_grid(x, y, value), *_points(x.place(value.x), y.place(value.y), GREY, 4.0, 0.55)]
    across, up = x.place(value.x[value.front]), y.place(value.y[value.front])
    parts.append(line(np.repeat(across, 2)[1:], np.repeat(up, 2)[:-1], FRONT, 1.6))
    parts += _points(across, up, FRONT, 6.0, 1.0)
    for _, i, letter in value.marks:
        parts += _mark(float(x.place(value.x[[i]])[0]), float(y.place(value.y[[i]])[0]), letter)
    return Sketch(drawing([*parts, *_legend(value)], _ACROSS, _HEIGHT, ground, 11.0), value.alt)


class _Axis(Scale):
    """A number of the points from one end to the other."""

    @property
    def ticks(self) -> FloatArray:
        """A few round values between the ends."""
        if self.log:
            decades = np.arange(np.floor(np.log10(self.low)), np.ceil(np.log10(self.high)) + 1)
            all_ticks = (10.0 ** decades[:, None] * np.array([1.0, 2.0, 5.0] if len(decades) < 4 else [1.0])).ravel()
        else:
            rough = (self.high - self.low) / 5
            size = 10.0 ** np.floor(np.log10(rough))
            step = size * next(s for s in _STEPS if s * size >= rough)
            all_ticks = np.arange(np.ceil(self.low / step), np.floor(self.high / step) + 1) * step
        return np.asarray(all_ticks[(all_ticks >= self.low) & (all_ticks <= self.high)])


def _grid(x: _Axis, y: _Axis, value: Cloud) -> list[str]:
    parts, bottom = [], _HEIGHT - _BOTTOM
    for tick, place in zip(x.ticks.tolist(), x.place(x.ticks).tolist(), strict=True):
        parts.append(line([place, place], [_TOP, bottom], "currentColor", 0.5, ' opacity="0.14"'))
        parts.append(label(place, bottom + 15, short_number(tick), "middle", 0.75))
    for tick, place in zip(y.ticks.tolist(), y.place(y.ticks).tolist(), strict=True) if value.up else ():
        parts.append(line([_FROM, _ACROSS - _EDGE], [place, place], "currentColor", 0.5, ' opacity="0.14"'))
        parts.append(label(_FROM - 5, place + 4, short_number(tick), "end", 0.75))
    parts.append(label((_FROM + _ACROSS) / 2, _HEIGHT - 8, value.across + _log(x), "middle", 0.9))
    parts.append(label(4, 30, value.up + (_log(y) if value.up else ""), "start", 0.9))
    return parts


def _log(axis: _Axis) -> str:
    return ", log scale" if axis.log else ""


def _points(x: FloatArray, y: FloatArray, colour: str, size: float, opacity: float) -> list[str]:
    """Return points as one path of strokes without length, which is a tenth of as many circles."""
    path = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    look = f'stroke="{colour}" stroke-width="{size:g}" stroke-linecap="round" opacity="{opacity:g}" fill="none"'
    return [f'<path d="{path}" {look}/>']


def _mark(x: float, y: float, letter: str) -> list[str]:
    if letter:
        return [label(x, y + 5.5, letter, "middle", 1.0, "currentColor").replace("<text", '<text font-size="16"')]
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="none" stroke="{TARGET}" stroke-width="2.6"/>']


def _legend(value: Cloud) -> list[str]:
    """Return what the marks mean, right above the points."""
    parts, x = [], _ACROSS - _EDGE
    for title, _, letter in reversed((("front", 0, "●"), *value.marks)):
        parts.append(label(x, 12, title, "end", 0.9))
        x -= 6.2 * len(title) + 6
        colour = FRONT if title == "front" else TARGET if not letter else ""
        parts.append(label(x, 12, letter or "○", "end", 1.0, colour))
        x -= 22
    return parts
