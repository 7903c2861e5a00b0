"""Candidates that are not written out: the same numbers and picks as those that are."""

import tracemalloc

import numpy as np
import pytest

import core.models._candidates as made
import core.models.parts.columns as written_ones
from core.errors import FitError
from core.models import stepwise
from core.models._candidates import candidates_of
from core.models._forward import Search
from core.models._unwritten import Base, Unwritten, base_of
from core.models.parts.columns import Columns, columns
from core.models.parts.pool import build_pool
from core.models.parts.trees import check_trials
from core.models.stepwise import Stepwise

POOLS = ("linear", "quadratic", "signed", "table1", "asinh,log2,power:1,product")


def kinds(name: str, n: int = 60, p: int = 9) -> np.ndarray:
    X = np.random.default_rng(3).standard_normal((n, p))
    if name == "far from 0":
        X = 1e4 + X * np.arange(1, p + 1)
    if name == "skewed":
        X = np.exp(2 * X)
    if name == "hard":
        X[:, 1] = 5.0  # never varies
        X[:, 2] = 1 / (2 + np.abs(X[:, 0]))
        X[:, 0] = 2 + np.abs(X[:, 0])  # the product of the two is 1
        X[:, 3] = 0.0
        X[7, 3] = 1.0  # one trial alone
        X[:, 5] = X[:, 4]  # twice
        X[:, 6] *= 1e12
    if name == "hard, far from 0":
        X[:, 1] = 5.0
        X[:, 3] = 0.0
        X[7, 3] = 1.0
        X[:, 5] = X[:, 4]
        X += 300 * np.arange(1, p + 1)
    return X


KINDS = ("normal", "far from 0", "skewed", "hard", "hard, far from 0")


@pytest.fixture
def unwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "FEW", 0)
    monkeypatch.setattr(made, "_MOST_LOSING", 1.0)


@pytest.mark.usefixtures("unwritten")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pool", POOLS)
def test_they_are_measured_as_if_written(pool: str, kind: str) -> None:
    X = kinds(kind)
    ours, found = candidates_of(X, tuple(pool.split(",")))
    theirs, values = build_pool(X, tuple(pool.split(",")))
    right = columns(values)
    assert isinstance(found, Unwritten)
    np.testing.assert_array_equal(ours.first, theirs.first)
    np.testing.assert_allclose(ours.floor, theirs.floor, rtol=1e-12)
    np.testing.assert_array_equal(found.varies, right.varies)
    np.testing.assert_array_equal(found.leverage()[found.varies] > 0.5, right.leverage()[right.varies] > 0.5)
    usable = right.varies
    np.testing.assert_allclose(found.norms[usable], right.norms[usable], rtol=1e-8)
    np.testing.assert_allclose(
        found.means[usable], right.means[usable], rtol=1e-9, atol=1e-9 * right.norms[usable].max()
    )
    v = np.random.default_rng(1).standard_normal(len(X))
    said, expected = (c.only(usable).times(v)[usable] / right.norms[usable] for c in (found, right))
    np.testing.assert_allclose(said, expected, atol=1e-9)
    for j in np.flatnonzero(usable)[::7].tolist():
        np.testing.assert_allclose(found.row(j), right.row(j), atol=1e-9 * right.norms[j])


@pytest.mark.usefixtures("unwritten")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pool", POOLS)
def test_the_picks_are_those_of_one_solve_per_candidate(pool: str, kind: str) -> None:
    X = kinds(kind)
    y = X[:, 0] * X[:, 4] / X[:, 0].std() + X[:, 7] + np.random.default_rng(5).standard_normal(len(X))
    model = Stepwise(pool=tuple(pool.split(",")), threshold=0.0, max_terms=5).fit(X, y)
    values = build_pool(X, tuple(pool.split(",")))[1]
    values = values - values.mean(axis=1, keepdims=True)
    scaled = values / np.maximum(np.linalg.norm(values, axis=1), 1e-300)[:, None]
    chosen: list[int] = []
    for step in model.steps:
        errors = np.array(
            [np.linalg.lstsq(scaled[[*chosen, j]].T, y - y.mean(), rcond=None)[1].sum() for j in step.tried]
        )
        assert errors[step.tried == step.candidate] == pytest.approx(errors[errors > 0].min(), rel=1e-9)
        chosen.append(step.candidate)


def test_few_candidates_are_written_and_many_are_not() -> None:
    rng = np.random.default_rng(0)
    assert isinstance(candidates_of(rng.standard_normal((50, 20)), ("signed",))[1], Columns)
    assert isinstance(candidates_of(rng.standard_normal((900, 60)), ("signed",))[1], Unwritten)
    assert isinstance(
        candidates_of(1e200 * rng.standard_normal((900, 60)), ("signed",))[1], Columns
    )  # beyond its range
    assert isinstance(candidates_of(rng.standard_normal((900, 60)), ("signed",), intercept=False)[1], Columns)


