"""What becomes of what Nsight Compute writes: metrics, ids, attributes of the device, and what gives no trials."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest.names import shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._nvidia.ncu_tables import DAMAGED, KERNEL, SOURCE, SUMMARY, WIDE, Found, Key, Launch, NcuTable
from core.ingest.readers._nvidia.printed import is_missing
from core.trial import Kind

_ROLE = roles_of("ncu")
_TIME = re.compile(r"(?:^|[\s(])gpu__time_duration(?:\.(sum|avg|max|min))?\)?$|^(Duration)$")
_RANK = {"sum": 0, "Duration": 1, None: 2, "avg": 3, "max": 4, "min": 5}
_OUTCOME = re.compile(r"(?:^|[\s(])gpu__time_")
_TWOFOLD = frozenset({("Memory Throughput", "byte/s")})
"""The tool calls two metrics so; this one says its unit even where it is alone, so that files agree."""


class Plan(Frozen):
    """What becomes of a metric: its name among the trials', and its kind; None of an id.

    Attributes
    ----------
    rank : of a print of the launch's time, where it comes among the others; None of anything else
    """

    name: str
    unit: str
    kind: Kind | None
    rank: int | None = None


def plans(launches: Sequence[Launch]) -> dict[Key, Plan]:
    """Return what becomes of each metric.

    A name that two units share is two metrics, whatever their order: the percentage keeps the name.
    The same metric in two sections keeps one name if it is alike in all launches.
    """
    kinds = {id(launch.keys): launch.keys for launch in launches}
    if len(kinds) == 1 and (alone := _alone(tuple(*kinds.values()))):
        return alone
    read = dict.fromkeys(key for keys in kinds.values() for key in keys)
    found: dict[Key, Plan] = {}
    there = {key for launch in launches for key, text in launch.items() if not is_missing(text)}
    for name, named in by_key((key[0], key) for key in read).items():
        bases = by_key((scale_of(unit)[0], (name, unit, section)) for _, unit, section in named)
        told = bases if len(bases) == 1 else [base for base, keys in bases.items() if there & {*keys}]
        plain = next((base for base in sorted(told, key=lambda base: (base != "%", base == "", base))), "")
        for base, keys in bases.items():
            plainly = base == plain or base not in told
            own = _only_name(name, base) if plainly else f"{name} [{base or 'no unit'}]"
            differ = len(keys) > 1 and _differ(launches, set(keys))
            for _, unit, section in keys:
                called = f"{own} [{section}]" if differ and section != keys[0][2] else own
                found[name, unit, section] = _planned(name, called, unit)
    return found


@lru_cache(256)
def _alone(keys: tuple[Key, ...]) -> dict[Key, Plan]:
    """Return what becomes of metrics whose names say all; nothing if two of them share one."""
    if len({name for name, _, _ in keys}) < len(keys):
        return {}
    return {key: _planned(key[0], _only_name(key[0], scale_of(key[1])[0]), key[1]) for key in keys}


def _only_name(name: str, base: str) -> str:
    return name if (name, base) not in _TWOFOLD else f"{name} [{base or 'no unit'}]"


def _differ(launches: Sequence[Launch], keys: set[Key]) -> bool:
    """Whether a launch has different values under keys that are alike but for the section."""
    said = ({f"{t} {key[1]}" for key, t in own.items() if key in keys and not is_missing(t)} for own in launches)
    return any(len(texts) > 1 for texts in said)


@lru_cache(1 << 14)
def _planned(name: str, own: str, unit: str) -> Plan:
    """Return the plan of a metric that is called `own` among the trials' metrics."""
    if time := _TIME.search(name):
        return Plan(own, unit, Kind.RESPONSE, _RANK[time.group(1) or time.group(2)])
    (called, _, kind), base = _ROLE(name), scale_of(unit)[0]
    if kind is Kind.COUNTER and base.endswith("/s"):
        kind = Kind.DERIVED
    elif kind is Kind.COUNTER and base == "s" and _OUTCOME.search(name):
        kind = Kind.RESPONSE
    return Plan(own, unit, kind if called else None)


TOOL = "Nsight Compute"
_PRINTED_DEVICE = re.compile(
    r"\b(?:device|gpu)\b[^:=]{0,12}[:=]\s*\"?((?:NVIDIA|Tesla|Quadro|GeForce|TITAN) [\w .+-]*\w)", re.IGNORECASE
)


def printed_device(found: Found) -> tuple[str, int]:
    """Return (name, line) of the one GPU that the application's own output names; ("", 0) if none or several."""
    said = {m.group(1): line for line, text in found.capture.rest if (m := _PRINTED_DEVICE.search(text))}
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
            builder.note("no row of units below the column names; none are known.", table.line)
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


def why_no_launch(found: Found) -> str:
    """Return why a file of rules or other pages alone is refused; "" of any other."""
    for table in found.tables:
        if table.kind in (SOURCE, DAMAGED):
            remedy = "Export it with --page details or --page raw."
            return f"line {table.line} begins {_not_launches(table)}. {remedy}"
    remedy = "Export it with --page details --print-details all, or with --page raw."
    return f"holds only {len(found.rules)} rows of {TOOL}'s rules and no metrics. {remedy}" if found.rules else ""


def joined(builder: Builder, found: Found) -> Iterator[Launch]:
    """Yield the launches; a later table of the same launches with other metrics is a further pass over them."""
    kept: list[list[Launch]] = []
    for place, launches in by_key((launch.table, launch) for launch in found.launches).items():
        if (before := next((group for group in kept if _same_launches(group, launches)), None)) is None:
            kept.append(launches)
            continue
        told = f"a second table of the same {len(launches)} launches with other metrics"
        builder.note(f"{told}: taken as a further pass over them.", found.tables[place].line)
        for old, new in zip(before, launches, strict=True):
            old.keys, old.texts = [*old.keys, *new.keys], [*old.texts, *new.texts]
    if len(kept) > 1:
        lines = ", ".join(str(found.tables[group[0].table].line) for group in kept)
        builder.tell(f"holds {len(kept)} captures (from lines {lines}): each gives trials of its own.")
    for group in kept:
        yield from group


def _same_launches(first: Sequence[Launch], second: Sequence[Launch]) -> bool:
    if len(first) != len(second) or not all(launch.identity.get("ID") for launch in first):
        return False
    pairs = zip(first, second, strict=True)
    return all(_who(a) == _who(b) and not {key[0] for key in a.keys} & {key[0] for key in b.keys} for a, b in pairs)


def _who(launch: Launch) -> tuple[str, ...]:
    return tuple(launch.identity.get(name, "") for name in ("ID", *KERNEL, "Grid Size", "Block Size"))
