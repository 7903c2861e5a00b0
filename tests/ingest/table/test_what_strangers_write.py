"""How people fill tables: a name over several columns, thousands, remarks, names of unequal numbers of arguments."""

import pytest

from core.errors import ReadError
from core.ingest import SourceFile, read_table
from core.ingest.table.columns import study
from core.ingest.table.table import Table


def read(text: str, name: str = "run7.csv") -> Table:
    return read_table(SourceFile(name, text.encode()))


def test_a_name_above_several_columns_goes_on_over_those_without_one() -> None:
    table = read("app,n,mean time,times,,,\na,1,2.5,2.4,2.5,2.6,\nb,2,4.5,4.4,4.5,4.6,\n")
    assert table.names == ("app", "n", "mean time", "times 1", "times 2", "times 3")


@pytest.mark.parametrize("text", ["app,t,\na,1.5,3\nb,2.5,4\n", "app,t,,\na,1.5,x,y\nb,2.5,z,w\n"])
def test_one_column_without_a_name_and_texts_without_one_are_refused(text: str) -> None:
    with pytest.raises(ReadError, match="column 3 has no name"):
        read(text)


def test_numbers_with_no_comma_one_or_two_have_them_between_thousands() -> None:
    rows = [
        ("bwt", "2,889,616", "604,400", "34.47"),
        ("hwb", "827,072", "90,975", "11.67"),
        ("ghz", "886", "126", "0.11"),
    ]
    table = read(
        "| a | Gates | CZ | t (s) |\n|--|--|--|--|\n" + "".join(f"| {' | '.join(r)} |\n" for r in rows), "run7.md"
    )
    assert study(table).columns[1].numbers.values.tolist() == [2_889_616, 827_072, 886]
    assert study(table).columns[2].numbers.values.tolist() == [604_400, 90_975, 126]


def test_a_remark_with_a_typographical_minus_is_left_out() -> None:
    table = read("| n | out tok/s |\n|--|--|\n| 1 | **18.33** (+45 %) |\n| 2 | **15.88** (−2 %) |\n", "run7.md")
    assert study(table).columns[1].numbers.values.tolist() == [18.33, 15.88]


def test_words_in_brackets_behind_a_number_are_a_remark() -> None:
    cells = ("21.3", "452.8 (b32 via 64-prompt run)", "17.9 (from older runs, may hit 64K)")
    table = read("| n | tok/s |\n|--|--|\n" + "".join(f"| {i} | {cell} |\n" for i, cell in enumerate(cells)), "run7.md")
    assert study(table).columns[1].numbers.values.tolist() == [21.3, 452.8, 17.9]
    named = read("| n | tok/s |\n|--|--|\n| 1 | 2 (two cores) |\n| 2 | many (all cores) |\n", "run7.md")
    assert named.columns[1].texts() == ["2 (two cores)", "many (all cores)"]


def test_names_of_one_family_may_lack_the_last_arguments_of_another() -> None:
    cases = [f"axpy_parallel/{n}/{t},{n / t}" for n in (1024, 4096) for t in (2, 4)]
    cases += [f"axpy_baseline/{n},{n}" for n in (1024, 4096)]
    table = read("name,time_ns\n" + "\n".join(cases) + "\n")
    columns = dict(zip(table.names, (c.texts() for c in table.columns), strict=True))
    assert columns["name"][-1] == "axpy_baseline"
    assert columns["argument 1"] == ["1024", "1024", "4096", "4096", "1024", "4096"]
    assert columns["argument 2"] == ["2", "4", "2", "4", "", ""]
    other = read("name,time_ns\na/x:1/y:2,3.5\nb/y:3,4.5\n")
    assert other.names == ("name", "time_ns")


def test_commas_part_cells_and_stand_before_decimals_where_each_row_has_a_cell_more_for_each_number() -> None:
    text = "Timestamp,Power (W)\n" + "".join(f"2025-02-18 15:16:{i:02},{30 + i},{i % 10}\n" for i in range(12))
    table = read(text)
    assert table.names == ("Timestamp", "Power")
    assert study(table).columns[1].numbers.values[:3].tolist() == [30, 31.1, 32.2]
    assert "commas part the cells and stand before decimals" in table.warnings[0]
    rows = "".join(f"run{i},{30 + i},{10 + i}\n" for i in range(12))
    table = read("time,energy\n" + rows)
    assert study(table).columns[table.find("time")].numbers.values[:2].tolist() == [30, 31]


