"""Auto: weights by what was held out, members held within the trained range, and the question that trials can answer."""

from dataclasses import replace

import numpy as np
import pytest

from core.blend import BlendModel
from core.errors import FitError, OptionError
from core.export import read_model, write_model
from core.export._lower import lower
from core.race.reuse import recipe_again
from core.recipes import make_recipe, train
from core.recipes.auto import Auto
from core.recipes.parts.nested import trial_errors
from core.recipes.parts.quick import (
    FACTOR,
    LEAST_WEIGHT,
    MOST_PAIRED,
    POWER,
    USUAL,
    by_errors,
    cautious,
    drawn,
    members_of,
    mixture_of,
    weighed,
)
from core.scale import LOG, LOG_RATIO, RAW
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import few_folds, parse_folds
from tests.conftest import machine_frame
from tests.race.made import host_target

SMALL = Auto(trees=5)


def blend_of(frame: Frame, recipe: Auto = SMALL) -> BlendModel:
    (cluster,) = recipe.fit(frame).clusters
    assert isinstance(cluster.model, BlendModel)
    return cluster.model


def test_weights_are_a_power_of_the_errors() -> None:
    y = np.array([1.0, 2.0, 4.0])
    said = {"good": 1.1 * y, "worse": 1.15 * y, "hopeless": 9 * y, "mute": np.full(3, np.nan)}
    errors = {n: (np.log(f) + f - 1) / 2 for n, f in (("good", 1.1), ("worse", 1.15))}
    found = weighed(y, ["a", "b", "b"], said)
    assert set(found.weights) == {"good", "worse"}
    power = POWER * 3 / (3 + POWER)
    assert found.weights["worse"] / found.weights["good"] == pytest.approx((errors["good"] / errors["worse"]) ** power)
    assert sum(found.weights.values()) == pytest.approx(1)
    assert found.bound == pytest.approx(np.log(FACTOR))
    with pytest.raises(FitError, match="No entry"):
        weighed(y, ["a", "b", "b"], {"mute": said["mute"]})


def test_of_few_trials_what_entries_are_known_for_counts_and_of_many_it_does_not() -> None:
    for n, lacking in ((8, 8 * 100 / 108 - 4), (40, 8 * 100 / 108 - 8 * 40 / 48), (100, 0), (400, 0)):
        y = np.arange(1.0, n + 1)
        found = by_errors(y, {"anova": 0.2, "gradient_boosting": 0.2, "new": 0.2}, usual=USUAL).weights
        expected = (USUAL["gradient_boosting"] / USUAL["anova"]) ** lacking
        assert found["anova"] / found["gradient_boosting"] == pytest.approx(expected)
        assert found["new"] / found["anova"] == pytest.approx(USUAL["anova"] ** lacking)
    assert {member.name for member in Auto().members(machine_frame(6, 4))} <= USUAL.keys()


def test_products_of_pairs_are_seen_where_they_help() -> None:
    frame = machine_frame(6, 4)
    grouped = {m.name: m.recipe for m in replace(SMALL, folds="by:application").members(frame)}
    alone = {m.name: m.recipe for m in replace(SMALL, folds="kfold:5").members(frame)}
    assert alone.keys() - grouped.keys() == {"boosted_products"}
    assert alone["boosted_products"] == replace(alone["gradient_boosting"], metric_scale="products")
    assert grouped["gaussian_process"].metric_scale == "products"
    X = np.random.default_rng(0).lognormal(0, 1, (40, MOST_PAIRED + 1))
    many = make_frame(X, X.prod(axis=1), [Metric(f"m{i}") for i in range(X.shape[1])], Metric("t"))
    wide = {m.name: m.recipe for m in replace(SMALL, folds="kfold:5").members(many)}
    assert wide["gaussian_process"].metric_scale == "positive"
    assert "boosted_products" not in wide


@pytest.mark.slow
def test_work_is_divided_by_what_machines_can_do_where_groups_are_asked_for() -> None:
    frame = machine_frame(8, 6)
    asked = replace(SMALL, folds="by:machine")
    assert "roofline" in {m.name for m in asked.members(frame)}
    assert "roofline" not in {m.name for m in replace(SMALL, folds="kfold:5").members(frame)}
    assert "roofline" not in {m.name for m in asked.members(frame.select(["clock", "bandwidth"]))}
    assert "roofline" not in {m.name for m in asked.members(frame.select(["instructions", "bytes", "clock"]))}
    model = blend_of(frame, asked)
    assert model.members[int(np.argmax(model.weights))].provenance.recipe == "roofline"


