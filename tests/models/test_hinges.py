"""Candidates of the readable formula, one by one: scales, knots, squares, products and what bounds them."""

import numpy as np
import pytest

import core.models._hinges as made
from core.models._hinges import Candidates, candidates
from core.models.parts.pool import Factor


def of(*columns: list[float], crossed: bool = False) -> Candidates:
    """Return the candidates of columns and a response that is the first of them."""
    X = np.array(columns, dtype=float).T
    return candidates(X, X[:, 0], crossed=crossed)


def pairs(found: Candidates) -> list[tuple[int, int]]:
    """Return the numbers of the factors of every product."""
    return [(int(a), int(b)) for a, b in zip(found.first, found.second, strict=True) if b >= 0]


def test_a_positive_column_is_its_logarithm_about_its_typical_value_with_hinges_at_inner_levels() -> None:
    found = of([1.0, 2.0, 4.0, 8.0, 2.0])
    assert found.factors == (
        Factor("log2", 0, width=2.64, floor=1 / 1024 / 2.64),  # (1 * 2 * 4 * 8 * 2) ** (1 / 5) with three digits
        Factor("log2_above", 0, width=2.0, floor=1 / 1024 / 2),
        Factor("log2_above", 0, width=4.0, floor=1 / 1024 / 4),
    )
    assert found.first.tolist() == [0, 1, 2, 0]
    assert found.second.tolist() == [-1, -1, -1, 0]  # and the square of the logarithm
    X = np.array([[0.5], [1.0], [2.0], [8.0]])
    log2 = np.log2(X[:, 0] / 2.64)
    above = [np.maximum(0, np.log2(X[:, 0] / knot)) for knot in (2, 4)]
    np.testing.assert_allclose(found.values(X), [log2, *above, log2**2], rtol=1e-12)
    assert np.isnan(found.values(X / 2048)[:, 0]).all()  # too near to where there is no logarithm


def test_a_column_of_small_positive_numbers_has_its_logarithm_too() -> None:
    assert [f.function for f in of([0.25, 0.5, 1.0]).factors] == ["log2", "log2_above"]


def test_a_column_from_zero_over_a_decade_has_a_logarithm_of_one_and_itself() -> None:
    found = of([0.0, 2.0, 6.0, 20.0])
    main, *hinges = found.factors
    assert main == Factor("log2", 0, width=2.0, shift=1.0, floor=0.5)
    X = np.array([[0.0], [2.0], [6.0], [14.0], [20.0]])
    np.testing.assert_allclose(main.evaluate(X), np.log2(1 + X[:, 0] / 2))
    for knot, hinge in zip((2.0, 6.0), hinges, strict=True):
        expected = np.maximum(0, np.log2((X[:, 0] + 2) / (knot + 2)))
        np.testing.assert_allclose(hinge.evaluate(X), expected, atol=1e-12)
        assert hinge == Factor("log2_above", 0, low=-2.0, width=knot + 2, floor=1 / (knot + 2))


@pytest.mark.parametrize(
    "column",
    [[0.0, 2.0, 6.0, 19.0], [-1.0, 2.0, 6.0, 20.0], [3.0, 40.0, 3.0, 40.0], [0.0, 40.0, 0.0, 40.0]],
    ids=["less than a decade above 0", "negative", "two levels", "0 and another"],
)
def test_other_columns_are_there_as_they_are_less_their_mean(column: list[float]) -> None:
    found = of(column)
    low = float(f"{np.mean(column):.3g}")
    assert found.factors[0] == Factor("power:1", 0, low=low)
    knots = sorted(set(column))[1:-1]
    assert found.factors[1:] == tuple(Factor("above", 0, low=knot) for knot in knots)
    assert pairs(found) == ([(0, 0)] if len(knots) else [])  # of two levels the square is the column again


def test_a_constant_column_is_no_candidate_and_the_others_keep_their_numbers() -> None:
    found = of([5.0, 5.0, 5.0], [0.0, 1.0, 0.0])
    assert found.factors == (Factor("power:1", 1, low=0.333),)


