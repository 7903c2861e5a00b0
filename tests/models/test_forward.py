"""Forward selection: hard cases for its arithmetic, always against plain least squares."""

from dataclasses import dataclass

import numpy as np
import pytest

from core.models._forward import Search, Step
from core.models.parts import columns as columns_module
from core.models.parts.columns import columns


@dataclass(frozen=True)
class Path:
    """A whole selection, and the candidates that fell out as collinear, with the step."""

    steps: tuple[Step, ...]
    collinear: tuple[tuple[int, int], ...]


def select(
    rows: np.ndarray, y: np.ndarray, *, terms: int = 10, threshold: float = -1.0, intercept: bool = True
) -> Path:
    """Run the selection on a copy of the candidates, one per row."""
    every = columns(rows.copy(), intercept=intercept)
    search = Search(every, y, every.varies, intercept)
    return Path(tuple(search.steps(threshold, terms)), tuple(search.collinear))


def gains(rows: np.ndarray, y: np.ndarray, chosen: list[int]) -> np.ndarray:
    """Explained sum of squares that each candidate adds, by orthogonalising three times."""
    base = np.column_stack([np.ones(len(y)), *rows[chosen]])
    Q = np.linalg.qr(base / np.abs(base).max(axis=0))[0]

    def rest(v: np.ndarray) -> np.ndarray:
        for _ in range(3):
            v = v - Q @ (Q.T @ v)
        return v

    left = [rest(row / np.abs(row).max()) for row in rows]
    r = rest(y)
    return np.array([(v @ r) ** 2 / max(v @ v, 1e-300) for v in left])


