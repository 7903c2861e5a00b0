"""A Parquet folder of 20 million trials: added, explored, fitted; seconds, and the most memory that each step takes.

Time = (2 µs · instructions + bytes · hits / 3e8) / clock + 50 µs · misses / bandwidth, 5 % noise. Run by hand:
python tests/bench/bench_parquet.py [TRIALS] [FOLDER]
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.bench.record import taken

ROOT = Path(__file__).resolve().parents[2]
PIECE = 500_000
NAMES = ("instructions", "bytes", "hits", "misses", "branches", "stalls", "pages", "faults")


def piece(seed: int, n: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    X = 10 ** rng.uniform(0, 3, (n, 8))
    app, gpu = rng.integers(0, 12, n).astype(np.int32), rng.integers(0, 4, n).astype(np.int32)
    clock, bandwidth = np.array([1.2, 1.5, 1.8, 2.4])[gpu], np.array([200.0, 400.0, 900.0, 1600.0])[gpu]
    seconds = (2e-6 * X[:, 0] + 3e-9 * X[:, 1] * X[:, 2]) / clock + 5e-5 * X[:, 3] / bandwidth
    return pa.table(
        {
            "application": pa.DictionaryArray.from_arrays(app, [f"app{i:02d}" for i in range(12)]),
            "machine": pa.DictionaryArray.from_arrays(gpu, [f"gpu{i}" for i in range(4)]),
            **{name: X[:, j] for j, name in enumerate(NAMES)},
            "clock": clock,
            "bandwidth": bandwidth,
            "time": seconds * np.exp(0.05 * rng.standard_normal(n)),
        }
    )


def make(folder: Path, n: int) -> None:
    folder.mkdir(parents=True)
    for i, start in enumerate(range(0, n, PIECE)):
        pq.write_table(piece(i, min(PIECE, n - start)), folder / f"part-{i:04d}.parquet")


EXPLORE = """
import sys
from pathlib import Path
from core.report.trials.components import clusters
from core.report.trials.components import ComponentOptions, components
from core.report.trials.metrics import correlation
from core.report.trials.metrics import metric_table, whole_correlation, whole_distribution
from core.store import Store
with Store.open(Path(sys.argv[1])) as store:
    frame, summary = store.frame("huge", "time"), store.folders.summary("huge")
found = components(frame, ComponentOptions())
correlation(frame), clusters(found.scores, 3)
metric_table(summary), whole_distribution(summary, "time"), whole_correlation(summary, "time")
print(f"explored {len(frame):,} of {summary.n_trials:,} trials: {len(found)} components; "
      f"median time {summary.metrics[-1].quantiles[2]:.4g} s over all, {float(__import__('numpy').median(frame.y)):.4g} s in the sample")
"""


def step(title: str, *words: str) -> None:
    """Run one program, and record its seconds of processor and its highest memory."""
    program = subprocess.Popen([sys.executable, *words], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    _, code, used = os.wait4(program.pid, 0)
    if code:
        raise SystemExit(f"{title} failed")
    taken(f"Parquet folder, {title}", used.ru_utime + used.ru_stime)
    taken(f"Parquet folder, {title}: memory", used.ru_maxrss * 1.024e-3, unit="MB")


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000
    home = Path(tempfile.mkdtemp(prefix="bench_parquet_"))
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else home / "huge"
    if not folder.exists():
        make(folder, n)
    print(f"{n:,} trials in {sum(f.stat().st_size for f in folder.iterdir()) / 1e9:.2f} GB")
    verb = ("-m", "core.cli", "--db", str(home / "x.duckdb"))
    try:
        step("add", *verb, "import", str(folder), "--dataset", "huge", "--parquet")
        step("explore", "-c", EXPLORE, str(home / "x.duckdb"))
        fit = ("--dataset", "huge", "--response", "time", "--folds", "by:machine")
        step("fit ols", *verb, "fit", "ols", *fit)
        step("fit stepwise", *verb, "fit", "stepwise", *fit)
        step("fit ols, a million", *verb, "fit", "ols", *fit, "--sample", "1000000")
        step(
            "fit ols, one machine",
            *verb,
            "fit",
            "ols",
            "--dataset",
            "huge",
            "--response",
            "time",
            "--where",
            "machine=gpu1",
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
