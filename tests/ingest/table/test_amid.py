"""Tables amid what a program said: what is said above becomes columns, and no row that is damaged is lost."""

import pytest

from core.errors import ReadError
from core.ingest import SourceFile, drop, parts_of
from core.ingest.table.table import Table
from tests.ingest.table.test_reports_and_lists import columns, read
from tests.ingest.table.test_strangers import workbook

ROWS = "N,block,time_ms\n256,8,0.12\n256,16,0.09\n512,8,0.71\n512,16,0.52\n"
AMID = f"Running a benchmark\nDevice: NVIDIA A100\n[INFO] threads = 8\n{ROWS}Done in 12.1 s\n"


def joined(*texts: str) -> Table:
    files = [SourceFile(f"run{i}.csv", text.encode()) for i, text in enumerate(texts)]
    (one,) = drop(parts_of(files)).joined
    return one.table


def test_a_table_between_other_lines_is_read_with_what_is_said_above_it() -> None:
    table = read(AMID, "run.log")
    assert (table.names, table.lines.tolist()) == (("N", "block", "time_ms", "Device", "threads"), [5, 6, 7, 8])
    assert [set(columns(table)[name]) for name in ("Device", "threads")] == [{"NVIDIA A100"}, {"8"}]
    assert "line 9, 'Done in 12.1 s'" in " ".join(table.warnings)


def test_tables_of_several_runs_are_one() -> None:
    table = read(AMID + AMID.replace("= 8", "= 4"), "run.log")
    assert columns(table)["threads"] == ["8"] * 4 + ["4"] * 4
    assert columns(table)["N"] == ["256", "256", "512", "512"] * 2


@pytest.mark.parametrize("last", ["512\n", "512,3\n", "512 16 0.52\n", "51\n", '"never closed by anyone\n'])
def test_a_line_that_may_be_a_row_is_refused(last: str) -> None:
    with pytest.raises(ReadError):
        read(AMID.replace("Done in 12.1 s\n", last), "run.log")
    with pytest.raises(ReadError):
        read(AMID.replace("512,8,0.71\n", last), "run.log")


def test_names_over_two_lines() -> None:
    sub = "mixed speeds of all\nrun, single,, double,\nid, ms, GB/s, ms, GB/s\n"
    table = read(sub + "".join(f"{i}, {i}.5, {i}.25, {i}.75, 1.5\n" for i in range(4)) + "that was all\n", "run.log")
    assert (table.names, table.units[1:]) == (
        ("run id", "single (ms)", "single (GB/s)", "double (ms)", "double (GB/s)"),
        ("ms", "GB/s", "ms", "GB/s"),
    )
    variants = "Mean times (sec.)\nkernel , base   , lambda\n       , default, default\n"
    table = read(variants + "add , 0.5 , 0.25\nmul , 0.75 , 0.5\ndot , 1.5 , 1.25\ncopy, 0.25, 0.125\n", "run.log")
    assert (table.names, len(table)) == (("kernel", "base", "lambda"), 4)


def test_what_comments_say_of_hardware_and_settings_are_columns_of_a_table() -> None:
    table = joined(f"# GPU: NVIDIA A100\n# threads: 8\n# size: 64 MB\n# Note: see the wiki\n# All is well\n{ROWS}")
    assert table.names == ("N", "block", "time_ms", "GPU", "threads", "size")
    assert (table.units[-1], set(columns(table)["size"])) == ("MB", {"64"})
    assert [own.why.partition("# ")[2] for own in table.skipped] == ["Note: see the wiki", "All is well"]
    assert any("'GPU', 'threads', 'size' are said above the rows" in told for told in table.warnings)


def test_what_comments_of_files_say_differently_tells_them_apart() -> None:
    texts = [
        f"# compiler: {c}\n# date: 2026-05-0{i}\n# Total time: 4{i} s\n{ROWS}" for i, c in ((1, "gcc"), (2, "clang"))
    ]
    table = joined(*texts)
    assert table.names == ("N", "block", "time_ms", "compiler")
    assert columns(table)["compiler"] == ["gcc"] * 4 + ["clang"] * 4


def test_a_column_stands_before_what_is_said_above_it() -> None:
    assert joined(f"# block: 4\n# n: 7\n{ROWS}").names == ("N", "block", "time_ms")


def test_names_beside_values_in_cells_above_a_table_and_a_command() -> None:
    sheets = [f"Device,NVIDIA A100,\nThreads,{t},\n,,\n{ROWS}" for t in (1, 2)]
    assert joined(*sheets).names == ("N", "block", "time_ms", "Device", "Threads")
    padded = joined(f"My results,,\n{ROWS}")
    assert (padded.names, [own.why for own in padded.skipped]) == (
        ("N", "block", "time_ms"),
        ["before the header: My results"],
    )
    ran = [f"$ ./bench --threads {t} --mode {mode}\n{ROWS}" for t, mode in ((1, "fast"), (2, "safe"))]
    assert joined(*ran).names == ("N", "block", "time_ms", "threads", "mode")


def test_names_beside_values_above_the_rows_of_a_sheet() -> None:
    rows = [[float(cell) if cell[0].isdigit() else cell for cell in line.split(",")] for line in ROWS.splitlines()]
    raw = workbook(runs=[["GPU", "NVIDIA A100"], ["Threads", 8], [], *rows])
    (one,) = drop(parts_of([SourceFile("run.xlsx", raw)])).joined
    assert one.table.names == ("N", "block", "time_ms", "GPU", "Threads")


def test_a_row_that_is_cut_in_its_first_cell_is_refused() -> None:
    rows = "kernel,time_ms\nmatrix multiply,0.5\nmatrix transpose,0.25\nprefix sum,0.75\nvector add,0.125\n"
    assert len(read(f"Device: T4\n{rows}That was all\n", "run.log")) == 4
    with pytest.raises(ReadError):
        read(f"Device: T4\n{rows}matrix mul", "run.log")
