"""Two models against each other: alike ones do not differ, a better one does, and who has seen the trials is told."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.race.versus import AS_THEY_ARE, as_they_are, needed, on_folds
from core.recipes import make_recipe, train
from core.report.compare.versus import versus_basis, versus_sentence
from core.trial import Metric, make_frame
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

PLAN = parse_folds("kfold:6")


def test_the_better_recipe_is_found_on_folds() -> None:
    frame = machine_frame(12, 5, noise=0.02)
    good, poor = make_recipe("gaussian_process").fit(frame), make_recipe("eiger", {"max_terms": "1"}).fit(frame)
    found = on_folds(good, poor, frame, PLAN)
    assert found.paired.more_than_noise
    assert found.paired.difference > 0
    assert found.scores[0] == cross_validate(make_recipe("gaussian_process").asking(PLAN).fit, frame, PLAN).scores
    assert found.paired.first == pytest.approx(found.scores[0].mape)
    assert found.paired.second == pytest.approx(found.scores[1].mape)
    said = versus_sentence(found, "A", "B")
    assert said.startswith(f"A errs by {found.paired.first:.3g} % on average, B by")
    assert "more than noise" in said
    assert "no more" not in said
    assert " percentage points with 95 % confidence" in said
    assert " s with 95 % confidence" in versus_sentence(replace(found, unit="s"), "A", "B")
    assert versus_sentence(on_folds(poor, good, frame, PLAN), "B", "A").startswith("A errs by")
    little = replace(found, paired=replace(found.paired, difference=-4.3, low=-10.4, high=1.8, p=0.15))
    assert "the difference of 4.3 is between -1.8 and 10.4 percentage points" in versus_sentence(little, "A", "B")
    assert versus_basis(found).endswith("60 trials in 6 folds, the same for both.")


def test_each_model_has_its_own_kind_of_interval() -> None:
    frame = machine_frame(16, 8, noise=0.2)
    ways = ("plain", "prediction")
    first, second = (train(make_recipe("ols"), frame, PLAN, interval=way).model for way in ways)
    found = on_folds(first, second, frame, PLAN)
    assert found.scores == tuple(
        cross_validate(make_recipe("ols").asking(PLAN).fit, frame, PLAN, interval=way).scores for way in ways
    )
    assert found.scores[0].width_90 != found.scores[1].width_90
    assert found.paired.difference == 0


def test_coverage_is_that_of_the_validation() -> None:
    frame = machine_frame(16, 8, noise=0.3, seed=1)
    trained = train(make_recipe("ridge"), frame, PLAN)
    assert on_folds(trained.model, trained.model, frame, PLAN).scores[0] == trained.validation.scores


def test_a_recipe_does_not_differ_from_itself_or_by_a_hair() -> None:
    frame = machine_frame(12, 5, noise=0.3)
    one, same = make_recipe("ridge").fit(frame), make_recipe("ols").fit(frame)
    assert on_folds(one, one, frame, PLAN).paired.p == 1
    found = on_folds(one, same, frame, PLAN)
    assert not found.paired.more_than_noise
    assert "no more than noise" in versus_sentence(found, "A", "B")


def test_one_fold_is_told_apart_by_the_groups_inside_it() -> None:
    frame = machine_frame(12, 8, noise=0.02)
    good, poor = make_recipe("ols").fit(frame), make_recipe("eiger", {"max_terms": "1"}).fit(frame)
    found = on_folds(good, poor, frame, parse_folds("holdout:40"))
    assert found.inside
    assert found.paired.n_blocks >= 5
    assert found.paired.more_than_noise
    assert found.paired.p < 0.05
    assert "groups of one fold" in versus_basis(found)
    alone = replace(found, paired=replace(found.paired, n_blocks=1, low=-np.inf, high=np.inf, p=1.0))
    assert "cannot be told from one group" in versus_sentence(alone, "A", "B")


def test_as_they_are_on_new_trials_and_on_their_own() -> None:
    frame = machine_frame(14, 5, noise=0.05)
    apps = np.array([int(a[3:]) for a in frame.labels["application"]])
    old, new = frame.take(np.flatnonzero(apps < 8)), frame.take(np.flatnonzero(apps >= 8))
    first, second = make_recipe("gaussian_process").fit(old), make_recipe("ols").fit(old)
    fresh = as_they_are(first, second, new)
    assert (fresh.folds, fresh.seen, fresh.paired.n_blocks) == (AS_THEY_ARE, (False, False), 6)
    assert "learnt from these" not in versus_basis(fresh)
    known = as_they_are(first, make_recipe("ols").fit(new), old)
    assert known.seen == (True, False)
    assert "The first model learnt from these very trials" in versus_basis(known)
    both = as_they_are(first, second, old)
    assert both.seen == (True, True)
    said = "The first and the second model learnt from these very trials, so their errors are no honest ones."
    assert said in versus_basis(both)
    np.testing.assert_allclose(fresh.paired.first, fresh.scores[0].mape)


def test_models_of_different_responses_are_not_compared() -> None:
    frame = machine_frame()
    energy = make_frame(frame.X, frame.y, frame.metrics, Metric("energy", unit="J"), frame.labels)
    models = [make_recipe("ols").fit(one) for one in (frame, energy)]
    assert needed(models[:1]) == frame.names
    with pytest.raises(OptionError, match=r"energy \(J\) and time \(s\)"):
        needed(models)
