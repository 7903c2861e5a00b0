"""Stepwise splines: R's numbers, the naive algorithm's picks, the paper's ranks, and functions that are found again."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.codec import dumps, from_plain, to_plain
from core.errors import FitError, ModelFileError
from core.models.splines import Splines, SplinesModel, fixed_columns
from core.recipes import make_recipe
from tests.made import uniform

TABLE_2 = {
    "blk": (1, 2, 4, 8, 16),
    "c$": (1, 2, 4, 8, 16, 32),
    "t$": (1, 2, 4, 8, 16, 32),
    "smp": (1, 2, 4, 8),
    "ccp": (1, 2, 4, 8),
    "simd": (8, 16, 32),
    "mshr": (1, 2, 3),
    "dramq": (16, 32, 64),
    "intra": (1, 2, 4, 8),
    "inter": (2, 4, 6),
}
NAMES = list(TABLE_2)

# (kind, tried, values, best, taken, R², rank) per round, and predictions of the first five points, by
# tests/models/stargazer_in_r.py: Rscript program.R train.csv test.csv paper|original 0.0 0.0 adjusted_r2 none
ROUNDS = {
    "paper": [
        (
            "first",
            ["a", "b", "c", "d"],
            [0.505070951171162, 0.2532356297086692, 0.005648833012050076, 0.0063564955608571595],
            0,
            True,
            0.505070951171162,
            5,
        ),
        (
            "basic",
            ["b", "c", "d"],
            [0.7274430591811144, 0.4483355671804723, 0.46934061129403204],
            0,
            True,
            0.7551607141796451,
            7,
        ),
        ("interaction", ["b:a"], [0.8378033098555768], 0, True, 0.8762906600593383, 15),
        ("basic", ["c", "d"], [0.8333924500203358, 0.8355974409318994], 1, False, 0.8762906600593383, 15),
    ],
    "original": [
        (
            "first",
            ["a", "b", "c"],
            [0.6775969519386734, 0.2532356297086693, 0.005648833012050076],
            0,
            True,
            0.6775969519386734,
            5,
        ),
        ("basic", ["b", "c"], [0.8716245054887382, 0.6353738532999632], 0, True, 0.8846796405237817, 7),
        ("interaction", ["b:a"], [0.9406734021922971], 0, True, 0.9547508999771758, 15),
        ("basic", ["c"], [0.9442423870966139], 0, False, 0.9547508999771758, 15),
    ],
}
PREDICTED = {
    "paper": [12.680904579923725, 0.7610371348115388, 3.165531468819672, 11.11093792145195, 4.423303640922911],
    "original": [13.684384282916406, 2.182623477550307, 3.360542282060441, 11.036548192358055, 4.576235118776856],
}


def golden() -> tuple[np.ndarray, np.ndarray]:
    """Sixty points of four parameters: eight levels that double, three, four, and two."""
    u = uniform(240, 1).reshape(60, 4)
    simd = np.array([8.0, 16, 32])[np.floor(3 * u[:, 1]).astype(int)]
    X = np.column_stack([2.0 ** np.floor(8 * u[:, 0]), simd, 1 + np.floor(4 * u[:, 2]), np.floor(2 * u[:, 3])])
    noise = 0.05 * uniform(60, 7)
    return X, 4 / X[:, 0] + 20 / X[:, 1] + 8 / (X[:, 0] * X[:, 1]) * 8 + 0.3 * np.sqrt(X[:, 2]) + noise


def plain(variant: str = "paper", **options: object) -> Splines:
    """The paper's splines, or the original program's, without thresholds."""
    original = variant == "original"
    given = {"theta": 0.0, "phi": 0.0, "shrink": False, **options}
    return Splines(spacing="original" if original else "even", stop="relative" if original else "absolute", **given)


def designs(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.choice(levels, n) for levels in TABLE_2.values()]).astype(float)


@pytest.mark.parametrize("variant", ["paper", "original"])
def test_every_candidate_is_rs(variant: str) -> None:
    X, y = golden()
    model = plain(variant).fit(X, y)
    assert len(model.steps) == len(ROUNDS[variant])
    for step, (kind, tried, values, best, taken, r2, rank) in zip(model.steps, ROUNDS[variant], strict=True):
        assert [model.term_name(t, "abcd") for t in step.tried] == tried
        np.testing.assert_allclose(step.values, values, rtol=1e-9)
        assert (step.kind, step.best, step.taken, step.rank) == (kind, best, taken, rank)
        assert step.r2 == pytest.approx(r2, abs=1e-9)
    np.testing.assert_allclose(model.predict(X[:5]), PREDICTED[variant], rtol=1e-9)


def test_the_papers_matrix_multiply_has_33_columns() -> None:
    """1 + 4 + 2 + 8 + 3 + 12 + 3 for blk, simd, simd:blk, smp, smp:blk, intra on the levels of Table 2."""
    X = designs(300)
    x = {name: np.log2(X[:, j]) for j, name in enumerate(NAMES)}
    y = 40 * np.exp(-x["blk"]) + 30 * np.exp(-x["simd"] / 2) * (1 + 4 * np.exp(-x["blk"]))
    y += 0.8 * np.exp(-x["smp"]) * (1 + 2 * np.exp(-x["blk"])) + 0.15 * np.exp(-x["intra"])
    model = plain("original").fit(X, y)
    assert model.terms(NAMES)[:6] == ("blk", "simd", "simd:blk", "smp", "smp:blk", "intra")
    grown = [step.rank for step in model.steps if step.taken][:6]
    assert grown == [5, 7, 15, 18, 30, 33]
    assert [len(term.coefficients) for term in model.chosen[:6]] == [4, 2, 8, 3, 12, 3]


def naive(X: np.ndarray, y: np.ndarray, model: SplinesModel, theta: float, phi: float) -> list[tuple[int, ...]]:
    """Algorithm 1 with one least-squares solve per tentative model; per round, all candidates within rounding of the best."""
    n, total = len(y), ((y - y.mean()) ** 2).sum()
    blocks = [axis.basis(X) for axis in model.axes]

    def r2s(terms: list[tuple[int, ...]]) -> tuple[float, float]:
        columns = [np.ones((n, 1))]
        for term in terms:
            columns.append(np.array([np.prod(c, axis=0) for c in itertools.product(*(blocks[a].T for a in term))]).T)
        A = np.hstack(columns)
        solution, _, rank, sizes = np.linalg.lstsq(A / np.maximum(np.linalg.norm(A, axis=0), 1e-300), y, rcond=1e-9)
        assume(not ((sizes > 1e-12 * sizes[0]) & (sizes < 1e-6 * sizes[0])).any())  # of a rank that can be told
        r2 = 1 - ((y - A / np.maximum(np.linalg.norm(A, axis=0), 1e-300) @ solution) ** 2).sum() / total
        return r2, 1 - (1 - r2) * (n - 1) / (n - rank) if n > rank else -np.inf

    def best(candidates: list[tuple[int, ...]], which: int) -> tuple[tuple[int, ...], float]:
        values = [r2s([*terms, t])[which] for t in candidates]
        return next(t for t, v in zip(candidates, values, strict=True) if v >= max(values) - 1e-10), max(values)

    terms: list[tuple[int, ...]] = []
    left: list[tuple[int, ...]] = [(i,) for i in range(len(blocks))]
    while left:
        if terms:
            newest, value = best(left, 1)
            if not value - r2s(terms)[0] > theta:
                break
        else:
            newest, _ = best(left, 0)
        terms.append(newest)
        left.remove(newest)
        others = [(newest[0], t[0]) for t in terms if len(t) == 1 and t != newest]
        while others:
            pair, value = best(others, 1)
            if not value - r2s(terms)[0] > phi:
                break
            terms.append(pair)
            others.remove(pair)
    return terms


@given(seed=st.integers(0, 10**6), n=st.integers(25, 60), theta=st.sampled_from([0.0, 0.01, 0.05]), twin=st.booleans())
@settings(max_examples=60, deadline=None)
def test_same_terms_as_one_solve_per_candidate(seed: int, n: int, theta: float, twin: bool) -> None:
    """Mixed levels, a parameter that repeats another (a tie in every round), interactions that lack combinations."""
    rng = np.random.default_rng(seed)
    levels = [rng.choice(64, size=k, replace=False).astype(float) for k in (2, 3, 5, 7)]
    X = np.column_stack([rng.choice(own, n) for own in levels])
    if twin:
        X = np.column_stack([X, X[:, 2]])
    effects = [rng.standard_normal(64) for _ in levels]
    y = (
        sum(e[X[:, j].astype(int)] for j, e in enumerate(effects))
        + 2 * effects[1][X[:, 1].astype(int)] * effects[2][X[:, 2].astype(int)]
    )
    y = y + 0.3 * rng.standard_normal(n)
    model = plain(theta=theta, phi=theta).fit(X, y)
    assert [term.axes for term in model.chosen] == naive(X, y, model, theta, theta)


def test_of_two_that_are_alike_the_first_is_taken_and_the_other_never() -> None:
    X = designs(80)
    twice = np.column_stack([X[:, 1], X[:, 0], X[:, 0]])
    model = plain().fit(twice, 1 / X[:, 0] + 0.01 * uniform(80, 3))
    assert model.terms("abc")[0] == "b"
    assert not any("c" in term for term in model.terms("abc"))


def test_a_function_of_splines_is_found_again_everywhere() -> None:
    """Additive and pairwise natural splines in the logarithm are in the model's reach: no error on unseen designs."""
    X, unseen = designs(300), designs(500, 1)

    def time(X: np.ndarray) -> np.ndarray:
        x = np.log2(X)
        return 5 + (x[:, 0] - 2) ** 3 / 10 - x[:, 5] + 0.5 * (x[:, 0] - 1) ** 2 * x[:, 5] + 0.3 * X[:, 6]

    model = Splines(theta=0, phi=0, shrink=False).fit(X, time(X))
    assert model.steps[-1].r2 > 0.9999
    assert {"#0", "#5", "#6"} <= set(model.terms([f"#{i}" for i in range(10)]))
    assert np.max(np.abs(model.predict(unseen) / time(unseen) - 1)) < 0.02


