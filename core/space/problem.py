"""The problem that designs are for: what belongs to it, such as a size, is given, and designs are compared at one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from core.codec import BoolArray, FloatArray
from core.ingest import dimension
from core.space.design_space import DesignSpace, Level
from core.trial import Frame, Kind

Problem = Mapping[str, Level]
"""A level of each parameter that belongs to the problem."""
_RAN = ("application", "input")
_RESOURCES = re.compile("thread|core|proc|rank|worker|node|job|gpu", re.IGNORECASE)
"""In names of what works: more of it is no more to do, though it may take longer."""
_SPENT = ("time", "energy")
_LEAST_STEPS, _RISING, _STEEP, _MOST = 4, 0.9, 0.5, 200_000
"""A parameter is the amount of work if of so many steps, all else alike, nine in ten raise the time, most by this power
of it; of so many trials at most."""


def problems(space: DesignSpace, frames: Iterable[Frame], *, growing: bool = True) -> tuple[Problem, ...]:
    """Return the problems that were measured, that of most configurations first, of as many the larger.

    A parameter of more than one level belongs to the problem if it is what ran, is known before any run (a
    deterministic metric), or is the amount of work: all else alike, times and energies grow with it. Where nothing else
    moves there is no problem, and where sizes alone do besides, what ran is a choice.

    Parameters
    ----------
    growing : whether amounts of work count
    """
    moving = {p.name: p for p in space.parameters if len(p.levels) > 1}
    for frame in frames:
        _, first = np.unique(frame.configuration, return_index=True)
        texts = {role: np.array(frame.labels[role], dtype=object)[first].tolist() for role in _RAN if role in moving}
        work = worked(frame, growing=growing)
        sizes = {m.name: x for m, x, own in zip(frame.metrics, frame.X[first].T, work, strict=True) if own}
        columns = {name: values for name, values in sizes.items() if name in moving}
        if len({**columns, **texts}) < len(moving):  # else what ran is the choice
            columns |= texts
        if (own := tuple(columns)) and len(own) < len(moving):
            placed = [moving[name].places(values) for name, values in columns.items()]
            codes = np.column_stack([places for places, _ in placed])[np.all([there for _, there in placed], axis=0)]
            found, counts = np.unique(codes, axis=0, return_counts=True)
            order = np.lexsort((*found.T[::-1], counts))[::-1]
            return tuple(
                {name: moving[name].levels[code] for name, code in zip(own, row, strict=True)}
                for row in found[order].tolist()
            )
    return ()


def at_problem(space: DesignSpace, problem: Problem) -> DesignSpace:
    """Return the designs for a problem."""
    own = (replace(p, levels=(problem[p.name],)) if p.name in problem else p for p in space.parameters)
    return replace(space, parameters=tuple(own))


def worked(frame: Frame, *, growing: bool = True) -> BoolArray:
    """Return which metrics of a frame belong to the problem, array of shape (n_metrics,)."""
    known = np.array([m.kind is Kind.DETERMINISTIC for m in frame.metrics], dtype=bool)
    if not growing:
        return known
    if "amounts of work" not in frame.found:
        frame.found["amounts of work"] = _amounts(frame)
    return np.asarray(known | frame.found["amounts of work"])


def _amounts(frame: Frame) -> BoolArray:
    """Return which parameters are amounts of work, array of shape (n_metrics,)."""
    found = np.zeros(len(frame.metrics), dtype=bool)
    spent = dimension(frame.response.unit, frame.response.name) in _SPENT and frame.y.min() > 0
    if not spent or len(frame) > _MOST:
        return found
    _, first, of = np.unique(frame.configuration, return_index=True, return_inverse=True)
    y = np.bincount(of, np.log(frame.y)) / np.bincount(of)
    where = [np.unique(np.array(frame.labels[role]), return_inverse=True)[1] for role in ("application", "machine")]
    levels = [np.unique(x, return_inverse=True)[1] for x in (*frame.X.T, *where)]
    codes = np.column_stack(levels)[first]
    for j, metric in enumerate(frame.metrics):
        x = frame.X[first, j]
        if metric.kind is Kind.PARAMETER and x.min() > 0 and np.ptp(x) > 0 and not _RESOURCES.search(metric.name):
            found[j] = _grows(np.delete(codes, j, axis=1), np.log(x), y)
    return found


def _grows(others: FloatArray, x: FloatArray, y: FloatArray) -> bool:
    """Whether steps of x alone raise y, most of them steeply; both are logarithms."""
    order = np.lexsort((x, *others.T))
    step = (others[order][1:] == others[order][:-1]).all(axis=1) & (np.diff(x[order]) > 0)
    slopes = np.diff(y[order])[step] / np.diff(x[order])[step]
    return len(slopes) >= _LEAST_STEPS and (slopes > 0).mean() >= _RISING and float(np.median(slopes)) >= _STEEP
