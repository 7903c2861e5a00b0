"""Nsight Systems' CSV: units in the header, reports one below the other, launches and sums, damage."""

import pytest

from core.errors import ReadError
from core.ingest import Part
from core.ingest.base import SourceFile
from core.ingest.joining.gather import gather
from core.ingest.readers.nsys import Nsys, NsysSummary
from core.ingest.readers.rocprof_stats import RocprofStats
from core.trial import Kind
from tests.ingest.nvidia_files import KERNEL, cells, check_damaged, facts, names, read, readers_of, said, unit, value

NOTICE = "\nNOTICE: Existing SQLite export found: run.sqlite\n        It is assumed file was previously exported.\n\n"
TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
    "1134711990,661398,123,,,,,,,,,,4.194,6337.593,Pinned,Device,Ridge 5 (0),1,,13,[CUDA memcpy Host-to-Device]\n"
    f'1136125733,7072,128,4096,1,1,256,1,1,16,0.002,0.049,,,,,Ridge 5 (0),1,,13,"{KERNEL}"\n'
    f'1136125999,7088,130,4096,1,1,256,1,1,16,0.002,0.049,,,,,Ridge 5 (0),1,,13,"{KERNEL}"\n'
)
SUM = (
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    f'79.8,14198407375,97620,145445.7,107872.0,60063,2791471,118203.8,"{KERNEL}"\n'
    "2.1,379006854,48523,7810.9,7776.0,7296,9344,225.8,nvjet_sm90\n"
)
CALLS = (
    "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "81.2,131012864,1,131012864.0,131012864.0,131012864,131012864,0.0,cudaMalloc\n"
)


def done(report: str, text: str) -> str:
    return f"Processing [run.sqlite] with [/opt/reports/{report}.py]... \n{text}\n"


def test_a_trace_gives_a_trial_per_launch() -> None:
    found = read(NOTICE + done("cuda_gpu_trace", TRACE), "nsys")
    assert found.trials.application == ("[CUDA memcpy Host-to-Device]", KERNEL, KERNEL)
    assert found.trials.input == ("4.194 MB", *("grid 4096x1x1, block 256x1x1",) * 2)
    assert found.trials.machine == ("Ridge 5",) * 3
    assert [value(found, "time_s", i) for i in range(3)] == pytest.approx([661398e-9, 7072e-9, 7088e-9], rel=1e-15)
    assert value(found, "Reg/Trd", 1) == 16
    assert value(found, "StcSMem", 1) == pytest.approx(2000)
    assert unit(found, "StcSMem") == "byte"
    assert facts(found) == {"Bytes": 4194000}
    assert value(found, "Throughput") == pytest.approx(6337.593e6)
    assert not {"Start", "CorrId", "Ctx", "Strm"} & names(found)


def test_older_traces_write_mbps() -> None:
    old = TRACE.replace("MB/s", "MBps").replace("GreenCtx,", "").replace(",1,,13,", ",1,13,")
    assert value(read(old, "nsys"), "Throughput") == pytest.approx(6337.593e6)


def test_sums_take_the_average_and_leave_the_hosts_calls_out() -> None:
    text = done("cuda_gpu_kern_sum", SUM) + done("cuda_api_sum", CALLS)
    assert readers_of(text.encode()) == ["nsys_summary"]
    found = read(text, "nsys_summary")
    assert found.trials.application == (KERNEL, "nvjet_sm90")
    assert value(found, "time_s") == pytest.approx(145445.7e-9, rel=1e-15)
    assert value(found, "Instances") == 97620
    kinds = {m.name: m.kind for m in found.trials.metrics}
    assert [name for name, kind in kinds.items() if kind is not Kind.RESPONSE] == ["Instances"]
    assert "lines 7-8: 1 row: a report on calls, ranges, queues or sizes, not on kernels alone" in said(found)


def test_sums_with_shapes_and_sums_of_transfers() -> None:
    shaped = SUM.replace(",Name", ",GridXYZ,BlockXYZ,Name").replace(
        f',"{KERNEL}"', f',"  64    2    1"," 128    1    1","{KERNEL}"'
    )
    shaped = shaped.replace(",nvjet", ",   1    1    1,  32    1    1,nvjet")
    transfers = SUM.replace("Instances", "Count").replace("Name", "Operation").replace("nvjet_sm90", "[CUDA memset]")
    found = read(done("cuda_gpu_kern_gb_sum", shaped) + done("cuda_gpu_mem_time_sum", transfers), "nsys")
    assert found.trials.input[:2] == ("grid 64x2x1, block 128x1x1", "grid 1x1x1, block 32x1x1")
    assert found.trials.application[3] == "[CUDA memset]"
    assert value(found, "Count", 3) == 48523


