"""Every recipe and family is an estimator of scikit-learn, by scikit-learn's own checks."""

import pickle  # noqa: TID251  (as scikit-learn sends estimators to other processes)
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

from core.errors import OptionError, RidgelineError
from core.export import read_model, write_model
from core.models import FAMILIES
from core.option import specs
from core.recipes import RECIPES, make_recipe
from core.sklearn import REGRESSORS, NothingToLearnWarning, regressor
from core.trial import Kind, Metric, make_frame
from tests.made import regression

SMALL: dict[str, dict[str, Any]] = {
    "anova": {"iterations": 3},
    "gaussian_process": {"search_trials": 40},
    "roofline": {"trees": 10},
    "forest": {"trees": 10},
    "extra_trees": {"trees": 10},
    "trended": {"trees": 10},
    "auto": {"trees": 2, "folds": "kfold:2", "raced": 20},
    "gradient_boosting": {"trees": 30},
    "halwpe": {"model": "nnls_forward_bic"},
    "lasso": {"folds": 3},
    "nn_lasso": {"folds": 3},
}
"""So that the checks, which fit some hundred times, are quick; what a parameter's default is changes no rule."""


@pytest.mark.slow
@pytest.mark.usefixtures("few_entries")  # what `auto` mixes is checked by its own name
@pytest.mark.parametrize("name", [*RECIPES, *FAMILIES])
def test_scikit_learn_finds_nothing_wrong(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(regressor(name, **SMALL.get(name, {})), on_skip=None)
    assert {one["status"] for one in found} == {"passed", "skipped"}
    assert [one["check_name"] for one in found if one["status"] == "skipped"] == ["check_array_api_input"]
    assert not any(one["expected_to_fail"] for one in found)
    assert len(found) > 40


def table(n: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    X, y = regression(n, 4, 7)
    return pd.DataFrame(X, columns=["work", "bytes", "clock", "width"]), pd.Series(y, name="time")


@pytest.mark.parametrize("name", ["stepwise", "stargazer", "ols"])
def test_the_model_is_the_one_of_the_recipe(name: str) -> None:
    X, y = table()
    own = regressor(name).fit(X, y)
    frame = make_frame(X.to_numpy(), y.to_numpy(), [Metric(c) for c in X], Metric("time", Kind.RESPONSE))
    assert write_model(own.model_) == write_model(make_recipe(name).fit(frame))
    assert own.model_.response.name == "time"
    assert np.array_equal(
        own.predict(X), read_model(write_model(own.model_)).predict(X[list(own.model_.names)].to_numpy()).value
    )


def test_parameters_are_the_options_with_their_defaults() -> None:
    for name, cls in REGRESSORS.items():
        options = specs(RECIPES.get(name) or FAMILIES[name])
        assert cls().get_params() == {**{o.name: o.default for o in options}, "interval_folds": None}
        assert all(o.help in cls.__doc__ for o in options)
    assert clone(regressor("forest", trees=7)).trees == 7
    with pytest.raises(TypeError, match="treees"):
        regressor("forest", treees=7)
    with pytest.raises(OptionError, match="no recipe or family 'forrest'"):
        regressor("forrest")


def test_a_search_over_options_and_scores_of_left_out_groups() -> None:
    X, y = table()
    found = GridSearchCV(regressor("stepwise"), {"threshold": [0.9, 0.003]}, cv=3).fit(X, y)
    assert found.best_params_ == {"threshold": 0.003}
    scores = cross_val_score(
        make_pipeline(MinMaxScaler(), regressor("stepwise")), X, y, groups=np.arange(len(y)) // 10, cv=GroupKFold(3)
    )
    assert (scores > 0.8).all(), scores


def test_intervals_need_folds_and_hold_most_of_what_is_new() -> None:
    X, y = table(120)
    with pytest.raises(ValueError, match="interval_folds='kfold:10'"):
        regressor("stepwise").fit(X, y).predict_interval(X)
    model = regressor("stepwise", interval_folds="kfold:5").fit(X[:80], y[:80])
    low, high = model.predict_interval(X[80:]).T
    assert 0.75 < np.mean((low <= y[80:]) & (y[80:] <= high)) <= 1
    assert (low < model.predict(X[80:])).all()


def test_numbers_of_numpy_and_lists_are_parameters_too() -> None:
    X, y = table()
    search = GridSearchCV(regressor("forest"), {"trees": np.arange(5, 15, 5)}, cv=3).fit(X, y)
    assert type(search.best_params_["trees"]) is np.int64
    assert regressor("stepwise", pool=["signed", "log2"]).fit(X, y).model_.provenance.options["family"]["pool"]


def test_what_a_recipe_refuses_is_a_value_error_in_its_words() -> None:
    X, y = table()
    for wrong, said in (
        ({"threshold": 2.0}, "threshold must be at most 1"),
        ({"max_terms": "x"}, "max_terms must be a int"),
    ):
        with pytest.raises(ValueError, match=said) as caught:
            regressor("stepwise", **wrong).fit(X, y)
        assert isinstance(caught.value, RidgelineError)
    with pytest.raises(ValueError, match="at least 3 trials, got 2"):
        regressor("ols").fit(X[:2], y[:2])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ols", lambda X, y: (X, 0 * y + 4)),
        ("ols", lambda X, y: (0 * X + 1, y)),
        ("nnls", lambda X, y: (X, -1 - y.abs())),
    ],
    ids=["constant response", "constant features", "negative response"],
)
def test_where_there_is_nothing_to_learn_the_mean_stands_in(name: str, change: Any) -> None:
    X, y = change(*table())
    with pytest.warns(NothingToLearnWarning, match="The mean of the response stands in"):
        own = regressor(name).fit(X, y)
    assert own.predict(X) == pytest.approx(np.full(len(y), y.mean()))
    back = read_model(write_model(own.model_))
    assert back.predict(X.to_numpy()).value == pytest.approx(np.full(len(y), y.mean()))
    assert "stands in" in back.notes[-1]
    with pytest.warns(NothingToLearnWarning), pytest.raises(ValueError, match="nothing to learn"):
        regressor(name, interval_folds="kfold:5").fit(X, y).predict_interval(X)


def test_a_refused_prediction_is_nan_and_says_why() -> None:
    X, y = table()
    own = regressor("stargazer", extrapolation="refuse").fit(X, y)
    far = X[:2].mul([1, 100], axis=0)
    assert np.isnan(own.predict(far)).tolist() == [False, True]
    assert "outside" in own.predictions(far).why[1]


def test_an_estimator_can_be_sent_to_another_process() -> None:
    X, y = table()
    own = regressor("ridge").fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(own)).predict(X), own.predict(X))
