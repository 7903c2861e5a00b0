"""Configurations as a cloud of points with the front that none beats: a vector graphic that follows a slider."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.report.figures._picture import GREY
from core.report.figures._plot import Scale
from core.report.figures._sketch import LIGHT, Ground, Sketch, drawing, label, line
from core.report.figures.scaling_timeline import everywhere_alt
from core.report.scaling.application import Everywhere
from core.report.scaling.front import Front
from core.report.shared.quantity import short_number
from core.scaling.outcome import EDP, ENERGY

FRONT, TARGET = "#d9822b", "#3d83cc"
_WIDTH, _HEIGHT = 470.0, 290.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 40.0, 42.0
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
    x = _Axis(value.x.min(), value.x.max(), _LEFT + 6, _WIDTH - _RIGHT - 6)
    y = _Axis(value.y.min(), value.y.max(), _HEIGHT - _BOTTOM - 6, _TOP + 8)
    parts = [*_grid(x, y, value), *_points(x.place(value.x), y.place(value.y), GREY, 4.0, 0.55)]
    across, up = x.place(value.x[value.front]), y.place(value.y[value.front])
    parts.append(line(np.repeat(across, 2)[1:], np.repeat(up, 2)[:-1], FRONT, 1.6))
    parts += _points(across, up, FRONT, 6.0, 1.0)
    for _, i, letter in value.marks:
        parts += _mark(float(x.place(value.x[[i]])[0]), float(y.place(value.y[[i]])[0]), letter)
    return Sketch(drawing([*parts, *_legend(value)], _WIDTH, _HEIGHT, ground, 11.0), value.alt)


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
        found: FloatArray = all_ticks[(all_ticks >= self.low) & (all_ticks <= self.high)]
        return found


def _grid(x: _Axis, y: _Axis, value: Cloud) -> list[str]:
    parts, bottom = [], _HEIGHT - _BOTTOM
    for tick, place in zip(x.ticks.tolist(), x.place(x.ticks).tolist(), strict=True):
        parts.append(line([place, place], [_TOP, bottom], "currentColor", 0.5, ' opacity="0.14"'))
        parts.append(label(place, bottom + 15, short_number(tick), "middle", 0.75))
    for tick, place in zip(y.ticks.tolist(), y.place(y.ticks).tolist(), strict=True) if value.up else ():
        parts.append(line([_LEFT, _WIDTH - _RIGHT], [place, place], "currentColor", 0.5, ' opacity="0.14"'))
        parts.append(label(_LEFT - 5, place + 4, short_number(tick), "end", 0.75))
    parts.append(label((_LEFT + _WIDTH) / 2, _HEIGHT - 8, value.across + _log(x), "middle", 0.9))
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
    parts, x = [], _WIDTH - _RIGHT
    for title, _, letter in reversed((("front", 0, "●"), *value.marks)):
        parts.append(label(x, 12, title, "end", 0.9))
        x -= 6.2 * len(title) + 6
        colour = FRONT if title == "front" else TARGET if not letter else ""
        parts.append(label(x, 12, letter or "○", "end", 1.0, colour))
        x -= 22
    return parts
