"""Collect the design_space sample: a full factorial of processor designs under llvm-mca."""

import itertools
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from _collect import mca  # noqa: E402
from _collect.files import Row, job_count, parallel, require, write_table  # noqa: E402
from _collect.loops import all_loops  # noqa: E402

BASE = "icelake-server"
LOOPS = (
    "butterfly_f64.fast_avx2",
    "complex_multiply_f32.o2_unroll4",
    "edit_distance_row.o1",
    "gather_f64.o2_unroll4",
    "gray_u8.fast_avx2",
    "histogram_u8.o2_unroll4",
    "matmul_tile_f32.o1",
    "murmur_mix.o2_unroll4",
    "normalise_f32.o3_sse2",
    "stencil7_f32.fast_avx2",
)
PARAMETERS: dict[str, tuple[str, tuple[int, ...]]] = {
    "dispatch_width (uops/cycle)": ("-dispatch", (1, 2, 3, 4, 6)),
    "decoders (uops/cycle)": ("-decoder-throughput", (2, 4, 6)),
    "register_file (registers)": ("-register-file-size", (20, 28, 36, 48, 64, 88, 120, 160)),
    "load_queue (entries)": ("-lqueue", (4, 7, 12, 20, 48)),
    "store_queue (entries)": ("-squeue", (2, 4, 8, 24)),
}
# The decoders only count with a queue of micro-operations between them and the dispatch.
UOP_QUEUE = "-micro-op-queue-size=16"


def main() -> None:
    """Rewrite the table of this folder."""
    jobs = job_count(__doc__ or "")
    require("clang", "llvm-mca")
    designs = list(itertools.product(*(levels for _, levels in PARAMETERS.values())))
    chosen = [loop for loop in all_loops() if loop.name in LOOPS]
    code = mca.loop_regions(chosen)
    tables = parallel(lambda design: _trials(design, code), designs, jobs)
    rows = [row for table in tables for row in table]
    write_table(HERE / "trials.csv.gz", rows, ["kernel", *PARAMETERS])
    print(f"design_space: {len(rows)} trials of {len(chosen)} loops on {len(designs)} designs")


def _trials(design: tuple[int, ...], code: str) -> list[Row]:
    """One row per loop on one design."""
    options = [option for option, _ in PARAMETERS.values()]
    flags = [f"{option}={level}" for option, level in zip(options, design, strict=True)]
    rows: list[Row] = []
    for name, entry in mca.brief_report(BASE, code, UOP_QUEUE, *flags).items():
        kernel, variant = name.split(".")
        row: Row = {"kernel": kernel, "variant": variant}
        row |= dict(zip(PARAMETERS, design, strict=True))
        row["cycles (cycles)"] = mca.cycles(entry)
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
