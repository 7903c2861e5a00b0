"""Intervals learnt from out-of-fold residuals: honest coverage, by difficulty, per cluster, on groups left out."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.validate import calibration
from core.validate.calibration import (
    AUTO,
    CLUSTER,
    LEAST_OWN,
    PLAIN,
    OutOfFold,
    choose,
    covering_level,
    equal_groups,
    learn_interval,
    measure,
    weighted_quantile,
)
from core.validate.intervals import LEARNT, LEVERAGE, PREDICTION, half_width


def drawn(n: int = 1000, k: int = 10, seed: int = 0, spread: object = None, cluster: object = None) -> OutOfFold:
    """Normal residuals whose standard deviation is a function of leverage and prediction."""
    rng = np.random.default_rng(seed)
    leverage, scaled = rng.chisquare(3, n), rng.standard_normal(n)
    sigma = np.ones(n) if spread is None else spread(leverage, scaled)
    residuals = sigma * rng.standard_normal(n)
    own = None if cluster is None else cluster(scaled).astype(np.int64)
    return OutOfFold(residuals, scaled, leverage, np.arange(n) % k, own)


def test_a_fold_has_no_say_in_its_own_width() -> None:
    residuals, nothing = np.array([1.0, 1.0, 50.0, 60.0]), np.zeros(4)
    known = OutOfFold(residuals, nothing, None, np.array([0, 0, 1, 1]))
    assert measure(known, PLAIN, 0.9).widths.tolist() == [60, 60, 1, 1]
    alone = OutOfFold(residuals, nothing, None, np.array([0, 0, 0, -1]))
    assert np.isnan(measure(alone, PLAIN, 0.9).widths).all()


def test_plain_widths_are_conformal_quantiles_of_the_other_folds_by_brute_force() -> None:
    known = drawn(60, 3)
    widths = measure(known, PLAIN, 0.9).widths
    for i in range(60):
        others = np.sort(np.abs(known.residuals[known.fold_of_row != known.fold_of_row[i]]))
        # the smallest others' size that, with one more residual of any size, 90 % of all are not above
        smallest = next(w for w in others if (others <= w).sum() >= 0.9 * (len(others) + 1))
        assert widths[i] >= smallest
        assert (others < widths[i]).sum() - (others < smallest).sum() <= 2  # of two parts, the level is their own


def test_the_level_of_alike_parts_is_the_nominal_one_by_brute_force() -> None:
    known = drawn(400, 8, 3)
    size, part = np.abs(known.residuals), known.part_of_row

    def covered(level: float) -> float:
        return np.mean([size[i] <= half_width(size[part != part[i]], level) for i in range(len(size))])

    level = covering_level(size, part, 0.9)
    assert 0.9 <= level < 0.91
    assert covered(level) >= 0.9
    assert level == 0.9 or covered(level - 1 / 350) < 0.9


def test_the_level_is_higher_where_parts_differ() -> None:
    rng = np.random.default_rng(1)
    part = np.repeat(np.arange(10), 60)
    size = np.abs(rng.standard_normal(600)) * np.exp(1.2 * rng.standard_normal(10))[part]
    level = covering_level(size, part, 0.9)
    covered = [size[i] <= half_width(size[part != part[i]], level) for i in range(600)]
    plain = [size[i] <= half_width(size[part != part[i]], 0.9) for i in range(600)]
    assert np.mean(plain) < 0.89
    assert 0.9 <= np.mean(covered) < 0.905
    assert covering_level(size[:120], part[:120], 0.9) == 0.9  # two parts tell nothing of how parts differ


SPREADS = {
    "alike": None,
    LEVERAGE: lambda leverage, scaled: 0.2 + leverage,
    PREDICTION: lambda leverage, scaled: np.exp(scaled),
}


@pytest.mark.parametrize("kind", list(SPREADS))
@pytest.mark.parametrize("method", [PLAIN, LEVERAGE, PREDICTION, pytest.param(AUTO, marks=pytest.mark.slow)])
def test_new_rows_are_covered_and_the_cross_conformal_share_says_so(kind: str, method: str) -> None:
    told, true = [], []
    for seed in range(4):
        known, new = drawn(800, 10, seed, SPREADS[kind]), drawn(2000, 10, 100 + seed, SPREADS[kind])
        found = measure(known, method, 0.9)
        interval = learn_interval(known, found.method, 0.9, "kfold:10", 1)
        difficulty = new.leverage if interval.by == LEVERAGE else new.scaled
        half = interval.half(np.zeros(2000, dtype=int), difficulty)
        told.append(found.coverage)
        true.append(np.mean(np.abs(new.residuals) <= half))
    assert np.mean(told) == pytest.approx(0.9, abs=0.01)
    assert np.mean(true) == pytest.approx(0.9, abs=0.015)


@pytest.mark.parametrize("kind", [LEVERAGE, PREDICTION])
def test_what_tells_the_spread_is_chosen_and_covers_the_hard_rows(kind: str) -> None:
    known, new = drawn(1500, 10, 0, SPREADS[kind]), drawn(3000, 10, 1, SPREADS[kind])
    assert choose(known, 0.9).method == kind
    hard = np.argsort(SPREADS[kind](new.leverage, new.scaled))[-600:]
    for method, low, high in ((PLAIN, 0.0, 0.75), (kind, 0.84, 0.97)):
        interval = learn_interval(known, method, 0.9, "kfold:10", 1)
        difficulty = new.leverage if interval.by == LEVERAGE else new.scaled
        half = interval.half(np.zeros(3000, dtype=int), difficulty)
        assert low <= np.mean(np.abs(new.residuals[hard]) <= half[hard]) <= high


def test_plain_stays_where_nothing_tells_the_spread() -> None:
    assert [choose(drawn(seed=seed), 0.9).method for seed in range(5)] == [PLAIN] * 5


def test_leverage_never_makes_an_interval_narrower() -> None:
    interval = learn_interval(drawn(600, spread=lambda leverage, scaled: 1 / (1 + leverage)), LEVERAGE, 0.9, "f", 1)
    assert (np.diff(interval.factors) >= 0).all()


def test_clusters_with_enough_residuals_have_widths_of_their_own() -> None:
    known = drawn(600, spread=lambda leverage, scaled: np.where(scaled > 0, 5.0, 1.0), cluster=lambda z: z > 0)
    found = learn_interval(known, CLUSTER, 0.9, "f", 3)
    assert found.half_widths[1] > 4 * found.half_widths[0]
    assert found.half_widths[0] < found.half_widths[2] < found.half_widths[1]  # no trial of the third: all together
    assert choose(known, 0.9).method == CLUSTER
    few = drawn(2 * LEAST_OWN - 20, cluster=lambda z: np.arange(len(z)) % 2)
    assert len(set(learn_interval(few, CLUSTER, 0.9, "f", 2).half_widths)) == 1


def test_what_cannot_be_asked_is_plain_or_an_error() -> None:
    known = drawn(300)
    without = OutOfFold(known.residuals, known.scaled, None, known.fold_of_row)
    assert LEVERAGE not in without.methods
    assert measure(without, LEVERAGE, 0.9).method == PLAIN
    assert measure(known, CLUSTER, 0.9).method == PLAIN
    with pytest.raises(OptionError, match="must be one of auto, plain"):
        measure(known, "magic", 0.9)
    nothing = OutOfFold(np.full(9, np.nan), np.zeros(9), None, np.arange(9))
    assert learn_interval(nothing, PLAIN, 0.9, "f", 1) is None
    assert np.isnan(measure(nothing, AUTO, 0.9).widths).all()


def test_few_residuals_have_plain_intervals_and_many_folds_are_put_together() -> None:
    few = learn_interval(drawn(40), PREDICTION, 0.9, "f", 1)
    assert (few.by, len(few.knots)) == ("none", 0)
    alone = drawn(300, 300)
    assert len(np.unique(alone.part_of_row)) == 25
    assert measure(alone, PLAIN, 0.9).coverage == pytest.approx(0.9, abs=0.02)


def grouped(n_groups: int = 24, seed: int = 0) -> OutOfFold:
    """Groups of 10 to 200 trials, each with errors of a size of its own; large groups have small errors."""
    rng = np.random.default_rng(seed)
    counts = np.linspace(10, 200, n_groups).astype(int)
    group = np.repeat(np.arange(n_groups), counts)
    sigma = np.exp(0.5 * rng.standard_normal(n_groups)) * np.sqrt(200 / counts)
    residuals = sigma[group] * rng.standard_normal(len(group))
    return OutOfFold(residuals, np.zeros(len(group)), None, group % 12, group=group)


def test_groups_count_the_same_however_many_trials_they_have() -> None:
    weight = equal_groups(np.array([0, 0, 0, 1]))
    np.testing.assert_allclose(weight, [2 / 3, 2 / 3, 2 / 3, 2.0])
    assert weighted_quantile(np.array([1.0, 2.0, 3.0, 9.0]), weight, 0.5) == 3.0
    assert weighted_quantile(np.array([1.0, 2.0, 3.0, 9.0]), np.ones(4), 0.5) == 2.0
    size, part = np.abs(drawn(400, 8, 3).residuals), np.arange(400) % 8
    assert covering_level(size, part, 0.9, np.ones(400)) == covering_level(size, part, 0.9)


def test_a_new_group_is_covered_as_a_typical_group_is() -> None:
    shares: dict[str, list[float]] = {"groups": [], "trials": []}
    for seed in range(8):
        known = grouped(seed=seed)
        for name, own in (("groups", known), ("trials", replace(known, group=None))):
            widths = measure(own, PLAIN, 0.9).widths
            inside = np.abs(known.residuals) <= widths
            shares[name].append(np.mean([inside[known.group == g].mean() for g in range(24)]))
    assert np.mean(shares["trials"]) < 0.89  # large groups with small errors speak for all
    assert 0.9 <= np.mean(shares["groups"]) <= 0.96


@pytest.mark.slow
def test_what_is_reported_was_not_chosen_on_the_same_folds() -> None:
    known = drawn(1500, 10, 0, SPREADS[PREDICTION])
    found = measure(known, AUTO, 0.9)
    assert found.method == PREDICTION
    np.testing.assert_array_equal(found.widths, measure(known, PREDICTION, 0.9).widths)  # the same is chosen everywhere
    seen = {"plain": 0, "other": 0}
    for seed in range(6):
        alike = drawn(200, 10, seed)
        apart, plain = measure(alike, AUTO, 0.9), measure(alike, PLAIN, 0.9)
        seen["plain" if np.array_equal(apart.widths, plain.widths) else "other"] += 1
        assert apart.coverage == pytest.approx(np.mean(np.abs(alike.residuals) <= apart.widths))
    assert seen["plain"] >= 1


def unsure(n: int = 1000, seed: int = 0) -> OutOfFold:
    """Normal residuals whose standard deviation is one spread, beside a second that tells nothing."""
    rng = np.random.default_rng(seed)
    spreads = np.exp(rng.normal(0, 0.7, (n, 2)))
    known = drawn(n, seed=seed)
    return replace(known, residuals=spreads[:, 0] * rng.standard_normal(n), doubts=spreads)


def test_learnt_widths_follow_the_spread_that_errors_follow() -> None:
    known = unsure()
    found, plain = measure(known, LEARNT, 0.9), measure(known, PLAIN, 0.9)
    assert 0.88 < found.coverage < 0.92
    assert found.loss < 0.9 * plain.loss
    assert measure(known, AUTO, 0.9).method == LEARNT
    assert np.corrcoef(np.log(found.widths), np.log(known.doubts[:, 0]))[0, 1] > 0.9
    interval = learn_interval(known, LEARNT, 0.9, "kfold:10", 1)
    assert interval.by == LEARNT
    assert interval.spreads.weights[0] > 10 * interval.spreads.weights[1] >= 0
    half = interval.half(np.zeros(1000, dtype=np.int64), interval.spreads.difficulty(known.doubts))
    assert np.mean(np.abs(known.residuals) <= half) == pytest.approx(0.9, abs=0.02)
    assert interval.spreads.flat == pytest.approx(learn_interval(known, PLAIN, 0.9, "kfold:10", 1).half_widths[0])


def test_a_fold_has_no_say_in_its_own_learnt_width() -> None:
    known = unsure(300)
    own = known.fold_of_row == 4
    changed = replace(known, residuals=np.where(own, 9 * known.residuals, known.residuals))
    before, after = (measure(k, LEARNT, 0.9).widths for k in (known, changed))
    assert np.array_equal(before[own], after[own])
    assert not np.array_equal(before[~own], after[~own])


def test_spreads_that_do_not_vary_leave_widths_as_wide_everywhere() -> None:
    known = replace(unsure(200), doubts=np.ones((200, 2)))
    assert np.array_equal(measure(known, LEARNT, 0.9).widths, measure(known, PLAIN, 0.9).widths)
    assert learn_interval(known, LEARNT, 0.9, "kfold:10", 1).by == "none"
    assert LEARNT not in drawn().methods


def test_of_many_residuals_evenly_many_are_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(4)
    known = OutOfFold(draw.standard_normal(30_000), np.zeros(30_000), None, np.arange(30_000) % 7)
    whole = measure(known, PLAIN, 0.9)
    monkeypatch.setattr(calibration, "MOST_LEARNT", 2000)
    some, interval = measure(known, PLAIN, 0.9), learn_interval(known, PLAIN, 0.9, "kfold:7", 1)
    assert some.widths == pytest.approx(whole.widths, rel=0.1)
    assert abs(some.coverage - 0.9) < 0.03
    assert interval is not None
    assert some.widths[0] != whole.widths[0]


def test_where_every_prediction_was_refused_nothing_is_chosen() -> None:
    known = drawn(n=20, cluster=lambda scaled: scaled > 0)
    found = measure(replace(known, residuals=np.full(20, np.nan)), AUTO, 0.9)
    assert (found.method, found.coverage) == (PLAIN, 0.0)
    assert np.isnan(found.widths).all()
