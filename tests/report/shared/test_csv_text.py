"""Tables to take away: exact numbers, and no cell that a spreadsheet would run."""

import pandas as pd
import pytest

from core.report.shared.csv_text import safe_cell, to_csv


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-a", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1", "\uff20x"])
def test_formulas_become_texts(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    "value", ["-", "+", "-1.5", "+3", "-1e9", "plain", "", "a=b", "4096x1x1", "2026-11-21", ":x", 4.5, None]
)
def test_numbers_and_plain_texts_stay(value: object) -> None:
    assert safe_cell(value) == value


def test_a_table_keeps_every_digit_and_its_header_is_safe() -> None:
    values = pd.DataFrame({"=name": ["=x", "y"], "value": [0.1 + 0.2, 1e-17]})
    assert to_csv(values) == "'=name,value\n'=x,0.30000000000000004\ny,1e-17\n"


def test_the_table_given_is_not_changed() -> None:
    values = pd.DataFrame({"a": ["=x"]})
    to_csv(values)
    assert values["a"][0] == "=x"
