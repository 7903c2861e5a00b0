"""The race: nothing leaks from a fold, it can stop and go on, and the winner is not picked on the folds it reports."""

from dataclasses import replace

import numpy as np
import pytest

from core.codec import dumps
from core.errors import Cancelled
from core.models import FAMILIES
from core.race.entry import Entry, entries_for, entry_of, scales_for
from core.race.race import race, race_id
from core.race.result import EVERYTHING, Race, Run, run_from_plain, run_to_plain
from core.race.standings import race_of
from core.recipes.base import Recipe, Treated
from core.recipes.parts.nested import best_of, inner_error, inner_folds, said_by
from core.recipes.parts.quick import MOST_PAIRED
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.crossval import cross_validate, without
from core.validate.folds import parse_folds
from tests.race.made import TIME, entry, host_target, quick

PLAN = parse_folds("by:application")


def raced(frame: Frame, **more: object) -> Race:
    return race(frame, PLAN, 0, quick(), **more)


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    """All runs of the race of all tests, in their order."""
    return []


@pytest.fixture(scope="module")
def found(runs: list[Run]) -> Race:
    return raced(host_target(), on_result=runs.append)


def told(found: Race) -> bytes:
    """All of a race but its seconds."""
    return dumps(
        [
            [
                (s.entry, s.treatment, s.treatments, s.validation.predicted.tolist(), s.inner_error, s.n_features)
                for s in found.running
            ],
            found.winner,
            found.picked_entries,
            found.nested.predicted.tolist() if found.nested else None,
            [dict(found.stack.weights), found.stack.validation.predicted.tolist()] if found.stack else None,
            [[dict(m.weights) for m in found.blend.by_fold], found.blend.validation.predicted.tolist()]
            if found.blend
            else None,
        ]
    )


def test_every_entry_is_scored_on_the_same_folds(found: Race) -> None:
    frame = host_target()
    assert {s.entry for s in found.running} == {"ridge", "ols", "extra_trees"}
    mapes = [s.validation.scores.mape for s in found.running]
    assert mapes == sorted(mapes)
    assert all(s.validation.scores.n == len(frame) for s in found.running)
    assert all((s.validation.fold_of_row == found.nested.fold_of_row).all() for s in found.running)
    assert found.standing("ridge").treatments == ("log_ratio",) * 6  # the raw scale is far off here
    one = cross_validate(Treated(family=FAMILIES["ols"](), response_scale="log_ratio").fit, frame, PLAN)
    np.testing.assert_array_equal(found.standing("ols").validation.predicted, one.predicted)
    assert found.standing("ols").by_fold == pytest.approx([s.mape for s in one.groups.values()])


@pytest.mark.parametrize("poisoned", ["app0", "app3"])
def test_a_poisoned_fold_changes_nothing_that_is_said_of_it_or_chosen_for_it(poisoned: str, found: Race) -> None:
    frame = host_target()
    held = np.array([a == poisoned for a in frame.labels["application"]])
    worse = replace(frame, y=np.where(held, 1e6 * frame.y, frame.y))
    other = raced(worse)
    place = found.fold_names.index(poisoned)
    for s in found.running:
        twin = other.standing(s.entry)
        np.testing.assert_array_equal(s.validation.predicted[held], twin.validation.predicted[held])
        assert s.treatments[place] == twin.treatments[place]
        assert s.chosen_by_fold[place] == twin.chosen_by_fold[place]
    assert found.picked_entries[place] == other.picked_entries[place]
    assert found.blend.by_fold[place] == other.blend.by_fold[place]
    np.testing.assert_array_equal(found.nested.predicted[held], other.nested.predicted[held])
    for one, two in ((found.stack, other.stack), (found.blend, other.blend)):
        np.testing.assert_array_equal(one.validation.predicted[held], two.validation.predicted[held])


def test_the_nested_winner_never_learns_from_its_fold_and_a_fit_without_two_folds_serves_both() -> None:
    seen: list[tuple[str, frozenset[str]]] = []

    class Spy(Treated):
        def fit(self, frame, progress=lambda *_: None, *more):
            seen.append((self.response_scale, frozenset(frame.labels["application"])))
            return super().fit(frame, progress, *more)

    frame = host_target(n_apps=4)
    spies = Entry(
        "ridge", "ridge", {s: Spy(family=FAMILIES["ridge"](), response_scale=s) for s in ("log_ratio", "raw")}
    )
    runs = []
    race(frame, PLAN, 0, [spies], on_result=lambda run: runs.append((run.fold, list(seen))) or seen.clear())
    for fold, trained_on in runs:
        if fold != EVERYTHING:
            assert all(f"app{fold}" not in apps for _, apps in trained_on)
            assert len(trained_on) <= 2 * 2 + 1 + 1  # two treatments on two inner folds, one on the third, and the fit
    pairs = [one for _, trained_on in runs for one in trained_on if len(one[1]) == 2]
    assert len(pairs) == len(set(pairs)) < 4 * (2 * 2 + 1)  # each is wanted without either of the two others


