"""A strict table of texts."""

import numpy as np
import pytest

from core.errors import OptionError, ReadError
from core.ingest.base import SourceFile
from core.ingest.table.table import Table, read_table, stacked


def table(text: str | bytes, name: str = "run7.csv") -> Table:
    return read_table(SourceFile(name, text.encode() if isinstance(text, str) else text))


def test_a_table_keeps_names_units_texts_and_lines() -> None:
    found = table("# by hand\nkernel, time (us) ,clock_mhz\ngemm ,1.50,\n\tfft,2, 7\n")
    assert found.names == ("kernel", "time", "clock_mhz")
    assert found.units == ("", "us", "MHz")
    assert found.headers == ("kernel", "time (us)", "clock_mhz")
    assert [c.texts() for c in found.columns] == [["gemm", "fft"], ["1.50", "2"], ["", "7"]]
    assert found.trimmed == (2, 0, 0)
    assert found.lines.tolist() == [3, 4]
    assert found.head(1) == [("gemm", "1.50", "")]
    assert found.place(1) == "run7.csv line 4"
    assert found.where() == ("line 3", "line 4")
    assert (found.separator, found.encoding, len(found)) == (",", "utf-8", 2)
    assert found.skipped[0].where == "line 1"


def test_columns_are_found_by_name_header_or_case() -> None:
    found = table("kernel,time (us)\na,1\n")
    assert [found.find(name) for name in ("kernel", "time", "time (us)", "Kernel")] == [0, 1, 1, 0]
    with pytest.raises(OptionError, match=r"run7.csv has no column 'speed'; its columns are: kernel, time"):
        found.find("speed")


def test_row_numbers_and_empty_columns_without_names_are_left_out() -> None:
    found = table(",app,t,\n0,a,1,\n1,b,2,\n")
    assert found.names == ("app", "t")
    assert found.lines.tolist() == [2, 3]
    assert len(found.warnings) == 2
    assert "column 1 has no name and holds the rows' numbers" in found.warnings[0]
    assert table('"","app"\n"1","a"\n"2","b"\n').names == ("app",)
    with pytest.raises(ReadError, match="column 1 has no name"):
        table(",app\n0,a\n7,b\n")
    with pytest.raises(ReadError, match="column 2 has no name"):
        table("app,,t\na,0,1\nb,1,2\n")


def test_empty_rows_of_spreadsheets_are_left_out() -> None:
    found = table("a,b\n1,2\n,\n3,4\n,\n,\n")
    assert found.lines.tolist() == [2, 4]
    assert [s.where for s in found.skipped] == ["line 3", "line 5", "line 6"]
    with pytest.raises(ReadError, match="all rows below them are empty"):
        table("a,b\n,\n,\n")


def test_a_row_of_units_gives_the_units() -> None:
    found = table('"ID","Kernel","time","hits","cap"\n"","","ns","%",""\n"0","a","5","7","x"\n')
    assert found.units == ("", "", "ns", "%", "")
    assert found.lines.tolist() == [3]
    assert found.skipped[0].where == "line 2"
    assert "units of 2 columns" in found.skipped[0].why


@pytest.mark.parametrize("row", [",n/a,n/a", ",fast,slow", "a,ns,%", ",1,%"])
def test_other_rows_are_not_taken_for_units(row: str) -> None:
    assert len(table(f"app,t,p\n{row}\nb,1,2\n")) == 2


@pytest.mark.parametrize(
    "header",
    ["Counter_Name,Counter_Value", '"Kernel","Metric Name","Metric Value"', "event,value", "Device,Event Name,Avg"],
)
def test_one_counter_a_row_is_refused(header: str) -> None:
    width = header.count(",") + 1
    with pytest.raises(ReadError, match="one counter on each row"):
        table(header + "\n" + ",".join(["x"] * width) + "\n")


def test_a_commented_header_above_numbers_is_the_header() -> None:
    found = table("# app,time\ngemm,3.5\nfft,2\n")
    assert found.names == ("app", "time")
    assert found.lines.tolist() == [2, 3]
    assert "line 1: the comment above the numbers is taken for the names" in found.warnings[0]
    with pytest.raises(ReadError, match=r"line 2: '3.5' stands where a column's name is expected"):
        table("# measured\ngemm,3.5\nfft,2\n")


def test_stacked_tables_remember_their_files() -> None:
    found = stacked([table("a,b\n1,2\n", "one.csv"), table("a,b\n3,4\n5,6\n", "two.csv")], "both", "0")
    assert found.columns[0].texts() == ["1", "3", "5"]
    assert found.where() == ("one.csv line 2", "two.csv line 2", "two.csv line 3")
    assert np.array_equal(found.lines, [2, 2, 3])
    with pytest.raises(ReadError, match=r"one.csv and two.csv have different columns"):
        stacked([table("a,b\n1,2\n", "one.csv"), table("a,c\n3,4\n", "two.csv")], "both", "0")


def test_an_eigers_model_is_told_from_trials_whose_cells_say_model() -> None:
    with pytest.raises(ReadError, match=r"^m\.txt is a model of Eiger's, not trials\. Use it with: ridgeline predict"):
        read_table(SourceFile("m.txt", b"Model 1\n[0,1](3.5)\n"))
    said = read_table(SourceFile("m.csv", b"name,time_s\nModel 1,2.5\nModel 2,3.5\n"))
    assert said.columns[0].texts() == ["Model 1", "Model 2"]