def test_what_cannot_be_had_from_the_columns_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "FEW", 0)
    normal, hard = kinds("normal"), kinds("hard")
    assert isinstance(candidates_of(normal, ("linear",))[1], Unwritten)
    assert isinstance(candidates_of(normal, ("eiger1",))[1], Columns)  # has a constant
    assert isinstance(candidates_of(normal * 1e70, ("linear",))[1], Columns)  # fourth powers overflow
    for most, kind in ((0.0, Columns), (1.0, Unwritten)):  # of those that would lose digits
        monkeypatch.setattr(made, "_MOST_LOSING", most)
        assert isinstance(candidates_of(hard, ("quadratic",))[1], kind)
    plain = candidates_of(normal + 2, ("linear",), intercept=False)[1]
    assert isinstance(plain, Columns)
    np.testing.assert_array_equal([plain.row(j) for j in range(9)], (normal + 2).T)


def test_memory_is_that_of_columns_and_not_of_products() -> None:
    """180 columns of 500 trials have 16,110 products, of 64 MB, and 360 functions, of 1.4 MB."""
    X = np.random.default_rng(0).standard_normal((500, 180))
    tracemalloc.start()
    path = Stepwise(max_terms=3).fit(X, X[:, 3] * X[:, 8] + 0.1 * X[:, 5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(path.steps) >= 1
    assert peak < 24e6


@pytest.mark.usefixtures("unwritten")
@pytest.mark.parametrize("kind", [*KINDS, "mild", "a trial stands out"])
def test_a_norm_of_order_4_tells_that_no_trial_has_most_of_a_product(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mild = kind in ("mild", "a trial stands out")
    X = np.exp(0.6 * kinds("normal", 2000, 12)) if mild else kinds(kind, 2000, 12)
    if kind == "a trial stands out":
        X[:, 0] = 1e-3 * X[:, 0]
        X[5, 0], X[5, 1] = 40.0, 30.0
    looked_at = []
    product = Base.product
    monkeypatch.setattr(Base, "product", lambda own, a, b, columns=None: looked_at.append(len(a)) or product(own, a, b))
    _, found = candidates_of(X, ("signed",))
    _, values = build_pool(X, ("signed",))
    theirs = columns(values)
    several = theirs.norms > 1e-9 * np.abs(theirs.means) + 1e-12
    assert np.array_equal((found.leverage() > 0.5)[several], (theirs.leverage() > 0.5)[several])
    assert kind != "mild" or not looked_at


def test_nobody_looks_for_the_range_of_columns_without_products(monkeypatch: pytest.MonkeyPatch) -> None:
    def passed(X: np.ndarray) -> None:
        raise AssertionError("a pass over all columns for nothing")

    X = kinds("normal")
    monkeypatch.setattr(stepwise, "extremes", passed)
    assert Stepwise(pool=("linear",), threshold=0.0).fit(X, X[:, 0] + X[:, 1]).steps
    with pytest.raises(AssertionError):
        Stepwise(pool=("signed",), threshold=0.0).fit(X, X[:, 0] + X[:, 1])


def test_columns_are_not_copied_where_their_means_allow() -> None:
    X = np.random.default_rng(0).standard_normal((100, 5))
    assert base_of(X).B is X
    assert base_of(X + 1e3).B is not X


def test_the_path_of_both_kinds_is_one() -> None:
    X = np.random.default_rng(2).standard_normal((900, 60))
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * np.random.default_rng(4).standard_normal(900)
    paths = []
    for candidates in (candidates_of(X, ("signed",))[1], columns(build_pool(X, ("signed",))[1])):
        paths.append(list(Search(candidates, y, candidates.varies, intercept=True).steps(0.0, 12)))
    ours, theirs = paths
    assert [s.candidate for s in ours] == [s.candidate for s in theirs]
    np.testing.assert_allclose([s.r2 for s in ours], [s.r2 for s in theirs], rtol=1e-12)
    np.testing.assert_allclose(ours[-1].coefficients, theirs[-1].coefficients, rtol=1e-10)
    np.testing.assert_allclose(ours[-1].adjusted, theirs[-1].adjusted, rtol=1e-9)


@pytest.mark.usefixtures("unwritten")
@pytest.mark.parametrize(("pool", "at_once"), [("linear", True), ("linear,asinh", True), ("quadratic", False)])
def test_several_vectors_at_once_are_taken_as_each_alone(
    pool: str, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    _, found = candidates_of(rng.standard_normal((200, 40)), tuple(pool.split(",")))
    assert found.together == 1
    monkeypatch.setattr(written_ones, "CACHED", 0)
    assert (found.together > 1) == at_once
    if at_once:
        V = rng.standard_normal((5, 200))
        np.testing.assert_allclose(found.times(V), [found.times(v) for v in V], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("few", [0, 1 << 30], ids=["unwritten", "written"])
def test_of_many_columns_those_that_explain_most_have_products(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "FEW", few)
    monkeypatch.setattr(made, "CROSSED", 4)
    X = np.random.default_rng(0).standard_normal((200, 9))
    y = 3 * X[:, 1] + 2 * X[:, 4] ** 2 + X[:, 6] - X[:, 8] + X[:, 1] * X[:, 6]
    crossed = made.most_explaining(X, y)
    assert crossed == (1, 4, 6, 8)
    assert made.most_explaining(X[:, :4], y) is None
    pool, found = candidates_of(X, ("signed",), crossed=crossed)
    assert isinstance(found, Unwritten) == (few == 0)
    at = np.flatnonzero(pool.second >= 0)
    pairs = [(1, 4), (1, 6), (1, 8), (4, 6), (4, 8), (6, 8)]
    assert list(zip(pool.first[at].tolist(), pool.second[at].tolist(), strict=True)) == pairs
    assert len(pool) == 4 * 9 + len(pairs)
    values = np.array([pool.term(i).evaluate(X) for i in range(len(pool))])
    right = columns(values)
    v = np.random.default_rng(1).standard_normal(len(X))
    np.testing.assert_allclose(found.norms, right.norms, rtol=1e-10)
    np.testing.assert_allclose(found.means, right.means, atol=1e-10)
    np.testing.assert_allclose(found.times(v), right.times(v), atol=1e-9)
    for i in range(len(pool)):
        np.testing.assert_allclose(found.row(i), right.row(i), atol=1e-10)
    model = Stepwise(pool=("signed",), threshold=0.001).fit(X, y)
    crossing = {tuple(f.variable for f in term.factors) for term in model.chosen if len(term.factors) > 1}
    assert (1, 6) in crossing <= set(pairs)


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_columns_explain_as_much_as_one_regression_on_each_says(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, or squared about its mean, whatever its size and shape; read at once or in blocks of rows."""
    monkeypatch.setattr("core.blocks.BLOCK", block)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 24))
    X[:, 8:16] = -np.exp(1.5 * X[:, 8:16])
    X[:, 16:] = X[:, 16:] > 1.2
    share = rng.uniform(0.2, 1.0, 24)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    y = scaled @ share + (scaled[:, :8] ** 2) @ share[::-1][:8] + 40
    X = (X + 30) * 10.0 ** np.arange(-12, 12)
    about = X - X.mean(axis=0)
    alike = [max(abs(np.corrcoef(v, y)[0, 1]) for v in (z, z**2)) for z in about.T]
    for most in (3, 8, 16):
        monkeypatch.setattr(made, "CROSSED", most)
        assert made.most_explaining(X, y) == tuple(np.sort(np.argsort(alike)[::-1][:most]).tolist())


def test_a_selection_among_many_keeps_the_best_of_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).standard_normal((120, 12))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * np.random.default_rng(1).standard_normal(120)
    X[:, 11] = 0.0
    whole = Stepwise(threshold=0.0, max_terms=6).fit(X, y)
    monkeypatch.setattr("core.models._forward.TOLD", 10)
    monkeypatch.setattr("core.models.stepwise.TOLD", 10)
    monkeypatch.setattr(Search.steps, "__kwdefaults__", {"told": 10})
    brief = Stepwise(threshold=0.0, max_terms=6).fit(X, y)
    brief.check(12)
    assert brief.chosen == whole.chosen
    assert brief.n_pool == len(whole.pool) == 114
    assert len(brief.pool) < 60
    np.testing.assert_array_equal(brief.coefficients, whole.coefficients)
    for ours, theirs in zip(brief.steps, whole.steps, strict=True):
        assert ours.n_left == len(theirs.tried)
        best = theirs.tried[np.argsort(-theirs.adjusted)[:10]]
        assert {brief.pool.term(j) for j in ours.tried} == {whole.pool.term(j) for j in best}
    assert [brief.pool.term(d.candidate) for d in brief.dropped] == [
        whole.pool.term(d.candidate) for d in whole.dropped[:10]
    ]
    few = brief.cut(0.05)
    assert len(few.pool) < len(brief.pool)
    few.check(12)
    assert few.n_pool == 114


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_what_is_no_number_is_refused_and_what_adds_up_to_none_is_not(bad: float) -> None:
    X, y = np.full((10, 3), 1e308), np.arange(10.0)
    check_trials(X, y, 2, "A model")
    X[3, 1], X[4, 1] = bad, -bad
    with pytest.raises(FitError, match="not a finite number"):
        check_trials(X, y, 2, "A model")
