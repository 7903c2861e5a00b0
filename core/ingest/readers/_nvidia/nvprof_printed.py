"""nvprof's tables as they are printed for people: columns between blanks, units in each cell."""

import re
from collections.abc import Sequence

Header = tuple[str, tuple[str, ...]]

_SUMMARY = re.compile(r"\s*(?:Type\s+)?Time\(%\)\s+Time\s+Calls\s+Avg\s+Min\s+Max\s+Name\s*")
_AVERAGES = re.compile(
    r"\s*Invocations\s+(Metric|Event) Name(?:\s+Metric Description)?\s+Min\s+Max\s+Avg(\s+Total)?\s*"
)
_TRACE = re.compile(r"\s*Start\s+Duration\s+Grid Size\s+Block Size\s.*\sName\s*")
_SUMMARY_ROW = re.compile(
    r"\s*(?:(GPU activities|API calls|OpenACC[^:]*|OpenMP[^:]*):)?\s*([\d.]+%)\s+(\S+)\s+(\d+)\s+"
    r"(\S+)\s+(\S+)\s+(\S+)\s+(\S.*)"
)
_DEVICE = re.compile(r'\s*Device "(.*)"\s*')
_KERNEL = re.compile(r"\s*Kernel: (.*\S)\s*")
_LEVEL = re.compile(r"\(\d+\)")
_SIZE = re.compile(r"\((\d+) (\d+) (\d+)\)")
_COLUMNS = {"Regs*": "Registers Per Thread", "SSMem*": "Static SMem", "DSMem*": "Dynamic SMem"}
_AXES = ("X", "Y", "Z")


def printed_header(line: str) -> Header | None:
    """Return (kind, columns) if a line is the header of a printed table; kinds and columns are those of the CSV."""
    if _SUMMARY.fullmatch(line):
        return "summary", ("Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name")
    averages = _AVERAGES.fullmatch(line)
    if averages:
        total = ("Total",) if averages.group(2) else ()
        kind = averages.group(1)
        return f"{kind.lower()}s", ("Device", "Kernel", "Invocations", f"{kind} Name", "Min", "Max", "Avg", *total)
    columns = _trace_columns(line) if _TRACE.fullmatch(line) else ()
    return ("trace", columns) if {"Start", "Duration", "Grid X", "Block X", "Name"} <= set(columns) else None


def _trace_columns(line: str) -> tuple[str, ...]:
    columns: list[str] = []
    for name in re.split(r"\s{2,}", line.strip()):
        size = name.removesuffix(" Size")
        columns += [f"{size} {axis}" for axis in _AXES] if size in ("Grid", "Block") else [_COLUMNS.get(name, name)]
    return tuple(columns)


def place_of(line: str) -> tuple[str, str] | None:
    """Return ("Device" or "Kernel", its name) where a line says what the rows below it belong to."""
    device, kernel = _DEVICE.fullmatch(line), _KERNEL.fullmatch(line)
    if device:
        return "Device", device.group(1)
    return ("Kernel", kernel.group(1)) if kernel else None


def printed_row(columns: Sequence[str], line: str, device: str, kernel: str) -> tuple[str, ...] | None:
    """Return the cells of a printed row, as the CSV would have them; None if the line is none."""
    if columns[0] == "Type":
        found = _SUMMARY_ROW.fullmatch(line)
        return tuple((cell or "").strip() for cell in found.groups()) if found else None
    if columns[0] == "Device":
        texts = _texts(line)
        whole = kernel and len(texts) >= len(columns) - 2 and texts[0].isdigit()
        return (device, kernel, *texts[:2], *texts[4 - len(columns) :]) if whole else None
    return _trace_row(columns, line)


def _texts(line: str) -> list[str]:
    """Return the words of a line; a level such as `Low (1)` is one."""
    words: list[str] = []
    for word in line.split():
        if words and _LEVEL.fullmatch(word):
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words


def _trace_row(columns: Sequence[str], line: str) -> tuple[str, ...] | None:
    cells: list[str] = []
    parts = re.split(r"\s{2,}", line.strip(), maxsplit=len(columns) - 5)
    for part in parts:
        size = _SIZE.fullmatch(part)
        is_size = len(cells) in (columns.index("Grid X"), columns.index("Block X"))
        cells += (size.groups() if size else ("",) * 3) if is_size else ["" if part == "-" else part]
    return tuple(cells) if len(cells) == len(columns) else None
