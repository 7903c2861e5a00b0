"""Collect the generations sample: real loops on the processor models of llvm-mca."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from _collect import mca  # noqa: E402
from _collect.files import Row, job_count, parallel, require, write_table  # noqa: E402
from _collect.loop_metrics import loop_rows  # noqa: E402
from _collect.loops import Loop, all_loops  # noqa: E402
from probes import machine_row  # noqa: E402

STALLS = {
    "register": "RAT",
    "retirement": "RCU",
    "scheduler": "SCHEDQ",
    "load_queue": "LQ",
    "group": "GROUP",
}


def main() -> None:
    """Rewrite the tables of this folder."""
    jobs = job_count(__doc__ or "")
    require("clang", "llvm-mca", "llvm-mc")
    loops = all_loops()
    write_table(HERE / "inputs.csv", loop_rows(loops), ["kernel", "variant"])
    processors = list(mca.PROCESSORS)
    write_table(HERE / "machines.csv", parallel(machine_row, processors, jobs), ["cpu"])
    tables = parallel(lambda processor: trial_rows(processor, loops), processors, jobs)
    rows = [row for table in tables for row in table]
    write_table(HERE / "trials.csv.gz", rows, ["kernel", "variant", "cpu"])
    print(f"generations: {len(rows)} trials of {len(loops)} loops on {len(processors)} processors")


def trial_rows(processor: str, loops: Sequence[Loop]) -> list[Row]:
    """One row for each loop that the processor can run."""
    chosen = [loop for loop in loops if mca.can_run(processor, loop.variant.instruction_set)]
    code = mca.loop_regions(chosen)
    entries = mca.report(processor, code)
    texts = mca.statistics(processor, code)
    return [
        {"kernel": loop.kernel, "variant": loop.variant.name, "cpu": processor}
        | {"cycles (cycles)": mca.cycles(entries[loop.name])}
        | counters(entries[loop.name], texts[loop.name])
        for loop in chosen
    ]


def counters(entry: dict[str, Any], text: str) -> Row:
    """The simulated counters of one trial."""
    summary, stalls = entry["SummaryView"], entry["DispatchStatistics"]
    pressure = _pressure(entry)
    row: Row = {
        "uops (uops)": summary["TotaluOps"],
        "block_throughput (cycles)": float(summary["BlockRThroughput"]),
        "busiest_port (cycles)": max(pressure),
        "all_ports (cycles)": round(sum(pressure), 2),
        "ports_used (ports)": len(pressure),
    }
    row |= {f"{name}_stalls (cycles)": stalls[key] for name, key in STALLS.items()}
    row["reorder_entries (uops)"] = int(mca.find(r"Max Used ROB Entries:\s+(\d+)", text))
    row["mappings (registers)"] = int(mca.find(r"Max number of mappings used:\s+(\d+)", text))
    row["resource_bound (%)"] = mca.find(r"Resource Pressure\s+\[ ([\d.]+)%", text)
    row["register_bound (%)"] = mca.find(r"Register Dependencies \[ ([\d.]+)%", text)
    return row


def _pressure(entry: dict[str, Any]) -> list[float]:
    """The cycles that each execution resource is busy per iteration."""
    last = len(entry["Instructions"])
    uses = entry["ResourcePressureView"]["ResourcePressureInfo"]
    return [use["ResourceUsage"] for use in uses if use["InstructionIndex"] == last]


if __name__ == "__main__":
    main()
