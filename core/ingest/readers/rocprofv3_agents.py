"""AMD rocprofv3's agent_info.csv: the processors of the machine, of which the GPUs ran the kernels."""

import re
from collections.abc import Sequence

from core.ingest._lookup import by_key
from core.ingest._vocabulary import in_order
from core.ingest.names import shown
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._rocm.table import AmdReader, Row, Table

_NAME = ("product_name", "name", "model_name")
_KNOWN = DECLARED["rocprofv3_agents"]
_UNITS = dict.fromkeys(in_order(_KNOWN["counts"]), "") | _KNOWN["sizes"]


class Rocprofv3Agents(AmdReader):
    """Reads the GPUs of agent_info.csv as machine metrics; such a file holds no trials.

    Alike GPUs are one machine, called by their product name; a node with different ones describes
    several, and then none can be the machine of all trials beside it.
    """

    label = "AMD rocprofv3 agents (machine)"
    tells = (b"agent_type",)
    describes = ("rocprofv3_counters", "rocprofv3_trace", "rocprof_stats")
    hint = re.compile(rb"[Aa]gent_[Tt]ype")
    wanted = ({"node_id"}, {"agent_type"})
    lacks = "lists no agents: no line names Node_Id and Agent_Type."

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
            if key in _KNOWN["texts"]:
                table.builder.machine_label(machine, own, alike[0][1][column])
            elif key in _UNITS:
                table.builder.of_machine(machine, own, table.value(alike[0], column, ""), _UNITS[key])
        elif key in _UNITS:
            differing.append(own)
    if differing:
        named = ", ".join(differing)
        table.builder.warn(f"{named} differ between GPUs called '{shown(machine)}', and are left out.")
