"""Intel oneprof's report of GPU counters: one row per kernel and sub-device."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence

from core.frozen import Frozen
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._rocm.table import elapsed, number_told
from core.ingest.readers._text import TextReader, only_messages
from core.trial import Kind

SECTION = re.compile(
    r"==\s*(Raw Metrics|Raw Kernel Intervals|Kernel Metrics|Aggregated(?: Kernel)? Metrics|Query Kernel Metrics)\b.*=="
)
_BRACKETS = re.compile(r"(.+?)\s*\[([^\[\]]*)\]\s*")
"""The launch behind a kernel's name, or the unit behind a metric's."""
_COMMAS = re.compile(r",\s*(?=\{)")


class KernelRow(Frozen):
    """A row of a section: where it stands, its kernel, and its cells by the header's names."""

    section: str
    line: int
    kernel: str
    cells: Mapping[str, str]


_TITLE = re.compile(rb"^(?:[ \t]*" + SECTION.pattern.encode() + rb"|=== Profiling Results ===)[ \t]*\r?$", re.MULTILINE)
_WHOLE = ("Aggregated Kernel Metrics", "Aggregated Metrics", "Query Kernel Metrics", "Raw Kernel Intervals")
"""Sections with one row per execution, the best first."""
_ROLE = roles_of("oneprof")
_TIMES, _STAMPS = ("KernelTime", "Time", "GpuTime"), ("Start", "End")
_NO_UNIT = {"number": "", "cycles": "cycle"}
_SIMD = re.compile(r"SIMD([0-9]+)\b.*")
_GROUPS = re.compile(r"SIMD[0-9]+ \{([0-9]+); ([0-9]+); ([0-9]+)\} \{([0-9]+); ([0-9]+); ([0-9]+)\}")
_SIZES = ("group_count_x", "group_count_y", "group_count_z", "group_size_x", "group_size_y", "group_size_z")
_COPY = re.compile(r"([0-9]+) bytes")


