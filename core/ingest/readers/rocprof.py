"""AMD rocprof's results.csv, v1 and v2, the same from Hygon's DTK, and rocprof-compute: one row per dispatch."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum

from core.ingest.base import Mapping, SourceFile
from core.ingest.names import listed
from core.ingest.readers._rocm import table as amd
from core.ingest.readers._rocm.table import AmdReader, Dispatches, Header, Row, Table, number, whole
from core.ingest.readers._text import only_messages
from core.trial import Import

_COPY = re.compile(r"(.+?)_(?:[0-9]+|x|y)")
_CHANNEL = re.compile(r"(.+)\[([0-9]+)\]")
_ACCUMULATED = "SQ_ACCUM_PREV_HIRES"
_Dispatch = tuple[int, list[Row]]
"""Trial and rows, which are several where each die of a package (XCC) is counted apart."""


class WideReader(AmdReader):
    """Reads a table of dispatches.

    Columns that name things, addresses and time stamps are no metrics; the join of passes leaves
    copies of such columns (`wave_size_7`), which are none either.
    """

    family = "rocprof"
    named_by = amd.KERNEL

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per dispatch, and say if nothing was measured."""
        built = super().read(file)
        told = "holds launches without times or counters. Capture with --timestamp on, --stats or counters."
        return built if built.trials.metrics else replace(built, warnings=(*built.warnings, f"{file.name} {told}"))

    def put(self, table: Table) -> None:
        """Put down properties, times and counters."""
        wide = Dispatches(table)
        found = list(_begun(wide))
        for trial, rows in found:
            wide.say_properties(trial, rows[0])
        wide.settle()
        for trial, rows in found:
            wide.put_time(trial, rows[0])
        _put_counters(wide, found)


def is_identifier(name: str) -> bool:
    """Whether a column (by its canonical name), or the one that it is a copy of, is no metric.

    Only columns known to name something have copies: `SQC_DCACHE_REQ_READ_16` is a counter of its own.
    """
    copy = _COPY.fullmatch(name)
    names = (name, copy.group(1)) if copy else (name,)
    return any(n in amd.IDENTIFIERS or n in amd.PROPERTIES for n in names)


def _begun(wide: Dispatches) -> Iterator[_Dispatch]:
    """Begin a trial for each dispatch; a file may count them from 1, as v2 does, and others of its run from 0."""
    numbers = [int(text) for row in wide.rows if (text := whole(wide.cell(row, *amd.DISPATCH))).isdigit()]
    base = int(min(numbers, default=0) == 1)
    for rows in _grouped(wide):
        known = whole(wide.cell(rows[0], *amd.DISPATCH))
        execution = f"dispatch {int(known) - base if known.isdigit() else known}" if known else ""
        if (trial := wide.begin(rows[0], execution)) is not None:
            yield trial, rows


def _grouped(table: Table) -> Iterator[list[Row]]:
    """Yield the rows of each dispatch: one, or one for each die where the dies were counted apart."""
    xcc, index, kernel = table.place("xcc_index"), table.place(*amd.DISPATCH), table.place(*amd.KERNEL)
    keys = [column for column in (index, kernel) if column is not None]
    group: list[Row] = []
    for row in table.rows:
        if group and (xcc is None or index is None or not _same(group, row, keys, xcc)):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _same(group: Sequence[Row], row: Row, keys: Sequence[int], xcc: int) -> bool:
    """Whether a row is of the group's dispatch, and of a die that has no row there yet."""
    cells = row[1]
    alike = all(cells[key] == group[0][1][key] for key in keys)
    return alike and cells[xcc] not in {before[xcc] for _, before in group}


def _put_counters(wide: Dispatches, found: Sequence[_Dispatch]) -> None:
    """Put every other column down: numbers as counters, words as labels."""
    apart = any(len(rows) > 1 for _, rows in found)
    summed = []
    for column, name in enumerate(wide.header.cells):
        if is_identifier(wide.header.names[column]):
            continue
        if _is_text(found, column):
            for trial, rows in found:
                wide.builder.label(trial, name, rows[0][1][column])
        elif apart and (channel := _CHANNEL.fullmatch(name)):
            _put_channels(wide, found, column, channel.group(1), int(channel.group(2)))
        else:
            _put_sums(wide, found, column, name)
            summed.append(name)
    if apart and summed:
        wide.builder.tell(f"has a row for each die (XCC): {listed(summed[:3])} and others are summed.")


def _put_sums(wide: Dispatches, found: Sequence[_Dispatch], column: int, name: str) -> None:
    if name == _ACCUMULATED and column:  # it accumulates the counter before it, another one in each pass
        name = f"{name} [{wide.header.cells[column - 1]}]"
    qualifier = f"column {column + 1}" if wide.header.cells.count(name) > 1 else ""
    for trial, rows in found:
        known = [v for row in rows if (v := wide.value(row, column)) is not None]
        wide.builder.put(trial, name, fsum(known) if known else None, qualifier=qualifier)


