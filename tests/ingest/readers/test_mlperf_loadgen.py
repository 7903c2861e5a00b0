"""The summary of MLPerf's load generator: a run is a trial with its rate and latencies."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, kind, read, value

SUMMARY = (
    "================================================\nMLPerf Results Summary\n================================================\n"
    "SUT name : PySUT\nScenario : Offline\nMode     : PerformanceOnly\nSamples per second: 24.5\nResult is : VALID\n"
    "  Min duration satisfied : Yes\nMin latency (ns)                : 6000\nMean latency (ns)               : 8000\n"
    "99.00 percentile latency (ns)   : 9000\nsamples_per_query : 10\ntarget_qps : 1\ntarget_latency (ns): 0\n"
    "performance_sample_count : 5000\n"
)


def test_a_run_is_a_trial() -> None:
    found = read(SUMMARY, "mlperf_loadgen")
    assert (value(found, "samples per second"), value(found, "Mean latency")) == (24.5, 8e-6)
    assert (found.trials.labels["scenario"], found.trials.labels["SUT"]) == (("Offline",), ("PySUT",))
    kinds = [kind(found, n) for n in ("samples per second", "Mean latency", "99.00 percentile latency", "target_qps")]
    assert kinds == [Kind.RESPONSE, Kind.RESPONSE, Kind.DERIVED, Kind.PARAMETER]


def test_damage() -> None:
    check_damaged(SUMMARY, "mlperf_loadgen")
