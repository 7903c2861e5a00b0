"""Extra-P's JSON lines: repeats, what a line may leave out, lists of values, and files that are damaged."""

from pathlib import Path

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, names, read, readers_of, refusal, skipped, told

LINES = """{"params":{"x":20,"y":1},"metric":"time","callpath":"a->b","value":82.5}
{"params":{"x":20,"y":1},"metric":"time","callpath":"a->b","value":81.5}

{"params":{"y":1,"x":30},"metric":"time","callpath":"a->b","value":184.5}
{"params":{"x":20,"y":1},"metric":"visits","callpath":"a->b","value":7}
{"params":{"x":20,"y":1},"metric":"time","callpath":"c","value":[1.5,2.5]}
"""


def scaled(text: str, name: str = "run.jsonl"):
    return read(text, "extrap_jsonl", name)


def test_repeated_lines_are_repeats() -> None:
    found = scaled(LINES)
    assert found.trials.application == ("a->b", "a->b", "a->b", "c", "c")
    assert column(found, "x") == [20, 20, 30, 20, 20]
    assert column(found, "y") == [1, 1, 1, 1, 1]
    assert column(found, "time_s") == [82.5, 81.5, 184.5, 1.5, 2.5]
    assert column(found, "visits")[:2] == [7, 7]  # a count that is written once holds for all repeats
    assert [kind(found, name) for name in ("x", "time_s", "visits")] == [Kind.PARAMETER, Kind.RESPONSE, Kind.COUNTER]
    assert found.trials.where == (
        "line 1, repeat 1",
        "line 1, repeat 2",
        "line 4",
        "line 6, repeat 1",
        "line 6, repeat 2",
    )


def test_call_path_and_metric_may_be_left_out() -> None:
    found = scaled('{"params":{"x":1},"value":2}\n{"params":{"x":2},"callpath":"<root>","value":3}\n', "sweep.jsonl")
    assert found.trials.application == ("sweep", "sweep")
    assert column(found, "<default>") == [2, 3]
    assert kind(found, "<default>") is Kind.RESPONSE
    assert "does not name its metric" in told(found)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"params":{"x":1},"metric":"time","value":2}', "parameters 'x', expected 'x', 'y' as in the lines above"),
        ('{"params":{"x":1,"y":"many"},"metric":"time","value":2}', "a parameter or value is no finite number"),
        ('{"params":{"x":1,"y":2},"metric":"time","value":NaN}', "a parameter or value is no finite number"),
        ('{"params":{"x":1,"y":2},"metric":"time"}', "no object with 'params' and 'value'"),
        ('{"params":{"x":1,"y":2},"metric":"time","val', "no whole JSON object"),
        ("[1, 2]", "no object with 'params' and 'value'"),
    ],
    ids=range(6),
)
def test_lines_that_are_not_whole_are_skipped(line: str, why: str) -> None:
    found = scaled(LINES + line)
    assert skipped(found) == [f"line 7: {why}"]
    assert len(found.trials) == 5


def test_a_file_without_a_measurement_is_refused() -> None:
    assert "holds no measurements" in refusal('{"params":{"x":1},"value":"no"}\n', "extrap_jsonl")


@pytest.mark.parametrize(
    "text",
    [
        '{"params":[1],"value":2}\n',
        '{"value":2}\n',
        '[{"params":{"x":1},"value":2}]',
        '\n{"a":1}\n{"params":{"x":1},"value":2}\n',
    ],
)
def test_other_lines_are_not_extra_ps(text: str) -> None:
    assert "extrap_jsonl" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(LINES, "extrap_jsonl")


@pytest.mark.parametrize(
    ("file", "n_trials", "application", "first"),
    [
        ("extended1.jsonl", 125, "test", [1, 1, 2]),
        ("json_test_input.jsonl", 25, "json_test_input", [20, 82.00848518948744]),
    ],
)
def test_real_files(real_data: Path, file: str, n_trials: int, application: str, first: list[float]) -> None:
    found = scaled((real_data / "formats/extrap" / file).read_text(), file)
    assert len(found.trials) == n_trials
    assert found.trials.application[0] == application
    assert found.trials.values[0].tolist() == first
    assert names(found)[-1] == "metr"
