"""Names, numbers and tables as people read them: trials, metrics, quantities, files, columns, and labels as colours."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile
from operator import attrgetter
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.trial import ROLES, Frame, Metric

LEAST_LOADING = 0.4
SHARE_OF_TOP = 0.6
LONGEST_NAME = 32
"""Letters of a metric's name in a component's; names of GPUs' counters have sixty."""
LOW_90, HIGH_90 = "90 % low", "90 % high"
"""What columns call the ends of a 90 % interval."""


def predictors(names: Iterable[str]) -> str:
    """Say what a model predicts from, such as "18 metrics and mem-type": texts, which have a column per value, by name.

    Parameters
    ----------
    names : of columns; that of a text is its own name, "=" and a value
    """
    every = list(names)
    texts = dict.fromkeys(name.partition("=")[0] for name in every if "=" in name)
    n = sum("=" not in name for name in every)
    *first, last = [f"{n:,} {'metric' if n == 1 else 'metrics'}"] * bool(n or not texts) + list(texts)
    return f"{', '.join(first)} and {last}" if first else last


def component_title(feature: str, metrics: Sequence[str], loadings: FloatArray) -> str:
    """Name a component by the three metrics that load it most, such as "RC1: loads, branches (+), shifts (−)".

    Those with less than 0.6 of the top loading, or below 0.4, are never named (but the top one always is).

    Parameters
    ----------
    feature : its short name, such as "RC1"
    metrics : names, one per loading
    loadings : array of shape (n_metrics,), correlations with the component
    """
    named = _top(loadings, 3)
    plus = ", ".join(metrics[j] for j in named if loadings[j] >= 0)
    minus = ", ".join(metrics[j] for j in named if loadings[j] < 0)
    if plus and minus:
        return f"{feature}: {plus} (+), {minus} (−)"
    return f"{feature}: {plus}" if plus else f"{feature}: {minus} (−)"


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, its middle replaced by an ellipsis."""
    head = (limit - 1) * 2 // 3
    return text if len(text) <= limit else f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def telling(names: Sequence[str], limit: int = LONGEST_NAME) -> tuple[str, ...]:
    """Return names of which the long ones keep the part that fewest others share, such as "…op_dadd_pred…"."""
    words = [[m.span() for m in re.finditer(r"[^\W_]+", name)] for name in names]
    shared = Counter(word for name, spans in zip(names, words, strict=True) for word in {name[i:j] for i, j in spans})
    cut = [
        name if len(name) <= limit else _rarest_part(name, spans, shared, limit)
        for name, spans in zip(names, words, strict=True)
    ]
    of_each = Counter(cut)
    if cut == [*names] or max(of_each.values()) == 1:
        return tuple(cut)
    longer = telling(names, limit * 3 // 2 + 1)
    return tuple(own if of_each[own] == 1 else more for own, more in zip(cut, longer, strict=True))


def _rarest_part(name: str, spans: Sequence[tuple[int, int]], shared: Counter[str], limit: int) -> str:
    """Return the run of words, no longer than `limit`, that tells a name best from the others."""
    told = [1 / shared[name[i:j]] for i, j in spans]
    runs = [
        (sum(told[first : last + 1]), -first, spans[first][0], spans[last][1])
        for first in range(len(spans))
        for last in range(first, len(spans))
        if spans[last][1] - spans[first][0] <= limit - 2
    ]
    if not runs:
        return name
    *_, start, end = max(runs)
    return f"{'…' if start else ''}{name[start:end]}{'…' if end < len(name) else ''}"


def component_titles(features: Sequence[str], metrics: Sequence[str], loadings: FloatArray) -> tuple[str, ...]:
    """Name every component by its top loadings; `loadings` has shape (n_metrics, n_features)."""
    if loadings.shape != (len(metrics), len(features)):
        return tuple(features)
    metrics = telling(metrics)
    return tuple(component_title(f, metrics, loadings[:, j]) for j, f in enumerate(features))


def fewer(title: str, limit: int) -> str:
    """Return a component's title with as many whole names as fit into `limit` characters, one at least."""
    names = title.split(", ")
    while len(title) > limit and len(names) > 1:
        names.pop()
        title = ", ".join([*names, "…"])
    return title


def component_terms(features: Sequence[str], metrics: Sequence[str], loadings: FloatArray) -> tuple[str, ...]:
    """Name every component as it stands in a term, such as "RC1[loads, −shifts]"; else as `component_titles` does."""
    if loadings.shape != (len(metrics), len(features)):
        return tuple(features)
    metrics = telling(metrics)
    signed = [[("−" if own[j] < 0 else "") + metrics[j] for j in _top(own, 2)] for own in loadings.T]
    return tuple(f"{feature}[{', '.join(named)}]" for feature, named in zip(features, signed, strict=True))


def _top(loadings: FloatArray, limit: int) -> list[int]:
    """Return the metrics to name a component by, weightiest first."""
    size = np.abs(loadings)
    order = [int(j) for j in np.argsort(-size, kind="stable")[:limit]]
    least = max(LEAST_LOADING, SHARE_OF_TOP * float(size.max(initial=0.0)))
    return [j for j in order if size[j] >= least] or order[:1]


def trial_names(frame: Frame) -> tuple[str, ...]:
    """Name each trial "application · input · machine", or by its id where a file names none of these."""
    return tuple(name or id for name, id in zip(frame.what_ran, frame.ids, strict=True))


