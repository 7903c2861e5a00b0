"""Stargazer's variants: the response's scale, where knots lie, thresholds by cross-validation, fixed terms."""

import numpy as np
import pytest

from core.errors import OptionError
from core.models.splines import SplinesModel
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds

LEVELS = {"blk": (1, 2, 4, 8, 16), "simd": (8, 16, 32), "smp": (1, 2, 4, 8), "flag": (0, 1)}


def designs(n: int = 150, seed: int = 0, names: tuple[str, ...] = tuple(LEVELS)) -> Frame:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.choice(levels, n) for levels in LEVELS.values()]).astype(float)
    x = np.log2(X[:, :3])
    y = (1 + 30 * np.exp(-x[:, 0])) * (1 + 8 * np.exp(-x[:, 1] / 2)) * (1 + 0.02 * X[:, 3])
    y *= 1 + 0.01 * rng.standard_normal(n)
    metrics = [Metric(name, Kind.PARAMETER) for name in names]
    return make_frame(X, y, metrics, Metric("cycles", Kind.RESPONSE, "cycles"))


def strange_applications() -> Frame:
    """Applications whose counters explain times among themselves, and whose next one has more of all of them."""
    rng = np.random.default_rng(2)
    app = np.repeat(np.arange(8), 12)
    X = 10 ** (rng.uniform(0, 1, (len(app), 3)) + 0.4 * app[:, None])
    y = X[:, 0] * np.exp(0.1 * rng.standard_normal(len(app)))
    metrics = [Metric(name, Kind.COUNTER) for name in "abc"]
    labels = {"application": [f"app{i}" for i in app]}
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s"), labels=labels)


@pytest.mark.parametrize("recipe", ["stargazer", "splines", "stepwise", "ols"])
def test_a_new_application_is_predicted_within_what_was_trained(recipe: str) -> None:
    frame = strange_applications()
    known, new = frame.take(np.arange(84)), frame.take(np.arange(84, 96))
    asked = make_recipe(recipe).asking(parse_folds("by:application")).fit(known)
    free = make_recipe(recipe).asking(parse_folds("kfold:5")).fit(known)
    asked_of, freely = asked.predict(asked.rows(new)), free.predict(free.rows(new))
    assert asked_of.value.max() <= known.y.max() * (1 + 1e-9)
    assert freely.value.max() > known.y.max() * 1.1
    inside = freely.value <= known.y.max()
    np.testing.assert_allclose(asked_of.value[inside], np.maximum(freely.value[inside], known.y.min()), rtol=1e-9)
    assert not asked_of.in_domain[~inside].any()


