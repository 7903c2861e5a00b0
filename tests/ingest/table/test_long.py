"""Tables of one metric a row are trials with the metrics side by side, where rows of a trial can be told."""

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.table.table import Table, read_table


def table(text: str) -> Table:
    return read_table(SourceFile("t.csv", text.encode()))


def rows(found: Table) -> list[tuple[str, ...]]:
    return list(zip(*(cells.texts() for cells in found.columns), strict=True))


def test_rows_of_a_run_are_one_trial_with_units_by_metric() -> None:
    found = table(
        "app,threads,metric,value,unit\n"
        "lu,1,time,3.5,ms\nlu,1,misses,70,\ncg,1,misses,11,\nlu,2,time,1.9,ms\nlu,2,misses,71,\ncg,1,time,4,ms\n"
    )
    assert found.names == ("app", "threads", "time", "misses")
    assert found.units == ("", "", "ms", "")
    assert rows(found) == [("lu", "1", "3.5", "70"), ("cg", "1", "4", "11"), ("lu", "2", "1.9", "71")]
    assert found.lines.tolist() == [2, 4, 5]
    assert found.warnings == ("t.csv: one metric stands on each row: 6 rows are 3 trials of 2 metrics.",)


def test_a_metric_that_comes_again_is_a_repeat_and_one_that_is_missing_is_empty() -> None:
    found = table("app,variable,value\nlu,a,1\nlu,b,2\nlu,a,3\nlu,b,4\nlu,c,9\ncg,a,5\n")
    assert rows(found) == [("lu", "1", "2", "9"), ("lu", "3", "4", ""), ("cg", "5", "", "")]


def test_what_tells_of_a_metric_or_of_each_row_alone_keeps_no_rows_apart() -> None:
    lines = [
        f"{n},{app},{m},{n * 7},{what}"
        for n, (app, m, what) in enumerate(
            (app, m, what)
            for app in ("lu", "cg", "mg")
            for m, what in (("cycles", "of the core"), ("loads", "of memory"))
        )
    ]
    found = table("stamp,app,event,value,description\n" + "\n".join(lines) + "\n")
    assert found.names == ("app", "cycles", "loads")
    assert rows(found) == [("lu", "0", "7"), ("cg", "14", "21"), ("mg", "28", "35")]
    assert "stamp, description tell of single metrics" in found.warnings[1]


@pytest.mark.parametrize("text", ["app,metric,value,min\na,x,1,0\na,y,2,1\n", "app,metric,value\na,x,1\nb,y,2\n"])
def test_rows_that_do_not_belong_together_are_refused(text: str) -> None:
    with pytest.raises(ReadError, match="one counter on each row"):
        table(text)


def test_a_table_that_is_only_named_alike_is_left_as_it_is() -> None:
    found = table("variable,value,time\na,1,3.5\nb,2,4.25\na,3,9.5\n")
    assert found.names == ("variable", "value", "time")
    assert len(found) == 3


def test_values_in_several_units_are_a_column_for_each() -> None:
    found = table("model,Result,Units\na,7.5,Samples/s\na,90.25,Latency (ms)\nb,8,Samples/s\n")
    assert (found.names, found.units) == (("model", "Result", "Result Latency", "Units"), ("", "Samples/s", "ms", ""))
    assert rows(found)[:2] == [("a", "7.5", "", "Samples/s"), ("a", "", "90.25", "Latency (ms)")]
    assert "Samples/s, Latency (ms)" in found.warnings[0]


def test_values_in_several_units_of_one_dimension_are_in_that_of_most_rows() -> None:
    found = table(
        "name,real_time,items,stddev,time_unit\na,1.5,7,0.25,ms\nb,13.7,8,3,us\nc,0.5,9,,us\n"
        "d,4e5,1,1e3,ns\ne,fail,1,,ns\n"
    )
    assert rows(found) == [
        ("a", "1500", "7", "250", "us"),
        ("b", "13.7", "8", "3", "us"),
        ("c", "0.5", "9", "", "us"),
        ("d", "400", "1", "1", "us"),
        ("e", "fail", "1", "", "us"),
    ]
    assert "ms in us, ns in us" in found.warnings[0]
    assert rows(table("name,score,unit\na,2,us/op\nb,3,ms/op\nc,4,us/op\n"))[1] == ("b", "3000", "us/op")
    for kept in (
        "a,time,unit\nx,1,ms\ny,2,us\nz,3,core\n",  # a core is no unit
        "a,time,unit\nx,1,ms\ny,2,ms\nz,'1,200',us\n".replace("'", '"'),
        "a,time,value_ms,unit\nx,1,1,J\ny,2,1,mJ\n",  # nothing here is an energy
        "a,value,unit\nx,1,KB\ny,2,KB\nz,3,MB\n",  # of 1000 or of 1024
    ):
        assert not any("converted" in told for told in table(kept).warnings)


def test_rows_of_profilers_beside_benchmarks_are_left_out_where_their_units_differ() -> None:
    own = "Benchmark,Score,Unit\ns.f,150,ops/ms\ns.f:·gc.time,256,ms\ns.f:in,9,ops/s\ns.g,7,ops/ms\n"
    found = table(own)
    assert [row[1] for row in rows(found)] == ["150", "0.009", "7"]
    assert "1 row in ms, of what ran beside benchmarks, left out" in found.warnings[0]
    assert {row[2] for row in rows(found)} == {"ops/ms"}
    assert len(table(own.replace("7,ops/ms", "7,core"))) == 4


def test_numbers_at_the_end_of_names_are_columns() -> None:
    found = table(
        "name,threads,real_time\nsort/64/threads:2,2,1.5\nsort/128/threads:4,4,2.5\nfind/64/threads:2,2,0.5\n"
    )
    assert found.names == ("name", "threads", "real_time", "argument 1")
    assert rows(found)[0] == ("sort", "2", "1.5", "64")
    apart = "name,real_time\nsort/64,1.5\nfind/64/8,2.5\n"
    assert table(apart).names == ("name", "real_time")
