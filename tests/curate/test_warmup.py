"""Warm-up runs: first in the order of measurement, where enough others remain."""

from dataclasses import replace

import pytest

from core.curate import RULES
from core.trial import Measured
from tests.curate.made import times

WARMUP = RULES["warmup"]


def left_out(m: Measured, **options: int) -> list[int]:
    return sorted(int(id[1:]) for id in WARMUP(**options).judge(m, "").excluded)


@pytest.fixture
def three() -> Measured:
    """Configurations of 4, 3 and 2 repeats, measured in turns."""
    return times([9, 1, 9, 1, 9, 1, 1, 1, 1], [0, 0, 1, 0, 2, 1, 2, 0, 1])


def test_the_first_repeat_of_each_where_two_others_remain(three: Measured) -> None:
    assert left_out(three) == [0, 2]
    assert left_out(three, keep=1) == [0, 2, 4]
    assert left_out(three, keep=3) == [0]


def test_several_runs(three: Measured) -> None:
    assert left_out(three, runs=2) == [0, 1]
    assert left_out(three, runs=2, keep=1) == [0, 1, 2, 5]


def test_configurations_left_as_they_are_are_counted(three: Measured) -> None:
    (note,) = WARMUP().judge(three, "").notes
    assert note == "1 configuration left whole, because fewer than 2 later runs would remain"
    assert WARMUP(keep=1).judge(three, "").notes == ()


def test_the_second_run_is_no_warmup_because_another_rule_excludes_the_first(three: Measured) -> None:
    assert left_out(replace(three, excluded={"mad": frozenset({"t0"})})) == [2]


def test_what_others_exclude_does_not_count_as_remaining(three: Measured) -> None:
    assert left_out(replace(three, excluded={"mad": frozenset({"t1", "t3"})})) == [2]


def test_the_reason(three: Measured) -> None:
    first, *_ = WARMUP().judge(three, "").excluded.values()
    _, second, *_ = WARMUP(runs=2).judge(three, "").excluded.values()
    assert first == "run 1 of its configuration, of which the first is warm-up"
    assert "run 2 of its configuration, of which the first 2 are" in second