def test_treatments_are_chosen_by_the_error_on_inner_folds() -> None:
    frame = host_target()
    found = race(frame, PLAN, 0, [entry("ridge", "log_ratio", "raw"), entry("ols", "raw")])
    train_part = without(frame, PLAN.split(frame)[0])
    inner = inner_folds(train_part, PLAN, 0)
    assert [len(set(np.array(train_part.labels["application"])[f.test])) for f in inner] == [1] * 5
    assert found.winner == "ridge"
    assert found.picked_entries == ("ridge",) * 6
    assert found.nested.scores.mape == pytest.approx(found.standing("ridge").validation.scores.mape, rel=1e-12)
    assert found.blend.by_fold[0].weights == {"ridge": 1.0}


def test_inner_folds_ask_the_question_of_the_outer_ones() -> None:
    frame = host_target(n_apps=12, n_inputs=4)
    folds = inner_folds(frame, PLAN, 0)
    assert len(folds) == 8
    texts = np.array(frame.labels["application"])
    for i, fold in enumerate(folds):
        others = np.concatenate([f.test for j, f in enumerate(folds) if j != i])
        assert not set(texts[fold.test]) & set(texts[others])
    assert len(inner_folds(frame, parse_folds("kfold:10"), 0, 4)) == 4


def test_a_race_that_was_stopped_goes_on_to_the_same_bytes(found: Race) -> None:
    frame = host_target()
    kept: dict = {}

    def keep(run) -> None:
        kept[run.key] = run_from_plain(run_to_plain(run))
        if len(kept) == 9:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        raced(frame, on_result=keep)
    assert len(kept) == 9
    again: list = []
    resumed = raced(frame, done=kept, on_result=again.append)
    assert len(again) == 3 * 7 - 9
    assert told(resumed) == told(found)


def test_runs_come_back_from_json_bit_for_bit(found: Race, runs: list[Run]) -> None:
    assert len(runs) == 3 * 7
    for run in runs:
        back = run_from_plain(run_to_plain(run))
        assert dumps(run_to_plain(back)) == dumps(run_to_plain(run))
        np.testing.assert_array_equal(back.inner, run.inner)
        np.testing.assert_array_equal(back.result.predicted, run.result.predicted)


def test_cancel_reaches_the_middle_of_an_entry() -> None:
    calls = []

    def progress(fraction: float, message: str) -> None:
        calls.append(message)
        if "fold 2 of 6" in message:
            raise Cancelled("stopped")

    runs: list = []
    with pytest.raises(Cancelled):
        raced(host_target(), progress=progress, on_result=runs.append)
    assert [run.key for run in runs] == [("extra_trees", 0)]
    assert any("inner fold" in c for c in calls)


@pytest.mark.slow
def test_processes_change_nothing() -> None:
    frame = host_target(4, 6)
    entries = [
        entry("extra_trees", "log_ratio", trees=5),
        entry("ridge", "log_ratio"),
        entry("support_vectors", "log_ratio", most_trials=10),
    ]
    alone, several = (race(frame, PLAN, 0, entries, workers=n) for n in (1, 2))
    assert alone.nested is not None
    assert several.nested is not None
    assert np.array_equal(alone.nested.predicted, several.nested.predicted)
    assert [(s.entry, s.treatments, s.inner_error, s.error) for s in alone.standings] == [
        (s.entry, s.treatments, s.inner_error, s.error) for s in several.standings
    ]


def test_an_entry_that_cannot_run_says_why_and_stops_nobody() -> None:
    frame = host_target()
    entries = [entry("support_vectors", "log_ratio", most_trials=10), entry("ridge", "log_ratio")]
    runs: list = []
    found = race(frame, PLAN, 0, entries, on_result=runs.append)
    standing = found.standing("support_vectors")
    assert not standing.runs
    assert "takes at most 10 trials" in standing.error
    assert sum(run.entry == "support_vectors" for run in runs) == 1
    assert found.winner == "ridge"
    assert found.stack is None
    assert found.standings[-1] is standing


