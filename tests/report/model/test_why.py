"""Contributions to one prediction against Shapley's formula over all orders, for every family."""

from dataclasses import replace
from itertools import permutations
from math import factorial

import numpy as np
import pytest

from core.blend import Mixture, blend
from core.codec import FloatArray
from core.errors import PredictError
from core.models import FAMILIES
from core.models.parts.shapley import by_permutations, of_few, of_trees
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.report.figures.effects import waterfall
from core.report.model.why import why
from core.trial import Frame, Kind, Metric, make_frame

ROWS = 12


def frame(n_metrics: int = 4, n: int = 60, *, log: bool = True, reference: str = "") -> Frame:
    """Trials whose response is a product with an interaction, over decades where `log`."""
    rng = np.random.default_rng(3)
    X = rng.lognormal(1.0, 0.6, (n, n_metrics))
    y = X[:, 0] ** 1.5 * (1 + X[:, 1] * X[:, 2]) + 0.3 * X[:, -1]
    y = np.exp(0.4 * np.log(y) ** 2) if log else y
    metrics = [Metric(f"m{j}", Kind.PARAMETER) for j in range(n_metrics)]
    apps = [f"app{i % 6}" for i in range(n)]
    labels = {"application": apps, "input": [f"i{i}" for i in range(n)]}
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s"), labels, reference=reference)


def brute(model: FittedPipeline, x: FloatArray, background: FloatArray) -> FloatArray:
    """Return the mean over all orders of what each metric moves, of the model on its plain scale without its bounds."""
    free, k = model.unheld(), len(x)
    found = np.zeros(k)
    for order in permutations(range(k)):
        rows = background.copy()
        before = free.predict_plain(rows).mean()
        for j in order:
            rows[:, j] = x[j]
            after = free.predict_plain(rows).mean()
            found[j] += after - before
            before = after
    return found / factorial(k)


def agrees(model: FittedPipeline, x: FloatArray, background: FloatArray, *, exact: bool = True) -> None:
    """See that contributions are the brute-force ones and add up to the prediction."""
    found = why(model, x, background)
    assert found.base + found.contributions.sum() + found.held == pytest.approx(found.prediction, abs=1e-9)
    assert found.prediction == pytest.approx(float(model.predict_plain(x[None])[0]), abs=1e-12)
    expected = brute(model, x, background)
    if exact:
        assert not found.errors.any()
        assert found.contributions == pytest.approx(expected, abs=1e-9 * max(1.0, float(np.abs(expected).max())))
    else:
        assert np.all(np.abs(found.contributions - expected) < 5 * found.errors + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_contributions_of_every_family_are_shapleys(name: str, log: bool) -> None:
    trials = frame(log=log)
    model = make_recipe(name, {"trees": "8"} if "trees" in FAMILIES[name].__dataclass_fields__ else {}).fit(trials)
    for row in (0, 7, 31):
        agrees(model, model.rows(trials)[row], model.rows(trials)[20 : 20 + ROWS])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["eiger", "stargazer", "halwpe"])
def test_contributions_of_recipes_are_shapleys(name: str) -> None:
    trials = frame()
    model = make_recipe(name, {}).fit(trials)
    agrees(model, model.rows(trials)[5], model.rows(trials)[20 : 20 + ROWS])


def test_a_blend_is_the_weighted_sum_of_its_parts() -> None:
    trials = frame()
    models = {"a": make_recipe("extra_trees", {"trees": "6"}).fit(trials), "b": make_recipe("ridge", {}).fit(trials)}
    made = blend(models, Mixture({"a": 0.7, "b": 0.3}), trials, "blend")
    agrees(made, made.rows(trials)[3], made.rows(trials)[20 : 20 + ROWS])
    bounded = blend(models, Mixture({"a": 0.7, "b": 0.3}, bound=1e-3), trials, "blend")
    found = why(bounded, bounded.rows(trials)[3])
    assert found.held != 0
    assert found.base + found.contributions.sum() + found.held == pytest.approx(found.prediction, abs=1e-9)


def test_what_is_sampled_is_within_its_errors_and_adds_up() -> None:
    trials = frame(9)
    model = make_recipe("gaussian_process", {}).fit(trials)
    x, background = model.rows(trials)[4], model.rows(trials)[20:32]
    found = why(model, x, background)
    exact = of_few(lambda X: model.unheld().predict_plain(X), x, background)
    assert found.errors.any()
    assert np.all(np.abs(found.contributions - exact) < 5 * found.errors + 1e-9)
    assert found.base + found.contributions.sum() + found.held == pytest.approx(found.prediction, abs=1e-9)


