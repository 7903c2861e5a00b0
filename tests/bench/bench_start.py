"""How long the program takes to begin: version, help, the list of datasets, one row through a formula.

Run by hand: python -m tests.bench.bench_start
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.record import taken

TABLE = "application,size,time_s\n" + "".join(
    f"{a},{n},{n * (k + 1)}\n" for k, a in enumerate("abc") for n in range(1, 9)
)
TIMES = 5


def processor(*arguments: str) -> float:
    """Return the median seconds of processor of a verb in a process of its own."""
    return statistics.median(_once(arguments) for _ in range(TIMES))


def _once(arguments: tuple[str, ...]) -> float:
    before = _children()
    subprocess.run([sys.executable, "-m", "core.cli", *arguments], check=True, capture_output=True)
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["RIDGELINE_DB"] = str(folder / "bench.duckdb")
        (folder / "table.csv").write_text(TABLE)
        (folder / "row.csv").write_text("application,size\na,3\n")
        model = str(folder / "model.json")
        _once(("import", str(folder / "table.csv"), "--dataset", "table"))
        _once(("fit", "formula", "--dataset", "table", "--response", "time_s", "--out", model))
        taken("ridgeline --version", processor("--version"), 0.15)
        taken("ridgeline --help", processor("--help"), 0.15)
        taken("ridgeline datasets", processor("datasets"), 0.6)
        taken("ridgeline predict, one row of a formula", processor("predict", model, str(folder / "row.csv")), 0.8)


if __name__ == "__main__":
    main()