def _put_channels(wide: Dispatches, found: Sequence[_Dispatch], column: int, base: str, channel: int) -> None:
    """Number each die's channels after those of the dies before it, as rocprof-compute does."""
    channels = (_CHANNEL.fullmatch(cell) for cell in wide.header.cells)
    per_die = 1 + max(int(m.group(2)) for m in channels if m and m.group(1) == base)
    for trial, row in ((trial, row) for trial, rows in found for row in rows):
        die = whole(wide.cell(row, "xcc_index"))
        own = channel + per_die * (int(die) if die.isdigit() else 0)
        wide.builder.put(trial, f"{base}[{own}]", wide.value(row, column))


def _is_text(found: Sequence[_Dispatch], column: int) -> bool:
    """Whether a column holds words and no number."""
    words = False
    for cells in (cells for _, rows in found for _, cells in rows):
        try:
            if number(cells[column]) is not None:
                return False
        except ValueError:
            words = True
    return words


_OTHERS = "!counter_name|kind|domain|guid"
_TABLE = re.compile(rb"ernel_?[Nn]ame|TotalDurationNs|Counter_Name")
_MESSAGE = re.compile(rb"^(?:RPL: |ROCP[Rr]ofiler: |ROCProfiler: )", re.MULTILINE)
_FAILED = re.compile(r"error|fail|not found|unable|corrupt|unsupported", re.IGNORECASE)


class Rocprof(WideReader):
    """Reads tables of dispatches with their counters and times.

    All column generations are taken: quoted or not, `vgpr` and `fbar` or `arch_vgpr`, `accum_vgpr`
    and `wave_size`, with counters, `--timestamp on` and `--stats`; v2's files begin `Dispatch_ID,GPU_ID`.
    The mark of the kernel's descriptor is left out of its name, so that `f(int) [clone .kd]`, `f(int) (.kd)`
    and `f.kd` are the same application over v1, v2 and v3. The input is the launch: work-items in the
    grid and in a work-group. Sizes, registers and local memory are one metric under one name over all
    generations. Counters have no units in these files.
    """

    label = "AMD rocprof results"
    tells = (b"ernelname", b"ernel_name", b"rpl: ", b"rocprofiler: ")
    hint = re.compile(rb"ernel_?[Nn]ame")
    lacks = "holds no table of dispatches. Import the results.csv that rocprof wrote."
    wanted = (
        ("kernelname", "index|gpu_id|queue_id|grd|wgr|beginns", _OTHERS),
        ("dispatch_id", "kernel_name", "queue_id", "!queue-id", _OTHERS, "!workgroup_size_x"),
    )

    def sniff(self, head: bytes) -> bool:
        """Whether a line names rocprof's columns, or there are only its messages."""
        return super().sniff(head) or (_MESSAGE.search(head) is not None and not _TABLE.search(head))

    def without(self, raw: bytes) -> str:
        """Return what rocprof said last of a failure."""
        lines = raw.decode(errors="replace").splitlines()
        said = [(i, line) for i, line in enumerate(lines, start=1) if _FAILED.search(line)]
        return only_messages("rocprof", *said[-1]) if said else self.lacks


class RocprofCompute(WideReader):
    """Reads the tables of a workload folder: one row per dispatch, up to thousands of counters.

    The tables hold columns of rocprof v1 or v2 under common names; `obj_7` and its like are copies
    that the join of passes left. Counters of single channels (`TCC_HIT[3]`) are metrics of their own.
    Dispatches are counted from 0, also where a file counts them from 1, so that the files of a
    folder join. The time is End - Start.
    """

    label = "AMD rocprof-compute (Omniperf)"
    tells = (b"kernel_name",)
    hint = re.compile(rb"[Kk]ernel_[Nn]ame")
    wanted = (  # rocprof v2 writes its queue with a low line
        ("dispatch_id", "kernel_name", "queue-id", _OTHERS, "!workgroup_size_x|grid_size_x"),
        ("dispatch_id", "kernel_name", "!queue_id", _OTHERS, "!workgroup_size_x|grid_size_x"),
    )
    lacks = "holds no table of dispatches. Import pmc_perf.csv of the workload's folder."

    def no_use(self, header: Header) -> str:
        """Return why a table is of no use that lists dispatches and measures nothing; "" if it measures."""
        timed = {"start_timestamp", "end_timestamp"} <= set(header.names)
        if timed or not all(is_identifier(column) for column in header.names):
            return ""
        return "lists dispatches and measures nothing of them. Import pmc_perf.csv of the same folder."
