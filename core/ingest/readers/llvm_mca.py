"""Reports of llvm-mca, JSON or text: one simulated execution per code region."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.opening import line_of
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._text import LogReader, entries, lines_of, load_json, number

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


_JSON = re.compile(rb'"CodeRegions"\s*:\s*\[')
_VIEWS = re.compile(rb'"(?:SummaryView|ResourcePressureView|InstructionInfoView|TargetInfo|DispatchStatistics)"\s*:')
_TEXT = re.compile(rb"^Iterations:\s+\d+\s*\nInstructions:\s+\d+\s*\nTotal Cycles:\s+\d+", re.MULTILINE)
_FAILED = re.compile(rb"^error: no assembly instructions found\.", re.MULTILINE)
_DOCUMENT = re.compile(rb"^\{", re.MULTILINE)
_OF_INSTRUCTIONS = ("InstructionInfoView", "TimelineView")
_ROLE = roles_of("llvm_mca")


class LlvmMcaReader(LogReader):
    """One trial per code region; cycles are the response, resource pressures and stalls counters."""

    label = "llvm-mca report"
    signs = (((_JSON, _VIEWS), (_TEXT,), (_FAILED,)),)
    tells = (b"coderegions", b"iterations:", b"no assembly instructions")

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per code region."""
        if _JSON.search(raw):
            _read_documents(builder, raw)
        else:
            _read_text(builder, raw)
        if not len(builder) and _FAILED.search(raw):
            raise builder.refused(
                "holds only messages of llvm-mca and no report: 'error: no assembly instructions found.' "
                "Give it assembly code it can parse for that target."
            )


def _read_documents(builder: Builder, raw: bytes) -> None:
    """Read one JSON report, or several one after the other, with messages before, between and after them."""
    starts = [found.start() for found in _DOCUMENT.finditer(raw)] or [raw.find(b"{")]
    broken: ReadError | None = None
    for place, (start, end) in enumerate(zip(starts, [*starts[1:], len(raw)], strict=True), 1):
        last = raw.rfind(b"\n}", start, end)  # messages follow the closing brace
        try:
            report = load_json(builder.source, raw[start : last + 2 if last >= 0 else end])
        except ReadError as error:
            broken = broken or error
            builder.skip(f"line {line_of(raw, start)}", "a report that is no valid JSON; it may be cut off")
            continue
        _read_report(builder, report, f"report {place} " if len(starts) > 1 else "")
    if broken and not len(builder):
        raise broken


def _read_report(builder: Builder, report: Any, prefix: str) -> None:
    regions = report.get("CodeRegions") if isinstance(report, dict) else None
    if not isinstance(regions, list):
        raise builder.refused("has no list 'CodeRegions', which a report of llvm-mca has.")
    target, parameters = entries(report.get("TargetInfo")), entries(report.get("SimulationParameters"))
    listed = target.get("Resources")
    resources = [_plain(name) for name in listed] if isinstance(listed, list) else []
    machine = _plain(target.get("CPUName") or parameters.get("-mcpu") or "")
    arch = _plain(parameters.get("-march") or "")
    for place, region in enumerate(regions):
        views = entries(region)
        name = _plain(views.get("Name") or "") or (f"region {place}" if len(regions) > 1 else "")
        _put_region(builder, (name, machine, arch), f"{prefix}region {place}", _pressure(views, resources), views)
    found = sorted({view for region in regions for view in entries(region) if view in _OF_INSTRUCTIONS})
    if found:
        builder.skip("all regions", f"what is said of single instructions and cycles: {', '.join(found)}")
    for name, text in (("march", arch), ("triple", _plain(parameters.get("-mtriple") or ""))):
        for trial in range(len(builder) - len(regions), len(builder)):
            builder.label(trial, name, text)


