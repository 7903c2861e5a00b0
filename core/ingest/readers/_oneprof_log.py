"""Intel oneprof's report taken apart: sections, and in each the rows of its kernels."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.ingest.readers._builder import Builder

SECTION = re.compile(
    r"==\s*(Raw Metrics|Raw Kernel Intervals|Kernel Metrics|Aggregated(?: Kernel)? Metrics|Query Kernel Metrics)\b.*=="
)
_BRACKETS = re.compile(r"(.+?)\s*\[([^\[\]]*)\]\s*")
_COMMAS = re.compile(r",\s*(?=\{)")
_UNIT = re.compile(r"(.+?)\s*\[([^\[\]]*)\]")


@dataclass(frozen=True)
class KernelRow:
    """A row of a section: where it stands, its kernel, and its cells by the header's names."""

    section: str
    line: int
    kernel: str
    names: tuple[str, ...]
    cells: tuple[str, ...]


def kernel_rows(lines: Sequence[str], builder: Builder) -> Iterator[KernelRow]:
    """Yield the rows of all sections.

    Two generations are taken: a line `Kernel,<name>,` before each table, or the name as each row's first
    cell; in both the name may hold commas and is not quoted, and each line ends with a comma. Of the
    intervals there is a third, with the name between the sub-device and the stamps.
    """
    section, kernel = "", ""
    header: tuple[str, ...] = ()
    last = len(lines)
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        found = SECTION.fullmatch(line)
        if found or line.startswith("=="):
            section, kernel, header = found.group(1) if found else "", "", ()
        elif not line or not section or line == "...":
            continue
        elif line.startswith("Kernel,") and not _is_header(line):
            kernel = line.removeprefix("Kernel,").removesuffix(",").strip()
        elif _is_header(line):
            header = tuple(cell.strip() for cell in line.removesuffix(",").split(","))
        elif header:
            row = _row(section, number, line, header, kernel)
            if row:
                yield row
            else:
                why = "the file breaks off within this row" if number == last else "no row of its table"
                builder.leave_out(number, why)


def name_and_launch(text: str) -> tuple[str, str]:
    """Return (kernel, launch): what stands in brackets behind the name, without the commas of some releases."""
    found = _BRACKETS.fullmatch(text)
    return (found.group(1), _COMMAS.sub(" ", found.group(2).strip())) if found else (text.strip(), "")


def split_unit(name: str) -> tuple[str, str]:
    """Return (metric, unit) of a column; the unit is "" where an older report has none."""
    found = _UNIT.fullmatch(name)
    return (found.group(1), found.group(2).strip()) if found else (name, "")


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
    return KernelRow(section, line, kernel, tuple(header), tuple(cells))
