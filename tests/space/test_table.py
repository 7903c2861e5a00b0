"""Design spaces filled in as a table."""

from typing import Any

import pytest

from core.errors import OptionError
from core.space.design_space import Parameter, make_space
from core.space.table import read_space, rows_of_space, space_of_rows, write_space

_NONE = float("nan")
HUGE = 400 * "9"


def _row(name: Any = "", levels: Any = "", low: Any = None, high: Any = None, **more: Any) -> dict[str, Any]:
    return {"parameter": name, "unit": "", "levels": levels, "from": low, "to": high, **more}


def test_rows_give_levels_ranges_and_categories() -> None:
    rows = [
        _row("simd", "8, 16; 32"),
        _row("layout", "row, column"),
        _row("mshr", None, 1.0, 3.0),
        _row("cache", None, 1.0, 8.0, step=_NONE, factor=2.0),
        _row(None, None, _NONE, _NONE),
    ]
    space = space_of_rows(rows, ["simd * mshr <= 48", " "], "mine")
    assert [p.levels for p in space.parameters] == [
        (8.0, 16.0, 32.0),
        ("row", "column"),
        (1.0, 2.0, 3.0),
        (1.0, 2.0, 4.0, 8.0),
    ]
    assert [c.text for c in space.constraints] == ["simd * mshr <= 48"]
    assert space.n_points == (3 + 3 + 1) * 2 * 4


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (_row("", "1, 2"), "no parameter name"),
        (_row("a", ""), "give one of levels"),
        (_row("a", "1, 2, 2"), "level twice"),
        (_row("a", None, 3.0, 1.0, step=1.0), "lower first"),
    ],
)
def test_a_wrong_row_is_one_sentence(row: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        space_of_rows([row])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("range = [1.0, inf]\nfactor = 2.0", "lower first"),
        ("range = [nan, 1.0]\nstep = 1.0", "lower first"),
        ("range = [1, 1e9]\nfactor = 1.0000001", "more than 100,000 levels"),
        ("range = [0, 1e308]\nstep = 1e-300", "more than 100,000 levels"),
        ("range = [1, 4]\nfactor = nan", "factor must be over 1"),
        ("range = [1, 4]\nstep = true", "step must be over 0"),
        ("range = [1, 4]\nstep = '2'", "step must be over 0"),
        ("levels = [1.0, inf]", "finite"),
        ("levels = [nan]", "finite"),
        (f"levels = [{HUGE}]", "finite"),
        (f"range = [1, {HUGE}]\nstep = 1", "lower first"),
        (f"range = [1, 4]\nstep = {HUGE}", "step must be over 0"),
        (f"range = [1, 4]\nfactor = -{HUGE}", "factor must be over 1"),
        (f"levels = {5000 * '['}{5000 * ']'}", "is no TOML"),
        (f"levels = [{5001 * '1'}]", "is no TOML"),
        ("values = ['a', ' ']", "a value is an empty text"),
    ],
)
def test_a_range_without_an_end_is_one_sentence(table: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        read_space(f"[parameters.a]\n{table}\n")


def test_a_factor_reaches_the_end_of_its_range() -> None:
    (thirds,) = read_space("[parameters.a]\nrange = [0.1, 24.3]\nfactor = 3").parameters
    assert thirds.levels == pytest.approx([0.1, 0.3, 0.9, 2.7, 8.1, 24.3])


def test_every_text_is_written_and_read_back() -> None:
    space = make_space([Parameter("a\x7f", ("x\x7f", '"\t\\'), "\x00")], name="\x7f")
    assert read_space(write_space(space)) == space


def test_rows_of_a_space_give_it_back() -> None:
    space = read_space(
        '[parameters."t$"]\nunit = "KB"\nrange = [1, 32]\nfactor = 2\n[parameters.kind]\nvalues = ["a", "b"]\n'
    )
    assert write_space(space_of_rows(rows_of_space(space))) == write_space(space)


def test_a_list_in_place_of_a_table_is_levels_or_values() -> None:
    short = read_space('[parameters]\nblock = [64, 32]\nlayout = ["row", "column"]\n')
    tables = '[parameters.block]\nlevels = [32, 64]\n[parameters.layout]\nvalues = ["row", "column"]\n'
    assert short == read_space(tables)
    with pytest.raises(OptionError, match="expected a list, or a table"):
        read_space("[parameters]\nblock = 64\n")
    with pytest.raises(OptionError, match="levels must be a list that is not empty"):
        read_space("[parameters]\nblock = []\n")
