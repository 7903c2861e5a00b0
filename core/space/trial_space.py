"""The space of what was varied in trials, and what of it a model needs besides."""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from core.errors import OptionError, count
from core.space.design_space import DesignSpace, Level, Parameter, make_space
from core.space.holes import Holes, holes_of, observed_space
from core.space.plan import shown
from core.trial import Frame, Kind

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


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


def category_of(name: str, frame: Frame) -> str:
    """Return the text of which a metric `text=value` tells the value; "" if it is a metric of its own."""
    label, found, value = name.partition("=")
    while found:
        if label in frame.labels and value in frame.labels[label]:
            return label
        more, found, value = value.partition("=")
        label = f"{label}={more}"
    return ""


def trial_holes(frame: Frame, title: str = "") -> Holes:
    """Return the space of what was varied, with the constraints that the trials suggest.

    Raises
    ------
    OptionError
        If nothing varies.
    """
    return holes_of(trial_space(frame, title), frame)


def sizes_of_inputs(frame: Frame) -> tuple[str, ...]:
    """Return the metrics by whose values the inputs are called, such as a size; () where these tell not all apart."""
    inputs, first = np.unique(np.array(frame.labels["input"], dtype=object), return_index=True)
    called = [{float(part) for part in text.split(" / ") if _NUMBER.fullmatch(part)} for text in inputs]
    known = [j for j, metric in enumerate(frame.metrics) if metric.kind is Kind.DETERMINISTIC]
    sizes = [j for j in known if all(x in own for x, own in zip(frame.X[first, j], called, strict=True))]
    told = bool(sizes) and len(np.unique(frame.X[first][:, sizes], axis=0)) == len(inputs) > 1
    return tuple(frame.names[j] for j in sizes) if told else ()


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