def test_three_way_interactions_on_request() -> None:
    rng = np.random.default_rng(0)
    X = rng.choice([1.0, 2, 4], (120, 3))
    y = X[:, 0] + X[:, 1] + X[:, 2] + X[:, 0] * X[:, 1] + X[:, 0] * X[:, 2] + X[:, 1] * X[:, 2] + X.prod(axis=1)
    y = y + 0.01 * rng.standard_normal(120)
    assert not any(len(t.axes) == 3 for t in plain().fit(X, y).chosen)
    three = plain(order=3).fit(X, y)
    assert any(len(t.axes) == 3 for t in three.chosen)
    np.testing.assert_allclose(three.predict(X), y, atol=0.05)


def test_order_one_has_no_interactions() -> None:
    X, y = golden()
    assert not any(":" in term for term in plain(order=1).fit(X, y).terms("abcd"))


def test_stopping_by_number_of_terms_and_by_r2() -> None:
    X, y = golden()
    assert len(plain(max_terms=2).fit(X, y).chosen) == 2
    assert len(plain(target_r2=0.7).fit(X, y).chosen) == 2
    assert len(plain(target_r2=0.1).fit(X, y).chosen) == 1


def test_fixed_terms_are_taken_as_they_are() -> None:
    X, y = golden()
    model = plain(fixed=("1", "0", "1:0")).fit(X, y)
    assert model.terms("abcd") == ("b", "a", "b:a")
    assert [step.kind for step in model.steps] == ["fixed"] * 3
    selected = plain("paper").fit(X, y)
    assert model.steps[-1].r2 == pytest.approx(selected.steps[-1].r2, abs=1e-12)
    np.testing.assert_allclose(model.predict(X), selected.predict(X), rtol=1e-9)


