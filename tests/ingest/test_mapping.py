"""Roles as one value."""

import pytest

from core.errors import OptionError
from core.ingest import Mapping


def test_a_column_has_one_role() -> None:
    with pytest.raises(OptionError, match="Column 'a' is given as application and as ignore"):
        Mapping(application=("a",), ignore=("a",))
    with pytest.raises(OptionError, match="Column 't' is given as response and as response"):
        Mapping(responses=(("t", None), ("t", "s")))


def test_machine_is_a_column_or_a_name() -> None:
    with pytest.raises(OptionError, match="column 'gpu' or the name 'K40', not both"):
        Mapping(machine="gpu", machine_name="K40")


@pytest.mark.parametrize(("field", "value"), [("missing", "zero"), ("decimal", "dot")])
def test_choices_are_checked(field: str, value: str) -> None:
    with pytest.raises(OptionError, match=f"Option {field} must be one of"):
        Mapping(**{field: value})


def test_lists_become_tuples() -> None:
    assert Mapping(application=["a", "b"]) == Mapping(application=("a", "b"))
