"""The natural splines themselves: against R and scipy, straight outside, one at a knot and nought at the others."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from core.errors import ModelFileError
from core.models.parts.spline import (
    AUTO,
    EVEN,
    ORIGINAL,
    Axis,
    doubles,
    levels_of,
    make_axis,
    product_columns,
    symmetric,
)

NS = [
    0,
    0.29166666666666663,
    0.68898809523809523,
    0.1607142857142857,
    0,
    0,
    -0.20263783252431236,
    0.082794573826809853,
    0.52725563909774442,
    -0.15789473684210528,
    0,
    0.52147553369173327,
    0.16615344638535623,
    0.24882518796992481,
    0.39473684210526316,
    0,
    -0.31288532021503995,
    -0.098650401164547083,
    0.063204887218045111,
    0.76315789473684204,
]
NATURAL = [6.625, -0.109375, 2.375, 2.0118749999999985, -13.75]
KNOTS = np.array([1.0, 2, 4, 8, 16])


def axis(levels: list[float], *, knots: int = 3, spacing: str = AUTO) -> tuple[Axis | None, str]:
    values = np.array(levels, dtype=float)
    return make_axis(0, values, np.unique(values), knots=knots, spacing=spacing)


def test_r_basis_is_rs() -> None:
    """In R: ns(c(1, 3, 5, 10, 16), knots = c(2, 4, 8), Boundary.knots = c(1, 16))."""
    theirs = np.array(NS).reshape(4, 5).T
    ours = Axis(0, False, KNOTS).tables(np.array([1.0, 3, 5, 10, 16])).r
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=1e-14)


def test_basis_is_one_at_its_knot_and_zero_at_the_others() -> None:
    np.testing.assert_allclose(Axis(0, False, KNOTS).columns(KNOTS), np.eye(5)[:, 1:], atol=1e-14)


def test_splines_are_the_natural_ones_and_straight_outside() -> None:
    """In R: splinefun(c(0, 1, 3, 4), c(2, -1, 5, 0), "natural")(c(-1, 0.5, 2, 3.7, 6))."""
    knots, heights = np.array([0.0, 1, 3, 4]), np.array([2.0, -1, 5, 0])
    x = np.array([-1, 0.5, 2, 3.7, 6])
    ours = heights[0] + Axis(0, False, knots).columns(x) @ (heights[1:] - heights[0])
    np.testing.assert_allclose(ours, NATURAL, atol=1e-13)
    inside = (x >= 0) & (x <= 4)
    np.testing.assert_allclose(ours[inside], CubicSpline(knots, heights, bc_type="natural")(x[inside]), atol=1e-13)


def test_levels_that_cannot_tell_the_splines_apart() -> None:
    """Four levels near one end leave a spline between the others without a point: its columns stay as they are."""
    x = np.array([8.0, 10, 14, 15, 62])
    made, _ = axis(x.tolist(), spacing=EVEN)
    assert made is not None
    tables = made.tables(x)
    assert np.linalg.matrix_rank(tables.r - tables.r.mean(axis=0), tol=1e-9) == 3
    assert np.linalg.matrix_rank(tables.orthonormal, tol=1e-9) == 3


def test_two_knots_are_a_line() -> None:
    np.testing.assert_allclose(
        Axis(0, False, np.array([2.0, 6])).columns(np.array([0.0, 2, 5, 6, 8]))[:, 0], [-0.5, 0, 0.75, 1, 1.5]
    )


def test_a_parameter_without_a_logarithm_gives_nan() -> None:
    columns = Axis(0, True, np.log2(KNOTS)).columns(np.array([-1.0, 0, 4]))
    assert np.isnan(columns[:2]).all()
    np.testing.assert_allclose(columns[2], [0, 1, 0, 0], atol=1e-14)


@pytest.mark.parametrize("levels", [[1, 2, 4, 8, 16], [1, 2, 3, 5, 8, 13, 21], [8, 16, 32], [0, 1]])
def test_three_bases_span_the_same_functions(levels: list[float]) -> None:
    made, _ = axis(levels)
    assert made is not None
    x = np.array(levels, dtype=float)
    tables = made.tables(x)
    constant = np.ones((len(x), 1))
    np.testing.assert_allclose(tables.cardinal, made.columns(x), atol=1e-15)
    np.testing.assert_allclose(tables.cardinal @ made.to_cardinal(), tables.r, atol=1e-13)
    whole = np.hstack([constant, tables.orthonormal])
    np.testing.assert_allclose(whole.T @ whole / len(x), np.eye(made.width + 1), atol=1e-13)
    fitted = whole @ np.linalg.lstsq(whole, tables.r, rcond=None)[0]
    np.testing.assert_allclose(fitted, tables.r, atol=1e-13)


@pytest.mark.parametrize(
    ("levels", "spacing", "log", "knots"),
    [
        ([1, 2, 4, 8, 16, 32], EVEN, False, [1, 8.75, 16.5, 24.25, 32]),
        ([1, 2, 4, 8, 16, 32], ORIGINAL, False, [1, 32**0.25, 32**0.5, 32**0.75, 32]),
        ([1, 2, 4, 8, 16, 32], AUTO, True, [0, 1.25, 2.5, 3.75, 5]),
        ([8, 16, 32], ORIGINAL, False, [8, 16, 32]),
        ([8, 16, 32], EVEN, False, [8, 20, 32]),
        ([1, 2, 3], ORIGINAL, False, [1, 2, 3]),
        ([0, 3, 4, 50], ORIGINAL, False, [0, 50 / 3, 100 / 3, 50]),
        ([3, 5], EVEN, False, [3, 5]),
        ([1, 2, 3, 7], AUTO, False, [1, 3, 5, 7]),
    ],
)
def test_where_knots_lie(levels: list[float], spacing: str, log: bool, knots: list[float]) -> None:
    made, _ = axis(levels, spacing=spacing)
    assert made is not None
    assert made.log is log
    np.testing.assert_allclose(made.knots, knots, rtol=1e-14)


def test_many_levels_have_knots_at_quantiles() -> None:
    values = np.r_[np.arange(90.0), 1000, 2000, 3000]
    made, _ = make_axis(0, values, values, knots=3, spacing=AUTO)
    assert made is not None
    np.testing.assert_allclose(made.knots, np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))


def test_parameters_that_cannot_be_used_say_why() -> None:
    assert axis([4, 4]) == (None, "it never varies")
    assert "fewer than three levels" in axis([4, 8], spacing=ORIGINAL)[1]


def test_doubling_and_symmetry_allow_one_percent() -> None:
    assert doubles(np.array([10, 20.1, 40]))
    assert not doubles(np.array([1.0, 2, 3]))
    assert not doubles(np.array([0.0, 1, 2]))
    assert not doubles(np.array([4.0, 8]))
    assert symmetric(np.array([1.0, 2.01, 3]))
    assert not symmetric(np.array([1.0, 2, 4]))


def test_products_vary_the_last_block_fastest() -> None:
    a, b = np.array([[1.0, 10]]), np.array([[2.0, 3, 5]])
    np.testing.assert_array_equal(product_columns([a, b]), [[2, 3, 5, 20, 30, 50]])


def test_what_a_file_may_not_say() -> None:
    for bad in (Axis(3, False, KNOTS), Axis(-1, False, KNOTS), Axis(0, False, KNOTS[::-1]), Axis(0, False, KNOTS[:1])):
        with pytest.raises(ModelFileError):
            bad.check(3)


def test_levels_are_the_different_values_of_each_column() -> None:
    X = np.random.default_rng(0).integers(-2, 3, (40, 6)) * np.array([1.0, 0.5, 0.0, 3.0, -1.0, 1e-300])
    for own, x in zip(levels_of(X), X.T, strict=True):
        np.testing.assert_array_equal(own, np.unique(x))
