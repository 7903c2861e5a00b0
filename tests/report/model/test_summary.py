"""A model in a few numbers: what the command line prints and the page shows."""

import numpy as np
import pytest

from core.codec import to_plain
from core.recipes import make_recipe
from core.report.model.summary import fit_summary, options_in_words
from core.trial import Frame


def test_one_stepwise_model_tells_its_steps(frame: Frame) -> None:
    model = make_recipe("stepwise").fit(frame)
    summary = fit_summary(model, frame)
    fitted = model.clusters[0].model
    assert summary.n_trials == len(frame)
    assert summary.terms == fitted.terms(model.features)
    assert summary.n_terms == len(summary.steps)
    assert [s.term for s in summary.steps] == list(summary.terms)
    assert summary.r2 == pytest.approx(fitted.steps[-1].r2, abs=1e-9)
    assert summary.adjusted_r2 == pytest.approx(fitted.steps[-1].adjusted_r2, abs=1e-9)
    assert summary.steps[-1].r2 == pytest.approx(summary.r2, abs=1e-9)


def test_r2_is_on_the_models_own_scale(frame: Frame) -> None:
    model = make_recipe("stepwise").fit(frame)
    assert model.scale.name == "log"
    z = np.log(frame.y)
    left = z - model.predict_scaled(model.rows(frame))
    expected = 1 - (left**2).sum() / ((z - z.mean()) ** 2).sum()
    assert fit_summary(model, frame).r2 == pytest.approx(expected, abs=1e-12)


def test_several_clusters_are_told_apart_and_a_shared_model_counts_once(frame: Frame) -> None:
    recipe = make_recipe("eiger", {"clusters": "3", "least_cluster_trials": "11", "threshold": "0.02"})
    model = recipe.fit(frame)
    summary = fit_summary(model, frame)
    own = {id(c.model): c.model for c in model.clusters}
    assert summary.n_terms == sum(len(m.terms(model.features)) for m in own.values())
    assert len(own) < len(model.clusters)
    assert all(term.startswith("cluster ") for term in summary.terms)


def test_too_many_terms_have_no_adjusted_r2(frame: Frame) -> None:
    model = make_recipe("stepwise", {"threshold": "0"}).fit(frame)
    few = frame.take(np.arange(fit_summary(model, frame).n_terms + 1))
    assert fit_summary(model, few).adjusted_r2 is None


def test_options_are_told_and_what_is_none_is_not() -> None:
    said = options_in_words("anova", to_plain(make_recipe("anova", {"iterations": "20"})))
    assert said["iterations"] == "20"
    assert "found" not in said
    assert options_in_words("unheard of", {"depth": 3}) == {"depth": "3"}
