"""The trained domain: what leaves it and how far, in a metric or in all together, and which trials are nearest."""

import numpy as np
import pytest

from core.validate.domain import Domain, Range, learn_domain, reach_of
from core.validate.landmarks import MOST_LANDMARKS, choose_landmarks


def cloud(n: int = 300, seed: int = 0) -> np.ndarray:
    """Two metrics that rise together, of different size, and one of its own."""
    rng = np.random.default_rng(seed)
    t = rng.standard_normal(n)
    return np.column_stack([1e6 * (5 + t + 0.1 * rng.standard_normal(n)), 3 - 2 * t, rng.uniform(0, 1, n)])


def test_outside_is_named_with_the_trained_range() -> None:
    domain = learn_domain(np.array([[1.0, 10.0, 5.0], [2.0, 20.0, 5.0]]))
    why = domain.outside(np.array([[1.5, 15.0, 5.0], [3.0, 15.0, 5.0], [3.0, 1000.0, 6.0]]), ["a", "b", "c"])
    assert sorted(why) == [1, 2]
    assert why[1] == "a = 3 is outside the trained 1 to 2"
    assert why[2].startswith("b = 1000 is outside")
    assert why[2].endswith("and 1 more")


def one_by_one(domain: Domain, X: np.ndarray, names: list[str]) -> dict[int, str]:
    """The same sentences, each row by itself."""
    found = {}
    span = np.where(domain.high > domain.low, domain.high - domain.low, 1.0)
    for i, row in enumerate(X):
        columns = np.flatnonzero(domain.beyond(row[None])[0])
        if len(columns):
            how_far = np.maximum(domain.low - row, row - domain.high) / span
            worst = columns[np.argsort(-how_far[columns], kind="stable")][:2]
            parts = [
                f"{names[c]} = {row[c]:.6g} is outside the trained {domain.low[c]:.6g} to {domain.high[c]:.6g}"
                for c in worst
            ]
            parts += [f"and {len(columns) - 2} more"] if len(columns) > 2 else []
            found[i] = "; ".join(parts)
        elif domain.too_far(leverage := domain.leverage(row[None]))[0]:
            away = row - domain.centre
            share = away * (domain.directions.T @ (domain.directions @ away))
            worst_two = " and ".join(names[c] for c in np.argsort(-share, kind="stable")[:2])
            times = np.sqrt(leverage[0] / domain.furthest)
            found[i] = (
                f"its metrics together are {times:.3g} times as far from the trained centre as any trial, "
                f"mostly by {worst_two}"
            )
    return found


@pytest.mark.parametrize("n_metrics", [1, 2, 3, 6])
def test_rows_are_told_as_each_by_itself(n_metrics: int) -> None:
    rng = np.random.default_rng(n_metrics)
    mixed = rng.standard_normal((n_metrics, n_metrics)) * 10.0 ** rng.integers(-3, 7, n_metrics)
    domain = learn_domain(rng.standard_normal((200, n_metrics)) @ mixed)
    X = np.concatenate([scale * rng.standard_normal((300, n_metrics)) @ mixed for scale in (0.5, 1.0, 1.5, 30.0)])
    X[5, 0], X[6, -1], X[7, 0] = np.nan, np.inf, -np.inf
    names = [f"metric {c}" for c in range(n_metrics)]
    said = domain.outside(X, names)
    assert said == one_by_one(domain, X, names)
    assert len(said) > 300
    assert domain.outside(X[:0], names) == {}
    if n_metrics > 2:
        assert {"; and", "together"} <= {word for why in said.values() for word in ("; and", "together") if word in why}


def test_leverage_is_the_squared_mahalanobis_distance() -> None:
    X = cloud()
    domain = learn_domain(X)
    by_hand = np.einsum("ij,jk,ik->i", X - X.mean(0), np.linalg.inv(np.cov(X.T, bias=True)), X - X.mean(0))
    np.testing.assert_allclose(domain.leverage(X), by_hand, rtol=1e-8)
    assert domain.furthest == pytest.approx(by_hand.max())
    assert domain.leverage(X).mean() == pytest.approx(3)


def test_a_row_may_be_outside_though_each_metric_is_inside() -> None:
    X = cloud()
    domain = learn_domain(X)
    against = np.array([[X[:, 0].max(), X[:, 1].max(), 0.5], X.mean(0)])  # the two have never been high together
    assert not domain.beyond(against).any()
    assert domain.leaves(against).tolist() == [True, False]
    (why,) = domain.outside(against, ["loads", "misses", "third"]).values()
    assert why.startswith("its metrics together are ")
    assert "times as far from the trained centre as any trial, mostly by " in why
    assert "third" not in why
    assert sorted(domain.outside(against, ["a", "b", "c"])) == np.flatnonzero(domain.leaves(against)).tolist()


def test_no_training_trial_is_outside_and_hardly_any_other_of_the_same_kind() -> None:
    domain = learn_domain(cloud(400))
    assert not domain.leaves(cloud(400)).any()
    assert domain.leaves(cloud(4000, 1)).mean() < 0.03


def test_what_does_not_vary_or_is_told_twice_has_no_direction() -> None:
    X = cloud()
    twice = np.column_stack([X, X[:, 0] * 3, np.full(len(X), 7.0)])
    domain = learn_domain(twice)
    assert domain.directions.shape == (3, 5)
    np.testing.assert_allclose(domain.leverage(twice), learn_domain(X).leverage(X), rtol=1e-6)


