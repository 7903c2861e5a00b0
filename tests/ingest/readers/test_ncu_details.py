"""Nsight Compute, details page: each trap of its files, and files that are damaged."""

import gzip
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest import Part, SourceFile
from core.ingest.joining.gather import gather
from core.ingest.readers.ncu import NcuDetails
from core.trial import Kind
from tests.ingest.nvidia_files import (
    KERNEL,
    LONG,
    LONG_2020,
    RULES,
    cells,
    check_damaged,
    facts,
    launch,
    long_file,
    names,
    quoted,
    read,
    readers_of,
    said,
    unit,
    value,
)

SOL, MEM, STATS = "GPU Speed Of Light Throughput", "Memory Workload Analysis", "Launch Statistics"
METRICS = [
    (SOL, "DRAM Frequency", "hz", "6,321,456,789.12"),
    (SOL, "Elapsed Cycles", "cycle", "1,234,567"),
    (SOL, "Memory Throughput", "%", "61.84"),
    (SOL, "Duration", "ns", "21,058"),
    (MEM, "Memory Throughput", "byte/s", "196,456,177.63"),
    (STATS, "Function Cache Configuration", "", "CachePreferNone"),
    (STATS, "Registers Per Thread", "register/thread", "32"),
]
TWO = long_file(*launch(METRICS), *launch([(s, n, u, v.replace("1", "2")) for s, n, u, v in METRICS], 1))


def test_the_gpu_that_the_application_printed_is_the_machine() -> None:
    found = read("device: NVIDIA GeForce RTX 5070 (sm_120), 48 SMs\n" + TWO, "ncu_details")
    assert found.trials.machine == ("NVIDIA GeForce RTX 5070",) * 2
    assert "'NVIDIA GeForce RTX 5070', which the application printed (line 1)" in found.warnings[0]
    several = read("device 0: NVIDIA A\ndevice 1: NVIDIA B\n" + TWO, "ncu_details")
    assert several.trials.machine == ("", "")


def test_a_launch_is_a_trial_with_its_time_shape_and_counters() -> None:
    found = read(TWO, "ncu_details")
    trials = found.trials
    assert trials.application == (KERNEL, KERNEL)
    assert trials.input == ("grid 64x2x1, block 128x1x1",) * 2
    assert trials.execution == ("launch 0", "launch 1")
    assert trials.where == ("line 2", "line 9")
    assert value(found, "time_s") == 21058e-9
    assert unit(found, "time_s") == "s"
    assert found.original_units["time_s"] == "ns"
    assert next(m.kind for m in trials.metrics if m.name == "time_s") is Kind.RESPONSE
    assert "Duration" not in names(found)
    assert value(found, "DRAM Frequency") == 6321456789.12
    assert unit(found, "DRAM Frequency") == "Hz"
    assert value(found, "Elapsed Cycles") == 1234567.0
    assert value(found, "Elapsed Cycles", 1) == 2234567.0
    assert trials.labels["Function Cache Configuration"][0] == "CachePreferNone"
    assert trials.labels["compute capability"][0] == "8.6"


def test_launch_sizes_are_deterministic() -> None:
    assert facts(read(TWO, "ncu_details")) == {
        "grid_size_x": 64,
        "grid_size_y": 2,
        "grid_size_z": 1,
        "block_size_x": 128,
        "block_size_y": 1,
        "block_size_z": 1,
    }


def test_one_name_in_two_sections_with_two_units_is_two_metrics() -> None:
    found = read(TWO, "ncu_details")
    assert value(found, "Memory Throughput") == 61.84
    assert value(found, "Memory Throughput [byte/s]") == 196456177.63
    backwards = read(long_file(*launch(METRICS[::-1])), "ncu_details")
    assert value(backwards, "Memory Throughput") == 61.84
    alone = read(long_file(*launch(METRICS[4:])), "ncu_details")
    assert value(alone, "Memory Throughput [byte/s]") == 196456177.63


