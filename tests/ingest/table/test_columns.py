"""What columns hold, and decimal commas only where the file proves them."""

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.table.columns import Study, distinct_examples, refuse_ambiguous, study
from core.ingest.table.table import Table, read_table


def table(text: str) -> Table:
    return read_table(SourceFile("run7.csv", text.encode()))


def kinds(text: str, decimal: str = "") -> list[str]:
    return [column.kind for column in study(table(text), decimal).columns]


def column(*cells: str) -> str:
    """The kind of a column of cells, in a comma file beside another column."""
    body = "".join(f'"{cell}",1\n' for cell in cells)
    return kinds("x,y\n" + body)[0]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (("1", "2.5", "-3e4"), "number"),
        (("1", "", "3"), "number"),
        (("", "", ""), "empty"),
        (("1", "n/a", "n/a", "-"), "mixed"),
        (("1", "2", "fast"), "mixed"),
        (("1", "2", "inf"), "mixed"),
        (("1", "slow", "fast"), "text"),
        (("a", "b", "c"), "text"),
        (("n/a", "n/a", ""), "text"),
        (("007", "008", "009"), "identifier"),
        (("007", "8", "9"), "identifier"),
        (("9007199254740993", "1", "2"), "identifier"),
        (("0x1F", "0x2A", "0x00"), "text"),
        (("12%", "13%", "14%"), "number"),
        (("1,234", "2,345,678", "9"), "number"),
        (("3,5", "4,25", "1"), "ambiguous"),
        (("3,5", "n/a", "1"), "ambiguous"),
        (("4,5,6,7", "0,1,2,3", "4"), "text"),
        (("True", "False", "True"), "text"),
    ],
)
def test_kinds(cells: tuple[str, ...], kind: str) -> None:
    assert column(*cells) == kind


def first(text: str, decimal: str = "") -> tuple[str, list[float]]:
    found = study(table(text), decimal).columns[0]
    return found.kind, found.numbers.values.tolist()


def test_decimal_commas_are_taken_where_proved() -> None:
    assert first("x;y\n3,5;1\n4,25;2\n") == ("number", [3.5, 4.25])
    assert first("x;y\n0,125;1\n4,250;2\n") == ("number", [0.125, 4.25])
    found = study(table("x;y\n1;1\n3,5;2\n"))
    assert "run7.csv line 3: '3,5' shows that the numbers have a decimal comma" in found.warnings[0]
    assert first("x\ty\n1,234\t0,5\n2,345\t1,5\n")[1] == [1.234, 2.345]


@pytest.mark.parametrize(
    "text",
    [
        "x;y\n1,234;1\n2,345;2\n",  # 1.234 or 1234
        "x;y\n3,5;1.5\n4,25;2\n",  # a point elsewhere
        "x;y\n1,234,567;1\n2,345;2\n",  # groups, which only quoted cells of comma files may have
        "x;y\n1,234.5;1\n2;2\n",
        'x,y\n"3,5",1\n"4,25",2\n',  # a list or a decimal comma
    ],
)
def test_other_commas_are_left_to_the_user(text: str) -> None:
    read = table(text)
    found = study(read).columns[0]
    assert found.kind == "ambiguous"
    with pytest.raises(ReadError, match=r"run7.csv line 2: 'x' is '.*', whose comma may be a decimal mark"):
        refuse_ambiguous(read, found)


def test_the_user_decides() -> None:
    text = "x;y\n1,234;1\n2,345;2\n"
    assert first(text, "point") == ("number", [1234, 2345])
    assert first(text, "comma") == ("number", [1.234, 2.345])
    assert first('x,y\n"3,5",1\n"1.234,5",2\n', "comma") == ("number", [3.5, 1234.5])


def test_studies_are_made_once() -> None:
    read = table("x;y\n1;2\n")
    again: Study = study(read)
    assert study(read) is again
    assert study(read, "comma") is not again


def test_examples() -> None:
    assert distinct_examples(table('x,y\na,1\na,1\n,1\n"b\nc",1\n' + "z" * 99 + ",1\n"), 0) == ("a", "b c", "z" * 60)
