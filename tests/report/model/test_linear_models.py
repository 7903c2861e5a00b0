"""What reports say of linear models: formula, steps, what matters, effects."""

import numpy as np
import pytest

from core.models.parts.linear import LinearModel
from core.recipes import make_recipe
from core.report.figures.effects import importance_bars
from core.report.model.effects import effects
from core.report.model.formula import formula, is_formula, notation
from core.report.model.summary import fit_summary, importance
from core.trial import Frame, Metric, make_frame
from tests.report.designs import designs


def counters() -> Frame:
    """A response that grows with two of three counters."""
    X = np.random.default_rng(0).lognormal(size=(60, 3))
    y = 4 + 3 * X[:, 0] + X[:, 1] + 0.1 * np.random.default_rng(1).standard_normal(60)
    return make_frame(X, y, [Metric(n) for n in ("loads", "stores", "branches")], Metric("time", unit="s"))


NAMES = ("ols", "ols_forward_bic", "ols_backward_aic", "lasso", "nnls", "nnls_forward_bic", "nn_lasso")


@pytest.mark.parametrize("name", NAMES)
def test_what_matters_is_coefficient_times_spread(name: str) -> None:
    frame = counters()
    model = make_recipe(name).fit(frame)
    fitted = model.clusters[0].model
    assert isinstance(fitted, LinearModel)
    value = importance(model)
    assert value is not None
    assert value.names[:2] == ("loads", "stores")
    assert (np.diff(value.values) <= 0).all()
    X = model.scores(model.rows(frame))
    moved = np.abs(fitted.coefficients) * X.std(axis=0)[fitted.columns] / model.forward(frame.y, frame.X).std()
    np.testing.assert_allclose(np.sort(value.values), np.sort(moved), rtol=1e-9)
    assert "(sd)" in importance_bars(value).figure.layout.xaxis.title.text
    assert " sd, " in importance_bars(value).alt


@pytest.mark.parametrize("name", NAMES)
def test_formula_and_effects(name: str) -> None:
    frame = counters()
    model = make_recipe(name).fit(frame)
    assert is_formula(model)
    assert "loads" in formula(model).text()
    assert notation(model)
    curve = next(c for c in effects(model, frame.X).curves if c.metric.name == "loads")
    assert (np.diff(curve.response) > 0).all()


@pytest.mark.parametrize("name", ["nnls", "nnls_forward_aic", "nn_lasso"])
def test_families_that_want_raw_metrics_get_them(name: str, frame: Frame) -> None:
    model = make_recipe(name).fit(frame)
    assert model.passes == ()
    assert model.scale.name == "raw"
    assert make_recipe("lasso").fit(frame).scale.name == "log"
    assert (model.predict(1e-3 * model.rows(frame)).value >= 0).all()


def test_forward_selection_tells_its_steps(frame: Frame) -> None:
    model = make_recipe("ols_forward_bic").fit(frame)
    told = fit_summary(model, frame)
    assert [s.term for s in told.steps] == list(told.terms)
    assert told.steps[-1].r2 == pytest.approx(told.r2, abs=1e-9)
    assert told.steps[-1].adjusted_r2 == pytest.approx(told.adjusted_r2, abs=1e-9)
    assert fit_summary(make_recipe("ols_backward_bic").fit(frame), frame).steps == ()


def test_where_trials_do_not_determine_the_columns_a_note_says_so() -> None:
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(20, 30))
    wide = make_frame(X, X[:, 0] + rng.random(20), [Metric(f"m{j}") for j in range(30)], Metric("time", unit="s"))
    told = fit_summary(make_recipe("ols_backward_bic").fit(wide), wide)
    assert "20 trials do not determine 30 columns" in told.notes[-1]


def test_nothing_matters_to_a_mean() -> None:
    model = make_recipe("lasso", {"penalty": "1e9"}).fit(designs())
    assert importance(model) is None
    assert fit_summary(model, designs()).n_terms == 0
