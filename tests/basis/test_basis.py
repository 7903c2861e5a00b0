"""Basis functions: values by hand, and defined exactly where they say."""

import numpy as np
import pytest

from core.basis import BASES

X = np.array([-4.0, -1.0, 0.0, 0.25, 1.0, 9.0])


@pytest.mark.parametrize(
    ("name", "options", "x", "value"),
    [
        ("power", {"exponent": -2.0}, 4, 1 / 16),
        ("power", {"exponent": -0.5}, 4, 0.5),
        ("power", {"exponent": 3.0}, -2, -8),
        ("power", {"exponent": 0.5}, 9, 3),
        ("power", {"exponent": 1.5}, 4, 8),
        ("log2", {}, 8, 3),
        ("asinh", {}, -1, -np.log(1 + np.sqrt(2))),
        ("signed_power", {}, -9, -3),
        ("signed_power", {"exponent": 2.0}, -3, -9),
        ("eiger_power", {"exponent": -1.0}, -4, 0.25),
        ("eiger_power", {"exponent": -2.0}, 0, 1),
        ("eiger_power", {"exponent": 2.0}, 1e200, 0),
        ("eiger_log", {}, -8, 3),
        ("eiger_log", {}, 0, 1),
    ],
)
def test_values_by_hand(name: str, options: dict[str, float], x: float, value: float) -> None:
    assert BASES[name](**options).evaluate(np.array([float(x)]))[0] == pytest.approx(value)


@pytest.mark.parametrize("name", list(BASES))
def test_finite_wherever_the_argument_is_allowed(name: str) -> None:
    for exponent in (-2.0, -1.0, 0.5, 1.0, 2.0):
        has_one = name in ("power", "eiger_power") or (name == "signed_power" and exponent > 0)
        basis = BASES[name](exponent=exponent) if has_one else BASES[name]()
        allowed = X[X > 0] if basis.positive else X[X != 0] if name == "eiger_reciprocal" else X
        assert np.isfinite(basis.evaluate(allowed)).all()
        assert "x" in basis.formula("x")


@pytest.mark.parametrize("name", ["asinh", "signed_power"])
def test_odd_functions_are_odd(name: str) -> None:
    basis = BASES[name]()
    assert np.array_equal(basis.evaluate(-X), -basis.evaluate(X))