def test_while_it_goes_on_there_are_standings_of_what_is_whole(found: Race, runs: list[Run]) -> None:
    frame = host_target()
    some = {run.key: run for run in runs[:10]}
    part = race_of(frame, PLAN, 0, quick(), some)
    assert [s.entry for s in part.standings] == ["extra_trees"]
    assert (part.winner, part.blend) == ("extra_trees", None)
    assert race_of(frame, PLAN, 0, quick(), {}).winner == ""


def test_the_id_tells_races_apart() -> None:
    frame = host_target()
    ids = {
        race_id(frame, PLAN, 0, quick()),
        race_id(frame, PLAN, 1, quick()),
        race_id(frame, parse_folds("kfold:5"), 0, quick()),
        race_id(host_target(seed=1), PLAN, 0, quick()),
        race_id(frame, PLAN, 0, quick()[:2]),
        race_id(frame, PLAN, 0, (entry("ridge", "log_ratio"), *quick()[1:])),
    }
    assert len(ids) == 6
    assert race_id(frame, PLAN, 0, quick()) in ids


def test_scales_differ_between_folds_and_intervals_still_cover() -> None:
    frame = host_target(noise=0.3, n_apps=8)
    found = race(frame, PLAN, 0, [entry("ridge", "log_ratio", "log"), entry("extra_trees", "ratio", "log", trees=8)])
    assert 75 <= (found.nested.scores.coverage_90 or 0) <= 100
    assert 75 <= (found.stack.validation.scores.coverage_90 or 0) <= 100


def test_every_family_has_an_entry_with_treatments_that_suit() -> None:
    frame = host_target()
    entries = {e.name: e for e in entries_for(frame)}
    assert set(entries) == {*FAMILIES, "eiger", "boosted_products"}
    assert scales_for(frame) == ("log_ratio", "ratio")
    assert next(iter(entries)) == "extra_trees"
    assert list(entries["forest"].treatments) == ["log_ratio", "log_ratio, a third of the metrics"]
    products = {n for n, e in entries.items() if f"{scales_for(frame)[0]}, products" in e.treatments}
    assert products == {"gaussian_process", "gradient_boosting"}
    assert not any("whole" in name for e in entries.values() for name in e.treatments)
    X = np.random.default_rng(0).lognormal(0, 1, (40, MOST_PAIRED + 1))
    wide = make_frame(X, X[:, 0], [Metric(f"m{i}") for i in range(X.shape[1])], Metric("t"))
    assert list(entry_of("gaussian_process", wide).treatments) == ["log"]
    assert "boosted_products" not in {e.name for e in entries_for(wide)}
    small = [n for n in entries["gradient_boosting"].treatments if "many small trees" in n]
    assert small == ["log_ratio, many small trees"]
    assert not any("many small trees" in n for n in entry_of("gradient_boosting", wide).treatments)
    assert entries["boosted_products"].kind != entries["gradient_boosting"].kind
    assert {t.family.max_features for t in entries["extra_trees"].treatments.values()} == {1.0, 0.33}
    assert all(t.explained is None and t.metric_scale == "positive" for t in entries["anova"].treatments.values())
    vectors = [t.family for t in entries["support_vectors"].treatments.values()]
    assert [(v.cost, v.reach) for v in vectors] == [(1.0, 0.2), (3.0, 0.2), (0.1, 0.06), (10.0, 0.06)]
    assert all(t.hold for name, e in entries.items() if name != "eiger" for t in e.treatments.values())
    few = frame.take(np.arange(12))
    assert all(t.explained for t in entry_of("splines", few).treatments.values())
    assert all("relative weights" in name for name in entries["nnls"].treatments)
    assert [entries[n].non_negative for n in ("nnls", "nn_lasso", "ols", "lasso")] == [True, True, False, False]
    assert entries["nnls"].kind == entries["nn_lasso"].kind != entries["ols"].kind
    plain = frame.select([n for n in frame.names if n != TIME])
    assert scales_for(plain) == ("log", "raw")
    assert scales_for(replace(plain, y=plain.y - 1)) == ("raw",)
    assert list(entry_of("forest", replace(plain, y=plain.y - 1)).treatments) == ["raw", "raw, a third of the metrics"]
    for name in entries:
        assert entry_of(name, frame).treatments == entries[name].treatments


