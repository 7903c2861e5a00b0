"""Refitting while a slider moves, against one least-squares solve per candidate: same picks first, then the ratio.

Run by hand: make bench
"""

import os
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from core.models.parts.pool import build_pool
from core.models.stepwise import Stepwise
from core.recipes import make_recipe
from core.trial import Frame, Metric, make_frame
from tests.bench.record import faster, share

LSTSQ = "numpy.linalg.lstsq for every candidate"


def cpu(work: Callable[[], object], times: int) -> float:
    """Median CPU seconds of some runs, after one that warms up."""
    work()
    spent = []
    for _ in range(times):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return float(np.median(spent))


def one_solve_per_candidate(values: np.ndarray, y: np.ndarray, terms: int, intercept: bool) -> list[int]:
    """The papers' way: every candidate of every step through numpy.linalg.lstsq."""
    n = len(y)
    chosen: list[int] = []
    base = [np.ones(n)] if intercept else []
    for _ in range(terms):
        best = (np.inf, -1)
        for j in range(len(values)):
            if j in chosen:
                continue
            A = np.column_stack([*base, *(values[i] for i in chosen), values[j]])
            solution, left, _, _ = np.linalg.lstsq(A, y, rcond=None)
            error = float(left[0]) if len(left) else float(((y - A @ solution) ** 2).sum())
            best = min(best, (error, j))
        chosen.append(best[1])
    return chosen


def trials(n: int, p: int, seed: int = 0) -> Frame:
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, p))
    y = np.exp(0.5 * Z[:, 0] + 0.3 * Z[:, 1] ** 2 + 0.2 * Z[:, 2] * Z[:, 3] + 0.1 * rng.standard_normal(n))
    return make_frame(np.exp(Z), y, [Metric(f"m{i}") for i in range(p)], Metric("time", unit="s"))


def the_page() -> None:
    """2,000 trials × 9 components, Table I's 99 candidates, 10 terms, through what the page calls."""
    from pages._ui import database

    frame = trials(2000, 9)
    recipes = [
        make_recipe("eiger", {"components": "9", "pool": "table1", "max_terms": "10", "threshold": repr(float(t))})
        for t in np.linspace(1e-9, 1e-8, 64)
    ]
    moving = iter(recipes)
    fitted = database.fitted(frame, next(moving))
    model = fitted.clusters[0].model
    scores = fitted.scores(frame.select(fitted.names).X)
    _, values = build_pool(scores, ("table1",))
    z = fitted.scale.forward(frame.y)
    slow = one_solve_per_candidate(values, z, 10, intercept=True)
    assert [s.candidate for s in model.steps] == slow, "not the same picks"
    ours = cpu(lambda: database.fitted(frame, next(moving)), 30)
    whole = cpu(lambda: recipes[0].fit(frame), 30)
    theirs = cpu(lambda: one_solve_per_candidate(values, z, 10, intercept=True), 3)
    faster("a threshold moved on the page (2,000 × 99, 10 terms)", ours, theirs, LSTSQ, 500)
    faster("the same anew, components included", whole, theirs, LSTSQ)


def families() -> None:
    """The selection alone, at other sizes."""
    rng = np.random.default_rng(0)
    for name, n, p, pool, terms, semantics in (
        ("family alone (2,000 × 99, 10 terms)", 2000, 9, ("table1",), 10, "ridgeline"),
        ("selection alone (364 × 577, 40 terms)", 364, 577, ("linear",), 40, "ridgeline"),
        ("products not written (2,000 × 1,070, 5 terms)", 2000, 40, ("signed",), 5, "ridgeline"),
        ("original semantics (100 × 1,404, 4 terms)", 100, 46, ("eiger1",), 4, "eiger-1"),
    ):
        X = rng.lognormal(size=(n, p)) if semantics == "eiger-1" else rng.standard_normal((n, p))
        y = X[:, :5].sum(axis=1) + rng.standard_normal(n)
        family = Stepwise(pool=pool, threshold=0.0, max_terms=terms, semantics=semantics)
        _, values = build_pool(X, pool)
        slow = one_solve_per_candidate(values, y, terms, semantics != "eiger-1")
        picks = [s.candidate for s in family.fit(X, y).steps]
        assert picks == slow[: len(picks)], "not the same picks"
        ours = cpu(lambda f=family, X=X, y=y: f.fit(X, y), 10)
        theirs = cpu(lambda v=values, y=y, t=terms, s=semantics: one_solve_per_candidate(v, y, t, s != "eiger-1"), 1)
        faster(name, ours, theirs, LSTSQ)


def many_candidates(n: int = 10_000, p: int = 2_000, terms: int = 20) -> None:
    """A selection from 2,000 columns; lstsq is timed on one step of twenty, the middle one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    y = X[:, :30] @ np.linspace(2, 0.1, 30) + rng.standard_normal(n)
    family = Stepwise(pool=("linear",), threshold=0.0, max_terms=terms)
    model = family.fit(X, y)
    Z = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
    bare = cpu(lambda: bare_selection(Z, y - y.mean(), terms), 3)
    assert [s.candidate for s in model.steps] == bare_selection(Z, y - y.mean(), terms), "not the same picks"
    ours = cpu(lambda: family.fit(X, y), 3)
    A = np.column_stack([np.ones(n), X[:, : terms // 2], X[:, -1]])
    theirs = terms * p * cpu(lambda: np.linalg.lstsq(A, y, rcond=None), 9)
    what = f"selection of {terms} from {n:,} × {p:,}"
    faster(what, ours, theirs, f"{LSTSQ}, the middle step times all", 300)
    share(what + " over the passes it must make", ours, bare, "one product with all candidates a step", 1.3)


def bare_selection(Z: np.ndarray, r: np.ndarray, terms: int) -> list[int]:
    """Forward selection with one pass over standardised candidates a step, and nothing else."""
    left, gone, chosen, Q = (Z**2).sum(axis=0), Z.T @ r, [], np.empty((len(r), 0))
    for _ in range(terms):
        gains = np.where(left > 1e-10 * len(r), gone**2 / np.maximum(left, 1e-300), -1.0)
        best = int(gains.argmax())
        q = Z[:, best] - Q @ (Q.T @ Z[:, best])
        q /= np.linalg.norm(q)
        along = Z.T @ q
        left, gone = left - along**2, gone - along * float(q @ r)
        r, Q, left[best] = r - q * float(q @ r), np.column_stack([Q, q]), 0.0
        chosen.append(best)
    return chosen


def main() -> None:
    the_page()
    families()
    many_candidates()


if __name__ == "__main__":
    main()
