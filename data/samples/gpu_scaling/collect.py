"""Collect the sample of GPU kernels on parts of a GPU: the file of the GPU at hand; those of others stay."""

import csv
import gzip
import io
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from _collect.files import Row, job_count, without_constants, write_table  # noqa: E402
from _collect.gpu import LAUNCH, card, launches, listed, output, program  # noqa: E402

BASE = HERE.parent / "gpus" / "h200.ncu.csv.gz"
"""The one run whose counters are known of each kernel: all of an H200, blocks of 256."""
OF_TIME = ("gpu__time_duration", "sm__cycles_elapsed", "sm__cycles_active")


def main() -> None:
    """Rewrite the file of this GPU, and what is known of each kernel and size."""
    job_count(__doc__ or "")
    program()
    printed = output("scaling")
    (HERE / f"{card()}.csv.gz").write_bytes(gzip.compress(printed.encode(), 9, mtime=0))
    rows = inputs({(row["kernel"], row["size"]) for row in csv.DictReader(io.StringIO(printed))})
    write_table(HERE / "inputs.csv", rows, ["kernel", "size"])
    print(f"gpu_scaling: {card()}, {len(rows)} kernels and sizes")


def inputs(ran: set[tuple[str, str]]) -> list[Row]:
    """Return the counters of each kernel and size that ran, those that vary."""
    asked = [m for m in (HERE.parent / "gpus" / "metrics.txt").read_text().split() if not m.startswith(OF_TIME)]
    rows: list[Row] = []
    for shape, counted in zip(listed(), launches(BASE), strict=True):
        if shape["block"] == "256" and (shape["kernel"], shape["size"]) in ran:
            rows.append({name: shape[name] for name in LAUNCH} | {m: str(counted[m]).replace(",", "") for m in asked})
    return without_constants(rows)


if __name__ == "__main__":
    main()