def test_inner_error_is_half_logarithm_and_half_percentage() -> None:
    y = np.array([1.0, 2.0, 4.0, 8.0])
    ten = 50 * (np.log(1.1) + 0.1)
    assert inner_error(y, 1.1 * y) == pytest.approx(ten)
    assert inner_error(y, np.array([1.1, 2.2, np.nan, 8.8])) == pytest.approx((ten * 3 + 100) / 4)
    assert inner_error(y, np.array([1.1, 2.2, -4.0, 8.8])) == inner_error(y, np.array([1.1, 2.2, np.nan, 8.8]))
    assert inner_error(y, 1e6 * y) == pytest.approx(50 * (np.log(1e6) + 3))  # the percentage counts up to 300
    assert inner_error(y, y / 100) > inner_error(y, 2 * y)  # predicting low is no way to win
    assert inner_error(y, np.full(4, np.nan)) == np.inf
    assert inner_error(y - 1, y) == pytest.approx(1)


class Constant(Recipe):
    """Says a multiple of the response, and counts how often it learns."""

    def __init__(self, factor: float) -> None:
        vars(self).update(factor=factor, fits=0)  # counts, though recipes are frozen

    @property
    def name(self) -> str:
        return f"{self.factor:g}"

    def fit(self, frame, progress=lambda *_: None, *more):
        vars(self)["fits"] += 1
        fitted = Treated(family=FAMILIES["ols"](), response_scale="log", extrapolation="clamp").fit(frame)
        return fitted.rescaled(self.factor)


def test_who_is_given_up_beside_one_without_any_error_is_behind_it() -> None:
    x = np.repeat(np.arange(4.0), 6)
    metrics, response = [Metric("blocks", Kind.PARAMETER)], Metric("brams", Kind.RESPONSE)
    frame = make_frame(x[:, None], np.array([0.0, 5.0, 1.0, 7.0])[x.astype(int)], metrics, response)
    folds = inner_folds(frame, parse_folds("kfold:6"), 0)
    trees = Treated(family=FAMILIES["extra_trees"](trees=10))
    line = Treated(family=FAMILIES["ols"]())
    exact = said_by({"": trees}, frame, folds)[""]
    assert exact.error == 0
    for recipes, rival in (({"trees": trees, "line": line}, None), ({"line": line}, exact.predicted)):
        best, found = best_of(recipes, frame, folds, rival=rival)
        assert best == next(iter(recipes))
        assert np.isnan(found["line"].predicted).any()  # given up
        assert 0 < found["line"].error < np.inf


def test_what_is_far_behind_on_half_of_the_folds_is_given_up() -> None:
    frame = host_target(n_apps=6)
    folds = inner_folds(frame, PLAN, 0)
    own = {"good": Constant(1.0), "bad": Constant(3.0)}
    best, found = best_of(own, frame, folds)
    assert best == "good"
    assert [r.fits for r in own.values()] == [6, 3]
    assert np.isnan(found["bad"].predicted).any()
    whole = {name: inner_error(frame.y, said.predicted) for name, said in said_by(own, frame, folds).items()}
    assert found["good"].error == pytest.approx(whole["good"])
    assert found["bad"].error == pytest.approx(whole["bad"], rel=0.3)
    near = {"a": Constant(1.0), "b": Constant(1.005)}
    best_of(near, frame, folds)
    assert [r.fits for r in near.values()] == [6, 6]


def test_a_rival_ends_an_entry_early_and_changes_no_entry_that_is_near_it() -> None:
    frame = host_target(n_apps=6)
    folds = inner_folds(frame, PLAN, 0)
    good = said_by({"": Constant(1.0)}, frame, folds)[""].predicted
    bad = Constant(3.0)
    _, found = best_of({"bad": bad}, frame, folds, rival=good)
    assert bad.fits == 3
    assert found["bad"].error > 1.5 * inner_error(frame.y, good)
    near = Constant(1.01)
    _, alone = best_of({"near": near}, frame, folds)
    _, beside = best_of({"near": near}, frame, folds, rival=good)
    assert alone["near"].error == beside["near"].error
    np.testing.assert_array_equal(alone["near"].predicted, beside["near"].predicted)


def test_designs_are_tried_on_how_round_their_whole_numbers_are() -> None:
    levels = np.array(np.meshgrid([16, 32, 48, 96], [1, 2, 3], [0, 1])).reshape(3, -1).T.astype(float)
    metrics = [Metric(n, Kind.PARAMETER) for n in "xyz"]
    frame = make_frame(levels, levels.sum(axis=1) + 1, metrics, Metric("t", Kind.RESPONSE))
    tried = {e.name for e in entries_for(frame) if "log, whole" in e.treatments}
    assert tried == {"anova", "boosted_products", "gaussian_process", "trended"}
