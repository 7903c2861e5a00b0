"""Vector graphics as texts, on pages and in documents: marks, and axes with round numbers along them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.report.shared.naming import short_number

Numbers = Sequence[float] | FloatArray


class Sketch(Frozen):
    """A vector graphic, and what it shows, in a sentence or two."""

    svg: str
    alt: str

    def saying(self, alt: str) -> "Sketch":
        """Return it with another sentence."""
        return replace(self, alt=alt)


def points(x: Numbers, y: Numbers) -> str:
    """Return the points of a line."""
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def box(x: float, y: float, width: float, height: float, look: str) -> str:
    """Return a rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def dot(x: float, y: float, size: float, look: str = "") -> str:
    """Return a point."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {look}/>'


WIDTH = 460
RIGHT, BOTTOM = 12, 46
LONGEST_TITLE = 64


class Area(Frozen):
    """Where a picture's axes are, in its own units.

    Attributes
    ----------
    left, top : of the rectangle between the axes
    height : of it; below it stands the title of the axis across
    """

    left: float = 68
    top: float = 12
    height: float = 282

    @property
    def whole(self) -> float:
        """The height of the picture."""
        return self.top + self.height + BOTTOM

    def x(self, share: FloatArray) -> FloatArray:
        """Return places from left to right."""
        return np.asarray(self.left + share * (WIDTH - RIGHT - self.left))

    def y(self, share: FloatArray) -> FloatArray:
        """Return places from bottom to top."""
        return np.asarray(self.top + (1 - share) * self.height)


class Axis(Frozen):
    """An axis of a plot.

    Attributes
    ----------
    low, high : its ends, in its unit
    log : whether it is logarithmic
    """

    title: str
    low: float
    high: float
    log: bool = False

    def share(self, values: FloatArray) -> FloatArray:
        """Return where values lie between the ends, 0 to 1, those outside at the nearer end."""
        low, high, inner = self.low, self.high, values
        if self.log:
            low, high, inner = np.log(low), np.log(high), np.log(np.maximum(values, self.low))
        return np.clip((inner - low) / (high - low), 0.0, 1.0)

    def ticks(self) -> list[float]:
        """Return some four to eight round numbers along the axis."""
        if self.log:
            exponents = range(int(np.floor(np.log10(self.low))), int(np.ceil(np.log10(self.high))) + 1)
            steps = (1, 2, 5) if len(exponents) <= 3 else (1,)
            found = [step * 10.0**k for k in exponents[:: max(1, len(exponents) // 7)] for step in steps]
            return [t for t in found if self.low <= t <= self.high]
        step = _round_step((self.high - self.low) / 5)
        first = np.ceil(self.low / step)
        return [float(step * (first + i)) for i in range(int((self.high - first * step) / step + 1e-9) + 1)]


def axis_for(title: str, values: FloatArray) -> Axis:
    """Return an axis that holds all values, logarithmic where they are positive and span more than a decade."""
    low, high = float(values.min()), float(values.max())
    if low > 0 and high / low > 10:
        return Axis(title, low / 1.15, high * 1.15, log=True)
    room = 0.04 * (high - low) or abs(high) * 0.1 or 1.0
    return Axis(title, low - room, high + room)


def thinned(n: int, most: int) -> IntArray:
    """Return at most so many of n places, evenly chosen."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def drawn_across(axis: Axis, area: Area) -> str:
    """Return the lines, numbers and title of the axis from left to right."""
    bottom = area.top + area.height

    def mark(a: float, text: str) -> str:
        line = f'<line x1="{a:.1f}" x2="{a:.1f}" y1="{area.top}" y2="{bottom}"/>'
        return f'{line}<text x="{a:.1f}" y="{bottom + 16}" text-anchor="middle">{text}</text>'

    return _drawn(axis, area.x, mark, title_across(axis.title, area))


def drawn_up(axis: Axis, area: Area) -> str:
    """Return the lines, numbers and title of the axis from bottom to top."""

    def mark(b: float, text: str) -> str:
        line = f'<line x1="{area.left}" x2="{WIDTH - RIGHT}" y1="{b:.1f}" y2="{b:.1f}"/>'
        return f'{line}<text x="{area.left - 6}" y="{b + 4:.1f}" text-anchor="end">{text}</text>'

    return _drawn(axis, area.y, mark, title_up(axis.title, area))


def _drawn(
    axis: Axis, places: Callable[[FloatArray], FloatArray], mark: Callable[[float, str], str], title: str
) -> str:
    """Return a mark at each round number of an axis, and its title."""
    ticks = axis.ticks()
    marks = [mark(at, short_number(t)) for t, at in zip(ticks, places(axis.share(np.array(ticks))), strict=True)]
    return f'<g class="axis">{"".join(marks)}{title}</g>'


def title_across(title: str, area: Area) -> str:
    """Return the title below a picture."""
    middle = (area.left + WIDTH - RIGHT) / 2
    return f'<text x="{middle:.1f}" y="{area.whole - 8:.1f}" text-anchor="middle">{_cut(title)}</text>'


def title_up(title: str, area: Area) -> str:
    """Return the title at the left of a picture, turned."""
    middle = area.top + area.height / 2
    turned = f'transform="rotate(-90 14 {middle:.1f})"'
    return f'<text x="14" y="{middle:.1f}" text-anchor="middle" {turned}>{_cut(title)}</text>'


def _cut(title: str) -> str:
    return escape(title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…")


def _round_step(size: float) -> float:
    power = 10.0 ** np.floor(np.log10(size))
    return float(power * next(s for s in (1, 2, 5, 10) if s * power >= size * 0.999))
