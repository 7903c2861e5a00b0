"""What errors are like that trials held out teach: Student's distribution is that of another library, to the last bit."""

import warnings

import numpy as np
import pytest
from scipy import stats

from core.space import held_out


@pytest.mark.parametrize("tails", held_out._TAILS)
def test_student_s_distribution_is_scipy_s(tails: float) -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(500) * 10.0 ** rng.integers(-3, 4, 500), [0.0, -0.0, 1e200, -1e200]])
    with np.errstate(over="ignore"):
        assert held_out._log_density(x, tails).tolist() == stats.t.logpdf(x, tails).tolist()
    assert held_out._log_share_below(x, tails).tolist() == stats.t.logcdf(x, tails).tolist()


def test_five_designs_of_which_each_is_held_out_alone_leave_the_errors_as_they_are_taken_to_be() -> None:
    z, fold = np.arange(5.0), np.arange(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sizes, orders = held_out._likeliest(z, z, np.zeros((2, 5)), fold, 0)
    assert (sizes.shared, sizes.alone) == (1.0, pytest.approx(2 * (np.exp(-3.0) + held_out._LEAST)))
    assert orders.shared == pytest.approx(np.exp(held_out._LIKELY[0]))