def test_a_formula_takes_part_from_few_trials_of_few_metrics_on_and_tells_larger_sizes() -> None:
    n = np.repeat(2.0 ** np.arange(7, 17), 3)
    threads = np.tile([1.0, 2.0, 4.0], 10)
    y = 1e-9 * n**3 / threads * (1 + 0.01 * np.random.default_rng(0).standard_normal(30))
    labels = {"application": ["gemm"] * 30, "input": [str(v) for v in n], "machine": [""] * 30}
    metrics = [Metric("n"), Metric("threads", Kind.PARAMETER)]
    frame = make_frame(np.column_stack([n, threads]), y, metrics, Metric("t", Kind.RESPONSE), labels)
    assert "formula" in {m.name for m in SMALL.members(frame)}
    assert "formula" not in {m.name for m in SMALL.members(frame.take(np.arange(5)))}
    rng = np.random.default_rng(1)
    wider = replace(frame, X=rng.random((30, 4)), metrics=tuple(Metric(f"m{j}") for j in range(4)))
    assert "formula" in {m.name for m in SMALL.members(wider)}
    assert "formula" not in {m.name for m in SMALL.members(wider.take(np.arange(29)))}
    found = replace(SMALL, folds="by:input").fit(frame).predict(np.array([[2.0**17, 2.0]]))
    np.testing.assert_allclose(found.value, 1e-9 * 2.0**50, rtol=0.25)
    assert "outside the trained" in found.why[0]


def test_a_text_of_many_values_counts_once_where_few_metrics_let_a_formula_take_part() -> None:
    rng = np.random.default_rng(1)
    case, way = rng.integers(0, 12, 120), rng.integers(0, 9, 120)
    y = np.exp(0.5 * case + 0.3 * way + 0.01 * rng.standard_normal(120))
    names = [*(f"case={k}" for k in range(12)), *(f"way={k}" for k in range(9))]
    X = np.column_stack([case[:, None] == np.arange(12), way[:, None] == np.arange(9)]).astype(float)
    metrics = [Metric(name, Kind.PARAMETER) for name in names]
    frame = make_frame(X, y, metrics, Metric("t", Kind.RESPONSE))
    assert "formula" in {m.name for m in SMALL.members(frame)}
    numbers = [Metric(name.replace("=", " "), Kind.PARAMETER) for name in names]
    assert "formula" not in {m.name for m in SMALL.members(make_frame(X, y, numbers, Metric("t", Kind.RESPONSE)))}


def test_roundness_of_whole_numbers_is_seen_where_designs_are_chosen() -> None:
    levels = np.array(np.meshgrid([16, 32, 48, 96], [1, 2, 3], [0, 1])).reshape(3, -1).T.astype(float)

    def scales(X: np.ndarray, kind: Kind, folds: str) -> dict[str, str]:
        frame = make_frame(X, X.sum(axis=1) + 1, [Metric(n, kind) for n in "xyz"], Metric("t", Kind.RESPONSE))
        return {m.name: m.recipe.metric_scale for m in replace(SMALL, folds=folds).members(frame)}

    told = scales(levels, Kind.PARAMETER, "kfold:5")
    assert {n for n, scale in told.items() if scale == "whole"} == {"trended", "gaussian_process", "boosted_products"}
    for other in (
        scales(levels, Kind.COUNTER, "kfold:5"),
        scales(levels, Kind.PARAMETER, "by:application"),
        scales(levels / 3, Kind.PARAMETER, "kfold:5"),
    ):
        assert "whole" not in other.values()
        assert other["gaussian_process"] == "products"


def test_errors_do_not_reward_predicting_low() -> None:
    y = np.ones(2)
    assert trial_errors(y, y / 4) == pytest.approx(50 * (np.log(4) + 0.75))
    assert trial_errors(y, 4 * y) == pytest.approx(50 * (np.log(4) + 3))
    assert trial_errors(y, 1e9 * y) == pytest.approx(50 * (np.log(1e9) + 3))
    assert trial_errors(y, np.array([1.0, np.nan])) == pytest.approx([0, 100])
    assert trial_errors(np.array([-1.0, 2.0]), np.array([0.0, np.nan])) == pytest.approx([1, 1])


def test_an_entry_that_fails_on_some_groups_counts_as_worse() -> None:
    even, odd = np.full(6, 0.5), np.array([0.2, 0.2, 0.2, 0.2, 1.1, 1.1])
    groups = ["a", "a", "b", "b", "c", "c"]
    assert cautious(even, groups) == pytest.approx(0.5)
    assert cautious(odd, groups) == pytest.approx(0.5 + np.std([0.2, 0.2, 1.1], ddof=1) / np.sqrt(3))
    assert cautious(odd, ["a"] * 6) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("frame", "folds"),
    [
        (machine_frame(8, 4), "by:application"),
        (machine_frame(12, 4), "kfold:5:application"),
        (machine_frame(2, 4), "by:machine"),
    ],
)
def test_the_hardest_question_in_a_few_folds(frame: Frame, folds: str) -> None:
    assert str(few_folds(frame)) == folds
    assert str(SMALL.plan(frame)) == folds
    assert str(Auto(folds="kfold:3").plan(frame)) == "kfold:3"


def test_trials_that_nobody_named_are_dealt_at_random() -> None:
    frame = machine_frame()
    bare = make_frame(frame.X, frame.y, frame.metrics, frame.response)
    assert str(few_folds(bare)) == "kfold:5"


