"""How many designs a learning curve learns from."""

import numpy as np
import pytest

from core.errors import OptionError
from core.report.space.learning import LearningSizes, suggested_sizes
from core.trial import Frame, Metric, make_frame


def _frame(n: int) -> Frame:
    x = np.arange(float(n))
    return make_frame(np.column_stack([x]), x, [Metric("a")], Metric("t"))


def test_the_papers_sizes_where_there_are_as_many_designs() -> None:
    found = suggested_sizes(_frame(900))
    assert (found.largest, found.step, found.n_test) == (300, 30, 200)
    assert found.sizes == tuple(range(30, 301, 30))


@pytest.mark.parametrize("n", [4, 5, 12, 60, 499])
def test_fewer_designs_have_smaller_sizes(n: int) -> None:
    found = suggested_sizes(_frame(n))
    assert found.largest + found.n_test <= n
    assert found.sizes[-1] == found.largest
    assert found.sizes[0] >= min(6, found.largest)


def test_the_largest_is_always_learnt_from() -> None:
    assert LearningSizes(25, 10, 5, 30).sizes == (10, 20, 25)


@pytest.mark.parametrize(("n", "least", "sizes"), [(6, 5, (5,)), (7, 5, (5,)), (12, 5, (6, 8)), (4, 3, (3,))])
def test_no_size_is_below_what_the_model_takes(n: int, least: int, sizes: tuple[int, ...]) -> None:
    assert suggested_sizes(_frame(n), least).sizes == sizes
    with pytest.raises(OptionError, match=f"at least {n + 1} measured designs, got {n}"):
        suggested_sizes(_frame(n), n)


def test_next_to_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 4 measured designs, got 3"):
        suggested_sizes(_frame(3))