def _read_text(builder: Builder, raw: bytes) -> None:
    regions = text_regions(lines_of(raw))
    for place, region in enumerate(regions):
        name = region.name or (f"region {place}" if len(regions) > 1 else "")
        views = {"SummaryView": region.summary, "DispatchStatistics": region.stalls}
        _put_region(builder, (name, "", ""), f"line {region.line}", region.pressure, views)
    if regions:
        builder.note(
            "a text report does not say the processor, so that the trials name no machine; "
            "name it on import, or use llvm-mca -json."
        )


def _put_region(
    builder: Builder, names: tuple[str, str, str], where: str, pressure: Mapping[str, float], views: Mapping[str, Any]
) -> None:
    """Put down one code region: its summary, the pressure on each resource, and the numbers of other views."""
    application, machine, arch = names
    summary = entries(views.get("SummaryView"))
    iterations = number(summary.get("Iterations"))
    parts = [arch, f"{iterations:g} iterations" if iterations is not None else ""]
    input = ", ".join(part for part in parts if part)
    trial = builder.trial(application, input=input, machine=machine, where=where, execution=where)
    builder.of_input(application, input, "Iterations", iterations)
    for name, value in summary.items():
        if name != "Iterations":
            called, unit, kind = _ROLE(_plain(name))
            builder.put(trial, called, number(value), unit, kind)
    for name, use in pressure.items():
        builder.put(trial, f"ResourcePressure {name}", use, "cycle/iteration")
    for view in ("DispatchStatistics", "BottleneckAnalysis"):
        for name, value in entries(views.get(view)).items():
            if name != "TotalCycles" and number(value) is not None:
                builder.put(trial, f"{view} {_plain(name)}", number(value), "cycle")
    if not summary and not pressure:
        builder.note(f"region '{shown(application)}' ({where}) has no summary and no pressures.")


def _pressure(views: Mapping[str, Any], resources: list[str]) -> dict[str, float]:
    """Return the pressure per iteration on each resource: the row after the last instruction; 0 where it lists none."""
    listed, code = entries(views.get("ResourcePressureView")).get("ResourcePressureInfo"), views.get("Instructions")
    if not isinstance(listed, list) or not isinstance(code, list):
        return {}
    uses = dict.fromkeys(resources, 0.0)
    for entry in map(entries, listed):
        index, use = number(entry.get("ResourceIndex")), number(entry.get("ResourceUsage"))
        if number(entry.get("InstructionIndex")) == len(code) and index is not None and use is not None:
            name = resources[int(index)] if 0 <= index < len(resources) else f"[{index:g}]"
            uses[name] = uses.get(name, 0.0) + use
    return uses


def _plain(value: Any) -> str:
    """Return a name; some versions write the number of a unit as a control character, such as U+0001 for 1."""
    return "".join(str(ord(c)) if ord(c) < 32 else c for c in str(value)).strip()


def text_regions(lines: Iterable[tuple[int, str]]) -> list[TextRegion]:
    """Return the code regions of a text report; a report without the names of regions has one or more all the same."""
    regions: list[TextRegion] = []
    pressure_next = False
    for at, line in lines:
        region, summary = _REGION.fullmatch(line.strip()), _SUMMARY.fullmatch(line.strip())
        if region or (summary and summary.group(1) == "Iterations" and (not regions or regions[-1].summary)):
            regions.append(TextRegion(at, (region.group(1) or "").strip() if region else ""))
        if summary and regions:
            key = _KEYS.get(summary.group(1), summary.group(1).replace(" ", ""))
            regions[-1].summary.setdefault(key, float(summary.group(2)))
        elif regions:
            pressure_next = _take(regions[-1], line, pressure_next)
    return [region for region in regions if region.summary]


def _take(region: TextRegion, line: str, pressure_next: bool) -> bool:
    """Take a line below the summary; whether the pressure on the resources comes next."""
    if stall := _STALL.fullmatch(line.strip()):
        region.stalls.setdefault(stall.group(1), float(stall.group(2)))
    elif resource := _RESOURCE.fullmatch(line.strip()):
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
