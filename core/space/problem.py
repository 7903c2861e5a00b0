"""The problem that designs are for: what belongs to it, such as a size, is given, and designs are compared at one."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from core.space.design_space import DesignSpace, Level
from core.trial import Frame, Kind

Problem = Mapping[str, Level]
"""A level of each parameter that belongs to the problem."""
_RAN = ("application", "input")


def problems(space: DesignSpace, frames: Iterable[Frame]) -> tuple[Problem, ...]:
    """Return the problems that were measured, that of most configurations first, of as many the larger.

    Parameters belong to the problem where they are deterministic metrics of a frame, known before any run, or what ran;
    there is no problem where the space has none such of more than one level.
    """
    moving = {p.name: p for p in space.parameters if len(p.levels) > 1}
    for frame in frames:
        known = {m.name: frame.X[:, j] for j, m in enumerate(frame.metrics) if m.kind is Kind.DETERMINISTIC}
        texts = {role: np.array(frame.labels[role], dtype=object) for role in _RAN}
        columns = {name: values for name, values in {**known, **texts}.items() if name in moving}
        if own := tuple(columns):
            _, first = np.unique(frame.configuration, return_index=True)
            placed = [moving[name].places(values[first].tolist()) for name, values in columns.items()]
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
