"""The pool: its orders, and candidates that are the same number in the matrix and in the model."""

import numpy as np
import pytest

from core.errors import ModelFileError
from core.models.parts.columns import lay_out
from core.models.parts.pool import POOLS, TABLE_1, Factor, Term, build_pool, elements


def signed_and_positive(n: int = 40) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.standard_normal(n), rng.uniform(2, 5, n), -rng.lognormal(size=n)])


@pytest.mark.parametrize("pool", [*((name,) for name in POOLS), ("log2", "product", "identity"), ("power:3", "asinh")])
def test_every_candidate_is_its_term(pool: tuple[str, ...]) -> None:
    X = signed_and_positive()
    made, values = build_pool(X, pool)
    for i in range(len(made)):
        assert np.array_equal(made.term(i).evaluate(X), values[i]), made.formula(i, "abc")
    made.check(3)


def test_original_order_is_the_constant_then_column_by_column() -> None:
    pool, _ = build_pool(np.random.default_rng(0).lognormal(size=(10, 2)), ("eiger1",))
    assert [pool.formula(i, ("a", "b")) for i in range(len(pool))] == [
        "1",
        "|a|^-2",
        "|a|^-1",
        "|a|^-0.5",
        "log2|a|",
        "|a|^0.5",
        "|a|",
        "|a|^2",
        "a·a",
        "a·b",
        "|b|^-2",
        "|b|^-1",
        "|b|^-0.5",
        "log2|b|",
        "|b|^0.5",
        "|b|",
        "|b|^2",
        "b·b",
    ]


def test_plain_order_is_function_by_function() -> None:
    pool, _ = build_pool(np.random.default_rng(0).standard_normal((10, 3)), ("linear", "product", "log2"))
    assert [pool.formula(i, "abc") for i in range(len(pool))] == [
        "a",
        "b",
        "c",
        "a·b",
        "a·c",
        "b·c",
        "log2(u(a))",
        "log2(u(b))",
        "log2(u(c))",
    ]


@pytest.mark.parametrize("n", [1, 2, 46])
def test_sizes_of_the_pools(n: int) -> None:
    assert len(lay_out(TABLE_1, n).function) == 7 * n + n * (n - 1) // 2
    assert len(lay_out(elements(("eiger1",)), n).function) == 1 + 7 * n + n * (n + 1) // 2


def test_arguments_are_positive_with_room_below() -> None:
    X = signed_and_positive()
    pool, _ = build_pool(X, ("log2",))
    raw, shifted = pool.term(1).factors[0], pool.term(0).factors[0]
    assert (raw.low, raw.width, raw.shift, raw.floor) == (0, 1, 0, X[:, 1].min() / 2)
    assert (shifted.low, shifted.shift, shifted.floor) == (X[:, 0].min(), 0.1, 0.05)
    assert shifted.width == pytest.approx(np.ptp(X[:, 0]))
    assert shifted.limit == pytest.approx(X[:, 0].min() - 0.05 * np.ptp(X[:, 0]))


@pytest.mark.parametrize("element", ["log2", "power:-2", "power:-0.5", "power:0.5"])
def test_below_the_floor_is_exactly_where_there_is_no_value(element: str) -> None:
    X = signed_and_positive()
    for i in range(3):
        pool, _ = build_pool(X, (element,))
        factor = pool.term(i).factors[0]
        steps = factor.limit * (1 + np.arange(-40, 41) * 2.0**-52)  # neighbours of the limit, and far away
        probe = np.tile(np.concatenate([steps, [-1e300, 1e300, 0.0]])[:, None], (1, 3))
        assert np.array_equal(np.isnan(factor.evaluate(probe)), factor.too_low(probe))
        assert not factor.too_low(X).any()


def test_a_term_without_factors_is_the_constant() -> None:
    assert Term(()).evaluate(np.zeros((3, 1))).tolist() == [1, 1, 1]
    assert Term(()).formula("a") == "1"


@pytest.mark.parametrize(
    ("factor", "why"),
    [
        (Factor("product", 0), "no pool or function 'product'"),
        (Factor("sin", 0), "no pool or function 'sin'"),
        (Factor("power:1", 3), "a column that is not there"),
        (Factor("power:1", -1), "a column that is not there"),
        (Factor("asinh", 0, width=0.0), "without a range"),
        (Factor("log2", 0), "without a floor"),
        (Factor("log2", 0, floor=-1.0), "without a floor"),
    ],
)
def test_a_factor_from_a_file_that_cannot_be_evaluated(factor: Factor, why: str) -> None:
    with pytest.raises(ModelFileError, match=why):
        factor.check(3)
