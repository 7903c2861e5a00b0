"""Correlations: the numbers, the order that puts alike metrics side by side, and the groups of many."""

from itertools import pairwise

import numpy as np
import pytest

from core.report.trials.metrics import correlation
from core.trial import Frame, Metric, make_frame


def _frame(X: np.ndarray, y: np.ndarray | None = None) -> Frame:
    metrics = [Metric(f"m{j}") for j in range(X.shape[1])]
    return make_frame(X, np.arange(len(X), dtype=float) if y is None else y, metrics, Metric("y"))


def _blocks(n_blocks: int, size: int, seed: int = 0) -> np.ndarray:
    """Metrics of several blocks, dealt out in turn, so that their order hides them."""
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((200, n_blocks))
    columns = [base[:, j % n_blocks] + 0.1 * rng.standard_normal(200) for j in range(n_blocks * size)]
    return np.column_stack(columns)


def test_the_matrix_is_numpys_in_another_order() -> None:
    X = _blocks(3, 4)
    found = correlation(_frame(X))
    order = [int(name[1:]) for name in found.names]
    assert found.matrix == pytest.approx(np.corrcoef(X.T)[np.ix_(order, order)], abs=1e-12)


def test_alike_metrics_stand_side_by_side() -> None:
    found = correlation(_frame(_blocks(3, 4)))
    blocks = [int(name[1:]) % 3 for name in found.names]
    assert sum(a != b for a, b in pairwise(blocks)) == 2


def test_many_metrics_are_grouped_and_every_metric_is_in_one_group() -> None:
    found = correlation(_frame(_blocks(5, 16)), most=5)
    assert len(found.names) == 5
    assert found.grouped
    assert sorted(name for group in found.groups for name in group) == sorted(f"m{j}" for j in range(80))
    assert all(len({int(name[1:]) % 5 for name in group}) == 1 for group in found.groups)
    assert all(group[0] == name for name, group in zip(found.names, found.groups, strict=True))
    assert found.labels[0] == f"{found.names[0]} (+15)"


def test_constant_metrics_are_left_out_and_named() -> None:
    X = np.column_stack([_blocks(2, 1), np.full(200, 7.0)])
    found = correlation(_frame(X))
    assert found.constant == ("m2",)
    assert set(found.names) == {"m0", "m1"}


def test_ranks_see_any_rise() -> None:
    x = np.linspace(-3, 3, 50)
    frame = _frame(np.column_stack([x, np.exp(3 * x) - 5]), y=x**3)
    ranks = correlation(frame, "rank")
    assert ranks.matrix == pytest.approx(np.ones((2, 2)), abs=1e-12)
    assert ranks.with_response == pytest.approx([1, 1], abs=1e-12)
    assert correlation(frame, "linear").matrix[0, 1] < 0.9


def test_metrics_over_decades_are_correlated_as_a_model_sees_them() -> None:
    x = np.geomspace(1, 1e6, 40)
    frame = _frame(np.column_stack([x, x**2]), y=1 / x)
    found = correlation(frame)
    assert found.matrix[0, 1] == pytest.approx(1.0, abs=1e-12)
    assert found.with_response == pytest.approx([-1, -1], abs=1e-12)


def test_a_constant_response_correlates_with_nothing() -> None:
    assert correlation(_frame(_blocks(2, 1), y=np.ones(200))).with_response == pytest.approx([0, 0])
