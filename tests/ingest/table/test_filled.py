"""Names in the first row of their group are filled in below where groups are alike, and nothing else is."""

import pytest

from core.ingest import SourceFile, read_table
from core.ingest.table.table import Table


def read(raw: str) -> Table:
    return read_table(SourceFile("merged.csv", raw.encode()))


def groups(header: str, *rows: str) -> str:
    return "\n".join([header, *rows, ""])


def test_a_name_is_filled_in_and_told() -> None:
    table = read(groups("app,p,t", "bfs,1,4.5", ",2,2.5", "cc,1,8.5", ",2,4.25", "pr,1,9.5", ",2,5.5"))
    assert table.columns[0].texts() == ["bfs", "bfs", "cc", "cc", "pr", "pr"]
    assert any("app stands in the first row of each group" in warning for warning in table.warnings)


def test_several_names_are_filled_in_numbers_too_above_shorter_groups() -> None:
    table = read(groups("mesh,solver,p,t", "2,cg,1,4.5", ",,2,2.5", ",,4,1.5", "8,cg,1,9.5", ",,2,5.5"))
    assert table.columns[0].texts() == ["2"] * 3 + ["8"] * 2


@pytest.mark.parametrize(
    ("column", "rows"),
    [
        ("app", ["bfs,1,4.5", ",2,2.5", "cc,3,8.5", ",4,4.25"]),  # groups that have nothing in common
        ("app", ["bfs,1,4.5", "bfs,2,2.5", "cc,1,8.5", ",2,4.25"]),  # some names are there
        ("app", ["bfs,1,4.5", ",2,2.5", ",1,8.5", ",2,4.25"]),  # one group
        ("flag", ["-O2,1,4.5", ",1,2.5", "-O2,2,8.5", ",2,4.25"]),  # no flag is a setting as well
    ],
)
def test_other_empty_cells_stay(column: str, rows: list[str]) -> None:
    table = read(groups(f"{column},p,t", *rows))
    assert "" in table.columns[0].texts()
    assert not any("first row of each group" in warning for warning in table.warnings)


def test_numbers_of_the_first_runs_alone_and_remarks_stay() -> None:
    table = read(groups("app,p,t,base,note", "a,1,4.5,4,x", "a,2,2.5,,", "b,1,8.5,8,y", "b,2,4.25,,"))
    assert table.columns[3].texts() == ["4", "", "8", ""]
    assert table.columns[4].texts() == ["x", "", "y", ""]
