"""Workloads by machines, as a Gaussian vector per workload despite holes; and how many runs on one are worth buying."""

from collections.abc import Iterator, Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.grouped import all_but
from core.progress import Progress, silent
from core.trial import Frame, Kind, point_text

MOST_FEATURES = 8
NOISE = 0.02
"""Relative deviation of a measurement where nothing was repeated."""
_LEAST_NOISE = 1e-3
_DECADE = 10.0


class Workloads(Frozen):
    """What ran where: a row per workload, a column per machine.

    Attributes
    ----------
    names, applications : of the workloads
    machines : their names
    Z : array of shape (n, n_machines), mean ln of the response, NaN where it did not run
    noise : array of shape (n, n_machines), variance of that mean
    X : array of shape (n, n_features), what is known of a workload wherever it runs: 1, then components of its metrics
    """

    names: tuple[str, ...]
    applications: tuple[str, ...]
    machines: tuple[str, ...]
    Z: FloatArray
    noise: FloatArray
    X: FloatArray

    def rows_of(self, applications: Sequence[str]) -> IntArray:
        """Return the workloads of some applications."""
        wanted = set(applications)
        return np.flatnonzero([name in wanted for name in self.applications]).astype(np.int64)


def workloads(frame: Frame) -> Workloads:
    """Return trials as workloads by machines; what ran is told apart by application, input and what was set.

    Raises
    ------
    FitError
        If a response is not positive, or there are not two machines.
    """
    if frame.y.min() <= 0:
        raise FitError(f"Machines are compared by ratios, and {frame.response.name} is not positive everywhere.")
    machines = tuple(sorted(set(frame.labels["machine"])))
    if len(machines) < 2 or not all(machines):
        raise FitError(
            "Machines are compared where trials name at least two; give the column that says where each ran."
        )
    own = [j for j, metric in enumerate(frame.metrics) if metric.kind in (Kind.PARAMETER, Kind.DETERMINISTIC)]
    told = zip(frame.labels["application"], frame.labels["input"], map(tuple, frame.X[:, own].tolist()), strict=True)
    keys = list(told)
    known = {key: i for i, key in enumerate(sorted(set(keys)))}
    row = np.array([known[key] for key in keys], dtype=np.int64)
    column = np.array([machines.index(m) for m in frame.labels["machine"]], dtype=np.int64)
    z, shape = np.log(frame.y), (len(known), len(machines))
    count, total, squares = (np.zeros(shape) for _ in range(3))
    for found, values in ((count, np.ones_like(z)), (total, z), (squares, z**2)):
        np.add.at(found, (row, column), values)
    with np.errstate(divide="ignore", invalid="ignore"):
        Z = np.where(count > 0, total / count, np.nan)
        spare = float(np.maximum(count - 1, 0).sum())
        within = float(np.nansum(squares - count * np.nan_to_num(Z) ** 2)) / spare if spare else NOISE**2
        noise = max(within, _LEAST_NOISE**2) / np.maximum(count, 1)
    first = np.unique(row, return_index=True)[1]
    applications = tuple(key[0] for key in sorted(known))
    return Workloads(_names(frame, first), applications, machines, Z, noise, _features(frame.X[first][:, own]))


def _names(frame: Frame, rows: IntArray) -> tuple[str, ...]:
    """Name the workloads of rows by application and input, and by what was set where these are not all different."""
    roles = (frame.labels["application"], frame.labels["input"])
    plain = tuple(" · ".join(texts[i] for texts in roles if texts[i]) for i in rows.tolist())
    varied = [m.kind is Kind.PARAMETER and np.ptp(x) > 0 for m, x in zip(frame.metrics, frame.X.T, strict=True)]
    if len(set(plain)) == len(plain) or not any(varied):
        return plain
    settings = [{frame.names[j]: frame.X[i, j] for j in np.flatnonzero(varied)} for i in rows.tolist()]
    return tuple(f"{name} ({point_text(own)})" for name, own in zip(plain, settings, strict=True))


