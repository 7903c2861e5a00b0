"""What points are coloured by: a label with few values, or a number."""

from collections import Counter

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.trial import Frame, Metric

MOST_COLOURS = 14
PALETTE = ("#3d83cc", "#cb7120", "#c72f69", "#375ec8", "#679ab3", "#a19071", "#8982ff", "#98599d", "#1b746c", "#4a6f00")
"""On light and on dark ground, and told apart without red or green cones; the first ones differ most."""


class Grouping(Frozen):
    """A text per trial; the most frequent ones get a colour, the others share one.

    Attributes
    ----------
    label : what the texts are, such as "machine"
    texts : one per trial
    order : values that get a colour of their own
    n_others : values that do not
    """

    label: str
    texts: tuple[str, ...]
    order: tuple[str, ...]
    n_others: int

    def rows_of(self, value: str) -> IntArray:
        """Return the trials with one value."""
        return np.flatnonzero([text == value for text in self.texts])

    def other_rows(self) -> IntArray:
        """Return the trials whose value has no colour of its own."""
        known = set(self.order)
        return np.flatnonzero([text not in known for text in self.texts])

    def take(self, rows: IntArray) -> "Grouping":
        """Return the grouping of some trials, with the same colours."""
        return Grouping(self.label, tuple(self.texts[i] for i in rows), self.order, self.n_others)


class Shading(Frozen):
    """A number per trial, shown by lightness; on a log scale where it spans more than a decade."""

    metric: Metric
    values: FloatArray
    log: bool

    def take(self, rows: IntArray) -> "Shading":
        """Return the shading of some trials."""
        return Shading(self.metric, self.values[rows], self.log)


Colour = Grouping | Shading


def group(label: str, texts: tuple[str, ...], highlight: tuple[str, ...] = (), most: int = MOST_COLOURS) -> Grouping:
    """Group trials by texts; `highlight` names the values to colour, else the most frequent ones are."""
    counts = Counter(texts)
    known = tuple(value for value in highlight if value in counts)
    if known:
        order = known[:most]
    else:
        ranked = sorted(counts, key=lambda value: (-counts[value], _natural(value)))
        order = tuple(ranked if len(ranked) <= most else ranked[: most - 1])
        order = tuple(sorted(order, key=_natural))
    return Grouping(label, texts, order, len(counts) - len(order))


def group_by_label(frame: Frame, label: str, highlight: tuple[str, ...] = ()) -> Grouping:
    """Group the trials of a frame by one of its labels."""
    return group(label, tuple(text or "(none)" for text in frame.labels[label]), highlight)


def shade(metric: Metric, values: FloatArray) -> Shading:
    """Shade trials by a number of each."""
    low, high = float(values.min()), float(values.max())
    return Shading(metric, values, low > 0 and high / low > 10)


def shade_by_response(frame: Frame) -> Shading:
    """Shade the trials of a frame by what was measured."""
    return shade(frame.response, frame.y)


def _natural(text: str) -> tuple[int, str]:
    """Sort "cluster 10" after "cluster 9"."""
    return len(text) if text.rpartition(" ")[2].isdigit() else 0, text
