"""nvprof, metrics, events and traces: units in cells, two widths in one file, kilobytes of 1,024 bytes, damage."""

from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest.readers.nvprof import Nvprof
from core.trial import Kind
from tests.ingest.nvidia_files import (
    KERNEL,
    cells,
    check_damaged,
    facts,
    names,
    quoted,
    read,
    readers_of,
    said,
    unit,
    value,
)

BANNER = (
    "==3066== NVPROF is profiling process 3066, command: ./blur 512 2\n"
    "==3066== Some kernel(s) will be replayed on device 0 in order to collect all events/metrics.\n"
    "==3066== Profiling application: ./blur 512 2\n==3066== Profiling result:\n"
)
METRICS = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"'
EVENTS = '"Device","Kernel","Invocations","Event Name","Min","Max","Avg"'
DEVICE = "Ridge K40 (0)"


def metric(name: str, average: str, low: str = "", high: str = "", kernel: str = KERNEL, device: str = DEVICE) -> str:
    texts = [quoted(t) if " " in t else t for t in (low or average, high or average, average)]
    return ",".join([quoted(device, kernel), "4", quoted(name, name.title()), *texts])


def event(name: str, average: str, kernel: str = KERNEL) -> str:
    return ",".join([quoted(DEVICE, kernel), "4", quoted(name), average, average, average])


ROWS = [
    metric("ipc", "1.674301", "1.670714", "1.676661"),
    metric("sm_efficiency", "99.946476%"),
    metric("dram_read_throughput", "43.500000GB/s"),
    metric("gld_throughput", "0.000000B/s"),
    metric("sysmem_write_throughput", "2.500000KB/s", "647.000000B/s", "3.161133KB/s"),
    metric("l2_utilization", "High (7)", "High (7)", "High (8)"),
    metric("inst_executed", "911390400"),
]
EVENT_ROWS = [event("inst_executed", "911390400"), event("active_cycles", "544053156")]
TEXT = f"{BANNER}==3066== Event result:\n" + "\n".join([EVENTS, *EVENT_ROWS]) + "\n\n\n==3066== Metric result:\n"
TEXT += "\n".join([METRICS, *ROWS]) + "\n"


def test_events_and_metrics_of_a_kernel_are_one_trial() -> None:
    found = read(TEXT, "nvprof")
    trials = found.trials
    assert trials.application == (KERNEL,)
    assert trials.machine == ("Ridge K40",)
    assert trials.input == ("./blur 512 2",)
    assert trials.where == ("line 7",)
    assert trials.labels["device"] == ("0",)
    assert value(found, "active_cycles") == 544053156
    assert value(found, "ipc") == 1.674301
    assert trials.labels["invocations"] == ("4",)


def test_units_stand_in_the_cells() -> None:
    found = read(TEXT, "nvprof")
    assert (value(found, "sm_efficiency"), unit(found, "sm_efficiency")) == (99.946476, "%")
    assert (value(found, "gld_throughput"), unit(found, "gld_throughput")) == (0, "byte/s")
    assert (value(found, "inst_executed"), unit(found, "inst_executed")) == (911390400, "")


def test_kilobytes_are_1024_bytes() -> None:
    """One transaction at 647 B/s and five at 3.161133 KB/s: 5 * 647 = 3235 = 3.16 * 1024."""
    found = read(TEXT, "nvprof")
    assert value(found, "dram_read_throughput") == 43.5 * 2**30
    assert value(found, "sysmem_write_throughput") == 2560.0
    assert found.original_units["dram_read_throughput"] == "GB/s"


def test_levels_are_numbers() -> None:
    found = read(TEXT, "nvprof")
    assert (value(found, "l2_utilization"), unit(found, "l2_utilization")) == (7, "level")


def test_the_average_is_taken_and_the_spread_told() -> None:
    found = read(TEXT, "nvprof")
    assert "below line 6, 12: columns 'Min', 'Max': the average over the launches is taken" in said(found)
    assert "differ in 2 metrics, most in 'l2_utilization' by 14.3 %" in said(found)


def test_an_event_that_differs_from_the_metric_of_its_name_says_so() -> None:
    other = event("inst_executed", "7", "k2(int)") + "\n" + event("cycles", "9", "k2(int)")
    text = TEXT.replace(EVENT_ROWS[1], EVENT_ROWS[1] + "\n" + other)
    text += metric("inst_executed", "8", kernel="k2(int)") + "\n"
    found = read(text, "nvprof")
    assert found.trials.application == (KERNEL, "k2(int)")
    assert [value(found, "inst_executed", i) for i in (0, 1)] == [911390400, 8]
    assert [value(found, "inst_executed (event)", i) for i in (0, 1)] == [911390400, 7]


