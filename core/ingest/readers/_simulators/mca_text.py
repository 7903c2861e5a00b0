"""The text report of llvm-mca, in the shape of its JSON report."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_REGION = re.compile(r"\[\d+\] Code Region(?: - (.*))?")
_SUMMARY = re.compile(
    r"(Iterations|Instructions|Total Cycles|Total uOps|Dispatch Width|uOps Per Cycle|IPC|Block RThroughput):"
    r"\s+(\d+(?:\.\d+)?)"
)
_KEYS = {"Total uOps": "TotaluOps", "uOps Per Cycle": "uOpsPerCycle"}
_STALL = re.compile(r"(RAT|RCU|SCHEDQ|LQ|SQ|GROUP|USH)\s+- .*:\s+(\d+)(?:\s.*)?")
_RESOURCE = re.compile(r"\[(\d+)(\.\d+)?\]\s+- (\S+)")
_PRESSURE = re.compile(r"\s*(?:-|\d+\.\d+)(?:\s+(?:-|\d+\.\d+))*\s*")


@dataclass
class TextRegion:
    """One code region of a text report, its parts as the JSON report names them."""

    line: int
    name: str = ""
    summary: dict[str, Any] = field(default_factory=dict)
    stalls: dict[str, Any] = field(default_factory=dict)
    resources: list[str] = field(default_factory=list)
    pressure: dict[str, float] = field(default_factory=dict)


def text_regions(lines: Iterable[tuple[int, str]]) -> list[TextRegion]:
    """Return the code regions of a text report; a report without the names of regions has one or more all the same."""
    regions: list[TextRegion] = []
    pressure_next = False
    for number, line in lines:
        region, summary = _REGION.fullmatch(line.strip()), _SUMMARY.fullmatch(line.strip())
        if region or (summary and summary.group(1) == "Iterations" and (not regions or regions[-1].summary)):
            regions.append(TextRegion(number, (region.group(1) or "").strip() if region else ""))
        if summary and regions:
            key = _KEYS.get(summary.group(1), summary.group(1).replace(" ", ""))
            regions[-1].summary.setdefault(key, float(summary.group(2)))
        elif regions:
            pressure_next = _take(regions[-1], line, pressure_next)
    return [region for region in regions if region.summary]


def _take(region: TextRegion, line: str, pressure_next: bool) -> bool:
    """Take a line below the summary; whether the pressure on the resources comes next."""
    stall, resource = _STALL.fullmatch(line.strip()), _RESOURCE.fullmatch(line.strip())
    if stall:
        region.stalls.setdefault(stall.group(1), float(stall.group(2)))
    elif resource:
        region.resources.append(resource.group(3) + (resource.group(2) or ""))
    elif line.startswith("Resource pressure per iteration"):
        return True
    elif pressure_next and _PRESSURE.fullmatch(line):
        cells = line.split()
        if len(cells) == len(region.resources):
            uses = (0.0 if cell == "-" else float(cell) for cell in cells)
            region.pressure = dict(zip(region.resources, uses, strict=True))
    elif pressure_next:
        return line.startswith("[")
    return False
