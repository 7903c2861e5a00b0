"""Stepwise selection: the picks of brute force and of R, terms that stay defined, and the whole story kept."""

import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FitError, OptionError
from core.models._forward import Search
from core.models.parts.columns import columns
from core.models.parts.pool import POOLS, build_pool, elements
from core.models.stepwise import Stepwise, StepwiseModel
from core.passes.base import Features
from core.passes.pca import PCA
from core.passes.rotations import EigerRotation
from core.passes.scales import Log
from tests.made import regression


def brute_force(candidates: np.ndarray, y: np.ndarray, terms: int, intercept: bool = True) -> list[tuple[int, float]]:
    """One least-squares solve per candidate and step: (winner, adjusted R²)."""
    n = len(y)
    total = ((y - y.mean()) ** 2).sum()
    base, chosen, path = [np.ones(n)] if intercept else [], [], []
    for k in range(1, terms + 1):
        best = (-np.inf, -1)
        for j in range(len(candidates)):
            if j in chosen:
                continue
            A = np.column_stack([*base, *(candidates[i] for i in chosen), candidates[j]])
            scale = np.abs(A).max(axis=0)
            scale[scale == 0] = 1.0
            left = ((y - A @ (np.linalg.lstsq(A / scale, y, rcond=None)[0] / scale)) ** 2).sum()
            best = max(best, (1 - left / total * (n - 1) / (n - k - 1), -j))
        chosen.append(-best[1])
        path.append((-best[1], best[0]))
    return path


