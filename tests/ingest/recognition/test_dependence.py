"""What depends on the machine alone, or on application and input alone."""

import numpy as np

from core.ingest.recognition.dependence import differing_rows, facts_of, first_rows, group, kind_of, leaders
from core.trial import Kind, Metric


def test_leaders_are_the_first_of_their_name() -> None:
    assert leaders(["b", "a", "b", "c", "a"]).tolist() == [0, 1, 0, 3, 1]
    assert first_rows(leaders(["b", "a", "b", "c", "a"])).tolist() == [0, 1, 3]


def test_differing_rows() -> None:
    groups = leaders(["a", "b", "a", "b"])
    assert differing_rows(groups, np.array([1.0, np.nan, 1.0, np.nan])).tolist() == []
    assert differing_rows(groups, np.array([1.0, np.nan, 2.0, 1.0])).tolist() == [2, 3]


def test_kinds() -> None:
    groups = group(["a", "a", "b", "b"], ["", "", "", ""], ["x", "y", "x", "y"])
    assert len(groups.pair)
    assert len(groups.machine)
    assert kind_of(groups, np.array([1.0, 1, 2, 2])) is Kind.DETERMINISTIC
    assert kind_of(groups, np.array([1.0, 2, 1, 2])) is Kind.MACHINE
    assert kind_of(groups, np.array([1.0, 1, 1, 1])) is Kind.DETERMINISTIC
    assert kind_of(groups, np.array([1.0, 2, 1, 3])) is Kind.COUNTER


def test_trials_without_names_have_no_groups() -> None:
    groups = group([""] * 3, [""] * 3, ["x", "y", "x"])
    assert not len(groups.pair)
    assert kind_of(groups, np.array([1.0, 1, 1])) is Kind.COUNTER


def test_facts_are_the_first_row_of_each_group() -> None:
    groups = leaders(["a", "b", "a"])
    names = [("a",), ("b",), ("a",)]
    found = facts_of(names.__getitem__, groups, [Metric("m")], np.array([[1.0], [2], [1]]), {"l": ("p", "q", "p")})
    assert found.keys == (("a",), ("b",))
    assert found.values.tolist() == [[1], [2]]
    assert found.labels == {"l": ("p", "q")}
