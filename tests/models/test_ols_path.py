"""OLS and its selections against one solve per candidate, and what they do where columns outnumber trials."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models import FAMILIES
from core.models._linear_design import design
from core.models._ols_path import least_norm
from core.models._solve import Criterion
from core.models.base import Family
from core.models.parts.linear import LinearModel
from core.models.selection import Ols

CRITERIA = {
    "aic": FAMILIES["ols_forward_aic"],
    "aicc": FAMILIES["ols_forward_aic"],
    "bic": FAMILIES["ols_forward_bic"],
    "ebic": FAMILIES["ols_forward_bic"],
}
BACK = {
    "aic": FAMILIES["ols_backward_aic"],
    "aicc": FAMILIES["ols_backward_aic"],
    "bic": FAMILIES["ols_backward_bic"],
    "ebic": FAMILIES["ols_backward_bic"],
}


def problem(n: int, p: int, seed: int, factors: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns, some of which make the response."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, factors)) @ rng.standard_normal((factors, p)) + rng.standard_normal((n, p))
    return X, X[:, : max(p // 4, 1)].sum(axis=1) + rng.standard_normal(n) * rng.uniform(0.1, 3) + 5


def rss_of(X: np.ndarray, y: np.ndarray, columns: list[int]) -> float:
    A = np.column_stack([np.ones(len(y)), X[:, columns]])
    return float(((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).sum())


def one_solve_per_candidate(
    X: np.ndarray, y: np.ndarray, criterion: str, most: int, start: list[int] | None = None
) -> tuple[list[int], float]:
    """Forward selection, or backward elimination from `start`: the papers' loop."""
    value = Criterion(criterion, len(y), X.shape[1]).value
    chosen = list(start or [])
    now = value(rss_of(X, y, chosen), len(chosen))
    while True:
        if start is None:
            tries = [[*chosen, j] for j in range(X.shape[1]) if j not in chosen] if len(chosen) < most else []
        else:
            tries = [[i for i in chosen if i != j] for j in chosen]
        if not tries:
            return chosen, now
        errors = [rss_of(X, y, columns) for columns in tries]
        best = int(np.argmin(errors))
        new = value(errors[best], len(tries[best]))
        if not new < now and not (start is not None and (len(chosen) > most or np.isinf(now))):
            return chosen, now
        chosen, now = tries[best], new


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(4, 45), p=st.integers(1, 30), seed=st.integers(0, 10**6), criterion=st.sampled_from(list(CRITERIA))
)
def test_forward_is_one_solve_per_candidate(n: int, p: int, seed: int, criterion: str) -> None:
    X, y = problem(n, p, seed)
    model = CRITERIA[criterion](criterion=criterion).fit(X, y)
    chosen, value = one_solve_per_candidate(X, y, criterion, most=max(n // 3, 1) if p >= n else p)
    assert model.columns.tolist() == chosen
    assert model.steps[-1].criterion == pytest.approx(value, abs=1e-7)
    assert_least_squares(model, X, y)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(4, 45), p=st.integers(1, 30), seed=st.integers(0, 10**6), criterion=st.sampled_from(list(BACK)))
def test_backward_is_one_solve_per_candidate(n: int, p: int, seed: int, criterion: str) -> None:
    X, y = problem(n, p, seed)
    model = BACK[criterion](criterion=criterion).fit(X, y)
    start = list(model.steps[0].added)
    most = max(n // 3, 1) if p >= n else p
    if len(start) > n - 3:  # what is left is rounding in the oracle: begin where it is not
        start = [j for j in start if j not in {j for s in model.steps[1:4] for j in s.removed}]
    chosen, _ = one_solve_per_candidate(X, y, criterion, most, start)
    assert sorted(model.columns.tolist()) == chosen
    assert_least_squares(model, X, y)


def assert_least_squares(model: LinearModel, X: np.ndarray, y: np.ndarray) -> None:
    left = y - model.predict(X)
    assert abs(left.sum()) < 1e-8 * np.abs(y).sum()
    assert np.abs(X[:, model.columns].T @ left).max(initial=0.0) < 1e-8 * np.linalg.norm(X) * np.linalg.norm(y)
    assert model.r2 == pytest.approx(1 - float(left @ left) / float(((y - y.mean()) ** 2).sum()), abs=1e-9)


@pytest.mark.parametrize(("n", "p"), [(20, 60), (20, 20), (20, 19), (20, 18), (40, 7), (5, 300), (3, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_least_norm_is_the_pseudo_inverse(n: int, p: int, seed: int) -> None:
    d = design(*problem(n, p, seed), "none", 3, "It")
    np.testing.assert_allclose(least_norm(d), np.linalg.pinv(d.Z.T, rcond=1e-10) @ d.y, atol=1e-8)


@pytest.mark.parametrize("shape", [(20, 60), (40, 10)])
def test_least_norm_of_columns_and_trials_that_say_the_same(shape: tuple[int, int]) -> None:
    X, y = problem(*shape, 0)
    X = np.column_stack([X, X[:, 0], 2 * X[:, 1] - X[:, 2]])
    X[1], y[1] = X[0], y[0] + 1.0
    d = design(X, y, "none", 3, "It")
    np.testing.assert_allclose(least_norm(d), np.linalg.pinv(d.Z.T, rcond=1e-10) @ d.y, atol=1e-8)
    model = Ols().fit(X, y)
    coefficients = dict(zip(model.columns.tolist(), model.coefficients, strict=True))
    assert coefficients[0] == pytest.approx(coefficients[shape[1]], rel=1e-8)


def test_more_columns_than_trials_are_fitted_exactly() -> None:
    X, y = problem(15, 40, 1)
    model = Ols().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)
    assert model.r2 == pytest.approx(1.0, abs=1e-12)


def test_ols_does_not_depend_on_units() -> None:
    X, y = problem(15, 40, 1)
    units = 10.0 ** np.linspace(-12, 15, 40)
    np.testing.assert_allclose(
        Ols().fit(X * units, 1e9 * y).predict(X * units), 1e9 * Ols().fit(X, y).predict(X), rtol=1e-7
    )


def test_backward_starts_with_what_the_trials_determine() -> None:
    X, y = problem(30, 80, 2)
    model = FAMILIES["ols_backward_bic"]().fit(X, y)
    assert len(model.steps[0].added) == 28
    assert "30 trials do not determine 80 columns" in model.note
    assert "28 of them" in model.note
    assert len(model.columns) <= 10
    assert FAMILIES["ols_backward_bic"]().fit(*problem(30, 28, 2)).note == ""


def test_backward_starts_with_the_rank() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 6)) @ rng.standard_normal((6, 50))
    model = FAMILIES["ols_backward_aic"]().fit(X, X[:, 3] + rng.standard_normal(30))
    assert len(model.steps[0].added) == 6


@pytest.mark.parametrize(
    "family",
    [
        FAMILIES["ols_forward_aic"],
        FAMILIES["ols_forward_bic"],
        FAMILIES["ols_backward_aic"],
        FAMILIES["ols_backward_bic"],
    ],
)
def test_a_law_without_noise_is_found(family: type[Family]) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 12))
    y = 3 + 2 * X[:, 1] - X[:, 4] + 0.5 * X[:, 7]
    model = family().fit(X, y)
    assert sorted(model.columns.tolist()) == [1, 4, 7]
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-10)


@pytest.mark.parametrize("max_terms", ["1", "3", "500"])
def test_most_terms(max_terms: str) -> None:
    X, y = problem(40, 60, 4)
    for family in (FAMILIES["ols_forward_aic"], FAMILIES["ols_backward_aic"]):
        assert len(family(max_terms=max_terms).fit(X, y).columns) <= int(max_terms)


def test_backward_stays_accurate_on_nearly_collinear_columns() -> None:
    """Columns that differ by a millionth of their size: the last model is still that of least squares."""
    rng = np.random.default_rng(5)
    base = rng.standard_normal((80, 10))
    X = np.column_stack([base, base + 1e-6 * rng.standard_normal((80, 10))])
    y = base[:, :3].sum(axis=1) + 0.1 * rng.standard_normal(80)
    model = FAMILIES["ols_backward_bic"]().fit(X, y)
    assert [s.criterion for s in model.steps][-1] == pytest.approx(
        Criterion("bic", 80, 20).value(rss_of(X, y, model.columns.tolist()), len(model.columns)), abs=1e-6
    )