def test_headers_of_2020_and_other_units() -> None:
    old = '"Time(%)","Total Time (ns)","Instances","Average","Minimum","Maximum","Name"\n"9.5","3000","2","1500.5","1","2","k(int)"\n'
    assert value(read(old, "nsys"), "time_s") == pytest.approx(1500.5e-9, rel=1e-15)
    seconds = SUM.replace("(ns)", "(ms)")
    assert value(read(seconds, "nsys"), "time_s") == pytest.approx(145.4457, rel=1e-12)


def test_a_sum_beside_its_trace_is_skipped() -> None:
    found = read(done("cuda_gpu_kern_sum", SUM) + done("cuda_gpu_trace", TRACE), "nsys")
    assert len(found.trials) == 3
    assert "sums of launches that are here too" in said(found)


def test_thousands_in_quotes() -> None:
    text = SUM.replace("14198407375", '"14,198,407,375"').replace("145445.7", '"145,445.7"')
    assert value(read(text, "nsys"), "Total Time") == pytest.approx(14.198407375)


@pytest.mark.parametrize(
    "header",
    [
        "API Start (ns),API Dur (ns),Queue Start (ns),Kernel Start (ns),Kernel Dur (ns),GridXYZ,Kernel Name",
        "PID,TID,DevId,Count,QCount,AAvg (ns),QAvg (ns),KAvg (ns),TAvg (ns),API Name,Kernel Name",
        "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Kernel Name",
        "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style",
        "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns)",
        "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID",
        "Start (ns),Duration (ns),Name,Result,CorrId,Pid,Tid,T-Pri,Thread Name",
        "Total (MB),Count,Avg (MB),Med (MB),Operation",
    ],
    ids=range(8),
)
def test_reports_on_ranges_calls_and_queues_are_no_tables_of_trials(header: str) -> None:
    text = header + "\n" + ",".join("1" for _ in header.split(",")) + "\n"
    assert readers_of(text.encode()) == ["nsys"]
    with pytest.raises(ReadError, match="neither a trace nor a summary of kernels"):
        read(text, "nsys")


REFUSED = {
    "skipped": (
        done("cuda_gpu_kern_sum", "SKIPPED: run.sqlite does not contain CUDA kernel data."),
        "does not contain CUDA kernel data",
    ),
    "calls": (
        done("cuda_api_sum", CALLS),
        "holds neither a trace nor a summary of kernels or transfers. Export one with nsys stats --report cuda_gpu_trace",
    ),
    "empty": (
        done("cuda_gpu_trace", TRACE.splitlines()[0]),
        "line 2 has the column names of Nsight Systems, but no whole row",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_holds_no_kernels_is_refused_in_one_sentence(case: str) -> None:
    text, sentence = REFUSED[case]
    assert readers_of(text.encode()) == ["nsys"]
    with pytest.raises(ReadError, match=sentence):
        read(text, "nsys")


@pytest.mark.parametrize(
    ("text", "reader"),
    [
        (TRACE, "nsys"),
        (SUM, "nsys_summary"),
        (CALLS, "nsys"),
        (NOTICE + done("cuda_gpu_trace", TRACE), "nsys"),
        (SUM + TRACE, "nsys"),
        (done("cuda_api_sum", CALLS) + done("cuda_gpu_kern_sum", SUM), "nsys_summary"),
    ],
    ids=range(6),
)
def test_exactly_one_reader_takes_it(text: str, reader: str) -> None:
    assert readers_of(text.encode()) == [reader]


def test_a_summary_gives_way_to_the_trace_beside_it_and_to_no_other_tools() -> None:
    summary = Part(SourceFile("run/sum.csv", SUM.encode()), NsysSummary())
    trace = Part(SourceFile("run/trace.csv", TRACE.encode()), Nsys())
    calls = Part(SourceFile("run/calls.csv", CALLS.encode()), Nsys())
    found = gather([summary, trace], folder=True)
    assert [i.source for i in found.imports] == ["run/trace.csv"]
    assert [r.where for r in found.refused] == ["run/sum.csv"]
    assert [i.source for i in gather([summary, calls], folder=True).imports] == ["run/sum.csv"]
    statistics = b'"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"k.kd",2,50,25,100.0\n'
    amd = Part(SourceFile("run/results.stats.csv", statistics), RocprofStats())
    assert {i.format for i in gather([amd, trace], folder=True).imports} == {"nsys", "rocprof_stats"}


@pytest.mark.parametrize("text", ["", "Start,Duration,Name\n1,2,a\n", "Time (%),Name\n1,a\n"])
def test_other_files_are_not_taken(text: str) -> None:
    assert not Nsys().sniff(text.encode())
    assert not NsysSummary().sniff(text.encode())


@pytest.mark.parametrize("text", [TRACE, SUM], ids=["trace", "sum"])
def test_damage_never_changes_untouched_rows(text: str) -> None:
    whole = cells(read(text, "nsys"))
    by_line = {n: {k for k in whole if k[0] in row} for n, row in enumerate(text.splitlines(), start=1)}
    by_line[1] = set(whole)
    check_damaged(text, "nsys", by_line, seed=17, n=200)
