"""Sweeps, best designs and fronts against every point predicted one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import OptionError
from core.recipes import make_recipe
from core.space._blocks import by_halves, inside_of, score_blocks
from core.space._halves import best_split, factor, make_half
from core.space._reductions import Kept
from core.space.columns import columns_of
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.sums import Sum, Table, sum_of
from core.space.sweep import best_design, over, sweep
from tests.space.made import every, grid, measured, pipeline, score_all, spline_model

TERMS = [(0,), (1,), (2,), (3,), (1, 0), (3, 1), (2, 3), (2, 0, 1)]


def predicted(model, space: DesignSpace) -> tuple[np.ndarray, np.ndarray]:
    codes = every(space)
    return space.ranks(codes), model.predict(columns_of(model, space).rows(codes)).value


def same(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=5),
    st.data(),
    st.integers(0, 1000),
    st.sampled_from(["flag", "clamp", "refuse"]),
    st.booleans(),
)
def test_the_halves_give_what_predict_gives(
    sizes: list[int], data: st.DataObject, seed: int, extrapolation: str, log: bool
) -> None:
    space = grid(*sizes)
    axes = st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=3, unique=True).map(tuple)
    terms = data.draw(st.lists(axes, min_size=1, max_size=6))
    model = pipeline(space, spline_model(space, terms, seed, log=log), extrapolation=extrapolation, shrink=1)
    sums = sum_of(model, space)
    assert sums is not None
    codes = space.codes(np.arange(space.n_combinations))
    expected = model.predict_scaled(columns_of(model, space).rows(codes))
    same(sums.at(codes), expected)
    same(score_all(sums, space), expected)


@pytest.mark.parametrize("split", [(0,), (0, 1), (2, 3), (1, 3), (0, 1, 2)])
def test_every_split_gives_the_same(split: tuple[int, ...]) -> None:
    space = grid(4, 3, 5, 2)
    model = pipeline(space, spline_model(space, TERMS))
    sums = sum_of(model, space)
    a, b = make_half(space, split), make_half(space, [i for i in range(4) if i not in split])
    found = np.empty(space.n_combinations)
    parts = factor(sums, a, b)
    found[(a.ranks[:, None] + b.ranks).ravel()] = (parts.left @ parts.right).ravel()
    same(found, model.predict_scaled(space.numbers(space.codes(np.arange(space.n_combinations)))))


def test_the_split_is_the_one_of_least_work() -> None:
    space = grid(4, 4, 4, 4)
    apart = pipeline(space, spline_model(space, [(0, 2), (1, 3)]))
    assert set(best_split([sum_of(apart, space)], space)) in ({0, 2}, {1, 3})


@pytest.mark.parametrize(("moving", "fixed"), [(30, 0), (62, 0), (4, 66), (1, 70), (0, 70)])
def test_many_parameters_are_split_without_a_list_of_all_splits(moving: int, fixed: int) -> None:
    n = moving + fixed
    space = make_space([Parameter(f"p{i}", (1.0, 2.0) if i < moving else (1.0,)) for i in range(n)])
    sums = Sum(0.0, (Table((0, n - 1), np.ones((space.shape[0], space.shape[-1]))),), tuple(np.zeros((n, 0), bool)))
    split = best_split([sums], space)
    assert 0 < len(split) < n
    assert abs(2 * len([i for i in split if i < moving]) - moving) <= max(2, moving % 2)


@pytest.mark.parametrize("constraints", [(), ("a * b <= 8",), ("a <= c", "b != d", "a + d < 12"), ("c == 1",)])
@pytest.mark.parametrize("exact", [False, True])
def test_a_sweep_finds_what_brute_force_finds(
    constraints: tuple[str, ...], exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.space._blocks._CELLS", 50)
    monkeypatch.setattr("core.space._blocks._ROWS", 37)
    space = grid(4, 4, 3, 5, constraints=constraints)
    model = pipeline(space, spline_model(space, TERMS), shrink=1)
    ranks, values = predicted(model, space)
    for sense in ("low", "high"):
        found = sweep(*over(space, [model], [sense]), top=9, exact=exact)
        order = np.argsort(values if sense == "low" else -values, kind="stable")[:9]
        assert [d.rank for d in found.best] == ranks[order].tolist()
        same(np.array([d.value for d in found.best]), values[order])
    assert found.n_points == len(values) == found.counts.sum()
    assert found.n_inside == int((model.predict(space.numbers(every(space))).in_domain).sum())
    same(np.array([found.smallest, found.largest]), np.array([values.min(), values.max()]))
    counts = np.histogram(values, found.edges)[0]
    assert np.abs(counts - found.counts).max() <= 1  # a value on an edge may fall to either side
    assert found.best[0].low < found.best[0].value < found.best[0].high


def test_refused_designs_are_counted_and_never_best() -> None:
    space = grid(4, 4, 3, 5)
    model = pipeline(space, spline_model(space, TERMS), extrapolation="refuse", shrink=1)
    found, exact = sweep(*over(space, [model])), sweep(*over(space, [model]), exact=True)
    inside = model.predict(space.numbers(every(space))).in_domain.sum()
    assert found.n_refused == exact.n_refused == space.n_points - inside > 0
    assert [d.rank for d in found.best] == [d.rank for d in exact.best]
    assert found.n_inside == inside


@pytest.mark.parametrize("constraints", [(), ("a * b <= 8",), ("a <= c", "b != d", "a + d < 12")])
@pytest.mark.parametrize("sense", ["low", "high"])
def test_elimination_finds_the_best(constraints: tuple[str, ...], sense: str) -> None:
    space = grid(4, 4, 3, 5, constraints=constraints)
    for seed in range(5):
        model = pipeline(space, spline_model(space, TERMS, seed), extrapolation="refuse", shrink=seed % 2)
        found, swept = best_design(model, space, sense), sweep(*over(space, [model], [sense]), top=1).best[0]
        assert found.value == pytest.approx(swept.value, rel=1e-12)


def test_elimination_reaches_where_enumeration_does_not() -> None:
    space = grid(*[6] * 20)
    model = pipeline(space, spline_model(space, [(i, (i + 1) % 20) for i in range(20)]))
    found = best_design(model, space)
    ranks = np.random.default_rng(0).integers(0, space.n_combinations, 20000)
    assert found.value <= model.predict(space.numbers(space.codes(ranks))).value.min()
    with pytest.raises(OptionError, match="combinations"):
        sweep(*over(space, [model]))


def test_nothing_allowed_is_nothing_scored() -> None:
    space = grid(3, 3, constraints=["a > 100"])
    model = pipeline(space, spline_model(space, [(0,), (1,)]))
    found = sweep(*over(space, [model]))
    assert (found.n_points, found.best) == (0, ())
    assert np.isnan(found.smallest)
    assert best_design(model, space) is None


@pytest.mark.parametrize("senses", [("low", "low"), ("low", "high"), ("high", "low")])
def test_the_front_is_what_no_design_beats(senses: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.space._blocks._CELLS", 40)
    space = grid(4, 4, 3, 5, constraints=["a <= 2 * c"])
    one, two = (pipeline(space, spline_model(space, TERMS, seed)) for seed in (1, 2))
    ranks, a = predicted(one, space)
    b = predicted(two, space)[1]
    x, y = (v if s == "low" else -v for v, s in zip((a, b), senses, strict=True))
    beaten = [bool(((x <= p) & (y <= q) & ((x < p) | (y < q))).any()) for p, q in zip(x, y, strict=True)]
    found = sweep(*over(space, [one, two], senses))
    assert sorted(d.rank for d in found.best) == sorted(ranks[~np.array(beaten)])
    assert found.n_points == len(ranks)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 3), st.integers(0, 60), st.integers(1, 25), st.integers(0, 9))
def test_what_is_kept_of_blocks_is_the_best_of_all(n_goals: int, most: int, step: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, (n_goals, 60)).astype(float)
    values[:, 7], ranks = np.nan, np.random.default_rng(seed).permutation(60)
    kept = Kept(n_goals, most)
    for start in range(0, 60, step):
        kept.take(values[:, start : start + step], ranks[start : start + step].__getitem__)
    order = [i for i in np.lexsort((ranks, *values[::-1])) if np.isfinite(values[0, i])]
    if n_goals == 1:
        assert kept.ranks.tolist() == ranks[order[:most]].tolist()
        return
    ahead = [
        i for i in order if not ((values <= values[:, [i]]).all(axis=0) & (values < values[:, [i]]).any(axis=0)).any()
    ]
    first = [i for k, i in enumerate(ahead) if not any((values[:, i] == values[:, j]).all() for j in ahead[:k])]
    assert sorted(map(tuple, kept.values.T)) == sorted(map(tuple, values[:, first].T))


def test_limits_on_another_response() -> None:
    space = grid(4, 4, 3, 5)
    one, two = (pipeline(space, spline_model(space, TERMS, seed)) for seed in (1, 2))
    a, b = predicted(one, space)[1], predicted(two, space)[1]
    low, high = np.quantile(b, [0.2, 0.6])
    found = sweep(*over(space, [one, two], ranges=[(low, high)]), top=1)
    inside = (b >= low) & (b <= high)
    assert found.n_points == inside.sum()
    assert found.best[0].value == pytest.approx(a[inside].min(), rel=1e-12)


def test_anova_on_standardised_columns_is_a_sum_too() -> None:
    space = grid(5, 4, 3)
    model = make_recipe("anova").fit(measured(space, space.codes(np.arange(0, 60, 2))))
    assert model.passes
    codes = every(space)
    expected = model.predict_scaled(space.numbers(codes))
    np.testing.assert_allclose(
        score_all(sum_of(model, space), space), expected, rtol=1e-9, atol=1e-9
    )  # its weights cancel


def test_other_models_are_swept_row_by_row() -> None:
    space = grid(5, 4, 3)
    model = make_recipe("stepwise").fit(measured(space, every(space)))
    assert sum_of(model, space) is None
    found = sweep(*over(space, [model]), top=3)
    assert found.n_points == 60
    assert found.best[0].value == pytest.approx(predicted(model, space)[1].min())
    assert best_design(model, space) is None


def test_a_column_that_no_parameter_gives_is_said() -> None:
    model = pipeline(grid(3, 3), spline_model(grid(3, 3), [(0,), (1,)]))
    with pytest.raises(OptionError, match="predicts from 'b', which is no parameter"):
        sweep(*over(grid(3), [model]))


def test_categories_are_columns_by_number_or_by_level() -> None:
    space = make_space([Parameter("mode", ("x", "y", "z")), Parameter("b", (1.0, 2.0))])
    model = pipeline(grid(3, 2), spline_model(grid(3, 2), [(0,)], log=False))
    from dataclasses import replace

    named = replace(model, metrics=(replace(model.metrics[0], name="mode=y"), model.metrics[1]))
    codes = every(space)
    assert columns_of(named, space).rows(codes)[:, 0].tolist() == [0, 0, 1, 1, 0, 0]
    numbered = replace(model, metrics=(replace(model.metrics[0], name="mode"), model.metrics[1]))
    assert columns_of(numbered, space).rows(codes)[:, 0].tolist() == [0, 0, 1, 1, 2, 2]


def test_blocks_name_each_point_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.space._blocks._CELLS", 30)
    space = grid(4, 4, 3, constraints=["a != b", "b <= c"])
    model = pipeline(space, spline_model(space, [(0, 1), (2,)]))
    ranks = [block.ranks(np.arange(len(block))) for block in score_blocks([model], space)]
    assert sorted(np.concatenate(ranks)) == sorted(space.ranks(every(space)))
    inside = inside_of([model], space)
    assert sum(len(b) for b in by_halves([sum_of(model, space)], space, inside)) == space.n_points
