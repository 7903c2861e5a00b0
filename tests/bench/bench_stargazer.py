"""The learning-curve study of 550 fits, against one least-squares solve per candidate: same terms first, then the ratio.

Run by hand: python -m tests.bench.bench_stargazer
"""

import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from core.models.splines import Splines, SplinesModel
from tests.bench.record import faster

LEVELS = (
    (1, 2, 4, 8, 16),
    (1, 2, 4, 8, 16, 32),
    (1, 2, 4, 8, 16, 32),
    (1, 2, 4, 8),
    (1, 2, 4, 8),
    (8, 16, 32),
    (1, 2, 3),
    (16, 32, 64),
    (1, 2, 4, 8),
    (2, 4, 6),
)
"""Table 2 of Jia, Shaw, Martonosi 2012."""


def application(seed: int, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Points of Table 2's space and a run time as of a simulator: all parameters, four interactions, 0.2 % noise."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.choice(levels, n) for levels in LEVELS]).astype(np.float64)
    scaled = np.log2(X) / np.log2(X).max(axis=0)
    main, order = rng.dirichlet(np.full(10, 0.5)), rng.permutation(10)
    y = 1 + 10 * (np.exp(-2 * scaled) @ main)
    for a, b in ((0, 1), (0, 2), (1, 2), (0, 3)):
        y = y + 3 * rng.random() * np.exp(-2 * scaled[:, order[a]] - scaled[:, order[b]])
    return X, y * (1 + 0.002 * rng.standard_normal(n))


Term = tuple[int, ...]


class OneSolvePerCandidate:
    """Algorithm 1 with numpy.linalg.lstsq for every tentative model; the columns of parameters are built once."""

    def __init__(self, model: SplinesModel, X: np.ndarray, y: np.ndarray) -> None:
        self.blocks, self.y = [axis.basis(X) for axis in model.axes], y
        self.total = float(((y - y.mean()) ** 2).sum())
        self.M, self.r2, self.terms = np.ones((len(y), 1)), 0.0, []

    def tentative(self, term: Term) -> tuple[float, float, np.ndarray]:
        """Return adjusted R², R² and the design matrix of the model with one more term."""
        n, block = len(self.y), self.blocks[term[0]]
        if len(term) == 2:
            block = (block[:, :, None] * self.blocks[term[1]][:, None, :]).reshape(n, -1)
        A = np.hstack([self.M, block])
        solution, _, rank, _ = np.linalg.lstsq(A, self.y, rcond=1e-10)
        r2 = 1 - float(((self.y - A @ solution) ** 2).sum()) / self.total
        return (1 - (1 - r2) / (n - rank) * (n - 1) if n > rank else -np.inf), r2, A

    def take_best(self, candidates: list[Term], threshold: float) -> Term | None:
        """Add the best candidate if it gains enough; the first parameter is chosen by R²."""
        tried = [self.tentative(term) for term in candidates]
        best = max(range(len(tried)), key=lambda i: tried[i][0 if self.terms else 1])
        if self.terms and not tried[best][0] - self.r2 > threshold:
            return None
        _, self.r2, self.M = tried[best]
        self.terms.append(candidates[best])
        return candidates[best]

    def run(self, theta: float, phi: float) -> list[Term]:
        """Return the terms in the order in which they are taken."""
        left: list[Term] = [(i,) for i in range(len(self.blocks))]
        while left and (newest := self.take_best(left, theta)) is not None:
            left.remove(newest)
            others = [(newest[0], t[0]) for t in self.terms if len(t) == 1 and t != newest]
            while others and (pair := self.take_best(others, phi)) is not None:
                others.remove(pair)
        return self.terms


def study(theta: float, applications: int = 11, repeats: int = 5) -> None:
    """Eleven applications, ten sizes, five repeats: first all of one way, then all of the other."""
    family = Splines(theta=theta, phi=theta, spacing="original", shrink=False)
    fits = []
    for seed in range(applications):
        X, y = application(seed)
        orders = [np.random.default_rng([seed, repeat]).permutation(len(y)) for repeat in range(repeats)]
        fits += [(X[order[:size]], y[order[:size]]) for order in orders for size in range(30, 301, 30)]
    started = time.process_time()
    models = [family.fit(X, y) for X, y in fits]
    middle = time.process_time()
    slow = [OneSolvePerCandidate(m, X, y).run(theta, theta) for m, (X, y) in zip(models, fits, strict=True)]
    ended = time.process_time()
    picked = [[term.axes for term in model.chosen] for model in models]
    assert picked == slow, f"not the same terms in {sum(a != b for a, b in zip(picked, slow, strict=True))} fits"
    ours, theirs = middle - started, ended - middle
    candidates = np.mean([sum(len(step.tried) for step in model.steps) for model in models])
    told = (
        f"thresholds {theta:g}: the same terms in {len(fits)} fits ({np.mean([len(t) for t in picked]):.1f} terms from "
        f"{candidates:.0f} candidates on average); {1e3 * ours / len(fits):.2f} against "
        f"{1e3 * theirs / len(fits):.2f} ms CPU a fit"
    )
    print(told)
    faster(
        f"Stargazer, {len(fits)} fits with thresholds of {theta:g}",
        ours,
        theirs,
        "numpy.linalg.lstsq for every candidate",
        5,
    )


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    for threshold in (0.0, 0.01):
        study(threshold, *((3, 1) if quick else ()))
