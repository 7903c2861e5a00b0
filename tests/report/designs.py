"""Designs whose response is known, for tests of what reports say of models of design spaces."""

import numpy as np

from core.trial import Frame, Kind, Metric, make_frame

NAMES = ("simd", "blocks", "cache", "idle")


def designs(n: int = 160, noise: float = 2.0, log: bool = False, seed: int = 0) -> Frame:
    """simd and blocks act together, cache adds a constant, idle does nothing; raw, or as a product of factors."""
    rng = np.random.default_rng(seed)
    levels = ((8.0, 16.0, 32.0, 64.0), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (0.0, 1.0), (3.0, 5.0, 9.0))
    X = np.column_stack([rng.choice(own, n) for own in levels])
    if log:
        y = 1e4 / X[:, 0] ** 1.5 * 3.0 ** X[:, 2] / X[:, 1] * np.exp(0.01 * rng.standard_normal(n))
    else:
        y = 500 + 4e3 / X[:, 0] * (1 + 4 / X[:, 1]) + 100 * X[:, 2] + rng.normal(0, noise, n)
    metrics = [Metric(name, Kind.PARAMETER, unit) for name, unit in zip(NAMES, ("lanes", "", "", ""), strict=True)]
    return make_frame(X, y, metrics, Metric("cycles", Kind.RESPONSE, "cycles"))
