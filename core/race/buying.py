"""How many runs on a machine are worth buying: the error against their number, with other machines' and without."""

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.grouped import all_but
from core.progress import Progress, silent
from core.race.workloads import Workloads, learn

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
HELD_OUT = 0.25
"""Share of the applications that are predicted in each draw."""
_PENALTY = 0.05


class Buying(Frozen):
    """What runs on a machine are worth.

    Attributes
    ----------
    sizes : runs on the machine
    transfer, alone : arrays of shape (n_draws, n_sizes), mean |ln(predicted / measured)| of applications that no run
        was bought of: from what these took on other machines, and from what is known of workloads everywhere
    """

    machine: str
    sizes: tuple[int, ...]
    transfer: FloatArray
    alone: FloatArray

    @property
    def enough(self) -> int:
        """The fewest runs after which no larger number takes more off the error than that differs between draws."""
        off = (self.transfer[:, [k]] - self.transfer[:, k + 1 :] for k in range(len(self.sizes)))
        settled = ((one.mean(axis=0) <= one.std(axis=0, ddof=1) / len(one) ** 0.5).all() for one in off)
        return next(n for n, stays in zip(self.sizes, settled, strict=True) if stays)


def buying(found: Workloads, machine: str, draws: int = 5, seed: int = 0, progress: Progress = silent) -> Buying:
    """Return the error on a machine against the number of runs that were bought on it.

    In each draw a quarter of the applications is predicted, and runs are drawn from the others.

    Raises
    ------
    FitError
        If fewer than four applications ran on the machine and on another.
    """
    target = found.machines.index(machine)
    both = np.isfinite(found.Z[:, target]) & (np.isfinite(found.Z).sum(axis=1) > 1)
    names = sorted({found.applications[i] for i in np.flatnonzero(both)})
    if len(names) < 4:
        raise FitError(f"{len(names)} applications ran on {machine} and on another machine; a curve takes 4.")
    transfer, alone = [], []
    for d in range(draws):
        progress(d / draws, f"draw {d + 1} of {draws}")
        rng = np.random.default_rng([seed, d])
        held = rng.permutation(len(names))[: max(1, int(HELD_OUT * len(names)))]
        test = np.array([both[i] and found.applications[i] in {names[k] for k in held} for i in range(len(both))])
        order = rng.permutation(np.flatnonzero(both & ~test))
        asked = [n for n in SIZES if n <= len(order)]
        transfer.append([_transferred(found, target, np.flatnonzero(test), order[:n]) for n in asked])
        alone.append([_alone(found, target, np.flatnonzero(test), order[:n]) for n in asked])
    n = min(map(len, transfer))
    return Buying(machine, SIZES[:n], np.array([t[:n] for t in transfer]), np.array([t[:n] for t in alone]))


def _transferred(found: Workloads, target: int, test: IntArray, bought: IntArray) -> float:
    """Return the error of workloads from other machines' runs, some bought runs, and nothing else of the target."""
    Z = found.Z.copy()
    Z[all_but(len(Z), bought), target] = np.nan
    train = np.setdiff1d(np.flatnonzero(np.isfinite(Z).any(axis=1)), test)
    means, _ = learn(Z[train], found.noise[train], found.X[train]).told(Z[test], found.noise[test], found.X[test])
    return float(np.abs(means[:, target] - found.Z[test, target]).mean())


def _alone(found: Workloads, target: int, test: IntArray, bought: IntArray) -> float:
    """Return the error of ridge regression of the bought runs on what is known of workloads."""
    X, z = found.X[bought], found.Z[bought, target]
    middle, level = X[:, 1:].mean(axis=0), float(z.mean())
    A = X[:, 1:] - middle
    slopes = np.linalg.solve(A.T @ A + _PENALTY * len(z) * np.eye(A.shape[1]), A.T @ (z - level))
    return float(np.abs(level + (found.X[test, 1:] - middle) @ slopes - found.Z[test, target]).mean())