@pytest.mark.parametrize("text", ["a", "0:0", "", "0:1:2:3", "-1", "0:", "²"])
def test_fixed_terms_that_are_none(text: str) -> None:
    with pytest.raises(FitError, match="fixed term"):
        fixed_columns(text)


def test_fixed_terms_of_nothing_that_varies() -> None:
    X, y = golden()
    with pytest.raises(FitError, match="fixed terms"):
        plain(fixed=("9",)).fit(X, y)


def test_relative_weights_make_relative_errors_small() -> None:
    X = designs(200)
    y = np.exp(1.2 * np.log2(X[:, 0]) + 0.5 * np.sin(3 * np.log2(X[:, 1])))

    def mean_error(weights: str) -> float:
        model = Splines(weights=weights, shrink=False, order=1).fit(X, y)
        return float(np.mean(np.abs(model.predict(X) / y - 1)))

    assert mean_error("relative") < 0.7 * mean_error("none")
    with pytest.raises(FitError, match="positive"):
        Splines(weights="relative").fit(X, y - y.mean())


def test_shrinking_is_calmer_where_points_are_few() -> None:
    X, unseen = designs(40), designs(400, 1)

    def time(X: np.ndarray) -> np.ndarray:
        return 3 + 1 / X[:, 0] + np.log2(X[:, 5]) / X[:, 3]

    noisy = time(X) * (1 + 0.05 * (uniform(40, 2) - 0.5))
    errors = {
        s: np.abs(Splines(theta=0, phi=0, shrink=s).fit(X, noisy).predict(unseen) / time(unseen) - 1)
        for s in (False, True)
    }
    assert errors[True].mean() < errors[False].mean()


