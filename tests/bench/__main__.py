"""Every measurement of speed as one table, kept by commit: `make bench`, or python -m tests.bench [NAME …] [--keep FILE].

A name is that of a file without `bench_`. What needs published measurements is left out, and said, where
RIDGELINE_REAL_DATA does not name them. With --keep the lines are added to a JSON file of runs, and a line that is more
than a quarter worse than in the newest earlier run of that file is marked.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.record import LINES, Line, table

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SPEED: dict[str, tuple[str, ...]] = {
    "start": (),
    "stepwise": (),
    "eiger": (),
    "stargazer": (),
    "halwpe": (),
    "processes": (),
    "first_seconds": (),
    "scaling": ("--quick",),
    "sweep": (),
    "import": ("100", "3"),
    "folder": (),
    "large": ("2000000", "2"),
    "parquet": ("2000000",),
    "rows": (),
    "growth": (),
    "execution": ("10",),
    "race": (),
    "serve": (),
    "c_export": (),
    "slider": ("--pairs", "3"),
    "scaling_slider": ("--pairs", "3"),
    "pages": (),
}
"""What is measured, in order, with its arguments."""
REAL_DATA = "RIDGELINE_REAL_DATA"
WORSE = 1.25


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SPEED)}; all if not given")
    parser.add_argument("--keep", type=Path, help="a JSON file of runs to add this one to")
    a = parser.parse_args(arguments)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.jsonl"
        lines.touch()
        for name in a.names or SPEED:
            print(f"== {name}", flush=True)
            failed += [] if run(name, lines) else [name]
        found = [Line(**json.loads(line)) for line in lines.read_text(encoding="utf-8").splitlines()]
    known = json.loads(a.keep.read_text(encoding="utf-8")) if a.keep and a.keep.exists() else []
    before = {(line["work"], line["peer"]): Line(**line) for kept in known for line in kept["lines"]}
    print("\n" + table((line, slower(line, before.get((line.work, line.peer)))) for line in found))
    if a.keep:
        kept = [
            *known,
            {"commit": commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}", "lines": [asdict(f) for f in found]},
        ]
        a.keep.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name in failed:
        print(f"{name} ended without a result")
    return len(failed)


def run(name: str, lines: Path) -> bool:
    """Run one file of measurements; false where it failed."""
    path = HERE / f"bench_{name}.py"
    if REAL_DATA in path.read_text(encoding="utf-8") and not os.environ.get(REAL_DATA):
        print(f"left out: it needs published measurements in {REAL_DATA}")
        return True
    command = [sys.executable, "-m", f"tests.bench.bench_{name}", *SPEED.get(name, ())]
    environment = {**os.environ, LINES: str(lines), "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0


def slower(line: Line, before: Line | None) -> str:
    """Return a mark where a value is more than a quarter worse than it was."""
    if before is None or not before.value or not line.value:
        return ""
    by = before.value / line.value if line.more else line.value / before.value
    return f"was {before.value:.3g}" if by > WORSE else ""


def commit() -> str:
    """Return the name of the commit, short."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
