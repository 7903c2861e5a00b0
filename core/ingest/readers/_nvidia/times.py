"""The time of a trial, given only where its unit is a unit of time."""

from core.ingest._names import shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._builder import TIME, Builder
from core.trial import Kind


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
