"""What every model family promises: plain state, the same for the same trials, and clear refusals."""

import json

import numpy as np
import pytest

from core.codec import dumps, from_plain, to_plain
from core.errors import FitError
from core.models import FAMILIES
from core.models.base import Family, Model
from core.option import specs
from core.registry import companion

NAMES = ("a", "b", "c")


def training(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, 5 + 2 * X[:, 0] - X[:, 1] ** 2 + 0.5 * X[:, 0] * X[:, 2] + 0.1 * rng.standard_normal(n)


def family_named(name: str) -> Family:
    """Return a family of its usual options, but of few trees: nothing promised here depends on how many there are."""
    own = {spec.name for spec in specs(FAMILIES[name])}
    return FAMILIES[name](**({"trees": 20} if "trees" in own else {}))


@pytest.fixture(params=list(FAMILIES))
def family(request: pytest.FixtureRequest) -> Family:
    return family_named(request.param)


@pytest.mark.slow
def test_json_round_trip_predicts_alike(family: Family) -> None:
    X, y = training()
    model = family.fit(X, y)
    raw = dumps(to_plain(model))
    back = from_plain(companion(type(family), Model), json.loads(raw))
    assert np.array_equal(back.predict(X), model.predict(X))
    assert dumps(to_plain(back)) == raw


def test_model_is_better_than_the_mean(family: Family) -> None:
    X, y = training()
    Z, z = training(seed=1)
    usual = type(family)()
    assert np.mean((usual.fit(X, y).predict(Z) - z) ** 2) < 0.5 * np.var(z)


def test_inputs_are_left_unchanged(family: Family) -> None:
    X, y = training()
    before = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    family.fit(X, y).predict(X)
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


@pytest.mark.slow
def test_same_trials_same_model(family: Family) -> None:
    X, y = training()
    assert dumps(to_plain(family.fit(X, y))) == dumps(to_plain(family.fit(X.copy(), y.copy())))


def test_model_speaks_in_the_columns_names(family: Family) -> None:
    X, y = training()
    model = family.fit(X, y)
    assert "a" in model.formula(NAMES)
    assert model.terms(NAMES)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_trials_are_refused(family: Family, n: int) -> None:
    X, y = training()
    with pytest.raises(FitError) as caught:
        family.fit(X[:n], y[:n])
    assert str(n) in str(caught.value)


def test_a_constant_response_is_refused(family: Family) -> None:
    X, y = training()
    with pytest.raises(FitError):
        family.fit(X, np.full_like(y, 3.0))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(family: Family, bad: float) -> None:
    X, y = training()
    X[3, 1] = bad
    with pytest.raises(FitError):
        family.fit(X, y)


def test_every_option_is_documented(family: Family) -> None:
    for spec in specs(type(family)):
        assert len(spec.help) > 10, f"{spec.name} has no help"
    assert family.label
