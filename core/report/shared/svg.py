"""Small scatter plots as SVG, drawn from values alone, for pages that stand by themselves."""

import html
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray

WIDTH, HEIGHT = 460, 340
LEFT, RIGHT, TOP, BOTTOM = 68, 12, 12, 46


@dataclass(frozen=True)
class Axis:
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


def scatter(
    x: FloatArray, y: FloatArray, across: Axis, up: Axis, alt: str, lines: tuple[tuple[float, float], ...]
) -> str:
    """Return an SVG of points, and of straight lines up = slope · across + level behind them.

    Parameters
    ----------
    x, y : arrays of shape (n,); points beyond an axis are drawn on its end
    alt : what the picture shows, for those who cannot see it
    lines : pairs of slope and level; the first is drawn solid
    """
    dots = "".join(
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in zip(_x(across.share(x)), _y(up.share(y)), strict=True)
    )
    drawn = "".join(_line(across, up, slope, level, i) for i, (slope, level) in enumerate(lines))
    said = html.escape(alt)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}"><title>{said}</title>'
        f'{_across(across)}{_up(up)}<g class="lines">{drawn}</g><g class="dots">{dots}</g></svg>'
    )


def _line(across: Axis, up: Axis, slope: float, level: float, number: int) -> str:
    x = np.geomspace(across.low, across.high, 60) if across.log else np.linspace(across.low, across.high, 60)
    y = slope * x + level
    inside = (y >= up.low) & (y <= up.high)
    places = zip(_x(across.share(x[inside])), _y(up.share(y[inside])), strict=True)
    dash = ' stroke-dasharray="3 4"' if number else ""
    return f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in places)}"{dash}/>'


def _across(axis: Axis) -> str:
    parts = [
        f'<line x1="{a:.1f}" x2="{a:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        f'<text x="{a:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{t:.4g}</text>'
        for t, a in zip(axis.ticks(), _x(axis.share(np.array(axis.ticks()))), strict=True)
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    title = f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(axis.title)}</text>'
    return f'<g class="axis">{"".join(parts)}{title}</g>'


def _up(axis: Axis) -> str:
    parts = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{b:.1f}" y2="{b:.1f}"/>'
        f'<text x="{LEFT - 6}" y="{b + 4:.1f}" text-anchor="end">{t:.4g}</text>'
        for t, b in zip(axis.ticks(), _y(axis.share(np.array(axis.ticks()))), strict=True)
    ]
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'transform="rotate(-90 14 {middle})"'
    title = f'<text x="14" y="{middle}" text-anchor="middle" {turned}>{html.escape(axis.title)}</text>'
    return f'<g class="axis">{"".join(parts)}{title}</g>'


def _x(share: FloatArray) -> FloatArray:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: FloatArray) -> FloatArray:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _round_step(size: float) -> float:
    power = 10.0 ** np.floor(np.log10(size))
    return float(power * next(s for s in (1, 2, 5, 10) if s * power >= size * 0.999))
