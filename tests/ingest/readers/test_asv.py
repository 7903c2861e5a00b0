"""asv's results: a trial for each benchmark and combination of its parameters."""

import json
from typing import Any

from core.trial import Kind
from tests.ingest.tool_files import (
    check_damaged,
    check_mistyped,
    column,
    kind,
    names,
    read,
    readers_of,
    refusal,
    skipped,
)

ABOUT = {"commit_hash": "9045565d8662703432da", "env_name": "py3.11", "date": 1796074547000, "version": 2}
COLUMNS = ["result", "params", "version", "started_at", "duration", "stats_q_25"]


def results(**benchmarks: list[Any]) -> str:
    """A file of results by the benchmarks' names."""
    named = {f"sorting.Suite.{name}": own for name, own in benchmarks.items()}
    about = {"machine": "vm7", "cpu": "Xeon", "arch": "x86_64"}
    return json.dumps(ABOUT | {"params": about, "result_columns": COLUMNS, "results": named})


SORTED = [[1e-5, 2e-5, 4e-5, None], [["1000", "2000"], ["'list'", "'tuple'"]], "00b4", 17960745, 0.5, [1e-5] * 4]
FILE = results(time_sort=SORTED, peakmem_sort=[[36257792], [], "50dc", 1, 2], track_len=[None, [["1"]]], time_all=None)


def test_each_combination_of_parameters_is_a_trial_on_the_machine() -> None:
    found = read(FILE, "asv", "9045565d-py3.11.json")
    assert found.trials.application == ("sorting.Suite.time_sort",) * 3 + ("sorting.Suite.peakmem_sort",)
    assert {*found.trials.machine} == {"vm7"}
    assert column(found, "time_s")[:3] == [1e-5, 2e-5, 4e-5]
    assert column(found, "parameter 1")[:3] == [1000, 1000, 2000]
    assert found.trials.labels["parameter 2"] == ("list", "tuple", "list", "")
    assert (kind(found, "parameter 1"), kind(found, "peak memory")) == (Kind.PARAMETER, Kind.RESPONSE)
    assert found.trials.labels["commit"][0] == "9045565d"
    assert skipped(found) == [
        "sorting.Suite.time_sort (2000, tuple): has no result",
        "sorting.Suite.track_len: was not run, or failed",
        "sorting.Suite.time_all: was not run, or failed",
    ]


def test_what_a_benchmark_tracks_has_no_unit() -> None:
    found = read(results(track_len=[[3.5, 7.5], [["1", "2"]]]), "asv")
    assert (names(found), column(found, "value")) == (["value", "parameter 1"], [3.5, 7.5])


def test_other_documents_are_none_of_it() -> None:
    assert readers_of(json.dumps({"sorting.time_sort": {"param_names": ["n"], "unit": "seconds"}, "version": 2})) == []
    assert "holds no results of asv" in refusal(results(), "asv")


def test_damage() -> None:
    check_damaged(FILE, "asv")
    check_mistyped(FILE, "asv")
