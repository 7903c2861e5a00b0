"""The original program's rotation, step by step against its definition."""

import cmath
import math

import numpy as np

from core.passes.base import Features
from core.passes.rotations import EigerRotation


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


def test_sweep_turns_each_pair_once_in_order() -> None:
    """The definition with whole matrices: A becomes A · G(1,2) · G(1,3) · … · G(k-1,k)."""
    X = np.random.default_rng(2).lognormal(size=(30, 5))
    names = tuple("abcde")
    A = EigerRotation(rotate=False).fit(Features(names, X, names)).rotation
    for j in range(4):
        for i in range(j + 1, 5):
            u = sum((A[r, j] + 1j * A[r, i]) ** 4 for r in range(5)) / 5
            v = sum((A[r, j] + 1j * A[r, i]) ** 2 for r in range(5)) / 5
            phi = cmath.phase(u - v * v) / 4
            G = np.eye(5)
            G[j, j], G[j, i], G[i, j], G[i, i] = math.cos(phi), -math.sin(phi), math.sin(phi), math.cos(phi)
            A = A @ G
    turned = EigerRotation().fit(Features(names, X, names)).rotation
    np.testing.assert_allclose(turned, A, atol=1e-12)
    kept = EigerRotation(components=2).fit(Features(names, X, names)).rotation
    assert np.array_equal(kept, turned[:, :2])  # first turned, then cut


def test_eigenvectors_are_those_of_the_correlation_matrix() -> None:
    X = np.random.default_rng(3).lognormal(size=(30, 4)) * np.array([1, 1e3, 1e6, 1e-6])
    V = EigerRotation(rotate=False).fit(Features(tuple("abcd"), X)).rotation
    C = np.corrcoef(X.T)
    turned = V.T @ C @ V
    np.testing.assert_allclose(turned, np.diag(np.diag(turned)), atol=1e-12)
    assert (np.diff(np.diag(turned)) < 0).all()


def test_signs_of_the_eigenvectors_only_flip_columns() -> None:
    """Any signs that an SVD may return give the same columns up to sign."""
    from core.passes.rotations import _one_sweep

    V = np.linalg.qr(np.random.default_rng(4).standard_normal((6, 6)))[0]
    signs = np.array([1, -1, 1, -1, -1, 1.0])
    np.testing.assert_allclose(np.abs(_one_sweep(V * signs)), np.abs(_one_sweep(V)), atol=1e-12)