def test_each_of_thirty_levels_may_be_a_knot_and_of_more_the_quintiles() -> None:
    thirty, more = of([-1.0, *range(1, 30)]), of([-1.0, *range(1, 31)])
    assert [f.low for f in thirty.factors if f.function == "above"] == list(range(1, 29))
    assert [f.low for f in more.factors if f.function == "above"] == [6.0, 12.0, 18.0, 24.0]


def test_quintiles_at_an_end_or_alike_are_one_knot_or_none() -> None:
    column = [-1.0] * 40 + [5.0] * 30 + [float(v) for v in range(6, 40)]
    knots = [f.low for f in of(column).factors if f.function == "above"]
    assert [f.low for f in of([-v for v in column]).factors if f.function == "above"] == [-18.0, -5.0]
    assert knots == [5.0, 18.0]  # rows 21, 41, 62 and 82: the first is the least value, and two are the same


def test_crossed_columns_are_there_as_they_are_and_times_hinges_of_others() -> None:
    found = of([1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 1.0, 0.0], crossed=True)
    assert [f.function for f in found.factors] == ["log2", "power:1", "power:1", "log2_above", "log2_above"]
    assert [f.variable for f in found.factors] == [0, 1, 0, 0, 0]
    assert found.factors[2] == Factor("power:1", 0, low=3.75)
    assert pairs(found) == [(0, 0), (0, 1), (3, 1), (4, 1)]
    assert pairs(of([1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 1.0, 0.0])) == [(0, 0), (0, 1)]
    assert pairs(of([0.0, 1.0, 1.0, 0.0], [1.0, 2.0, 4.0, 8.0])) == [(0, 1), (1, 1)]


def test_products_of_hinges_are_tried_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 1.0, 0.0]
    for most, there in ((4, True), (3, False)):  # two hinges times two columns
        monkeypatch.setattr(made, "MOST_CROSSED", most)
        assert ((3, 1) in pairs(of(*columns, crossed=True))) is there


def test_of_many_columns_those_most_alike_to_the_response_have_products(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(50)
    alike = np.array([0.1, -3.0, 0.2, 2.0])
    X = 100 * alike * (y[:, None] + 9) + rng.standard_normal((50, 4)) * [1, 100, 50, 1]  # size is no likeness
    X[:, 3] -= 1.004e6  # nor is what three digits of the mean leave
    for most, expected in (
        (4, [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]),
        (3, [(0, 0), (0, 1), (0, 3), (1, 1), (1, 3), (3, 3)]),
        (1, [(3, 3)]),
    ):
        monkeypatch.setattr(made, "MOST_PRODUCTS", most)
        assert pairs(candidates(X, y, crossed=False)) == expected


def test_a_product_is_that_of_its_factors() -> None:
    found = of([1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 1.0, 0.0])
    X = np.array([[2.0, 1.0], [8.0, 0.0]])
    at = found.second.tolist().index(1)
    assert found.term(at).factors == found.factors[:2]
    assert found.term(0).factors == found.factors[:1]
    assert found.term(at - 1).factors == (found.factors[0],) * 2
    np.testing.assert_allclose(found.values(X)[at], found.factors[0].evaluate(X) * found.factors[1].evaluate(X))


def test_two_texts_of_one_kind_are_not_multiplied() -> None:
    """They never meet, so that their product is a sum of both."""
    rng = np.random.default_rng(5)
    kind = np.arange(30) % 3
    X = np.column_stack([kind == 0, kind == 1, np.arange(30) % 2 == 0]).astype(float)
    pool = candidates(X, rng.standard_normal(30), crossed=False)
    pairs = {(i, k) for i, k in zip(pool.first.tolist(), pool.second.tolist(), strict=True) if k >= 0}
    assert pairs == {(0, 2), (1, 2)}
    product = (X[:, 0] - X[:, 0].mean()) * (X[:, 1] - X[:, 1].mean())
    left = np.linalg.lstsq(np.column_stack([np.ones(30), X[:, :2]]), product, rcond=None)[0]
    np.testing.assert_allclose(np.column_stack([np.ones(30), X[:, :2]]) @ left, product, atol=1e-12)