def test_wide_tables_have_the_same_leverage_from_the_smaller_matrix() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 90))
    domain = learn_domain(X)
    assert domain.directions.shape == (6, 90)
    Z = (X - X.mean(0)) / X.std(0)
    _, s, Vt = np.linalg.svd(Z / np.sqrt(60), full_matrices=False)
    np.testing.assert_allclose(domain.leverage(X), np.square(Z @ Vt[:6].T / s[:6]).sum(1), rtol=1e-9)


def test_few_trials_know_the_range_alone() -> None:
    X = cloud(9)
    domain = learn_domain(X, ["x"] * 9, np.arange(9.0))
    assert not domain.knows_leverage
    assert domain.leverage(X).tolist() == [0] * 9
    assert not domain.leaves(X).any()
    places, distances = domain.nearest(X, 1)
    assert places[:, 0].tolist() == list(range(9))
    assert distances.max() == 0


def test_a_bare_domain_is_its_range() -> None:
    domain = Domain(np.zeros(2), np.ones(2))
    assert domain.leaves(np.array([[0.5, 0.5], [0.5, 2.0]])).tolist() == [False, True]
    assert domain.nearest(np.zeros((3, 2)), 3)[0].shape == (3, 0)


def test_landmarks_are_all_of_few_trials_and_cover_many() -> None:
    X, y = cloud(50), np.arange(50.0)
    few = learn_domain(X, [""] * 49 + ["last · one"], y).landmarks
    assert (few.labels[0], few.labels[-1], len(few)) == ("trial 1", "last · one", 50)
    np.testing.assert_array_equal(few.rows, X)
    np.testing.assert_array_equal(few.responses, y)
    many = cloud(1500)
    domain = learn_domain(many, ["t"] * 1500, np.arange(1500.0))
    assert len(domain.landmarks) == MOST_LANDMARKS
    np.testing.assert_array_equal(domain.landmarks.rows, many[domain.landmarks.responses.astype(int)])
    rng = np.random.default_rng(0)
    at_random = [_cover(many, rng.choice(1500, MOST_LANDMARKS, replace=False), domain) for _ in range(5)]
    assert _cover(many, domain.landmarks.responses.astype(int), domain) < 0.5 * min(at_random)


def _cover(X: np.ndarray, places: np.ndarray, domain: Domain) -> float:
    """The largest distance of a trial to its nearest landmark."""
    at = domain.coordinates(X)
    return float(np.sqrt(((at[:, None] - at[places]) ** 2).sum(2)).min(1).max())


def test_repeats_are_one_landmark_and_wide_trials_are_fewer() -> None:
    points = np.repeat(np.arange(10.0)[:, None], 60, axis=0)
    assert len(choose_landmarks(points, 2)) == 10
    rng = np.random.default_rng(0)
    assert len(choose_landmarks(rng.standard_normal((500, 3)), 400)) == 50
    assert len(choose_landmarks(rng.standard_normal((500, 3)), 4000)) == 20


def test_nearest_are_in_order_and_in_standard_deviations() -> None:
    X = cloud(150)
    domain = learn_domain(X, ["t"] * 150, np.arange(150.0))
    places, distances = domain.nearest(X[:5], 3)
    assert places[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert (np.diff(distances) >= 0).all()
    assert max(domain.nearest(x[None], 1)[1].item() for x in X) == 0  # and not what the last digits leave of one row
    apart = domain.coordinates(X[:1]) - domain.coordinates(X[places[0, 2]][None])
    assert distances[0, 2] == pytest.approx(np.sqrt(np.square(apart).mean()))


def test_the_reach_of_folds_is_how_far_what_they_held_out_lay_beyond_all_else() -> None:
    rng = np.random.default_rng(1)
    X, fold = rng.standard_normal((200, 4)), rng.integers(-1, 6, 200)
    X[:, 0] = np.exp(X[:, 0])
    X[0], fold[0] = [1e-3, -9.0, 9.0, 0.0], -1  # never held out: nothing was asked beyond it
    wanted = np.zeros((2, 4))
    for i in range(6):
        rest = X[fold != i]
        low, high = rest.min(axis=0), rest.max(axis=0)
        for row in X[fold == i]:
            below, above = low - row, row - high
            below[0], above[0] = np.log(low[0] / row[0]), np.log(row[0] / high[0])
            wanted = np.maximum(wanted, [below, above])
    assert reach_of(X, fold) == pytest.approx(wanted)
    assert (wanted > 0).any()
    assert wanted[0, 0] == 0
    assert not reach_of(X, np.full(200, 3)).any(), "one fold leaves nothing to lie beyond"


def test_rows_beyond_a_range_are_reflected_at_its_edge() -> None:
    span = Range(np.array([1.0, -2.0]), np.array([256.0, 2.0]))
    X = np.array([[1024.0, 0.0], [100.0, 1.0], [1.0, 3.0], [1024.0, -5.0], [256.0**3, 0.0], [-1.0, 0.0]])
    found = span.reflected(X)
    assert found.rows.tolist() == [0, 2, 3, 4, 5]
    assert found.edge.tolist() == [[256, 0], [1, 2], [256, -2], [256, 0], [1, 0]]
    assert found.back == pytest.approx(np.array([[64, 0], [1, 1], [64, 1], [1, 0], [3, 0]]))
    assert found.times == pytest.approx([1, 1, 1, 2, 1])
    reach = np.array([[0.0, 0.0], [np.log(2), 1.0]])  # twice as many, or one more, have been asked for
    found = span.reflected(X, reach)
    assert found.rows.tolist() == [0, 3, 4, 5]
    assert found.back[0] == pytest.approx([128, 0])
