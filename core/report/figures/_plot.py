"""What small graphics of curves over one parameter share: where values lie, the axes and their labels."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.report.figures._picture import name
from core.report.figures._sketch import label, line
from core.report.shared.quantity import short_number
from core.space.design_space import Parameter
from core.space.plan import shown

WIDTH, LEFT, RIGHT, BOTTOM = 300.0, 50.0, 10.0, 34.0
LETTER = 6.4
_ROOM, _WIDE = 8.0, 20.0


class Scale:
    """Where values lie between two places of a graphic; logarithmic over more than a factor of 20."""

    def __init__(self, low: float, high: float, first: float, last: float) -> None:
        self.log = low > 0 and high / low > _WIDE
        room = 0.0 if high > low else abs(low) * 0.1 or 1.0
        self.low, self.high, self.first, self.last = low - room, high + room, first, last

    def place(self, values: FloatArray) -> FloatArray:
        """Return where values lie."""
        ends = np.array([self.low, self.high])
        v, (low, high) = (np.log(values), np.log(ends)) if self.log else (values, ends)
        found: FloatArray = self.first + (v - low) / (high - low) * (self.last - self.first)
        return found

    @property
    def marks(self) -> FloatArray:
        """Both ends and what is half-way between them."""
        ends = np.array([self.low, self.high])
        return np.array([self.low, np.exp(np.log(ends).mean()) if self.log else ends.mean(), self.high])


class Plot:
    """A parameter from left to right, and values upwards.

    Parameters
    ----------
    log : whether the parameter's numbers are looked at as logarithms
    low, high : ends of the axis upwards
    top, height : where the axis upwards ends, and the graphic
    """

    def __init__(self, parameter: Parameter, log: bool, low: float, high: float, top: float, height: float) -> None:
        self.parameter, self.top, self.height, self.bottom = parameter, top, height, height - BOTTOM
        self._across = np.log if log else np.asarray
        numbers = self._across(parameter.numbers)
        self._first, self._span = float(numbers.min()), float(np.ptp(numbers)) or 1.0
        self.x: FloatArray = self.place(parameter.numbers)
        self.up = Scale(low, high, self.bottom - _ROOM / 2, top + _ROOM / 2)

    def place(self, numbers: FloatArray) -> FloatArray:
        """Return where numbers of the parameter lie."""
        found: FloatArray = LEFT + 6 + (self._across(numbers) - self._first) / self._span * (WIDTH - LEFT - RIGHT - 12)
        return found

    def y(self, values: FloatArray) -> FloatArray:
        """Return heights of values; those beyond the ends stay on the edge."""
        return self.up.place(np.clip(values, self.up.low, self.up.high))

    def axes(self, *said: str) -> list[str]:
        """Return the axes with their labels, and what else is said."""
        marks = self.up.marks
        heights = self.y(marks).tolist()
        parts = [line([LEFT, WIDTH - RIGHT], [y, y], "currentColor", 0.5, ' opacity="0.25"') for y in heights]
        pairs = zip(marks.tolist(), heights, strict=True)
        parts += [label(LEFT - 5, y + 3.5, short_number(v, 3), "end", 0.75) for v, y in pairs]
        texts = [name(shown(level), 10) for level in self.parameter.levels]
        parts += [label(self.x[i], self.bottom + 12, texts[i], "middle", 0.75) for i in _with_room(self.x, texts)]
        return [
            *parts,
            *said,
            label((LEFT + WIDTH - RIGHT) / 2, self.height - 6, name(str(self.parameter), 44), "middle", 0.9),
        ]

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


def dot(x: float, y: float, size: float, look: str) -> str:
    """Return a point."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {look}/>'
