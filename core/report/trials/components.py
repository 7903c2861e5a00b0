"""The components of a frame's metrics, where each trial stands, and the groups of alike trials there."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, first_few
from core.option import Options, like, option
from core.passes.base import Features
from core.passes.kmeans import FittedKMeans, KMeans
from core.passes.pca import PCA
from core.passes.rotations import Varimax
from core.passes.scales import Log
from core.recipes.eiger import Eiger
from core.report.shared.naming import component_titles
from core.trial import ROLES, Frame, Metric


class Components(Frozen):
    """Principal components of a frame, before and after rotation.

    Attributes
    ----------
    names : "RC1", … (or "PC1", … without rotation)
    titles : each with its top loadings
    metrics : those that take part
    scales : "raw", "log" or "log1p" per metric
    explained : array of shape (n_all,), share of the variance per unrotated component, all of them
    before, after : loadings of shape (n_metrics, n_components), equal without rotation
    scores : array of shape (n_trials, n_components), unit variance
    """

    names: tuple[str, ...]
    titles: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scales: tuple[str, ...]
    explained: FloatArray
    before: FloatArray
    after: FloatArray
    scores: FloatArray
    rotated: bool

    def __len__(self) -> int:
        return len(self.names)

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics' names, in the order of the loadings' rows."""
        return tuple(m.name for m in self.metrics)

    @property
    def kept_share(self) -> float:
        """Share of the variance that the kept components explain together."""
        return float(self.explained[: len(self)].sum())

    def apart(self, rows: Sequence[int]) -> FloatArray:
        """Return by how many standard deviations the mean of some trials is off, per metric, by the components."""
        return np.asarray(self.after @ self.scores[list(rows)].mean(axis=0))


class ComponentOptions(Options):
    """What the components are made like; the same choices as in Eiger."""

    components: int = like(Eiger, "components").says(
        "How many to keep; an empty field keeps as many as explain the share below"
    )
    rotation: str = like(Eiger, "rotation")
    explained: float = like(Eiger, "explained")
    metric_scale: str = option("auto", choices=("auto", "log", "raw")).says(
        "auto takes the logarithm of metrics that are never negative and span more than a decade"
    )


def components(frame: Frame, options: ComponentOptions | None = None) -> Components:
    """Find the components of a frame's metrics (Eiger, II-A).

    Raises
    ------
    FitError
        If no metric varies, or there are fewer than 2 trials.
    """
    chosen = options or ComponentOptions()
    varies = np.ptp(frame.X, axis=0) > 1e-12 * np.abs(frame.X).max(axis=0, initial=0.0)
    if not varies.any():
        raise FitError(
            "No metric varies over these trials, so there are no components. Choose other trials or metrics."
        )
    used = frame if varies.all() else frame.select([n for n, v in zip(frame.names, varies, strict=True) if v])
    kept, names = used.metrics, used.names
    features = Features(names, used.X, names)
    log = Log(mode="none" if chosen.metric_scale == "raw" else chosen.metric_scale).fit(features)
    features = log.features(features)
    pca = PCA(components=chosen.components, explained=chosen.explained).fit(features)
    features = before = pca.features(features)
    rotated = chosen.rotation == "varimax" and pca.n_components > 1
    if rotated:
        features = Varimax().fit(before).features(before)
    return Components(
        names=features.names,
        titles=component_titles(features.names, names, features.loadings),
        metrics=kept,
        scales=log.scales,
        explained=pca.explained,
        before=before.loadings,
        after=features.loadings,
        scores=features.X,
        rotated=rotated,
    )


SAMPLE = 2000
_MOST_TOLD = 3
"""Components that stand out, and names of each role, that a cluster is told by."""


class Clusters(Frozen):
    """Trials in clusters.

    Attributes
    ----------
    assigned : array of shape (n_trials,), from 0, largest cluster first
    sizes : array of shape (n_clusters,), trials
    centres : array of shape (n_clusters, n_components)
    """

    assigned: IntArray
    sizes: IntArray
    centres: FloatArray

    @property
    def texts(self) -> tuple[str, ...]:
        """Each trial's cluster as people count them, from 1."""
        names = [f"cluster {i + 1}" for i in range(len(self.sizes))]
        return tuple(names[i] for i in self.assigned.tolist())


class ClusterChoice(Frozen):
    """What each number of clusters is worth.

    Attributes
    ----------
    k : numbers of clusters, ascending
    inertia : array of shape (n_k,), sum of squared distances to the centres
    silhouette : array of shape (n_k,), mean over trials, -1 to 1; NaN for one cluster
    n_trials, n_sampled : all trials, and those that the silhouette was computed from
    """

    k: tuple[int, ...]
    inertia: FloatArray
    silhouette: FloatArray
    n_trials: int
    n_sampled: int

    @property
    def best(self) -> int | None:
        """The number of clusters with the largest silhouette, None where no number has one."""
        return self.k[int(np.nanargmax(self.silhouette))] if np.isfinite(self.silhouette).any() else None