def test_two_devices_and_a_second_capture() -> None:
    text = TEXT + metric("ipc", "2.5", device="Ridge K40 (1)") + "\n" + TEXT.replace("1.674301", "1.774301")
    found = read(text, "nvprof")
    assert found.trials.labels["device"] == ("0", "1", "0")
    assert [value(found, "ipc", i) for i in range(3)] == [1.674301, 2.5, 1.774301]


@pytest.mark.parametrize("text", ["<OVERFLOW>", "n/a", "nan", "-"])
def test_not_counted_is_missing(text: str) -> None:
    found = read(TEXT + metric("flops", text) + "\n", "nvprof")
    assert "flops" not in names(found)
    assert "'flops' (1 times)" in said(found)


def test_newer_events_have_a_total() -> None:
    text = EVENTS + ',"Total"\n' + EVENT_ROWS[0] + ",3645561600\n"
    found = read(BANNER + text, "nvprof")
    assert value(found, "inst_executed") == 911390400
    assert "'Total'" in said(found)


def test_resaved_by_a_spreadsheet() -> None:
    text = "==3066== NVPROF is profiling process 3066, command: ./blur,,,,,,,\n" + METRICS.replace('"', "") + "\n"
    text += (
        'Ridge K40 (0),"k(int, int)",4,ipc,"Executed, IPC",1.5,2.5,2,\nRidge K40 (0),"k(int, int)",4,eff,E,1%,3%,2%,\n'
    )
    found = read(text, "nvprof")
    assert (value(found, "ipc"), value(found, "eff")) == (2, 2)
    assert found.trials.input == ("./blur",)


def test_output_of_the_application_between_the_rows() -> None:
    rows = TEXT.splitlines()
    noisy = "\r\n".join(["hello, 1, 2", *rows[:8], 'step "3', "", "==3066== Warning: clocks differ", *rows[8:], "bye"])
    assert cells(read("\ufeff" + noisy, "nvprof")) == cells(read(TEXT, "nvprof"))
    assert "nvprof said '==3066== Warning: clocks differ'" in said(read(noisy, "nvprof"))


TRACE = (
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",'
    '"Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name","Correlation_ID"\n'
    "ms,us,,,,,,,,KB,B,KB,GB/s,,,,,,,\n"
    '0.000000,1.888000,,,,,,,,,,1.003906,0.507097,"Device",,"Ridge K40 (0)","1","7","[CUDA memset]",272\n'
    f'4.6,1536.5,16,2,1,128,1,1,32,1.5,64,,,,,"Ridge K40 (0)","1","22","{KERNEL}",316\n'
    f'5.6,1636.5,16,2,1,128,1,1,32,1.5,64,,,,,"Ridge K40 (0)","1","22","{KERNEL}",318\n'
)


def test_a_trace_gives_a_trial_per_launch() -> None:
    found = read(BANNER + TRACE, "nvprof")
    assert found.trials.application == ("[CUDA memset]", KERNEL, KERNEL)
    assert found.trials.input == ("1028 byte", *("grid 16x2x1, block 128x1x1",) * 2)
    assert found.trials.execution == ("launch 1", "launch 2", "launch 3")
    assert [value(found, "time_s", i) for i in range(3)] == pytest.approx([1.888e-6, 1.5365e-3, 1.6365e-3], rel=1e-15)
    assert value(found, "Static SMem", 1) == 1536
    assert value(found, "Dynamic SMem", 1) == 64
    assert value(found, "Registers Per Thread", 1) == 32
    assert facts(found) == {"Size": 1028}
    throughput = next(m for m in found.trials.metrics if m.name == "Throughput")
    assert throughput.kind is Kind.RESPONSE
    assert value(found, "Throughput") == pytest.approx(1028 / 1.888e-6, rel=1e-5)


def test_names_of_old_traces_lose_their_number() -> None:
    old = TRACE.replace(',"Correlation_ID"', "").replace(",316", "").replace(",318", "").replace(",272", "")
    old = old.replace(",,,,,,,\n", ",,,,,,\n").replace(f'"{KERNEL}"\n5', f'"{KERNEL} [94]"\n5')
    assert read(old, "nvprof").trials.application == ("[CUDA memset]", KERNEL, KERNEL)


