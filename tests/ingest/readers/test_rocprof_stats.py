from pathlib import Path

import pytest

from core.ingest.readers.rocprof_stats import RocprofStats
from core.trial import Kind
from tests.ingest.amd_files import column, metrics, read, refused, skipped, survives, takers, unit

V1 = """\
"Name","Calls","TotalDurationNs","AverageNs","Percentage"
"step(float*, int) [clone .kd]",10,2000000,200000,80.0
"fill.kd",4,500000,125000,20.0
"""
V3 = """\
"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"step(float*, int)",10,2000000,200000.000000,99.99,150000,260000,31000.500000
"fill",1,5920,5920.000000,4.671e-04,5920,5920,0.00000000e+00
"""
ROCPD = """\
"Name","Calls","DURATION (nsec)","AVERAGE (nsec)","PERCENT (INC)","MIN (nsec)","MAX (nsec)","STD_DEV"
"step(float*, int)",10,2000000,200000.0,100.0,150000,260000,31000.5
"""


def test_version_1() -> None:
    found = read(RocprofStats(), V1)
    assert found.trials.application == ("step(float*, int)", "fill")
    assert found.trials.input == ("", "")
    assert column(found, "time_s") == [200e-6, 125e-6]
    assert column(found, "Calls") == [10, 4]
    assert column(found, "TotalDurationNs") == [2e-3, 0.5e-3]
    assert unit(found, "TotalDurationNs") == "s"
    assert unit(found, "Percentage") == "%"
    assert any("mean over all calls" in w for w in found.warnings)
    assert found.trials.execution == ()


def test_version_3_has_extremes() -> None:
    found = read(RocprofStats(), V3)
    assert metrics(found) == ["time_s", "Calls", "TotalDurationNs", "Percentage", "MinNs", "MaxNs", "StdDev"]
    assert column(found, "MaxNs") == [260e-6, 5.92e-6]
    assert column(found, "StdDev") == [31.0005e-6, 0]
    assert column(found, "Percentage")[1] == 4.671e-04


def test_times_are_no_counters() -> None:
    kinds = {m.name: m.kind for m in read(RocprofStats(), V3).trials.metrics}
    assert kinds.pop("Calls") is Kind.COUNTER
    assert set(kinds.values()) == {Kind.RESPONSE}


def test_rocpd_summary_has_the_same_metrics() -> None:
    found, other = read(RocprofStats(), ROCPD), read(RocprofStats(), V3)
    assert metrics(found) == metrics(other)
    assert column(found, "time_s") == column(other, "time_s")[:1]
    assert takers(ROCPD) == ["rocprof_stats"]


def test_rocpd_summary_by_rank_keeps_the_process() -> None:
    head, row = ROCPD.splitlines()
    found = read(RocprofStats(), f'"ProcessID","Hostname",{head}\n71,"node1",{row}\n72,"node1",{row}\n')
    assert found.trials.labels == {"process": ("71", "72"), "host": ("node1", "node1")}


def test_an_average_that_is_missing_is_the_total_by_the_calls() -> None:
    text = '"Name","Calls","TotalDurationNs"\n"step",4,1000\n'
    assert column(read(RocprofStats(), text), "time_s") == [250e-9]


@pytest.mark.parametrize(
    "names",
    [
        ("hipMemcpy", "__hipPushCallConfiguration"),
        ("hsa_queue_create",),
        ("MEMORY_COPY_HOST_TO_DEVICE",),
        ("HIP_API", "KERNEL_DISPATCH"),
        ("CopyHostToDevice", "CopyDeviceToHost"),
        ("roctxRangePush",),
        ("ncclAllReduce",),
    ],
)
def test_summaries_of_calls_are_refused(names: tuple[str, ...]) -> None:
    text = '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n' + "".join(f"{n},1,5,5,50.0\n" for n in names)
    assert takers(text) == ["rocprof_stats"]
    assert refused(RocprofStats(), text).startswith(
        f"run.csv sums up API calls or memory copies, such as '{names[0]}', and no kernels."
    )


def test_a_kernel_called_like_a_call_is_taken_beside_others() -> None:
    assert len(read(RocprofStats(), V1 + '"hipKernelOfMine",1,5,5,0.1\n').trials) == 3


def test_bad_cells_and_rows_are_told() -> None:
    found = read(RocprofStats(), V1.replace("200000,80.0", "-,80.0").replace("125000,20.0", "x,20.0") + '"tail",1,')
    assert column(found, "time_s") == [200e-6, 125e-6]
    assert skipped(found) == {
        "line 3": "'AverageNs' is 'x', expected a number: it is missing there",
        "line 4": "the file breaks off within this row",
    }


@pytest.mark.parametrize("change", [lambda t: t.replace("\n", "\r\n"), lambda t: "RPL: profiling\n" + t])
def test_shapes_of_the_same_file(change) -> None:
    assert takers(change(V1)) == ["rocprof_stats"]
    assert column(read(RocprofStats(), change(V1)), "Calls") == [10, 4]


def test_no_rows() -> None:
    assert "no measurements: the profiler saw no kernel" in refused(RocprofStats(), V1.splitlines()[0])


@pytest.mark.parametrize("text", [V1, V3])
def test_damaged_files(text: str) -> None:
    assert survives(RocprofStats(), text) > 50


def test_real_folder_has_none_of_its_files(real_data: Path) -> None:
    for path in sorted((real_data / "formats").rglob("*.csv")):
        assert not RocprofStats().sniff(path.read_bytes()[: 1 << 20]), path