def test_standard_errors_are_as_large_as_errors() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    x, background = rng.normal(size=6), rng.normal(size=(10, 6))

    def f(X: FloatArray) -> FloatArray:
        return np.sin(X @ A).prod(axis=1) + X[:, 0] * X[:, 1] * X[:, 2]

    exact, far = of_few(f, x, background), []
    for seed in range(60):
        found, errors = by_permutations(f, x, background, 500, seed)
        far += ((found - exact) / np.maximum(errors, 1e-12)).tolist()
    assert 0.75 < np.std(far) < 1.3


def test_few_columns_of_a_product_share_it_alike() -> None:
    found = of_few(lambda X: X.prod(axis=1), np.full(3, 2.0), np.zeros((1, 3)))
    assert found == pytest.approx(np.full(3, 8 / 3))


@pytest.mark.slow
def test_trees_of_many_columns_are_those_of_all_sets() -> None:
    trials = frame(4, 80)
    rng = np.random.default_rng(1)
    wide = make_frame(
        np.hstack([trials.X, rng.normal(size=(80, 76))]),
        trials.y,
        [Metric(f"w{j}", Kind.COUNTER) for j in range(80)],
        trials.response,
        trials.labels,
    )
    model = make_recipe("extra_trees", {"trees": "3", "max_features": "0.3"}).fit(wide)
    own = model.clusters[0].model
    x, background = model.scores(wide.X[:1])[0], model.scores(wide.X[10:16])
    found = of_trees(own, x, background)
    sampled, errors = by_permutations(own.predict, x, background, 60_000)
    assert found.sum() == pytest.approx(float(own.predict(x[None])[0] - own.predict(background).mean()), abs=1e-9)
    assert np.all(np.abs(found - sampled) < 6 * errors + 0.02)  # rare paths are seldom sampled


def test_what_is_held_at_the_trained_responses_is_a_step_of_its_own() -> None:
    trials = frame()
    model = make_recipe("ridge", {}).fit(trials)
    bounds = (float(np.log(np.median(trials.y))) - 0.1, float(np.log(np.median(trials.y))))
    held = replace(model, clusters=tuple(replace(own, bounds=bounds) for own in model.clusters))
    row = model.rows(trials)[int(np.argmax(trials.y))]
    found = why(held, row)
    assert found.held < 0
    assert found.base + found.contributions.sum() + found.held == pytest.approx(bounds[1], abs=1e-9)


def test_a_ratio_to_a_host_counts_the_hosts_time_in_logarithms() -> None:
    trials = frame(reference="m3")
    model = make_recipe("ridge", {}).fit(trials)
    assert model.scale.name == "log_ratio"
    x, background = model.rows(trials)[2], model.rows(trials)[20:32]
    found = why(model, x, background)
    said = float(model.predict(x[None]).value[0])
    assert found.log
    assert np.exp(found.base + found.contributions.sum() + found.held) == pytest.approx(said)
    base = np.log(model.predict(background).value).mean()
    assert found.base == pytest.approx(base)


def test_another_row_as_the_background_explains_the_difference() -> None:
    trials = frame()
    model = make_recipe("extra_trees", {"trees": "8"}).fit(trials)
    a, b = model.rows(trials)[1], model.rows(trials)[2]
    there, back = why(model, a, b[None]), why(model, b, a[None])
    assert there.contributions == pytest.approx(-back.contributions)
    assert there.base == pytest.approx(back.prediction)


def test_the_background_is_said_and_needed() -> None:
    trials = frame()
    model = make_recipe("ridge", {}).fit(trials)
    assert why(model, model.rows(trials)[0]).background == "the 60 training trials that the model keeps"
    assert why(model, model.rows(trials)[0], model.rows(trials)[:3], "three").background == "three"
    with pytest.raises(PredictError, match="--background"):
        why(model, model.rows(trials)[0], np.empty((0, 4)))


def test_a_row_without_a_prediction_is_refused() -> None:
    trials = frame()
    model = make_recipe("ridge", {}).fit(trials)
    with pytest.raises(PredictError, match="nothing to explain"):
        why(model, np.full(4, np.nan))


def test_the_waterfall_goes_from_the_average_to_the_prediction() -> None:
    trials = frame(6)
    model = make_recipe("extra_trees", {"trees": "8"}).fit(trials)
    found = why(model, model.rows(trials)[1])
    picture = waterfall(found, most=3)
    bars = [trace for trace in picture.figure.data if trace.type == "bar"]
    steps = sorted((y, base, x) for trace in bars for y, base, x in zip(trace.y, trace.base, trace.x, strict=True))
    assert len(steps) == 4
    assert steps[0][1] == pytest.approx(np.exp(found.base))
    assert steps[-1][1] + steps[-1][2] == pytest.approx(np.exp(found.prediction))
    assert picture.values().shape[0] == 6