def test_one_name_in_two_sections_with_other_values_names_the_section() -> None:
    rows = [("A", "Busy", "%", "1.5"), ("B", "Busy", "%", "1.5"), ("A", "Idle", "%", "2"), ("B", "Idle", "%", "2")]
    other = [("A", "Busy", "%", "3.5"), ("B", "Busy", "%", "4.5"), ("A", "Idle", "%", "5"), ("B", "Idle", "%", "5")]
    found = read(long_file(*launch(rows), *launch(other, 1)), "ncu_details")
    assert names(found) == {"Busy", "Busy [B]", "Idle"}
    assert [value(found, "Busy", i) for i in (0, 1)] == [1.5, 3.5]
    assert [value(found, "Busy [B]", i) for i in (0, 1)] == [1.5, 4.5]


def test_units_that_change_between_rows_are_one_metric() -> None:
    text = long_file(
        *launch([("C", "dram__bytes.sum", "Mbyte", "2.5"), ("C", "shared", "Kbyte/block", "65.54")]),
        *launch([("C", "dram__bytes.sum", "Kbyte", "640"), ("C", "shared", "byte/block", "32")], 1),
        *launch([("C", "dram__bytes.sum", "", "n/a"), ("C", "shared", "", "0.5")], 2),
    )
    found = read(text, "ncu_details")
    assert [value(found, "dram__bytes.sum", i) for i in (0, 1)] == [2.5e6, 640e3]
    assert value(found, "shared") == pytest.approx(65540)
    assert unit(found, "shared") == "byte/block"
    assert value(found, "shared", 1) == 32


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [
        ("nsecond", 1e-9),
        ("usecond", 1e-6),
        ("msecond", 1e-3),
        ("second", 1.0),
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
    ],
)
def test_times_of_both_generations(printed: str, seconds: float) -> None:
    found = read(long_file(*launch([("C", "gpu__time_duration.sum", printed, "12.50")])), "ncu_details")
    assert value(found, "time_s") == pytest.approx(12.5 * seconds, rel=1e-15)


def test_another_program_calls_the_time_of_a_launch_time() -> None:
    found = read(long_file(*launch([("C", "SQ_WAVES", "", "96"), ("C", "time", "us", "76648.5")])), "ncu_details")
    assert value(found, "time_s") == 0.0766485
    assert found.trials.metrics[-1].kind is Kind.RESPONSE


def test_header_of_2020_with_kernel_time_and_no_shape() -> None:
    head = (0, 4242, "blur", "127.0.0.1", KERNEL, "2020-Oct-23 13:41:16", 1, 18)
    rows = [
        quoted(*head, "GPU Speed Of Light", "SOL FB", "%", "39.60"),
        quoted(*head, "GPU Speed Of Light", "Memory [%]", "%", "64.05"),
        quoted(*head, "GPU Speed Of Light", "SM Frequency", "cycle/nsecond", "1.31"),
        quoted(*head, "GPU Speed Of Light", "Duration", "usecond", "11.38"),
        quoted(*head, "Launch Statistics", "Grid Size", "", "1,024"),
        quoted(*head, "Launch Statistics", "Block Size", "", "256"),
    ]
    found = read(long_file("", *rows, header=LONG_2020), "ncu_details")
    assert value(found, "time_s") == pytest.approx(11.38e-6, rel=1e-15)
    assert (value(found, "SM Frequency"), unit(found, "SM Frequency")) == (1.31e9, "Hz")
    assert value(found, "Memory [%]") == 64.05
    assert found.trials.input == ("grid 1024, block 256",)
    assert not any("2020" in text[0] for text in found.trials.labels.values())


def test_resaved_by_a_spreadsheet() -> None:
    """No quotes but where needed, no groups, a semicolon for the comma, empty cells at the ends."""
    plain = 'ID,Process ID,Kernel Name,Section Name,Metric Name,Metric Unit,Metric Value,\r\n0,1,"k(int, int)",S,m,inst,123456.5,\r\n'
    assert value(read(plain, "ncu_details"), "m") == 123456.5
    german = plain.replace(",", ";").replace("k(int; int)", "k(int, int)").replace("123456.5", "123456,5")
    found = read(german, "ncu_details")
    assert value(found, "m") == 123456.5
    assert found.trials.application == ("k(int, int)",)
    assert "decimal comma" in said(found)


