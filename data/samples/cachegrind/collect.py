"""Collect the cachegrind sample: small programs on many cache geometries under valgrind."""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from _collect.files import Row, job_count, parallel, require, write_table  # noqa: E402

PROGRAMS = HERE.parent / "_kernels" / "programs"
FLAGS = (
    *("-O2", "-w", "-std=gnu11", "-fno-vectorize", "-fno-math-errno", "-fno-stack-protector"),
    *("-ffreestanding", "-fno-builtin", "-fno-pic", "-fno-asynchronous-unwind-tables"),
    *("-nostdlib", "-static", "-no-pie"),
)
SIZES = {
    "breadth_first": (512, 2048, 8192, 16384, 32768),
    "compress": (4096, 16384, 65536, 131072, 262144),
    "edit_distance": (128, 256, 512, 1024, 2048),
    "fourier": (512, 1024, 4096, 16384, 32768),
    "gravity": (48, 96, 192, 384, 768),
    "hash_table": (512, 2048, 8192, 16384, 32768),
    "heapsort": (1024, 4096, 16384, 32768, 65536),
    "knapsack": (1024, 4096, 16384, 32768, 65536),
    "linked_list": (512, 2048, 8192, 16384, 32768),
    "matmul_blocked": (24, 48, 72, 104, 136),
    "matmul_naive": (24, 48, 72, 104, 136),
    "quicksort": (2048, 8192, 32768, 65536, 131072),
    "radix_sort": (2048, 8192, 32768, 65536, 131072),
    "search_tree": (512, 2048, 8192, 16384, 32768),
    "sieve": (16384, 65536, 262144, 524288, 1048576),
    "sparse_product": (256, 1024, 4096, 8192, 16384),
    "stencil": (32, 64, 128, 224, 320),
    "string_search": (8192, 32768, 65536, 131072, 262144),
    "transpose": (32, 64, 125, 250, 384),
}
# First level: size in KiB, ways, line in bytes; last level: the same.
# Lines are no shorter than 32 bytes: valgrind refuses lines shorter than the host's registers.
GEOMETRIES = (
    (1, 1, 32, 16, 2, 32),
    (1, 2, 64, 32, 8, 64),
    (1, 4, 128, 64, 4, 128),
    (2, 1, 32, 128, 8, 64),
    (2, 2, 128, 32, 4, 128),
    (2, 8, 64, 64, 16, 64),
    (4, 1, 64, 256, 16, 64),
    (4, 2, 64, 64, 2, 64),
    (4, 4, 128, 32, 8, 128),
    (4, 8, 32, 128, 4, 32),
    (8, 1, 32, 32, 4, 32),
    (8, 2, 128, 512, 8, 128),
    (8, 4, 64, 256, 4, 64),
    (8, 8, 32, 64, 8, 64),
    (16, 1, 64, 128, 4, 128),
    (16, 2, 128, 1024, 16, 128),
    (16, 4, 32, 64, 16, 32),
    (16, 8, 64, 256, 8, 64),
    (32, 1, 128, 512, 4, 128),
    (32, 2, 64, 128, 2, 64),
    (32, 8, 64, 1024, 16, 64),
    (48, 12, 64, 512, 8, 64),
    (64, 4, 32, 256, 2, 32),
    (64, 16, 128, 1024, 8, 128),
)
GEOMETRY_METRICS = (
    *("d1_size (KiB)", "d1_ways (ways)", "d1_line (bytes)"),
    *("ll_size (KiB)", "ll_ways (ways)", "ll_line (bytes)"),
)
BLOCKS = (32, 256, 4096)
CODE_CACHE = "32768,8,64"


@dataclass(frozen=True)
class Case:
    """A program with the size of its input."""

    program: str
    size: int


def main() -> None:
    """Rewrite the tables of this folder."""
    jobs = job_count(__doc__ or "")
    require("clang", "setarch", "valgrind")
    cases = [Case(program, size) for program, sizes in SIZES.items() for size in sizes]
    with tempfile.TemporaryDirectory() as folder:
        results = parallel(lambda case: _measure(case, Path(folder)), cases, jobs)
    write_table(HERE / "machines.csv", [_machine(g) for g in GEOMETRIES], ["geometry"])
    write_table(HERE / "inputs.csv", [inputs for inputs, _ in results], ["program", "size"])
    rows = [row for _, trials in results for row in trials]
    write_table(HERE / "trials.csv.gz", rows, ["program", "size", "geometry"])
    print(f"cachegrind: {len(rows)} trials of {len(cases)} programs and sizes")


def _machine(geometry: tuple[int, ...]) -> Row:
    return {"geometry": _name(geometry)} | dict(zip(GEOMETRY_METRICS, geometry, strict=True))


def _name(geometry: tuple[int, ...]) -> str:
    size, ways, line, last, *_ = geometry
    return f"{size:02d}k_{ways}way_{line}b_ll{last}k"


def _measure(case: Case, folder: Path) -> tuple[Row, list[Row]]:
    """The metrics of a case that no cache changes, and one trial per geometry."""
    program = _build(case, folder)
    trials = [_trial(case, geometry, program) for geometry in GEOMETRIES]
    return _input_row(case, program), trials


def _build(case: Case, folder: Path) -> Path:
    target = folder / f"{case.program}_{case.size}"
    source = str(PROGRAMS / f"{case.program}.c")
    subprocess.run(["clang", *FLAGS, f"-DN={case.size}", "-o", str(target), source], check=True)
    return target


def _trial(case: Case, geometry: tuple[int, ...], program: Path) -> Row:
    size, ways, line, last_size, last_ways, last_line = geometry
    first = f"{size * 1024},{ways},{line}"
    events = _run(program, first, f"{last_size * 1024},{last_ways},{last_line}")
    return {
        "program": case.program,
        "size": case.size,
        "geometry": _name(geometry),
        "d1_misses (misses)": events["D1mr"] + events["D1mw"],
        "d1_write_misses (misses)": events["D1mw"],
        "ll_misses (misses)": events["DLmr"] + events["DLmw"],
    }


def _input_row(case: Case, program: Path) -> Row:
    """Counts of the run, and how its data lie in memory: blocks touched, and changes of block.

    An access changes the block when it is outside the two blocks used last.
    """
    runs = {block: _run(program, f"{2 * block},2,{block}", f"{1 << 26},16,{block}") for block in BLOCKS}
    events = runs[BLOCKS[0]]
    row: Row = {
        "program": case.program,
        "size": case.size,
        "instructions (instructions)": events["Ir"],
        "data_reads (accesses)": events["Dr"],
        "data_writes (accesses)": events["Dw"],
        "conditional_branches (branches)": events["Bc"],
        "mispredicted_branches (branches)": events["Bcm"],
    }
    for block, counts in runs.items():
        row[f"blocks_of_{block} (blocks)"] = counts["DLmr"] + counts["DLmw"]
        row[f"changes_of_{block} (accesses)"] = counts["D1mr"] + counts["D1mw"]
    return row


def _run(program: Path, first: str, last: str) -> dict[str, int]:
    """The totals of one run, with a first-level data cache and a last-level cache."""
    report = program.with_suffix(".out")
    options = ["-q", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes"]
    options += [f"--I1={CODE_CACHE}", f"--D1={first}", f"--LL={last}"]
    command = ["setarch", "x86_64", "-R", "valgrind", *options]
    command += [f"--cachegrind-out-file={report}", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    lines = dict(line.split(": ", 1) for line in report.read_text().splitlines() if ": " in line)
    return dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))


if __name__ == "__main__":
    main()
