"""What becomes of Nsight Compute's metrics: their names among the trials', times, ids, attributes of the device."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.ingest.readers._base_units import scale_of
from core.ingest.readers._nvidia.ncu_tables import Key, Launch
from core.ingest.readers._nvidia.printed import is_missing

COUNTER, OUTCOME, TIME, MACHINE, ID = "counter", "outcome", "time", "machine", "id"

_DEVICE, _MULTIPROCESSORS = "device__attribute_", "# SMs"
_IDS = re.compile(r"(?:device__attribute_|launch__).*(?:_id|_index|_ordinal|_uuid)|launch__kernel_name")
_TIME = re.compile(r"(?:^|[\s(])gpu__time_duration(?:\.(sum|avg|max|min))?\)?$|^(Duration)$")
_RANK = {"sum": 0, "Duration": 1, None: 2, "avg": 3, "max": 4, "min": 5}
_OUTCOME = re.compile(r"(?:^|[\s(])gpu__time_")
_TWOFOLD = frozenset({("Memory Throughput", "byte/s")})
"""The tool calls two metrics so; this one says its unit even where it is alone, so that files agree."""


@dataclass(frozen=True)
class Plan:
    """What becomes of a metric: its name among the trials' and what it is."""

    name: str
    unit: str
    role: str
    rank: int = 9


def plans(launches: Sequence[Launch]) -> dict[Key, Plan]:
    """Return what becomes of each metric.

    A name that two units share is two metrics, whatever their order: the percentage keeps the name.
    The same metric in two sections keeps one name if it is alike in all launches.
    """
    kinds = {id(launch.keys): launch.keys for launch in launches}
    if len(kinds) == 1 and (alone := _alone(tuple(*kinds.values()))):
        return alone
    by_name: dict[str, dict[str, list[Key]]] = {}
    for keys in kinds.values():
        for key in keys:
            group = by_name.setdefault(key[0], {}).setdefault(scale_of(key[1])[0], [])
            if key not in group:
                group.append(key)
    found: dict[Key, Plan] = {}
    for name, bases in by_name.items():
        told = bases if len(bases) == 1 else [base for base, keys in bases.items() if _told(launches, set(keys))]
        plain = next((base for base in sorted(told, key=lambda base: (base != "%", base == "", base))), "")
        for base, keys in bases.items():
            plainly = base == plain or base not in told
            own = _only_name(name, base) if plainly else f"{name} [{base or 'no unit'}]"
            found |= {key: _planned(name, called, key[1]) for key, called in _sections(launches, own, keys)}
    return found


@lru_cache(256)
def _alone(keys: tuple[Key, ...]) -> dict[Key, Plan]:
    """Return what becomes of metrics whose names say all; nothing if two of them share one."""
    if len({name for name, _, _ in keys}) < len(keys):
        return {}
    return {key: _planned(key[0], _only_name(key[0], scale_of(key[1])[0]), key[1]) for key in keys}


def _only_name(name: str, base: str) -> str:
    return name if (name, base) not in _TWOFOLD else f"{name} [{base or 'no unit'}]"


def _told(launches: Sequence[Launch], keys: set[Key]) -> bool:
    return any(key in keys and not is_missing(text) for launch in launches for key, text in launch.items())


def _sections(launches: Sequence[Launch], own: str, keys: Sequence[Key]) -> Iterator[tuple[Key, str]]:
    """Yield (key, name) of a metric that stands in several sections."""
    differ = len(keys) > 1 and _differ(launches, set(keys))
    for key in keys:
        yield key, f"{own} [{key[2]}]" if differ and key[2] != keys[0][2] else own


def _differ(launches: Sequence[Launch], keys: set[Key]) -> bool:
    """Whether a launch has different values under keys that are alike but for the section."""
    said = ({f"{t} {key[1]}" for key, t in own.items() if key in keys and not is_missing(t)} for own in launches)
    return any(len(texts) > 1 for texts in said)


@lru_cache(1 << 14)
def _planned(name: str, own: str, unit: str) -> Plan:
    """Return the plan of a metric that is called `own` among the trials' metrics."""
    time = _TIME.search(name)
    if time:
        return Plan(own, unit, TIME, _RANK[time.group(1) or time.group(2)])
    if _IDS.fullmatch(name):
        return Plan(own, unit, ID)
    if name.startswith(_DEVICE) or name == _MULTIPROCESSORS:
        return Plan(own, unit, MACHINE)
    outcome = _OUTCOME.search(name) and scale_of(unit)[0] == "s"
    return Plan(own, unit, OUTCOME if outcome else COUNTER)
