"""Scales of a response: there and back, what `auto` means, and what cannot be asked."""

import numpy as np
import pytest

from core.errors import FitError
from core.scale import SCALES, ResponseScale, RowScale, choose_scale

Y = np.array([0.5, 2.0, 40.0])
R = np.array([1.0, 4.0, 10.0])


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize(("factor", "power"), [(1.0, 1.0), (3.0, 1.0), (0.5, 1.25)])
def test_there_and_back(name: str, factor: float, power: float) -> None:
    scale = ResponseScale(name, factor, power).of(R)
    np.testing.assert_allclose(scale.inverse(scale.forward(Y)), Y, rtol=1e-14)


def test_what_the_scales_are() -> None:
    np.testing.assert_array_equal(ResponseScale("raw").of(R).forward(Y), Y)
    np.testing.assert_allclose(ResponseScale("log").of(R).forward(Y), np.log(Y))
    np.testing.assert_allclose(ResponseScale("ratio").of(R).forward(Y), [0.5, 0.5, 4])
    np.testing.assert_allclose(ResponseScale("log_ratio").of(R).inverse(np.zeros(3)), R)
    np.testing.assert_allclose(RowScale("raw", None, 2.0, 2.0).inverse(Y), 2 * Y**2)


def test_auto_takes_the_ratio_where_there_is_a_reference() -> None:
    assert choose_scale("auto", Y).name == "log"
    assert choose_scale("auto", Y[:2]).name == "raw"
    assert choose_scale("auto", Y, R).name == "log_ratio"
    assert choose_scale("auto", Y, np.array([1.0, 0.0, 2.0])).name == "log"
    assert choose_scale("auto", -Y, R).name == "raw"


def test_plain_scales_need_no_reference_and_relative_ones_do() -> None:
    assert [ResponseScale(s).plain.name for s in SCALES] == ["raw", "log", "raw", "log"]
    assert [ResponseScale(s).log for s in SCALES] == [False, True, False, True]
    with pytest.raises(FitError, match="needs the reference"):
        ResponseScale("ratio").forward(Y)
    with pytest.raises(FitError, match="have none"):
        choose_scale("ratio", Y)
    with pytest.raises(FitError, match="nothing to divide by"):
        choose_scale("log_ratio", Y, R - 1)
    with pytest.raises(FitError, match="no logarithm"):
        choose_scale("log_ratio", Y - 1, R)


def test_a_reference_that_is_not_positive_gives_nothing() -> None:
    found = ResponseScale("ratio").of(np.array([1.0, 0.0, -2.0])).inverse(Y)
    assert np.isnan(found).tolist() == [False, True, True]
