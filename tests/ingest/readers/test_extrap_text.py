"""Extra-P's text format: points in each notation, regions, metrics, comments, and files that are damaged."""

from pathlib import Path

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, metric, names, read, readers_of, refusal, skipped, told
from tests.ingest.tool_files import value as value_of

ONE = """# measured on a quiet machine
PARAMETER p
POINTS ( 4 ) ( 8 )

REGION main->solve
METRIC time
DATA 8.5 8.25 8.75
DATA 22.5 23.5
METRIC visits
DATA 10 10 10
DATA 20 20
REGION main->write
METRIC time
DATA 1 2
DATA 3 4
"""
TWO = "PARAMETER x\nPARAMETER y\n\nPOINTS ( 20 1 ) ( 20 2 )\nPOINTS ( 30 1 )\nREGION reg\nMETRIC metr\nDATA 1.5 2.5\nDATA 3.5 4.5\nDATA 5.5 6.5\n"


def scaled(text: str, name: str = "lulesh.txt"):
    return read(text, "extrap_text", name)


def test_a_region_a_point_and_a_repeat_are_a_trial() -> None:
    found = scaled(ONE)
    assert len(found.trials) == 3 + 2 + 2 + 2
    assert found.trials.application == ("main->solve",) * 5 + ("main->write",) * 4
    assert column(found, "p") == [4, 4, 4, 8, 8, 4, 4, 8, 8]
    assert column(found, "time_s") == [8.5, 8.25, 8.75, 22.5, 23.5, 1, 2, 3, 4]
    assert found.trials.where[:4] == ("line 7, repeat 1", "line 7, repeat 2", "line 7, repeat 3", "line 8, repeat 1")


def test_the_kth_value_of_each_metric_is_one_execution() -> None:
    found = scaled(ONE)
    assert column(found, "visits")[:5] == [10, 10, 10, 20, 20]
    assert [k.value for k in (kind(found, "p"), kind(found, "time_s"), kind(found, "visits"))] == [
        "parameter",
        "response",
        "counter",
    ]
    assert metric(found, "time_s").unit == "s"
    assert "'time' is read in seconds" in told(found)


def test_several_parameters() -> None:
    found = scaled(TWO)
    assert column(found, "x") == [20, 20, 20, 20, 30, 30]
    assert column(found, "y") == [1, 1, 2, 2, 1, 1]
    assert column(found, "metr") == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert kind(found, "metr") is Kind.RESPONSE


@pytest.mark.parametrize(
    "points",
    [
        "POINTS 1000 2000\nPOINTS 4000",
        "POINTS (1000) (2000) (4000)",
        "POINTS (1000)(2000)( 4000 )",
        "POINTS ((1000)) ((2000)) ((4000))",
        "POINTS\t1e3\t2000 4000.0",
    ],
)
def test_points_of_one_parameter(points: str) -> None:
    assert column(scaled(f"PARAMETER p\n{points}\nREGION r\nDATA 1\nDATA 2\nDATA 3\n"), "p") == [1000, 2000, 4000]


@pytest.mark.parametrize(
    "points",
    [
        "( 1 2 ) ( 3 4 )",
        "(1 2)(3 4)",
        "((1) (2)) ((3) (4))",
        "( ( 1 ) ( 2 ) ) ( ( 3 ) ( 4 ) )",
        "(1, 2) (3, 4)",
        "(1 2)  (3 4)",
    ],
)
def test_points_of_two_parameters(points: str) -> None:
    found = scaled(f"PARAMETER p n\nPOINTS {points}\nREGION r\nDATA 1\nDATA 2\n")
    assert (column(found, "p"), column(found, "n")) == ([1, 3], [2, 4])


def test_without_region_and_metric() -> None:
    found = scaled("PARAMETER p\nPOINTS 1 2\nDATA\t4.5\nDATA\t5.5\n", "sweep.txt")
    assert found.trials.application == ("sweep", "sweep")
    assert column(found, "<default>") == [4.5, 5.5]
    assert "does not name its metric" in told(found)


def test_a_metric_above_its_regions_and_comments_between() -> None:
    text = "PARAMETER p\nPOINTS 1 2\nMETRIC time\nREGION a b\n# formula: 1 + p\nDATA 1\nDATA 2\n\nREGION c\nDATA 3\nDATA 4\n"
    found = scaled(text)
    assert found.trials.application == ("a b", "a b", "c", "c")
    assert column(found, "time_s") == [1, 2, 3, 4]


def test_fewer_lines_than_points_are_said() -> None:
    found = scaled(TWO.replace("DATA 5.5 6.5\n", ""))
    assert skipped(found) == ["line 7: 'reg', 'metr': only 2 of 3 points have DATA"]
    assert len(found.trials) == 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TWO + "DATA 7\n", "line 11: there are more lines of DATA than the 3 POINTS"),
        (TWO.replace("3.5 4.5", "3.5 n/a"), "line 9: DATA holds '3.5 n/a', expected finite numbers"),
        (TWO.replace("3.5 4.5", "3.5 inf"), "expected finite numbers"),
        (
            TWO.replace("( 30 1 )", "( 30 )"),
            "line 5: POINTS are '( 30 )', expected 2 numbers in brackets for each point",
        ),
        (TWO.replace("( 30 1 )", "30 1"), "expected 2 numbers in brackets"),
        (TWO.replace("METRIC", "MEASURE"), "line 7: 'MEASURE' is no field of Extra-P"),
        ("POINTS 1 2\nPARAMETER p\n", "POINTS stand above the first PARAMETER"),
        (TWO + "PARAMETER z\n", "PARAMETER stands below POINTS"),
        ("PARAMETER p\nPOINTS 1 2\n", "holds no measurements"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused(text: str, sentence: str) -> None:
    assert sentence in refusal(text, "extrap_text")


@pytest.mark.parametrize("cut", ["DATA 5.5", "DAT", "DATA 5.5 6e"])
def test_a_file_cut_off_gives_what_is_whole(cut: str) -> None:
    found = scaled(TWO[: TWO.index("DATA 5.5")] + cut)
    assert column(found, "metr")[:4] == [1.5, 2.5, 3.5, 4.5]
    assert cut == "DATA 5.5" or skipped(found)[0] == "line 10: the file breaks off here"


def test_windows_line_ends_and_tabs() -> None:
    assert value_of(scaled(ONE.replace("\n", "\r\n").replace("DATA ", "DATA\t")), "time_s") == 8.5


@pytest.mark.parametrize(
    "text", ["PARAMETER = 3\n", "POINTS 1 2\n", "x PARAMETER p\nPOINTS 1\n", "PARAMETER p\nDATA 1\n"]
)
def test_other_texts_are_not_extra_ps(text: str) -> None:
    assert "extrap_text" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(ONE, "extrap_text")
    check_damaged(TWO, "extrap_text", seed=1)


def test_a_real_file(real_data: Path) -> None:
    found = scaled((real_data / "formats/extrap/input_data_2p.txt").read_text(), "input_data_2p.txt")
    assert (len(found.trials), names(found)) == (125, ["x", "y", "metr"])
    assert found.trials.values[0].tolist() == [20, 1, 1.007912824061828]
    assert found.trials.values[-1].tolist() == [60, 5, 1641.8554614544396]
    assert set(found.trials.application) == {"reg"}
