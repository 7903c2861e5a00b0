"""Where the table begins, and what separates its cells."""

import re

import pytest

from core.errors import ReadError
from core.ingest.table import dialect
from core.ingest.table.dialect import Start, find_separator, find_start, refuse_long_lines


def separator(text: str) -> str:
    raw = text.encode()
    return find_separator("run7.csv", raw, find_start("run7.csv", raw))


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_each_separator(mark: str) -> None:
    assert separator(f"a{mark}b\n1{mark}2\n") == mark


def test_the_mark_that_makes_rows_equal_wins() -> None:
    assert separator("a;b;c\n1,5;2;3\n1;2,25;3\n") == ";"
    assert separator('k,t\n"f<a, b>(c;d)",1\n"g",2\n') == ","
    assert separator("a,b|c,d\n1,2|3,4\n") == ","


def test_two_marks_that_do_equally_well_are_refused() -> None:
    with pytest.raises(ReadError, match="a comma or a semicolon may separate"):
        separator("a,b;c\n1,2;3\n")
    assert separator("sep=;\na,b;c\n1,2;3\n") == ";"


def test_one_column_of_numbers_is_a_table_and_prose_is_none() -> None:
    assert separator("time\n1\n2\n") == ""
    for text in ("Dear all\nplease find the results below\nregards\n", "time\nfast\nslow\n", "just a line", "1\n"):
        with pytest.raises(ReadError, match="seems to be text, not a table"):
            separator(text)


def test_prose_with_commas_is_called_text() -> None:
    prose = "Hello, this is a log\nall fine\nstep 1, 2, 3 done\nno commas\nend, really, the end\nbye\nnow\n"
    with pytest.raises(ReadError, match="seems to be text"):
        separator(prose)


def test_a_quoted_cell_cut_by_the_sample_does_not_matter() -> None:
    text = "a,b\n" + '1,"x\ny"\n' * 300
    assert separator(text) == ","


def test_comments_and_banners_are_skipped_and_told() -> None:
    raw = b"\r\n# started on Sat\n==PROF== Connected\n\n  \na,b\n1,2\n"
    start = find_start("run7.csv", raw)
    assert raw[start.offset :].startswith(b"a,b")
    assert start.line == 6
    assert start.comment == "started on Sat" or start.comment.startswith("==PROF==")
    assert [s.where for s in start.skipped] == ["line 2", "line 3"]
    assert "# started on Sat" in start.skipped[0].why


def test_excels_separator_line() -> None:
    start = find_start("run7.csv", b"sep=;\r\na;b\r\n1;2\r\n")
    assert (start.separator, start.line) == (";", 2)
    assert start.skipped[0].where == "line 1"


def test_messages_alone_are_no_table() -> None:
    with pytest.raises(ReadError, match=r"only 2 lines of comments or messages.*application returned an error"):
        find_start("run7.csv", b"==PROF== Connected\n==ERROR== The application returned an error code (1).\n")


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE html><html>", "<html>", "<?xml version='1.0'?>", '{"a": 1}', "[1, 2]", '[{"a":1}]']
)
def test_markup_is_called_by_its_name(text: str) -> None:
    with pytest.raises(ReadError, match=r"web page|XML|JSON"):
        find_start("run7.csv", b"# comment\n" + text.encode())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<!doctype HTML>\n<title>Log in</title>", "a web page, not a table. If it was downloaded"),
        ("<?xml version='1.0'?>\n<!DOCTYPE html>\n<html>", "a web page, not a table."),
        ("<results><run time='1'/></results>", "XML, which is not read. Let the tool write CSV, JSON"),
        ("<?xml version='1.0'?>\n<Catch2TestRun name='t'>", "XML, which is not read. Give what the tests print"),
        ("<profile>\n<PerformanceEstimates>", "XML, which is not read. Give the report (.rpt)"),
    ],
)
def test_xml_that_a_tool_wrote_is_no_login_page(text: str, told: str) -> None:
    with pytest.raises(ReadError, match=re.escape(f"a.xml seems to be {told}")):
        find_start("a.xml", text.encode())


def test_perf_words_are_no_markup() -> None:
    assert find_start("run7.csv", b"<not supported>,,cycles\n") == Start(0, 1)


def test_long_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "MAX_LINE", 100)
    refuse_long_lines("run7.csv", (b"x" * 99 + b"\n") * 50)
    refuse_long_lines("run7.csv", (b"x" * 100 + b"\r") * 50)
    with pytest.raises(ReadError, match=r"run7.csv line 3 is longer"):
        refuse_long_lines("run7.csv", b"a\nb\n" + b"x" * 101 + b"\nc\n")
    with pytest.raises(ReadError, match=r"run7.csv line 1 is longer"):
        refuse_long_lines("run7.csv", b"x" * 1000)


def test_many_blank_lines_cost_nothing() -> None:
    raw = b"\n" * 5_000_000 + b"a,b\n1,2\n"
    assert find_start("run7.csv", raw).line == 5_000_001
