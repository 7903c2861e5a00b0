"""Segments as a graph: an order in which each comes after all it waits for, starts, and the critical path."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.scaling.segments_file import Segment


def in_order(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return segments so that each comes after all it waits for, else in the order given.

    Raises
    ------
    OptionError
        If segments wait for each other in a circle, which is named.
    """
    found: list[Segment] = []
    graph = TopologicalSorter({s.name: s.after for s in segments})
    try:
        graph.prepare()
    except CycleError as error:
        circle = " → ".join(f"'{name}'" for name in error.args[1])
        raise OptionError(f"Segments wait for each other in a circle: {circle}. Remove one of these edges.") from None
    while graph.is_active():
        ready = set(graph.get_ready())
        found += [s for s in segments if s.name in ready]
        graph.done(*ready)
    return tuple(found)


def places(segments: Sequence[Segment], names: Sequence[str]) -> IntArray:
    """Return the places of segments of these names."""
    order = [s.name for s in segments]
    return np.array([order.index(name) for name in names], dtype=np.int64)


def starts(times: FloatArray, before: Sequence[IntArray]) -> tuple[FloatArray, FloatArray]:
    """Return when each segment starts, and when the last one ends."""
    start = np.zeros_like(times)
    for i, earlier in enumerate(before):
        if len(earlier):
            start[i] = (start[earlier] + times[earlier]).max(axis=0)
    return start, (start + times).max(axis=0)


def longest_left(times: FloatArray, before: Sequence[IntArray]) -> FloatArray:
    """Return the longest path from the start of each segment to the end."""
    left = times.copy()
    for i in range(len(times) - 1, -1, -1):
        for earlier in before[i]:
            left[earlier] = np.maximum(left[earlier], times[earlier] + left[i])
    return left


def critical_path(
    segments: Sequence[Segment], times: FloatArray, start: FloatArray, before: Sequence[IntArray]
) -> tuple[str, ...]:
    """Walk back from the segment that ends last, each time to the one that ended last before it."""
    at = int((start + times).argmax())
    path = [at]
    while len(before[at]):
        earlier = before[at]
        at = int(earlier[(start[earlier] + times[earlier]).argmax()])
        path.append(at)
    return tuple(segments[i].name for i in reversed(path))