def grouping_labels(frame: Frame, most: int = 200) -> tuple[str, ...]:
    """Return the labels that trials can be told apart by: roles first, 2 to `most` different values."""
    names = [*ROLES, *sorted(name for name in frame.labels if name not in ROLES)]
    return tuple(name for name in names if 2 <= len(set(frame.labels[name])) <= most)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short_number(value: float, digits: int = 3) -> str:
    """Return a number with a few digits: whole ones and thousands in full, very large and small ones as 2.5·10⁷."""
    if abs(value) < 1e7 and (value == int(value) or abs(value) >= 10 ** min(digits, 3)):
        return f"{value:,.0f}"
    shown, power, exponent = f"{value:.{digits}g}".partition("e")
    if power and 0 < int(exponent) < 7:  # rounded up to a thousand
        return f"{value:,.0f}"
    return f"{shown}·10{str(int(exponent)).translate(_RAISED)}".removeprefix("1·") if power else shown


def short_numbers(values: Iterable[float]) -> list[str]:
    """Return numbers as `short_number` does, with as many digits as tell them apart."""
    known = list(values)
    ways = ([f"{v:,.{digits}g}" if digits else short_number(v) for v in known] for digits in (0, *range(4, 18)))
    return next((texts for texts in ways if len({*texts}) == len({*known})), [*map(str, known)])


def fixed(value: float | None, decimals: int) -> str:
    """Return an error or a share with so many decimals, with digits that tell where these would not; else a dash."""
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) >= 1e5 or 0 < abs(value) < 10.0**-decimals:
        return f"{value:.{4 if abs(value) > 1 else 2}g}"
    return f"{value:.{decimals}f}"


def quantity(value: float, metric: Metric) -> str:
    """Return a value with its unit, or a dash where there is none."""
    return f"{short_number(value)}{_unit(metric)}" if math.isfinite(value) else "–"


def difference(absolute: float, metric: Metric) -> str:
    """Return a difference with its sign and unit."""
    return f"{'+' if absolute >= 0 else '−'}{short_number(abs(absolute))}{_unit(metric)}"


def change(percent: float) -> str:
    """Return a relative difference with its sign, "" where the base is zero."""
    return f"{percent:+.3g} %".replace("-", "−") if math.isfinite(percent) else ""


def interval(low: float, high: float) -> str:
    """Return both ends of an interval, or a dash where one is unknown."""
    known = math.isfinite(low) and math.isfinite(high)
    return f"{short_number(low, 3)} to {short_number(high, 3)}" if known else "–"


def chances(p: float) -> str:
    """Return a probability in percent, from "under 1 %" to "over 99 %"."""
    return "over 99 %" if p > 0.99 else "under 1 %" if p < 0.01 else f"{100 * p:.0f} %"


def _unit(metric: Metric) -> str:
    return f" {metric.unit}" if metric.unit else ""


MOST_LINES, LONGEST_LINE = 400, 240


class Preview(Frozen):
    """What is shown of a file's bytes.

    Attributes
    ----------
    text : its first lines, long ones cut; "" if it is no text
    language : for colours, such as "c"; None where there are none
    n_lines, n_bytes : of the whole file; no lines if it is no text
    shortened : whether something was left out
    """

    text: str
    language: str | None
    n_lines: int
    n_bytes: int
    shortened: bool


_LANGUAGES = {".h": "c", ".hpp": "cpp", ".py": "python", ".tex": "latex"}
_LANGUAGES |= {f".{language}": language for language in ("c", "cpp", "sql", "json", "html")}


def preview(raw: bytes, suffix: str) -> Preview:
    """Return the first 400 lines of a text, cut after 240 letters each."""
    try:
        lines = [] if b"\0" in raw[:1000] else raw.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        lines = []
    if not lines:
        return Preview("", None, 0, len(raw), shortened=bool(raw))
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …" for line in lines[:MOST_LINES]]
    cut = len(lines) > MOST_LINES or any(len(line) > LONGEST_LINE for line in lines[:MOST_LINES])
    return Preview("\n".join(shown), _LANGUAGES.get(suffix), len(lines), len(raw), cut)


def file_name(text: str, suffix: str) -> str:
    """Return a safe file name for a download, made of letters, digits, dots, dashes and underscores."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._") or "ridgeline"
    return f"{stem[:80]}{suffix}"


_WORDS = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
"""Words, numbers and what parts them."""


def dataset_name(file: str, *others: str) -> str:
    """Return a dataset's name made of a file's: its folder's or archive's where it came in one, else its own.

    Of several files it is made of the words that all their names begin with, if there are any.
    """
    if folder := file.partition("/")[0].removesuffix(".zip") if "/" in file else "":
        return file_name(folder, "")
    names = [name.removesuffix(".gz").rpartition(".")[0] or name for name in (file, *others)]
    words = takewhile(lambda own: len({*own}) == 1, zip(*map(_WORDS.findall, names), strict=False))
    return file_name("".join(first for first, *_ in words).strip("_-. ") or names[0], "")


def row_of(value: object, titles: str) -> dict[str, Any]:
    """Return attributes by the titles of their columns; None for each of no value.

    Parameters
    ----------
    titles : such as "step: number | term | error (%): scores.mape": a title and the attribute that it stands for, or
        an attribute that is its own title; names from files have no place here, as they may hold a colon
    """
    return {title: None if value is None else attrgetter(name)(value) for title, name in _pairs(titles)}


def columns_of(values: Iterable[object], titles: str) -> dict[str, list[Any]]:
    """Return the columns of a table with a row per value; see `row_of`."""
    rows = list(values)
    return {title: [attrgetter(name)(one) for one in rows] for title, name in _pairs(titles)}


def _pairs(titles: str) -> list[tuple[str, str]]:
    parts = (one.partition(": ") for one in titles.split(" | "))
    return [(title, attribute or title) for title, _, attribute in parts]


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
