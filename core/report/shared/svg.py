"""Vector graphics as texts, on pages and in documents: points, rectangles, and a graphic with what it shows."""

from collections.abc import Sequence
from dataclasses import replace

from core.codec import FloatArray, Frozen

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
