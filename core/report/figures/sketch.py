"""Vector graphics, light enough for every move of a slider: parts, grounds, axes, and rings of runs to be done."""

from collections.abc import Collection, Sequence

import numpy as np

from core.codec import FloatArray, Frozen
from core.report.figures.draw import GREY, name, names
from core.report.shared.naming import PALETTE, short_number
from core.report.shared.svg import Axis, Numbers, points
from core.report.shared.svg import Sketch as Sketch
from core.report.shared.svg import box as box
from core.report.shared.svg import dot as dot
from core.space.design_space import Parameter
from core.space.plan import shown

FONT = "Source Sans, Helvetica, Arial, sans-serif"
FAR = "#cb7120"
"""What lies outside the trained range, on light and on dark ground."""


class Ground(Frozen):
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
    return f'<polyline points="{points(x, y)}" fill="none" stroke="{colour}" stroke-width="{width:g}"{extra}/>'


def label(x: float, y: float, text: str, anchor: str = "start", opacity: float = 1.0, colour: str = "") -> str:
    """Return a text, which must be escaped already."""
    fill = f' fill="{colour}"' if colour else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" opacity="{opacity:g}"{fill}>{text}</text>'


def area(x: Numbers, low: Numbers, high: Numbers, colour: str) -> str:
    """Return what lies between two lines over the same places."""
    around = f"{points(x, high)} {points(x[::-1], low[::-1])}"
    return f'<polygon points="{around}" fill="{colour}" opacity="0.2"/>'


WIDTH, LEFT, RIGHT, BOTTOM = 250.0, 50.0, 10.0, 34.0
LETTER, _NARROW = 6.4, 6.25
_ROOM, _WIDE = 8.0, 20.0


class Scale:
    """Where values lie between two places of a graphic; logarithmic over more than a factor of 20."""

    def __init__(self, low: float, high: float, first: float, last: float) -> None:
        room = 0.0 if high > low else abs(low) * 0.1 or 1.0
        self.axis = Axis("", low - room, high + room, low > 0 and high / low > _WIDE)
        self.first, self.last = first, last

    def place(self, values: FloatArray) -> FloatArray:
        """Return where values lie; those beyond the ends stay on the edge."""
        return self.first + self.axis.share(values) * (self.last - self.first)

    @property
    def log_told(self) -> str:
        """What is said of the axis where it is logarithmic."""
        return ", log scale" if self.axis.log else ""

    def ticks(self) -> list[tuple[float, float]]:
        """Return some round values between the ends, and where they lie."""
        found = self.axis.ticks()
        return list(zip(found, self.place(np.array(found)).tolist(), strict=True))

    @property
    def marks(self) -> FloatArray:
        """Both ends and what is half-way between them."""
        made = np.geomspace if self.axis.log else np.linspace
        return np.asarray(made(self.axis.low, self.axis.high, 3))


