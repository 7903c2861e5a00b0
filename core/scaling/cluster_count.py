"""The error of the paper's method against the number of clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.progress import Progress, silent
from core.scaling.lesson import make_task
from core.scaling.predictors.network import Network
from core.scaling.study import Study
from core.scaling.validation import mean_of, validate_scaling


@dataclass(frozen=True)
class ClusterCount:
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
        result = validate_scaling(study, task, one, folds, seed, clustering=one.clustering)
        found.append(ClusterCount(n, mean_of(result.error), result.best_cluster_mape))
    return tuple(found)
