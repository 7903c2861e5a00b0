"""What points are coloured by."""

import numpy as np

from core.report.shared.naming import group, group_by_label, shade_by_response
from core.trial import Frame


def test_few_values_all_get_a_colour_in_natural_order() -> None:
    found = group("cluster", ("cluster 10", "cluster 2", "cluster 10"))
    assert found.order == ("cluster 2", "cluster 10")
    assert found.n_others == 0
    assert list(found.rows_of("cluster 10")) == [0, 2]


def test_of_many_the_most_frequent_get_a_colour() -> None:
    texts = ("a",) * 5 + ("b",) * 4 + ("c",) * 3 + ("d", "e")
    found = group("application", texts, most=3)
    assert found.order == ("a", "b")
    assert found.n_others == 3
    assert list(found.other_rows()) == list(range(9, 14))


def test_chosen_values_get_the_colours() -> None:
    found = group("application", ("a", "b", "c"), highlight=("c", "unknown"))
    assert found.order == ("c",)
    assert found.n_others == 2


def test_taking_trials_keeps_the_colours(frame: Frame) -> None:
    found = group_by_label(frame, "machine")
    few = found.take(np.array([0, 1]))
    assert few.order == found.order
    assert len(few.texts) == 2


def test_a_response_over_a_decade_is_shaded_by_its_logarithm(frame: Frame) -> None:
    assert shade_by_response(frame).log
    assert shade_by_response(frame.take(np.array([0, 0]))).log is False
