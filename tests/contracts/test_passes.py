"""What every pass promises: learnt state is plain, applies to any rows alike, and holds together."""

import json

import numpy as np
import pytest

from core.codec import dumps, from_plain, to_plain
from core.errors import ModelFileError
from core.option import specs
from core.passes import PASSES
from core.passes.base import Features, FittedPartition, FittedPass, Pass
from core.registry import companion


def training() -> Features:
    rng = np.random.default_rng(0)
    base = rng.lognormal(0, 2, (40, 2))
    X = np.column_stack([base, base[:, 0] * rng.lognormal(0, 0.1, 40), rng.lognormal(0, 1, 40)])
    return Features(names=("a", "b", "c", "d"), X=X, metrics=("a", "b", "c", "d"))


def before(name: str) -> Features:
    if name != "varimax":
        return training()
    return PASSES["pca"](components=3).fit(training()).features(training())


@pytest.fixture(params=list(PASSES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def fitted(name: str) -> FittedPass:
    return PASSES[name]().fit(before(name))


def test_json_round_trip_applies_alike(name: str, fitted: FittedPass) -> None:
    raw = dumps(to_plain(fitted))
    back = from_plain(companion(PASSES[name], FittedPass), json.loads(raw))
    assert np.array_equal(back.apply(before(name).X), fitted.apply(before(name).X))


def test_features_are_the_applied_rows(name: str, fitted: FittedPass) -> None:
    after = fitted.features(before(name))
    np.testing.assert_allclose(after.X, fitted.apply(before(name).X), rtol=1e-12, atol=1e-12)
    assert len(after.names) == after.X.shape[1] == fitted.check(before(name).X.shape[1])


def test_rows_do_not_influence_each_other(name: str, fitted: FittedPass) -> None:
    X = before(name).X
    np.testing.assert_allclose(fitted.apply(X[:5]), fitted.apply(X)[:5], rtol=1e-12, atol=1e-12)


def test_inputs_are_left_unchanged(name: str) -> None:
    features = before(name)
    features.X.flags.writeable = False
    copy = features.X.copy()
    PASSES[name]().fit(features).apply(features.X)
    assert np.array_equal(features.X, copy)


def test_same_rows_same_state(name: str) -> None:
    one, other = PASSES[name]().fit(before(name)), PASSES[name]().fit(before(name))
    assert dumps(to_plain(one)) == dumps(to_plain(other))


def test_wrong_width_is_refused(name: str, fitted: FittedPass) -> None:
    with pytest.raises(ModelFileError):
        fitted.check(before(name).X.shape[1] + 1)


def test_partitions_assign_the_nearest(name: str, fitted: FittedPass) -> None:
    if not isinstance(fitted, FittedPartition):
        pytest.skip("no partition")
    X = before(name).X
    assert np.array_equal(fitted.assign(X), fitted.apply(X).argmin(axis=1))


def test_every_option_is_documented(name: str) -> None:
    cls: type[Pass] = PASSES[name]
    for spec in specs(cls):
        assert len(spec.help) > 10, f"{spec.name} has no help"
