"""Sobol' indices against their definitions, every point enumerated."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.models.splines import SplinesModel
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.space.columns import columns_of
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.sensitivity import Share, _between, sensitivity
from tests.space.made import every, grid, measured, pipeline, spline_model

TERMS = [(0,), (1,), (2,), (1, 0), (2, 3), (2, 0, 1)]


def by_definition(model: FittedPipeline, space: DesignSpace) -> tuple[np.ndarray, np.ndarray, float]:
    """First and total shares over all allowed points: Var(E(y | x_i)) and E(Var(y | all but x_i))."""
    codes = every(space)
    y = model.predict_scaled(columns_of(model, space).rows(codes))
    first, total = [], []
    for i in range(len(space.shape)):
        means = np.empty(len(y))
        for level in range(space.shape[i]):
            rows = codes[:, i] == level
            if rows.any():
                means[rows] = y[rows].mean()
        first.append(np.var(means))
        rest = np.unique(np.delete(codes, i, axis=1), axis=0, return_inverse=True)[1].ravel()
        left = np.array([y[rest == g].mean() for g in range(rest.max() + 1)])[rest]
        total.append(np.mean((y - left) ** 2))
    return np.array(first) / np.var(y), np.array(total) / np.var(y), float(np.var(y))


def values(shares: dict) -> np.ndarray:
    return np.array([s.value for s in shares.values()])


def test_exact_shares_are_those_of_the_definition() -> None:
    space = grid(4, 3, 5, 2)
    for seed in range(4):
        model = pipeline(space, spline_model(space, TERMS, seed))
        found = sensitivity(model, space)
        first, total, variance = by_definition(model, space)
        assert found.exact
        np.testing.assert_allclose(values(found.first), first, atol=1e-12)
        np.testing.assert_allclose(values(found.total), total, atol=1e-12)
        assert found.variance == pytest.approx(variance)
        assert list(values(found.interactions)) == sorted(values(found.interactions), reverse=True)
        assert all(s.low == s.value == s.high for s in found.first.values())


def test_a_model_without_interactions_has_none() -> None:
    space = grid(4, 3, 5)
    found = sensitivity(pipeline(space, spline_model(space, [(0,), (1,), (2,)])), space)
    assert values(found.first).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(values(found.first), values(found.total), atol=1e-12)
    assert not found.interacts
    for share, interacts in ((2e-9, False), (0.001, True)):
        assert replace(found, interactions={("a", "b"): Share(share, share, share)}).interacts == interacts


@pytest.mark.parametrize("constraints", [(), ("a <= c",)])
def test_sampled_shares_of_a_small_space_are_those_of_the_definition(constraints: tuple[str, ...]) -> None:
    """All points are taken; only what chance would give is taken off."""
    space = grid(5, 4, 6, 3, constraints=constraints)
    model = make_recipe("stepwise").fit(measured(space, every(space)[::2]))
    found = sensitivity(model, space, n_samples=4000)
    first, total, _ = by_definition(model, space)
    assert not found.exact
    assert found.n_samples == space.n_points
    np.testing.assert_allclose(values(found.first), first, atol=0.02)
    np.testing.assert_allclose(values(found.total), total, atol=0.02)


def test_sampling_agrees_with_the_exact_shares_within_its_intervals() -> None:
    space = grid(6, 5, 6, 6, 4)
    model = pipeline(space, spline_model(space, [(0,), (1,), (2,), (3,), (4,), (0, 1), (2, 3)], 3))
    exact = sensitivity(model, space)
    same = replace(
        space, constraints=grid(6, 5, 6, 6, 4, constraints=["a > 0"]).constraints
    )  # allows all, but is a constraint
    sampled = sensitivity(model, same, n_samples=3000, seed=1)
    assert not sampled.exact
    for mine, theirs in ((exact.first, sampled.first), (exact.total, sampled.total)):
        for name, share in theirs.items():
            assert share.low - 0.02 <= mine[name].value <= share.high + 0.02
    strongest = next(iter(exact.interactions))
    assert abs(sampled.interactions[strongest].value - exact.interactions[strongest].value) < 0.05
    assert sensitivity(model, same, n_samples=3000, seed=1) == sampled


def test_sampling_takes_the_pairs_of_levels_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the many pairs that two parameters of many levels could have."""
    sizes: list[int] = []

    def noted(group: np.ndarray, n_groups: int, *rest: np.ndarray) -> np.ndarray:
        sizes.append(n_groups)
        return _between(group, n_groups, *rest)

    monkeypatch.setattr("core.space.sensitivity._between", noted)
    levels = tuple(float(v) for v in range(1, 301))
    space = make_space([Parameter("a", levels), Parameter("b", levels)], ["a > 0"])
    found = sensitivity(pipeline(space, spline_model(space, [(0,), (1,), (0, 1)])), space, n_samples=500)
    assert max(sizes) <= 500
    assert len(found.interactions) == 1


def test_nothing_varies() -> None:
    space = grid(3, 3)
    model = pipeline(space, SplinesModel(1.0, spline_model(space, [(0,)]).axes, (), (), (), 9))
    with pytest.raises(OptionError, match="the same of every design"):
        sensitivity(model, space)


def test_refused_levels_are_said() -> None:
    space = grid(4, 4)
    model = pipeline(space, spline_model(space, [(0,), (1,)]), extrapolation="refuse", shrink=1)
    with pytest.raises(OptionError, match="no prediction for 7 of 16 designs"):
        sensitivity(model, space)
