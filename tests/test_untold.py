"""Trials that differ in name and in no metric."""

import numpy as np
import pytest

from core import untold as untold_ones
from core.trial import Metric, make_frame
from core.untold import is_untold, untold
from tests.conftest import machine_frame
from tests.report.designs import designs


def frame(labels: dict[str, list[str]]):
    one = designs(40)
    return make_frame(
        np.vstack([one.X, one.X]), np.concatenate([one.y, 2 * one.y]), one.metrics, Metric("t"), labels=labels
    )


def test_applications_that_no_metric_tells_apart_are_named() -> None:
    found = untold(frame({"application": ["b"] * 40 + ["a"] * 40}))
    assert found is not None
    assert (found.role, found.names) == ("application", ("a", "b"))


def test_the_first_role_that_differs_counts() -> None:
    found = untold(frame({"application": ["a"] * 80, "machine": ["x"] * 40 + ["y"] * 40}))
    assert found is not None
    assert found.role == "machine"


def test_metrics_that_tell_the_names_apart_need_no_word() -> None:
    assert untold(machine_frame()) is None
    assert untold(designs()) is None


def drawn(shift: float, names: int = 4, each: int = 30, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Return designs of which none comes again; each name's ranges of the first parameter lie apart by `shift`."""
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(names), each)
    X = rng.uniform(size=(len(which), 4))
    X[:, 0] += shift * which
    return X, [f"app {i}" for i in which]


def unsettled(X: np.ndarray, texts: list[str], y: np.ndarray | None = None, counted: int = 0) -> bool:
    """Return whether names are untold, where the last metrics were counted (all of them if a response is given)."""
    which = np.arange(X.shape[1]) >= X.shape[1] - (counted or (0 if y is None else X.shape[1]))
    return is_untold(X, texts, np.ones(len(X)) if y is None else y, which)


def test_names_at_designs_drawn_at_random_are_not_told_by_them() -> None:
    assert np.mean([unsettled(*drawn(0.0, seed=seed)) for seed in range(20)]) > 0.9
    X, texts = drawn(0.0)
    assert unsettled(X, texts)
    told, name = np.exp(X[:, 0]), np.array([int(text[-1]) for text in texts])
    assert not unsettled(X, texts, told)
    assert unsettled(X, texts, told * 4.0**name)
    order = np.random.default_rng(1).permutation(len(X))
    assert unsettled(X[order], [texts[i] for i in order])
    assert unsettled(np.exp(9 * X), texts)


def test_names_that_some_metric_settles_and_those_of_few_trials_are_told() -> None:
    assert not any(unsettled(*drawn(0.8, seed=seed)) for seed in range(20))
    assert not unsettled(*drawn(0.0, each=7))
    assert not unsettled(*drawn(0.0, names=21))


def test_sizes_of_a_full_grid_tell_which_input_it_is() -> None:
    levels = [(size, tile, k) for size in (512, 1024, 2048, 4096) for tile in (8, 16, 32) for k in (1, 2, 4, 8)]
    X, texts = np.array(levels, dtype=float), [f"{size}" for size, *_ in levels]
    assert not unsettled(X, texts)
    assert unsettled(X[:, 1:], texts)
    halves = np.column_stack([X[:, 0] // 2048, X[:, 0] % 2048 // 1024, X])
    assert not unsettled(halves[:, [0, 1, 3, 4]], [f"{a:g} x {b:g}" for a, b, *_ in halves])


def test_a_counter_that_tells_nothing_of_a_new_name_leaves_names_untold() -> None:
    rng = np.random.default_rng(0)
    name, n, threads = (x.ravel() for x in np.meshgrid(np.arange(4), [1e3, 1e4, 1e5], [1, 2, 4, 8], indexing="ij"))
    work = np.array([1.0, 7.0, 3.0, 20.0])[name]
    y, texts = work * n / threads * np.exp(0.02 * rng.normal(size=len(n))), [f"app {i}" for i in name]
    resident = 1e3 * rng.uniform(1, 2, len(n)) + 8 * n
    instructions = work * n * np.exp(0.02 * rng.normal(size=len(n)))
    assert unsettled(np.column_stack([n, threads, resident]), texts, y, counted=1)
    assert not unsettled(np.column_stack([n, threads, instructions]), texts, y, counted=1)
    assert not unsettled(np.column_stack([n, threads, resident, instructions]), texts, y, counted=2)
    assert not unsettled(np.column_stack([n, threads, resident]), texts, y / work, counted=1)  # names say nothing


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_many_trials_are_told_apart_by_a_hash_as_by_sorting(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(seed)
    X = draw.integers(-2, 3, (400, 3)) * draw.choice([0.5, -1.0, 1e300])
    X[X == 0] = draw.choice([0.0, -0.0], (X == 0).sum())
    _, ordered = untold_ones._settings(X)
    monkeypatch.setattr(untold_ones, "_SORTED", 10)
    rows, hashed = untold_ones._settings(X)  # few settings, of which all rows count
    assert np.arange(len(X))[rows].tolist() == [*range(len(X))]
    assert len({*zip(ordered.tolist(), hashed.tolist(), strict=True)}) == len({*ordered}) == len({*hashed})
    monkeypatch.setattr(untold_ones, "_SEEN", 2)
    rows, some = untold_ones._settings(X)  # some settings, with all of their rows
    assert len(rows) < len(X)
    assert {*hashed[rows]}.isdisjoint(np.delete(hashed, rows))
    assert len({*zip(hashed[rows].tolist(), some.tolist(), strict=True)}) == len({*some})


def test_of_many_trials_some_settings_say_what_all_do(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    X = np.repeat(draw.normal(size=(3_000, 2)), 2, axis=0)
    names = np.tile(["a", "b"], 3_000)
    y = draw.uniform(1, 2, len(X))
    monkeypatch.setattr(untold_ones, "_SORTED", 2_000)
    monkeypatch.setattr(untold_ones, "_SEEN", 500)
    assert len(untold_ones._settings(X)[0]) < len(X) / 2
    for order in (np.arange(len(X)), draw.permutation(len(X))):
        assert unsettled(X[order], names[order].tolist(), y[order])
        assert not unsettled(X[order], np.repeat(["a", "b"], 3_000)[order].tolist(), y[order])
