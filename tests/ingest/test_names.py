"""Headers: one clean name for each column, no two alike."""

import pytest

from core.errors import ReadError
from core.ingest.names import invisible, read_header, shown


def header(*cells: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return read_header("run7.csv", 1, cells)


def test_names_lose_their_unit() -> None:
    assert header("kernel", "time (us)", "clock_mhz") == (("kernel", "time", "clock_mhz"), ("", "us", "MHz"))


def test_names_that_only_units_tell_apart_keep_them() -> None:
    assert header("time (us)", "time (ms)", "n") == (("time (us)", "time (ms)", "n"), ("us", "ms", ""))
    assert header("time", "Time (us)")[0] == ("time", "Time (us)")


def test_names_are_composed_and_on_one_line() -> None:
    assert header("cafe\u0301", "time\n(us)", "  a \t b ") == (("caf\u00e9", "time", "a b"), ("", "us", ""))


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (("a", ""), "column 2 has no name"),
        (("a", "a"), "two columns are called 'a'"),
        (("Time", "time"), "two columns are called 'Time' and 'time'"),
        (("stra\u00dfe", "STRASSE"), "two columns are called"),
        (("caf\u00e9", "cafe\u0301"), "two columns are called"),
        (("a", "3.5"), "'3.5' stands where a column's name is expected"),
        (("a", "1,234"), "stands where"),
        (("a", "n/a"), "stands where"),
        (("a", "<not counted>"), "stands where"),
        (("a", "0x1F"), "stands where"),
        (("a\u200bb", "c"), r"invisible character U\+200B"),
        (("a\u202eb", "c"), r"invisible character U\+202E"),
        (("a" * 501, "c"), "501 characters"),
    ],
)
def test_headers_that_are_refused(cells: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ReadError, match=sentence):
        header(*cells)


def test_what_alone_tells_names_apart_is_no_unit() -> None:
    assert header("time (CPU)", "time (GPU)", "n") == (("time (CPU)", "time (GPU)", "n"), ("", "", ""))
    assert header("time (ms)", "time (s)") == (("time (ms)", "time (s)"), ("ms", "s"))
    assert header("result (images/s)", "result (queries/s)")[1] == ("images/s", "queries/s")


def test_invisible_characters() -> None:
    assert invisible("plain text") == ""
    assert invisible("gemm<float, 4>(é, 中, 😀)") == ""
    assert invisible("a\u00adb") == "U+00AD"
    assert invisible("a\tb") == "U+0009"
    assert invisible("a\tb", allowed="\t") == ""


def test_long_texts_are_shortened() -> None:
    assert shown("x" * 100) == "x" * 59 + "…"