def some_data(n: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X[:, 0] - 2 * X[:, 1] * X[:, 2] + np.tanh(X[:, 3]) + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("pool", ["signed", "table1", "quadratic"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_path_equals_brute_force(pool: str, seed: int) -> None:
    X, y = some_data(60, 5, seed)
    model = Stepwise(pool=(pool,), threshold=0.0, max_terms=6).fit(X, y)
    _, values = build_pool(X, (pool,))
    usable = [i for i in range(len(values)) if i not in {d.candidate for d in model.dropped if d.step == 0}]
    expected = brute_force(values[usable], y, len(model.steps))
    assert [s.candidate for s in model.steps] == [usable[j] for j, _ in expected]
    np.testing.assert_allclose([s.adjusted_r2 for s in model.steps], [a for _, a in expected], rtol=1e-9)


# > library(leaps)
# > for (k in 1:3) { n <- c(40, 60, 80)[k]; p <- c(6, 10, 15)[k]   # X, y as in tests/made.py
# >   f <- regsubsets(x = X, y = y, method = "forward", nvmax = 6); s <- summary(f)
# >   cat(f$vorder[2:7] - 2); cat(format(s$adjr2, digits = 15)) }
LEAPS = {
    1: (
        40,
        6,
        [0, 1, 2, 5, 3, 4],
        [
            0.682943596945267,
            0.839108756184803,
            0.902217340701958,
            0.972989524992314,
            0.974073243485527,
            0.973310960461770,
        ],
    ),
    2: (
        60,
        10,
        [0, 2, 9, 1, 3, 7],
        [
            0.713908130638048,
            0.831528892014945,
            0.900256749563896,
            0.971276552787537,
            0.972067595653624,
            0.971786634718165,
        ],
    ),
    3: (
        80,
        15,
        [0, 14, 2, 1, 5, 7],
        [
            0.786087441483536,
            0.855311766882212,
            0.921826052517355,
            0.972494523833548,
            0.973791998418813,
            0.975219110725777,
        ],
    ),
}


@pytest.mark.parametrize("k", [1, 2, 3])
def test_path_equals_leaps(k: int) -> None:
    n, p, order, adjusted = LEAPS[k]
    X, y = regression(n, p, k)
    every = columns(np.ascontiguousarray(X.T))
    steps = list(Search(every, y, np.ones(p, dtype=bool), intercept=True).steps(-1.0, 6))
    assert [s.candidate for s in steps] == order
    np.testing.assert_allclose([s.adjusted_r2 for s in steps], adjusted, rtol=1e-12)


def test_path_equals_leaps_run_now(tmp_path: Path) -> None:
    """The pool's own columns through leaps, where R is installed."""
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    X, y = some_data(200, 5, 9)
    model = Stepwise(pool=("signed",), threshold=0.0, max_terms=8).fit(X, y)
    _, values = build_pool(X, ("signed",))
    np.savetxt(tmp_path / "x.csv", values.T, delimiter=",", fmt="%.17g")
    np.savetxt(tmp_path / "y.csv", y, fmt="%.17g")
    code = (
        "if (!requireNamespace('leaps', quietly = TRUE)) quit(status = 7); library(leaps);"
        "X <- as.matrix(read.csv('x.csv', header = FALSE)); y <- scan('y.csv', quiet = TRUE);"
        "f <- regsubsets(x = X, y = y, method = 'forward', nvmax = 8, really.big = TRUE); cat(f$vorder[2:9] - 2)"
    )
    done = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    if done.returncode == 7:
        pytest.skip("R's leaps is not installed")
    assert [int(t) for t in done.stdout.split()][: len(model.steps)] == [s.candidate for s in model.steps]


def test_original_semantics_equal_brute_force_on_wild_scales() -> None:
    rng = np.random.default_rng(0)
    X = rng.lognormal(0, 3, (50, 4)) * np.array([1e-6, 1.0, 1e6, 1e3])
    y = rng.lognormal(0, 1, 50) + 1e-6 * X[:, 2]
    model = Stepwise(pool=("eiger1",), threshold=0.0, max_terms=4, semantics="eiger-1").fit(X, y)
    pool, values = build_pool(X, ("eiger1",))
    assert len(pool) == 1 + 7 * 4 + 10
    expected = brute_force(values, y, len(model.steps), intercept=False)
    assert [s.candidate for s in model.steps] == [j for j, _ in expected]
    assert model.intercept == 0
    by_hand = sum(c * values[s.candidate] for c, s in zip(model.coefficients, model.steps, strict=True))
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-9)


def original_data(folder: Path) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """The original program's own trials: 25 programs on 4 GPUs, 37 application and 9 machine metrics."""
    import pandas as pd

    machines = pd.read_csv(folder / "machines.csv").query("type == 'GPU'").drop(columns="type")
    apps = pd.read_csv(folder / "app_metrics.csv")
    trials = pd.read_csv(folder / "times.csv").merge(apps, on="program").merge(machines, on="machine")
    names = tuple(c for c in (*apps.columns, *machines.columns) if c not in ("program", "machine"))
    return names, trials[list(names)].to_numpy(float), trials["time_s"].to_numpy()


def test_original_selection_on_its_own_data(real_data: Path) -> None:
    """100 trials × 46 metrics, 1,404 candidates: the path of one solve per candidate.

    The metrics vary in 26 directions only; the other 20 columns of the rotation are whatever
    the SVD's rounding makes of them, and the varimax sweep mixes them into all. So the terms
    differ from machine to machine (the original's too), but never from brute force.
    """
    names, X, y = original_data(real_data / "data" / "eiger_gpgpu3")
    assert X.shape == (100, 46)
    scores = EigerRotation().fit(Features(names, X, names)).apply(X)
    model = Stepwise(pool=("eiger1",), threshold=0.01, semantics="eiger-1").fit(scores, y)
    _, values = build_pool(scores, ("eiger1",))
    assert len(values) == 1404
    expected = brute_force(values, y, len(model.steps), intercept=False)
    np.testing.assert_allclose([s.adjusted_r2 for s in model.steps], [a for _, a in expected], rtol=1e-9)


def test_original_selection_on_components_that_are_defined(real_data: Path) -> None:
    names, X, y = original_data(real_data / "data" / "eiger_gpgpu3")
    scores = EigerRotation(components=26, rotate=False).fit(Features(names, X, names)).apply(X)
    model = Stepwise(pool=("eiger1",), threshold=0.01, semantics="eiger-1").fit(scores, y)
    assert len(model.steps) == 6
    assert model.steps[-1].r2 == pytest.approx(0.720808, abs=2e-6)


def test_path_equals_brute_force_on_real_kernels(real_data: Path) -> None:
    """OpenCL kernels on 12 devices: components of their logged metrics, the pool of Table I."""
    import pandas as pd

    trials = pd.read_csv(real_data / "data" / "aiwc" / "trials.csv")
    metrics = trials.select_dtypes("number").drop(columns=[c for c in trials if "time" in c])
    metrics = metrics.loc[:, metrics.nunique() > 1]
    names, rows = tuple(metrics.columns), np.arange(0, len(trials), 4)
    features = Features(names, metrics.to_numpy(float)[rows], names)
    for step in (Log(), PCA(components=6)):
        features = step.fit(features).features(features)
    y = np.log(trials["kernel_time_us"].to_numpy()[rows])
    model = Stepwise(pool=("table1",), threshold=0.0, max_terms=6).fit(features.X, y)
    _, values = build_pool(features.X, ("table1",))
    gone = {d.candidate for d in model.dropped if d.step == 0}
    usable = [i for i in range(len(values)) if i not in gone]
    expected = brute_force(values[usable], y, 6)
    assert [s.candidate for s in model.steps] == [usable[j] for j, _ in expected]
    np.testing.assert_allclose([s.adjusted_r2 for s in model.steps], [a for _, a in expected], rtol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_each_step_gains_and_coefficients_are_those_of_a_refit(seed: int) -> None:
    X, y = some_data(40, 4, seed)
    model = Stepwise(threshold=0.0, max_terms=6).fit(X, y)
    r2 = [s.r2 for s in model.steps]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(r2))
    _, values = build_pool(X, ("signed",))
    for k, step in enumerate(model.steps, 1):
        A = np.column_stack([np.ones(40), *(values[s.candidate] for s in model.steps[:k])])
        refit = np.linalg.lstsq(A, y, rcond=None)[0]
        np.testing.assert_allclose([step.intercept, *step.coefficients], refit, rtol=1e-6, atol=1e-8)


def test_threshold_cuts_the_same_path() -> None:
    X, y = some_data(80, 4, 0)
    whole = Stepwise(threshold=0.0, max_terms=12).fit(X, y)
    for threshold in (0.001, 0.01, 0.1):
        model = Stepwise(threshold=threshold, max_terms=12).fit(X, y)
        n = len(model.steps)
        assert [s.candidate for s in model.steps] == [s.candidate for s in whole.steps[:n]]
        assert all(s.gain > threshold for s in model.steps[1:])
        if n < len(whole.steps):
            assert whole.steps[n].gain <= threshold


def test_story_holds_every_candidate_of_every_step() -> None:
    X, y = some_data(50, 4, 3)
    model = Stepwise(threshold=0.01).fit(X, y)
    gone = {d.candidate for d in model.dropped if d.step == 0}
    _, values = build_pool(X, ("signed",))
    for k, step in enumerate(model.steps, 1):
        before = [s.candidate for s in model.steps[: k - 1]]
        late = {d.candidate for d in model.dropped if 0 < d.step <= k}
        assert set(step.tried) == set(range(len(model.pool))) - set(before) - gone - late
        j = int(step.tried[len(step.tried) // 2])
        A = np.column_stack([np.ones(50), *(values[i] for i in before), values[j]])
        left = ((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).sum()
        expected = 1 - left / ((y - y.mean()) ** 2).sum() * 49 / (50 - k - 1)
        assert step.adjusted[len(step.tried) // 2] == pytest.approx(expected, rel=1e-9)
        assert step.adjusted.max() == step.adjusted_r2


@pytest.mark.parametrize(
    ("pool", "make", "term"),
    [
        (("signed",), lambda a, b: 4 - 3 * a * b, "a·b"),
        (("signed",), lambda a, b: 1 + np.arcsinh(a), "asinh(a)"),
        (("signed",), lambda a, b: 2 * np.sign(b) * np.sqrt(np.abs(b)), "sign(b)·|b|^0.5"),
        (("quadratic",), lambda a, b: 5 * b**2 - 7, "(b)^2"),
    ],
)
def test_the_function_that_made_the_data_is_found(pool, make, term: str) -> None:
    X = np.random.default_rng(0).standard_normal((100, 2))
    model = Stepwise(pool=pool, threshold=0.001).fit(X, make(*X.T))
    assert model.terms(("a", "b")) == (term,)
    assert model.steps[-1].r2 == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "term"),
    [(lambda x: 3 / x**2, "(x)^-2"), (lambda x: np.log2(x), "log2(x)"), (lambda x: 1 / np.sqrt(x), "(x)^-0.5")],
)
def test_positive_columns_are_used_as_they_are(make, term: str) -> None:
    x = np.random.default_rng(1).uniform(1, 50, 100)[:, None]
    model = Stepwise(pool=("table1",), threshold=0.001).fit(x, make(x[:, 0]))
    assert model.terms(("x",)) == (term,)
    below = np.array([[x.min() * 0.6], [x.min() * 0.4], [-1.0]])
    assert np.isfinite(model.predict(below)).tolist() == [True, False, False]
    assert sorted(model.refuse(below, ("x",))) == [1, 2]


def test_signed_columns_are_shifted_and_refused_near_the_pole() -> None:
    x = np.linspace(-3, 3, 100)
    u = (x + 3) / 6 + 0.1
    model = Stepwise(pool=("log2",), threshold=0.001).fit(x[:, None], np.log2(u))
    assert model.terms(("x",)) == ("log2(u(x))",)
    assert model.steps[-1].r2 == pytest.approx(1)
    edge = np.array([[-3.0], [-3.29], [-3.31], [-9.0]])  # u = 0.1, 0.0517, 0.0483
    assert np.isfinite(model.predict(edge)).tolist() == [True, True, False, False]
    assert "too near the pole of log2(u(x))" in model.refuse(edge, ("x",))[2]


def test_collinear_candidates_are_dropped_by_name() -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(50)
    X = np.column_stack([a, 2 * a + 1, rng.standard_normal(50)])
    model = Stepwise(pool=("linear",), threshold=0.0).fit(X, a + 0.01 * rng.standard_normal(50))
    assert model.steps[0].candidate == 0  # ties go to the earlier one
    assert [(d.candidate, d.why) for d in model.dropped] == [(1, "collinear with the terms before it")]


def test_constant_and_lone_columns_do_not_enter() -> None:
    rng = np.random.default_rng(0)
    spike = np.zeros(60)
    spike[7] = 100
    X = np.column_stack([np.full(60, 3.0), spike, rng.standard_normal(60)])
    model = Stepwise(pool=("linear",)).fit(X, rng.standard_normal(60) + spike)
    assert {d.candidate: d.why for d in model.dropped} == {
        0: "constant on the training trials",
        1: "more than half of its leverage is in one trial",
    }


def test_more_terms_than_trials_stop_in_time() -> None:
    X, y = some_data(8, 6, 0)
    model = Stepwise(threshold=0.0, max_terms=50).fit(X, y)
    assert len(model.steps) <= 6
    assert all(np.isfinite(s.adjusted_r2) for s in model.steps)


def test_refusals_are_sentences() -> None:
    X, y = some_data(20, 4, 0)
    with pytest.raises(FitError, match=r"No function of the pool is usable on these trials\."):
        Stepwise().fit(np.ones((20, 4)), y)
    with pytest.raises(OptionError, match="no pool or function 'sin'"):
        Stepwise(pool=("sin",))
    with pytest.raises(OptionError, match="takes no number"):
        Stepwise(pool=("log2:3",))
    with pytest.raises(FitError, match="got 2"):
        Stepwise().fit(X[:2], y[:2])


def test_named_pools_are_those_of_the_paper() -> None:
    assert POOLS["table1"] == (
        "power:-2",
        "power:-1",
        "power:-0.5",
        "log2",
        "power:0.5",
        "power:1",
        "power:2",
        "product",
    )
    assert elements(("linear", "log2", "linear")) == ("power:1", "log2")
    pool, values = build_pool(np.random.default_rng(0).standard_normal((30, 9)), ("table1",))
    assert values.shape == (99, 30)
    assert pool.formula(63, [f"x{i}" for i in range(9)]) == "x0·x1"


def test_predict_is_intercept_plus_terms() -> None:
    X, y = some_data(40, 4, 1)
    model: StepwiseModel = Stepwise().fit(X, y)
    by_hand = model.intercept + sum(c * t.evaluate(X) for c, t in zip(model.coefficients, model.chosen, strict=True))
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-14)
    assert model.formula(("a", "b", "c", "d")).startswith(f"{model.intercept:.4g}")


def test_paths_are_given_up_where_more_terms_are_worse_beyond_doubt() -> None:
    rng = np.random.default_rng(0)
    X, noise, groups = rng.standard_normal((600, 80)), rng.standard_normal(600), np.arange(600) % 40
    nothing = Stepwise(threshold=None, max_terms=48).fit_groups(X, noise, groups).choice
    assert nothing is not None
    assert nothing.sizes[-1] in (8, 12, 16)
    assert nothing.longest < 3
    y = X[:, :9].sum(axis=1) + X[:, 0] * X[:, 1] + 0.01 * noise
    something = Stepwise(threshold=None, max_terms=48).fit_groups(X, y, groups).choice
    assert something is not None
    assert something.sizes[-1] == 48
    assert something.longest > 8


def test_a_path_given_up_would_have_led_to_the_same_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X, groups = rng.standard_normal((600, 80)), np.arange(600) % 40
    for y in (rng.standard_normal(600), X[:, 0] + rng.standard_normal(600)):
        given_up = Stepwise(threshold=None).fit_groups(X, y, groups)
        with monkeypatch.context() as patch:
            patch.setattr("core.models.parts.along.RISEN", np.inf)
            whole = Stepwise(threshold=None).fit_groups(X, y, groups)
        assert given_up.choice is not None
        assert whole.choice is not None
        assert len(given_up.choice.sizes) < len(whole.choice.sizes)
        assert given_up.chosen == whole.chosen
        np.testing.assert_allclose(given_up.predict(X), whole.predict(X), rtol=1e-9)


@pytest.mark.parametrize("n_columns", [2, 600])
def test_a_product_that_is_nothing_but_rounding_is_no_term(n_columns: int) -> None:
    rng = np.random.default_rng(3)
    X = 1e-3 * rng.standard_normal((240, n_columns))
    X[:120, 0], X[120:, 0] = rng.standard_normal(120), 1e-15 * rng.standard_normal(120)
    X[:120, 1], X[120:, 1] = 1e-10 * rng.standard_normal(120), rng.standard_normal(120)
    noise = X[:, 0] * X[:, 1]
    y = noise / noise.std() + 0.01 * rng.standard_normal(240)
    model = Stepwise(pool=("linear", "product"), threshold=0.0, max_terms=3).fit(X, y)
    assert all([f.variable for f in term.factors] != [0, 1] for term in model.chosen)
    assert np.abs(model.coefficients).max() < 1e6
    paper = Stepwise(pool=("identity", "linear", "product"), threshold=0.0, max_terms=3, semantics="eiger-1")
    assert [f.variable for f in paper.fit(X[:, :2], y).chosen[0].factors] == [0, 1]
