"""nvprof's metrics and events: averages over the launches of a kernel on a device."""

from dataclasses import dataclass

from core.ingest.names import shown
from core.ingest.readers._nvidia.capture import Rest
from core.ingest.readers._nvidia.nvprof_tables import EVENTS, NvprofTable
from core.ingest.readers._nvidia.nvprof_values import Putting, device_of
from core.ingest.readers._nvidia.printed import with_unit

_Key = tuple[int, str, str]


@dataclass(frozen=True)
class _Average:
    """One row: a metric or event of a kernel on a device."""

    line: int
    key: _Key
    command: str
    kind: str
    name: str
    invocations: str
    minimum: str
    maximum: str
    average: str


def put_averages(putting: Putting, tables: list[NvprofTable], rest: Rest) -> dict[tuple[str, str], list[int]]:
    """Put one trial per capture, device and kernel; return the trials by kernel and command.

    Events and metrics of one capture stand in two tables; where an event and a metric of the same
    name differ, the event says that it is one.
    """
    rows = _once(_rows(tables), rest)
    events = _differing_events(rows)
    trials: dict[_Key, int] = {}
    found: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if row.key not in trials:
            machine, device = device_of(row.key[1])
            trials[row.key] = putting.builder.trial(
                row.key[2],
                input=row.command,
                machine=machine,
                where=f"line {row.line}",
                execution="all launches",
                labels={"device": device, "invocations": row.invocations},
            )
            found.setdefault((row.key[2], row.command), []).append(trials[row.key])
        name = f"{row.name} (event)" if row.kind == EVENTS and row.name in events else row.name
        putting.put_text(trials[row.key], name, row.average)
    _tell_spread(putting, rows, tables)
    return found


def _rows(tables: list[NvprofTable]) -> list[_Average]:
    """Return the rows of all tables; a second table of a kind begins another capture."""
    capture, kinds = 0, set[str]()
    found = []
    for table in tables:
        if table.kind in kinds:
            capture, kinds = capture + 1, set()
        kinds.add(table.kind)
        column = "Event Name" if table.kind == EVENTS else "Metric Name"
        for row in table.rows:
            key = (capture, table.cell(row, "Device"), table.cell(row, "Kernel"))
            texts = [table.cell(row, name) for name in (column, "Invocations", "Min", "Max", "Avg")]
            found.append(_Average(row.line, key, table.command, table.kind, *texts))
    return found


def _once(rows: list[_Average], rest: Rest) -> list[_Average]:
    """Return the rows without those that say a metric of a kernel a second time."""
    seen: dict[tuple[_Key, str, str], str] = {}
    kept = []
    for row in rows:
        before = seen.get((row.key, row.kind, row.name))
        if before is None:
            seen[(row.key, row.kind, row.name)] = row.average
            kept.append(row)
        elif before != row.average:
            rest.damaged(row.line, f"'{shown(row.name)}' a second time for this kernel: {row.average}, after {before}")
    return kept


def _differing_events(rows: list[_Average]) -> set[str]:
    """Return the events that are called like a metric and are something else."""
    events = {(row.key, row.name): row.average for row in rows if row.kind == EVENTS}
    return {
        row.name for row in rows if row.kind != EVENTS and events.get((row.key, row.name), row.average) != row.average
    }


def _tell_spread(putting: Putting, rows: list[_Average], tables: list[NvprofTable]) -> None:
    """Say that averages were taken, and of which metric the launches differ most."""
    spread: dict[str, float] = {}
    for row in rows:
        low, high, average = (with_unit(t, putting.mark)[0] for t in (row.minimum, row.maximum, row.average))
        same = len({with_unit(t, putting.mark)[1] for t in (row.minimum, row.maximum, row.average)}) == 1
        if low is not None and high is not None and average and low != high and same:
            spread[row.name] = max(spread.get(row.name, 0.0), (high - low) / abs(average))
    if tables:
        lines = ", ".join(str(table.line) for table in tables)
        total = ", 'Total'" if any("Total" in table.columns for table in tables) else ""
        putting.builder.skip(
            f"below line {lines}", f"columns 'Min', 'Max'{total}: the average over the launches is taken"
        )
    if spread:
        worst = max(spread, key=lambda name: spread[name])
        putting.builder.warn(
            f"{putting.builder.source}: averages over several launches, which differ in {len(spread)} metrics, most in "
            f"'{shown(worst)}' by {100 * spread[worst]:.3g} % of the average. Use --print-gpu-trace for each launch."
        )
