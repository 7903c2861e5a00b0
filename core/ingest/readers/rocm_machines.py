"""Machines that AMD's tools describe: rocprof-compute's sysinfo.csv and roofline.csv, rocprofv3's agent_info.csv."""

import re
from collections.abc import Sequence

import numpy as np

from core.ingest._lookup import by_key
from core.ingest._vocabulary import by_name, in_order
from core.ingest.names import shown
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._rocm.table import AmdReader, Names, Row, Table, number

_NAME = ("gpu_model", "name", "gpu_arch", "gpu_soc", "gpu_series")
_OF_RUN = ("workload_name", "command", "ip_blocks", "timestamp", "date", "version")
_KNOWN = DECLARED["rocprof_compute"]
_TEXTS, _UNITS = in_order(_KNOWN["texts"]), by_name(_KNOWN["units"])
_DEVICE = ("device", "devid", "device_id")
_PEAK = re.compile(r".*?(bw|flops|ops)(?:low|high)?|mfma_flops_\w+", re.IGNORECASE)
_PEAK_UNITS = {"bw": "GB/s", "flops": "GFLOP/s", "ops": "GOP/s"}
_SPREAD = 0.1


class RocprofComputeMachine(AmdReader):
    """Reads machine metrics; such a file holds no trials.

    sysinfo.csv names the machine (its gpu_model) and describes it: clocks in MHz, caches in KiB and
    bandwidth in GB/s, as the tool documents them. roofline.csv has the peaks that each device reached,
    in GB/s and GFLOP/s, and no name: the machine is that of the files beside it, and the median of its
    devices is taken.
    """

    label = "AMD rocprof-compute machine (sysinfo, roofline)"
    tells = (b"gpu_model", b"gpu_arch", b"gpu_soc", b"hbmbw")
    describes = ("rocprof_compute",)
    hint = re.compile(rb"gpu_(?:model|arch|soc)|HBMBw", re.IGNORECASE)
    named_by = ("command",)
    lacks = "describes no machine: no line names gpu_model, or HBMBw."
    wanted = (("gpu_model|gpu_arch|gpu_soc", "cu_per_gpu|numcu|se_per_gpu|numse"),)

    def accepts(self, names: Names) -> bool:
        """Whether columns are those of sysinfo.csv or roofline.csv."""
        return _is_roofline(names) or super().accepts(names)

    def put(self, table: Table) -> None:
        """Put down a machine's description, or the peaks of its devices."""
        if _is_roofline(frozenset(table.header.names)):
            _put_peaks(table)
        else:
            _put_machines(table)


def _is_roofline(names: Names) -> bool:
    return "hbmbw" in names and bool(names & set(_DEVICE) or any(name.endswith("flops") for name in names))


def _put_machines(table: Table) -> None:
    named: set[str] = set()
    for row in table.rows:
        if (name := next((cell for n in _NAME if _said(cell := table.cell(row, n))), "")) in named:
            table.builder.leave_out(row[0], f"machine '{shown(name)}' is described above")
            continue
        named.add(name)
        for own, key, cell in zip(table.header.cells, table.header.names, row[1], strict=True):
            if key not in _OF_RUN and _said(cell):
                _put_cell(table, name, own, key, cell)
    if of_run := [own for own, key in zip(table.header.cells, table.header.names, strict=True) if key in _OF_RUN]:
        told = f"{', '.join(of_run)} say how the profiler ran, not what the machine is"
        table.builder.leave_out(table.header.line, told)


def _put_cell(table: Table, machine: str, name: str, key: str, cell: str) -> None:
    try:
        if key not in _TEXTS:
            table.builder.of_machine(machine, name, number(cell), _UNITS.get(key, ""))
            return
    except ValueError:
        pass
    table.builder.machine_label(machine, name, cell)


def _said(cell: str) -> bool:
    return bool(cell) and cell.casefold() not in ("na", "n/a", "none", "nan")


def _put_peaks(table: Table) -> None:
    wide: dict[str, float] = {}
    for column, key in enumerate(table.header.names):
        found, name = _PEAK.fullmatch(key), table.header.cells[column]
        if not found or key in _DEVICE:
            continue
        if known := [v for row in table.rows if (v := _peak(table, row, column)) is not None]:
            middle = float(np.median(known))
            table.builder.of_machine("", name, middle, _PEAK_UNITS[(found.group(1) or "flops").lower()])
            spread = (max(known) - min(known)) / abs(middle) if middle else 0.0
            wide |= {name: spread} if spread > _SPREAD else {}
    if len(table.rows) > 1:
        table.builder.tell(f"has {len(table.rows)} devices: the median of each peak is taken.")
    for name, spread in list(wide.items())[:5]:
        table.builder.warn(f"'{shown(name)}' differs by {100 * spread:.0f} % between the devices.")


def _peak(table: Table, row: Row, column: int) -> float | None:
    try:
        value = number(row[1][column])
    except ValueError:
        value = -1.0
    if value is not None and value < 0:
        name, cell = shown(table.header.cells[column]), shown(row[1][column])
        table.builder.leave_out(row[0], f"'{name}' is '{cell}', expected a peak: it is missing there")
        return None
    return value


_PRODUCT = ("product_name", "name", "model_name")
_AGENTS = DECLARED["rocprofv3_agents"]
_AGENT_UNITS = dict.fromkeys(in_order(_AGENTS["counts"]), "") | _AGENTS["sizes"]


class Rocprofv3Agents(AmdReader):
    """Reads the GPUs of agent_info.csv as machine metrics; such a file holds no trials.

    Alike GPUs are one machine, called by their product name; a node with different ones describes
    several, and then none can be the machine of all trials beside it.
    """

    label = "AMD rocprofv3 agents (machine)"
    tells = (b"agent_type",)
    describes = ("rocprofv3_counters", "rocprofv3_trace", "rocprof_stats")
    hint = re.compile(rb"[Aa]gent_[Tt]ype")
    wanted = (("node_id", "agent_type"),)
    lacks = "lists no agents: no line names Node_Id and Agent_Type."

    def put(self, table: Table) -> None:
        """Put down the GPUs, alike ones as one machine."""
        own = [row for row in table.rows if table.cell(row, "agent_type").upper() == "GPU"]
        gpus = by_key((next((c for name in _PRODUCT if (c := table.cell(row, name))), ""), row) for row in own)
        if not gpus:
            kinds = ", ".join(sorted({table.cell(row, "agent_type") for row in table.rows}))
            told = f"lists no GPU, only {kinds}. The kernels ran nowhere that it describes."
            raise table.builder.refused(told)
        for name, alike in gpus.items():
            _put_alike(table, name, alike)


def _put_alike(table: Table, machine: str, alike: Sequence[Row]) -> None:
    """Say what alike GPUs have in common; what differs between them belongs to none."""
    differing = []
    for column, (own, key) in enumerate(zip(table.header.cells, table.header.names, strict=True)):
        if len({row[1][column] for row in alike}) == 1:
            if key in _AGENTS["texts"]:
                table.builder.machine_label(machine, own, alike[0][1][column])
            elif key in _AGENT_UNITS:
                table.builder.of_machine(machine, own, table.value(alike[0], column, ""), _AGENT_UNITS[key])
        elif key in _AGENT_UNITS:
            differing.append(own)
    if differing:
        named = ", ".join(differing)
        table.builder.warn(f"{named} differ between GPUs called '{shown(machine)}', and are left out.")
