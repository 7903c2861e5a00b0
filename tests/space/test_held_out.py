"""What errors are like that trials held out teach: Student's distribution is that of another library, to the last bit."""

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
