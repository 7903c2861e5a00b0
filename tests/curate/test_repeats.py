"""Repeats made one row: the mean of the inliers, the median, or the smallest, with their spread."""

import numpy as np
import pytest

from core.curate import AGGREGATES, aggregate
from core.errors import OptionError
from core.trial import Frame, Kind, Metric, make_frame

METRICS = (Metric("loads"), Metric("clock", Kind.PARAMETER))


def frame_of(apps: list[str], y: list[float], loads: list[float] | None = None, **labels: list[str]) -> Frame:
    n = len(y)
    X = np.column_stack([loads or list(range(n)), np.ones(n)])
    return make_frame(X, np.array(y), METRICS, Metric("time", Kind.RESPONSE, "s"), {"application": apps, **labels})


@pytest.fixture
def frame() -> Frame:
    """Six runs of a, the last an outlier; three of b, far apart; one of c."""
    return frame_of(
        ["a"] * 6 + ["b"] * 3 + ["c"],
        [10, 12, 11, 13, 14, 90, 4, 1, 40, 7],
        loads=[1, 2, 3, 4, 5, 600, 10, 20, 60, 8],
        day=["mon"] * 5 + ["tue"] + ["wed"] * 4,
    )


def rows(frame: Frame) -> list[tuple[str, float, float]]:
    return [
        (a, float(y), float(x)) for a, y, x in zip(frame.labels["application"], frame.y, frame.X[:, 0], strict=True)
    ]


def test_each_leaves_the_frame_as_it_is(frame: Frame) -> None:
    assert aggregate(frame, "each") is frame
    assert (frame.n_repeats, frame.spread) == (None, None)


def test_the_mean_is_that_of_the_inliers_and_metrics_of_the_same_trials(frame: Frame) -> None:
    assert rows(aggregate(frame, "mean")) == [("a", 12.0, 3.0), ("b", 15.0, 30.0), ("c", 7.0, 8.0)]
    assert rows(aggregate(frame, "mean", threshold=1e9))[0] == ("a", 25.0, pytest.approx(615 / 6))


def test_the_median_and_the_smallest(frame: Frame) -> None:
    assert rows(aggregate(frame, "median")) == [("a", 12.5, 3.5), ("b", 4.0, 20.0), ("c", 7.0, 8.0)]
    assert rows(aggregate(frame, "minimum")) == [("a", 10.0, 1.0), ("b", 1.0, 20.0), ("c", 7.0, 8.0)]


@pytest.mark.parametrize("how", AGGREGATES[1:])
def test_number_and_spread_of_the_repeats_are_kept(frame: Frame, how: str) -> None:
    found = aggregate(frame, how)
    assert found.n_repeats is not None
    assert found.spread is not None
    assert found.n_repeats.tolist() == [6, 3, 1]
    # > y <- c(10, 12, 11, 13, 14, 90); mad(y) / median(y); z <- c(4, 1, 40); mad(z) / median(z)
    # [1] 0.177912
    # [1] 1.11195
    assert found.spread[:2] == pytest.approx([0.177912, 1.11195])
    assert np.isnan(found.spread[2])


@pytest.mark.parametrize("how", AGGREGATES[1:])
def test_rows_taken_keep_their_repeats(frame: Frame, how: str) -> None:
    found = aggregate(frame, how)
    some = found.take(np.array([2, 0])).select(["clock"])
    assert some.n_repeats is not None
    assert some.spread is not None
    assert some.n_repeats.tolist() == [1, 6]
    assert np.isnan(some.spread[0])
    assert some.spread[1] == found.spread[0]


@pytest.mark.parametrize("how", AGGREGATES[1:])
def test_the_order_of_rows_is_irrelevant_to_the_last_bit(how: str) -> None:
    rng = np.random.default_rng(0)
    n = 300
    y, X, apps = (
        np.round(rng.lognormal(0, 1, n), 2),
        rng.lognormal(0, 9, (n, 2)),
        [f"app{i}" for i in rng.integers(0, 20, n)],
    )
    whole = make_frame(X, y, METRICS, Metric("time"), {"application": apps, "suite": [a[-1] for a in apps]})
    wanted = aggregate(whole, how)
    for seed in range(4):
        found = aggregate(whole.take(np.random.default_rng(seed).permutation(n)), how)
        assert np.array_equal(found.X, wanted.X)
        assert np.array_equal(found.y, wanted.y)
        assert (found.ids, found.labels) == (wanted.ids, wanted.labels)
        assert np.array_equal(found.configuration, wanted.configuration)


