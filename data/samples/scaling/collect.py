"""Collect the scaling sample: many loops while three parts of a processor grow."""

import itertools
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from _collect import mca  # noqa: E402
from _collect.files import Row, job_count, parallel, require, write_table  # noqa: E402
from _collect.loop_metrics import loop_rows  # noqa: E402
from _collect.loops import all_loops  # noqa: E402

BASE = "znver3"
VARIANTS = ("o3_sse2", "fast_avx2")
WIDTHS = (1, 2, 3, 4, 5, 6, 8)
REGISTERS = (16, 24, 32, 48, 64, 96, 128, 192)
QUEUES = (2, 4, 6, 8, 12, 16, 24, 32)
STALLS = {
    "register_stalls (cycles)": "RAT",
    "scheduler_stalls (cycles)": "SCHEDQ",
    "load_queue_stalls (cycles)": "LQ",
    "store_queue_stalls (cycles)": "SQ",
}


def main() -> None:
    """Rewrite the tables of this folder."""
    jobs = job_count(__doc__ or "")
    require("clang", "llvm-mca", "llvm-mc")
    chosen = [loop for loop in all_loops() if loop.variant.name in VARIANTS]
    write_table(HERE / "inputs.csv", loop_rows(chosen), ["kernel", "variant"])
    code = mca.loop_regions(chosen)
    configurations = list(itertools.product(WIDTHS, REGISTERS, QUEUES))
    tables = parallel(lambda configuration: _trials(configuration, code), configurations, jobs)
    rows = [row for table in tables for row in table]
    keys = ["kernel", "variant", *list(rows[0])[2:5]]
    write_table(HERE / "trials.csv.gz", rows, keys)
    print(f"scaling: {len(rows)} trials of {len(chosen)} loops, {len(configurations)} designs")


def _trials(configuration: tuple[int, int, int], code: str) -> list[Row]:
    """One row per loop on one configuration."""
    width, registers, queues = configuration
    flags = [f"-dispatch={width}", f"-register-file-size={registers}"]
    flags += [f"-lqueue={queues}", f"-squeue={queues}"]
    rows: list[Row] = []
    for name, entry in mca.brief_report(BASE, code, *flags).items():
        kernel, variant = name.split(".")
        row: Row = {"kernel": kernel, "variant": variant}
        row["dispatch_width (uops/cycle)"] = width
        row["register_file (registers)"] = registers
        row["memory_queues (entries)"] = queues
        row["cycles (cycles)"] = mca.cycles(entry)
        row |= {title: entry["DispatchStatistics"][key] for title, key in STALLS.items()}
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
