"""AMD rocprofv3's agent_info.csv: the processors of the machine, of which the GPUs ran the kernels."""

import re
from collections.abc import Sequence
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import Builder
from core.ingest.readers._rocm.table import Header, Names, Row, Tally, find_header, number, read_rows
from core.trial import Import

_HINT = re.compile(rb"[Aa]gent_[Tt]ype")
_NAME = ("product_name", "name", "model_name")
_NUMBERS = {
    "simd_count": "", "max_waves_per_simd": "", "lds_size_in_kb": "KiB", "gds_size_in_kb": "KiB", "num_gws": "",
    "wave_front_size": "", "num_xcc": "", "cu_count": "", "array_count": "", "num_shader_banks": "",
    "simd_arrays_per_engine": "", "cu_per_simd_array": "", "simd_per_cu": "", "max_slots_scratch_cu": "",
    "num_sdma_engines": "", "num_sdma_xgmi_engines": "", "num_sdma_queues_per_engine": "", "num_cp_queues": "",
    "max_engine_clk_fcompute": "MHz", "cu_per_engine": "", "max_waves_per_cu": "", "workgroup_max_size": "",
    "local_mem_size": "byte",
}  # fmt: skip
"""Columns that are metrics; the others are numbers that name things, firmware, or limits of an index."""
_TEXTS = ("name", "vendor_name", "product_name", "model_name", "gfx_target_version")


class Rocprofv3Agents(Reader):
    """Reads the GPUs of agent_info.csv as machine metrics; such a file holds no trials.

    Alike GPUs are one machine, called by their product name; a node with different ones describes
    several, and then none can be the machine of all trials beside it.
    """

    label: ClassVar[str] = "AMD rocprofv3 agents (machine)"
    describes: ClassVar[tuple[str, ...]] = ("rocprofv3_counters", "rocprofv3_trace", "rocprof_stats")

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of an agent list."""
        return find_header(head, _HINT, _accepts) is not None

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the machine metrics."""
        text = open_text(file)
        header = find_header(text.raw, _HINT, _accepts)
        if header is None:
            raise ReadError(f"{text.name} lists no agents: no line names Node_Id and Agent_Type.")
        tally = Tally()
        rows = read_rows(text, header, tally, None)
        kind = header.names.index("agent_type")
        gpus = [row for row in rows if row[1][kind].upper() == "GPU"]
        if not gpus:
            kinds = ", ".join(sorted({row[1][kind] for row in rows}))
            raise ReadError(f"{text.name} lists no GPU, only {kinds}. The kernels ran nowhere that it describes.")
        builder = Builder(text.name, text.sha256, format="rocprofv3_agents")
        for name in dict.fromkeys(_name(header, row) for row in gpus):
            alike = [row for row in gpus if _name(header, row) == name]
            _put(builder, header, name, alike, tally)
        tally.tell(builder)
        return builder.build(text.warnings)


def _accepts(names: Names) -> bool:
    return {"node_id", "agent_type"} <= names


def _name(header: Header, row: Row) -> str:
    cells = [row[1][at] for name in _NAME if (at := header.place(name)) is not None]
    return next((cell for cell in cells if cell), "")


def _put(builder: Builder, header: Header, machine: str, alike: Sequence[Row], tally: Tally) -> None:
    """Say what alike GPUs have in common; what differs between them belongs to none."""
    differing = []
    for column, key in enumerate(header.names):
        cells = list(dict.fromkeys(row[1][column] for row in alike))
        if key in _TEXTS and len(cells) == 1:
            builder.machine_label(machine, header.cells[column], cells[0])
        if key not in _NUMBERS:
            continue
        if len(cells) > 1:
            differing.append(header.cells[column])
            continue
        try:
            builder.of_machine(machine, header.cells[column], number(cells[0]), _NUMBERS[key])
        except ValueError:
            tally.add(alike[0][0], f"'{header.cells[column]}' is '{shown(cells[0])}', expected a number")
    if differing:
        builder.warn(f"{', '.join(differing)} differ between GPUs called '{shown(machine)}', and are left out.")
