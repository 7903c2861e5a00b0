"""Tables by the names of attributes."""

from types import SimpleNamespace

from core.report.shared.naming import columns_of, row_of


def test_a_title_stands_for_its_attribute_or_for_itself():
    value = SimpleNamespace(n=3, scores=SimpleNamespace(mape=1.5))
    assert row_of(value, "n | error (%): scores.mape") == {"n": 3, "error (%)": 1.5}


def test_a_table_without_rows_has_its_columns():
    assert columns_of([], "n | error (%): scores.mape") == {"n": [], "error (%)": []}
    assert columns_of([SimpleNamespace(n=1), SimpleNamespace(n=2)], "n") == {"n": [1, 2]}