def test_rates_in_multiples_of_a_unit_below_a_header_of_two_rows_are_numbers_in_the_least() -> None:
    cells = [("330.5 GFlops", "641.25 GFlops"), ("1.5 TFlops", "3.857 TFlops"), ("7.21 TFlops", "13.02 TFlops")]
    head = "<tr><th rowspan=2>Size</th><th colspan=2>FP32</th></tr><tr><th>best</th><th>vendor</th></tr>"
    rows = "".join(f"<tr><td>{2**i}</td><td>{a}</td><td>{b}</td></tr>" for i, (a, b) in enumerate(cells, 7))
    table = read(f"<table>\n{head}\n{rows}\n</table>\n", "gemm.md")
    assert table.names == ("Size", "FP32 best", "FP32 vendor")
    columns = study(table).columns
    assert columns[1].numbers.values.tolist() == [330.5, 1500, 7210]
    assert columns[1].unit == "GFlops"


def test_a_list_of_objects_in_each_object_is_a_row_for_each_of_them() -> None:
    runs = '[{{"batch": 1, "name": "a", "ms": {0}.5}}, {{"batch": 8, "name": "b", "ms": {0}.9}}]'
    found = read(
        f'[{{"gpu": "T4", "name": "net", "runs": {runs.format(3)}}}, '
        f'{{"gpu": "A10", "name": "net", "runs": {runs.format(1)}}}]',
        "run7.json",
    )
    assert found.names == ("gpu", "name", "batch", "runs.name", "ms")
    assert list(found.columns[0].texts()) == ["T4", "T4", "A10", "A10"]
    assert list(found.columns[3].texts()) == ["a", "b", "a", "b"]
    assert found.lines.tolist() == [1, 1, 2, 2]
    assert "runs" in read('[{"gpu": "T4", "ms": 3, "runs": [1, 2]}, {"gpu": "A10", "ms": 4, "runs": []}]').names


def test_tables_between_fences_of_a_document_are_tables() -> None:
    rows = "```csv\n# ./scan --csv\nthreads, time_s\n1,{0}.5\n2,{0}.3\n4,{0}.2\n```\n"
    table = read(
        f"# Runs\n\n```sh\nmake a, b\n```\n## plain\n{rows.format(7)}\n## tiled\n\n{rows.format(3)}", "run7.md"
    )
    assert table.names == ("heading", "threads", "time_s")
    assert list(table.columns[0].texts()) == ["plain"] * 3 + ["tiled"] * 3
    assert table.lines.tolist() == [10, 11, 12, 20, 21, 22]
    alone = read(f"{rows.format(7)}\n```csv\na,b\n1,2\n3,4\n```\n", "run7.md")
    assert (alone.names, len(alone)) == (("threads", "time_s"), 3)
    assert "1 more below it were not" in alone.warnings[0]
    with pytest.raises(ReadError, match="seems to be text"):
        read("# Use\n\n```c\nf(1, 2);\ng(a, b, c);\nh(0);\n```\nand so on\n", "run7.md")


def test_counts_above_and_below_a_thousand_have_commas_between_thousands_in_documents() -> None:
    rows = [("1", "0.041"), ("97", "0.034"), ("177", "0.039"), ("2,753", "0.198"), ("13,377", "3.047")]
    table = read("| Nodes | t (ms) |\n|--|--|\n" + "".join(f"| {a} | {b} |\n" for a, b in rows), "run7.md")
    assert study(table).columns[0].numbers.values.tolist() == [1, 97, 177, 2753, 13_377]
    doubtful = [("1200", "0.041"), ("97", "0.034"), ("2,753", "0.198"), ("13,377", "3.047")]
    table = read("| Nodes | t (ms) |\n|--|--|\n" + "".join(f"| {a} | {b} |\n" for a, b in doubtful), "run7.md")
    assert study(table).columns[0].kind == "ambiguous"


def test_few_words_among_speed_ups_are_missing_values() -> None:
    rows = [(t, "to do" if t == 7 else f"{t**0.5:.2f}x") for t in (1, 2, 3, 4, 6, 7, 8, 10, 12)]
    table = read("threads,speedup\n" + "".join(f"{t},{x.replace(' ', '')}\n" for t, x in rows))
    assert study(table).columns[1].numbers.n_numbers == 8


def test_a_word_in_brackets_that_remarks_on_a_name_is_no_unit() -> None:
    table = read("n,cost (experimental),time (ms),work (flop)\n1,2,3,4\n2,3,4,5\n")
    assert table.names == ("n", "cost (experimental)", "time", "work")
    assert table.units == ("", "", "ms", "flop")


