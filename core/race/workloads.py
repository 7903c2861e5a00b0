"""Trials as a table of workloads by machines, with what is known of a workload wherever it runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.trial import Frame, Kind

MOST_FEATURES = 8
NOISE = 0.02
"""Relative deviation of a measurement where nothing was repeated."""
_LEAST_NOISE = 1e-3
_DECADE = 10.0


@dataclass(frozen=True)
class Workloads:
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
    names = tuple(" · ".join(text for text in key[:2] if text) for key in sorted(known))
    return Workloads(
        names, tuple(key[0] for key in sorted(known)), machines, Z, noise, _features(frame.X[first][:, own])
    )


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
