"""HALWPE: its thirteen models, the paper's letter, and the best of them."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, OptionError
from core.models import FAMILIES
from core.models.forest import Forest
from core.models.selection import Nnls
from core.option import specs
from core.recipes import make_recipe
from core.recipes.halwpe import MODELS, Halwpe
from core.trial import Metric
from tests.race.made import TIME, host_target


@pytest.mark.parametrize("name", MODELS)
def test_each_of_the_thirteen(name: str) -> None:
    frame = host_target(noise=0.01)
    model = make_recipe("halwpe", {"model": name, "trees": "20"}).fit(frame)
    assert model.provenance.recipe == "halwpe"
    assert FAMILIES.name_of(type(model.clusters[0].model)) == name
    assert model.scale.name == ("ratio" if name.startswith("nn") else "log_ratio")
    predicted = model.predict(model.rows(frame)).value
    assert np.abs(predicted / frame.y - 1).mean() < 0.1


def test_thirteen_they_are() -> None:
    assert len(MODELS) == 13
    assert set(MODELS) <= set(FAMILIES)


def test_the_paper_takes_everything_as_it_is() -> None:
    frame = host_target()
    model = make_recipe("halwpe", {"model": "nnls", "variant": "paper"}).fit(frame)
    assert model.scale.name == "raw"
    assert model.passes == ()
    plain = Nnls().fit(frame.X, frame.y)
    np.testing.assert_allclose(model.predict(frame.X).value, plain.predict(frame.X), rtol=1e-9)


def test_without_a_host_the_response_is_modelled_itself() -> None:
    frame = host_target()
    plain = frame.select([n for n in frame.names if n != TIME])
    assert make_recipe("halwpe", {"model": "nnls"}).fit(plain).scale.name == "raw"
    assert make_recipe("halwpe", {"model": "lasso"}).fit(plain).scale.name == "log"


def test_the_best_is_chosen_on_inner_folds_and_said() -> None:
    frame = host_target(n_apps=4, n_inputs=8)
    model = Halwpe(trees=5).fit(frame)
    note = model.notes[-1]
    assert note.startswith("models by error on inner folds: ")
    assert f"; {FAMILIES.name_of(type(model.clusters[0].model))} is used" in note
    with pytest.raises(FitError, match="at least 6 trials, got 4"):
        Halwpe().fit(frame.take(np.arange(4)))


def test_corrected_criteria_choose_no_more_metrics() -> None:
    rng = np.random.default_rng(0)
    frame = host_target()
    noise = rng.standard_normal((len(frame), 40))
    wide = replace(
        frame, X=np.column_stack([frame.X, noise]), metrics=(*frame.metrics, *(Metric(f"noise {i}") for i in range(40)))
    )
    sizes = [
        len(make_recipe("halwpe", {"model": "ols_forward_aic", "corrected": c}).fit(wide).clusters[0].model.columns)
        for c in ("false", "true")
    ]
    assert sizes[1] < sizes[0]


def test_options_are_documented_and_checked() -> None:
    assert {s.name for s in specs(Halwpe)} == {
        "model",
        "variant",
        "corrected",
        "trees",
        "response_scale",
        "weights",
        "extrapolation",
        "seed",
    }
    with pytest.raises(OptionError):
        make_recipe("halwpe", {"model": "mlp"})


def test_the_forest_tells_its_out_of_bag_error_as_scikit_learn_has_it() -> None:
    from sklearn.ensemble import RandomForestRegressor

    frame = host_target(n_apps=6, n_inputs=10, noise=0.1)
    recipe = Halwpe(model="forest", trees=60)
    model = recipe.fit(frame)
    X = model.rows(frame)
    z = model.forward(frame.y, X)
    forest = RandomForestRegressor(60, random_state=0, oob_score=True).fit(model.scores(X), z)
    np.testing.assert_allclose(forest.predict(model.scores(X)), model.predict_scaled(X), rtol=1e-9)
    mape = 100 * np.mean(np.abs(model.inverse(forest.oob_prediction_, X) / frame.y - 1))
    assert f"out-of-bag error (E_out): {mape:.3g} %" in model.notes[-1]
    known = model.predict(X).value
    assert mape > 100 * np.mean(np.abs(known / frame.y - 1))
    assert not any("out-of-bag" in note for note in Halwpe(model="ols").fit(frame).notes)


def test_a_trial_drawn_for_every_tree_has_no_out_of_bag_prediction() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    family = Forest(trees=1)
    said = family.out_of_bag(family.fit(X, y), X)
    assert np.isnan(said).any()
    assert np.isfinite(said).any()
