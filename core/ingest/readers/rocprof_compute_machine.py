"""AMD rocprof-compute's (Omniperf's) sysinfo.csv and roofline.csv: what the machine is and what it reached."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import Builder
from core.ingest.readers._rocm.table import Header, Names, Row, Tally, find_header, number, read_rows
from core.trial import Import

_HINT = re.compile(rb"gpu_(?:model|arch|soc)|HBMBw", re.IGNORECASE)
_NAME = ("gpu_model", "name", "gpu_arch", "gpu_soc", "gpu_series")
_OF_RUN = ("workload_name", "command", "ip_blocks", "timestamp", "date", "version")
_TEXTS = frozenset((
    "hostname", "host_name", "cpu_model", "host_cpu", "sbios", "linux_distro", "host_distro", "linux_kernel_version",
    "host_kernel", "amd_gpu_kernel_version", "rocm_version", "host_rocmver", "vbios", "compute_partition",
    "memory_partition", "gpu_series", "gpu_model", "gpu_arch", "gpu_soc", "gpu_chip_id", "name",
))  # fmt: skip
_UNITS = {
    "max_sclk": "MHz", "max_mclk": "MHz", "cur_sclk": "MHz", "cur_mclk": "MHz", "sclk": "MHz", "mclk": "MHz",
    "gpu_l1": "KiB", "gpu_l2": "KiB", "l1": "KiB", "l2": "KiB", "cpu_memory": "KiB", "gpu_memory": "KiB",
    "hbm_bw": "GB/s", "hbmbw": "GB/s",
}  # fmt: skip
_DEVICE = ("device", "devid", "device_id")
_PEAK = re.compile(r".*?(bw|flops|ops)(?:low|high)?|mfma_flops_\w+", re.IGNORECASE)
_PEAK_UNITS = {"bw": "GB/s", "flops": "GFLOP/s", "ops": "GOP/s"}
_SPREAD = 0.1


class RocprofComputeMachine(Reader):
    """Reads machine metrics; such a file holds no trials.

    sysinfo.csv names the machine (its gpu_model) and describes it: clocks in MHz, caches in KiB and
    bandwidth in GB/s, as the tool documents them. roofline.csv has the peaks that each device reached,
    in GB/s and GFLOP/s, and no name: the machine is that of the files beside it, and the median of its
    devices is taken.
    """

    label: ClassVar[str] = "AMD rocprof-compute machine (sysinfo, roofline)"
    describes: ClassVar[tuple[str, ...]] = ("rocprof_compute",)

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of sysinfo.csv or roofline.csv."""
        return find_header(head, _HINT, _accepts) is not None

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the machine metrics."""
        text = open_text(file)
        header = find_header(text.raw, _HINT, _accepts)
        if header is None:
            raise ReadError(f"{text.name} describes no machine: no line names gpu_model, or HBMBw.")
        tally = Tally()
        rows = read_rows(text, header, tally, header.place("command"))
        builder = Builder(text.name, text.sha256, format="rocprof_compute_machine")
        if _is_roofline(frozenset(header.names)):
            _put_peaks(builder, header, rows, tally)
        else:
            _put_machines(builder, header, rows, tally)
        tally.tell(builder)
        return builder.build(text.warnings)


def _accepts(names: Names) -> bool:
    return _is_roofline(names) or bool(
        names & {"gpu_model", "gpu_arch", "gpu_soc"} and names & {"cu_per_gpu", "numcu", "se_per_gpu", "numse"}
    )


def _is_roofline(names: Names) -> bool:
    return "hbmbw" in names and bool(names & set(_DEVICE) or any(name.endswith("flops") for name in names))


def _put_machines(builder: Builder, header: Header, rows: Sequence[Row], tally: Tally) -> None:
    named: set[str] = set()
    for line, cells in rows:
        name = next((cells[at] for n in _NAME if (at := header.place(n)) is not None and _said(cells[at])), "")
        if name in named:
            tally.add(line, f"machine '{shown(name)}' is described above")
            continue
        named.add(name)
        for column, key in enumerate(header.names):
            _put_machine_cell(builder, name, header.cells[column], key, cells[column], line, tally)
    of_run = [header.cells[column] for column, key in enumerate(header.names) if key in _OF_RUN]
    if of_run:
        tally.add(header.line, f"{', '.join(of_run)} say how the profiler ran, not what the machine is")


def _put_machine_cell(builder: Builder, machine: str, name: str, key: str, cell: str, line: int, tally: Tally) -> None:
    if key in _OF_RUN or not _said(cell):
        return
    if key in _TEXTS:
        builder.machine_label(machine, name, cell)
        return
    try:
        builder.of_machine(machine, name, number(cell), _UNITS.get(key, ""))
    except ValueError:
        builder.machine_label(machine, name, cell)


def _said(cell: str) -> bool:
    return bool(cell) and cell.casefold() not in ("na", "n/a", "none", "nan")


def _put_peaks(builder: Builder, header: Header, rows: Sequence[Row], tally: Tally) -> None:
    wide: dict[str, float] = {}
    for column, unit in _peaks(header):
        name = header.cells[column]
        known = [v for row in rows if (v := _peak(row, column, name, tally)) is not None]
        if not known:
            continue
        middle = float(np.median(known))
        builder.of_machine("", name, middle, unit)
        if middle and (max(known) - min(known)) / abs(middle) > _SPREAD:
            wide[name] = (max(known) - min(known)) / abs(middle)
    if len(rows) > 1:
        builder.warn(f"{builder.source} has {len(rows)} devices: the median of each peak is taken.")
    for name, spread in list(wide.items())[:5]:
        builder.warn(f"'{shown(name)}' differs by {100 * spread:.0f} % between the devices.")


def _peaks(header: Header) -> Iterator[tuple[int, str]]:
    for column, key in enumerate(header.names):
        found = _PEAK.fullmatch(key)
        if found and key not in _DEVICE:
            yield column, _PEAK_UNITS[(found.group(1) or "flops").lower()]


def _peak(row: Row, column: int, name: str, tally: Tally) -> float | None:
    line, cells = row
    try:
        value = number(cells[column])
    except ValueError:
        value = -1.0
    if value is not None and value < 0:
        tally.add(line, f"'{shown(name)}' is '{shown(cells[column])}', expected a peak: it is missing there")
        return None
    return value