@pytest.mark.slow
def test_the_scale_is_of_logarithms_where_there_are_any() -> None:
    scales = {m.provenance.recipe: m.scale.name for m in blend_of(machine_frame()).members}
    assert scales.pop("roofline", RAW) == RAW
    assert {*scales.values()} == {LOG}
    assert {m.scale.name for m in blend_of(host_target()).members} == {LOG_RATIO}
    frame = machine_frame()
    signed = replace(frame, y=frame.y - frame.y.mean())
    assert {m.scale.name for m in blend_of(signed).members} == {RAW}


@pytest.mark.slow
def test_predictions_stay_within_the_trained_responses_for_new_applications() -> None:
    frame, more = machine_frame(5, 4, noise=0.0), machine_frame(noise=0.0)
    X = frame.X * np.array([1e4, 1e4, 1.0, 1.0])
    members = members_of(more, SMALL.trees, 0, hold=True, grouped=True)
    assert {"formula", "roofline"} < {m.name for m in members}
    assert all(m.fit(more).clusters[0].bounds for m in members)
    held, free = SMALL.fit(frame), replace(SMALL, hold=False).fit(frame)
    assert held.predict(X).value.max() <= frame.y.max() * (1 + 1e-9)
    assert any("held within" in note for note in held.notes)
    assert not any("held within" in note for note in free.notes)


@pytest.mark.slow
def test_it_is_better_than_the_median_on_applications_that_it_has_not_seen() -> None:
    frame = machine_frame(12, 4)
    new = np.array(frame.labels["application"]) == "app3"
    model = SMALL.fit(frame.take(np.flatnonzero(~new)))
    test = frame.take(np.flatnonzero(new))
    own = np.abs(np.log(model.predict(model.rows(test)).value / test.y)).mean()
    assert own < 0.5 * np.abs(np.log(np.median(frame.y[~new]) / test.y)).mean()


@pytest.mark.slow
def test_many_trials_are_drawn_from_for_the_choice_and_learnt_from_at_the_end() -> None:
    frame = machine_frame(10, 10)
    assert len(drawn(frame, 40, 0)) == 40
    assert drawn(frame, 100, 0) is frame
    model = replace(SMALL, raced=40).fit(frame)
    assert model.provenance.n_trials == 100
    assert model.clusters[0].n_trials == 100


def test_the_recipe_of_a_model_is_known_again() -> None:
    recipe = replace(SMALL, folds="kfold:4", seed=3)
    assert SMALL.asking(parse_folds("by:machine")).folds == "by:machine"
    assert recipe.asking(parse_folds("by:machine")) == recipe
    model = recipe.fit(machine_frame())
    assert recipe_again(model) == recipe
    assert model.provenance.recipe == "auto"
    with pytest.raises(OptionError, match="are not known"):
        make_recipe("auto", {"folds": "fourfold"}).fit(machine_frame())


@pytest.mark.slow
def test_trees_stay_in_as_a_witness_and_make_intervals_as_wide_as_the_parts_are_unsure() -> None:
    rng = np.random.default_rng(0)
    X = rng.lognormal(0, 1, (90, 3))
    noise = np.where(X[:, 2] > 1, 0.5, 0.02)
    measured = X[:, 0] * (1 + X[:, 1]) * np.exp(noise * rng.standard_normal(90))
    frame = make_frame(X, measured, [Metric(name) for name in "abc"], Metric("t"))
    y = np.array([1.0, 2.0, 4.0])
    found = weighed(y, ["a", "b", "c"], {"extra_trees": 3 * y, "gaussian_process": 1.01 * y})
    assert found.weights["extra_trees"] == pytest.approx(LEAST_WEIGHT, rel=0.02)
    trained = train(SMALL, frame, parse_folds("kfold:5"), interval="learnt")
    model = trained.model
    assert model.interval is not None
    assert model.interval.by == "learnt"
    new = np.exp(rng.normal(0, 1, (50, 3)))  # trees do not disagree on what they have learnt
    assert model.doubts(new).shape == (50, 2)
    said, back = model.predict(new), read_model(write_model(model)).predict(new)
    assert np.array_equal(back.low, said.low)
    assert np.ptp(np.log(said.high / said.low)) > 0.1
    band = lower(model).band
    assert band is not None
    assert (band.by, band.widths.tolist()) == ("none", [model.interval.spreads.flat])


def test_an_entry_far_behind_is_asked_no_more() -> None:
    y, asked = np.arange(1.0, 9.0), []
    folds = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5]), np.array([6, 7])]

    def said(name: str, number: int) -> np.ndarray:
        asked.append((name, number))
        return y[folds[number]] * {"good": 1.1, "near": 1.2, "far": 9.0}[name]

    found = mixture_of(y, [str(i) for i in range(8)], ["good", "near", "far"], folds, said)
    assert "far" not in found.weights
    assert [n for name, n in asked if name == "far"] == [0, 1]
    assert [n for name, n in asked if name == "near"] == [0, 1, 2, 3]


def test_a_response_that_never_varies_is_said_to_be_so() -> None:
    with pytest.raises(FitError, match="the same in every trial"):
        weighed(np.ones(6), ["a", "b"] * 3, {"mute": np.full(6, np.nan)})