@pytest.mark.parametrize("seed", range(4))
def test_as_one_configuration_after_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 200
    apps, y = [f"app{i:02d}" for i in rng.integers(0, 25, n)], rng.lognormal(0, 1, n)
    frame = frame_of(apps, y.tolist(), rng.lognormal(0, 1, n).tolist())
    means, medians, least = (aggregate(frame, how, threshold=1.5) for how in AGGREGATES[1:])
    for i, c in enumerate(np.unique(frame.configuration)):
        own = frame.take(np.flatnonzero(frame.configuration == c))
        mad = 1.4826 * np.median(np.abs(own.y - np.median(own.y)))
        inside = np.abs(own.y - np.median(own.y)) <= 1.5 * mad if len(own) >= 5 else np.ones(len(own), dtype=bool)
        assert means.y[i] == pytest.approx(own.y[inside].mean(), rel=1e-12)
        assert means.X[i] == pytest.approx(own.X[inside].mean(axis=0), rel=1e-12)
        assert medians.y[i] == np.median(own.y)
        assert np.array_equal(medians.X[i], np.median(own.X, axis=0))
        assert least.y[i] == own.y.min()
        assert np.array_equal(least.X[i], own.X[np.argmin(own.y)])


def test_alike_repeats_lose_none_and_stay_alike() -> None:
    found = aggregate(frame_of(["a"] * 6, [0.1] * 5 + [0.7]), "mean")
    assert found.y[0] == pytest.approx(0.2)
    assert aggregate(frame_of(["a"] * 7, [0.1] * 7), "mean").y[0] == 0.1


def test_ids_and_labels(frame: Frame) -> None:
    first = [frame.ids[int(np.flatnonzero(frame.configuration == c)[0])] for c in range(3)]
    assert list(aggregate(frame, "median").ids) == first
    assert aggregate(frame, "median").labels["day"] == ("", "wed", "wed")
    smallest = frame.take(
        np.array([int(np.argmin(np.where(frame.configuration == c, frame.y, np.inf))) for c in range(3)])
    )
    assert aggregate(frame, "minimum").ids == smallest.ids
    assert aggregate(frame, "minimum").labels["day"] == ("mon", "wed", "wed")


def test_a_note_says_so(frame: Frame) -> None:
    assert aggregate(frame, "mean").notes == (
        "10 trials make 3 rows: each configuration is the mean of its inliers (1 outlier left out of the means)",
    )
    assert aggregate(frame, "minimum").notes == ("10 trials make 3 rows: each configuration is its smallest repeat",)


def test_frames_without_metrics_and_without_names() -> None:
    bare = make_frame(np.zeros((4, 0)), np.arange(4.0), (), Metric("time"), {"application": ["a", "a", "b", "b"]})
    assert aggregate(bare, "mean").X.shape == (2, 0)
    assert aggregate(bare, "mean").y.tolist() == [0.5, 2.5]
    nameless = make_frame(np.zeros((3, 1)), np.arange(3.0), METRICS[:1], Metric("time"))
    assert len(aggregate(nameless, "median")) == 3


def test_an_unknown_way() -> None:
    with pytest.raises(OptionError, match="one of each, mean, median, minimum; got 'max'"):
        aggregate(frame_of(["a"], [1.0]), "max")


@pytest.mark.parametrize("how", ["mean", "median"])
def test_a_metric_that_one_repeat_lacks_has_no_value(how: str) -> None:
    found = aggregate(frame_of(["a"] * 3 + ["b"] * 3, [1, 2, 3, 4, 5, 6], loads=[5, np.nan, 9, 1, 2, 3]), how)
    assert np.isnan(found.X[0, 0])
    assert found.X[1, 0] == 2
