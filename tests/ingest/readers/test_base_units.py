"""Units to base units: exact where powers of ten allow it, and left alone where nothing is certain."""

import pytest

from core.ingest.readers._base_units import to_base

KNOWN = [
    (97.0, "ns", 97e-9, "s"),
    (97.0, "nsecond", 97e-9, "s"),
    (1.5, "msecond", 1.5e-3, "s"),
    (2.0, "miliseconds", 2e-3, "s"),
    (4.0, "min", 240.0, "s"),
    (3.0, "Gbyte", 3e9, "byte"),
    (3.0, "GB/s", 3e9, "byte/s"),
    (3.0, "Gbyte/second", 3e9, "byte/s"),
    (3.0, "byte/nsecond", 3e9, "byte/s"),
    (2.0, "KiB", 2048.0, "byte"),
    (2.0, "MiB/s", 2097152.0, "byte/s"),
    (1.25, "cycle/nsecond", 1.25e9, "Hz"),
    (1.25, "GHz", 1.25e9, "Hz"),
    (1.25, "Ghz", 1.25e9, "Hz"),
    (5.0, "mJ", 5e-3, "J"),
    (5.0, "Joules", 5.0, "J"),
    (5.0, "kW", 5e3, "W"),
    (3.0, "K/sec", 3e3, "1/s"),
    (3.0, "/sec", 3.0, "1/s"),
    (7.0, "percent", 7.0, "%"),
]


@pytest.mark.parametrize(("value", "unit", "expected", "base"), KNOWN)
def test_known_units_are_converted_exactly(value: float, unit: str, expected: float, base: str) -> None:
    assert to_base(value, unit) == (expected, base)


@pytest.mark.parametrize(
    "unit", ["", "inst/cycle", "warp", "register/thread", "byte/block", "Mb", "furlong", "%", "insn per cycle"]
)
def test_other_units_are_left_alone(unit: str) -> None:
    assert to_base(3.5, unit) == (3.5, unit)