def test_rules_are_skipped_and_short_rows_read() -> None:
    rows = launch(METRICS)
    head = rows[0].split(',"GPU')[0]
    rule = (
        head + "," + quoted("SpeedOfLight", "", "", "", "SOLBottleneck", "OPT", 'Look, at "this", 5%', "local", "98.86")
    )
    rows = [f"{row}," for row in rows]
    found = read(long_file(*rows[:3], rule, *rows[3:], rule, header=RULES), "ncu_details")
    assert cells(found) == {k: v for k, v in cells(read(TWO, "ncu_details")).items() if k[3] == "launch 0"}
    assert "line 5 and more: 2 rows of the tool's advice (SOLBottleneck)" in said(found)


def test_only_rules() -> None:
    head = launch(METRICS)[0].split(',"GPU')[0]
    rule = head + "," + quoted("SpeedOfLight", "", "", "", "SOLBottleneck", "OPT", "text", "", "")
    with pytest.raises(ReadError, match="holds only 1 rows of Nsight Compute's rules and no metrics"):
        read(long_file(rule, header=RULES), "ncu_details")


def test_banners_application_output_mark_and_line_ends() -> None:
    """What PowerShell, tee and gzip make of it: the values stay the same."""
    rows = TWO.splitlines()
    noisy = [
        "==PROF== Connected to process 4242 (/usr/bin/blur)",
        'says "hello, world',
        "\x1b[32mPASS\x1b[0m 3, 4, 5",
        "ID 7",
        *rows[:5],
        "iteration 3: 1,2,3",
        '==PROF== Profiling "blur" - 0: 0%....50%....100% - 8 passes',
        "",
        *rows[5:],
        "==WARNING== Found outstanding GPU clock reset, trying to revert...Success.",
        "done, 5 ms",
        "1, 2",
    ]
    found = read("\n".join(noisy), "ncu_details")
    assert cells(found) == cells(read(TWO, "ncu_details"))
    assert "line 1: messages of Nsight Compute: '==PROF== Connected" in said(found)
    assert "lines 2-4: output of the application: 'says \"hello, world'" in said(found)
    assert "line 23: Nsight Compute said '==WARNING== Found outstanding" in said(found)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "gzip"])
def test_what_shells_make_of_it(encoding: str) -> None:
    text = "\r\n".join(["==PROF== Connected to process 4242", "größe: 4,5", *TWO.splitlines(), ""])
    raw = gzip.compress(text.encode(), mtime=0) if encoding == "gzip" else text.encode(encoding)
    assert cells(read(raw, "ncu_details")) == cells(read(TWO, "ncu_details"))


def test_repeated_messages_are_said_once() -> None:
    lines = ["==WARNING== slow"] * 3 + [f"==ERROR== number {i}" for i in range(12)]
    found = read("\n".join([*lines, TWO]), "ncu_details")
    assert "line 1: Nsight Compute said '==WARNING== slow' (3 times)" in said(found)
    assert "said 3 further errors or warnings" in said(found)
    assert len(found.warnings) == 11


def test_output_without_a_line_end_before_header_and_row() -> None:
    rows = TWO.splitlines()
    glued = "\n".join([f"All done.{rows[0]}", rows[1], f"50 %{rows[2]}", *rows[3:]]) + "\n"
    assert cells(read(glued, "ncu_details")) == cells(read(TWO, "ncu_details"))


@pytest.mark.parametrize(
    "kernel",
    [
        "k<\"a, b\", 'c'>(int)",
        "k(int,\nfloat)",
        "_Z4blurPKfPfi",
        "void (anonymous namespace)::k()",
        "größe()",
        "",
        "x" * 6000,
    ],
    ids=["quotes", "line end", "mangled", "anonymous", "umlaut", "empty", "long"],
)
def test_kernel_names_are_kept_letter_for_letter(kernel: str) -> None:
    found = read(long_file(*launch(METRICS, kernel=kernel), *launch(METRICS, 1)), "ncu_details")
    assert found.trials.application == (kernel, KERNEL)
    assert value(found, "Elapsed Cycles") == 1234567


