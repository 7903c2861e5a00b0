"""A table of 10 million rows through `ridgeline import`, against DuckDB's own read_csv: same sums, then ratios.

Run by hand: python -m tests.bench.bench_large [rows]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from tests.bench.record import Line, record, share, taken

NUMBERS = (*(f"m{i}" for i in range(8)), "time_s")
_SUMS = ", ".join(f"sum({name})" for name in NUMBERS)
_STEP = 100_000
_RSS = """
import json, re, resource, time
started = time.perf_counter()
{work}
spent = time.perf_counter() - started
used = resource.getrusage(resource.RUSAGE_SELF)
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())  # ru_maxrss would count the parent's too
print(json.dumps([spent, used.ru_utime + used.ru_stime, int(peak[1]) / 1024]))
"""
_PARSE = """
from pathlib import Path
from core.ingest import apply, read_table
apply(read_table(Path({path!r}), folder=Path({folder!r})))
"""
IMPORT = """
from core.cli import main
assert main(["--db", {db!r}, "import", {path!r}, "--dataset", "big", "--json"]) == 0
"""
_COUNT = """
import duckdb
duckdb.sql({sql!r}).fetchall()
"""
CREATE = """
import duckdb
with duckdb.connect({db!r}) as database:
    database.execute("CREATE TABLE t AS SELECT * FROM read_csv('" + {path!r} + "')")
"""


@dataclass(frozen=True)
class Run:
    """What a process took: seconds by the clock and of all cores, and its largest memory in MiB."""

    seconds: float
    cpu: float
    rss: float


def make(path: Path, n_rows: int, seed: int = 0) -> None:
    """Write a table of applications, inputs, machines and nine metrics with nine digits."""
    draw = np.random.default_rng(seed)
    applications = np.array([f"app{i:02d}" for i in range(20)])
    inputs = np.array([f"size {i}" for i in range(50)])
    machines = np.array([f"gpu {letter}" for letter in "ABCD"])
    with path.open("wb") as file:
        file.write(",".join(("application", "input", "machine", *NUMBERS)).encode() + b"\n")
        for start in range(0, n_rows, _STEP):
            n = min(_STEP, n_rows - start)
            values = np.exp(draw.normal(size=(n, len(NUMBERS))) * 2 + 3)
            names = [own[draw.integers(len(own), size=n)] for own in (applications, inputs, machines)]
            texts = [np.char.mod("%.9g", column) for column in values.T]
            file.write("\n".join(map(",".join, zip(*names, *texts, strict=True))).encode() + b"\n")


def run(work: str) -> Run:
    """Run Python in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _RSS.format(work=work)], capture_output=True, text=True, check=True)
    return Run(*json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def fresh(folder: Path) -> Iterator[Path]:
    """Give the path of a database that is not there yet, and remove it afterwards."""
    path = folder / "bench.duckdb"
    try:
        yield path
    finally:
        for left in folder.glob("bench.duckdb*"):
            left.unlink()


def sums_are_equal(path: Path, db: Path) -> bool:
    """Whether the database has the sums that DuckDB finds in the file."""
    (expected,) = duckdb.sql(f"SELECT count(*), {_SUMS} FROM read_csv('{path}')").fetchall()
    with duckdb.connect(str(db), read_only=True) as database:
        (n,) = database.execute("SELECT count(*) FROM trial").fetchall()[0]
        rows = database.execute(
            "SELECT m.name, sum(v.value) FROM measurement v JOIN metric m ON m.id = v.metric GROUP BY ALL"
        ).fetchall()
    found = dict(rows)
    return n == expected[0] and np.allclose([found[name] for name in NUMBERS], expected[1:], rtol=1e-9)


def best(times: int, work: Callable[[], Run]) -> Run:
    """Return the fastest of some runs."""
    return min((work() for _ in range(times)), key=lambda found: found.seconds)


def main(n_rows: int, times: int) -> None:
    folder = Path(os.environ.get("RIDGELINE_BENCH", tempfile.gettempdir())) / "ridgeline-bench"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"large-{n_rows}.csv"
    if not path.exists():
        make(path, n_rows)
    run(
        f"with open({str(path)!r}, 'rb') as file:\n    while file.read(1 << 20): pass"
    )  # in the page cache for everybody
    name, size = str(path), path.stat().st_size

    def into(work: str) -> Run:
        with fresh(folder) as db:
            return run(work.format(db=str(db), path=name))

    def imported() -> Run:
        with fresh(folder) as db:
            found = run(IMPORT.format(db=str(db), path=name))
            assert sums_are_equal(path, db), "the sums differ"
            return found

    count = best(times, lambda: run(_COUNT.format(sql=f"SELECT count(*), {_SUMS} FROM read_csv('{name}')")))
    create = best(times, lambda: into(CREATE))
    parsed = best(times, lambda: run(_PARSE.format(path=name, folder=str(folder))))
    whole = best(times, imported)
    few = folder / "few.csv"
    few.write_text("application,time_s\na,1\nb,2\n")
    with fresh(folder) as db:
        start = run(IMPORT.format(db=str(db), path=str(few)))
    print(f"{n_rows:,} rows x 12 columns, {size / 2**20:,.0f} MiB; the fastest of {times}; sums are equal")
    print(f"{'':34}{'seconds':>9}{'MiB/s':>8}{'cpu s':>8}{'/ count':>9}{'/ create':>9}{'peak RSS MiB':>14}")
    for title, found in (
        ("DuckDB read_csv: count and sums", count),
        ("DuckDB read_csv: create table", create),
        ("ridgeline: read alone", parsed),
        ("ridgeline import: read and store", whole),
    ):
        ratios = f"{found.seconds / count.seconds:>9.2f}{found.seconds / create.seconds:>9.2f}"
        rate = size / 2**20 / found.seconds
        print(f"{title:34}{found.seconds:>9.2f}{rate:>8.0f}{found.cpu:>8.2f}{ratios}{found.rss:>14.0f}")
    beyond, cpu = whole.seconds - start.seconds, whole.cpu - start.cpu
    work = f"import of {n_rows:,} rows × 12 without start-up"
    record(Line(f"{work}, by the clock", beyond, "s by the clock", "DuckDB's CREATE TABLE AS", create.seconds))
    share(work, cpu, create.cpu, "DuckDB's CREATE TABLE AS")
    taken(f"{work}: memory", whole.rss * 1.048576, unit="MB")


if __name__ == "__main__":
    started = time.perf_counter()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
    print(f"{time.perf_counter() - started:.0f} s in all")
