"""What of Nsight Compute's file gives no trials: rules, other pages, captures that failed."""

import re
from collections.abc import Iterator, Sequence

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture
from core.ingest.readers._nvidia.ncu_header import DAMAGED, KERNEL, SOURCE, SUMMARY, WIDE
from core.ingest.readers._nvidia.ncu_tables import Found, Launch, NcuTable

TOOL = "Nsight Compute"
_PRINTED_DEVICE = re.compile(
    r"\b(?:device|gpu)\b[^:=]{0,12}[:=]\s*\"?((?:NVIDIA|Tesla|Quadro|GeForce|TITAN) [\w .+-]*\w)", re.IGNORECASE
)


def printed_device(found: Found) -> tuple[str, int]:
    """Return (name, line) of the one GPU that the application's own output names; ("", 0) if none or several."""
    said = {m.group(1): line for line, text in found.rest.lines if (m := _PRINTED_DEVICE.search(text))}
    devices = {launch.identity.get("Device", "") for launch in found.launches}
    return next(iter(said.items())) if len(said) == len(devices) == 1 else ("", 0)


def tell_tables(builder: Builder, found: Found) -> None:
    """Say which rows and tables are no measurements."""
    if found.rules:
        names = ", ".join(dict.fromkeys(name for _, name in found.rules if name))
        what = f"{len(found.rules)} rows of the tool's advice ({shown(names, 120)}), no measurements"
        builder.skip(f"line {found.rules[0][0]}{' and more' if len(found.rules) > 1 else ''}", what)
    for table in found.tables:
        if table.kind == WIDE and not table.has_units and not any(unit for _, unit, _ in table.keys):
            builder.warn(f"{builder.source} line {table.line}: no row of units below the column names; none are known.")
        if table.kind == SUMMARY:
            builder.skip(f"line {table.line}", "columns 'Minimum', 'Maximum': the average over the launches is taken")
        elif table.kind in (DAMAGED, SOURCE):
            builder.skip(f"line {table.line}", f"not read: {_not_launches(table)}")


def _not_launches(table: NcuTable) -> str:
    if table.kind == SOURCE:
        return "the source page, one row per instruction and none per launch"
    wanted = ("ID", "Metric Name", "Metric Unit", "Metric Value")
    lacks = [f"'{name}'" for name in wanted if name not in table.columns]
    return f"a table of metrics without the column {', '.join(lacks)}"


def why_nothing(capture: Capture, found: Found) -> ReadError | None:
    """Return the refusal of a file of rules or other pages alone."""
    for table in found.tables:
        if table.kind in (SOURCE, DAMAGED):
            remedy = "Export it with --page details or --page raw."
            return ReadError(f"{capture.name} line {table.line} begins {_not_launches(table)}. {remedy}")
    if found.rules:
        return ReadError(
            f"{capture.name} holds only {len(found.rules)} rows of {TOOL}'s rules and no metrics. "
            "Export it with --page details --print-details all, or with --page raw."
        )
    return None


def joined(builder: Builder, found: Found) -> Iterator[Launch]:
    """Yield the launches; a later table of the same launches with other metrics is a further pass over them."""
    tables: dict[int, list[Launch]] = {}
    for launch in found.launches:
        tables.setdefault(launch.table, []).append(launch)
    kept: list[list[Launch]] = []
    for place, launches in tables.items():
        before = next((group for group in kept if _same_launches(group, launches)), None)
        if before is None:
            kept.append(launches)
            continue
        builder.warn(
            f"{builder.source} line {found.tables[place].line}: a second table of the same {len(launches)} launches "
            "with other metrics: taken as a further pass over them."
        )
        for old, new in zip(before, launches, strict=True):
            old.keys, old.texts = [*old.keys, *new.keys], [*old.texts, *new.texts]
    if len(kept) > 1:
        lines = ", ".join(str(found.tables[group[0].table].line) for group in kept)
        builder.warn(f"{builder.source} holds {len(kept)} captures (from lines {lines}): each gives trials of its own.")
    for group in kept:
        yield from group


def _same_launches(first: Sequence[Launch], second: Sequence[Launch]) -> bool:
    if len(first) != len(second) or not all(launch.identity.get("ID") for launch in first):
        return False
    pairs = zip(first, second, strict=True)
    return all(_who(a) == _who(b) and not {key[0] for key in a.keys} & {key[0] for key in b.keys} for a, b in pairs)


def _who(launch: Launch) -> tuple[str, ...]:
    return tuple(launch.identity.get(name, "") for name in ("ID", *KERNEL, "Grid Size", "Block Size"))
