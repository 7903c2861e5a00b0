"""HALWPE's thirteen models on 364 trials of 577 counters, ten folds: same supports first, then the time of both ways.

The plain way is one solve per candidate (`numpy.linalg.lstsq`, `scipy.optimize.nnls`) and scikit-learn's `LassoCV`.
It is run on one fold, times ten; a selection's on some steps of the way, each with all its candidates, and in between
its time per step is interpolated. Run by hand: make bench, or python tests/bench/bench_halwpe.py [STEPS]
"""

import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import nnls
from sklearn import linear_model

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.models import FAMILIES
from core.models.lasso import inner_folds
from core.models.parts.linear import LinearModel
from core.threads import HELD
from tests.bench.record import faster

assert HELD
N, P, FOLDS = 364, 577, 10


def counters(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Counters of 30 hidden properties, log-normal, over eight decades; a response of 40 of them, 5 % noise."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((N, 30)) @ rng.standard_normal((30, P))
    X = np.exp(0.42 * hidden + 0.4 * rng.standard_normal((N, P))) * 10 ** rng.uniform(0, 8, P)
    share = np.zeros(P)
    chosen = rng.choice(P, 40, replace=False)
    share[chosen] = rng.exponential(size=40) / X[:, chosen].mean(axis=0)
    return X, (X @ share + 1) * np.exp(0.05 * rng.standard_normal(N))


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def ols_error(X: np.ndarray, y: np.ndarray, columns: list[int]) -> float:
    A = np.column_stack([np.ones(len(y)), X[:, columns]])
    solution, left, _, _ = np.linalg.lstsq(A, y, rcond=None)
    return float(left[0]) if len(left) else float(((y - A @ solution) ** 2).sum())


def nnls_error(X: np.ndarray, y: np.ndarray, columns: list[int]) -> float:
    return float(nnls(np.column_stack([np.ones(len(y)), X[:, columns]]), y, maxiter=100_000)[1]) ** 2


def one_solve_per_candidate(
    model: LinearModel, X: np.ndarray, y: np.ndarray, *, positive: bool, forward: bool, n: int
) -> float:
    """Follow a selection's path, solving for every candidate of n of its steps; return the seconds of all steps."""
    error = nnls_error if positive else ols_error
    columns = X / X.max(axis=0)
    inside = list(model.steps[0].added)
    # The step after the last is paid for too; where a cap on the terms ended the way it is not.
    last = len(model.steps) - (1 if forward and len(inside) + len(model.steps) - 1 >= len(y) // 3 else 0)
    at = np.unique(np.linspace(1, last, n).astype(int))
    spent = []
    for i in range(1, last + 1):
        if i in at:
            tries = (
                [[*inside, j] for j in range(X.shape[1]) if j not in inside]
                if forward
                else [[k for k in inside if k != j] for j in inside]
            )
            started = time.process_time()
            errors = [error(columns, y, t) for t in tries]
            spent.append(time.process_time() - started)
            if i < len(model.steps):
                step, best = model.steps[i], tries[int(np.argmin(errors))]
                picked = set(best) ^ set(inside)
                assert picked <= {*step.added, *step.removed}, f"not the same pick at step {i}"
        if i < len(model.steps):
            inside = [j for j in inside if j not in model.steps[i].removed] + list(model.steps[i].added)
    return float(np.interp(np.arange(1, last + 1), at, spent).sum())


def plain_lasso(model: LinearModel, X: np.ndarray, y: np.ndarray, *, positive: bool) -> float:
    """scikit-learn's choice of the penalty, on the same folds; then the same support at the same penalty."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    folds = inner_folds(X, 10)
    split = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(10)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spent = cpu(lambda: linear_model.LassoCV(alphas=100, cv=split, positive=positive).fit(Z, y))
        exact = linear_model.Lasso(model.penalty, positive=positive, tol=1e-9, max_iter=1_000_000)
        if positive and model.intercept == 0:
            exact = exact.set_params(fit_intercept=False).fit(X / X.std(axis=0), y)
        else:
            exact = exact.fit(Z, y)
    assert set(np.flatnonzero(np.abs(exact.coef_) > 1e-7 * np.abs(exact.coef_).max())) == set(model.columns.tolist())
    return spent


def plain(name: str, model: LinearModel, X: np.ndarray, y: np.ndarray, steps: int) -> float:
    """Return the seconds of the plain way on one fold, after checking that it finds the same."""
    if name == "ols":
        Z, unit = (X - X.mean(axis=0)) / X.std(axis=0), y.mean()
        np.testing.assert_allclose(Z @ np.linalg.lstsq(Z, y - unit, rcond=None)[0] + unit, model.predict(X), rtol=1e-6)
        return cpu(lambda: np.linalg.lstsq(Z, y - unit, rcond=None))
    if name == "nnls":
        A = np.column_stack([np.ones(len(y)), X / X.max(axis=0)])
        found = nnls(A, y, maxiter=100_000)[0]
        assert set(np.flatnonzero(found[1:])) == set(model.columns.tolist())
        return cpu(lambda: nnls(A, y, maxiter=100_000))
    if "lasso" in name:
        return plain_lasso(model, X, y, positive=name == "nn_lasso")
    return one_solve_per_candidate(model, X, y, positive=name[0] == "n", forward="forward" in name, n=steps)


def main(steps: int = 5) -> None:
    X, y = counters()
    fold = np.random.default_rng(1).permutation(N) % FOLDS
    train = fold != 0
    names = [n for n in FAMILIES if n.startswith(("ols", "nnls"))] + ["lasso", "nn_lasso"]
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    print(f"{'CPU seconds, ten folds':<22} {'terms':>6} {'error':>8} {'Ridgeline':>10} {'plain way':>11} {'factor':>8}")
    for name in names:
        family = FAMILIES[name]()
        family.fit(X[train], y[train])
        models: list[LinearModel] = []
        ours[name] = cpu(lambda f=family, m=models: m.extend(f.fit(X[fold != k], y[fold != k]) for k in range(FOLDS)))
        theirs[name] = FOLDS * plain(name, models[0], X[train], y[train], steps)
        wrong = [np.abs(m.predict(X[fold == k]) / y[fold == k] - 1) for k, m in enumerate(models)]
        error = 100 * float(np.concatenate(wrong).mean())
        row(family.label, ours[name], theirs[name], len(models[0].columns), error)
    stepwise = [n for n in names if "ward" in n]
    plainly = "lstsq, nnls and LassoCV, one fold times ten"
    faster(
        "HALWPE's stepwise eight, ten folds of 364 × 577",
        sum(ours[n] for n in stepwise),
        sum(theirs[n] for n in stepwise),
        plainly,
    )
    faster("HALWPE's thirteen without the forest, ten folds", sum(ours.values()), sum(theirs.values()), plainly)
    forest = FOLDS * cpu(lambda: FAMILIES["forest"]().fit(X[train], y[train]))
    row("the forest (one fold × 10)", forest, forest)
    row("all thirteen", sum(ours.values()) + forest, sum(theirs.values()) + forest)


def row(what: str, ours: float, theirs: float, terms: int | None = None, error: float | None = None) -> None:
    counts = f"{'' if terms is None else terms:>6} {'' if error is None else f'{error:.1f} %':>8}"
    print(
        f"{what:<26}"[:26]
        + f"{counts[4:] if len(what) > 22 else counts} {ours:10.3f} {theirs:11.1f} {theirs / ours:7.0f} ×",
        flush=True,
    )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
