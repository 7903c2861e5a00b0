"""AMD rocprofv3's agent_info.csv: the processors of the machine, of which the GPUs ran the kernels."""

import re
from collections.abc import Sequence

from core.ingest._lookup import by_key
from core.ingest.names import shown
from core.ingest.readers._rocm.table import AmdReader, Names, Row, Table

_NAME = ("product_name", "name", "model_name")
_COUNTS = """simd_count max_waves_per_simd num_gws wave_front_size num_xcc cu_count array_count num_shader_banks
    simd_arrays_per_engine cu_per_simd_array simd_per_cu max_slots_scratch_cu num_sdma_engines num_sdma_xgmi_engines
    num_sdma_queues_per_engine num_cp_queues cu_per_engine max_waves_per_cu workgroup_max_size"""
_SIZES = {"lds_size_in_kb": "KiB", "gds_size_in_kb": "KiB", "max_engine_clk_fcompute": "MHz", "local_mem_size": "byte"}
_UNITS = dict.fromkeys(_COUNTS.split(), "") | _SIZES
"""Columns that are metrics; the others are numbers that name things, firmware, or limits of an index."""
_TEXTS = ("name", "vendor_name", "product_name", "model_name", "gfx_target_version")


class Rocprofv3Agents(AmdReader):
    """Reads the GPUs of agent_info.csv as machine metrics; such a file holds no trials.

    Alike GPUs are one machine, called by their product name; a node with different ones describes
    several, and then none can be the machine of all trials beside it.
    """

    label = "AMD rocprofv3 agents (machine)"
    tells = (b"agent_type",)
    describes = ("rocprofv3_counters", "rocprofv3_trace", "rocprof_stats")
    hint = re.compile(rb"[Aa]gent_[Tt]ype")
    lacks = "lists no agents: no line names Node_Id and Agent_Type."

    @staticmethod
    def accepts(names: Names) -> bool:
        """Whether columns are those of an agent list."""
        return {"node_id", "agent_type"} <= names

    def put(self, table: Table) -> None:
        """Put down the GPUs, alike ones as one machine."""
        own = [row for row in table.rows if table.cell(row, "agent_type").upper() == "GPU"]
        gpus = by_key((next((c for name in _NAME if (c := table.cell(row, name))), ""), row) for row in own)
        if not gpus:
            kinds = ", ".join(sorted({table.cell(row, "agent_type") for row in table.rows}))
            told = f"lists no GPU, only {kinds}. The kernels ran nowhere that it describes."
            raise table.builder.refused(told)
        for name, alike in gpus.items():
            _put(table, name, alike)


def _put(table: Table, machine: str, alike: Sequence[Row]) -> None:
    """Say what alike GPUs have in common; what differs between them belongs to none."""
    differing = []
    for column, (own, key) in enumerate(zip(table.header.cells, table.header.names, strict=True)):
        if len({row[1][column] for row in alike}) == 1:
            if key in _TEXTS:
                table.builder.machine_label(machine, own, alike[0][1][column])
            elif key in _UNITS:
                table.builder.of_machine(machine, own, table.value(alike[0], column, ""), _UNITS[key])
        elif key in _UNITS:
            differing.append(own)
    if differing:
        named = ", ".join(differing)
        table.builder.warn(f"{named} differ between GPUs called '{shown(machine)}', and are left out.")