PER_LAUNCH = (
    '"Device","Context","Stream","Kernel","inst_executed","Multiprocessor Activity","Multiprocessor Activity","Size Rate",'
    '"Busy","Busy","L2 Cache Utilization"\n'
    ",,,,,%,%,MB/s,,,\n"
    f'"Ridge K40 (0)","1","7","{KERNEL}",146,98.5,98.5,2.000000,1,3,"Low (1)"\n'
    f'"Ridge K40 (0)","1","7","{KERNEL}",147,97.5,97.5,3.000000,2,2,"Mid (4)"\n'
)


def test_metrics_launch_by_launch() -> None:
    found = read(BANNER + PER_LAUNCH, "nvprof")
    assert len(found.trials) == 2
    assert [value(found, "inst_executed", i) for i in (0, 1)] == [146, 147]
    assert (value(found, "Multiprocessor Activity"), unit(found, "Multiprocessor Activity")) == (98.5, "%")
    assert value(found, "Size Rate") == 2 * 2**20
    assert [value(found, "Busy [column 10]", i) for i in (0, 1)] == [3, 2]
    assert [value(found, "L2 Cache Utilization", i) for i in (0, 1)] == [1, 4]
    assert found.trials.input == ("./blur 512 2",) * 2


def test_a_summary_beside_metrics_gives_the_time() -> None:
    summary = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,us,us,us,\n'
    summary += f'"GPU activities",60.5,6.5,4,1625.5,1,2,"{KERNEL}"\n"GPU activities",39.5,1,1,1,1,1,"[CUDA memset]"\n'
    found = read(TEXT + BANNER + summary, "nvprof")
    assert found.trials.application == (KERNEL, "[CUDA memset]")
    assert value(found, "time_s") == pytest.approx(1625.5e-6)
    assert value(found, "ipc") == 1.674301
    after_trace = read(BANNER + TRACE + summary, "nvprof")
    assert len(after_trace.trials) == 3
    assert "a summary of launches that are here one by one" in said(after_trace)


PRINTED = (
    BANNER
    + """==19128== Event result:
Invocations                                Event Name         Min         Max         Avg       Total
Device "Ridge K40 (0)"
    Kernel: error(int, float*)
          1                            warps_launched        1024        1025        1024        1024

==19128== Metric result:
Invocations                       Metric Name                     Metric Description         Min         Max         Avg
Device "Ridge K40 (0)"
    Kernel: error(int, float*)
          1                 branch_efficiency                      Branch Efficiency     100.00%     100.00%     100.00%
          1              dram_read_throughput          Device Memory Read Throughput  1.5000GB/s  1.5000GB/s  1.5000GB/s
          1                shared_utilization              Shared Memory Utilization    Idle (0)    Idle (0)    Idle (0)
    Kernel: void reduce<unsigned int=1024>(float*, unsigned int)
       1000                 branch_efficiency                      Branch Efficiency     100.00%     100.00%      99.00%
"""
)
PRINTED_TRACE = """==27706== Profiling result:
   Start  Duration      Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput           Device   Context    Stream  Name
133.81ms  135.78us              -               -         -         -         -  400.00KB  3.0167GB/s    Ridge K40 (0)         1         2  [CUDA memcpy HtoD]
134.90ms  3.7058ms      (20 10 1)       (32 32 1)        29  8.0000KB        0B         -           -    Ridge K40 (0)         1         2  void mul<int=32>(float*, int) [94]

Regs: Number of registers used per CUDA thread.
"""


def test_tables_as_printed_for_people() -> None:
    assert readers_of(PRINTED.encode()) == ["nvprof"]
    found = read(PRINTED, "nvprof")
    assert found.trials.application == ("error(int, float*)", "void reduce<unsigned int=1024>(float*, unsigned int)")
    assert found.trials.machine == ("Ridge K40",) * 2
    assert value(found, "warps_launched") == 1024
    assert [value(found, "branch_efficiency", i) for i in (0, 1)] == [100, 99]
    assert value(found, "dram_read_throughput") == 1.5 * 2**30
    assert value(found, "shared_utilization") == 0


def test_a_trace_as_printed_for_people() -> None:
    found = read(PRINTED_TRACE, "nvprof")
    assert found.trials.application == ("[CUDA memcpy HtoD]", "void mul<int=32>(float*, int)")
    assert found.trials.input == ("409600 byte", "grid 20x10x1, block 32x32x1")
    assert value(found, "time_s", 1) == pytest.approx(3.7058e-3, rel=1e-15)
    assert (value(found, "Static SMem", 1), value(found, "Dynamic SMem", 1)) == (8192, 0)


