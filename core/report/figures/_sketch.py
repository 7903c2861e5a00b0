"""Small vector graphics, light enough to be drawn anew at every move of a slider: their parts, and two grounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.codec import FloatArray

FONT = "Source Sans, Source Sans 3, Helvetica, Arial, sans-serif"
FAR = "#d9822b"
"""What lies outside the trained range, on light and on dark ground."""
Numbers = Sequence[float] | FloatArray


@dataclass(frozen=True)
class Sketch:
    """A vector graphic, and its description."""

    svg: str
    alt: str


@dataclass(frozen=True)
class Ground:
    """What stands out from a ground: the colour of texts, and a scale of colours from little to much."""

    ink: str
    scale: tuple[tuple[int, int, int], ...]

    def shade(self, share: float) -> tuple[int, int, int]:
        """Return the colour of a share between 0 and 1."""
        place = min(max(share, 0.0), 1.0) * (len(self.scale) - 1)
        i = min(int(place), len(self.scale) - 2)
        a, b = self.scale[i], self.scale[i + 1]
        red, green, blue = (round(x + (place - i) * (y - x)) for x, y in zip(a, b, strict=True))
        return red, green, blue


LIGHT = Ground("#1c2733", ((0xE3, 0xEE, 0xF8), (0x88, 0xB6, 0xDA), (0x31, 0x6F, 0xA9), (0x0C, 0x2F, 0x58)))
DARK = Ground("#e7ecf1", ((0x17, 0x32, 0x4F), (0x2B, 0x69, 0x9A), (0x68, 0xA9, 0xD6), (0xD6, 0xEA, 0xF9)))


def drawing(parts: Sequence[str], width: float, height: float, ground: Ground, size: float = 10.5) -> str:
    """Return a graphic of some parts, twice as large as its own units."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{2 * width:g}" '
        f'height="{2 * height:g}" font-size="{size:g}" font-family="{FONT}" fill="{ground.ink}" color="{ground.ink}">'
        f"{''.join(parts)}</svg>"
    )


def line(x: Numbers, y: Numbers, colour: str, width: float, extra: str = "") -> str:
    """Return a line through points."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width:g}"{extra}/>'


def box(x: float, y: float, width: float, height: float, look: str) -> str:
    """Return a rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def label(x: float, y: float, text: str, anchor: str = "start", opacity: float = 1.0, colour: str = "") -> str:
    """Return a text, which must be escaped already."""
    fill = f' fill="{colour}"' if colour else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" opacity="{opacity:g}"{fill}>{text}</text>'
