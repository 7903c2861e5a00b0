"""2,000 fits of a sweep: one after another, in two processes, on a Dask cluster of two workers, and with one killed.

Run by hand: python tests/bench/bench_execution.py [FITS]
"""

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from core.experiment.execution import execute
from core.models import FAMILIES
from core.progress import silent

Shared = tuple[np.ndarray, np.ndarray, str]


def fit(shared: Shared, task: int) -> float:
    X, y, marker = shared
    if marker and task == 500 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    rows = np.random.default_rng(task).permutation(len(y))[: len(y) * 4 // 5]
    model = FAMILIES["stepwise"]().fit(X[rows], y[rows])
    return float(np.abs(model.predict(X) - y).mean())


def main() -> None:
    from tests.bench import bench_execution  # by this name other processes can import it

    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    rng = np.random.default_rng(0)
    X = rng.standard_normal((800, 12))
    y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.standard_normal(800)
    folder = Path(tempfile.mkdtemp())
    first: dict[int, float] = {}
    for title, where, kill in (
        ("one after another", {}, False),
        ("two processes (joblib)", {"workers": 2}, False),
        ("Dask, two workers", {"cluster": "local:2"}, False),
        ("two processes, one killed", {"workers": 2}, True),
        ("Dask, two workers, one killed", {"cluster": "local:2"}, True),
    ):
        shared = (X, y, str(folder / title) if kill else "")
        found: dict[int, float] = {}
        started = time.perf_counter()
        execute(bench_execution.fit, range(n), shared, on_result=found.__setitem__, progress=silent, **where)
        first = first or found
        print(f"{title}: {time.perf_counter() - started:.1f} s, same results: {found == first}", flush=True)


if __name__ == "__main__":
    main()