def test_quotes_that_are_not_doubled() -> None:
    text = TWO.replace(KERNEL, 'k["a", 3](int, int)')
    assert read(text, "ncu_details").trials.application[0] == 'k["a", 3](int, int)'


def test_two_devices_and_two_processes_are_told_apart() -> None:
    one = launch([("C", "m", "", "1"), ("C", "device__attribute_display_name", "", "GeForce A")])
    two = [row.replace('"0","8.6"', '"1","7.0"').replace("GeForce A", "Tesla B") for row in one]
    two = [row.replace('"4242"', '"4243"').replace('"C","m","","1"', '"C","m","","2"') for row in two]
    found = read(long_file(*one, *two), "ncu_details")
    assert found.trials.machine == ("GeForce A", "Tesla B")
    assert found.trials.labels["device"] == ("0", "1")
    assert [value(found, "m", i) for i in (0, 1)] == [1, 2]


@pytest.mark.parametrize("text", ["n/a", "(!) n/a", "nan", "", "-nan(ind)", "inf"])
def test_not_counted_is_missing(text: str) -> None:
    found = read(long_file(*launch([("C", "a", "inst", text), ("C", "b", "inst", "0")])), "ncu_details")
    assert names(found) == {"b"}
    assert value(found, "b") == 0
    assert "'a'" in said(found) or "empty for every launch: a" in said(found)


def test_instances_behind_the_total_are_left_out() -> None:
    rows = [("C", "a", "inst", "1,260 (700; 560)"), ("C", "b", "inst", "35 (0: 12; 1: 23)")]
    found = read(long_file(*launch(rows)), "ncu_details")
    assert (value(found, "a"), value(found, "b")) == (1260, 35)
    assert "single instances" in said(found)


@pytest.mark.parametrize(
    ("big", "small"),
    [
        ("12.319.469,50", "61,84"),
        ("12 319 469,50", "61,84"),
        ("12'319'469.50", "61.84"),
        ("12,319,469.50", "61.84"),
        ("12\u202f319\u202f469,50", "61,84"),
        ("12319469.50", "61.84"),
    ],
)
def test_thousands_and_decimals_of_other_places(big: str, small: str) -> None:
    found = read(long_file(*launch([("C", "a", "", big), ("C", "b", "", small)])), "ncu_details")
    assert (value(found, "a"), value(found, "b")) == (12319469.5, 61.84)
    assert ("decimal comma" in said(found)) == ("," in small)


def test_integers_beyond_exact_floats_are_no_numbers() -> None:
    found = read(long_file(*launch([("C", "mask", "", "18446744073709551615"), ("C", "b", "", "1")])), "ncu_details")
    assert names(found) == {"b"}
    assert found.trials.labels["mask"] == ("18446744073709551615",)


def test_print_metric_name_and_fp_and_repeated_times() -> None:
    rows = [
        ("C", "Duration gpu__time_duration.sum", "ns", "12800.00"),
        (SOL, "gpu__time_duration.sum", "us", "12.80"),
        (SOL, "gpu__time_duration.max", "us", "12.80"),
        ("C", "gpu__time_active.avg", "us", "11.00"),
    ]
    found = read(long_file(*launch(rows)), "ncu_details")
    assert value(found, "time_s") == pytest.approx(12.8e-6, rel=1e-12)
    assert names(found) == {"time_s", "gpu__time_active.avg"}
    assert {m.kind for m in found.trials.metrics} == {Kind.RESPONSE}


def test_a_time_without_a_unit_is_not_taken_for_seconds() -> None:
    found = read(long_file(*launch([("C", "gpu__time_duration.sum", "", "12,800")])), "ncu_details")
    assert names(found) == {"gpu__time_duration.sum"}
    assert "has no unit, so that it is not known in seconds" in said(found)


def test_a_second_capture_below_the_first_gives_further_trials() -> None:
    found = read(TWO + "==PROF== Disconnected\n" + TWO.replace("1,234,567", "1,234,999"), "ncu_details")
    assert len(found.trials) == 4
    assert [value(found, "Elapsed Cycles", i) for i in range(4)] == [1234567, 2234567, 1234999, 2234567]
    assert "holds 2 captures (from lines 1, 17)" in said(found)


