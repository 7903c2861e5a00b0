"""The builder: base units, two units of one name, missing values, durations that cannot be."""

import math

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest.readers._builder import Builder
from core.trial import Kind, Metric, Skipped


def builder() -> Builder:
    return Builder("run.csv", "ab" * 32, "tool")


def test_values_come_in_base_units_with_the_original_unit_kept() -> None:
    b = builder()
    t = b.trial("gemm", input="grid 4", machine="K40", where="line 3", execution="launch 0")
    b.put(t, "time_s", 97.0, "us", Kind.RESPONSE)
    b.put(t, "dram", 2.0, "GB/s")
    imported = b.build()
    assert imported.trials.metrics == (Metric("time_s", Kind.RESPONSE, "s"), Metric("dram", Kind.COUNTER, "byte/s"))
    assert imported.trials.values.tolist() == [[97e-6, 2e9]]
    assert imported.original_units == {"time_s": "us", "dram": "GB/s"}
    assert imported.trials.execution == ("launch 0",)
    assert (imported.source, imported.sha256, imported.format) == ("run.csv", "ab" * 32, "tool")


def test_two_units_of_one_scale_are_one_metric_and_others_two() -> None:
    b = builder()
    first, second = b.trial("a"), b.trial("a")
    b.put(first, "duration", 1.0, "ms")
    b.put(second, "duration", 500.0, "us")
    b.put(first, "throughput", 40.0, "%")
    b.put(first, "throughput", 3.0, "GB/s")
    trials = b.build().trials
    assert [m.name for m in trials.metrics] == ["duration", "throughput", "throughput [byte/s]"]
    np.testing.assert_array_equal(trials.values, [[1e-3, 40.0, 3e9], [5e-4, np.nan, np.nan]])


def test_a_second_value_needs_a_qualifier() -> None:
    b = builder()
    t = b.trial("a", where="line 7")
    b.put(t, "hits", 1.0)
    b.put(t, "hits", 1.0)
    b.put(t, "hits", 2.0, qualifier="L2")
    assert [m.name for m in b.build().trials.metrics] == ["hits", "hits [L2]"]
    with pytest.raises(ReadError, match=r"run.csv line 7: 'hits' is 3 here and 1 elsewhere"):
        b.put(t, "hits", 3.0)
    with pytest.raises(ReadError, match="'hits' is 3 here and 2 elsewhere"):
        b.put(t, "hits", 3.0, qualifier="L2")


def test_missing_values_are_no_values_and_empty_metrics_are_told() -> None:
    b = builder()
    t = b.trial("a")
    b.put(t, "cycles", None)
    b.put(t, "misses", math.nan)
    b.put(t, "hits", 4.0)
    imported = b.build()
    assert [m.name for m in imported.trials.metrics] == ["hits"]
    assert imported.warnings == ("run.csv: without a value in any trial, and left out: 'cycles', 'misses'.",)


def test_infinite_values_are_refused() -> None:
    b = builder()
    with pytest.raises(ReadError, match="'x' is infinite"):
        b.put(b.trial("a"), "x", math.inf)


def test_facts_and_labels_go_where_they_belong() -> None:
    b = builder()
    t = b.trial("a", input="i", machine="m", labels={"stream": "7"})
    b.put(t, "c", 1.0)
    b.of_machine("m", "cores", 4.0)
    b.machine_label("m", "vendor", "V")
    b.of_input("a", "i", "threads", 256.0)
    b.label(t, "layout", "row", parameter=True)
    imported = b.build()
    assert imported.machines is not None
    assert imported.inputs is not None
    assert (imported.machines.keys, imported.machines.values.tolist()) == ((("m",),), [[4.0]])
    assert imported.machines.metrics == (Metric("cores", Kind.MACHINE),)
    assert imported.machines.labels == {"vendor": ("V",)}
    assert imported.inputs.metrics == (Metric("threads", Kind.DETERMINISTIC),)
    assert imported.trials.labels == {"stream": ("7",), "layout": ("row",)}
    assert imported.trials.parameters == ("layout",)


@pytest.mark.parametrize(
    ("times", "warning"),
    [
        ([0.0, 0.0], "every duration is 0"),
        ([0.0, 1.0], "1 of 2 durations are 0"),
        ([2.0, 2.0, 2.0], "all 3 durations are 2e-09 s alike"),
    ],
)
def test_durations_that_cannot_have_been_measured_are_told(times: list[float], warning: str) -> None:
    b = builder()
    for time in times:
        b.put(b.trial("a"), "time_s", time, "ns", Kind.RESPONSE)
    (told,) = b.build().warnings
    assert warning in told


def test_ordinary_durations_raise_no_warning() -> None:
    b = builder()
    for time in (2.0, 2.0, 3.0):
        b.put(b.trial("a"), "time_s", time, "ns", Kind.RESPONSE)
    assert b.build().warnings == ()


def test_a_file_without_trials_is_refused_with_what_was_skipped() -> None:
    b = builder()
    b.skip("line 2", "rule row")
    b.skip("line 3", "rule row")
    with pytest.raises(ReadError, match=r"run.csv holds no measurements. Skipped line 2: rule row \(and 1 more\)"):
        b.build()


def test_machine_metrics_alone_are_an_import() -> None:
    b = builder()
    b.of_machine("m", "cores", 4.0)
    b.skip("line 9", "empty")
    imported = b.build(["read as Windows-1252"])
    assert len(imported.trials) == 0
    assert imported.skipped == (Skipped("line 9", "empty"),)
    assert imported.warnings == ("read as Windows-1252",)