def test_a_printed_header_without_its_columns_is_no_header() -> None:
    with pytest.raises(ReadError, match="holds only messages of nvprof"):
        read(PRINTED_TRACE.replace("Grid Size      Block Size", "Grid Size Block Size"), "nvprof")


def test_the_first_versions_counted_kilobytes_of_1000_bytes() -> None:
    """409.60 KB are whole only as 409,600 bytes, and 1.003906 KB only as 1,028."""
    old = PRINTED_TRACE.replace("400.00KB", "409.60KB").replace("8.0000KB", "8.1920KB")
    found = read(old, "nvprof")
    assert found.trials.input[0] == "409600 byte"
    assert value(found, "Static SMem", 1) == 8192
    assert value(found, "Throughput") == pytest.approx(3.0167e9)


REFUSED = {
    "error": (
        BANNER.splitlines()[0] + "\n==3066== Error: Internal profiling error 4167:35.\n",
        r"run7.csv holds only messages of nvprof and no measurements: '==3066== Error: Internal profiling error 4167:35.' \(line 2\)",
    ),
    "nothing": (
        "==9== NVPROF is profiling process 9, command: ./x\n==9== Profiling application: ./x\nNo kernels were profiled.\n",
        "'No kernels were profiled.' \\(line 3\\)",
    ),
    "header": (BANNER + METRICS + "\n", "line 5 has the column names of nvprof, but no whole row below"),
    "calls": (
        BANNER + '"Start","Duration","Name","Correlation_ID"\nus,us,,\n0.1,2.8,"cuDeviceGet",1\n',
        "times of the host's calls; there are no kernels",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_holds_no_measurement_is_refused_in_one_sentence(case: str) -> None:
    text, sentence = REFUSED[case]
    assert readers_of(text.encode()) == ["nvprof"]
    with pytest.raises(ReadError, match=sentence):
        read(text, "nvprof")


@pytest.mark.parametrize(
    "text", [TEXT, TRACE, PER_LAUNCH, BANNER + TRACE, METRICS.replace('"', "") + "\n"], ids=range(5)
)
def test_exactly_one_reader_takes_it(text: str) -> None:
    assert readers_of(text.encode()) == ["nvprof"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Device,Kernel\na,b\n",
        "==12== Memcheck, a memory error detector\n==12== Command: x\n",
        "Start,Duration\n1,2\n",
    ],
)
def test_other_files_are_not_taken(text: str) -> None:
    assert not Nvprof().sniff(text.encode())


def test_a_file_that_breaks_off_keeps_what_is_whole() -> None:
    found = read(TEXT[: TEXT.rindex("911390400,911390400")], "nvprof")
    assert value(found, "l2_utilization") == 7
    assert "line 19: not read: the row has 7 cells, the table 8 columns" in said(found)
    assert "its last row (line 19) was taken as it stands" in said(read(TEXT[:-4], "nvprof"))


@pytest.mark.slow
def test_damage_never_changes_untouched_rows() -> None:
    whole = [key for key in cells(read(TEXT, "nvprof")) if key[-1] != "trial"]
    by_line = {n: {k for k in whole if f'"{k[-1]}"' in row} for n, row in enumerate(TEXT.splitlines(), start=1)}
    by_line[1] = by_line[6] = by_line[12] = set(whole)
    for n in [*range(7, 9), *range(13, 20)]:
        by_line[n] = by_line.get(n, set()) | {k for k in whole if k[-1] in ("Invocations", "inst_executed")}
    check_damaged(TEXT, "nvprof", by_line, seed=3, n=300)


@pytest.mark.slow
def test_damage_to_traces() -> None:
    for text in (BANNER + TRACE, BANNER + PER_LAUNCH, PRINTED, PRINTED_TRACE):
        check_damaged(text, "nvprof", {n: set(cells(read(text, "nvprof"))) for n in range(1, 24)}, seed=5, n=120)


def test_a_real_file_of_metrics_and_events(real_data: Path) -> None:
    raw = (real_data / "formats" / "nvprof" / "csv_metrics_k20c_cheby_untiled.csv").read_bytes()
    assert readers_of(raw) == ["nvprof"]
    found = read(raw, "nvprof")
    assert len(found.trials) == 1
    assert found.trials.machine == ("Tesla K40c",)
    assert found.trials.input == ("./untiled",)
    assert len(found.trials.metrics) == 262
    assert found.trials.labels["invocations"] == ("4",)
    assert value(found, "tex0_cache_sector_queries") == 335724759
    assert value(found, "dram_read_throughput") == 43.996615 * 2**30
    assert value(found, "l2_utilization") == 7
    assert value(found, "ipc") == 1.674301