class Plot:
    """A parameter from left to right, and values upwards.

    Parameters
    ----------
    log : whether the parameter's numbers are looked at as logarithms
    low, high : ends of the axis upwards
    top, height, width : where the axis upwards ends, and the graphic
    """

    def __init__(
        self, parameter: Parameter, log: bool, low: float, high: float, top: float, height: float, width: float = WIDTH
    ) -> None:
        self.parameter, self.top, self.height, self.bottom = parameter, top, height, height - BOTTOM
        self.width, self.letters = width, round(width / _NARROW)
        first, last = float(parameter.numbers.min()), float(parameter.numbers.max())
        self._across = Axis("", first, last if last > first else first + 1.0, log)
        self.x: FloatArray = self.place(parameter.numbers)
        self.up = Scale(low, high, self.bottom - _ROOM / 2, top + _ROOM / 2)

    def place(self, numbers: FloatArray) -> FloatArray:
        """Return where numbers of the parameter lie."""
        return LEFT + 6 + self._across.share(numbers) * (self.width - LEFT - RIGHT - 12)

    def axes(self, *said: str) -> list[str]:
        """Return the axes with their labels, and what else is said."""
        marks = self.up.marks
        heights = self.up.place(marks).tolist()
        parts = [line([LEFT, self.width - RIGHT], [y, y], "currentColor", 0.5, ' opacity="0.25"') for y in heights]
        pairs = zip(marks.tolist(), heights, strict=True)
        parts += [label(LEFT - 5, y + 3.5, short_number(v, 3), "end", 0.75) for v, y in pairs]
        texts = names(map(shown, self.parameter.levels), 10)
        x = np.minimum(self.x, [self.width - len(text) * LETTER / 2 for text in texts])  # whole to its last letter
        parts += [label(x[i], self.bottom + 12, texts[i], "middle", 0.75) for i in _with_room(x, texts)]
        middle, title = (LEFT + self.width - RIGHT) / 2, name(str(self.parameter), self.letters + 4)
        return [*parts, *said, label(middle, self.height - 6, title, "middle", 0.9)]

    def upright(self, x: float, opacity: float) -> str:
        """Return a line that marks a place from top to bottom."""
        return line([x, x], [self.top, self.bottom], "currentColor", 1, f' opacity="{opacity:g}"')


def _with_room(x: FloatArray, texts: Sequence[str]) -> list[int]:
    """Return the levels to label: the first, the last, and those between that have room."""
    taken: list[int] = []
    for i in dict.fromkeys([0, len(texts) - 1, *range(1, len(texts) - 1)]):
        half = len(texts[i]) * LETTER / 2 + 6
        if all(abs(x[i] - x[j]) > half + len(texts[j]) * LETTER / 2 for j in taken):
            taken.append(i)
    return sorted(taken)


_STEP, _FOOT, _RIGHT, _WIDTH = 14.0, 32.0, 14.0, 350.0
_MOST_ROWS, _LONGEST = 40, 32
Places = Collection[tuple[int, int]]
"""Rows and columns, from 0."""


def planned(
    rows: Sequence[str], columns: Sequence[str], needed: Places, done: Places, across: str, ground: Ground = LIGHT
) -> Sketch:
    """Draw a ring where a run is needed, and a dot where it is done.

    Parameters
    ----------
    rows, columns : what they are called; of more than forty rows the first are drawn
    across : what the columns are
    """
    drawn = rows[:_MOST_ROWS]
    left = 12 + LETTER * max((len(name(row, _LONGEST)) for row in drawn), default=0)
    step = (_WIDTH - left - _RIGHT) / max(len(columns), 1)
    size = min(step / 2.6, 4.6)
    parts = [label(left - 8, _y(i) + 3.5, name(row, _LONGEST), "end", 0.85) for i, row in enumerate(drawn)]
    for i, j in sorted(needed):
        if i < len(drawn):
            look = f'fill="{PALETTE[0]}"' if (i, j) in done else f'fill="none" stroke="{GREY}" stroke-width="1"'
            parts.append(dot(left + step * (j + 0.5), _y(i), size, look))
    widest = LETTER * (max(map(len, columns), default=0) + 1)
    foot, every = _y(len(drawn)) + 4, -(-widest // step) if columns else 1
    for j in range(0, len(columns), max(1, int(every))):
        parts.append(label(left + step * (j + 0.5), foot, name(columns[j], 14), "middle", 0.75))
    parts.append(label((left + _WIDTH - _RIGHT) / 2, foot + 15, name(across, 50), "middle", 0.9))
    more = f"; the first {len(drawn)} of {len(rows)} rows are drawn" if len(rows) > len(drawn) else ""
    alt = f"{len(done):,} of {len(needed):,} are done, over {len(columns)} {across}{more}."
    return Sketch(drawing(parts, _WIDTH, foot + _FOOT - 8, ground), alt)


def _y(row: int) -> float:
    return 12 + _STEP * row
