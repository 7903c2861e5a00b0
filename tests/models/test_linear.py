"""What all twelve linear families promise on columns and responses that are hard."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, ModelFileError, OptionError
from core.models import FAMILIES
from core.models.base import RAW, STANDARDISE, Family
from core.models.lasso import LinearFamily
from core.models.parts.linear import LinearModel, LinearStep, NonNegativeModel
from core.models.selection import NnlsModel, OlsModel, Selection

LINEAR = [name for name, cls in FAMILIES.items() if issubclass(cls, LinearFamily)]
NON_NEGATIVE = [name for name in LINEAR if "nn" in name]
SELECTING = [name for name in LINEAR if issubclass(FAMILIES[name], Selection)]


@pytest.fixture(params=LINEAR)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def family(name: str) -> Family:
    return FAMILIES[name]()


def training(n: int = 40, p: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(n, p))
    return X, 2 + 3 * X[:, 0] + X[:, p // 2] + 0.2 * rng.standard_normal(n)


def fitted(name: str, X: np.ndarray, y: np.ndarray, **options: str) -> LinearModel:
    model = FAMILIES[name](**options).fit(X, y)
    assert isinstance(model, LinearModel)
    model.check(X.shape[1])
    assert np.isfinite(model.predict(X)).all()
    return model


def test_there_are_twelve_and_the_forest() -> None:
    assert len(LINEAR) == 12
    labels = [FAMILIES[name].label for name in LINEAR]
    assert sorted(labels) == sorted(
        ["OLS", "NNLS", "Lasso", "Lasso, NNLS"]
        + [f"{k}, {w}, {c}" for k in ("OLS", "NNLS") for w in ("forward", "backward") for c in ("AIC", "BIC")]
    )
    assert {name: FAMILIES[name].preparation for name in LINEAR} == {
        name: RAW if name in NON_NEGATIVE else STANDARDISE for name in LINEAR
    }


def test_finds_what_matters(name: str) -> None:
    X, y = training(80)
    model = fitted(name, X, y)
    assert set(model.terms("abcdef")[:2]) == {"a", "d"}
    assert model.r2 > 0.99
    found = dict(zip(model.columns.tolist(), model.coefficients, strict=True))
    assert found[0] == pytest.approx(3, rel=0.1)
    assert model.importance()[0] == pytest.approx(found[int(model.columns[0])] * X[:, model.columns[0]].std() / y.std())


@pytest.mark.parametrize(
    ("n", "p"), [(12, 12), (12, 11), (12, 10), (12, 13), (12, 50), (3, 1), (3, 2), (4, 9), (40, 1)]
)
@pytest.mark.parametrize("weights", ["none", "relative"])
def test_every_shape(name: str, n: int, p: int, weights: str) -> None:
    model = fitted(name, *training(n, p, 3), weights=weights)
    assert len(model.columns) <= p
    assert model.n_trials == n


def test_duplicates_constants_and_sums_of_others(name: str) -> None:
    X, y = training()
    wide = np.column_stack([X, X[:, 0], np.full(40, 7.0), np.zeros(40), X[:, 1] + X[:, 2], 1e-9 * X[:, 3]])
    model = fitted(name, wide, y)
    assert [j for j, why in model.left_out if "constant" in why] == [7, 8]
    np.testing.assert_allclose(model.predict(wide), fitted(name, X, y).predict(X), rtol=0.02)


def test_all_columns_constant(family: Family) -> None:
    with pytest.raises(FitError, match="No metric varies"):
        family.fit(np.ones((10, 3)), np.arange(10.0))


def test_no_columns(family: Family) -> None:
    with pytest.raises(FitError):
        family.fit(np.ones((10, 0)), np.arange(10.0))


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e15, 1e200])
def test_units_change_nothing(name: str, scale: float) -> None:
    X, y = training(30, 5)
    options = {"penalty": "0.05"} if "lasso" in name else {}
    model = fitted(name, X, y, **options)
    units = np.array([1e-12, 1.0, 1e15, 1e-200, 1e100])
    other_options = {"penalty": repr(0.05 * scale)} if options else {}
    if 1e-200 < scale < 1e200:
        other = fitted(name, X * units, y * scale, **other_options)
    else:
        other = fitted(name, X, y * scale, **other_options)
        units = np.ones(5)
    assert other.columns.tolist() == model.columns.tolist()
    np.testing.assert_allclose(other.predict(X * units), scale * model.predict(X), rtol=1e-8)


def test_a_coefficient_too_large_is_refused(name: str) -> None:
    X, y = training(30, 3)
    with pytest.raises(FitError, match="too large to be a number"):
        FAMILIES[name](**({"penalty": "1e198"} if "lasso" in name else {})).fit(X * 1e-200, y * 1e200)


def test_relative_weights_make_relative_errors_small(name: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.lognormal(sigma=2, size=(80, 4))
    y = (1 + X[:, 0] + 0.5 * X[:, 1]) * np.exp(0.2 * rng.standard_normal(80))

    def relative(model: LinearModel) -> float:
        return float(np.mean((model.predict(X) / y - 1) ** 2))

    assert relative(fitted(name, X, y, weights="relative")) < relative(fitted(name, X, y))


@pytest.mark.parametrize("lowest", [0.0, -1.0])
def test_relative_weights_need_positive_responses(name: str, lowest: float) -> None:
    X, y = training()
    y[3] = lowest
    with pytest.raises(FitError, match="Relative weights need positive responses"):
        FAMILIES[name](weights="relative").fit(X, y)


@pytest.mark.parametrize("name", [name for name in LINEAR if name not in NON_NEGATIVE])
def test_responses_of_any_sign(name: str) -> None:
    X, y = training()
    one, other = fitted(name, X, y), fitted(name, X, -y - 100)
    np.testing.assert_allclose(other.predict(X), -one.predict(X) - 100, rtol=1e-8)


@pytest.mark.parametrize("name", NON_NEGATIVE)
@pytest.mark.parametrize("seed", range(5))
def test_predictions_cannot_be_negative(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(30, 8))
    y = np.maximum(X @ rng.standard_normal(8) + rng.standard_normal(30), 0.01)
    model = fitted(name, X, y)
    assert model.intercept >= 0
    assert (model.coefficients >= 0).all()
    assert (model.predict(rng.lognormal(sigma=3, size=(500, 8))) >= 0).all()


@pytest.mark.parametrize("name", SELECTING)
def test_the_story_holds_together(name: str) -> None:
    X, y = training(50, 20, 1)
    model = fitted(name, X, y)
    inside: set[int] = set()
    for step in model.steps:
        assert not inside & set(step.added)
        inside = (inside | set(step.added)) - set(step.removed)
        assert len(inside) == step.n_terms
    assert inside == set(model.columns.tolist())
    values = [s.criterion for s in model.steps if s.criterion is not None]
    assert values == sorted(values, reverse=True)
    assert model.steps[-1].r2 == pytest.approx(model.r2, abs=1e-9)
    assert model.criterion == name.rsplit("_", 1)[1]


@pytest.mark.parametrize("name", SELECTING)
def test_the_stricter_criterion_selects_fewer(name: str) -> None:
    X, y = training(30, 25, 2)
    stricter = {"aic": "aicc", "bic": "ebic"}[name.rsplit("_", 1)[1]]
    assert len(fitted(name, X, y, criterion=stricter).columns) <= len(fitted(name, X, y).columns)
    with pytest.raises(OptionError, match="criterion"):
        FAMILIES[name](criterion="cp")


@pytest.mark.parametrize("name", SELECTING)
@pytest.mark.parametrize("most", ["0", "-1", "2.5", "many", ""])
def test_most_terms_that_are_none(name: str, most: str) -> None:
    with pytest.raises(OptionError, match="max_terms must be auto or a whole number"):
        FAMILIES[name](max_terms=most)


@pytest.mark.parametrize("name", SELECTING)
def test_most_terms_are_a_third_of_the_trials_where_columns_outnumber_them(name: str) -> None:
    X, y = training(30, 60, 4)
    assert len(fitted(name, X, y).columns) <= 10


def two_terms() -> OlsModel:
    """1.5 - 0.25 c + 3 a."""
    return OlsModel(
        intercept=1.5,
        columns=np.array([2, 0]),
        coefficients=np.array([-0.25, 3.0]),
        spreads=np.ones(2),
        response_spread=1.0,
        r2=0.5,
        n_trials=9,
    )


def test_the_formula_is_read_as_it_predicts() -> None:
    model = two_terms()
    assert model.formula("abc") == "1.5 − 0.25·c + 3·a"
    assert model.predict(np.array([[1.0, 9.0, 2.0]])).tolist() == [4.0]
    assert replace(model, intercept=0.0).formula("abc") == "−0.25·c + 3·a"
    many = replace(model, columns=np.arange(100), coefficients=np.ones(100), spreads=np.ones(100))
    assert many.formula([f"m{j}" for j in range(100)]).endswith("+ 1·m59 + 40 more terms")


def test_a_state_that_does_not_hold_together_is_refused() -> None:
    model = two_terms()
    model.check(3)
    step = LinearStep((5,), (), 1, 0.1, None)
    for wrong in (
        {"columns": np.array([2])},
        {"columns": np.array([2, 2])},
        {"columns": np.array([3, 0])},
        {"spreads": np.ones(3)},
        {"columns": np.array([-1, 0])},
        {"left_out": ((7, "constant"),)},
        {"steps": (step,)},
        {"response_spread": 0.0},
        {"spreads": np.array([1.0, -1.0])},
        {"coefficients": np.ones((2, 1))},
    ):
        with pytest.raises(ModelFileError, match="The linear model"):
            replace(model, **wrong).check(3)
    negative = NnlsModel(
        intercept=1.5,
        columns=np.array([2]),
        coefficients=np.array([-0.25]),
        spreads=np.ones(1),
        response_spread=1.0,
        r2=0.5,
        n_trials=9,
    )
    assert isinstance(negative, NonNegativeModel)
    with pytest.raises(ModelFileError, match="negative"):
        negative.check(3)
