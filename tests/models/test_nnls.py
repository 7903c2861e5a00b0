"""Non-negative least squares against scipy, and its selections against one scipy solve per candidate."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from core.errors import FitError
from core.models import FAMILIES
from core.models._solve import Criterion
from core.models.parts.linear import LinearModel
from core.models.selection import Nnls

FORWARD = {
    "aic": FAMILIES["nnls_forward_aic"],
    "aicc": FAMILIES["nnls_forward_aic"],
    "bic": FAMILIES["nnls_forward_bic"],
    "ebic": FAMILIES["nnls_forward_bic"],
}
BACKWARD = {
    "aic": FAMILIES["nnls_backward_aic"],
    "aicc": FAMILIES["nnls_backward_aic"],
    "bic": FAMILIES["nnls_backward_bic"],
    "ebic": FAMILIES["nnls_backward_bic"],
}


def counters(n: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positive, correlated columns and a positive response, with an intercept that is sometimes held at 0."""
    rng = np.random.default_rng(seed)
    X = np.exp(0.7 * rng.standard_normal((n, 3)) @ rng.standard_normal((3, p)) + 0.5 * rng.standard_normal((n, p)))
    effects = rng.standard_normal(p) * (rng.random(p) < 0.5) + 0.3
    y = X @ effects + rng.uniform(-3, 3) * p**0.5 + rng.standard_normal(n) * rng.uniform(0.1, 2)
    return X, y - min(y.min(), 0.0) * rng.random() + 0.1