def scattered(seed: int, jump: str) -> Frame:
    """300 designs of three parameters, whose time jumps where there are more than 16 threads: by ppb, or by consec."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.round(2 ** rng.uniform(0, 8, 300)), rng.integers(1, 33, 300), rng.integers(0, 2, 300)])
    slower, noise = (0.02 * X[:, 0], 0.05) if jump == "ppb" else (2 * X[:, 2], 0.02)
    y = 6 / X[:, 1] * (1 + slower * (X[:, 1] > 16)) * np.exp(noise * rng.standard_normal(300))
    metrics = [Metric(name, Kind.PARAMETER) for name in ("ppb", "tpp", "consec")]
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s"))


@pytest.mark.parametrize(
    ("seed", "jump", "options"), [(1, "ppb", {"extrapolation": "flag"}), (18, "ppb", {}), (3, "consec", {})]
)
def test_few_designs_predict_others_by_no_factor_of_their_own(seed: int, jump: str, options: dict[str, str]) -> None:
    """24 designs bear some 20 columns, and cells without a design say anything: 1e15 to 1e47 times too much."""
    frame = scattered(seed, jump)
    found = make_recipe("stargazer", options).fit(frame.take(np.arange(24))).predict(frame.X)
    assert np.mean(np.abs(found.value / frame.y - 1)) < 0.5


@pytest.mark.parametrize("options", [{"variant": "paper"}, {"variant": "original"}, {"extrapolation": "flag"}])
def test_the_papers_own_and_who_asks_for_it_run_on(options: dict[str, str]) -> None:
    frame = strange_applications()
    assert make_recipe("stargazer", options).asking(parse_folds("by:application")).fit(frame).clusters[0].bounds is None


def own(model: FittedPipeline) -> SplinesModel:
    found = model.clusters[0].model
    assert isinstance(found, SplinesModel)
    return found


def test_variants_place_knots_and_scale_the_response_each_in_their_way() -> None:
    frame = designs()
    models = {v: make_recipe("stargazer", {"variant": v}).fit(frame) for v in ("paper", "original", "ridgeline")}
    assert [models[v].scale.name for v in models] == ["raw", "raw", "log"]
    knots = {v: next(a for a in own(m).axes if a.column == 0).knots for v, m in models.items()}
    np.testing.assert_allclose(knots["paper"], [1, 4.75, 8.5, 12.25, 16])
    np.testing.assert_allclose(knots["original"], [1, 2, 4, 8, 16])
    np.testing.assert_allclose(knots["ridgeline"], [0, 1, 2, 3, 4])
    assert [why for _, why in own(models["original"]).left_out] == [
        "the original program drops parameters of fewer than three levels"
    ]
    assert own(models["paper"]).left_out == ()


def test_the_papers_variant_takes_a_log_response_if_told() -> None:
    assert make_recipe("stargazer", {"variant": "paper", "response_scale": "log"}).fit(designs()).scale.name == "log"
    assert make_recipe("stargazer", {"weights": "relative"}).fit(designs()).scale.name == "raw"


def test_relative_thresholds_of_the_original_program() -> None:
    """A gain of 0.004 over an R² of 0.3 passes θ = 0.01 relatively (0.003), not absolutely."""
    rng = np.random.default_rng(1)
    n = 4000
    X = np.column_stack([rng.choice([1.0, 2, 3], n), rng.choice([1.0, 2, 3], n)])
    a, b = (X - 2).T * np.sqrt(1.5)
    noise = rng.standard_normal(n)
    y = 100 + np.sqrt(0.3) * a + np.sqrt(0.0045) * b + np.sqrt(0.6955) * noise / noise.std()
    frame = make_frame(X, y, [Metric("a"), Metric("b")], Metric("t"))
    texts = {"theta": "0.01", "phi": "1"}
    assert len(own(make_recipe("stargazer", {**texts, "variant": "paper"}).fit(frame)).chosen) == 1
    assert len(own(make_recipe("stargazer", {**texts, "variant": "original"}).fit(frame)).chosen) == 2


def test_thresholds_chosen_by_cross_validation_are_told() -> None:
    model = make_recipe("stargazer", {"choose_thresholds": "true"}).fit(designs(60))
    note = model.notes[-1]
    assert note.startswith("thresholds raced by cross-validated squared error: 0 ")
    assert model.provenance.options["choose_thresholds"] is True


def test_fixed_terms_by_name() -> None:
    model = make_recipe("stargazer", {"variant": "paper", "fixed": "simd, blk, simd:blk"}).fit(designs())
    assert own(model).terms(model.features) == ("simd", "blk", "simd:blk")


def test_fixed_terms_of_names_with_colons_and_of_parameters_that_do_not_vary() -> None:
    frame = designs(names=("l2:blk", "l2", "smp", "flag"))
    model = make_recipe("stargazer", {"fixed": "l2:blk, l2:blk:l2"}).fit(frame)
    assert [t.axes for t in own(model).chosen] == [(0,), (0, 1)]
    still = frame.take(np.flatnonzero(frame.X[:, 1] == 8))
    model = make_recipe("stargazer", {"fixed": "l2:blk, l2"}).fit(still)
    assert own(model).terms(model.features) == ("l2:blk",)


def test_fixed_terms_of_unknown_parameters() -> None:
    with pytest.raises(OptionError, match=r"'simd:l2' is not made of .* blk, simd, smp, flag"):
        make_recipe("stargazer", {"fixed": "simd:l2"}).fit(designs())


def test_outside_the_trained_range_the_splines_are_flagged_straight_lines() -> None:
    frame = designs()
    model = make_recipe("stargazer").fit(frame)
    rows = np.tile(frame.X[:1], (3, 1))
    rows[:, 0] = [16, 32, 64]
    found = model.predict(rows)
    assert found.in_domain.tolist() == [True, False, False]
    steps = np.diff(model.predict_scaled(rows))
    assert steps[0] == pytest.approx(steps[1])
