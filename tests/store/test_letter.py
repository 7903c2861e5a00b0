"""Trials as scripts write them: read strictly, wrong ones refused in one sentence, units as written."""

import json
from datetime import date

import numpy as np
import pytest

from core.errors import ReadError
from core.store import Store
from core.store._letter import CutError, gather, read_letters
from core.trial import Kind, Metric

DAY = date(2024, 5, 6)
WHOLE = {
    "dataset": "d",
    "application": "gemm<float, 4>(float*)",
    "input": "4096",
    "machine": "gpu0",
    "labels": {"suite": "blas"},
    "parameters": {"tile": 16, "order": "row"},
    "metrics": {
        "cycles": 123,
        "time_s": {"value": 0.1},
        "power": {"value": 71.5, "unit": "W", "kind": "response"},
        "gone": None,
    },
    "execution": "dispatch 3",
}


def read(plain: object, name: str = "x.json"):
    return read_letters(name, json.dumps(plain).encode())


def test_a_whole_trial() -> None:
    (letter,) = read(WHOLE)
    assert letter.metrics == {
        Metric("tile", Kind.PARAMETER): 16.0,
        Metric("cycles"): 123.0,
        Metric("time_s", Kind.RESPONSE, "s"): 0.1,
        Metric("power", Kind.RESPONSE, "W"): 71.5,
    }
    assert letter.labels == {"suite": "blas", "order": "row", "execution": "dispatch 3"}
    (delivery,) = gather([letter], DAY)
    trials = delivery.imported.trials
    assert (delivery.dataset, delivery.grows, delivery.imported.sha256) == ("d", True, "inbox 2024-05-06")
    assert (trials.application, trials.input, trials.machine) == ((WHOLE["application"],), ("4096",), ("gpu0",))
    assert (trials.parameters, trials.ids) == (("order",), (letter.id,))


def test_a_bare_time_is_the_response_in_seconds_and_other_units_stay_as_written() -> None:
    assert list(read({"dataset": "d", "metrics": {"time_s": 2}})[0].metrics) == [Metric("time_s", Kind.RESPONSE, "s")]
    said = {"time_s": {"value": 2, "unit": "ms"}, "clock": {"value": 1.5, "unit": "GHz"}}
    assert [m.unit for m in read({"dataset": "d", "metrics": said})[0].metrics] == ["ms", "GHz"]


