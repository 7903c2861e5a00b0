"""Events counted for too small a share of the run."""

from core.curate import RULES
from tests.curate.made import times

MULTIPLEXED = RULES["multiplexed"]
LABELS = {
    "counted share of l2_misses": ["100.00 %", "19.99 %", "", "20 %", "5.5 %"],
    "counted share of loads": ["", "80 %", "3,5 %", "21 %", "1 %"],
    "suite": ["1 %"] * 5,
}


def test_the_smallest_share_is_named() -> None:
    judged = MULTIPLEXED().judge(times([1.0] * 5, labels=LABELS), "")
    assert list(judged.excluded.items()) == [
        ("t1", "l2_misses was counted for 19.99 % of the run only (at least 20 %)"),
        ("t2", "loads was counted for 3.5 % of the run only (at least 20 %)"),
        ("t4", "loads was counted for 1 % of the run only (at least 20 %), and 1 more such event"),
    ]
    assert judged.notes == ()


def test_how_much_is_least() -> None:
    m = times([1.0] * 5, labels=LABELS)
    assert list(MULTIPLEXED(least=2).judge(m, "").excluded) == ["t4"]
    assert MULTIPLEXED(least=0).judge(m, "").excluded == {}


def test_a_text_that_is_no_percentage_is_told() -> None:
    judged = MULTIPLEXED().judge(times([1.0] * 2, labels={"counted share of loads": ["0.1", "5 %"]}), "")
    assert list(judged.excluded) == ["t1"]
    assert judged.notes == ("the counted share of loads is not a percentage: '0.1'",)
