"""The grammar of numbers, and their exact values."""

import random

import numpy as np
import pytest

from core.ingest.table.cells import Cells
from core.ingest.table.numbers import Numbers, Style, is_identifier, read_numbers, why_bad

POINT, GROUPED, COMMA = Style("."), Style(".", groups=True), Style(",")


def read(*texts: str, style: Style = POINT) -> Numbers:
    return read_numbers(Cells.of(texts), style)


NUMBERS = [
    "0",
    "-0",
    "1",
    "-7",
    "+3",
    "1.5",
    ".5",
    "5.",
    "-.5",
    "1e5",
    "1E+5",
    "2.5e-3",
    "0.1",
    "1e308",
    "5e-324",
    "123456789.123456789",
    "9007199254740992",
    "-9007199254740992",
    "1152921504606846976",
    "1e20",
    "0.10000000000000000555",
    "1048576.0000000000",
    "0.0",
    "0e5",
]
OTHERS = [
    "inf",
    "-inf",
    "nan",
    "NaN",
    "1e999",
    "-1e999",
    "1e-400",
    "0x1F",
    "0x1p3",
    "007",
    "00",
    "-012",
    "00.5",
    "1_000",
    "1 000",
    "1,000",
    "1.2.3",
    "1e",
    "e5",
    "--1",
    "+-1",
    "١٢",
    "１",
    "12%",
    "3 us",
    "n/a",
    "-",
    ".",
    "+",
    "1e5.5",
    "9007199254740993",
    "-9007199254740993",
    "9007199254740993.0",
    "123456789012345678901234567890",
    "1" * 400,
    "True",
]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_the_nearest_float(text: str) -> None:
    found = read(text)
    assert found.values[0] == float(text)
    assert np.signbit(found.values[0]) == np.signbit(float(text))
    assert found.n_numbers == 1


@pytest.mark.parametrize("text", OTHERS)
def test_everything_else_is_no_number(text: str) -> None:
    found = read(text)
    assert np.isnan(found.values[0])
    assert found.bad.tolist() == [0]


def test_empty_cells_are_missing_not_bad() -> None:
    found = read("1", "", "x", "")
    assert found.empty.tolist() == [False, True, False, True]
    assert found.bad.tolist() == [2]
    assert found.n_numbers == 1


def test_groups_of_thousands() -> None:
    good = read("1,234", "1,234,567", "-12,345.5", "999", style=GROUPED)
    assert good.values.tolist() == [1234, 1234567, -12345.5, 999]
    bad = ("1,23", "12,34,567", "0,123", ",123", "1234,567", "1,234,", "1,234e5", "9,007,199,254,740,993")
    assert len(read(*bad, style=GROUPED).bad) == len(bad)


def test_decimal_commas() -> None:
    good = read("3,5", "1234", "-,5", "1,5e3", "1,234", style=COMMA)
    assert good.values.tolist() == [3.5, 1234, -0.5, 1500, 1.234]
    assert len(read("1.5", "1.234", style=COMMA).bad) == 2
    assert read("1.234,5", "1.234", style=Style(",", groups=True)).values.tolist() == [1234.5, 1234]


def test_many_random_numbers_agree_with_python() -> None:
    rng = random.Random(7)
    texts = [repr(rng.uniform(-1, 1) * 10 ** rng.randint(-300, 300)) for _ in range(3000)]
    texts += [f"{rng.uniform(0, 1e6):.{rng.randint(0, 25)}f}" for _ in range(2000)]
    texts += [str(rng.randint(-(2**53), 2**53)) for _ in range(1000)]
    assert read(*texts).values.tolist() == [float(text) for text in texts]


def test_reasons() -> None:
    assert why_bad("n/a") == "expected a number"
    assert "leading zeros" in why_bad("007")
    assert "64 bits cannot hold exactly" in why_bad("9007199254740993")
    assert "too large or too small" in why_bad("1e999")


def test_identifiers() -> None:
    assert is_identifier("007")
    assert is_identifier("9007199254740993")
    assert not is_identifier("n/a")
    assert not is_identifier("0x1F")
