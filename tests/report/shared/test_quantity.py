"""Numbers with their unit."""

from core.report.shared.naming import change, difference, interval, quantity, short_number
from core.trial import Metric

TIME, BARE = Metric("time", unit="us"), Metric("ipc")
NAN = float("nan")


def test_numbers_have_few_digits_and_their_unit() -> None:
    assert [short_number(v) for v in (0.0123456, 12.34567, 1234.5, 2e7)] == ["0.0123", "12.3", "1,234", "2·10⁷"]
    assert [short_number(v) for v in (999.4, 999.7, -999.7)] == ["999", "1,000", "-1,000"]
    assert [short_number(v, 2) for v in (123.4, -2.35e-16, 1e7)] == ["123", "-2.4·10⁻¹⁶", "10⁷"]
    assert (quantity(12.34567, TIME), quantity(2.0, BARE), quantity(NAN, TIME)) == ("12.3 us", "2", "–")


def test_differences_have_their_sign() -> None:
    assert (difference(2.5, TIME), difference(-2.5, BARE)) == ("+2.5 us", "−2.5")
    assert (change(12.345), change(-3.0), change(NAN)) == ("+12.3 %", "−3 %", "")


def test_intervals_have_both_ends() -> None:
    assert interval(0.0823456, 1234.4) == "0.0823 to 1,234"
    assert interval(NAN, 1.0) == interval(1.0, NAN) == "–"