def ladder(n: int, low: float, high: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Powers and logarithms of one positive column: nearly collinear where its range is narrow."""
    x = np.random.default_rng(seed).uniform(low, high, n)
    rows = np.array([x**-2, 1 / x, x**-0.5, np.log2(x), np.sqrt(x), x, x**2])
    return rows, np.sqrt(x) + 1e-4 * np.random.default_rng(seed + 1).standard_normal(n)


@pytest.mark.parametrize(("low", "high"), [(1, 100), (1, 2), (10, 10.5), (100, 100.1)])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cached", [columns_module.CACHED, 0])
def test_picks_among_nearly_collinear_candidates(
    low: float, high: float, seed: int, cached: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns_module, "CACHED", cached)  # 0: as if each pass over the candidates were dear
    monkeypatch.setattr(columns_module, "EACH", 1)
    rows, y = ladder(50, low, high, seed)
    path = select(rows, y)
    gone = set()
    for k, step in enumerate(path.steps):
        before = [s.candidate for s in path.steps[:k]]
        gone |= {j for j, at in path.collinear if at == k + 1}
        gain = gains(rows, y, before)
        gain[[*before, *gone]] = -1
        assert gain[step.candidate] >= gain.max() * (1 - 1e-7)
        assert set(step.tried) == set(range(7)) - set(before) - gone


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("seed", range(3))
def test_few_passes_lead_along_the_same_path(alike: float, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((150, 400)) + alike / (1 - alike) * rng.standard_normal(400)
    rows[70:90] = rows[:20] + 1e-3 * rng.standard_normal((20, 400))
    rows[90] = rows[3] - 2 * rows[5]
    y = rows[:12].T @ np.linspace(2, 0.2, 12) + rng.standard_normal(400)
    path, taken = select(rows, y, terms=25), []
    monkeypatch.setattr(columns_module, "CACHED", 0)
    times = columns_module.Columns.times
    monkeypatch.setattr(columns_module.Columns, "times", lambda self, v: taken.append(v.ndim) or times(self, v))
    quick = select(rows, y, terms=25)
    assert [s.candidate for s in quick.steps] == [s.candidate for s in path.steps]
    assert quick.collinear == path.collinear
    for one, other in zip(path.steps, quick.steps, strict=True):
        np.testing.assert_allclose(other.coefficients, one.coefficients, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(other.tried, one.tried)
        np.testing.assert_allclose(other.adjusted, one.adjusted, rtol=1e-9, atol=1e-12)
    assert taken.count(2) < 24 if alike < 0.9 else taken.count(2) <= 24


def test_what_falls_out_as_collinear_is_in_the_span_of_the_model() -> None:
    rows, y = ladder(50, 100, 100.1, 0)
    path = select(rows, y)
    assert path.collinear
    for j, at in path.collinear:
        base = np.column_stack([np.ones(50), *(rows[s.candidate] for s in path.steps[: at - 1])])
        x = rows[j] - rows[j].mean()
        Q = np.linalg.qr(base / np.abs(base).max(axis=0))[0]
        left = x - Q @ (Q.T @ x)
        assert left @ left < 1.1e-10 * (x @ x)


def test_more_terms_than_there_is_room_for_at_first() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((120, 300))
    y = rows[:60].T @ rng.uniform(1, 2, 60) + 0.1 * rng.standard_normal(300)
    path = select(rows, y, terms=70)
    assert len(path.steps) == 70
    chosen = [s.candidate for s in path.steps]
    assert set(chosen) >= set(range(60))
    refit = np.linalg.lstsq(np.column_stack([np.ones(300), *rows[chosen]]), y, rcond=None)[0]
    np.testing.assert_allclose([path.steps[-1].intercept, *path.steps[-1].coefficients], refit, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
def test_ties_go_to_the_earlier_candidate(intercept: bool) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 40))
    rows = np.array([b, a, -3 * a, a * (1 + 1e-15), a + b])
    path = select(rows, a + 0.01 * b, terms=2, intercept=intercept)
    assert path.steps[0].candidate == 1
    assert [j for j, _ in path.collinear] == [2, 3]


@pytest.mark.parametrize("intercept", [True, False])
def test_units_change_nothing_but_the_coefficients(intercept: bool) -> None:
    rng = np.random.default_rng(2)
    rows = rng.lognormal(size=(8, 50))
    y = rows[0] - 2 * rows[3] + 0.1 * rng.standard_normal(50)
    one = select(rows, y, intercept=intercept)
    for unit in (2.0**-900, 2.0**900):
        other = select(rows, y * unit, intercept=intercept)
        assert [s.candidate for s in other.steps] == [s.candidate for s in one.steps]
        assert other.steps[-1].r2 == one.steps[-1].r2
        assert np.array_equal(other.steps[-1].coefficients, one.steps[-1].coefficients * unit)
    wide = rows * (10.0 ** np.arange(-200, 200, 50))[:, None]
    assert [s.candidate for s in select(wide, y, intercept=intercept).steps] == [s.candidate for s in one.steps]


def test_a_large_mean_does_not_hide_a_small_variation() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 60))
    path = select(np.array([1e9 + a, b]), a + 0.1 * b, terms=2)
    assert [s.candidate for s in path.steps] == [0, 1]
    assert path.steps[-1].r2 == pytest.approx(1, abs=1e-12)


def test_without_intercept_r2_is_about_the_mean_and_the_constant_is_a_term() -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(1, 2, 30)
    y = 10 + 0.5 * x + 0.1 * rng.standard_normal(30)
    path = select(np.array([np.ones(30), x]), y, terms=2, intercept=False)
    total = ((y - y.mean()) ** 2).sum()
    for k, step in enumerate(path.steps, 1):
        A = np.array([[1.0] * 30, x])[[s.candidate for s in path.steps[:k]]].T
        left = ((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).sum()
        assert step.r2 == pytest.approx(1 - left / total, rel=1e-9, abs=1e-9)
        assert step.adjusted_r2 == pytest.approx(1 - left / total * 29 / (30 - k - 1), rel=1e-9, abs=1e-9)
        assert step.intercept == 0


def test_selection_stops_when_nothing_is_left_to_explain() -> None:
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((6, 40))
    path = select(rows, 3 - rows[2])
    assert [s.candidate for s in path.steps] == [2]
    assert path.steps[0].r2 == pytest.approx(1)


def test_the_first_term_is_taken_whatever_the_threshold() -> None:
    rng = np.random.default_rng(6)
    path = select(rng.standard_normal((3, 40)), rng.standard_normal(40), threshold=1.0)
    assert len(path.steps) == 1


def test_candidates_that_are_not_finite_or_do_not_vary_are_known() -> None:
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((6, 20))
    rows[1, 3], rows[2, 4], rows[3], rows[4] = np.nan, np.inf, 5.0, 1e15 + np.linspace(0, 1e-3, 20)
    every = columns(rows)
    assert every.varies.tolist() == [True, False, False, False, False, True]
    assert every.bounded.tolist() == [True, False, False, True, True, True]


def test_blocks_do_not_change_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(8).lognormal(size=(11, 30))
    whole = columns(rows.copy())
    monkeypatch.setattr("core.models.parts.columns.BLOCK", 64)
    parts = columns(rows.copy())
    np.testing.assert_allclose(parts.Z, whole.Z, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(parts.norms, whole.norms, rtol=1e-13)
    np.testing.assert_allclose(parts.leverage(), whole.leverage(), rtol=1e-13)


def test_gains_add_up_to_the_adjusted_r2_even_where_that_is_negative() -> None:
    rng = np.random.default_rng(9)
    rows = rng.standard_normal((5, 30))
    path = select(rows, 20 + rows[0] + rng.standard_normal(30), intercept=False)
    assert path.steps[1].adjusted_r2 < 0
    np.testing.assert_allclose(np.cumsum([s.gain for s in path.steps]), [s.adjusted_r2 for s in path.steps], rtol=1e-9)
