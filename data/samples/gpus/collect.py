"""Collect the sample of GPU kernels: Nsight Compute's own file of the GPU at hand; those of others stay."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from _collect.files import job_count  # noqa: E402
from _collect.gpu import card, profile, program  # noqa: E402


def main() -> None:
    """Rewrite the file of this GPU."""
    job_count(__doc__ or "")
    program()
    metrics = (HERE / "metrics.txt").read_text().split()
    profile(metrics, HERE / f"{card()}.ncu.csv.gz")
    print(f"gpus: {card()}, {len(metrics)} metrics asked for")


if __name__ == "__main__":
    main()
