"""Curves and surfaces through a design against what the model predicts there."""

import numpy as np
import pytest

from core.errors import OptionError
from core.space.curves import curve, curves, surface
from tests.space.made import grid, pipeline, spline_model

TERMS = [(0,), (1,), (2,), (1, 0)]


def test_a_curve_is_what_predict_says_along_it() -> None:
    space = grid(4, 3, 5, constraints=["a <= c"])
    model = pipeline(space, spline_model(space, TERMS), shrink=1)
    point = (2.0, 4.0, 2.0)
    found = curve(model, space, "a", point)
    X = np.array([[a, 4.0, 2.0] for a in (1, 2, 4, 8)])
    said = model.predict(X)
    np.testing.assert_allclose(found.value, said.value)
    np.testing.assert_allclose(found.low, said.low)
    assert (found.here, found.levels) == (1, (1, 2, 4, 8))
    assert found.allowed.tolist() == [True, True, False, False]
    assert found.inside.tolist() == [False] * 4  # b = 4 lies outside
    assert [c.parameter for c in curves(model, space, point)] == ["a", "b", "c"]


def test_a_surface_is_what_predict_says_over_it() -> None:
    space = grid(4, 3, 5)
    model = pipeline(space, spline_model(space, TERMS))
    found = surface(model, space, "c", "a", (2.0, 4.0, 2.0))
    assert found.value.shape == (5, 4)
    assert found.value[3, 2] == pytest.approx(model.predict(np.array([[4.0, 4.0, 8.0]])).value[0])
    assert found.value[1].tolist() == pytest.approx(found.second.value.tolist())
    for words, says in ((("a", "a"), "two parameters"), (("a", "z"), "no parameter 'z'")):
        with pytest.raises(OptionError, match=says):
            surface(model, space, *words, (2.0, 4.0, 2.0))
    with pytest.raises(OptionError, match="no level of a"):
        curve(model, space, "a", (3.0, 4.0, 2.0))
