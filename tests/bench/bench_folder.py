"""A thousand files of Nsight Compute, as it prints them, into the store.

Run by hand: python -m tests.bench.bench_folder [FILES]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.bench.bench_large import fresh, run
from tests.bench.record import taken
from tests.ingest.nvidia_files import wide_file

LAUNCHES, METRICS = 4, 900
IMPORT = """
from core.cli import main
assert main(["--db", {db!r}, "import", {path!r}, "--dataset", "folder", "--json"]) == 0
"""


def make(folder: Path, n: int) -> float:
    """Write the files; return their size in MB."""
    draw = np.random.default_rng(0)
    units = ("%", "byte", "inst", "cycle")
    metrics = [(f"unit{i % 30}__quantity_{i}.sum", units[i % 4]) for i in range(METRICS)] + [
        ("gpu__time_duration.sum", "nsecond")
    ]
    for k in range(n):
        values = draw.lognormal(8, 2, (LAUNCHES, len(metrics)))
        text = wide_file(metrics, *([f"{v:,.2f}" for v in row] for row in values), kernel=f"kernel_{k:04d}")
        (folder / f"run_{k:04d}.csv").write_text(text)
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def main(n: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        files = place / "runs"
        files.mkdir()
        size = make(files, n)
        with fresh(place) as db:
            found = run(IMPORT.format(db=str(db), path=str(files)))
    what = f"{n:,} files of Nsight Compute, {size:.0f} MB"
    taken(what, found.seconds, 5.0, "s by the clock")
    taken(f"{what}: memory", found.rss * 1.048576, 400, "MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
