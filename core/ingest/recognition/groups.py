"""Metrics by their tools' sections, or the beginnings of their names, so that a thousand can be looked at."""

import re
from collections import Counter
from collections.abc import Iterable

from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest._vocabulary import by_name, data_of
from core.trial import Kind, Metric

_UNIT = re.compile(
    r"(?P<ncu>[a-z0-9]+)__\w|(?P<block>SQC?|TC[APCDP]|TA|TD|TCC|GRBM|CPC|CPF|SPI|GDS)_|(?P<channels>\w+?)\[\d+\]"
    r"|(?P<caches>L1|L2|L3|LLC|[di]TLB|L1-[di]cache)[-_. ]"
)
_UNITS = by_name(data_of(__package__, "groups.toml")["units"])
_SECTION = re.compile(r".* \[(?!no unit)(?P<section>[^\[\]/]{4,})\]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*?(?=[A-Z][a-z]|[_.\-/ :]|$)")
_LEAST = 3
"""Metrics with one beginning that are a group of their own."""
_FEW = 20
"""So many metrics need no groups."""


class Group(Frozen):
    """Metrics that belong together.

    Attributes
    ----------
    name : as the tool or the field calls the part of the machine, or what the names begin with
    """

    name: str
    metrics: tuple[Metric, ...]


def metric_groups(metrics: Iterable[Metric]) -> tuple[Group, ...]:
    """Return metrics in groups, largest first, what fits none last as "others".

    Sections and hardware units that profilers write into names come first (Nsight Compute's `l1tex__…`,
    AMD's `TCC_…`, channels such as `TCC_HIT[3]` with their block), then common beginnings of three or more.
    Responses, parameters, and metrics of inputs and machines are groups of their own. Up to 20 metrics are one.
    """
    listed = list(metrics)
    if len(listed) <= _FEW:
        return (Group("metrics", tuple(listed)),) if listed else ()
    named = [_kind(metric) or _unit(metric.name) for metric in listed]
    words = [_WORD.match(metric.name) for metric in listed]
    begins = [word.group().lower() if word else "" for word in words]
    times = Counter(begin for begin, own in zip(begins, named, strict=True) if not own)
    common = (f"{begin} …" if begin and times[begin] >= _LEAST else "others" for begin in begins)
    groups = by_key((own or other, metric) for metric, own, other in zip(listed, named, common, strict=True))
    ordered = sorted(groups.items(), key=lambda item: (item[0] == "others", -len(item[1]), item[0]))
    return tuple(Group(name, tuple(own)) for name, own in ordered)


def _kind(metric: Metric) -> str:
    nouns = {
        Kind.RESPONSE: "outcomes",
        Kind.PARAMETER: "parameters",
        Kind.DETERMINISTIC: "of the input",
        Kind.MACHINE: "of the machine",
    }
    return nouns.get(metric.kind, "")


def _unit(name: str) -> str:
    """Return the section or the unit of the hardware that a name says; "" if none."""
    section = _SECTION.fullmatch(name)
    if (found := _UNIT.match(name)) is None:
        return section["section"] if section else ""
    said = (found["ncu"] or found["block"] or found["channels"] or found["caches"]).split("_")[0]
    return _UNITS.get(said.lower(), said)