def test_a_second_pass_below_the_first_is_joined() -> None:
    more = [("C", "inst", "inst", "5")]
    text = TWO + long_file(*launch(more), *launch([("C", "inst", "inst", "6")], 1))
    found = read(text, "ncu_details")
    assert len(found.trials) == 2
    assert [value(found, "inst", i) for i in (0, 1)] == [5, 6]
    assert "further pass" in said(found)


def test_passes_in_several_files_are_joined_by_launch() -> None:
    other = long_file(*launch([("C", "inst", "inst", "5")], process=77), *launch([("C", "inst", "inst", "6")], 1))
    parts = [Part(SourceFile(n, t.encode()), NcuDetails()) for n, t in (("a.csv", TWO), ("b.csv", other))]
    (found,) = gather(parts).imports
    assert len(found.trials) == 2
    assert [value(found, "inst", i) for i in (0, 1)] == [5, 6]
    assert value(found, "time_s", 1) == pytest.approx(22058e-9)


def test_a_value_said_twice_is_not_taken_twice() -> None:
    rows = launch([("C", "a", "", "1"), ("C", "a", "", "2"), ("C", "b", "", "3"), ("C", "b", "", "3")])
    found = read(long_file(*rows), "ncu_details")
    assert (value(found, "a"), value(found, "b")) == (1, 3)
    assert "line 3: 'a' a second time for this launch: 2, after 1" in said(found)


def test_summaries_per_kernel() -> None:
    header = (*LONG[1:5], *LONG[7:11], "Invocations", *LONG[11:14], "Minimum", "Maximum", "Average")
    head = (4242, "blur", "127.0.0.1", KERNEL, "(128, 1, 1)", "(64, 2, 1)", 0, "8.6", 14)
    rows = [quoted(*head, SOL, "Duration", "us", "1.50", "3.50", "2.50"), quoted(*head, SOL, "m", "", "1", "3", "2")]
    found = read(long_file(*rows, header=header), "ncu_details")
    assert value(found, "time_s") == pytest.approx(2.5e-6)
    assert value(found, "m") == 2
    assert found.trials.labels["invocations"] == ("14",)
    assert "the average over the launches is taken" in said(found)


def test_nvtx_columns_may_stand_anywhere() -> None:
    nvtx = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
    header = (*LONG[:4], nvtx, *LONG[4:])
    row = quoted(
        0,
        1,
        "p",
        "node17",
        "<default domain>:blur:none",
        KERNEL,
        1,
        7,
        "(1, 1, 1)",
        "(2, 1, 1)",
        0,
        "9.0",
        "S",
        "m",
        "",
        "4",
    )
    found = read(long_file(row, header=header), "ncu_details")
    assert value(found, "m") == 4
    assert found.trials.labels["NVTX range"] == ("<default domain>:blur:none",)
    assert found.trials.labels["host"] == ("node17",)