def test_what_was_measured_and_number_formats_are_no_units_in_brackets() -> None:
    table = read("n,MACs (Measured),DRAM (Est/Run),Triton (FP16),work (Mops)\n1,2,3,4,5\n2,3,4,5,6\n")
    assert table.names == ("n", "MACs (Measured)", "DRAM (Est/Run)", "Triton (FP16)", "work")
    assert table.units == ("", "", "", "", "Mops")


def test_lists_of_objects_under_names_and_json_in_a_script_are_tables() -> None:
    rows = '[{{"n": 8, "ms": {0}.5}}, {{"n": 16, "ms": {0}.9}}]'
    found = read(f'{{"cpu": {rows.format(3)}, "gpu": {rows.format(1)}}}', "run7.json")
    assert found.names == ("name", "n", "ms")
    assert list(found.columns[0].texts()) == ["cpu", "cpu", "gpu", "gpu"]
    script = read(
        f'window.RUNS = {{"entries": {{"net": [{{"tool": "go", "benches": {rows.format(3)}}}]}}}};\n', "data.js"
    )
    assert script.names == ("name", "tool", "n", "ms")
    assert list(script.columns[2].texts()) == ["8", "16"]
    with pytest.raises(ReadError, match="seems to be JSON"):
        read('{"cpu": [{"n": 8}, {"n": 16}], "gpu": [{"ms": 1.5}, {"ms": 1.9}]}', "run7.json")


def test_zeros_behind_a_comma_show_that_it_stands_between_thousands() -> None:
    rows = "".join(f"| {n},382,064 | {n}.5 |\n" for n in (62, 104))
    table = read(f"| DRAM | t (ms) |\n|--|--|\n{rows}", "run7.md")
    assert study(table).columns[0].numbers.values.tolist() == [62_382_064, 104_382_064]
    items = read("| tile | t (ms) |\n|--|--|\n| 128,256,512 | 6.5 |\n| 256,128,512 | 7.5 |\n", "run7.md")
    assert study(items).columns[0].kind == "ambiguous"


def test_whole_numbers_below_1000_beside_others_with_a_comma_need_no_decimal_point() -> None:
    cells = ("250", "245", "105", "2,100")
    table = read("| rows | us |\n|--|--|\n" + "".join(f"| r{i} | {c} |\n" for i, c in enumerate(cells)), "run7.md")
    assert study(table).columns[1].numbers.values.tolist() == [250, 245, 105, 2100]


def test_a_column_of_signs_without_a_name_holds_nothing() -> None:
    table = read(
        "| case | mean | | sd |\n|--|--|--|--|\n| a | 3.5 us | ± | 0.2 us |\n| b | 4.5 us | ± | 0.1 us |\n", "run7.md"
    )
    assert table.names == ("case", "mean", "sd")


def test_a_word_in_brackets_behind_a_unit_is_a_remark() -> None:
    table = read("| case | t (ms) |\n|--|--|\n| a | 1740ms |\n| b | ~800ms (cold) |\n| c | **17ms** |\n", "run7.md")
    assert study(table).columns[1].numbers.values.tolist() == [1740, 800, 17]


def test_a_serial_run_beside_one_thread_ran_on_one() -> None:
    table = read("threads,t\nSerial,8.1\n1,8.0\n2,4.1\n4,2.2\n")
    assert study(table).columns[0].numbers.values.tolist() == [1, 1, 2, 4]


def test_a_line_directly_above_a_table_of_a_document_is_its_title() -> None:
    rows = "|       | 800px | 1600px |\n|---|---|---|\n| one | 9.83s | 37.96s |\n| two | 6.93s | 22.55s |\n"
    found = read_table(SourceFile("views.md", f"## Python\n\nFull view\n{rows}\nSub view\n{rows}".encode()))
    assert found.names == ("heading", "column_1", "800px", "1600px")
    assert [*found.columns[0].texts()] == ["Full view"] * 2 + ["Sub view"] * 2


def test_rates_in_thousands_keep_their_unit() -> None:
    rows = "server,Req/s Avg\na,110.97k\nb,105.19k\nc,996.5\n"
    found = read_table(SourceFile("load.csv", rows.encode()))
    assert [*found.columns[1].texts()] == ["110970.00", "105190.00", "996.5"]
    assert found.units[1] == "requests/s"


