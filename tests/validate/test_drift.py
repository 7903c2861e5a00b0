"""Drift: the stability index by hand, no alarm by chance, and an alarm where a metric has moved."""

import numpy as np
import pytest

from core.validate.domain import Domain, learn_domain
from core.validate.drift import drift_of
from core.validate.landmarks import learn_marginals

NAMES = ("loads", "cores", "clock")


def rows(n: int, seed: int = 0, moved: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    loads = np.exp(rng.standard_normal(n) + moved)
    return np.column_stack([loads, rng.choice([4.0, 8.0, 16.0], n, p=[0.5, 0.3, 0.2]), np.full(n, 2.5)])


def domain(n: int = 1000) -> Domain:
    X = rows(n)
    return learn_domain(X, ["t"] * n, X[:, 0])


def test_marginals_are_deciles_and_the_shares_below_them() -> None:
    found = learn_marginals(np.array([[float(i), float(i % 2)] for i in range(1, 101)]))
    assert found.edges[0].tolist() == [1, *range(10, 101, 10)]
    assert found.shares[0].tolist() == pytest.approx([0.01, *np.arange(0.1, 1.01, 0.1)])
    assert set(found.edges[1]) == {0, 1}
    assert found.shares[1][0] == 0.5
    assert found.n_trials == 100


def test_the_index_of_a_metric_of_few_values_by_hand() -> None:
    new = rows(1000, 1)
    new[:, 1] = np.repeat([4.0, 8.0, 16.0], [200, 300, 500])
    found = drift_of(domain(), NAMES, new)
    trained = np.array([(rows(1000)[:, 1] == v).mean() for v in (4, 8, 16)])
    share = (np.array([200, 300, 500]) + 1.5 * trained) / 1001.5  # half a trial per value, spread as before
    cores = next(m for m in found.metrics if m.name == "cores")
    assert cores.stability == pytest.approx(((share - trained) * np.log(share / trained)).sum())
    assert cores.distance == pytest.approx(trained[0] - 0.2)
    assert found.drifted == (cores,)
    assert found.outside == pytest.approx(0, abs=0.005)


def test_a_continuous_metric_against_its_deciles_by_hand() -> None:
    new = rows(500, 1, 0.5)
    found = drift_of(domain(), NAMES, new)
    loads = next(m for m in found.metrics if m.name == "loads")
    edges = np.quantile(rows(1000)[:, 0], np.arange(1, 10) / 10, method="inverted_cdf")
    share = (np.histogram(new[:, 0], [-np.inf, *np.nextafter(edges, np.inf), np.inf])[0] + 0.5) / 505
    assert loads.stability == pytest.approx(((share - 0.1) * np.log(share / 0.1)).sum())
    assert loads.trained == pytest.approx(np.median(rows(1000)[:, 0]), rel=0.01)
    assert loads.new == np.median(new[:, 0])


@pytest.mark.parametrize("n", [15, 60, 500])
def test_trials_of_the_same_kind_hardly_ever_drift(n: int) -> None:
    known = domain()
    found = [drift_of(known, NAMES, rows(n, seed)) for seed in range(1, 101)]
    assert sum(bool(one.drifted) for one in found) <= 4
    assert np.mean([one.outside for one in found]) < 0.01
    exceeded = [m.stability > m.by_chance for one in found for m in one.metrics if m.name != "clock"]
    assert np.mean(exceeded) <= 0.03


def test_what_moved_is_found_and_stands_first() -> None:
    found = drift_of(domain(), NAMES, rows(80, 1, 1.5))
    assert [m.name for m in found.drifted] == ["loads"]
    assert found.metrics[0].name == "loads"
    assert found.metrics[0].new > 2 * found.metrics[0].trained


def test_shares_outside_are_told_apart() -> None:
    new = rows(100, 1)
    new[:10, 2] = 3.0
    new[0, 0] = np.nan
    found = drift_of(domain(), NAMES, new)
    clock = next(m for m in found.metrics if m.name == "clock")
    assert found.n_trials == 99
    assert clock.outside == pytest.approx(9 / 99)
    assert found.outside == found.out_of_range == pytest.approx(9 / 99)
    assert not clock.drifted


def test_a_model_without_deciles_knows_the_range_alone() -> None:
    whole = domain()
    found = drift_of(Domain(whole.low, whole.high), NAMES, rows(50, 1, 9.0))
    assert found.outside == 1
    assert not found.drifted
    assert all(np.isnan(m.stability) for m in found.metrics)
