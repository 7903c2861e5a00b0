"""The components of a frame's metrics: how many, made of what, and where each trial stands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.errors import FitError
from core.option import Options, like, option
from core.passes.base import Features
from core.passes.log import Log
from core.passes.pca import PCA
from core.passes.varimax import Varimax
from core.recipes.eiger import Eiger
from core.report.shared.naming import component_titles
from core.trial import Frame, Metric


@dataclass(frozen=True)
class Components:
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


@dataclass(frozen=True)
class ComponentOptions(Options):
    """What the components are made like; the same choices as in Eiger."""

    components: int = like(
        Eiger, "components", help="How many to keep; an empty field keeps as many as explain the share below"
    )
    rotation: str = like(Eiger, "rotation")
    explained: float = like(Eiger, "explained")
    metric_scale: str = option(
        "auto",
        choices=("auto", "log", "raw"),
        help="auto takes the logarithm of metrics that are never negative and span more than a decade",
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
