"""The roofline: of more quotients than are weighed, those of the work that goes with the response."""

from dataclasses import replace

import numpy as np

from core.models.roofline import MOST_QUOTIENTS, Roofline


def test_work_that_goes_with_the_response_is_divided_where_not_all_can_be() -> None:
    rng = np.random.default_rng(0)
    work, capacity = rng.lognormal(0, 1, (120, 40)), rng.uniform(1, 10, (120, 35))
    y = 3 * work[:, 17] / capacity[:, 4] + 0.5 * work[:, 30]
    family = replace(Roofline(), machine=tuple(str(j) for j in range(40, 75)), trees=5)
    model = family.fit(np.column_stack([work, capacity]), y)
    assert 41 * 36 > MOST_QUOTIENTS
    assert {*zip(model.work[:2].tolist(), model.capacity[:2].tolist(), strict=True)} == {(17, 44), (30, -1)}
    np.testing.assert_allclose(sorted(model.weights[:2]), [0.5, 3], rtol=0.05)


def test_responses_may_span_any_number_of_decades() -> None:
    rng = np.random.default_rng(1)
    y = 10.0 ** rng.uniform(-100, 100, 40)
    model = replace(Roofline(), machine=("2",), trees=5).fit(rng.uniform(1, 9, (40, 3)), y)
    assert np.isfinite(model.weights).all()
