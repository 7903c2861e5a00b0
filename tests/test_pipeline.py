"""The fitted value: clusters fall back, intervals and flags are there, and every refusal has its reason."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, PredictError
from core.models.stepwise import Stepwise
from core.passes.kmeans import KMeans
from core.passes.scales import Log, Standardize
from core.pipeline import Pipeline, Provenance
from core.recipes import make_recipe, train
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

FROM = Provenance("test", {}, 0, "0", "", 0)


def test_small_clusters_use_the_model_of_all_trials_and_say_so() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(30, 1, (4, 2))])
    frame = make_frame(X, X.sum(axis=1) + 1, [Metric("a"), Metric("b")], Metric("t"))
    pipeline = Pipeline((Standardize(),), Stepwise(), KMeans(clusters=2), least_cluster_trials=10)
    model = pipeline.fit(frame, FROM)
    assert [c.n_trials for c in model.clusters] == [40, 4]
    assert model.clusters[0].note == ""
    assert model.clusters[1].note == "4 trials are fewer than 10: the model of all trials is used"
    far = model.predict(np.array([[30.0, 30.0]]))
    assert far.cluster.tolist() == [1]
    assert far.value[0] == pytest.approx(61, rel=1e-6)


def test_fewer_clusters_than_asked_for_are_told() -> None:
    x = np.repeat([0.0, 5.0], 20)[:, None]
    frame = make_frame(x, x[:, 0] + np.arange(40) % 7, [Metric("x")], Metric("t"))
    model = Pipeline((Standardize(),), Stepwise(pool=("linear",)), KMeans(clusters=6)).fit(frame, FROM)
    assert len(model.clusters) == 2
    assert "2 clusters instead of 6" in " ".join(model.notes)


def test_each_cluster_has_its_own_model() -> None:
    rng = np.random.default_rng(1)
    low, high = rng.uniform(0, 1, (60, 1)), rng.uniform(10, 11, (60, 1))
    X = np.concatenate([low, high])
    y = np.concatenate([5 + 3 * low[:, 0], 2 - 7 * (high[:, 0] - 10)])
    frame = make_frame(X, y, [Metric("x")], Metric("t"))
    model = Pipeline((Standardize(),), Stepwise(pool=("linear",)), KMeans(clusters=2)).fit(frame, FROM)
    np.testing.assert_allclose(model.predict(frame.X).value, frame.y, rtol=1e-9)


def test_outside_the_domain_is_flagged_held_or_refused() -> None:
    frame = machine_frame(noise=0.0)
    inside, beyond = frame.X[:1], frame.X[:1] * np.array([1.0, 1.0, 1.0, 50.0])
    values = {}
    for policy in ("flag", "clamp", "refuse"):
        model = train(make_recipe("eiger", {"extrapolation": policy}), frame, parse_folds("kfold:4")).model
        found = model.predict(np.concatenate([inside, beyond]))
        assert found.in_domain.tolist() == [True, False]
        assert "bandwidth" in found.why[1]
        values[policy] = found.value
        if policy == "clamp":
            edge = inside.copy()
            edge[0, 3] = frame.X[:, 3].max()
            assert model.predict(edge).value[0] == pytest.approx(found.value[1], rel=1e-12)
    assert np.isnan(values["refuse"][1])
    assert np.isfinite(values["flag"]).all()


def test_missing_numbers_and_wrong_widths() -> None:
    frame = machine_frame()
    model = make_recipe("eiger").fit(frame)
    rows = frame.X[:2].copy()
    rows[1, 2] = np.nan
    found = model.predict(rows)
    assert np.isfinite(found.value).tolist() == [True, False]
    assert found.why[1] == "no prediction: metric 'clock' is missing"
    assert np.isnan(found.low).all(), "a model that was never validated has no interval"
    with pytest.raises(PredictError, match="needs 4 metrics"):
        model.predict(rows[:, :3])
    np.testing.assert_array_equal(model.predict(rows.tolist()).value, found.value)
    with pytest.raises(PredictError, match="rows of numbers"):
        model.predict([["one", 2, 3, 4]])


def test_numbers_without_a_logarithm_are_refused() -> None:
    model = make_recipe("eiger", {"extrapolation": "flag"}).fit(machine_frame())
    row = machine_frame().X[:1].copy()
    row[0, 0] = -1.0
    found = model.predict(row)
    assert np.isnan(found.value[0])
    assert found.why[0].startswith("no prediction: metric 'instructions' is -1, not positive")


def test_overflow_is_no_prediction() -> None:
    former = {"variant": "ridgeline-1", "extrapolation": "flag", "metric_scale": "raw", "components": "none"}
    model = make_recipe("eiger", former).fit(machine_frame())
    found = model.predict(np.full((1, 4), 1e300))
    assert np.isnan(found.value[0])
    assert found.why[0].startswith("no prediction")


@pytest.mark.slow
def test_intervals_cover_what_they_promise() -> None:
    frame, unseen = machine_frame(40, 8, noise=0.2, seed=0), machine_frame(40, 8, noise=0.2, seed=0)
    rng = np.random.default_rng(5)
    noisy = frame.y * np.exp(0.2 * rng.standard_normal(len(frame)))
    model = train(make_recipe("eiger"), frame, parse_folds("kfold:10")).model
    found = model.predict(unseen.X)
    assert model.validation["scores"]["coverage_90"] == pytest.approx(90, abs=2)
    assert np.mean((noisy >= found.low) & (noisy <= found.high)) > 0.7
    assert (found.low < found.value).all()
    assert (found.value < found.high).all()


def powers(n: int = 240) -> Frame:
    """Times of n runs on 1 to 64 threads, which are divided among them, beside a metric that says nothing."""
    rng = np.random.default_rng(3)
    threads, size = 2.0 ** rng.integers(0, 7, n), rng.uniform(1, 10, n)
    y = size / threads * np.exp(0.05 * rng.standard_normal(n))
    metrics = [Metric("threads", Kind.PARAMETER), Metric("size", Kind.PARAMETER)]
    return make_frame(np.column_stack([threads, size]), y, metrics, Metric("time", Kind.RESPONSE, "s"))


def test_an_interval_widens_beyond_what_folds_have_asked_by_what_changes_as_far_inside() -> None:
    frame = powers()
    model = train(make_recipe("formula"), frame, parse_folds("kfold:5")).model
    assert model.interval is not None
    assert not model.interval.reach[:, 0].any()
    threads = np.array([8.0, 64.0, 128.0, 256.0, 4096.0])
    X = np.column_stack([threads, np.full(5, 5.0)])
    found, edge = model.predict(X), model.alone().predict(X)
    before = np.log(edge.high / edge.value)
    assert np.log(found.high / found.value)[:2] == pytest.approx(before[:2])
    inside = model.predict_scaled(np.array([[64.0, 5.0], [32.0, 5.0], [16.0, 5.0], [1.0, 5.0]]))
    change = np.abs(inside[0] - inside[1:])
    assert np.log(found.high / found.value)[2:] == pytest.approx(before[2:] + 2 * change)
    truth = 5.0 / threads
    assert ((found.low < truth) & (truth < found.high)).all()
    assert not (edge.low[4] < truth[4] < edge.high[4])


def test_groups_held_out_tell_how_far_beyond_the_others_intervals_hold() -> None:
    frame = powers()
    frame = replace(frame, labels={**frame.labels, "machine": tuple(str(t) for t in frame.X[:, 0])})
    model = train(make_recipe("formula"), frame, parse_folds("by:machine")).model
    assert model.interval is not None
    assert model.interval.reach[:, 0] == pytest.approx(np.log([2, 2]))
    X = np.array([[128.0, 5.0], [256.0, 5.0]])
    same = model.predict(X).high == model.alone().predict(X).high
    assert same.tolist() == [True, False]


def test_constant_metrics_are_left_out_by_name_and_refused_alone() -> None:
    frame = machine_frame()
    wide = make_frame(
        np.column_stack([frame.X, np.full(len(frame), 7.0)]),
        frame.y,
        [*frame.metrics, Metric("fixed")],
        frame.response,
        frame.labels,
        frame.ids,
    )
    model = make_recipe("eiger", {"components": "2"}).fit(wide)
    assert "fixed" not in model.names
    assert model.notes == ("left out because constant over the training trials: fixed",)
    with pytest.raises(FitError, match="Every chosen metric is constant"):
        make_recipe("eiger").fit(wide.select(["fixed"]))


@pytest.mark.parametrize(
    ("settings", "change", "sentence"),
    [
        ({"response_scale": "log"}, lambda y: y - y.mean(), "has no logarithm"),
        ({}, lambda y: np.full_like(y, 4.0), "is 4 in every trial"),
    ],
)
def test_responses_that_cannot_be_modelled(settings, change, sentence: str) -> None:
    frame = machine_frame()
    other = make_frame(frame.X, change(frame.y), frame.metrics, frame.response, frame.labels, frame.ids)
    with pytest.raises(FitError, match=sentence):
        make_recipe("eiger", settings).fit(other)


def test_what_is_prepared_once_serves_every_threshold() -> None:
    frame = machine_frame()
    recipe = make_recipe("eiger", {"clusters": "2", "threshold": "0.05"})
    kept = {}

    def remembered(pipeline: Pipeline, of):
        return kept.setdefault(pipeline.preparation, pipeline.prepare(of))

    for threshold in ("0.05", "0.001"):
        recipe = make_recipe("eiger", {"clusters": "2", "threshold": threshold})
        one, other = recipe.fit(frame), recipe.fit(frame, prepare=remembered)
        assert np.array_equal(one.predict(frame.X).value, other.predict(frame.X).value)
    assert len(kept) == 1
    assert Pipeline((Log(),), Stepwise()).preparation != Pipeline((), Stepwise()).preparation