REFUSED = {
    "permission": (
        "==PROF== Connected to process 9 (/usr/bin/x)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"
        "==PROF== Disconnected from process 9\n",
        r"run7.csv holds only messages of Nsight Compute and no measurements: '==ERROR== ERR_NVGPUCTRPERM - The user "
        r"does not have permission' \(line 2\). Run the capture again.",
    ),
    "no kernels": (
        "==PROF== Connected to process 9\nhi\n==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. k(int)\n",
        "No kernels were profiled",
    ),
    "traceback": (
        '==PROF== Connected to process 9\nTraceback (most recent call last):\n  File "a.py", line 1\n'
        "RuntimeError: CUDA out of memory\n==PROF== Disconnected from process 9\n",
        "'RuntimeError: CUDA out of memory'",
    ),
    "header only": (
        long_file() + "==ERROR== Failed to profile kernel\n",
        "line 1 has the column names of Nsight Compute, but no whole row below",
    ),
    "cut in its first row": (TWO[: TWO.index("DRAM")], "no whole row below"),
    "source page": (
        '"Kernel Name","k"\n"#","Address","Source","Warp Stall Sampling (All Samples)"\n"1","0","x","2"\n',
        "the source page, one row per instruction",
    ),
    "no unit column": (
        long_file().replace('"Metric Unit",', "") + "0,1\n",
        "a table of metrics without the column 'Metric Unit'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_holds_no_measurement_is_refused_in_one_sentence(case: str) -> None:
    text, sentence = REFUSED[case]
    assert readers_of(text.encode()) == ["ncu_details"]
    with pytest.raises(ReadError, match=sentence):
        read(text, "ncu_details")


PRINTED = """==PROF== Connected to process 3300 (/usr/bin/blur)
==PROF== Profiling "blur" - 0: 0%....50%....100% - 9 passes
==PROF== Disconnected from process 3300
[3300] blur@127.0.0.1
  void blur<float, 3>(const float *, float *, int) (64, 2, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 7.0
    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    DRAM Frequency                  Ghz         6.24
    Elapsed Cycles                cycle       51,058
    Duration                         us        63.78
    ----------------------- ----------- ------------

    OPT   This kernel grid is too small to fill the available resources, resulting in only 0.1 full
          waves across all SMs.

    Section: Command line profiler metrics
    ---------------------------- ----------- -----------------
    lts__average.avg                                   (!) n/a
    launch__func_cache_config                  CachePreferNone
    smsp__inst_executed.sum             inst       203,816,960
    ---------------------------- ----------- -----------------

  void blur<float, 3>(const float *, float *, int), 2020-Sep-30 10:11:23, Context 1, Stream 9
    Section: GPU Speed Of Light
    ----------------------------------- --------------- ----------------
    Memory Frequency                      cycle/nsecond             1.69
    Duration                                    msecond             1.75
    ----------------------------------- --------------- ----------------
"""


def test_the_report_as_printed_for_people() -> None:
    assert readers_of(PRINTED.encode()) == ["ncu_details"]
    found = read(PRINTED, "ncu_details")
    assert found.trials.application == (KERNEL, KERNEL)
    assert found.trials.input == ("grid 64x2x1, block 128x1x1", "")
    assert found.trials.execution == ("launch 0", "launch 1")
    assert [value(found, "time_s", i) for i in (0, 1)] == pytest.approx([63.78e-6, 1.75e-3], rel=1e-15)
    assert value(found, "Elapsed Cycles") == 51058
    assert value(found, "smsp__inst_executed.sum") == 203816960
    assert (value(found, "Memory Frequency", 1), unit(found, "Memory Frequency")) == (1.69e9, "Hz")
    assert found.trials.labels["launch__func_cache_config"] == ("CachePreferNone", "")
    assert "lts__average.avg" in said(found)


def test_the_printed_summary_over_launches() -> None:
    for head in ("Block Size 128, Grid Size 64, Device 0, 3 invocations ", "Device 0, CC 8.6, Invocations 3"):
        text = f"""==PROF== Disconnected from process 4
[4] app@127.0.0.1
  blur(const float *, int), {head}
    Section: GPU Speed Of Light
    Metric Name             Metric Unit Minimum    Maximum    Average
    ----------------------- ----------- ---------- ---------- ----------
    gpc__cycles_elapsed.max cycle       100.000000 300.000000 200.500000
    gpu__time_duration.sum  msecond     1.000000   3.000000   2.500000
"""
        assert readers_of(text.encode()) == ["ncu_details"]
        found = read(text, "ncu_details")
        assert found.trials.application == ("blur(const float *, int)",)
        assert found.trials.labels["invocations"] == ("3",)
        assert value(found, "time_s") == pytest.approx(2.5e-3, rel=1e-15)
        assert "'Minimum', 'Maximum': the average over the launches is taken" in said(found)


@pytest.mark.parametrize(
    "text", [TWO, "==PROF== x\n" * 50 + TWO, TWO.replace('"', "").replace("<float, 3>", "")], ids=range(3)
)
def test_exactly_one_reader_takes_it(text: str) -> None:
    assert readers_of(text.encode()) == ["ncu_details"]
    assert readers_of(text.encode()[: text.index("Cycles")]) == ["ncu_details"]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "ID,Kernel Name,time\n1,k,2\n", "==4== Cachegrind, a profiler\n"])
