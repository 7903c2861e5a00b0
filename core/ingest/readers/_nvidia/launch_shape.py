"""The shape of a kernel's launch: an input's name, and sizes that belong to it."""

from collections.abc import Mapping, Sequence

from core.ingest.readers._builder import Builder

AXES = ("x", "y", "z")


def sizes(what: str, dimensions: Sequence[float | None]) -> dict[str, float]:
    """Return `{what}_size_x` and so on, or `{what}_size` for one total; nothing unless all dimensions are known."""
    known = [size for size in dimensions if size]  # a range of launches is written with sizes of 0
    if not known or len(known) != len(dimensions):
        return {}
    if len(known) == 1:
        return {f"{what}_size": known[0]}
    return {f"{what}_size_{axis}": size for axis, size in zip(AXES, known, strict=True)}


def shape(found: Mapping[str, float]) -> str:
    """Return the shape as an input's name: `grid 4096x1x1, block 256x1x1`."""
    parts = []
    for what in ("grid", "block"):
        dimensions = [f"{size:.0f}" for name, size in found.items() if name.startswith(f"{what}_size")]
        if dimensions:
            parts.append(f"{what} {'x'.join(dimensions)}")
    return ", ".join(parts)


def put_sizes(builder: Builder, application: str, input: str, found: Mapping[str, float]) -> None:
    """Say the sizes as deterministic metrics of an application on an input."""
    for name, size in found.items():
        builder.of_input(application, input, name, size)
