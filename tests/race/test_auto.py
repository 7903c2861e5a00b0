"""Auto, measured: nothing of a fold chooses what predicts it, the baselines are what they say, and fits are shared."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from core.errors import FitError
from core.export import read_model, write_model
from core.race.auto import Automatic, automatic
from core.race.versus import CONSTANT, STOCK, contender, rivals, verdict_beside
from core.recipes import make_recipe, validate
from core.recipes.auto import Auto
from core.recipes.base import Prepare
from core.recipes.parts.quick import Member
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.folds import parse_folds
from core.validate.landmarks import choose_landmarks
from tests.conftest import machine_frame
from tests.race.made import TIME, host_target

SMALL = Auto(trees=5)


@pytest.fixture(scope="module")
def found() -> Automatic:
    return automatic(machine_frame(6, 4), SMALL)


@pytest.mark.slow
def test_all_of_it_is_there(found: Automatic) -> None:
    assert [c.name for c in found.baselines] == [CONSTANT, STOCK]
    assert [c.name for c in found.entries] == [m.name for m in SMALL.members(found.frame)]
    assert str(found.plan) == "by:application"
    for one in (*found.baselines, *found.entries, found.winner, found.formula):
        assert np.isfinite(one.predicted).all()
    assert found.validation.scores.coverage_90 is not None
    assert found.model.interval is not None
    assert found.verdict.over_constant.difference > 0


@pytest.mark.slow
def test_the_model_is_the_recipes(found: Automatic) -> None:
    alone, both = SMALL.fit(found.frame), replace(found.model, interval=None, validation={})
    assert write_model(alone) == write_model(both)
    back = read_model(write_model(found.model))
    assert np.array_equal(
        back.predict(back.rows(found.frame)).value, found.model.predict(found.model.rows(found.frame)).value
    )


@pytest.mark.slow
def test_what_is_held_out_changes_nothing_of_what_is_said_of_it(found: Automatic) -> None:
    """Neither weights nor models may know a fold's responses."""
    frame = found.frame
    app2 = np.array(frame.labels["application"]) == "app2"
    changed = automatic(replace(frame, y=np.where(app2, 50 * frame.y, frame.y)), SMALL)
    for one, other in ((found.winner, changed.winner), (found.formula, changed.formula)):
        assert np.array_equal(one.predicted[app2], other.predicted[app2])
        assert not np.array_equal(one.predicted[~app2], other.predicted[~app2])


@pytest.mark.slow
def test_entries_are_learnt_without_their_fold(found: Automatic) -> None:
    fold = found.plan.split(found.frame)[3]
    for member, one in zip(SMALL.members(found.frame), found.entries, strict=True):
        model = member.fit(without(found.frame, fold))
        assert np.array_equal(one.predicted[fold.test], held_out(model, found.frame.take(fold.test)).predicted)


@pytest.mark.slow
def test_processes_change_nothing() -> None:
    own, seen = replace(SMALL, folds="kfold:3"), list[tuple[float, str]]()
    alone = automatic(machine_frame(4, 4), own, workers=1)
    many = automatic(machine_frame(4, 4), own, progress=lambda *told: seen.append(told), workers=2)
    assert any("in 2 processes" in said for _, said in seen)
    assert seen == sorted(seen, key=lambda told: told[0])
    assert write_model(many.model) == write_model(alone.model)
    for one, other in zip((*many.entries, many.winner), (*alone.entries, alone.winner), strict=True):
        assert np.array_equal(one.predicted, other.predicted)


