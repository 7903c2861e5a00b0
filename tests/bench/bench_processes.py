"""Gaussian processes against scikit-learn's: the same model first, then the ratio; and what more trials cost.

Run by hand: make bench
"""

import os
import time
import warnings
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from core.models.anova import Anova
from core.models.base import Family
from core.models.kernels import GaussianProcess
from tests.bench.record import faster, taken

ALL = 10_000


def trials(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    return X, np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def cpu(work: Callable[[], object]) -> tuple[float, object]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def theirs(X: np.ndarray, y: np.ndarray) -> GaussianProcessRegressor:
    kernel = ConstantKernel(1.0, (1e-4, 1e4)) * Matern(np.ones(X.shape[1]), (0.02, 100.0), nu=2.5)
    process = GaussianProcessRegressor(kernel + WhiteKernel(1e-2, (1e-10, 10.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return process.fit((X - X.min(axis=0)) / np.ptp(X, axis=0), (y - y.mean()) / y.std())


def against_scikit_learn() -> None:
    unseen = trials(200, 20, 1)[0]
    for n in (300, 968):
        X, y = trials(n, 20)
        spent, ours = cpu(lambda X=X, y=y: GaussianProcess(search_trials=ALL, evaluations=ALL).fit(X, y))
        needed, process = cpu(lambda X=X, y=y: theirs(X, y))
        said = process.predict((unseen - X.min(axis=0)) / np.ptp(X, axis=0)) * y.std() + y.mean()
        assert np.abs(ours.predict(unseen) - said).max() < 1e-4, "not the same process"
        faster(f"Gaussian process, whole search ({n} × 20)", spent, needed, "scikit-learn's, to the same predictions")


def growth(label: str, make: Callable[[], Family]) -> None:
    for n in (500, 2_000, 10_000, 50_000):
        X, y = trials(n, 6)
        unseen, truth = trials(500, 6, 1)
        spent, model = cpu(lambda X=X, y=y: make().fit(X, y))
        off = float(np.sqrt(np.mean((model.predict(unseen) - truth) ** 2)))
        taken(f"{label} of {n:,} × 6", spent, limit=f"unseen measurements within {off:.4f}, whose noise is 0.1")


def main() -> None:
    against_scikit_learn()
    growth("Gaussian process", GaussianProcess)
    growth("anova", Anova)


if __name__ == "__main__":
    main()
