"""PAPI's high-level output: a trial per region, counts added up over threads."""

import json

import numpy as np

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, check_mistyped, kind, names, read, refusal, value


def region(name: str, instructions: int, nanoseconds: int) -> dict[str, object]:
    """A region that was entered once."""
    counts = {"cycles": 3 * nanoseconds, "real_time_nsec": nanoseconds, "PAPI_TOT_INS": instructions}
    return {"name": name, "parent_region_id": "-1", **{event: str(count) for event, count in counts.items()}}


def several(name: str, times: int, **total: int) -> dict[str, object]:
    """A region that was entered several times."""
    counts = {event: {"total": str(n), "min": "1", "median": "2", "max": "3"} for event, n in total.items()}
    return {"name": name, "parent_region_id": "0", "region_count": str(times), **counts}


HEAD = {
    "papi_version": "7.0.1.0",
    "cpu_info": "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz",
    "max_cpu_rate_mhz": "2501",
    "min_cpu_rate_mhz": "1200",
    "event_definitions": {"PAPI_TOT_INS": {"component": "0", "type": "delta"}},
}
FIRST = {"0": region("main", 9000, 4000), "1": several("sweep", 50, real_time_nsec=2000, PAPI_TOT_INS=700)}
SECOND = {"0": several("sweep", 50, real_time_nsec=2500, PAPI_TOT_INS=800)}
ENERGY = "rapl:::PACKAGE_ENERGY:PACKAGE0"
REPORT = {**HEAD, "threads": {"0": {"regions": FIRST}, "1": {"regions": SECOND}}}
OLDER = {**HEAD, "threads": [{"id": "0", "regions": [*FIRST.values()]}, {"id": "1", "regions": [*SECOND.values()]}]}
TEXT = json.dumps(REPORT, indent=2)


def test_each_region_is_a_trial_of_all_its_threads() -> None:
    found = read(TEXT, "papi", "rank_000000.json")
    assert found.trials.application == ("main", "sweep")
    assert set(found.trials.machine) == {HEAD["cpu_info"]}
    assert names(found) == ["threads", "time_s", "calls", "cycles", "PAPI_TOT_INS"]
    assert [value(found, "threads", i) for i in (0, 1)] == [1, 2]
    assert [value(found, "time_s", i) for i in (0, 1)] == [4e-6, 2.5e-6]
    assert [value(found, "PAPI_TOT_INS", i) for i in (0, 1)] == [9000, 1500]
    assert value(found, "calls", 1) == 50
    assert [kind(found, name) for name in ("threads", "time_s")] == [Kind.PARAMETER, Kind.RESPONSE]
    assert found.machines is not None
    assert found.machines.values.tolist() == [[2.501e9]]


def test_older_versions_have_lists() -> None:
    new, old = read(TEXT, "papi"), read(json.dumps(OLDER), "papi")
    assert new.trials.application == old.trials.application
    assert np.array_equal(new.trials.values, old.trials.values, equal_nan=True)


def test_what_is_no_count() -> None:
    """Cycles of the clock tell the time again; a package's energy is the same for each of its threads."""
    own = {**region("main", 9, 4000), "perf::TASK-CLOCK": "3000", ENERGY: "500000000"}
    found = read(json.dumps({**HEAD, "threads": {"0": {"regions": {"0": own}}, "1": {"regions": {"0": own}}}}), "papi")
    assert (value(found, "cycles"), kind(found, "cycles")) == (12000, Kind.DERIVED)
    assert (value(found, "perf::TASK-CLOCK"), kind(found, "perf::TASK-CLOCK")) == (6e-6, Kind.RESPONSE)
    assert (value(found, ENERGY), kind(found, ENERGY)) == (0.5, Kind.RESPONSE)


def test_without_regions() -> None:
    assert "holds no region of PAPI" in refusal(json.dumps({**HEAD, "threads": {}}), "papi")


def test_damage() -> None:
    check_damaged(TEXT, "papi")
    check_mistyped(TEXT, "papi")