def test_other_files_are_not_taken(text: str) -> None:
    assert not NcuDetails().sniff(text.encode())


def test_a_file_that_breaks_off_keeps_what_is_whole() -> None:
    found = read(TWO[: TWO.rindex("register/thread")], "ncu_details")
    assert value(found, "Elapsed Cycles", 1) == 2234567
    assert "line 15: not read: the row has quotes that do not close" in said(found)
    bare = "ID,Process ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,1,k,a,inst,1234\n0,1,k,b,inst,12"
    assert "its last row (line 3) was taken as it stands" in said(read(bare, "ncu_details"))


@pytest.mark.slow
def test_damage_never_changes_untouched_rows() -> None:
    whole = read(TWO, "ncu_details")
    keys = [key for key in cells(whole) if key[-1] != "trial"]
    by_line = {1: set(keys)}
    for n, row in enumerate(TWO.splitlines()[1:], start=2):
        execution = f"launch {row[1]}"
        by_line[n] = {
            k
            for k in keys
            if k[3] == execution
            and (
                k[5] in row
                or (k[5] == "time_s" and "Duration" in row)
                or (k[5].startswith("Memory Throughput") and "Memory Throughput" in row)
            )
        }
    check_damaged(TWO, "ncu_details", by_line, seed=7, n=400)


@pytest.mark.slow
def test_damage_to_a_printed_report() -> None:
    whole = [key for key in cells(read(PRINTED, "ncu_details")) if key[-1] != "trial"]
    by_line = {n: {k for k in whole if k[-1] in row} for n, row in enumerate(PRINTED.splitlines(), start=1)}
    for n, row in enumerate(PRINTED.splitlines(), start=1):
        if "Duration" in row:
            by_line[n] |= {k for k in whole if k[-1] == "time_s"}
        if row.startswith(("  void", "    ---", "    Section", "    Metric Name")):
            by_line[n] = set(whole)
    check_damaged(PRINTED, "ncu_details", by_line, seed=23, n=300)


class TestRealFiles:
    """Files that the tool wrote on other people's machines."""

    @pytest.fixture
    def folder(self, real_data: Path) -> Path:
        return real_data / "formats" / "ncu"

    def test_metrics_with_mark_banner_and_output(self, folder: Path) -> None:
        raw = (folder / "long_metrics_rtx5070_bom_banner_appoutput.csv").read_bytes()
        assert readers_of(raw.removeprefix(b"\xef\xbb\xbf")) == ["ncu_details"]
        found = read(raw, "ncu_details")
        assert len(found.trials) == 1
        assert len(found.trials.metrics) == 12
        assert value(found, "time_s") == pytest.approx(292928e-9, rel=1e-15)
        assert value(found, "dram__bytes_op_read.sum") == 134221568
        assert found.trials.input == ("grid 65536x1x1, block 256x1x1",)

    def test_details_with_rules(self, folder: Path) -> None:
        raw = (folder / "long_details_rules_copy_blocked.csv").read_bytes()
        assert readers_of(raw) == ["ncu_details"]
        found = read(raw, "ncu_details")
        assert len(found.trials) == 1
        assert len(found.trials.metrics) == 71
        assert value(found, "DRAM Frequency") == 4963609951.19
        assert value(found, "Memory Throughput") == 61.84
        assert value(found, "Memory Throughput [byte/s]") == 196456177859.63
        assert value(found, "time_s") == pytest.approx(21058944e-9, rel=1e-15)
        assert "11 rows of the tool's advice" in said(found)

    def test_failed_capture(self, folder: Path) -> None:
        raw = (folder / "failed_run_banner_only.csv").read_bytes()
        assert readers_of(raw) == ["ncu_details"]
        with pytest.raises(ReadError, match=r"'==ERROR== The application returned an error code \(1\).' \(line 3\)"):
            read(raw, "ncu_details")
