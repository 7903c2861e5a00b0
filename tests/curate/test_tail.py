"""The response without its tail: time weighted by the share of cores at work."""

import numpy as np
import pytest

from core.curate import RULES
from core.curate.tail import without_tail
from core.errors import OptionError
from core.trial import Kind, Measured, Metric
from tests.curate.made import TIME, measured

TAIL = RULES["tail"]


def integral(T: float, busy: np.ndarray) -> float:
    """Time from 0 to T, step by step, weighted by the share of cores at work; before the first core starts, 1."""
    ends = np.sort(busy)
    n, total, now = len(ends), T - ends[-1], 0.0
    for i, end in enumerate(ends):
        total += (end - now) * (n - i) / n
        now = end
    return total


@pytest.mark.parametrize("seed", range(6))
def test_as_the_integral_over_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    busy = rng.uniform(1, 2, (20, rng.integers(2, 30)))
    T = busy.max(axis=1) + rng.uniform(0, 0.5, 20) * rng.integers(0, 2, 20)
    found, beyond = without_tail(T, busy)
    assert beyond == 0
    assert found == pytest.approx([integral(t, b) for t, b in zip(T, busy, strict=True)], rel=1e-12)


def test_a_run_of_two_cores_by_hand() -> None:
    """10 s of both cores, then 4 s of one of two: 10 + 4 / 2 = 12, the mean of 10 and 14."""
    assert without_tail(np.array([14.0]), np.array([[10.0, 14.0]]))[0] == [12.0]
    assert without_tail(np.array([15.0]), np.array([[10.0, 14.0]]))[0] == [13.0]


def test_without_a_tail_nothing_changes() -> None:
    T = np.array([3.0, 7.5])
    assert np.array_equal(without_tail(T, np.column_stack([T, T, T]))[0], T)


def cores(unit: str = "s") -> Measured:
    return measured(
        {
            TIME: [14.0, 8.0, np.nan, 9.0, 5.0],
            Metric("core10_busy", unit=unit): [14.0, np.nan, 1.0, 9.5, 5.0],
            Metric("core2_busy", unit=unit): [10.0, 8.0, 1.0, 3.0, np.nan],
            Metric("core1_busy", unit=unit): [14.0, 4.0, 1.0, 3.0, np.nan],
            Metric("core_idle"): [1.0] * 5,
        }
    )


def test_the_derived_response() -> None:
    judged = TAIL().judge(cores(), "time_s")
    (made,) = judged.derived
    assert made.metric == Metric("time_s without tail", Kind.RESPONSE, "s")
    assert made.values[:2] == pytest.approx([38 / 3, 6.0])
    assert np.isnan(made.values[2:]).all()
    assert judged.excluded == {}
    assert judged.notes == (
        "busy times of 3 cores: core1_busy to core10_busy",
        "1 trial with a core busy for longer than time_s: no value",
        "1 trial with busy times of fewer than two cores: no value",
    )


def test_the_pattern_says_which_metrics() -> None:
    m = measured({TIME: [2.0], Metric("sm_3.busy"): [2.0], Metric("sm_4.busy"): [1.0], Metric("sm_4xbusy"): [0.0]})
    assert TAIL(pattern="sm_{n}.busy").judge(m, "time_s").derived[0].values == [1.5]
    assert TAIL(pattern="*.busy").judge(m, "time_s").derived[0].values == [1.5]
    with pytest.raises(OptionError, match=r"'core\{n\}_busy' finds 0 metrics.*there are: sm_3.busy, sm_4.busy"):
        TAIL().judge(m, "time_s")


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("core{n}_busy", "core12_busy", True),
        ("core{n}_busy", "core_busy", False),
        ("core{n}_busy", "core1²2_busy", False),
        ("{n}1", "111", True),
        ("*1*", "a1", True),
        ("a**b", "ab", True),
        ("*a*b", "abab", True),
        ("*a{n}", "a1a", False),
        ("", "a", False),
        ("*a" * 12 + "*b", "a" * 52, False),
        ("{n}" * 12 + "b", "1" * 52, False),
    ],
)
def test_a_pattern_is_the_whole_name_and_found_at_once(pattern: str, name: str, fits: bool) -> None:
    busy = {Metric(f"{name}{end}"): [1.0] for end in ("", "!")} if not fits else {Metric(name): [1.0]}
    with pytest.raises(OptionError, match=f"finds {int(fits)} metrics"):
        TAIL(pattern=pattern).judge(measured({TIME: [2.0], **busy}), "time_s")


def test_digits_that_count_nothing_are_text() -> None:
    m = measured({TIME: [2.0], Metric("core1²2"): [2.0], Metric("core1²1"): [1.0]})
    assert TAIL(pattern="core*").judge(m, "time_s").notes == ("busy times of 2 cores: core1²1 to core1²2",)


def test_units_must_agree() -> None:
    with pytest.raises(OptionError, match="'core1_busy' is in cycle and the response 'time_s' in s"):
        TAIL().judge(cores("cycle"), "time_s")
    assert TAIL().judge(cores(""), "time_s").derived
