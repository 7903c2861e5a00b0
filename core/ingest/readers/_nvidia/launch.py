"""A kernel's launch: its shape as an input's name and as sizes, and its time where that is known in seconds."""

from collections.abc import Mapping, Sequence

from core.ingest.names import shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._builder import TIME, Builder
from core.trial import Kind

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


def put_time(builder: Builder, trial: int, name: str, value: float | None, unit: str) -> None:
    """Give a trial its time.

    Without a unit of time the value keeps its own name and is an outcome all the same; nobody can say
    how many seconds it is.

    Parameters
    ----------
    name : what the file calls it
    """
    if scale_of(unit)[0] == "s":
        builder.put(trial, TIME, value, unit, Kind.RESPONSE)
        return
    builder.put(trial, name, value, unit, Kind.RESPONSE)
    said = f"the unit '{shown(unit)}'" if unit else "no unit"
    builder.warn(
        f"{builder.source}: the time '{shown(name)}' has {said}, so that it is not known in seconds. "
        "Say its unit when importing, or capture again."
    )
