"""Scoring a whole design space: tables of two halves against a design matrix and against scikit-learn; 100 million in 1 GB.

Run by hand: python tests/bench/bench_sweep.py
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from core.models.parts.spline import product_columns
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.sums import sum_of
from core.space.sweep import best_design, over, sweep
from core.space.table import read_space
from core.workspace import ROOT
from tests.bench.record import faster, taken
from tests.space.made import pipeline, score_all, spline_model

TERMS = [(i,) for i in range(10)] + [(5, 0), (3, 0), (7, 0), (8, 0), (5, 3), (1, 4), (2, 8), (6, 7), (9, 5), (1, 0)]


def cpu(work: Callable[[], object], times: int) -> float:
    """Median CPU seconds of some runs, after one that warms up."""
    work()
    spent = []
    for _ in range(times):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return float(np.median(spent))


def table_2() -> DesignSpace:
    return read_space((Path(ROOT) / "data" / "spaces" / "stargazer_table2.toml").read_text())


def memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def the_papers_space() -> None:
    """933,120 designs, 20 terms: ten parameters and ten pairs."""
    space = table_2()
    model = pipeline(space, spline_model(space, TERMS))
    own = model.clusters[0].model
    codes = space.codes(np.arange(space.n_combinations))
    X = space.numbers(codes)

    def design_matrix() -> np.ndarray:
        blocks = {a: axis.basis(X) for a, axis in enumerate(own.axes)}
        A = np.hstack([np.ones((len(X), 1)), *(product_columns([blocks[a] for a in t.axes]) for t in own.chosen)])
        return A @ np.concatenate([[own.intercept], *(t.coefficients for t in own.chosen)])

    def from_codes() -> np.ndarray:
        found = np.full(len(codes), sums.constant)
        for table in sums.tables:
            found += table.values[tuple(codes[:, i] for i in table.parameters)]
        return found

    sums = sum_of(model, space)
    fast = score_all(sums, space)
    difference = np.abs(fast - design_matrix()).max() / np.abs(fast).max()
    print(
        f"{space.n_points:,} designs, {len(TERMS)} terms; largest relative difference to the design matrix {difference:.1e}"
    )
    print("with tables made anew each time, as when a slider moves:")
    basis = cpu(lambda: score_all(sum_of(model, space), space), 15)
    sklearn = scikit_learn(space, X, fast)
    rows = {
        "numpy: design matrix times coefficients": cpu(design_matrix, 3),
        "FittedPipeline.predict_scaled": cpu(lambda: model.predict_scaled(X), 3),
        "scikit-learn pipeline (see below)": sklearn,
        "gather from a table per term": cpu(from_codes, 5),
        "two halves: every value, in the order of ranks": basis,
        "sweep: values, histogram, 20 best, domain": cpu(lambda: sweep(*over(space, [model])), 9),
        "front of two such models": cpu(
            lambda: sweep(*over(space, [model, pipeline(space, spline_model(space, TERMS, 1))], ["low", "low"])), 5
        ),
        "best design by elimination": cpu(lambda: best_design(model, space), 15),
    }
    for name, spent in rows.items():
        faster(f"{space.n_points:,} designs of {len(TERMS)} terms", basis, spent, name)
    print(
        "  scikit-learn: SplineTransformer(4 knots, degree 3) of each parameter's logarithm, PolynomialFeatures of degree 2"
    )
    print(
        "  (interactions only, of all pairs of columns), LinearRegression, fitted to 2,000 designs; it predicts all designs"
    )
    print("  in blocks of 65,536, with more terms than ours and other values.")


def scikit_learn(space: DesignSpace, X: np.ndarray, y: np.ndarray) -> float:
    rows = np.random.default_rng(0).permutation(len(X))[:2000]
    steps = (SplineTransformer(n_knots=4, degree=3), PolynomialFeatures(2, interaction_only=True), LinearRegression())
    fitted = make_pipeline(*steps).fit(np.log2(X[rows]), y[rows])

    def predict() -> None:
        for start in range(0, len(X), 65536):
            fitted.predict(np.log2(X[start : start + 65536]))

    started = time.process_time()
    predict()
    return time.process_time() - started


def a_hundred_million() -> None:
    """Ten parameters with more levels than Table 2: 119,439,360 designs in blocks, with a constraint and without."""
    before = memory_mib()
    levels = (8, 8, 8, 6, 6, 6, 6, 6, 6, 5)
    parameters = [Parameter(f"p{i}", tuple(float(k + 1) for k in range(n))) for i, n in enumerate(levels)]
    for constraints in ((), ("p0 * p9 <= 24",)):
        space = make_space(parameters, constraints)
        model = pipeline(space, spline_model(space, TERMS, log=False))
        started, cpu_started = time.perf_counter(), time.process_time()
        found = sweep(*over(space, [model]))
        spent, wall = time.process_time() - cpu_started, time.perf_counter() - started
        what = f"{found.n_points:,} designs swept{' under a constraint' if constraints else ''}"
        taken(what, spent, limit=f"{wall:.2f} s by the clock")
        taken(f"{what}: memory", memory_mib() * 1.048576, 1000, "MB", f"{before * 1.048576:.0f} MB before")
        started = time.process_time()
        best = best_design(model, space)
        print(
            f"  best by elimination in {1e3 * (time.process_time() - started):.1f} ms, {best.value - found.best[0].value:.1e} off"
        )


if __name__ == "__main__":
    a_hundred_million()
    the_papers_space()