def test_ids_come_from_name_place_and_contents() -> None:
    one = {"dataset": "d", "metrics": {"a": 1}}
    ids = [letter.id for letter in read([one, one])]
    assert len(set(ids)) == 2
    assert ids == [letter.id for letter in read([one, one])]
    assert read(one, "x.json")[0].id != read(one, "y.json")[0].id
    assert read(one)[0].id != read({"dataset": "d", "metrics": {"a": 2}})[0].id
    given = "6F1B7F0C-52A5-5D5B-9A3E-1D6F0F5B8F11"
    assert read(one | {"id": given})[0].id == given.lower()


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        ([], "x.json holds no trials"),
        (7, "x.json is 7, expected a trial"),
        ([[]], r"x.json trial 1 is \[\], expected a trial"),
        ({"metrics": {"a": 1}}, "x.json: 'dataset' is missing"),
        ({"dataset": " ", "metrics": {"a": 1}}, "'dataset' is missing"),
        ({"dataset": "d"}, "x.json has no metric with a value"),
        ({"dataset": "d", "metrics": {"a": None}}, "has no metric with a value"),
        ({"dataset": "d", "metrics": [1]}, r"'metrics' is \[1\], expected an object"),
        ({"dataset": "d", "metric": {"a": 1}}, "there is no field 'metric'; a trial may have: dataset, id"),
        (
            [{"dataset": "d", "metrics": {"a": 1}}, {"dataset": "d", "metrics": {"l2": "n/a"}}],
            "x.json trial 2: metric 'l2' is 'n/a', expected a number or null",
        ),
        ({"dataset": "d", "metrics": {"a": True}}, "metric 'a' is true, expected a number"),
        ({"dataset": "d", "metrics": {"a": {"unit": "s"}}}, "metric 'a' has no value"),
        ({"dataset": "d", "metrics": {"a": {"value": 1, "units": "s"}}}, "metric 'a' has no field 'units'"),
        (
            {"dataset": "d", "metrics": {"a": {"value": 1, "kind": "machine"}}},
            "of kind 'machine', expected one of counter",
        ),
        ({"dataset": "d", "metrics": {"a": {"value": 1, "unit": 3}}}, "the unit of 'a' is 3, expected a text"),
        ({"dataset": "d", "metrics": {"": 1}}, "a metric has no name"),
        ({"dataset": "d", "metrics": {"a": 10**400}}, "which is not finite"),
        ({"dataset": "d", "metrics": {"a": float("nan")}}, "metric 'a' is NaN, which is not finite"),
        ({"dataset": "d", "metrics": {"a": 1}, "labels": {"k": 1}}, "label 'k' is 1, expected a text"),
        (
            {"dataset": "d", "metrics": {"a": 1}, "parameters": {"p": [1]}},
            r"parameter 'p' is \[1\], expected a number or a text",
        ),
        ({"dataset": "d", "metrics": {"a": 1}, "parameters": {"a": 1}}, "'a' is there twice among labels"),
        ({"dataset": "d", "metrics": {"\u00e9": 1, "e\u0301": 2}}, "'\u00e9' is there twice among labels"),
        ({"dataset": "d", "metrics": {"a": 1}, "labels": {"\u00e9": "x", "e\u0301": "y"}}, "'\u00e9' is there twice"),
        ({"dataset": "d", "metrics": {"a": 1}, "parameters": {"\u00e9": 1, "e\u0301": "y"}}, "'\u00e9' is there twice"),
        ({"dataset": "d", "metrics": {"a": 1}, "parameters": {"\u00e9": 1, "e\u0301": 2}}, "'\u00e9' is there twice"),
        ({"dataset": "d", "metrics": {"a": 1}, "input": 4096}, "'input' is 4096, expected a text"),
        ({"dataset": "d", "metrics": {"a": 1}, "id": "seven"}, "'id' is 'seven', expected a UUID"),
    ],
)
def test_what_is_wrong_is_named(plain: object, sentence: str) -> None:
    with pytest.raises(ReadError, match=sentence) as refused:
        read(plain)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("raw", "kind", "sentence"),
    [
        (b"", CutError, "line 1 is no whole JSON"),
        (b'{"dataset": "d",\n "metrics": {"a": 1', CutError, "line 2 is no whole JSON .* rename it when it is whole"),
        (b'{"dataset": "\xff"}', CutError, "not UTF-8"),
        (b'{"dataset": "d", "metrics": {"a": 1, "a": 2}}', ReadError, "'a' is there twice"),
        (b'{"dataset": "d", "metrics": {"a": 1e999}}', ReadError, "not finite"),
        (b'{"dataset": "d", "metrics": {"a\\ud800": 1}}', ReadError, "half of a surrogate pair"),
        (b'{"dataset": "d", "metrics": {"a": ' + b"9" * 5000 + b"}}", ReadError, "thousands of digits"),
        (b"[" * 100_000, ReadError, "nested too deeply"),
        (b" " * (16 * 1024 * 1024 + 1), ReadError, "at most 16777216"),
    ],
    ids=["empty", "cut", "latin", "twice", "overflow", "surrogate", "digits", "deep", "large"],
)
def test_what_is_no_json_is_named(raw: bytes, kind: type[ReadError], sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as refused:
        read_letters("x.json", raw)
    assert type(refused.value) is kind


@pytest.mark.parametrize("value", [0.1, 5e-324, 1.7976931348623157e308, -0.0, 1 / 3, 2**53 - 1, 123456789.123456789])
def test_numbers_arrive_bit_for_bit(value: float) -> None:
    (letter,) = read({"dataset": "d", "metrics": {"a": value}})
    assert np.float64(letter.metrics[Metric("a")]).tobytes() == np.float64(value).tobytes()


def test_trials_of_other_datasets_settings_or_metrics_are_told_apart(tmp_path) -> None:
    letters = [
        *read({"dataset": "a", "parameters": {"z": 1, "y": 2}, "metrics": {"m": 1}}, "1.json"),
        *read({"dataset": "b", "metrics": {"m": 2}}, "2.json"),
        *read({"dataset": "a", "parameters": {"y": 2, "z": 1}, "metrics": {"n": 3}}, "3.json"),
        *read({"dataset": "a", "parameters": {"y": 2}, "metrics": {"m": 4}}, "4.json"),
    ]
    with Store.open(tmp_path / "x.duckdb") as store:
        store.add_delivered(gather(letters, DAY))
        assert {c.name: c.n_trials for c in store.datasets.all()} == {"a": 3, "b": 1}
        assert sorted(store.trials("a")["run"]) == [1, 1, 2], "the order of parameters is irrelevant"
        assert [s.n_trials for s in store.datasets.sources("a")] == [3]


@pytest.mark.slow
def test_thousands_of_different_metrics_do_not_make_one_huge_table() -> None:
    letters = [
        letter
        for i in range(40)
        for letter in read({"dataset": "d", "metrics": {f"m{i}_{j}": j for j in range(5000)}}, f"{i}.json")
    ]
    imports = [d.imported for d in gather(letters, DAY)]
    assert sum(len(i.trials) for i in imports) == 40
    assert max(i.trials.values.size for i in imports) <= 5_000_000
