"""What a block of columns adds to a model: sums of products against plain least squares, and aliased columns."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models._blocks import Basis, Candidates, Fit, log_p
from core.models._solve import least_squares, ridge


def rss(A: np.ndarray, y: np.ndarray) -> float:
    return float(((y - A @ np.linalg.lstsq(A, y, rcond=1e-11)[0]) ** 2).sum())


@given(seed=st.integers(0, 10**6), n=st.integers(12, 40), weighted=st.booleans())
@settings(max_examples=60, deadline=None)
def test_gains_are_those_of_least_squares(seed: int, n: int, weighted: bool) -> None:
    """In whatever order blocks join: what a block that stays would add, and the directions of the one that joins."""
    rng = np.random.default_rng(seed)
    y, w = rng.standard_normal(n), rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    basis = Basis(y, w)
    blocks = [rng.standard_normal((n, k)) for k in (1, 3, 2, 2)]
    padded = np.zeros((4, 3, n))
    for own, block in zip(padded, blocks, strict=True):
        own[: block.shape[1]] = block.T
    candidates = Candidates(padded * w, basis)
    assert candidates.widths == [1, 3, 2, 2]
    model, left = np.ones((n, 1)), set(range(4))
    for taken in rng.permutation(4)[:3].tolist():
        gains = candidates.gains()
        assert set(gains) <= left
        for i, gain in gains.items():
            alone = rss(np.hstack([model, blocks[i]]) * w[:, None], y * w)
            assert basis.rss - gain == pytest.approx(alone, abs=1e-9 * basis.total)
            assert basis.gain(basis.new_directions(blocks[i])) == pytest.approx(gain, abs=1e-9 * basis.total)
        if taken not in gains:
            continue
        basis.add(candidates.join(taken))
        left.remove(taken)
        model = np.hstack([model, blocks[taken]])
        np.testing.assert_allclose(basis.Q.T @ basis.Q, np.eye(basis.rank), atol=1e-11)
        assert basis.rss == pytest.approx(rss(model * w[:, None], y * w), abs=1e-9 * basis.total)


def test_a_block_that_is_nearly_in_the_model_is_not_trusted() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(50)
    basis = Basis(rng.standard_normal(50), np.ones(50))
    basis.add(basis.new_directions(x[:, None]))
    rows = np.zeros((3, 1, 50))
    rows[:, 0] = x, x + 1e-5 * rng.standard_normal(50), rng.standard_normal(50)
    candidates = Candidates(rows, basis)
    assert list(candidates.gains()) == [2]
    basis.add(candidates.join(2))
    assert candidates.gains() == {}


def test_aliased_columns_add_no_direction() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 20))
    basis = Basis(rng.standard_normal(20), np.ones(20))
    assert basis.new_directions(np.column_stack([a, 2 * a + 1, b])).shape == (20, 2)
    assert basis.new_directions(np.column_stack([np.zeros(20), a, a + b, b])).shape == (20, 2)
    assert basis.new_directions(np.ones((20, 1))).shape == (20, 0)
    assert basis.new_directions(rng.standard_normal((20, 30))).shape == (20, 19)


def test_least_squares_leaves_later_aliased_columns_out() -> None:
    """In R: coef(lm(y ~ a + b + I(a + b) + c)) has NA for the third; here it is 0."""
    rng = np.random.default_rng(2)
    a, b, c, y = rng.standard_normal((4, 30))
    A = np.column_stack([np.ones(30), a, b, a + b, c])
    found = least_squares(A, y)
    assert found[3] == 0
    kept = [0, 1, 2, 4]
    np.testing.assert_allclose(found[kept], np.linalg.lstsq(A[:, kept], y, rcond=None)[0], rtol=1e-10)


def test_more_columns_than_points() -> None:
    rng = np.random.default_rng(3)
    A, y = rng.standard_normal((5, 9)), rng.standard_normal(5)
    found = least_squares(A, y)
    assert (found[5:] == 0).all()
    np.testing.assert_allclose(A @ found, y, atol=1e-10)


def test_ridge_has_the_penalty_of_least_gcv() -> None:
    """Against the formula for every penalty, with the hat matrix written out, of which a degree counts 1.4 times."""
    rng = np.random.default_rng(4)
    n = 25
    A = np.column_stack([np.ones(n), rng.standard_normal((n, 8))])
    y = A[:, 1] + rng.standard_normal(n)
    Z = A[:, 1:] - A[:, 1:].mean(axis=0)
    Z = Z / np.linalg.norm(Z, axis=0)
    top = np.linalg.svd(Z)[1][0] ** 2
    scores, fits = [], []
    for penalty in np.geomspace(1e-10, 1e2, 49) * top:
        H = Z @ np.linalg.solve(Z.T @ Z + penalty * np.eye(8), Z.T)
        fits.append(H @ y + y.mean())
        scores.append(((y - fits[-1]) ** 2).sum() / (n - 1 - 1.4 * np.trace(H)) ** 2)
    np.testing.assert_allclose(A @ ridge(A, y), fits[int(np.argmin(scores))], rtol=1e-8)


def test_criteria() -> None:
    """In R: m <- lm(dist ~ speed, cars); summary(m)$adj.r.squared; extractAIC(m)[2]; log(anova(m)[1, 5])."""
    fit = Fit(11353.521051094891, 32538.98, 2, 50)
    assert fit.adjusted_r2 == pytest.approx(0.64381020119071453)
    assert fit.aic == pytest.approx(275.26300970688595)
    full = fit._replace(rss=0.0, rank=50)
    p = log_p([fit, full], Fit(fit.total, fit.total, 1, 50))
    assert p.tolist() == [pytest.approx(math.log(1.4898364962950983e-12)), 0.0]
    assert (full.adjusted_r2, full.aic, full.aicc) == (-math.inf, math.inf, math.inf)


def test_a_block_with_more_columns_than_are_left_is_dropped_and_the_others_stay() -> None:
    rng = np.random.default_rng(5)
    basis = Basis(rng.standard_normal(6), np.ones(6))
    rows = rng.standard_normal((2, 6, 6))
    rows[1, 1:] = 0.0
    candidates = Candidates(rows, basis)
    gains = candidates.gains()
    assert list(gains) == [1]
    assert gains[1] == pytest.approx(basis.gain(basis.new_directions(rows[1, :1].T)))
    basis.add(candidates.join(1))
    assert candidates.gains() == {}
