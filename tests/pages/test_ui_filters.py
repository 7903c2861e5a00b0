"""Filters as people write them."""

import pytest

from core.errors import OptionError
from pages._ui.state import parse_condition, suggestions

COLUMNS = ["machine", "size", "size=x", "l2 misses"]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("machine=K40", ("machine", "=", "K40")),
        ("size != tiny", ("size", "!=", "tiny")),
        ("size=x=3", ("size=x", "=", "3")),
        ("l2 misses<=1e6", ("l2 misses", "<=", "1e6")),
        ("size>=4", ("size", ">=", "4")),
        ("machine=", ("machine", "=", "")),
        ("machine=a=b<c", ("machine", "=", "a=b<c")),
    ],
)
def test_conditions(text: str, condition: tuple[str, str, str]) -> None:
    assert parse_condition(text, COLUMNS) == condition


@pytest.mark.parametrize("text", ["", "machine", "K40", "other=3", "machine~K40"])
def test_what_is_no_condition_is_said(text: str) -> None:
    with pytest.raises(OptionError, match="is not understood: write a column"):
        parse_condition(text, COLUMNS)


def test_suggestions_are_understood_and_leave_out_what_would_not_help() -> None:
    labels = {"machine": ("K40", "Titan"), "suite": ("only",), "launch": tuple(str(i) for i in range(61))}
    assert suggestions(labels) == ["machine=K40", "machine=Titan"]
    assert [parse_condition(s, labels) for s in suggestions(labels)] == [
        ("machine", "=", "K40"),
        ("machine", "=", "Titan"),
    ]