def plain(
    X: np.ndarray, y: np.ndarray, columns: list[int], weights: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Return scipy's coefficients, the intercept first, and the residual sum of squares."""
    w = np.ones(len(y)) if weights is None else weights
    A = np.column_stack([np.ones(len(y)), X[:, columns]]) * w[:, None]
    size = np.maximum(np.abs(A).max(axis=0), 1e-300)
    found, left = nnls(A / size, y * w, maxiter=10_000)
    return found / size, left**2


def dense(model: LinearModel, p: int) -> np.ndarray:
    found = np.zeros(p + 1)
    found[0] = model.intercept
    found[model.columns + 1] = model.coefficients
    return found


@settings(max_examples=60, deadline=None)
@given(n=st.integers(4, 40), p=st.integers(1, 60), seed=st.integers(0, 10**6))
@example(n=4, p=15, seed=473)
def test_nnls_is_scipys(n: int, p: int, seed: int) -> None:
    X, y = counters(n, p, seed)
    expected, rss = plain(X, y, list(range(p)))
    if not expected.any():
        with pytest.raises(FitError, match="0 everywhere"):
            Nnls().fit(X, y)
        return
    model = Nnls().fit(X, y)
    left = y - model.predict(X)
    rounded = 1e-10 if n > p else 1e-7  # sums of products leave half of the digits where columns are more than trials
    assert float(left @ left) == pytest.approx(rss, rel=1e-7, abs=rounded * float(y @ y))
    if n > p and rss > 1e-8 * float(y @ y):  # else several are as good
        np.testing.assert_allclose(dense(model, p), expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


def test_relative_weights_are_scipys_on_weighted_rows() -> None:
    X, y = counters(40, 12, 3)
    y = np.abs(y) + 0.5
    expected, _ = plain(X, y, list(range(12)), 1 / y)
    np.testing.assert_allclose(dense(Nnls(weights="relative").fit(X, y), 12), expected, rtol=1e-7, atol=1e-10)


def one_solve_per_candidate(
    X: np.ndarray, y: np.ndarray, criterion: str, most: int, *, forward: bool
) -> tuple[list[int], float]:
    """The papers' loop, with scipy."""
    value = Criterion(criterion, len(y), X.shape[1]).value

    def fit(columns: list[int]) -> tuple[list[int], float]:
        found, rss = plain(X, y, columns)
        return [j for j, c in zip(columns, found[1:], strict=True) if c > 1e-9 * np.abs(y).max() / X[:, j].max()], rss

    chosen, rss = fit([] if forward else list(range(X.shape[1])))
    now = value(rss, len(chosen))
    while True:
        if forward:
            tries = [[*chosen, j] for j in range(X.shape[1]) if j not in chosen] if len(chosen) < most else []
        else:
            tries = [[i for i in chosen if i != j] for j in chosen]
        fits = [fit(columns) for columns in tries]
        if not fits:
            return chosen, now
        best = min(fits, key=lambda f: f[1])
        forced = not forward and (len(chosen) > most or np.isinf(now))
        if forward and rss - best[1] < 1e-9 * rss:
            return chosen, now
        new = value(best[1], len(best[0]))
        if not new < now and not forced:
            return chosen, now
        (chosen, rss), now = best, new


def assert_same(model: LinearModel, chosen: list[int], value: float) -> None:
    assert sorted(model.columns.tolist()) == sorted(chosen)
    assert model.steps[-1].criterion == pytest.approx(value, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(8, 40), p=st.integers(1, 25), seed=st.integers(0, 10**6), criterion=st.sampled_from(list(FORWARD)))
def test_forward_is_one_solve_per_candidate(n: int, p: int, seed: int, criterion: str) -> None:
    X, y = counters(n, p, seed)
    chosen, value = one_solve_per_candidate(X, y, criterion, max(n // 3, 1) if p >= n else p, forward=True)
    if chosen:
        assert_same(FORWARD[criterion](criterion=criterion).fit(X, y), chosen, value)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(8, 40), p=st.integers(1, 25), seed=st.integers(0, 10**6), criterion=st.sampled_from(list(BACKWARD))
)
def test_backward_is_one_solve_per_candidate(n: int, p: int, seed: int, criterion: str) -> None:
    X, y = counters(n, p, seed)
    assume(plain(X, y, list(range(p)))[1] > 1e-9 * float(y @ y))  # else there are many full fits to start from
    chosen, value = one_solve_per_candidate(X, y, criterion, max(n // 3, 1) if p >= n else p, forward=False)
    if chosen:
        assert_same(BACKWARD[criterion](criterion=criterion).fit(X, y), chosen, value)


@pytest.mark.parametrize("seed", range(4))
def test_selection_with_more_columns_than_trials(seed: int) -> None:
    X, y = counters(30, 70, seed)
    y = np.abs(y) + 1
    for families, forward in ((FORWARD, True), (BACKWARD, False)):
        chosen, value = one_solve_per_candidate(X, y, "bic", 10, forward=forward)
        assert_same(families["bic"]().fit(X, y), chosen, value)


@pytest.mark.parametrize("family", [Nnls, FAMILIES["nnls_forward_aic"], FAMILIES["nnls_backward_aic"]])
def test_the_intercept_is_held_at_0(family: type[Nnls]) -> None:
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(40, 3))
    model = family().fit(X, 3 * X[:, 0] - 1 + 0.1 * rng.standard_normal(40))
    assert model.intercept == 0.0
    assert (model.coefficients > 0).all()
    assert (model.predict(rng.lognormal(size=(100, 3))) >= 0).all()


@pytest.mark.parametrize("family", [Nnls, FAMILIES["nnls_forward_aic"], FAMILIES["nnls_backward_aic"]])
def test_a_response_below_zero_is_refused_in_a_sentence(family: type[Nnls]) -> None:
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(20, 3))
    with pytest.raises(FitError, match=r"mostly negative.*lasso"):
        family().fit(X, -X[:, 0] - 1)


def test_of_equal_columns_the_first_is_taken() -> None:
    rng = np.random.default_rng(1)
    X = rng.lognormal(size=(50, 4))
    X = np.column_stack([X, X[:, 1] * 4, X[:, 1]])
    y = 2 * X[:, 1] + 1 + 0.1 * rng.standard_normal(50)
    for family in (Nnls, FAMILIES["nnls_forward_bic"], FAMILIES["nnls_backward_bic"]):
        columns = set(family().fit(X, y).columns.tolist())
        assert 1 in columns
        assert not columns & {4, 5}


def test_columns_that_hardly_vary_beside_the_intercept() -> None:
    """A clock that moves by a millionth: the centred problem sees it, sums of squares about 0 would not."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal(60)
    X = np.column_stack([1e9 * (1 + 1e-6 * x), rng.lognormal(size=60)])
    model = Nnls().fit(X, 5 + x + 0.01 * rng.standard_normal(60))
    assert model.intercept == 0.0  # the clock is an intercept and more
    X[:, 0] = 1e3 + 1e-3 * x
    model = Nnls().fit(X, 1e7 + x + 0.01 * rng.standard_normal(60))
    assert model.r2 > 0.99


@pytest.mark.parametrize("name", ["nnls", "nn_lasso", "nnls_forward_aic", "nnls_backward_bic"])
def test_rounding_leaves_no_intercept_below_nothing(name: str) -> None:
    """Of a response that is a sum of columns, which has none: a file of the model could not be read."""
    for seed in range(12):
        X = np.random.default_rng(seed).integers(1, 1000, (40, 3)).astype(np.float64)
        FAMILIES[name]().fit(X, X @ [3.0, 1.0, 2.0]).check(3)
