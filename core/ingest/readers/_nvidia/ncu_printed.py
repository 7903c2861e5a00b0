"""Nsight Compute's report as it is printed for people: sections with a line of dashes above and below their metrics."""

import re
from collections.abc import Mapping

from core.ingest.readers._nvidia.capture import Capture
from core.ingest.readers._nvidia.ncu_tables import LONG, SUMMARY, Found, Launch, NcuTable

_KERNEL = re.compile(
    r"  (?P<body>\S.*), Context (?P<context>\d+), Stream (?P<stream>\d+)"
    r"(?:, Device (?P<device>\d+))?(?:, CC (?P<cc>[\d.]+))?(?:, Invocations (?P<times>\d+))?\s*"
)
_SUMMED = re.compile(
    r"  (?P<body>\S.*?)(?:, Block Size (?P<block>\d+), Grid Size (?P<grid>\d+))?"
    r"(?:, Device (?P<device>\d+))?(?:, CC (?P<cc>[\d.]+))?, "
    r"(?:Invocations (?P<times>\d+)|(?P<count>\d+) invocations)\s*"
)
"""The line above the metrics of a launch, and what `--print-summary` has in its place."""
_SHAPE = re.compile(r"(.*\S) (\(\d+, \d+, \d+\))x(\(\d+, \d+, \d+\))")
_DATED = re.compile(r"(.*\S), \d{4}-[A-Z][a-z]{2}-\d{2} [\d:]{8}")
_PROCESS = re.compile(r"\[(\d+)\] (.+)@(\S+)")
_SECTION = re.compile(r" +Section: (.*\S)\s*")
_DASHES = re.compile(r" +-{3,}(?: -{3,}){2,}\s*")
_WIDTHS = (3, 5)
"""Columns of a section: name, unit and value; or name, unit, minimum, maximum and average."""
_NAMES = re.compile(r" +Metric Name +Metric Unit +(?:Metric Value|Minimum +Maximum +Average)\s*")


def find_printed(capture: Capture) -> Found:
    """Return the launches of a report; their ids are their order, as the tool counts them."""
    found = Found(capture, [NcuTable(LONG, 1, ("Metric Name", "Metric Unit", "Metric Value"), "")])
    process: Mapping[str, str] = {}
    launch: Launch | None = None
    section, spans = "", list[tuple[int, int]]()
    for number, line in enumerate(capture.lines, start=1):
        if of_process := _PROCESS.fullmatch(line.strip()):
            process = dict(zip(("Process ID", "Process Name", "Host Name"), of_process.groups(), strict=True))
        elif of_kernel := _KERNEL.fullmatch(line) or _SUMMED.fullmatch(line):
            launch = _launch(of_kernel, process, len(found.launches), number)
            found.launches.append(launch)
            spans = []
        elif of_section := _SECTION.fullmatch(line):
            section, spans = of_section.group(1), []
        elif _DASHES.fullmatch(line):
            spans = [match.span() for match in re.finditer("-+", line)]
            spans = spans if len(spans) in _WIDTHS else []
            if len(spans) == _WIDTHS[1] and found.tables[0].kind == LONG:
                found.tables = [NcuTable(SUMMARY, number, ("Metric Name", "Metric Unit", "Average"), "")]
        elif launch and spans and not _NAMES.fullmatch(line) and _read(launch, line, section, spans):
            capture.last = number
        elif not _NAMES.fullmatch(line):
            spans = [] if not line.strip() else spans
            capture.add(number, line)
    found.launches = [launch for launch in found.launches if launch.keys]
    found.tables = found.tables if found.launches else []
    return found


def _launch(line: re.Match[str], process: Mapping[str, str], number: int, at: int) -> Launch:
    said = {name: text or "" for name, text in line.groupdict().items()}
    body, invocations = said["body"], said["times"] or said.get("count", "")
    shape, dated = _SHAPE.fullmatch(body), _DATED.fullmatch(body)
    identity = {
        "ID": "" if invocations else str(number),
        **process,
        "Kernel Name": shape.group(1) if shape else dated.group(1) if dated else body,
        "Grid Size": shape.group(2) if shape else said.get("grid", ""),
        "Block Size": shape.group(3) if shape else said.get("block", ""),
        "Context": said.get("context", ""),
        "Stream": said.get("stream", ""),
        "Device": said["device"],
        "CC": said["cc"],
        "Invocations": invocations,
    }
    return Launch(0, at, identity, [], [])


def _read(launch: Launch, line: str, section: str, spans: list[tuple[int, int]]) -> bool:
    """Read a metric between the lines of dashes, whose spans are the columns: name, unit, and last the value."""
    (first, end), (unit, unit_end), (last, _) = spans[0], spans[1], spans[-1]
    name, text = line[first:end].strip(), line[last:].strip()
    if line[:first].strip() or not name or not text or "  " in text or line[end : end + 1] != " ":
        return False
    launch.read((name, line[unit:unit_end].strip(), section), text)
    return True
