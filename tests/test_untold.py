"""Trials that differ in name and in no metric."""

import numpy as np

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


def test_names_at_designs_drawn_at_random_are_not_told_by_them() -> None:
    assert np.mean([is_untold(*drawn(0.0, seed=seed)) for seed in range(20)]) > 0.9
    X, texts = drawn(0.0)
    assert is_untold(X, texts)
    told, name = np.exp(X[:, 0]), np.array([int(text[-1]) for text in texts])
    assert not is_untold(X, texts, told)
    assert is_untold(X, texts, told * 4.0**name)
    order = np.random.default_rng(1).permutation(len(X))
    assert is_untold(X[order], [texts[i] for i in order])
    assert is_untold(np.exp(9 * X), texts)


def test_names_that_some_metric_settles_and_those_of_few_trials_are_told() -> None:
    assert not any(is_untold(*drawn(0.8, seed=seed)) for seed in range(20))
    assert not is_untold(*drawn(0.0, each=7))
    assert not is_untold(*drawn(0.0, names=21))
