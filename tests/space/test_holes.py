"""Holes of measured trials: known constraints are recovered exactly, samples and crosses suggest none."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.holes import Holes, holes_of, observed_space
from core.space.sweep import best_design, over, sweep
from core.space.wishes import LOW
from core.trial import Frame, Kind, Metric, make_frame
from tests.space.made import every, grid, pipeline, spline_model


def _frame(space: DesignSpace, codes: np.ndarray) -> Frame:
    numeric = [j for j, p in enumerate(space.parameters) if not p.categorical]
    metrics = [Metric(space.names[j], Kind.PARAMETER) for j in numeric]
    labels = {p.name: [str(p.levels[c]) for c in codes[:, j]] for j, p in enumerate(space.parameters) if p.categorical}
    X = space.numbers(codes)[:, numeric]
    return make_frame(X, np.arange(len(X)) + 1.0, metrics, Metric("time", Kind.RESPONSE, "s"), labels=labels)


def _holes(space: DesignSpace, codes: np.ndarray) -> Holes:
    return holes_of(make_space(space.parameters), _frame(space, codes))


def _texts(holes: Holes) -> list[str]:
    return [hole.text for hole in holes.found]


@pytest.mark.parametrize(
    ("sizes", "constraint"),
    [
        ((6, 6, 3), "a * b <= 64"),
        ((6, 6, 3), "a * b >= 8"),
        ((6, 6, 3), "a + b <= 33"),
        ((5, 5, 4), "a >= b"),
        ((5, 5, 5, 2), "a * b * c <= 64"),
        ((6, 4, 6), "a != 32 or b == 1"),
        ((6, 6, 2), "c == 1 or a * b <= 64"),
        ((4, 4, 5, 2), "a * b <= c"),
        ((6, 5, 3), "a <= 4 or b <= 2"),
    ],
)
def test_a_known_constraint_is_recovered_from_the_whole_grid(sizes: tuple[int, ...], constraint: str) -> None:
    space = grid(*sizes, constraints=[constraint])
    holes = _holes(space, every(space))
    assert _texts(holes) == [constraint]
    assert holes.found[0].n_excluded == space.n_combinations - space.n_points
    assert holes.constrained().n_points == holes.n_measured == space.n_points


def test_divisibility_and_categories_are_recovered() -> None:
    space = make_space(
        [
            Parameter("n", tuple(map(float, range(1, 13)))),
            Parameter("tile", (1.0, 2.0, 3.0, 4.0, 6.0)),
            Parameter("layout", ("column", "row", "tiled")),
            Parameter("unroll", (0.0, 1.0)),
        ],
        ["n % tile == 0", "layout != 'tiled' or unroll == 1"],
    )
    assert sorted(_texts(_holes(space, every(space)))) == sorted(c.text for c in space.constraints)


def test_several_constraints_are_told_apart_and_every_text_means_what_is_counted() -> None:
    space = grid(6, 6, 4, 2, constraints=["a * b <= 128", "c <= 2 or d == 1"])
    holes = _holes(space, every(space))
    assert sorted(_texts(holes)) == sorted(c.text for c in space.constraints)
    for hole in holes.found:
        alone = make_space(space.parameters, [hole.text])
        assert hole.n_excluded == alone.n_combinations - alone.n_points
    dropped = holes.constrained([holes.found[0].text])
    assert [c.text for c in dropped.constraints] == [holes.found[1].text]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "seed"), list(product((30, 300, 3000), range(3))))
def test_a_random_sample_of_a_large_space_suggests_nothing(n: int, seed: int) -> None:
    space = grid(6, 6, 5, 4, 3, 3, 4, 4)
    codes = space.codes(np.random.default_rng(seed).integers(0, space.n_combinations, n))
    assert _texts(_holes(space, codes)) == []


def test_samples_with_uneven_frequencies_suggest_nothing() -> None:
    space, rng = grid(6, 6, 4, 4), np.random.default_rng(3)
    weight = rng.dirichlet(np.ones(6), 2)
    p = np.multiply.outer(weight[0], weight[1])[:, :, None, None] * np.ones((1, 1, 4, 4))
    for n in (40, 200, 400):
        ranks = rng.choice(space.n_combinations, n, p=(p / p.sum()).ravel())
        assert _texts(_holes(space, space.codes(ranks))) == []


def test_one_factor_at_a_time_is_no_constraint() -> None:
    space = grid(6, 6, 6)
    codes = np.vstack([np.eye(3, dtype=int)[j] * k for j in range(3) for k in range(6)])
    assert _texts(_holes(space, codes)) == []


def test_a_thin_sample_of_a_constrained_space_suggests_what_it_can_prove() -> None:
    space = grid(8, 8, 4, 4, 3, constraints=["a * b <= 128", "c != 8 or d != 8"])
    points = every(space)
    codes = points[np.random.default_rng(0).permutation(len(points))[:300]]
    assert _texts(_holes(space, codes)) == ["a * b <= 128"]


def test_what_no_expression_explains_becomes_regions_and_nothing_measured_is_lost() -> None:
    space = grid(8, 8, 6)
    codes = space.codes(np.arange(space.n_combinations))
    hole = (codes[:, 0] >= 2) & (codes[:, 0] <= 5) & (codes[:, 1] >= 3) & (codes[:, 1] <= 6) & (codes[:, 2] >= 2)
    scattered = np.random.default_rng(1).random(len(codes)) < 0.03
    measured = codes[~hole & ~scattered]
    holes = _holes(space, measured)
    constrained = holes.constrained()
    assert any(h.region for h in holes.found)
    assert constrained.allowed(measured).all()
    assert not constrained.allowed(codes[hole]).any()
    assert constrained.allowed(codes[scattered & ~hole]).mean() > 0.5


def test_a_parameter_whose_values_are_thinned_takes_no_part() -> None:
    rng = np.random.default_rng(0)
    a, b = (x.ravel() for x in np.meshgrid(2.0 ** np.arange(7), 2.0 ** np.arange(7), indexing="ij"))
    keep = np.flatnonzero(a * b <= 32).repeat(8)
    X = np.column_stack([a[keep], b[keep], rng.random(len(keep))])
    metrics = [Metric(name, Kind.PARAMETER) for name in ("a", "b", "t")]
    frame = make_frame(X, np.arange(len(X)) + 1.0, metrics, Metric("time", Kind.RESPONSE, "s"))
    space = observed_space(frame)
    holes = holes_of(space, frame)
    assert _texts(holes) == ["a * b <= 32"]
    assert holes.found[0].n_excluded == space.n_combinations - holes.constrained().n_points


def test_a_parameter_that_no_formula_can_name_takes_no_part() -> None:
    plain = make_space([Parameter(name, tuple(float(2**k) for k in range(6))) for name in "abc"])
    kept = every(plain)[every(plain)[:, 0] + every(plain)[:, 1] <= 6]
    assert _holes(plain, kept).found
    for name in ("corpus MB", "#blk", "c$", "min", "not"):
        space = make_space((replace(plain.parameters[0], name=name), *plain.parameters[1:]))
        assert not _holes(space, kept).found
        assert _holes(space, kept).constrained().n_points == 216


def test_the_order_of_trials_does_not_matter() -> None:
    space = grid(8, 8, 6, constraints=["a * b <= 256"])
    codes = every(space)[::2]
    shuffled = codes[np.random.default_rng(5).permutation(len(codes))]
    assert _holes(space, codes).found == _holes(space, shuffled).found


def test_the_best_design_keeps_to_inferred_constraints() -> None:
    space = grid(5, 5, 3, constraints=["a * b <= 16"])
    inferred = _holes(space, every(space)).constrained()
    model = pipeline(inferred, spline_model(inferred, [(0,), (1,), (0, 1)], seed=2))
    best = best_design(model, inferred, LOW)
    assert best is not None
    assert best.rank == sweep(*over(space, [model]), top=1).best[0].rank
    assert sweep(*over(inferred, [model]), top=1).n_points == space.n_points


@pytest.mark.parametrize(
    ("file", "n_allowed"),
    [("dedispersion__A100", 11_130), ("dedispersion__MI250X", 11_130), ("convolution__MI250X", 4_494)],
)
def test_tuners_restrictions_are_found(real_data, file: str, n_allowed: int) -> None:
    data = pd.read_csv(real_data / "data" / f"tuner/{file}.csv.gz")
    data = data[[c for c in data.columns[: data.columns.get_loc("time_ms")] if data[c].nunique() > 1]]
    metrics = [Metric(c, Kind.PARAMETER) for c in data]
    frame = make_frame(data.to_numpy(float), np.arange(len(data)) + 1.0, metrics, Metric("t", Kind.RESPONSE, "s"))
    holes = holes_of(observed_space(frame), frame)
    constrained = holes.constrained()
    assert "block_size_x * block_size_y <= 1024" in _texts(holes)
    assert constrained.n_points == n_allowed
    assert constrained.allowed(constrained.encode(data.to_numpy(float).tolist())).all()