def _features(X: FloatArray) -> FloatArray:
    """Return 1 and the first components of what varies, in logarithms where it is positive over a decade."""
    X = X[:, np.ptp(X, axis=0) > 0] if X.shape[1] else X
    low, high = (X.min(axis=0), X.max(axis=0)) if X.shape[1] else (np.empty(0), np.empty(0))
    logs = (low > 0) & (high > _DECADE * np.maximum(low, 1e-300))
    X = np.where(logs, np.log(np.where(logs, X, 1.0)), X)
    one = np.ones((len(X), 1))
    if not X.shape[1]:
        return one
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    U, s, _ = np.linalg.svd(standard, full_matrices=False)
    keep = min(MOST_FEATURES, len(X) // 5, int((s > 1e-9 * s[0]).sum()))
    return np.hstack([one, U[:, :keep] * np.sqrt(len(X))])


Alike = tuple[IntArray, IntArray, FloatArray]
_ROUNDS, _SETTLED = 60, 1e-6
_PENALTY = 0.05
"""Of the slopes, per workload, on standard scores."""
_PRIOR = 2.0
"""Machines' worth of workloads with uncorrelated errors that are believed beforehand."""
_SIZE = 1e4
"""Variance of a workload's size, relative to that of all logarithms: nothing is believed of it beforehand."""


class Across(Frozen):
    """ln y of workload w on machine m is size_w + (X slopes)_wm + error_wm, errors together normal over machines.

    Attributes
    ----------
    slopes : array of shape (n_features, n_machines)
    covariance : array of shape (n_machines, n_machines), of the errors
    size : variance of the sizes
    """

    slopes: FloatArray
    covariance: FloatArray
    size: float

    def told(self, Z: FloatArray, noise: FloatArray, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and covariance of each workload's true logarithms, given those that were measured.

        Parameters
        ----------
        Z, noise : arrays of shape (n, n_machines): measured logarithms, NaN where there are none, and the variances of
            their means
        X : array of shape (n, n_features)

        Returns
        -------
        arrays of shape (n, n_machines) and (n, n_machines, n_machines)
        """
        base = X @ self.slopes
        means: FloatArray = np.empty_like(Z)
        covariances: FloatArray = np.empty((*Z.shape, Z.shape[1]))
        for rows, seen, own in _alike(Z, noise):
            gain, left = _given(self.covariance + self.size, seen, own)
            means[rows] = base[rows] + (Z[rows] - base[rows])[:, seen] @ gain.T
            covariances[rows] = left
        return means, covariances


def _alike(Z: FloatArray, noise: FloatArray) -> Iterator[Alike]:
    """Yield workloads that ran on the same machines: their rows, these machines, and a diagonal of the mean noise."""
    patterns, of = np.unique(np.isfinite(Z), axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows, seen = np.flatnonzero(of.ravel() == k), np.flatnonzero(pattern)
        yield rows, seen, np.diag(noise[rows][:, seen].mean(axis=0))


def _given(C: FloatArray, seen: IntArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return by what a normal vector of covariance C follows what was seen of it with noise, and what is left of C."""
    gain = np.asarray(np.linalg.solve(C[seen[:, None], seen] + noise, C[seen]).T)
    left = C - gain @ C[seen]
    return gain, np.asarray((left + left.T) / 2)


def learn(Z: FloatArray, noise: FloatArray, X: FloatArray) -> Across:
    """Learn slopes and covariance by expectation and maximisation (Dempster, Laird, Rubin 1977).

    Parameters
    ----------
    as in `Across.told`; every machine has a measured workload, and every workload a measured machine
    """
    n, m = Z.shape
    centred = Z - np.nanmean(Z, axis=1, keepdims=True)
    level = np.nan_to_num(np.nanmean(centred, axis=0))
    slopes = np.zeros((X.shape[1], m))
    slopes[0] = level + np.nanmean(Z)  # else the size of all workloads is held near to 1
    apart = float(np.nanmean((centred - level) ** 2)) or 1e-12
    size = _SIZE * (float(np.nanvar(Z)) + apart)
    covariance = apart * np.eye(m)
    penalty = _PENALTY * n * np.eye(X.shape[1])
    penalty[0, 0] = 0.0
    normal, alike = X.T @ X + penalty, list(_alike(Z, noise))
    for _ in range(_ROUNDS):
        errors, spread = _expected(Across(slopes, covariance, size), Z, alike, X)
        slopes = slopes + np.linalg.solve(normal, X.T @ errors - penalty @ slopes)
        prior = _PRIOR * m
        products = errors.T @ errors + spread
        variance = float(np.trace(products)) / (n * m)
        new = (products + prior * variance * np.eye(m)) / (n + prior)
        moved = float(np.abs(new - covariance).max() / max(np.abs(new).max(), 1e-300))
        covariance = new
        if moved < _SETTLED:
            break
    return Across(slopes, covariance, size)


def _expected(of: Across, Z: FloatArray, alike: list[Alike], X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the expected errors, sizes taken out, and the sum of their covariances."""
    C, away = of.covariance + of.size, Z - X @ of.slopes
    errors, spread = np.empty_like(Z), np.zeros_like(of.covariance)
    for rows, seen, own in alike:
        shared = of.covariance[seen]
        gain = np.linalg.solve(C[seen[:, None], seen] + own, shared).T
        errors[rows] = away[rows][:, seen] @ gain.T
        spread += len(rows) * (of.covariance - gain @ shared)
    return errors, spread


SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
HELD_OUT = 0.25
"""Share of the applications that are predicted in each draw."""


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