@pytest.mark.parametrize("criterion", ["adjusted_r2", "aic", "t_test"])
def test_no_model_with_as_many_columns_as_points(criterion: str) -> None:
    """Where a criterion would love to interpolate, a degree of freedom is left after the first parameter."""
    rng = np.random.default_rng(3)
    X = rng.choice([1.0, 2, 3, 4, 5], (24, 5))
    model = plain(criterion=criterion).fit(X, rng.standard_normal(24))
    assert model.steps[-1].rank < 24
    assert json.loads(dumps(to_plain(model)))["steps"]


def test_logarithms_refuse_what_has_none() -> None:
    X = designs(60)
    model = Splines().fit(X, 1 / X[:, 0] + 0.001 * uniform(60, 1))
    bad = X[:2].copy()
    bad[1, 0] = 0
    assert list(model.refuse(bad, NAMES)) == [1]
    assert "blk = 0 has no logarithm" in model.refuse(bad, NAMES)[1]
    assert np.isnan(model.predict(bad)).tolist() == [False, True]


def test_what_a_file_may_not_say() -> None:
    X, y = golden()
    plain_state = to_plain(plain().fit(X, y))
    for change in (
        lambda m: m["chosen"][0]["axes"].__setitem__(0, 9),
        lambda m: m["chosen"][0]["coefficients"].append(0.0),
        lambda m: m["steps"][0].__setitem__("best", 99),
        lambda m: m["axes"][0].__setitem__("column", 77),
        lambda m: m["chosen"][2].__setitem__("axes", [0, 0]),
    ):
        state = json.loads(json.dumps(plain_state))
        change(state)
        with pytest.raises(ModelFileError):
            from_plain(SplinesModel, state).check(4)
    from_plain(SplinesModel, plain_state).check(4)


def test_aic_runs_away_where_columns_can_be_as_many_as_points_and_aicc_does_not() -> None:
    rng = np.random.default_rng(1)
    X = rng.choice([1.0, 2.0, 4.0, 8.0, 16.0], (500, 10))
    log = np.log2(X)
    y = 0.2 * log[:, 0] + 0.1 * log[:, 1] * log[:, 2] - 0.3 * log[:, 3] + 0.02 * rng.standard_normal(500)
    error, rank = {}, {}
    for criterion in ("aic", "aicc"):
        model = Splines(criterion=criterion).fit(X[:160], y[:160])
        error[criterion] = float(np.abs(model.predict(X[160:]) - y[160:]).mean())
        rank[criterion] = model.steps[-1].rank
    assert rank["aic"] > 140
    assert rank["aicc"] < 60
    assert error["aicc"] < 0.02
    assert error["aic"] > 3 * error["aicc"]


def test_stargazer_takes_the_corrected_aic_unless_a_paper_is_repeated() -> None:
    chosen = {
        variant: make_recipe("stargazer", {"variant": variant, "criterion": "aic"}).chosen_by
        for variant in ("ridgeline", "paper", "original")
    }
    assert chosen == {"ridgeline": "aicc", "paper": "aic", "original": "aic"}


@pytest.mark.parametrize("seed", [*range(20), 237, 245])
def test_fixed_terms_of_few_points_predict_what_their_story_says(seed: int) -> None:
    """Where a cell of an interaction has no point, columns of its spline are not told apart (seeds 237 and 245)."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([30, 40, 60]))
    X = np.column_stack(
        [rng.choice(levels, n) for levels in ((1, 2, 3, 4, 6), (4, 7, 12, 20, 48), (2, 4, 8, 24))]
    ).astype(float)
    y = 1000 / X[:, 0] + 500 / X[:, 1] + 300 / X[:, 2] + rng.normal(size=n)
    model = Splines(fixed=("0", "2", "0:1"), shrink=False, spacing="even").fit(X, y)
    off = ((model.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert 1 - off == pytest.approx(model.steps[-1].r2, abs=0.05)  # it was off by hundreds
