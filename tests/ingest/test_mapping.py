"""Roles as one value."""

import pytest

from core.errors import OptionError
from core.ingest import ColumnGuess, Mapping


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
    assert Mapping(application=["a", "b"]) == Mapping(application=("a", "b"))  # type: ignore[arg-type]


def column(name: str, role: str, unit: str = "") -> ColumnGuess:
    return ColumnGuess(name, unit, role, "number", (), "")


def test_columns_of_a_form_make_a_complete_mapping() -> None:
    roles = ("application", "input", "machine", "parameter", "response", "metric", "label", "ignore")
    found = Mapping.from_columns([column(f"c_{role}", role, "s") for role in roles], machine_name="K40", missing="drop")
    assert dict(found.roles()) == {f"c_{role}": role for role in roles}
    assert found.responses == (("c_response", "s"),)
    assert found.complete
    assert (found.machine, found.machine_name, found.missing) == ("c_machine", "", "drop")
    with pytest.raises(OptionError, match="One column names the machine; got a, b"):
        Mapping.from_columns([column("a", "machine"), column("b", "machine")])
