"""Measure here next: the configurations at which one more measurement tells most about the whole surface."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray

NOISE = 1e-4
"""Variance of a log measurement: repeats that differ by 1 %."""


@dataclass(frozen=True)
class NextConfiguration:
    """One step of the plan.

    Attributes
    ----------
    configuration : where to measure
    left : share of the surfaces' variance that is left after this measurement and those before
    """

    configuration: int
    left: float


def covariance(log: FloatArray) -> FloatArray:
    """Return the covariance of log surfaces between configurations, array of shape (n_configurations, same)."""
    C = log - log.mean(axis=0)
    found: FloatArray = C.T @ C / max(len(log) - 1, 1)
    return found


def next_configurations(between: FloatArray, n: int, noise: float = NOISE) -> tuple[NextConfiguration, ...]:
    """Return where to measure, one after another, so that the variance left over all configurations is smallest.

    A measurement at j takes Σₜ K(t, j)² / (K(j, j) + noise) of the variance ΣK(t, t) away; what is
    left is the covariance given the measurement, and so on.

    Parameters
    ----------
    between : covariance of what is not known yet, array of shape (n_configurations, same)

    References
    ----------
    Cohn, Ghahramani, Jordan 1996, Active learning with statistical models (the criterion, for a Gaussian).
    """
    K = between.copy()
    total = float(np.trace(K)) or 1.0
    found: list[NextConfiguration] = []
    for _ in range(min(n, len(K))):
        gain = (K**2).sum(axis=0) / (np.diag(K) + noise)
        gain[[step.configuration for step in found]] = -1.0
        best = int(np.argmax(gain))
        K = K - np.outer(K[:, best], K[best]) / (K[best, best] + noise)
        found.append(NextConfiguration(best, max(float(np.trace(K)) / total, 0.0)))
    return tuple(found)