@pytest.mark.slow
def test_a_fit_without_two_folds_serves_both(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    fit = Member.fit

    def counted(self: Member, frame: Frame, *prepare: Prepare):
        seen.append(self.name)
        return fit(self, frame, *prepare)

    monkeypatch.setattr(Member, "fit", counted)
    automatic(machine_frame(5, 4), SMALL)
    pairs, singles, whole = 10, 5, 1
    most = max(map(seen.count, set(seen)))  # of the best entry: others may be given up
    assert most in (pairs + singles, pairs + singles + whole)


@pytest.mark.slow
def test_only_models_that_are_kept_keep_trials_to_be_shown_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: set[int] = set()

    def choose(points: np.ndarray, n_metrics: int) -> np.ndarray:
        kept.add(len(points))
        return choose_landmarks(points, n_metrics)

    monkeypatch.setattr("core.validate.domain.choose_landmarks", choose)
    frame = machine_frame(5, 4)
    found = automatic(frame, SMALL)
    assert kept == {len(frame)}
    assert len(found.model.domain.landmarks) == len(frame)


def test_the_constant_is_the_median_of_the_others() -> None:
    frame, plan = machine_frame(), parse_folds("by:application")
    folds = plan.split(frame)
    said = contender(CONSTANT, rivals(0, plan)[CONSTANT], frame, folds).predicted
    assert said[folds[2].test] == pytest.approx(np.median(without(frame, folds[2]).y))
    pair = host_target()
    host = pair.X[:, pair.names.index(TIME)]
    (first, *_) = folds = plan.split(pair)
    rest = np.setdiff1d(np.arange(len(pair)), first.test)
    said = contender(CONSTANT, rivals(0, plan)[CONSTANT], pair, folds).predicted
    assert said[first.test] == pytest.approx(np.median(pair.y[rest] / host[rest]) * host[first.test])


def test_stock_trees_are_scikit_learns_as_they_come() -> None:
    frame = machine_frame()
    plan = parse_folds("by:application")
    (first, *_) = folds = plan.split(frame)
    rest = without(frame, first)
    theirs = ExtraTreesRegressor(random_state=4).fit(rest.X, rest.y).predict(frame.X[first.test])
    assert contender(STOCK, rivals(4, plan)[STOCK], frame, folds).predicted[first.test] == pytest.approx(theirs)


@pytest.mark.slow
def test_folds_that_hold_out_once_choose_inside() -> None:
    frame = machine_frame(6, 4)
    found = automatic(frame, replace(SMALL, folds="holdout:6"))
    assert (found.fold_of_row >= 0).sum() == 6
    assert np.isfinite(found.winner.predicted).sum() == 6


@pytest.mark.slow
@pytest.mark.usefixtures("few_entries")
def test_many_folds_choose_on_few() -> None:
    found = automatic(machine_frame(11, 2), replace(SMALL, folds="by:application"))
    assert np.isfinite(found.winner.predicted).all()


@pytest.mark.parametrize("n", [2, 4])
def test_too_few_trials(n: int) -> None:
    with pytest.raises(FitError, match=f"needs 5 configurations at least, got {n}"):
        automatic(machine_frame().take(np.arange(n)), SMALL)


def test_trials_in_which_nothing_differs_are_no_few_trials() -> None:
    frame = machine_frame()
    with pytest.raises(FitError, match="No metric differs between the trials"):
        automatic(replace(frame, X=np.ones_like(frame.X)), SMALL)


def test_any_validation_has_its_verdict_beside_baselines_on_its_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, plan = machine_frame(), parse_folds("by:machine")
    found = validate(make_recipe("ols"), frame, plan, seed=3)
    verdict = verdict_beside(frame, found, 3)
    assert verdict is not None
    assert verdict.over_stock is not None
    y, off = frame.y, []
    for fold in plan.split(frame, 3):
        rest = np.setdiff1d(np.arange(len(y)), fold.test)
        off.append(np.abs(np.log(np.median(y[rest]) / y[fold.test])))
    assert verdict.over_constant.second == pytest.approx(np.concatenate(off).mean())
    monkeypatch.setattr("core.race.versus.AFFORDABLE", 2 * len(frame))
    fewer, folds = verdict_beside(frame, found, 3), plan.split(frame, 3)
    assert fewer is not None
    assert fewer.over_stock is not None
    assert fewer.over_stock.n_trials == sum(len(fold.test) for fold in folds[:2]) < verdict.over_stock.n_trials
    monkeypatch.setattr("core.race.versus.AFFORDABLE", len(frame) - 1)
    without_trees = verdict_beside(frame, found, 3)
    assert without_trees is not None
    assert without_trees.over_stock is None
    assert without_trees.says.endswith(f"a constant is off by a factor of {np.exp(verdict.over_constant.second):.2f}.")
    assert verdict_beside(frame, replace(found, predicted=np.full(len(y), np.nan)), 3) is None
