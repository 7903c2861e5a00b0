"""How far new trials are from those that a model learnt from, metric by metric and all together."""

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.validate.domain import Domain

MUCH = 0.25
"""Population stability index from which on a metric has drifted; 0.1 to 0.25 is read as a moderate change."""
_ALARMS = 0.01
"""Chance that any metric of trials of the same kind is beyond what chance does."""
LEAST_BIN = 0.05
HALF = 0.5
"""Trials per bin that are taken to be spread as when trained."""


class MetricDrift(Frozen):
    """A metric of new trials against its training values.

    Attributes
    ----------
    outside : share of the new trials that leave the trained range
    stability : population stability index over the trained deciles; NaN where the model keeps none
    distance : largest difference between the two distribution functions at the trained deciles (of Kolmogorov
        and Smirnov's statistic a lower bound); NaN likewise
    by_chance : stability index that in one of a hundred cases some metric of as many trials of the same kind exceeds
    trained, new : medians, in the metric's unit
    """

    name: str
    outside: float
    stability: float
    distance: float
    by_chance: float
    trained: float
    new: float

    @property
    def drifted(self) -> bool:
        """Whether the index is large, and larger than by chance."""
        return bool(self.stability >= MUCH and self.stability > self.by_chance)


class Drift(Frozen):
    """New trials against those that a model learnt from.

    Attributes
    ----------
    metrics : the most drifted first
    n_trials : new ones, with a value of every metric
    outside : share of them outside the domain
    out_of_range, too_far : share that leave the range of a metric, and whose leverage is beyond every training trial's
    """

    metrics: tuple[MetricDrift, ...]
    n_trials: int
    outside: float
    out_of_range: float
    too_far: float

    @property
    def drifted(self) -> tuple[MetricDrift, ...]:
        """The metrics that have drifted."""
        return tuple(m for m in self.metrics if m.drifted)


def drift_of(domain: Domain, names: tuple[str, ...], X: FloatArray) -> Drift:
    """Return how far rows of metrics, at least one of them whole, are from a model's domain.

    Parameters
    ----------
    X : array of shape (n, n_metrics); rows with a missing value are left out

    References
    ----------
    Siddiqi 2006, Credit Risk Scorecards (population stability index: 0.1 some, 0.25 much); Yurdakul, Naranjo 2020,
    Statistical properties of the population stability index (by chance it is (1/n + 1/m) · χ² with one degree of
    freedom less than there are bins).
    """
    rows = X[np.isfinite(X).all(axis=1)]
    beyond = domain.beyond(rows)
    found = [_metric(domain, j, name, rows[:, j], float(beyond[:, j].mean())) for j, name in enumerate(names)]
    order = sorted(found, key=lambda m: (-np.nan_to_num(m.stability, nan=0.0), -m.outside))
    return Drift(
        tuple(order),
        len(rows),
        float(domain.leaves(rows).mean()),
        float(beyond.any(axis=1).mean()),
        float(domain.too_far(domain.leverage(rows)).mean()),
    )


def _metric(domain: Domain, j: int, name: str, x: FloatArray, outside: float) -> MetricDrift:
    from scipy.stats import chi2

    known, new, n_metrics = domain.marginals, float(np.median(x)), len(domain.low)
    if not known.n_trials:
        return MetricDrift(name, outside, np.nan, np.nan, np.nan, np.nan, new)
    edges, first = np.unique(known.edges[j], return_index=True)
    trained = known.shares[j][first]
    below = np.searchsorted(np.sort(x), edges, side="right") / len(x)  # the share of values at or below each edge
    cuts = _cuts(trained)
    old_bins, new_bins = _bins(trained[cuts]), _bins(below[cuts])
    doubt = HALF * len(old_bins)  # trials of the old kind beside the new ones, so that no share is 0
    new_bins = (new_bins * len(x) + old_bins * doubt) / (len(x) + doubt)
    stability = float(((new_bins - old_bins) * np.log(new_bins / old_bins)).sum())
    by_chance = (1 / len(x) + 1 / known.n_trials) * float(chi2.ppf(1 - _ALARMS / n_metrics, max(len(cuts), 1)))
    middle = float(known.edges[j][known.edges.shape[1] // 2])
    return MetricDrift(name, outside, stability, float(np.abs(below - trained).max()), by_chance, middle, new)


def _cuts(trained: FloatArray) -> IntArray:
    """Return the edges between which at least 5 % of the training trials lie, as numbers; the last bin is open."""
    chosen, before = [], 0.0
    for i, share in enumerate(trained[:-1].tolist()):
        if share - before >= LEAST_BIN and 1 - share >= LEAST_BIN:
            chosen.append(i)
            before = share
    return np.array(chosen, dtype=np.int64)


def _bins(below: FloatArray) -> FloatArray:
    """Return the shares between cuts from the shares at or below each."""
    return np.diff(np.concatenate([[0.0], below, [1.0]]))