class Oneprof(TextReader):
    """Reads the metrics of each kernel's execution; the launch in brackets behind its name is the input.

    Taken are the sections of aggregated and of queried metrics, else the intervals, which have times
    alone. Samples of the device over time belong to no execution and are left out. Older reports state
    no units; they are filled in as later ones of the tool state them. Work on several sub-devices
    gives a trial for each.
    """

    label = "Intel oneprof"
    signs = (_TITLE,)
    tells = (b"==",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per execution of a kernel."""
        lines = io.StringIO(raw.decode(), newline=None).read().rstrip("\n").split("\n")
        rows = list(kernel_rows(lines, builder))
        section = next((name for name in _WHOLE if any(row.section == name for row in rows)), "")
        if not section:
            raise builder.refused(_no_kernels(lines, rows))
        for row in rows:
            if row.section in _WHOLE and row.section != section:
                builder.leave_out(row.line, f"{row.section}: the same executions as in '{section}'")
            elif row.section != section:
                builder.leave_out(row.line, f"{row.section}: samples over time, of no one execution")
            elif row.kernel:
                _put(builder, row)
            else:
                builder.leave_out(row.line, "it names no kernel")
        devices = {row.cells.get("SubDeviceId", "") for row in rows if row.section == section}
        if len(devices) > 1:
            builder.tell(f"counts {len(devices)} sub-devices apart: each has a trial of its own.")


def _put(builder: Builder, row: KernelRow) -> None:
    kernel, written = bracketed(row.kernel)
    launch = _COMMAS.sub(" ", written)  # some releases write them between the parts
    labels = {"sub-device": row.cells.get("SubDeviceId", "")}
    trial = builder.trial(kernel, input=launch, where=f"line {row.line}", labels=labels)
    _say_launch(builder, kernel, launch)
    columns = {bracketed(column): column for column in row.cells}
    names = [name for name, _ in columns]
    time = next((name for name in _TIMES if name in names), "")
    for (name, unit), column in columns.items():
        value = number_told(builder, row.line, column, row.cells[column])
        if name == time:
            builder.put(trial, TIME, value, unit or "ns", Kind.RESPONSE)
        elif (role := _ROLE(name)).name:
            stated = unit or role.unit  # which older reports leave out
            builder.put(trial, name, value, _NO_UNIT.get(stated, stated), role.kind)
    start, end = (next((row.cells[c] for (own, _), c in columns.items() if own == name), "") for name in _STAMPS)
    if not time and (start or end):
        between, why = elapsed(start, end)
        builder.put(trial, TIME, between, "ns", Kind.RESPONSE)
        if why:
            builder.leave_out(row.line, why)


def _say_launch(builder: Builder, kernel: str, launch: str) -> None:
    """Say what the launch's text holds in numbers."""
    simd, groups, copy = _SIMD.match(launch), _GROUPS.fullmatch(launch), _COPY.fullmatch(launch)
    if simd:
        builder.of_input(kernel, launch, "simd_width", float(simd.group(1)))
    if groups:
        for name, size in zip(_SIZES, groups.groups(), strict=True):
            builder.of_input(kernel, launch, name, float(size))
    if copy:
        builder.of_input(kernel, launch, "copied", float(copy.group(1)), "byte")


def _no_kernels(lines: Sequence[str], rows: Sequence[KernelRow]) -> str:
    if rows:
        return (
            f"holds samples of the device over time ('{rows[0].section}') and no metrics of whole kernels. "
            "Run oneprof with --aggregation (-a) or --kernel-query (-q)."
        )
    said = [(i, line.strip()) for i, line in enumerate(lines, start=1) if re.match(r"\s*\[(ERROR|WARNING)\]", line)]
    if said:
        return only_messages("oneprof", *said[-1])
    return "has a section of oneprof and no rows in it. Run the capture again."


def kernel_rows(lines: Sequence[str], builder: Builder) -> Iterator[KernelRow]:
    """Yield the rows of all sections.

    Two generations are taken: a line `Kernel,<name>,` before each table, or the name as each row's first
    cell; in both the name may hold commas and is not quoted, and each line ends with a comma. Of the
    intervals there is a third, with the name between the sub-device and the stamps.
    """
    section, kernel = "", ""
    header: tuple[str, ...] = ()
    last = len(lines)
    for at, raw in enumerate(lines, start=1):
        line = raw.strip()
        if (found := SECTION.fullmatch(line)) or line.startswith("=="):
            section, kernel, header = found.group(1) if found else "", "", ()
        elif not line or not section or line == "...":
            continue
        elif line.startswith("Kernel,") and not _is_header(line):
            kernel = line.removeprefix("Kernel,").removesuffix(",").strip()
        elif _is_header(line):
            header = tuple(cell.strip() for cell in line.removesuffix(",").split(","))
        elif header:
            if row := _row(section, at, line, header, kernel):
                yield row
            else:
                why = "the file breaks off within this row" if at == last else "no row of its table"
                builder.leave_out(at, why)


def bracketed(text: str) -> tuple[str, str]:
    """Return a name and what stands in brackets behind it; "" if nothing does, as of metrics in older reports."""
    found = _BRACKETS.fullmatch(text)
    return (found.group(1), found.group(2).strip()) if found else (text.strip(), "")


def _is_header(line: str) -> bool:
    return line.startswith(("SubDeviceId,", "Kernel,SubDeviceId,"))


def _row(section: str, line: int, text: str, header: Sequence[str], kernel: str) -> KernelRow | None:
    cells = [cell.strip() for cell in text.removesuffix(",").split(",")]
    extra = len(cells) - len(header)
    at = next((header.index(name) for name in ("Kernel", "Name") if name in header), None)
    if extra < 0 or (extra and at is None):
        return None
    if at is not None:
        kernel = ", ".join(cells[at : at + extra + 1])
        cells = [*cells[:at], *cells[at + extra + 1 :]]
        header = [*header[:at], *header[at + 1 :]]
    return KernelRow(section, line, kernel, dict(zip(header, cells, strict=False)))
