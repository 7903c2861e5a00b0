"""Design points: typed into a table, from a file, and a design space made of measured trials."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError, count
from core.scale import ResponseScale
from core.space.allowed import allowed_points
from core.space.design_space import DesignSpace, Level, Parameter, make_space
from core.space.holes import Holes, holes_of, observed_space
from core.space.joint import measured
from core.space.plan import shown
from core.trial import Frame, Kind

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
Point = tuple[int, ...]
"""Per parameter, the number of its level."""


def middle_point(space: DesignSpace) -> Point:
    """Return a design near the middle of every parameter that fulfils the constraints, if that is easily found."""
    codes = np.array([[(n - 1) // 2 for n in space.shape]], dtype=np.int64)
    if not space.allowed(codes)[0]:
        codes = allowed_points(space).at(np.full((1, len(space.shape)), 0.5))
    return point(codes[0])


def start_levels(space: DesignSpace) -> dict[str, str]:
    """Return a design to begin with, as texts by parameter: near the middle, and allowed if that is easily found."""
    return texts_of(space, middle_point(space))


def texts_of(space: DesignSpace, point: Point) -> dict[str, str]:
    """Return a point as texts by parameter."""
    return {p.name: shown(p.levels[code]) for p, code in zip(space.parameters, point, strict=True)}


def point_of_texts(space: DesignSpace, texts: Mapping[str, str]) -> Point | None:
    """Return the point that texts by parameter mean; None if one is missing or no level."""
    found = []
    for parameter in space.parameters:
        levels = [shown(level) for level in parameter.levels]
        if texts.get(parameter.name) not in levels:
            return None
        found.append(levels.index(texts[parameter.name]))
    return tuple(found)


def point(codes: IntArray) -> Point:
    """Return a row of codes as a point."""
    return tuple(int(code) for code in codes)


class NearestDesign(Frozen):
    """The measured design that is nearest to one.

    Attributes
    ----------
    same : whether it is the design itself
    value : mean of its trials, in the response's unit
    differs : which parameters differ, and how, such as "load_queue 12"
    """

    same: bool
    value: float
    n_trials: int
    differs: tuple[str, ...]


class MeasuredDesigns(Frozen):
    """Measured designs of a space, the trials of each together.

    Attributes
    ----------
    codes : array of shape (n_designs, n_parameters)
    values : array of shape (n_designs,), mean of each design's trials
    counts : array of shape (n_designs,)
    """

    space: DesignSpace
    codes: IntArray
    values: FloatArray
    counts: IntArray

    def nearest(self, point: Point) -> NearestDesign | None:
        """Return the nearest design: that with the fewest parameters changed, then by the fewest levels."""
        if not len(self.codes):
            return None
        steps = np.abs(self.codes - np.array(point))
        sizes = np.maximum(np.array(self.space.shape) - 1, 1)
        i = int(np.lexsort(((steps / sizes).sum(axis=1), (steps > 0).sum(axis=1)))[0])
        pairs = zip(self.space.parameters, self.codes[i].tolist(), point, strict=True)
        differs = tuple(f"{p.name} {shown(p.levels[c])}" for p, c, asked in pairs if c != asked)
        return NearestDesign(not differs, float(self.values[i]), int(self.counts[i]), differs)


def measured_designs(space: DesignSpace, frame: Frame) -> MeasuredDesigns:
    """Return the designs of a space that were measured, the trials of each together.

    Raises
    ------
    OptionError
        If the frame lacks a parameter that has more than one level.
    """
    ranks, means, counts = measured(frame, ResponseScale("raw"), space)
    return MeasuredDesigns(space, space.codes(ranks), means, counts)


def trial_space(frame: Frame, title: str = "") -> DesignSpace:
    """Return the space of what was varied; columns `layout=row`, `layout=column` are one category, layout.

    Parameters are in the order of the frame's columns.

    Raises
    ------
    OptionError
        If nothing varies.
    """
    owner = {name: category_of(name, frame) for name in frame.names}
    numeric = [name for name, label in owner.items() if not label]
    try:
        found = {p.name: p for p in observed_space(frame, numeric).parameters}
    except OptionError:
        if not any(owner.values()):
            raise
        found = {}
    for label in owner.values():
        levels = tuple(sorted(set(frame.labels[label]))) if label else ()
        if len(levels) > 1:
            found[label] = Parameter(label, levels)
    order = list(dict.fromkeys(label or name for name, label in owner.items()))
    parameters = [found[name] for name in order if name in found]
    return make_space(parameters, name=title) if parameters else observed_space(frame, numeric)


def sizes_of_inputs(frame: Frame) -> tuple[str, ...]:
    """Return the metrics by whose values the inputs are called, such as a size; () where these tell not all apart."""
    inputs, first = np.unique(np.array(frame.labels["input"], dtype=object), return_index=True)
    called = [{float(part) for part in text.split(" / ") if _NUMBER.fullmatch(part)} for text in inputs]
    known = [j for j, metric in enumerate(frame.metrics) if metric.kind is Kind.DETERMINISTIC]
    sizes = [j for j in known if all(x in own for x, own in zip(frame.X[first, j], called, strict=True))]
    told = bool(sizes) and len(np.unique(frame.X[first][:, sizes], axis=0)) == len(inputs) > 1
    return tuple(frame.names[j] for j in sizes) if told else ()


def trial_holes(frame: Frame, title: str = "") -> Holes:
    """Return the space of what was varied, with the constraints that the trials suggest.

    Raises
    ------
    OptionError
        If nothing varies.
    """
    return holes_of(trial_space(frame, title), frame)


def with_shared(space: DesignSpace, names: Iterable[str], frame: Frame) -> DesignSpace:
    """Return the space with parameters of one level that give further columns: what all trials have.

    Parameters
    ----------
    names : the columns: metrics of the frame, or `label=text`; others are left out

    Raises
    ------
    OptionError
        If trials differ in one.
    """
    shared: dict[str, Parameter] = {}
    for name in sorted(names, key=lambda name: name in frame.names):  # an input says how large it is, too
        label = next((label for label in frame.labels if name.startswith(f"{label}=")), name)
        if label in frame.labels:
            shared[label] = Parameter(label, _one(label, frame.labels[label]))
        elif name in frame.names:
            metric, values = frame.metrics[j := frame.names.index(name)], frame.X[:, j].tolist()
            shared[name] = Parameter(name, _one(name, values, counted=metric.kind is Kind.COUNTER), metric.unit)
    return replace(space, parameters=(*space.parameters, *shared.values()))


def _one(name: str, values: Iterable[Level], *, counted: bool = False) -> tuple[Level]:
    """Return the value that all trials have."""
    first, *others = sorted(set(values))
    if others and counted:
        raise OptionError(
            f"The model predicts from '{name}', which is measured with each run, so that no design has it beforehand. "
            "Train a model from what was set."
        )
    if others:
        raise OptionError(
            f"The model predicts from '{name}' too, of which the trials have {count(1 + len(others), 'value')}. "
            f"Choose one, such as {name}={shown(first)}."
        )
    return (first,)


def differing(names: Iterable[str], space: DesignSpace) -> tuple[str, ...]:
    """Return the columns without those `name=text` of which a space has one text alone."""
    alike = tuple(f"{p.name}=" for p in space.parameters if p.categorical and len(p.levels) == 1)
    return tuple(name for name in names if not name.startswith(alike))


def holes_sentence(holes: Holes) -> str:
    """Return in a sentence what was measured of a space and what its inferred constraints leave."""
    n, allowed = holes.space.n_combinations, holes.constrained().n_points
    constraints = "1 constraint" if len(holes.found) == 1 else f"{len(holes.found)} constraints"
    start = f"The trials have {holes.n_measured:,} of {n:,} combinations. From those that never occur"
    if allowed == holes.n_measured:
        return f"{start} {constraints} were inferred; they explain all of them."
    return f"{start} {constraints} were inferred, which leave {allowed:,}."


def category_of(name: str, frame: Frame) -> str:
    """Return the text of which a metric `text=value` tells the value; "" if it is a metric of its own."""
    label, found, value = name.partition("=")
    while found:
        if label in frame.labels and value in frame.labels[label]:
            return label
        more, found, value = value.partition("=")
        label = f"{label}={more}"
    return ""