def test_units_in_a_column_beside_belong_to_the_numbers_of_the_column_that_it_is_called_after() -> None:
    rows = [(1, "KB", "1.5", "ms"), (64, "KB", "900", "us"), (1, "MB", "3", "ms"), (16, "MB", "0.1", "seconds")]
    text = "op,size,size_unit,wait,Wait Unit\n" + "".join(f"put,{','.join(map(str, row))}\n" for row in rows)
    columns = study(read(text)).columns
    assert columns[1].numbers.values.tolist() == [1024, 65_536, 1_048_576, 16_777_216]
    assert (columns[1].unit, columns[3].unit, columns[2].kind) == ("B", "us", "empty")
    assert columns[3].numbers.values.tolist() == [1500, 900, 3000, 100_000]
    unknown = study(read("op,load,load_unit\n" + "a,1,LSU\nb,2,ALU\nc,3,LSU\n")).columns
    assert (unknown[1].unit, unknown[2].kind) == ("", "text")
    valued = study(read("op,took_value,took_unit\n" + "a,1,ms\nb,2,s\nc,3,s\n")).columns
    assert (valued[1].unit, valued[1].numbers.values.tolist()) == ("ms", [1, 2000, 3000])
    nested = study(read("op,metrics.task_clock.point,metrics.task_clock.unit\n" + "a,11,ms\nb,22,ms\n")).columns
    assert (nested[1].unit, nested[1].numbers.values.tolist()) == ("ms", [11, 22])
    several = study(read("op,result,result_unit\n" + "a,1,ms\nb,2,W\nc,3,s\n")).columns
    assert (several[1].kind, several[2].kind) == ("number", "text")


def test_numbers_in_several_units_of_one_kind_are_in_the_least() -> None:
    rows = [("800 MHz", "900 mW", "3 GB"), ("1.2 GHz", "1.4 W", "1 GiB"), ("1.6 GHz", "1.6 W", "2 GB")]
    columns = study(read("clock,power,moved\n" + "".join(f"{','.join(row)}\n" for row in rows))).columns
    assert (columns[0].unit, columns[0].numbers.values.tolist()) == ("MHz", [800, 1200, 1600])
    assert (columns[1].unit, columns[1].numbers.values.tolist()) == ("mW", [900, 1400, 1600])


def test_counts_beyond_what_a_float_holds_exactly_are_rounded_and_told_of() -> None:
    rows = [("a1", 2**53 + 1, 2**60 + 7), ("b2", 12, 3), ("c3", 2**54 + 3, 5)]
    found = study(read("hash,cycles,seed\n" + "".join(f"{h},{c},{o}\n" for h, c, o in rows)))
    assert found.columns[1].numbers.values.tolist() == [2.0**53, 12, 2.0**54 + 4]
    assert (found.columns[1].kind, found.columns[2].kind) == ("number", "identifier")
    assert found.warnings == ("run7.csv: cycles: integers beyond 2^53 are rounded to the nearest of 64 bits.",)
    for name in ("flops", "dram_bytes", "fp_ops", "macs"):
        assert study(read(f"app,{name}\na,{2**53 + 1}\nb,{2**60 + 7}\n")).columns[1].rounded
    assert study(read(f"app,order\na,{2**53 + 1}\nb,{2**60 + 7}\n")).columns[1].kind == "identifier"


@pytest.mark.parametrize(
    ("name", "cells", "values", "unit"),
    [
        ("time_ms", ("91", "1 015", "12 345.5"), [91, 1015, 12_345.5], "ms"),
        ("time_ms", ("6.300000D-01", "1.601200D+00", "2"), [0.63, 1.6012, 2], "ms"),
        ("time", ("0:00:00.6663", "0:00:12", "0:01:01.5"), [0.6663, 12, 61.5], "s"),
    ],
)
def test_numbers_as_fortran_others_and_differences_of_times_print_them(
    name: str, cells: tuple[str, ...], values: list[float], unit: str
) -> None:
    column = study(read(f"app,{name}\n" + "".join(f"a{i},{cell}\n" for i, cell in enumerate(cells)))).columns[1]
    assert (column.numbers.values.tolist(), column.unit) == (values, unit)


def test_blanks_and_colons_of_what_was_not_measured_stay() -> None:
    columns = study(read("grid,start\n" + "128 256,0:12:01\n256 512,0:13:05\n512 512,9:14:00\n")).columns
    assert [column.kind for column in columns] == ["text", "text"]


def test_columns_of_doubles_between_blanks_are_a_table() -> None:
    rows = "".join(f"mg{i % 2} {2**i} {i}.5D-01\n" for i in range(6))
    assert study(read(f"name size time\n{rows}")).columns[2].numbers.values.tolist()[:3] == [0.05, 0.15, 0.25]