def warm_up() -> None:
    """Load what clustering needs, so that the first fit is not timed with it."""
    import sklearn.cluster  # noqa: F401


def clusters(scores: FloatArray, k: int) -> Clusters:
    """Put trials with scores of shape (n_trials, n_components) into at most k clusters by k-means."""
    fitted, features = _fit(scores, k)
    return Clusters(fitted.assign(features.X), fitted.sizes, fitted.centres)


def telling(scores: FloatArray, assigned: IntArray) -> IntArray:
    """Return components by how much of their variance lies between the clusters, most first."""
    counts = np.bincount(assigned)
    means = [np.bincount(assigned, weights=own) / np.maximum(counts, 1) for own in scores.T]
    between = np.array([counts @ (mean - own.mean()) ** 2 for mean, own in zip(means, scores.T, strict=True)])
    variance = np.maximum(((scores - scores.mean(axis=0)) ** 2).sum(axis=0), np.finfo(float).tiny)
    return np.argsort(-np.round(between / variance, 9), kind="stable")


def cluster_choice(scores: FloatArray, most: int = 10, restarts: int = 10) -> ClusterChoice:
    """Try 1 to `most` clusters; the silhouette of more than 2,000 trials is that of a random 2,000.

    References
    ----------
    Rousseeuw 1987, Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis.
    """
    from scipy.spatial.distance import pdist, squareform

    n = len(scores)
    most = min(most, len(np.unique(scores, axis=0)))
    rows = np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False)) if n > SAMPLE else np.arange(n)
    distance = squareform(pdist(scores[rows]))
    inertia, widths = [], []
    for k in range(1, most + 1):
        fitted, features = _fit(scores, k, restarts)
        inertia.append(fitted.inertia)
        widths.append(float(silhouettes(distance, fitted.assign(features.X[rows])).mean()))
    return ClusterChoice(tuple(range(1, most + 1)), np.array(inertia), np.array(widths), n, len(rows))


def silhouettes(distance: FloatArray, assigned: IntArray) -> FloatArray:
    """Return (b - a) / max(a, b) per trial: a to its own cluster's others, b to the nearest other cluster.

    Parameters
    ----------
    distance : array of shape (n_trials, n_trials)
    assigned : array of shape (n_trials,), numbers of clusters

    Returns
    -------
    array of shape (n_trials,), 0 for a trial alone in its cluster, NaN with fewer than 2 clusters
    """
    from sklearn.metrics import silhouette_samples

    n = len(np.unique(assigned))
    if n < 2 or n == len(assigned):
        return np.full(len(assigned), np.nan if n < 2 else 0.0)
    return np.asarray(silhouette_samples(distance, assigned, metric="precomputed"))


def _fit(scores: FloatArray, k: int, restarts: int = 10) -> tuple[FittedKMeans, Features]:
    features = Features(tuple(str(j) for j in range(scores.shape[1])), scores)
    return KMeans(clusters=k, restarts=restarts).fit(features), features


def profile_table(value: Clusters, components: Components, frame: Frame) -> pd.DataFrame:
    """Return a row per cluster that has trials: by what it stands out, its median response, and who is in it."""
    roles = [role for role in ROLES if len(set(frame.labels[role])) > 1]
    titles = ["cluster", "trials", "stands out by (standard deviations)", f"median {frame.response}", *roles]
    found = []
    for i, centre in enumerate(value.centres):
        rows = np.flatnonzero(value.assigned == i)
        if len(rows):
            members = [_most_frequent([frame.labels[role][r] for r in rows]) for role in roles]
            found.append((i + 1, len(rows), _traits(centre, components), float(np.median(frame.y[rows])), *members))
    return pd.DataFrame(found, columns=titles)


def _traits(centre: FloatArray, components: Components) -> str:
    """Return the components whose mean stands out most, such as "RC2: loads +1.8", in standard deviations."""
    shown = [int(j) for j in np.argsort(-np.abs(centre), kind="stable")[:_MOST_TOLD] if abs(centre[j]) >= 0.5]
    told = (f"{components.titles[j]} {'−' if centre[j] < 0 else '+'}{abs(centre[j]):.1f}" for j in shown)
    return "; ".join(told) or "near the average trial in everything"


def _most_frequent(texts: list[str]) -> str:
    """Return the most frequent texts with their shares, or how many there are where none comes twice."""
    counts = Counter(text or "(none)" for text in texts)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{text} {100 * n / len(texts):.0f} %" for text, n in ranked]
    return f"{len(texts):,} different" if len(counts) == len(texts) > _MOST_TOLD else first_few(parts, _MOST_TOLD)
