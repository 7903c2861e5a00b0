"""Errors of the paper's method from every base configuration, and by the number of clusters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.progress import Progress, silent
from core.scaling.clusters import Clusters
from core.scaling.lesson import learn_features, make_task
from core.scaling.predictors.network import Network
from core.scaling.study import Study, kernel_folds
from core.scaling.surfaces import fill_holes
from core.scaling.validation import mean_of, ratio, validate_scaling
from core.validate.folds import Fold


class BaseMap(Frozen):
    """How well the surfaces are predicted from each base. Errors are relative, in percent.

    Attributes
    ----------
    axes, grid : names of the machine's parameters, and the configurations
    error : array of shape (n_configurations,), mean error over held-out kernels and all other configurations
    mean_surface, best_cluster : the same for the mean surface and the best possible cluster
    by_kernel : array of shape (n_configurations, n_kernels), mean error per held-out kernel
    spread : array of shape (n_configurations,), standard deviation of the error over folds and seeds; NaN for one
    edges, counts : histogram of the errors of all single predictions; the last bin is open
    n_predictions : how many there are
    """

    axes: tuple[str, ...]
    grid: FloatArray
    folds: str
    error: FloatArray
    mean_surface: FloatArray
    best_cluster: FloatArray
    by_kernel: FloatArray
    spread: FloatArray
    edges: FloatArray
    counts: IntArray
    n_predictions: int

    @property
    def best_base(self) -> int:
        """The base with the smallest error."""
        return int(np.nanargmin(self.error))

    @property
    def as_good(self) -> IntArray:
        """The bases that are no worse than the best by more than noise, the best among them, by their error.

        The noise is that over held-out kernels: a base stays while the 95 % interval of its mean difference to the
        best, kernel by kernel, holds 0 (Student's t).
        """
        from scipy.stats import t as student

        apart = self.by_kernel - self.by_kernel[self.best_base]
        n = np.isfinite(apart).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.nansum(apart, axis=1) / n
            error = np.sqrt(np.nansum((apart - mean[:, None]) ** 2, axis=1) / np.maximum(n - 1, 1) / n)
            kept = mean <= student.ppf(CONFIDENT, np.maximum(n - 1, 1)) * error
        kept[self.best_base] = True
        return np.array([j for j in np.argsort(self.error, kind="stable").tolist() if kept[j]], dtype=np.int64)

    def along(self, axis: int) -> dict[float, FloatArray]:
        """Return the bases' errors grouped by one axis: what a box plot per clock shows."""
        return {float(x): self.error[self.grid[:, axis] == x] for x in np.unique(self.grid[:, axis])}


CONFIDENT = 0.975
"""Of the t distribution: the upper end of a 95 % interval."""
EDGES = np.r_[np.arange(0.0, 101.0, 2.5), np.inf]


def base_map(
    study: Study,
    response: str,
    options: Network | None = None,
    folds: str = "kfold:5",
    seed: int = 0,
    *,
    seeds: int = 3,
    inputs: Sequence[str] | None = None,
    progress: Progress = silent,
) -> BaseMap:
    """Train and validate the paper's method for each configuration as the base, over folds and seeds.

    The clusters are learnt once per fold, as they do not depend on the base; the networks of all
    bases are trained as batched arrays.

    Parameters
    ----------
    seeds : how often all of it is done, each time with other random folds, clusters and networks

    References
    ----------
    Greathouse, Loh 2018, section 4.1, figures 8 and 9.
    """
    method = options or Network()
    names = tuple(m.name for m in study.responses) if inputs is None else tuple(inputs)
    runs = [
        (replace(method, seed=method.seed + k), fold)
        for k in range(seeds)
        for fold in kernel_folds(study, folds, seed + k)
    ]
    m, each = study.n_configurations, []
    total = _Sums(study.n_kernels, m)
    for i, (one, fold) in enumerate(runs):
        progress(i / len(runs), f"fold {i + 1} of {len(runs)}: networks for {m} bases")
        before, scored = total.errors.sum(axis=1), total.n.sum(axis=1)
        _add_fold(study, response, names, one, fold, total)
        each.append(ratio(total.errors.sum(axis=1) - before, total.n.sum(axis=1) - scored))
    n_scored = total.n.sum(axis=1)
    return BaseMap(
        axes=tuple(a.name for a in study.axes),
        grid=study.grid,
        folds=folds.strip(),
        error=ratio(total.errors.sum(axis=1), n_scored),
        mean_surface=ratio(total.mean, n_scored),
        best_cluster=ratio(total.best, n_scored),
        by_kernel=ratio(total.errors, total.n),
        spread=np.std(each, axis=0, ddof=1) if len(each) > 1 else np.full(m, np.nan),
        edges=EDGES[:-1],
        counts=total.bins,
        n_predictions=int(n_scored.sum()),
    )


class _Sums:
    """Errors added up over folds: by base and kernel, by base alone, and how many fall into each bin."""

    def __init__(self, n_kernels: int, m: int) -> None:
        self.errors, self.n = np.zeros((m, n_kernels)), np.zeros((m, n_kernels), dtype=np.int64)
        self.mean, self.best = np.zeros(m), np.zeros(m)
        self.bins = np.zeros(len(EDGES) - 1, dtype=np.int64)


def _add_fold(study: Study, response: str, inputs: tuple[str, ...], method: Network, fold: Fold, total: _Sums) -> None:
    """Add one fold's errors."""
    train = np.setdiff1d(np.arange(study.n_kernels), fold.test)
    values = study.surface(response)
    logs = fill_holes(np.log(values[train]))
    clusters = method.grouped(logs - logs.mean(axis=1, keepdims=True))
    choice = _choices(study, inputs, method, clusters, train, fold.test)
    mean, last = logs.mean(axis=0), len(total.bins) - 1
    bases = np.arange(study.n_configurations)
    for place, kernel in enumerate(fold.test):
        # from base b to target t, y_b · exp(s_t − s_b) is predicted: the error is |u_t / u_b − 1| with u = exp(s) / y
        u = np.exp(np.vstack([clusters.surfaces, mean])) / values[kernel]
        own = u[choice[:, place]]
        errors = 100 * np.abs(own / own[bases, bases][:, None] - 1)
        np.fill_diagonal(errors, np.nan)
        known = np.isfinite(errors)
        total.errors[:, kernel] += np.where(known, errors, 0.0).sum(axis=1)
        total.n[:, kernel] += known.sum(axis=1)
        each = np.array([_sums_per_base(row) for row in u])
        total.best += each[:-1].min(axis=0)
        total.mean += each[-1]
        bins = np.minimum((errors[known] / EDGES[1]).astype(np.int64), last)  # all as wide, the last open
        total.bins += np.bincount(bins, minlength=last + 1)


def _sums_per_base(u: FloatArray) -> FloatArray:
    """Return 100 · Σ over t of |u_t / u_b − 1| for each b, through sums over the sorted values; 0 where u_b is NaN."""
    known = np.flatnonzero(np.isfinite(u))
    order = known[np.argsort(u[known])]
    ordered, n = u[order], len(order)
    below, whole = np.cumsum(ordered), float(ordered.sum())
    place = np.arange(1, n + 1)
    found = np.zeros(len(u))
    found[order] = 100 * ((whole - below) - (n - place) * ordered + place * ordered - below) / ordered
    return found


def _choices(
    study: Study, inputs: tuple[str, ...], method: Network, clusters: Clusters, train: IntArray, test: IntArray
) -> IntArray:
    """Return the cluster that each base's network chooses for each held-out kernel."""
    m = study.n_configurations
    filled = [_filled(study.surface(name), train) for name in inputs]
    learn, tell = [], []
    for base in range(m):
        counts = study.counts_at(base)
        at_base = np.column_stack([f[:, base] for f in filled]) if filled else np.empty((study.n_kernels, 0))
        plain = learn_features(counts[train], at_base[train], study.counters).plain(counts, at_base)
        learn.append(plain[train])
        tell.append(plain[test])
    return method.trained(np.stack(learn), clusters).choose(np.stack(tell))


def _filled(values: FloatArray, train: IntArray) -> FloatArray:
    """Return values with the training kernels' holes estimated; those of other kernels stay."""
    found = values.copy()
    found[train] = np.exp(fill_holes(np.log(values[train])))
    return found


class ClusterCount(Frozen):
    """What one number of clusters costs: errors in percent, of the network's and of the best possible choice."""

    n_clusters: int
    error: float
    best_cluster: float


def errors_by_clusters(
    study: Study,
    response: str,
    base: int,
    counts: Sequence[int] = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24),
    options: Network | None = None,
    folds: str = "kfold:10",
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[ClusterCount, ...]:
    """Return the error against the number of clusters, on the same folds."""
    task, method, found = make_task(study, response, base), options or Network(), []
    for i, n in enumerate(counts):
        progress(i / len(counts), f"{n} clusters")
        one = replace(method, n_clusters=n)
        result = validate_scaling(study, task, one, folds, seed, clustering=one)
        found.append(ClusterCount(n, mean_of(result.error), result.best_cluster_mape))
    return tuple(found)
