"""All bases of a study of 108 kernels × 448 configurations: 448 classifiers at once, against one MLPClassifier per base.

Run as `python tests/bench/bench_scaling.py` (add --quick for fewer peers). The study is made here,
of the size of the paper's (Greathouse, Loh 2018, section 4.1): 86 kernels are learnt from, 22 are
predicted from each of 448 bases at the 447 others, 4.4 million predictions. Peers are timed on a few
bases and extrapolated to all, as the table says.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.scaling.base_map import base_map
from core.scaling.classifier import loss_of, train_networks
from core.scaling.predictors.network import Network
from core.scaling.study import Study, kernel_folds
from core.trial import Kind, Metric
from tests.bench.record import faster
from tests.scaling.made import made_study

KERNELS, LEVELS, COUNTERS, CLUSTERS = 108, (8, 8, 7), 22, 12


def paper_sized() -> Study:
    """The made study with 22 counters that differ from base to base."""
    study = made_study(KERNELS, LEVELS)
    rng = np.random.default_rng(0)
    mix = rng.standard_normal((3, COUNTERS - 3))
    more = np.exp(np.log(study.counts) @ mix / 10 + 0.05 * rng.standard_normal((*study.counts.shape[:2], COUNTERS - 3)))
    counters = (*study.counters, *(Metric(f"c{j}", Kind.COUNTER) for j in range(COUNTERS - 3)))
    counts = np.concatenate([study.counts, more], axis=-1)
    return Study(study.kernels, study.axes, study.grid, study.responses, study.values, counters, counts, study.labels)


def peers(study: Study, bases: list[int], **options: object) -> tuple[float, float]:
    """Return seconds per base of one MLPClassifier with predictions in loops over kernels and targets, and its loss."""
    test = kernel_folds(study, "holdout:20%")[0].test
    train = np.setdiff1d(np.arange(study.n_kernels), test)
    times = study.surface("time_s")
    centred = np.log(times) - np.log(times).mean(axis=1, keepdims=True)
    labels = KMeans(CLUSTERS, n_init=10, random_state=0).fit(centred[train]).labels_
    surfaces = np.exp(np.array([centred[train][labels == c].mean(axis=0) for c in range(CLUSTERS)]))
    started, losses, errors = time.process_time(), [], []
    for base in bases:
        counts = np.log1p(study.counts_at(base))
        scaler = StandardScaler().fit(counts[train])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            network = MLPClassifier((CLUSTERS,), activation="logistic", alpha=0.1, random_state=0, **options)
            network.fit(scaler.transform(counts[train]), np.eye(CLUSTERS)[labels])
        losses.append(network.loss_)
        chosen = network.predict_proba(scaler.transform(counts[test])).argmax(axis=1)
        for kernel, cluster in zip(test, chosen, strict=True):
            for target in range(study.n_configurations):
                if target != base:
                    found = times[kernel, base] * surfaces[cluster, target] / surfaces[cluster, base]
                    errors.append(abs(found / times[kernel, target] - 1))
    return (time.process_time() - started) / len(bases), float(np.mean(losses))


def ours(study: Study, iterations: int) -> tuple[float, float, int]:
    """Return CPU seconds for all bases, the mean error in percent, and how many predictions."""
    started = time.process_time()
    found = base_map(study, "time_s", Network(n_clusters=CLUSTERS, iterations=iterations), "holdout:20%")
    return time.process_time() - started, float(found.error.mean()), found.n_predictions


def our_loss(study: Study, bases: list[int], iterations: int) -> float:
    """Return the mean loss that our networks end with on some bases."""
    train = np.setdiff1d(np.arange(study.n_kernels), kernel_folds(study, "holdout:20%")[0].test)
    times = np.log(study.surface("time_s"))
    centred = times - times.mean(axis=1, keepdims=True)
    labels = KMeans(CLUSTERS, n_init=10, random_state=0).fit(centred[train]).labels_.astype(np.int64)
    X = np.stack([StandardScaler().fit_transform(np.log1p(study.counts_at(b)[train])) for b in bases])
    networks = train_networks(X, labels, CLUSTERS, penalty=0.1, iterations=iterations)
    return float(loss_of(networks, X, labels, 0.1).mean())


if __name__ == "__main__":
    study = paper_sized()
    m = study.n_configurations
    few = [0, m // 2, m - 1] if "--quick" in sys.argv else [int(b) for b in np.linspace(0, m - 1, 8)]
    print(
        f"{study.n_kernels} kernels × {m} configurations, {len(study.counters)} counters, {CLUSTERS} clusters: {m} networks"
    )
    seconds: dict[int, float] = {}
    for iterations in (Network().iterations, 40):
        runs = [ours(study, iterations) for _ in range(3)]
        seconds[iterations], (_, error, n) = float(np.median([r[0] for r in runs])), runs[0]
        print(
            f"all at once, {iterations} iterations: {seconds[iterations]:.2f} s CPU for clusters, networks and {n:,} predictions "
            f"(loss {our_loss(study, few, iterations):.3f}, mean error {error:.1f} %)"
        )
    settings = {
        "Adam until it rests (max_iter=5000)": {"max_iter": 5000},
        "Adam, 200 iterations (the default, not converged)": {},
        "L-BFGS until it rests": {"solver": "lbfgs", "max_iter": 5000},
    }
    for name, options in settings.items():
        each, loss = peers(study, few, **options)
        for iterations, spent in seconds.items():
            peer = f"one MLPClassifier per base, {name}, loss {loss:.3f}; from {len(few)} bases"
            faster(f"networks of {m} bases at once, {iterations} iterations", spent, m * each, peer)
