"""Logarithms where a metric calls for them, and a reason where there is none."""

import numpy as np
import pytest

from core.errors import FitError
from core.passes.base import Features
from core.passes.scales import Log

X = np.array([[1.0, 0.0, 5.0, -1.0], [100.0, 50.0, 6.0, 3.0], [10.0, 5.0, 7.0, 200.0]])
NAMES = ("wide", "zeros", "narrow", "signed")


def test_scale_by_sign_and_span() -> None:
    fitted = Log().fit(Features(NAMES, X))
    assert fitted.scales == ("log", "log1p", "raw", "raw")
    np.testing.assert_allclose(fitted.apply(X), np.column_stack([np.log(X[:, 0]), np.log1p(X[:, 1]), X[:, 2:]]))
    assert Log(mode="none").fit(Features(NAMES, X)).scales == ("raw",) * 4
    assert Log(span=1000.0).fit(Features(NAMES, X)).scales[0] == "raw"


def test_numbers_without_a_logarithm_are_refused_with_a_reason() -> None:
    fitted = Log().fit(Features(NAMES, X))
    bad = np.array([[0.0, 1.0, 1.0, 1.0], [1.0, -2.0, 1.0, 1.0], [1.0, 0.0, -1.0, -1.0]])
    assert np.isnan(fitted.apply(bad)).any(axis=1).tolist() == [True, True, False]
    assert fitted.refuse(bad) == {
        0: "metric 'wide' is 0, not positive, and the model needs its logarithm",
        1: "metric 'zeros' is -2, negative, and the model needs its logarithm",
    }


def test_all_logarithms_need_no_negative_number() -> None:
    with pytest.raises(FitError, match="'signed' is -1 in a trial"):
        Log(mode="log").fit(Features(NAMES, X))
