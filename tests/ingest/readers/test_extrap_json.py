"""Extra-P's JSON: the present form, the older one with numbers for names, and files that are damaged."""

import json
from typing import Any

import pytest

from core.trial import Kind
from tests.ingest.tool_files import (
    check_damaged,
    check_mistyped,
    column,
    kind,
    read,
    readers_of,
    refusal,
    skipped,
    told,
)

PRESENT: dict[str, Any] = {
    "parameters": ["p", "n"],
    "measurements": {
        "main->solve": {
            "time": [{"point": [4, 10], "values": [3.5, 3.25]}, {"point": [8, 10], "values": [5.5]}],
            "visits": [{"point": [4, 10], "values": [7, 7]}],
        },
        "main": {"time": [{"point": [4, 10], "values": [9.5]}]},
    },
}
OLD: dict[str, Any] = {
    "callpaths": [{"id": 1, "name": "sweep"}, {"id": 2, "name": "flat"}],
    "coordinates": [
        {
            "id": 1,
            "parameter_value_pairs": [
                {"parameter_id": 2, "parameter_value": 10},
                {"parameter_id": 1, "parameter_value": 4},
            ],
        },
        {
            "id": 2,
            "parameter_value_pairs": [
                {"parameter_id": 1, "parameter_value": 8},
                {"parameter_id": 2, "parameter_value": 20},
            ],
        },
    ],
    "measurements": [
        {"callpath_id": 1, "coordinate_id": 1, "id": 1, "metric_id": 1, "value": 3.5},
        {"callpath_id": 1, "coordinate_id": 1, "id": 2, "metric_id": 1, "value": 3.25},
        {"callpath_id": 2, "coordinate_id": 2, "id": 3, "metric_id": 1, "value": 5.5},
        {"callpath_id": 1, "coordinate_id": 1, "id": 4, "metric_id": 2, "value": 7},
    ],
    "metrics": [{"id": 1, "name": "time"}, {"id": 2, "name": "bytes"}],
    "parameters": [{"id": 2, "name": "n"}, {"id": 1, "name": "p"}],
}


def scaled(document: Any, name: str = "run.json"):
    return read(json.dumps(document), "extrap_json", name)


def test_a_call_path_a_point_and_a_repeat_are_a_trial() -> None:
    found = scaled(PRESENT)
    assert found.trials.application == ("main->solve", "main->solve", "main->solve", "main")
    assert column(found, "p") == [4, 4, 8, 4]
    assert column(found, "n") == [10, 10, 10, 10]
    assert column(found, "time_s") == [3.5, 3.25, 5.5, 9.5]
    assert column(found, "visits")[:2] == [7, 7]
    assert [kind(found, name) for name in ("p", "time_s", "visits")] == [Kind.PARAMETER, Kind.RESPONSE, Kind.COUNTER]
    assert found.trials.where[0] == "'main->solve', 'time', item 1, repeat 1"


def test_the_older_form() -> None:
    found = scaled(OLD)
    assert found.trials.application == ("sweep", "sweep", "flat")
    assert (column(found, "p"), column(found, "n")) == ([4, 4, 8], [10, 10, 20])
    assert column(found, "time_s") == [3.5, 3.25, 5.5]
    assert column(found, "bytes")[0] == 7


def test_other_names_of_times() -> None:
    text = json.dumps(PRESENT).replace('"time"', '"runtime"').replace('"visits"', '"min_time"')
    found = scaled(json.loads(text))
    assert column(found, "time_s") == [3.5, 3.25, 5.5, 9.5]
    assert kind(found, "min_time") is Kind.RESPONSE
    assert "'runtime' is read in seconds" in told(found)


def test_parts_that_refer_to_nothing_are_skipped() -> None:
    text = json.dumps(OLD).replace('"coordinate_id": 2', '"coordinate_id": 9').replace('"value": 3.25', '"value": "x"')
    found = scaled(json.loads(text))
    why = "it refers to no call path, metric or point, or its value is no number"
    assert skipped(found) == [f"measurement 2: {why}", f"measurement 3: {why}"]


def test_points_and_values_that_are_no_numbers_are_skipped() -> None:
    document = json.loads(json.dumps(PRESENT))
    document["measurements"]["main"]["time"] += [
        {"point": [4], "values": [1]},
        {"point": [4, 10], "values": []},
        {"point": [4, 10], "values": [float("inf")]},
    ]
    assert skipped(scaled(document)) == [
        "'main', 'time', item 2: its point is no list of 2 numbers",
        "'main', 'time', item 3: its values are no list of finite numbers",
        "'main', 'time', item 4: its values are no list of finite numbers",
    ]


def test_files_without_measurements_are_refused() -> None:
    assert "holds no measurements" in refusal('{"parameters": ["p"], "measurements": {}}', "extrap_json")
    assert "has no list of 'parameters'" in refusal('{"measurements": {}}', "extrap_json")
    assert "no valid JSON" in refusal(json.dumps(PRESENT)[:-40], "extrap_json")


@pytest.mark.parametrize(
    "text",
    [
        '{"parameters": [], "measurements": {"a": {"time": [{"coordinate": [1], "mean": 2}]}}}',
        '{"point": [1], "values": [2]}',
        '{"params": {"p": 1}, "value": 2}',
    ],
)
def test_other_json_is_not_extra_ps(text: str) -> None:
    assert "extrap_json" not in readers_of(text)


@pytest.mark.parametrize("document", [PRESENT, OLD], ids=["present", "old"])
def test_damaged_files_end_in_one_sentence(document: Any) -> None:
    check_damaged(json.dumps(document), "extrap_json")
    check_mistyped(json.dumps(document), "extrap_json", n=300)
