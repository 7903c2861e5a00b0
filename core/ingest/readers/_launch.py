"""A launch of a kernel: the sizes of its grid and its blocks, and the input that they make of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.ingest.readers._builder import Builder

AXES = ("x", "y", "z")


def sizes(grid: Sequence[float | None], block: Sequence[float | None]) -> dict[str, float]:
    """Return `grid_size_x` and so on, `grid_size` for one total; nothing of what has a size that is not known."""
    found: dict[str, float] = {}
    for what, dimensions in (("grid", grid), ("block", block)):
        known = [size for size in dimensions if size]  # a range of launches is written with sizes of 0
        if len(known) == len(dimensions):
            names = [f"{what}_size_{axis}" for axis in AXES] if len(known) > 1 else [f"{what}_size"]
            found |= zip(names, known, strict=False)
    return found


def shape(found: Mapping[str, float]) -> str:
    """Return the shape as an input's name: `grid 4096x1x1, block 256x1x1`."""
    parts = []
    for what in ("grid", "block"):
        dimensions = [f"{size:.0f}" for name, size in found.items() if name.startswith(f"{what}_size")]
        if dimensions:
            parts.append(f"{what} {'x'.join(dimensions)}")
    return ", ".join(parts)


def begin(builder: Builder, application: str, found: Mapping[str, float], instead: str = "", **about: Any) -> int:
    """Begin the trial of a launch and return its row; the sizes are deterministic metrics of its application and input.

    Parameters
    ----------
    instead : the input where no size is known
    about : what else is said of the trial, as `Builder.trial` takes it
    """
    input = shape(found) or instead
    if not builder.knows_input(application, input):  # launches of one shape are many
        for name, size in found.items():
            builder.of_input(application, input, name, size)
    return builder.trial(application, input=input, **about)
