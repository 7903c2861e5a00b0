"""Tables as people write them for themselves: what is no trial is left out and told, and no number is guessed."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from core.errors import OptionError, ReadError
from core.ingest import Form, SourceFile, read_table
from core.ingest.table.columns import study
from core.ingest.table.table import Table, stream_table

FRAME = pd.DataFrame(
    {"kernel": ["gemm", "fft", "sort", "scan"], "threads": [1, 2, 4, 8], "time_ms": [1.5, 2.25, 3.0, 4.125]}
)


def table(raw: str | bytes, form: Form | None = None) -> Table:
    return read_table(SourceFile("run7.csv", raw.encode() if isinstance(raw, str) else raw), form)


def values(found: Table) -> dict[str, list[str]]:
    return {name: cells.texts() for name, cells in zip(found.names, found.columns, strict=True)}


def numbers(found: Table, name: str) -> list[float]:
    return study(found).columns[found.names.index(name)].numbers.values.tolist()


PLAIN = values(table(FRAME.to_csv(index=False)))


@pytest.mark.parametrize(
    "raw",
    [
        FRAME.to_csv(),
        FRAME[FRAME.threads != 2].to_csv(),
        FRAME.to_csv(index_label=False),
        FRAME.to_csv(sep="\t", index_label=False),
        pd.read_csv(io.StringIO(FRAME.to_csv())).to_csv(),
        FRAME.to_csv(sep=" ", index_label=False),
        '"kernel" "threads" "time_ms"\n"1" "gemm" 1 1.5\n"2" "fft" 2 2.25\n"3" "sort" 4 3.0\n"4" "scan" 8 4.125\n',
    ],
)
def test_row_numbers_are_left_out_and_told(raw: str) -> None:
    found = table(raw)
    expected = {name: [t for i, t in enumerate(texts) if len(found) == 4 or i != 1] for name, texts in PLAIN.items()}
    assert values(found) == expected
    assert any("holds the rows' numbers: left out" in warning for warning in found.warnings)


def test_row_numbers_of_rows_that_were_sorted_are_left_out_and_sizes_are_not() -> None:
    numbers = (51, 59, 27, 188, 96, 89, 49, 71)
    rows = "".join(f"{n},{1 << i},{i}.5\n" for i, n in enumerate(numbers))
    found = table(f",threads,time_s\n{rows}")
    assert found.names == ("threads", "time_s")
    assert len(found) == len(numbers)
    assert any("holds the rows' numbers: left out" in warning for warning in found.warnings)
    for sizes in ((1, 16, 2, 4, 8, 64, 128, 32), (100, 200, 50, 400, 300, 600, 500, 700), (1, 2, 4, 8)):
        with pytest.raises(ReadError, match="column 1 has no name"):
            table(",t\n" + "".join(f"{n},{i}.5\n" for i, n in enumerate(sizes)))


def test_what_all_pages_of_a_load_test_had_together_is_no_page() -> None:
    head = "Type,Name,Requests,Failures,Median,Min,Max,Requests/s\n"
    pages = "GET,/a,42,0,4,2.5,188.5,0.75\nPOST,/b,53,3,14,8.5,257.5,1.25\nGET,/c,46,1,3,2.0,21.5,0.5\n"
    found = table(f"{head}{pages},Aggregated,141,4,6,2.0,257.5,2.5\n")
    assert values(found)["Name"] == ["/a", "/b", "/c"]
    assert "below the rows it sums up" in found.skipped[0].why
    assert len(table(f"{head}{pages},Aggregated,99,9,6,3.0,99.5,1.5\n")) == 4


def test_names_of_rows_are_a_column() -> None:
    found = table('"mpg" "cyl"\n"Mazda RX4" 21.0 6\n"Datsun 710" 22.8 4\n')
    assert values(found) == {"column_1": ["Mazda RX4", "Datsun 710"], "mpg": ["21.0", "22.8"], "cyl": ["6", "4"]}
    assert "rows have one cell more than the header" in found.warnings[1]
    assert table(",size,t\na,1,2\nb,3,4\n").names == ("column_1", "size", "t")


def test_thousands_split_by_commas_are_no_row_numbers() -> None:
    for raw in ("a,b\n1,234,5\n2,345,6\n", "time\n1,5\n2,5\n"):
        with pytest.raises(ReadError, match=r"line 2 has|seems to be text"):
            table(raw)


def test_blanks_separate_cells() -> None:
    into = io.BytesIO()
    matrix = np.array([[1.5, -2e-9, 3], [4, 5e10, np.pi]])
    np.savetxt(into, matrix)
    found = table(into.getvalue())
    assert found.names == ("column_1", "column_2", "column_3")
    assert np.array_equal([numbers(found, name) for name in found.names], matrix.T)
    assert any("has no row of column names" in warning for warning in found.warnings)
    into = io.BytesIO()
    np.savetxt(into, matrix, header="a b time")
    assert table(into.getvalue()).names == ("a", "b", "time")
    assert values(table("size   time \n 1    2.5\n\t10\t3.5  \n")) == {"size": ["1", "10"], "time": ["2.5", "3.5"]}


def test_names_are_given_and_headers_said() -> None:
    assert table("1,2\n3,4\n", Form(names=("size", "time"))).names == ("size", "time")
    assert table("a,b\n3,4\n", Form(names=("size", "time"))).names == ("size", "time")
    assert values(table("x,2\ny,4\n", Form(header="no")))["column_1"] == ["x", "y"]
    with pytest.raises(ReadError, match=r"stands where a column's name is expected"):
        table("1,2\n3,4\n", Form(header="yes"))
    with pytest.raises(OptionError, match=r"3 names are given; run7\.csv has 2 columns"):
        table("1,2\n3,4\n", Form(names=("a", "b", "c")))


PROSE = "Results of the new build\nmachine: gpu01, driver 550.1\n\n% by hand\n"


@pytest.mark.parametrize("mark", [",", ";", "\t", " "])
def test_prose_above_the_header_is_told(mark: str) -> None:
    found = table(PROSE + FRAME.to_csv(index=False, sep=mark))
    assert values(found) == PLAIN
    assert [s.where for s in found.skipped] == ["line 1", "line 2", "line 4"]
    assert found.place(0) == "run7.csv line 6"


@pytest.mark.parametrize("units", ["-,-,ms", "[-],[1/s],[ms]", ",,ms", "name,threads,ms"])
def test_a_row_of_units(units: str) -> None:
    found = table(FRAME.rename(columns={"time_ms": "time"}).to_csv(index=False).replace("\n", f"\n{units}\n", 1))
    assert (len(found), found.units[2]) == (4, "ms")
    assert found.skipped[0].where == "line 2"


@pytest.mark.parametrize(
    "totals",
    [
        "total,15,10.875\n",
        "Average,3.75,2.71875\n",
        ",15,10.875\n",
        "\ntotal,15,10.875\n",
        "mean:,3.75,2.71875\nmax,8,4.125\n",
        "\nMeasured twice\n",
        "# done\n",
        "(4 rows)\n",
    ],
)
def test_what_stands_below_is_left_out_and_told(totals: str) -> None:
    found = table(FRAME.to_csv(index=False) + totals)
    assert values(found) == PLAIN
    assert len(found.skipped) == len(totals.strip().split("\n"))


@pytest.mark.parametrize("last", ["total,7,1.25\n", "max,3,2.0\n", ",9,9.5\n", "sum,4,3.0\n"])
def test_a_last_row_that_sums_nothing_up_is_a_trial(last: str) -> None:
    assert len(table(FRAME.to_csv(index=False) + last)) == 5


@pytest.mark.parametrize(
    "raw",
    [
        "| kernel | time_ms |\n|--------|:-------:|\n| gemm   | 1.5     |\n| fft    | 2.5     |\n",
        "kernel  time_ms\n------  -------\ngemm    1.5\nfft     2.5\n",
        "kernel          time_ms\n=======================\ngemm 1.5\nfft 2.5\n",
        "kernel,time_ms\n--------------\ngemm,1.5\nfft,2.5\n",
    ],
)
def test_a_rule_below_the_names_is_no_row(raw: str) -> None:
    assert values(table(raw)) == {"kernel": ["gemm", "fft"], "time_ms": ["1.5", "2.5"]}


def test_no_header_stands_inside_an_open_quote() -> None:
    rows = "app,time_ms,n\na,1,2\nb,2,3\nc,3,4\n"
    assert len(table(f'He said "hi"\n{rows}')) == len(table(f'"closed\nthere"\n{rows}')) == 3
    with pytest.raises(ReadError, match="seems to be text"):
        table(f'"never closed\n{rows}')


def test_commas_between_thousands_of_outcomes_beside_decimal_points() -> None:
    found = table("| engine | time (s) | Records/sec |\n|---|---|---|\n| a | 1.99 | 502,500 |\n| b | 3.46 | 9,000 |\n")
    assert numbers(found, "Records/sec") == [502500, 9000]
    items = table("| engine | time (s) | tile |\n|---|---|---|\n| a | 1.99 | 128,256 |\n| b | 3.46 | 64,128 |\n")
    assert study(items).columns[2].kind == "ambiguous"


def test_european_thousands() -> None:
    found = table("app;t;n\na;1.234,5;1.000\nb;12,25;2\nc;1.234.567,5;3\n")
    assert numbers(found, "t") == [1234.5, 12.25, 1234567.5]
    assert numbers(found, "n") == [1000, 2, 3]
    assert "'1.234,5' shows that the numbers have a decimal comma" in study(found).warnings[0]
    counts = table("app;t;n\na;0,04;1.000\nb;12,25;2.000\n")
    assert (numbers(counts, "t"), numbers(counts, "n")) == ([0.04, 12.25], [1000, 2000])
    quoted = table('app,t\na,"0,0416"\nb,"12,25"\n')
    assert numbers(quoted, "t") == [0.0416, 12.25]
    assert study(table('app,gpus\na,"0,1"\nb,"12,25"\n')).columns[1].kind == "ambiguous"
    doubtful = table("app;t;n\na;1.234,5;1.5\nb;12,25;2\n")
    assert study(doubtful).columns[1].kind == "ambiguous"


@pytest.mark.parametrize("raw", ["a;b;c;\n1;2;3;\n4;5;6;\n", "a;b;c\n1;2;3;\n4;5;6;\n", "a;b;c;\n1;2;3\n4;5;6\n"])
def test_separators_behind_the_last_cell(raw: str) -> None:
    assert values(table(raw)) == {"a": ["1", "4"], "b": ["2", "5"], "c": ["3", "6"]}


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def _cell(value: object) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    return (
        f"<c><v>{value!r}</v></c>"
        if isinstance(value, int | float)
        else f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    )


def workbook(**sheets: list[list[object]]) -> bytes:
    """The bytes of a workbook as programs write it."""
    into, kinds = io.BytesIO(), "application/vnd.openxmlformats-officedocument.spreadsheetml"
    listed = list(enumerate(sheets, 1))
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        f'"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kinds}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in listed)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{i}" Type="{_OFFICE}/worksheet" Target="worksheets/s{i}.xml"/>' for i, _ in listed
        )
        + "</Relationships>",
    }
    for i, name in listed:
        rows = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in sheets[name])
        files[f"xl/worksheets/s{i}.xml"] = f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return into.getvalue()


def test_a_cover_sheet_of_words_is_not_what_was_measured() -> None:
    cover: list[list[object]] = [["Project", "scaling"], ["Contact", "a@b.c"], ["Version", 3]]
    found = table(workbook(info=cover, runs=[list(FRAME), *FRAME.values.tolist()]))
    assert values(found)["kernel"] == PLAIN["kernel"]
    assert "sheet 'runs' was read; 1 more with tables were not: info" in found.warnings[0]


def test_a_summary_before_the_runs_is_not_what_was_measured() -> None:
    means: list[list[object]] = [["kernel", "mean ms"], ["a", 1.0], ["b", 2.0]]
    found = table(workbook(summary=means, runs=[list(FRAME), *(FRAME.values.tolist() * 2)]))
    assert len(found) == 2 * len(FRAME)
    assert "sheet 'runs' was read; 1 more with tables were not: summary" in found.warnings[0]


def test_sheets_with_the_same_columns_are_one_table() -> None:
    head: list[object] = ["threads", "time (ms)"]
    raw = workbook(
        laptop=[["measured by hand"], [], head, [1, 8], [], [2, 4], [4, 2]],
        server=[head, [1, 5], [2, 3]],
        other=[["a", 1]] * 3,
    )
    found = table(raw)
    assert found.names == ("sheet", "threads", "time")
    assert values(found)["sheet"] == [*["laptop"] * 3, *["server"] * 2]
    assert [found.place(row) for row in (0, 1, 3)] == ["run7.csv row 4", "run7.csv row 6", "run7.csv row 2"]
    assert (
        "2 sheets with the same columns were read as one table, each named in 'sheet': laptop, server; 1 more"
        in (found.warnings[0])
    )
    assert table(raw, Form(sheet="server")).names == ("threads", "time")


def test_workbooks() -> None:
    notes: list[list[object]] = [
        ["measured by hand"],
        [],
        ["size", "time (ms)", "on"],
        [1, 0.1, True],
        [2, 1e-9, False],
    ]
    raw = workbook(runs=[list(FRAME), *FRAME.values.tolist()], notes=notes)
    found = table(raw)
    assert numbers(found, "time_ms") == FRAME.time_ms.tolist()
    assert found.place(0) == "run7.csv row 2"
    assert "sheet 'runs' was read; 1 more with tables were not: notes" in found.warnings[0]
    other = table(raw, Form(sheet="notes"))
    assert other.names == ("size", "time", "on")
    assert (numbers(other, "time"), other.units[1], other.place(0)) == ([0.1, 1e-9], "ms", "run7.csv row 4")
    assert "measured by hand" in other.skipped[0].why
    merged: list[list[object]] = [
        ["runs of May"],
        ["", "", "Time (ms)", ""],
        ["app", "n", "mean", "std"],
        ["a", 1, 0.5, 0.1],
        ["b", 2, 0.7, 0.2],
    ]
    grouped = table(workbook(merged=merged))
    assert (grouped.names, grouped.units) == (("app", "n", "Time mean", "Time std"), ("", "", "ms", "ms"))
    with pytest.raises(OptionError, match=r"no sheet 'x'; its sheets are: runs, notes"):
        table(raw, Form(sheet="x"))
    with pytest.raises(ReadError, match=r"damaged zip archive or workbook|cannot be read"):
        table(raw[:-40])


def test_a_workbook_that_is_a_bomb_is_refused() -> None:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (100 << 20))
    with pytest.raises(ReadError, match="unpacks to 100 MiB, which is too much"):
        table(into.getvalue())


ROWS = [
    {"app": "a", "t": 0.1, "on": True, "of": {"n": 3}},
    {"app": "b", "t": None, "on": False, "of": {"n": 12345678901234567890}},
]


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (json.dumps(ROWS), "run7.csv item 2"),
        (json.dumps(ROWS, indent=2), "run7.csv item 2"),
        (json.dumps({"context": {"host": "x"}, "benchmarks": ROWS}), "run7.csv item 2"),
        (json.dumps({"fio version": "fio-3.28", "jobs": ROWS}), "run7.csv item 2"),
        ("\n".join(map(json.dumps, ROWS)), "run7.csv line 2"),
        ("\n\n" + "\r\n".join(map(json.dumps, ROWS)) + "\n", "run7.csv line 4"),
    ],
)
def test_json(raw: str, place: str) -> None:
    found = table(raw)
    assert values(found) == {
        "app": ["a", "b"],
        "t": ["0.1", ""],
        "on": ["true", "false"],
        "of.n": ["3", "12345678901234567890"],
    }
    assert found.place(1) == place


@pytest.mark.parametrize(
    "changed",
    [{"read": 1}, {"read": {"total_ios": 5}}, {"read": {"iops": 1, "bw": 2, "lat_ns": 3}}, {"job options": None}],
)
def test_what_only_looks_like_fios_is_read_as_it_stands(changed: dict[str, Any]) -> None:
    jobs = [{"jobname": name, "t": t, **changed} for name, t in (("a", 0.5), ("b", 0.25), ("c", 1.5))]
    assert values(table(json.dumps({"fio version": 3, "jobs": jobs})))["jobname"] == ["a", "b", "c"]


@pytest.mark.parametrize("metadata", [[], 3, None])
def test_what_only_looks_like_pyperfs_is_read_as_it_stands(metadata: Any) -> None:
    benchmark = {"metadata": metadata, "runs": [{"values": None}, {"values": [0.5, 0.25]}]}
    found = table(json.dumps({"metadata": metadata, "benchmarks": [benchmark, benchmark]}))
    assert values(found)["time_s"] == ["0.5", "0.25", "0.5", "0.25"]


def test_an_object_before_others_of_a_list_holds_for_all_of_them() -> None:
    layers = [{"name": name, "timeMs": ms} for name, ms in (("conv", 5.5), ("pool", 1.5))]
    found = table(json.dumps([{"count": 500}, *layers]))
    assert values(found) == {"count": ["500", "500"], "name": ["conv", "pool"], "timeMs": ["5.5", "1.5"]}
    assert found.place(1) == "run7.csv item 3"
    assert values(table(json.dumps([{"a": 1}, {"b": 2}, {"c": 3}])))["a"] == ["1", "", ""]


def test_json_of_objects_under_names_has_them_as_columns() -> None:
    made = {
        f"tp{n}": {
            f"{kind}_{n}": {"wall_ms": n * k, "parts_ms": {"gemm": k}} for k, kind in ((1, "decode"), (2, "prefill"))
        }
        for n in (1, 2)
    }
    found = table(json.dumps(made))
    assert values(found) == {
        "name 1": ["tp1", "tp1", "tp2", "tp2"],
        "name": ["decode_1", "prefill_1", "decode_2", "prefill_2"],
        "wall_ms": ["1", "2", "2", "4"],
        "parts_ms.gemm": ["1", "2", "1", "2"],
    }
    assert found.units[-2:] == ("ms", "ms")


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": {"x": 1}, "b": {"y": 1}, "c": {"z": 1}}',
        '{"a": [1, 2]}',
        "[1, 2]",
        '{"a": 1}',
        '[{"a": 1}, 2]',
        '[{"a": 1, "a": 2}]',
        '{"a": 1}\n{"a": 2',
    ],
)
def test_other_json_is_refused(raw: str) -> None:
    with pytest.raises(ReadError, match="seems to be JSON"):
        table(raw)


def typed(kind: str) -> bytes:
    columns = {
        "app": ["a", "b"],
        "n": pa.array([2**60 + 1, 3]),
        "t": pa.array([0.1, None]),
        "s": pa.array([0.1, float("nan")], pa.float32()),
        "on": [True, False],
        "deep": [[1], [2]],
    }
    own, into = pa.table(columns), io.BytesIO()
    if kind == "parquet":
        parquet.write_table(own, into)
    elif kind == "feather":
        feather.write_feather(own, into)
    else:
        with pa.ipc.new_stream(into, own.schema) as writer:
            writer.write_table(own)
    return into.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "feather", "stream"])
def test_files_whose_columns_have_a_type(kind: str) -> None:
    found = table(typed(kind))
    assert found.names == ("app", "n", "t", "s", "on")
    assert np.array_equal(numbers(found, "t"), [0.1, np.nan], equal_nan=True)
    assert np.array_equal(numbers(found, "s"), [float(np.float32(0.1)), np.nan], equal_nan=True)
    assert numbers(found, "on") == [1, 0]
    n = study(found).columns[1].numbers
    assert (n.bad.tolist(), found.columns[1].texts(), found.place(0)) == ([0], [str(2**60 + 1), "3"], "run7.csv row 1")
    assert "column 'deep' holds values of type list" in found.warnings[0]
    with pytest.raises(ReadError, match="cannot be read"):
        table(typed(kind)[: len(typed(kind)) // 2])


def test_durations_of_a_clock_and_single_letters_behind_numbers() -> None:
    text = (
        "JobID|JobName|Elapsed|Start|MaxRSS|wall|ConsumedEnergy\n"
        "1|wrf|1-00:01:02|10:23:45|2000K|0.5s|812.5K\n2|wrf|02:03:04|10:24:45|1900K|1.25s|90K\n"
        "3|wrf|10:05.5|11:00:00||2s|1.2K\n"
    )
    table = read_table(SourceFile("sacct.txt", text.encode()))
    cells = {name: list(own.texts()) for name, own in zip(table.names, table.columns, strict=True)}
    units = dict(zip(table.names, table.units, strict=True))
    assert (cells["Elapsed"], units["Elapsed"]) == (["86462", "7384", "605.5"], "s")
    assert cells["Start"] == ["10:23:45", "10:24:45", "11:00:00"]
    assert (cells["MaxRSS"], units["MaxRSS"]) == (["2000", "1900", ""], "K")
    assert (cells["wall"], units["wall"]) == (["0.5", "1.25", "2"], "s")
    assert ([*map(float, cells["ConsumedEnergy"])], units["ConsumedEnergy"]) == ([812500, 90000, 1200], "")


@pytest.mark.parametrize(("own", "mark"), [(",", " "), (" ", ","), ("\t", ";")])
def test_a_header_may_have_a_separator_of_its_own(own: str, mark: str) -> None:
    names = [f'"{name}"' for name in ("ranks", "nodes", "cycles")]
    rows = ["1 1 6.4e7", "2 1 1.01e8", "8 2 3.6e8"]
    found = table("\n".join([own.join(names), *(row.replace(" ", mark) for row in rows)]) + "\n")
    assert values(found) == {"ranks": ["1", "2", "8"], "nodes": ["1", "1", "2"], "cycles": ["6.4e7", "1.01e8", "3.6e8"]}


def test_a_first_row_of_fractions_beside_a_date_is_no_header() -> None:
    found = table("".join(f"2025-10-21 20:29:{k},0.20{k},17.{k}\n" for k in (44, 51, 58)))
    assert found.names == ("column_1", "column_2", "column_3")
    assert len(found) == 3
    assert numbers(found, "column_3") == [17.44, 17.51, 17.58]
    with pytest.raises(ReadError, match="stands where a column's name is expected"):
        table("kernel,16,32\ngemm,0.5,0.75\nfft,0.25,0.5\n")


def test_times_each_in_a_unit_of_its_own_are_in_the_least_of_these_digit_for_digit() -> None:
    rows = ["32,1.2ms,93%,1ms", "64,340.5us,70.5%,2 widgets", "96,,,3", "128,1.05s,8e1%,4", "160,12ns,33%,5"]
    found = table("block,Time,util,odd\n" + "\n".join(rows) + "\n")
    cells, units = values(found), dict(zip(found.names, found.units, strict=True))
    assert (cells["Time"], units["Time"]) == (["1200000", "340500", "", "1050000000", "12"], "ns")
    assert (cells["util"], units["util"]) == (["93", "70.5", "", "8e1", "33"], "%")
    assert (cells["odd"], units["odd"]) == (["1ms", "2 widgets", "3", "4", "5"], "")


def test_a_total_time_as_programs_write_durations_is_in_seconds() -> None:
    found = table("model,total_time,start_time\na,0:00:00.982345,10:00:00\nb,0:01:12.5,10:05:00\n")
    assert found.columns[1].texts() == ["0.982345", "72.5"]
    assert (found.units[1], found.columns[2].texts()) == ("s", ["10:00:00", "10:05:00"])


def test_two_blanks_separate_where_names_and_cells_hold_one() -> None:
    raw = (
        "data set   exec time     Eff. bw\n    2 kB         5ms   13646.3 GB/s \n   16 kB        12ms     904.5 GB/s \n"
    )
    found = table(raw)
    assert values(found) == {"data set": ["2", "16"], "exec time": ["5", "12"], "Eff. bw": ["13646.3", "904.5"]}
    assert found.units == ("kB", "ms", "GB/s")
    assert "two blanks separate the cells" in found.warnings[0]


def test_a_header_below_prose_may_end_with_a_separator() -> None:
    raw = "./bench -csv && \\\n version 5.7, of today\n\nSymmetric:\n\nAlgorithm,MB/s,\nMD5,390.7,\nSHA,230.5,\nRNG,50.25,\n"
    assert values(table(raw)) == {"Algorithm": ["MD5", "SHA", "RNG"], "MB/s": ["390.7", "230.5", "50.25"]}


@pytest.mark.parametrize(
    ("name", "cells", "expected", "unit"),
    [
        ("mean", ["0.8 ± 0.2", "12 ± 1.5"], [0.8, 12], ""),
        ("mean", ["0.8 ± 0.2 ms", "1.5ms", ""], [0.8, 1.5, np.nan], "ms"),
        ("relative", ["1.00", "1.04 +/- 0.33", "—"], [1, 1.04, np.nan], ""),
        ("gain", ["1.08×", "1.52 x", "-"], [1.08, 1.52, np.nan], ""),
        ("n", ["803_471_375", "811597752", "1'024"], [803471375, 811597752, 1024], ""),
        ("records", ["500K", "1M", "2.5M"], [5e5, 1e6, 2.5e6], ""),
        ("block_size", ["512", "4K", "1M"], [512, 4096, 1048576], ""),
        ("message", ["64B", "4KiB", "2 MB"], [64, 4096, 2097152], "B"),
        ("time", ["", "24.375 s", "4.925µs"], [np.nan, 24375000, 4.925], "µs"),
        ("epoch_time", ["00:01:04", "00:00:58"], [64, 58], "s"),
        ("elements", ["10^3", "10^6", "500"], [1e3, 1e6, 500], ""),
        ("elements", ["2**9", "2 ** 20"], [512, 1048576], ""),
        ("real", ["0m6.384s", "1m00.25s", ""], [6.384, 60.25, np.nan], "s"),
        (
            "runtime",
            ["59.3 s", "850 ms", "2m41s", "6.48min", "1h 05m", "2d"],
            [59.3, 0.85, 161, 388.8, 3900, 172800],
            "s",
        ),
    ],
)
def test_numbers_with_something_around_them(name: str, cells: list[str], expected: list[float], unit: str) -> None:
    found = table(f"app,{name}\n" + "".join(f"a{i},{cell}\n" for i, cell in enumerate(cells)))
    assert np.array_equal(numbers(found, name), expected, equal_nan=True)
    assert found.units == ("", unit)
    assert any("the spread behind ± is left out" in w for w in found.warnings) is (name in ("mean", "relative"))


def test_a_time_behind_its_date_is_of_the_day_and_a_duration_is_none() -> None:
    head = "System,,,Core0,\nDate,Time,IPC,IPC,FREQ\n"
    rows = "".join(f"2024-01-21,10:12:0{i}.125,1.{i},0.{i},2.{i}\n" for i in (1, 2, 3))
    found = table(head + rows)
    assert found.units == ("",) * 5
    assert values(found)["System Time"][0] == "10:12:01.125"
    runs = table("run date,run time\n2024-01-21,00:01:04\n2024-01-21,00:00:58\n2024-01-22,00:01:10\n")
    assert runs.units == ("", "s")
    assert numbers(runs, "run time") == [64, 58, 70]


@pytest.mark.parametrize(
    "cells", [["1.5", "2x"], ["12", "1K"], ["1.5x", "fast"], ["4K", "wide"], ["1_2", "3"], ["2d", "3d"]]
)
def test_one_odd_cell_is_no_way_of_writing_numbers(cells: list[str]) -> None:
    found = table(f"app,n\na,{cells[0]}\nb,{cells[1]}\n")
    assert values(found)["n"] == cells


MARKDOWN = """[![badge](https://x)](y)

# Results
Some "prose | with a bar, 1, 2, 3.

| | |
|---|---|
| CPU | 16 cores |

| # | Kernel | N | Time (ms) |
|--:|:-------|--:|----------:|
| 1 | `gemm` | 512 | 182.3 |
| 2 | **fft \\| 2D** | 1024 | **1,482.1** |
| 3 | gemm | 2048 | ~11,891.0 |

It "shows, 10 times; more.

Kernel | Time
--- | ---
a | 1.5
b | 2.5
"""


def test_tables_alike_below_headings_are_one_unless_the_headings_say_what_was_measured() -> None:
    one, other = (
        "| N | Time |\n|--|--|\n| 1 | 1.5 |\n| 2 | 2.5 |\n",
        "| N | Time |\n|--|--|\n| 1 | 3.5 |\n| 2 | 4.5 |\n",
    )
    found = table(f"# A100\n{one}\n**H100**\n\n{other}\n")
    assert values(found) == {
        "heading": ["A100", "A100", "H100", "H100"],
        "N": [*"1212"],
        "Time": ["1.5", "2.5", "3.5", "4.5"],
    }
    assert [found.place(i) for i in (0, 3)] == ["run7.csv line 4", "run7.csv line 12"]
    assert values(table(f"# IPC\n{one}\n# Seconds\n{other}"))["Time"] == ["1.5", "2.5"]
    assert values(table(f"{one}\n{other}"))["Time"] == ["1.5", "2.5"]


def test_a_table_of_a_document() -> None:
    found = table(MARKDOWN)
    assert values(found)["Kernel"] == ["gemm", "fft | 2D", "gemm"]
    assert numbers(found, "Time") == [182.3, 1482.1, 11891.0]
    assert (found.units[-1], found.place(1)) == ("ms", "run7.csv line 13")
    assert found.warnings[0] == "run7.csv: the table at line 10 was read; 1 more below it were not."
    assert "'1,482.1' shows that the numbers have commas between thousands" in study(found).warnings[0]
    without = MARKDOWN.replace("512 |", "small |").replace("1024", "middle").replace("2048", "large")
    assert table(without.replace("| 1 |", "| a |")).names[-1] == "Time"
    with pytest.raises(ReadError, match="line 12 has 3 cells and the header 4"):
        table(MARKDOWN.replace("| 512 | 182.3 |", "| 512"))


def test_a_table_that_a_program_drew_with_lines_around_its_names() -> None:
    rule = "-" * 40
    rows = "seq  |  238.5 |  1.39 | 1.00x\nblas |   76.9 | 43.07 | 3.10x\n"
    text = f"{'=' * 40}\n2MM\n{'=' * 40}\nThreads: 4\n\n{rule}\nname | Mean(ms) | GFLOP/s | Speedup\n{rule}\n{rows}{rule}\n"
    found = table(text + "Results exported to: a.csv\n")
    assert values(found) == {
        "name": ["seq", "blas"],
        "Mean": ["238.5", "76.9"],
        "GFLOP/s": ["1.39", "43.07"],
        "Speedup": ["1.00", "3.10"],
    }
    assert found.units[1] == "ms"
    assert found.place(1).endswith("line 10")


def test_a_comment_that_names_the_columns_is_not_left_out() -> None:
    found = table("# measured twice\n# n,time_ms\n1,2.0\n2,3.5\n")
    assert (found.names, [s.where for s in found.skipped]) == (("n", "time_ms"), ["line 1"])


def test_several_tabs_between_cells() -> None:
    rows = "8\t\t0.5\t\t1.5\n16\t\t0.75\t\t2.5\n24\t\t1.25\t\t2.5\n"
    for head in ("#n\t\ttime(s)\t\tgflops\n", "n\t\ttime(s)\t\tgflops\n"):
        found = table(head + rows)
        assert (found.names, found.units[1]) == (("n", "time", "gflops"), "s")
        assert numbers(found, "n") == [8, 16, 24]
    kept = table("n\tnote\ttime\n1\t\t0.5\n2\t\t0.75\n")
    assert kept.names == ("n", "note", "time")


def test_the_mark_that_leaves_numbers_separates_cells() -> None:
    found = table("f(a,b);time\nfoo(1,2);3.5\nbar(2,3);4.5\n")
    assert values(found) == {"f(a,b)": ["foo(1,2)", "bar(2,3)"], "time": ["3.5", "4.5"]}


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("n/threads,1.0,2.0,4.0", ("n", "threads 1", "threads 2", "threads 4")),
        ("n,1,2,4", ("n", "column 1", "column 2", "column 4")),
        (" ,1,2,4", ("row", "column 1", "column 2", "column 4")),
    ],
)
def test_numbers_above_columns_say_what_was_set(header: str, names: tuple[str, ...]) -> None:
    found = table(f"{header}\n100,4.5,2.5,1.25\n200,9.5,5.0,\n")
    assert (found.names, len(found)) == (names, 2)
    assert table(",1,2,4\nfft,4.5,2.5,1.25\nlu,9.5,5.0,2.5\n").names[0] == "name"
    for other in ("n,4,2,1", "n,1,1,2", ",0,1,2"):
        with pytest.raises(ReadError, match="stands where a column's name is expected"):
            table(f"{other}\na,4.5,2.5,1.25\nb,9.5,5.0,2.5\n")


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("resolution", ["1920x1080", "3840x2160"], {"resolution 1": [1920, 3840], "resolution 2": [1080, 2160]}),
        ("grid", ["128 x 128 x 128", "256 x 256 x 256"], {f"grid {k}": [128, 256] for k in (1, 2, 3)}),
        ("block", ["(16, 16, 1)", "(32, 8, 1)"], {"block 1": [16, 32], "block 2": [16, 8], "block 3": [1, 1]}),
        (
            "sizes",
            ["[[2, 3], [3, 4]]", "[[5, 3], [3, 7]]"],
            {"sizes 1": [2, 5], "sizes 2": [3, 3], "sizes 3": [3, 3], "sizes 4": [4, 7]},
        ),
        ("shape", ["m=64,n=128", "m=32,n=256"], {"shape m": [64, 32], "shape n": [128, 256]}),
        ("case", ["n=64", "n=128"], {"case n": [64, 128]}),
        ("blanks", ["8x4", ""], {"blanks 1": [8, None], "blanks 2": [4, None]}),
    ],
)
def test_numbers_of_extents_stand_beside_the_text(
    name: str, cells: list[str], expected: dict[str, list[float]]
) -> None:
    found = table(f"{name},ms\n" + "".join(f'"{cell}",{i}\n' for i, cell in enumerate(cells)))
    assert values(found)[name] == cells
    assert set(found.names) == {name, "ms", *expected}
    for own, wanted in expected.items():
        np.testing.assert_array_equal(numbers(found, own), np.array(wanted, dtype=float))


@pytest.mark.parametrize(
    ("name", "cells", "found"),
    [
        ("threads", ["serial", "2", "4", "Serial"], ["1", "2", "4", "1"]),
        ("MPI ranks", ["8", "sequential"], ["8", "1"]),
        ("threads", ["01", "08", "16"], ["1", "8", "16"]),
        ("id", ["01", "08", "16"], None),
        ("threads", ["serial", "1", "2"], ["1", "1", "2"]),
        ("threads", ["serial", "2", "max"], None),
        ("n", ["serial", "2", "4"], None),
    ],
)
def test_serial_is_one_of_how_many_ran_at_once(name: str, cells: list[str], found: list[str] | None) -> None:
    read = table(f"{name},ms\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    assert read.columns[0].texts() == (found or cells)
    told = found is not None and not all(map(str.isdecimal, cells))
    assert any("is taken as 1" in warning for warning in read.warnings) == told


@pytest.mark.parametrize(
    "cells",
    [
        ["0x10", "0x20"],  # hexadecimal
        ["8x4", "8x4x2"],
        ["8x4", "auto"],
        ["1,024", "2,048"],
        ["cuda:0", "cuda:1"],
        ["2024-01-02", "2024-01-03"],
        ["1.5x2", "2.5x2"],
        ["sort n=4", "scan n=8"],
    ],
)
def test_other_texts_have_no_extents(cells: list[str]) -> None:
    found = table("what,ms\n" + "".join(f'"{cell}",{i}\n' for i, cell in enumerate(cells)))
    assert found.names == ("what", "ms")


def test_numbers_in_texts_are_those_of_the_whole_in_parts_too(tmp_path: Path) -> None:
    """One part after another, in the units that the first has."""
    rows = [
        f"sort/{2**i}/threads:{i % 3},{i + 1}x{i + 2},{2**i}K,{1.5 * i + 1}{'ms' if i % 2 else 'us'}" for i in range(40)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["name,grid,size,time", *rows, ""]))
    whole = read_table(path)
    parts = list(stream_table(path, block=256))
    assert len(parts) > 3
    assert all((part.names, part.units) == (whole.names, whole.units) for part in parts)
    for place, name in enumerate(whole.names):
        found = [n for part in parts for n in study(part).columns[place].numbers.values]
        np.testing.assert_array_equal(found, study(whole).columns[place].numbers.values, err_msg=name)


def test_sizes_that_are_written_in_another_way_further_down_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("grid,time\n" + "8x4,1.5\n" * 60 + "8x4x2,1.5\n" * 60)
    with pytest.raises(ReadError, match=r"has sizes from line \d+ on that are written in another way"):
        list(stream_table(path, block=128))


@pytest.mark.parametrize(
    ("last", "found"), [("sha256_4096", ("name", "ms", "name number")), ("sha256_1", ("name", "ms"))]
)
def test_names_that_end_in_the_same_numbers_say_a_size(last: str, found: tuple[str, ...]) -> None:
    names = [f"{a}_{n}" for a in ("crc32", "sha256") for n in (64, 512, 4096)][:-1]
    assert table("name,ms\n" + "".join(f"{own},{i}.5\n" for i, own in enumerate([*names, last]))).names == found


@pytest.mark.parametrize(("beside", "found"), [("params", ("t/s", "tokens/s")), ("threads", ("t", "s"))])
def test_t_over_s_is_tokens_a_second_beside_what_language_models_have(beside: str, found: tuple[str, str]) -> None:
    read = table(f"model,{beside},t/s\na,7,131.4\nb,13,74.9\n")
    assert (read.names[2], read.units[2]) == found


def test_a_header_may_have_separators_in_brackets() -> None:
    found = table('kernel,state(mhz,W),size [m,n],ms\ndot,"1890, 110","4,8",2\naxpy,"1845, 90","8,8",3\n')
    assert found.headers == ("kernel", "state(mhz,W)", "size [m,n]", "ms")
    with pytest.raises(ReadError, match="has 3 cells and the header 5"):
        table("a,b(c,d),e,f\n1,2,3\n4,5,6\n")


@pytest.mark.parametrize(("numbers", "left_out"), [([*range(12), *range(10)], True), ([0, 1, 2, 3] * 5, False)])
def test_frames_below_each_other_begin_their_numbers_again(numbers: list[int], *, left_out: bool) -> None:
    text = ",size,ms\n" + "".join(f"{k},{i},{i / 7}\n" for i, k in enumerate(numbers))
    if left_out:
        assert table(text).names == ("size", "ms")
    else:
        with pytest.raises(ReadError, match="column 1 has no name"):
            table(text)


def test_percentiles_are_names_behind_words_and_numbers_are_none() -> None:
    found = table("Name,Request Count,50%,95%\n/a,100,12,20\n/b,130,14,25\n")
    assert found.names == ("Name", "Request Count", "50%", "95%")
    for raw in ("/a,100,50%,95%\n/b,130,40%,93%\n", "a,b,95%,50%\nx,1,2,3\n", "a,50%\nb,40%\n"):
        with pytest.raises(ReadError, match="stands where a column's name is expected"):
            table(raw)


def test_millions_with_points_show_that_a_comma_is_a_decimal_mark() -> None:
    rows = ["1.000;0,04;1.400", "100.000;4,125;140.000", "1.000.000;51,5;1.400.000"]
    found = table("n;Zeit (ms);Vergleiche\n" + "\n".join(rows) + "\n")
    assert numbers(found, "n") == [1e3, 1e5, 1e6]
    assert numbers(found, "Zeit") == [0.04, 4.125, 51.5]
    kept = table("address;Zeit\n192.168.100.101;0,125\n10.0.0.1;0,250\n")
    assert kept.columns[0].texts() == ["192.168.100.101", "10.0.0.1"]


@pytest.mark.parametrize("form", ["{{'n': {}, 'kind': 'gini'}}", '{{"n": {}, "kind": "gini"}}'])
def test_settings_of_a_dictionary_are_columns(form: str) -> None:
    rows = [(form.format(n), n / 7) for n in (50, 100, 200)]
    found = values(table(pd.DataFrame(rows, columns=["params", "time_s"]).to_csv(index=False)))
    assert (found["params n"], found["params kind"]) == (["50", "100", "200"], ["gini"] * 3)
    assert "params n" not in values(table("params,time_s\n\"{'n': open(1)}\",1\n\"{'n': 2}\",2\n"))


def test_a_name_that_is_there_again_is_called_by_the_column_before_it() -> None:
    head = "| Elements | CPU Time | Noise | GPU Time | Noise |\n|---|---|---|---|---|\n"
    found = table(head + "| 1024 | 52.1 us | 3.1% | 48.3 us | 1.9% |\n| 4096 | 86.7 us | 1.9% | 82.7 us | 1.1% |\n")
    assert found.names == ("Elements", "CPU Time", "Noise", "GPU Time", "GPU Time Noise")
    assert "'Noise': there again, and called 'GPU Time Noise' then" in found.warnings[-1]


def test_how_often_each_was_run_is_numbered_beside_statistics_that_are_there_again() -> None:
    head = "| Size | Samples | GPU Time | Noise | Mem BW | Samples | Batch GPU | Noise |\n|---|---|---|---|---|---|---|---|\n"
    rows = "| 2^9 = 512 | 90x | 5.6 us | 8.5% | 800.5 MB/s | 17x | 2.9 us | 1% |\n"
    found = table(head + rows + "| 2^10 = 1024 | 40x | 11.4 us | 3.0% | 1.25 GB/s | 8x | 5.9 us | 2% |\n")
    assert found.names == (
        "Size",
        "Samples 1",
        "GPU Time",
        "Noise",
        "Mem BW",
        "Samples 2",
        "Batch GPU",
        "Batch GPU Noise",
    )
    assert values(found)["Size"] == ["512", "1024"]
    assert [float(text) for text in values(found)["Mem BW"]] == [800.5e6, 1.25e9]
    assert found.units[4] == "B/s"


def test_outcomes_that_are_there_again_are_numbered_and_nothing_else() -> None:
    found = table("n,time (ms),time (ms),sd,sd\n1,2.5,2.4,1,1\n2,4.5,4.4,1,2\n")
    assert found.names == ("n", "time 1", "time 2", "sd 1", "sd 2")
    assert found.units[1:3] == ("ms", "ms")
    assert (
        "'time (ms)', 'sd': there several times, and called 'time 1 (ms)', 'time 2 (ms)', 'sd 1'" in found.warnings[-1]
    )
    for head, name in (("n,tile,tile", "tile"), ("n,time,n", "n")):
        with pytest.raises(ReadError, match=f"two columns are called '{name}'"):
            table(f"{head}\n1,2,3\n")


def test_switches_behind_each_other_are_columns() -> None:
    found = values(table("flags,time_s\n" + "".join(f"{a}{b}1,{1 + a + b}.5\n" for a in (0, 1) for b in (0, 1))))
    assert (found["flags 1"], found["flags 2"]) == (["0", "0", "1", "1"], ["0", "1"] * 2)
    assert "flags 3" not in found
    assert "flags 1" not in values(table("flags,time_s\n10,1.5\n11,2.5\n100,3.5\n"))


def test_an_empty_cell_at_the_end_of_a_row_between_bars_is_kept() -> None:
    head = " query | rows | time_ms\n-------+------+---------\n"
    found = table(f"{head} q1    |   10 |    12.5\n q2    |   20 |\n q3    |   30 |    14.5\n(3 rows)\n")
    assert values(found) == {"query": ["q1", "q2", "q3"], "rows": ["10", "20", "30"], "time_ms": ["12.5", "", "14.5"]}


def test_deviations_that_are_there_again_are_called_by_what_they_belong_to() -> None:
    names = "Operation | Time (us): mean | pop. stdev | CPU time (us): mean | pop. stdev"
    found = table(f"{names}\n---|---|---|---|---\nkeygen | 39.9 | 4.7 | 39.8 | 4.6\nsign | 49.7 | 1.5 | 49.6 | 1.4\n")
    assert found.names[1:] == ("Time mean", "pop. stdev", "CPU time mean", "CPU time (us): mean pop. stdev")
    assert (found.units[1], found.units[3]) == ("us", "us")


def test_what_language_models_do_a_second_are_tokens() -> None:
    found = table(
        "| Quant | Size | Prompt (t/s) | Gen (t/s) |\n|---|---|---|---|\n| Q4 | 4 | 1068.9 | 88.4 |\n| Q8 | 8 | 1053.2 | 56.0 |\n"
    )
    assert (found.names[2:], found.units[2:]) == (("Prompt", "Gen"), ("tokens/s", "tokens/s"))
    assert table("threads,insert (t/s)\n1,20.5\n2,39.5\n").units[1] == "t/s"


def test_how_many_things_a_cell_says_is_a_number() -> None:
    found = table("cores,block,what,time_s\n1 core,512 threads/block,run 1,2.5\n8 cores,256 threads/block,run 2,0.5\n")
    assert values(found) == {
        "cores": ["1", "8"],
        "block": ["512", "256"],
        "what": ["run 1", "run 2"],
        "time_s": ["2.5", "0.5"],
    }
    assert values(table("part,time_s\n12 bolts,2.5\n8 nuts,0.5\n"))["part"] == ["12 bolts", "8 nuts"]


def test_lists_of_numbers_are_repeats_of_what_was_run_and_what_stands_once_holds_for_all() -> None:
    runs = [[2.268, 1.327], [None, None], [3.254, 2.548]]
    found = table(json.dumps({"machine": "c6a.4xlarge", "load_time": 411, "tags": ["a"], "result": runs}))
    assert values(found) == {
        "name": ["result 1", "result 2", "result 3"],
        "machine": ["c6a.4xlarge"] * 3,
        "load_time": ["411"] * 3,
        "tags": ['["a"]'] * 3,
        "run 1": ["2.268", "", "3.254"],
        "run 2": ["1.327", "", "2.548"],
    }
    with pytest.raises(ReadError):
        table(json.dumps({"machine": "c6a", "result": [["a", "b"], ["c", "d"], ["e", "f"]]}))
    with pytest.raises(ReadError):  # sizes of layers
        table(json.dumps({"time": 1.5, "layers": [[64, 64], [128, 64], [128, 128]]}))
    with pytest.raises(ReadError):  # what one run says of its requests
        table(json.dumps({"duration": 1.5, "ttfts": [0.1, 0.2, 0.3], "itls": [[0.1, 0.2], [0.2, 0.1], [0.1, 0.3]]}))


def test_numbers_told_twice_in_bold_and_with_commas_before_a_unit() -> None:
    found = table(
        "| Scale | Rows | Time | Throughput | Memory |\n|---|---|---|---|---|\n"
        "| S | 22,320 | 17.77s | 1,256 rows/sec | 388 MB |\n"
        "| L | 250,000 | **168.39s** (2.81 min) | **1,485 rows/sec** | ~1,800 MB |\n"
    )
    assert dict(zip(found.names, found.units, strict=True))["Throughput"] == "rows/sec"
    assert [numbers(found, name) for name in ("Rows", "Time", "Throughput", "Memory")] == [
        [22320, 250000],
        [17.77, 168.39],
        [1256, 1485],
        [388, 1800],
    ]
    releases = values(table("| release | t |\n|---|---|\n| 3.10.2 (2023) | 1.5 |\n| 3.10.2 (2024) | 2.5 |\n"))
    assert releases["release"] == ["3.10.2 (2023)", "3.10.2 (2024)"]
    european = table("| n | t |\n|---|---|\n| a | 1,256 s |\n| b | 1,485 s |\n")
    assert study(european).columns[1].kind != "number"
    exponents = values(table("n|t|x\na|8,293e-01|2.5\nb|1,686e-01|1.5\n"))
    assert exponents["t"] == ["8,293e-01", "1,686e-01"]


def test_one_setting_in_names_is_a_column_where_all_things_have_the_same_values_of_it() -> None:
    rows = [f"{name}_QD{depth}_run1,{depth * 10.5}\n" for name in ("RandomRead", "RandomWrite") for depth in (1, 2, 4)]
    found = values(table("Jobname,iops\n" + "".join(rows)))
    assert (found["Jobname"], found["Jobname QD"]) == (["RandomRead"] * 3 + ["RandomWrite"] * 3, ["1", "2", "4"] * 2)
    assert "Jobname QD" not in values(table("Jobname,iops\n" + "".join(rows[:5])))
