"""The original program's rotation, step by step against its definition."""

import numpy as np

from core.passes.base import Features
from core.passes.eiger_rotation import EigerRotation


def test_applies_to_raw_metrics_and_stays_orthogonal() -> None:
    X = np.random.default_rng(0).lognormal(size=(40, 6))
    X[:, 5] = 3.0  # constant metrics stay
    names = tuple("abcdef")
    fitted = EigerRotation().fit(Features(names, X, names))
    np.testing.assert_allclose(fitted.rotation.T @ fitted.rotation, np.eye(6), atol=1e-12)
    assert np.array_equal(fitted.apply(X), X @ fitted.rotation)
    assert EigerRotation(components=2).fit(Features(names, X, names)).apply(X).shape == (40, 2)


def test_one_planar_rotation_is_the_varimax_of_two_columns() -> None:
    """With two metrics the sweep is one rotation, and its angle maximises the variance of squares."""
    X = np.random.default_rng(1).standard_normal((50, 2)) @ np.array([[1.0, 0.4], [0.0, 1.0]])
    plain = EigerRotation(rotate=False).fit(Features(("a", "b"), X)).rotation
    turned = EigerRotation().fit(Features(("a", "b"), X)).rotation

    def criterion(A: np.ndarray) -> float:
        return float(((A**4).mean(axis=0) - (A**2).mean(axis=0) ** 2).sum())

    angles = np.linspace(0, np.pi, 2001)
    best = max(criterion(plain @ np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])) for t in angles)
    assert criterion(turned) >= best - 1e-6
