"""The trained domain names what leaves it and how far."""

import numpy as np

from core.validate.domain import learn_domain


def test_outside_is_named_with_the_trained_range() -> None:
    domain = learn_domain(np.array([[1.0, 10.0, 5.0], [2.0, 20.0, 5.0]]))
    why = domain.outside(np.array([[1.5, 15.0, 5.0], [3.0, 15.0, 5.0], [3.0, 1000.0, 6.0]]), ["a", "b", "c"])
    assert sorted(why) == [1, 2]
    assert why[1] == "a = 3 is outside the trained 1 to 2"
    assert why[2].startswith("b = 1000 is outside")
    assert why[2].endswith("and 1 more")
