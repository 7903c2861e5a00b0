"""Tables with the same columns one below the other are one table, with what their titles say as columns."""

import pytest

from core.ingest import SourceFile, read_table
from core.ingest.table.table import Table
from tests.ingest.table.test_strangers import workbook


def read(raw: str) -> Table:
    return read_table(SourceFile("blocks.csv", raw.encode()))


def cells(table: Table) -> dict[str, list[str]]:
    return {name: own.texts() for name, own in zip(table.names, table.columns, strict=True)}


def blocks(*titles: str, between: str = "\n", separator: str = ",") -> str:
    """Return a table of two rows below each title."""
    rows = ("p,t", f"1,{2.5}", f"2,{1.5}")
    return between.join("\n".join([title, *rows, ""]).replace(",", separator) for title in titles)


@pytest.mark.parametrize("between", ["\n", ""])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize("title", ["N = {}", "N: {}", "# N = {}", "N={}"])
def test_a_title_of_each_block_is_a_column(title: str, separator: str, between: str) -> None:
    table = read(blocks(title.format(64), title.format(128), between=between, separator=separator))
    assert cells(table) == {"N": ["64", "64", "128", "128"], "p": ["1", "2"] * 2, "t": ["2.5", "1.5"] * 2}
    assert "2 tables with the same columns" in table.warnings[0]
    assert "'N'" in table.warnings[0]


def test_rows_keep_their_lines() -> None:
    assert read("a run\n" + blocks("N = 64", "N = 128")).lines.tolist() == [4, 5, 9, 10]


def test_several_things_in_a_title_are_columns() -> None:
    table = read(blocks("N = 64; mode = a", "N = 64; mode = b"))
    assert cells(table)["mode"] == ["a", "a", "b", "b"]
    assert cells(table)["N"] == ["64"] * 4


def test_a_title_that_names_nothing_is_a_heading() -> None:
    assert cells(read(blocks("small input", "large input")))["heading"] == ["small input"] * 2 + ["large input"] * 2


def test_titles_that_a_spreadsheet_padded() -> None:
    raw = "N = 64,,\np,t,u\n1,2.5,1\n2,1.5,1\n,,\nN = 128,,\np,t,u\n1,3.5,2\n2,2.5,2\n"
    assert cells(read(raw))["N"] == ["64", "64", "128", "128"]


def test_blocks_without_titles_are_one_table() -> None:
    assert cells(read("p,t\n1,2.5\n2,1.5\n\np,t\n1,3.5\n2,2.5\n")) == {
        "p": ["1", "2", "1", "2"],
        "t": ["2.5", "1.5", "3.5", "2.5"],
    }


def test_a_table_with_other_columns_is_told() -> None:
    table = read(blocks("N = 64") + "\nN = 128\nq,w\n1,5.5\n2,3.5\n4,2.5\n")
    assert any("with other columns above" in warning for warning in table.warnings)
    rows = "".join(f"{n} 100 {n / 7:.2f} {n}\n" for n in (1, 2, 4))
    below = "#bytes #runs t_min t_max t_avg\n4 100 1.4 1.5 1.45\n8 100 2.4 2.5 2.45\n"
    table = read_table(
        SourceFile("imb.txt", f"# PingPong\n#bytes #runs t[us] rate\n{rows}\n# Reduce\n{below}".encode())
    )
    assert any("with other columns above" in warning for warning in table.warnings)


def test_blocks_whose_columns_are_what_was_set() -> None:
    table = read("static\nn/threads,1,2,4\n64,4.5,2.5,1.5\n\ndynamic\nn/threads,1,2,4\n64,5.5,3.5,2.5\n")
    assert table.names == ("heading", "n", "threads 1", "threads 2", "threads 4")
    assert cells(table)["heading"] == ["static", "dynamic"]
    assert cells(table)["threads 2"] == ["2.5", "3.5"]
    assert cells(read("a,1,2,3\ngemm,1,2,3\ngemm,1,2,3\ngemm,4,5,6\n"))["column 3"] == ["3", "3", "6"]


@pytest.mark.parametrize("gap", ["", ","])
@pytest.mark.parametrize("titles", ["", "Results,,{},\n", "static,,{}dynamic,\n", "My runs\nN = 64,,{}N = 128,\n"])
def test_tables_side_by_side_are_one(gap: str, titles: str) -> None:
    rows = [f"{p},{t}.5,{gap}{p},{2 * t}.5\n" for p, t in ((1, 8), (2, 4))]
    table = read(f"{titles.format(gap)}p,t,{gap}p,t\n{''.join(rows)},,{gap}4,9.5\n")
    name = {"": "table", "R": "table", "s": "heading", "M": "N"}[titles[:1]]
    own = {"table": ["1", "2"], "heading": ["static", "dynamic"], "N": ["64", "128"]}[name]
    assert cells(table) == {
        name: [own[0]] * 2 + [own[1]] * 3,
        "p": ["1", "2", "1", "2", "4"],
        "t": ["8.5", "4.5", "16.5", "8.5", "9.5"],
    }
    assert "side by side" in table.warnings[0]
    assert table.lines.tolist()[:3] == [2 + titles.count("\n"), 3 + titles.count("\n"), 2 + titles.count("\n")]


def test_tables_of_a_sheet_one_below_the_other() -> None:
    block: list[list[object]] = [["p", "t"], [1, 2.5], [2, 1.5]]
    raw = workbook(runs=[["N = 64"], *block, [], ["N = 128"], *block])
    table = read_table(SourceFile("blocks.xlsx", raw))
    assert cells(table)["N"] == ["64", "64", "128", "128"]
    assert table.place(2) == "blocks.xlsx row 8"
