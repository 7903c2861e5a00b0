"""The climb to the varimax rotation: its slopes, its maximum, and in how many sweeps."""

import numpy as np
import pytest

from core.passes.rotations import _look, _turn, climb, varimax


def loadings(p: int, k: int, factors: int, seed: int = 0) -> np.ndarray:
    """Of standardised trials of some latent factors (0: none, noise alone), of rows of length 1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((500, factors)) @ rng.standard_normal((factors, p)) + 0.5 * rng.standard_normal((500, p))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    _, S, Vt = np.linalg.svd(Z, full_matrices=False)
    found = (Vt.T * S)[:, :k]
    return found / np.linalg.norm(found, axis=1)[:, None]


def criterion(B: np.ndarray) -> float:
    return float(((B**4).sum(axis=0) - (B**2).sum(axis=0) ** 2 / len(B)).sum())


def as_in_r(A: np.ndarray) -> tuple[np.ndarray, int]:
    """R's iteration, as far as it goes."""
    rotation = np.eye(A.shape[1])
    sweep = 0
    for sweep in range(5000):  # noqa: B007
        B = A @ rotation
        U, _, Vt = np.linalg.svd(A.T @ (B**3 - B * (B**2).mean(axis=0)))
        before, rotation = rotation, U @ Vt
        if np.abs(rotation - before).max() < 1e-10:
            break
    return rotation, sweep + 1


@pytest.mark.parametrize(("p", "k", "factors"), [(100, 20, 20), (60, 10, 20), (50, 30, 0), (40, 40, 0), (12, 3, 3)])
def test_it_climbs_to_the_maximum_of_rs_iteration_in_tens_of_sweeps(p: int, k: int, factors: int) -> None:
    A = loadings(p, k, factors)
    right, many = as_in_r(A)
    found, sweeps, still = climb(A, 1e-9)
    assert still
    assert sweeps < 120
    assert sweeps <= many
    np.testing.assert_allclose(found, right, atol=1e-6)
    np.testing.assert_allclose(found.T @ found, np.eye(k), atol=1e-13)
    assert criterion(A @ found) >= criterion(A @ right) * (1 - 1e-12)


@pytest.mark.slow
def test_a_thousand_sweeps_become_a_hundred() -> None:
    A = loadings(500, 20, 20)
    assert as_in_r(A)[1] > 800
    assert climb(A, 1e-9)[1] < 160


def test_slope_and_curvature_are_those_of_the_criterion() -> None:
    B = np.random.default_rng(0).standard_normal((30, 4))
    planes = np.triu_indices(4, 1)
    _, slope, curve = _look(B, planes)
    for place in range(6):
        step = 1e-4 * np.eye(6)[place]
        up, down = (criterion(B @ _turn(s, planes, 4)) / 4 for s in (step, -step))
        assert (up - down) / 2e-4 == pytest.approx(slope[place], rel=1e-5)
        assert abs(up + down - criterion(B) / 2) / 1e-8 == pytest.approx(curve[place], rel=1e-3)


def test_it_says_when_it_did_not_come_to_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.passes.rotations.MOST", 35)
    said: list[str] = []
    rotation = varimax(loadings(100, 20, 20), progress=lambda _, message: said.append(message))
    assert said == ["varimax stopped after 35 sweeps, before it stood still"]
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(20), atol=1e-13)
