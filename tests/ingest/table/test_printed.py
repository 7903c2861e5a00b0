"""What benchmark programs print, read as the tables that it is."""

from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest import SourceFile, Table, read_table
from core.ingest.table.table import stream_table

SIZES = (8, 64, 512)


def table(text: str) -> Table:
    return read_table(SourceFile("bench.txt", text.encode()))


def columns(found: Table) -> dict[str, list[str]]:
    return {name: list(found.columns[i].texts()) for i, name in enumerate(found.names)}


def google(scale: float, name: str = "BM_sort") -> str:
    rule = "-" * 61
    rows = "".join(f"{name}/{n:<16}{n * scale:>9.0f} ns {n * scale - 1:>12.0f} ns {9000 // n:>10}\n" for n in SIZES)
    head = "Run on (8 X 1391 MHz CPU s)\nLoad Average: 9.56, 9.18, 8.93\n"
    return f"{head}{rule}\nBenchmark                Time             CPU   Iterations\n{rule}\n{rows}"


def test_google_benchmark() -> None:
    found = table(google(12) + "BM_bad ERROR OCCURRED: 'no memory'\n")
    assert columns(found) == {
        "Benchmark": ["BM_sort"] * 3,
        "Time": ["96", "768", "6144"],
        "CPU": ["95", "767", "6143"],
        "Iterations": ["1125", "140", "17"],
        "argument 1": ["8", "64", "512"],
    }
    assert found.units[1:3] == ("ns", "ns")
    assert found.lines.tolist() == [6, 7, 8]
    assert len(table(google(12) + "all done\n")) == 3


def test_runs_of_one_program_are_repeats_or_told_apart_by_their_headings() -> None:
    again = table(google(12) + "\n" + google(13))
    assert (len(again), "heading" in again.names) == (6, False)
    titled = table(f"**one core**\n```\n{google(12)}```\n**all cores**\n```\n{google(3)}```\n")
    assert columns(titled)["heading"] == ["one core"] * 3 + ["all cores"] * 3
    other = table(f"{google(12)}\n{google(13).replace('Iterations', 'Rounds')}")
    assert len(other) == 3
    assert "1 more below it were not" in other.warnings[0]


def test_pytest_benchmark() -> None:
    rows = "".join(f"test_sort[{n}-x] {n:>10.1f} (1.0) {n * 2:>10.1f} ({n / 2:.1f}) {9:>6}\n" for n in SIZES)
    found = table(
        f"{'-' * 20} benchmark: 3 tests {'-' * 20}\nName (time in us)    Min       Mean     Rounds\n{'-' * 60}\n{rows}{'-' * 60}\n"
    )
    assert (found.names[:4], found.units[1:3]) == (("Name", "Min", "Mean", "Rounds"), ("us", "us"))
    assert columns(found)["Mean"] == ["16.0", "128.0", "1024.0"]


@pytest.mark.parametrize("gap", [" ", "    "])
@pytest.mark.parametrize("whole", [True, False])
def test_jmh(whole: bool, gap: str) -> None:
    rows = [("Maps.get", n, 8.0 + n, "10" if whole else "", f"±{gap}{n / 50:.3f}" if whole else "") for n in SIZES]
    text = "Benchmark  (size)  Mode  Cnt  Score  Error  Units\n"
    found = table(text + "".join(f"{b:<9}{n:>8}  avgt {cnt:>4} {s:>8.3f} {e} ns/op\n" for b, n, s, cnt, e in rows))
    said = columns(found)
    assert found.names == ("Benchmark", "size", "Mode", "Cnt", "Score", "Error", "Units")
    assert (said["size"], said["Score"]) == (["8", "64", "512"], ["16.000", "72.000", "520.000"])
    assert said["Error"] == (["0.160", "1.280", "10.240"] if whole else [""] * 3)


def test_go() -> None:
    rows = "".join(f"BenchmarkSort/size-{n}-4 \t {9000 // n:8d}\t {n * 20:10.1f} ns/op\t {n * 8} B/op\n" for n in SIZES)
    found = table(
        f"goos: linux\ncpu: Intel(R) Xeon(R) CPU @ 2.20GHz\n{rows}BenchmarkBare 10 5 ns/op\nPASS\nok x 5.2s\n"
    )
    said = columns(found)
    assert (said["benchmark"], said["size"]) == (["Sort"] * 3 + ["Bare"], ["8", "64", "512", ""])
    assert (said["procs"], said["B/op"]) == (["4", "4", "4", "1"], ["64", "512", "4096", ""])
    only = columns(table(f"goos: linux\n{rows}PASS\n"))
    assert (only["benchmark"], only["size"]) == (["Sort"] * 3, ["8", "64", "512"])


SIMPLE = """  size    threads    time_ms
------  ---------  ---------
   128          1       0.12
   256                  0.92
"""


def test_tables_with_a_line_below_each_name_stand_between_other_lines() -> None:
    said = {"size": ["128", "256"], "threads": ["1", ""], "time_ms": ["0.12", "0.92"]}
    assert columns(table(f"Running on node01\ncompiled by gcc 11.2\n\n{SIMPLE}\nAll tests passed.\n")) == said
    assert columns(table(SIMPLE)) == said
    again = SIMPLE.replace("0.12", "0.07")
    told = columns(table(f"Started\n\nnaive kernel:\n{SIMPLE}\ntiled kernel:\n{again}\nDone.\n"))
    assert told["heading"] == ["naive kernel"] * 2 + ["tiled kernel"] * 2
    assert told["time_ms"] == ["0.12", "0.92", "0.07", "0.92"]
    assert columns(table(f"Results:\n{SIMPLE}\nResults:\n{again}"))["time_ms"] == ["0.12", "0.92", "0.07", "0.92"]


def test_cells_wider_than_the_line_below_their_name() -> None:
    ior = """access    bw(MiB/s)  IOPS       total(s)   iter
------    ---------  ----       --------   ----
write     2140.33    2141.00    7.65       0
read      4312.50    4313.10    3.80       0

Max Write: 2155.90 MiB/sec (2260.62 MB/sec)
"""
    found = columns(table(f"IOR-3.3.0\n\nOptions:\napi      : POSIX\n\nResults:\n\n{ior}"))
    assert (found["access"], found["IOPS"]) == (["write", "read"], ["2141.00", "4313.10"])
    shell = (
        "PS C:\\> Get-Bench\n\nName    Size Seconds\n----    ---- -------\nnaive    128    0.12\ntiled  51200   17.12\n"
    )
    assert columns(table(shell)) == {"Name": ["naive", "tiled"], "Size": ["128", "51200"], "Seconds": ["0.12", "17.12"]}


def test_a_name_with_blanks_that_is_wider_than_the_line_below_it_moves_its_row() -> None:
    rows = "gemm         1.5ms       10\nvoid fused gemm        2.5ms       20\n"
    found = columns(table(f"Name            Time    Calls\n--------  --------  -------\n{rows}"))
    assert (found["Name"], found["Calls"]) == (["gemm", "void fused gemm"], ["10", "20"])


def test_a_frame_that_pandas_printed_stands_between_other_lines() -> None:
    frame = "   kernel  size  time_ms\n0   naive   256     0.12\n1   tiled   512     0.31\n"
    said = {"kernel": ["naive", "tiled"], "size": ["256", "512"], "time_ms": ["0.12", "0.31"]}
    assert columns(table(f"Loading data...\n{frame}\nDone in 3.2 s\n")) == said
    assert columns(table(frame)) == said


def test_criterion_and_sysbench_are_logs() -> None:
    found = table(
        "".join(
            f"{name}time:   [{n * 0.9:.3f} ns {n:.3f} ns {n * 1.1:.3f} ns]\n  thrpt:  [1.0 GiB/s {9 / n:.3f} GiB/s 2.0 GiB/s]\n\n"
            for n, name in ((8.0, "xor/8      "), (64.0, "xor/64     "), (512.0, "a_long_name_of_xor/512\n      "))
        )
    )
    assert columns(found)["benchmark"] == ["xor", "xor", "a_long_name_of_xor"]
    assert columns(found)["time"] == ["8.000", "64.000", "512.000"]
    text = "".join(f"Number of threads: {t}\n transactions: {t * 900} ({t * 90:.2f} per sec.)\n" for t in (1, 2, 4, 8))
    assert columns(table(text))["transactions per second"] == ["90.00", "180.00", "360.00", "720.00"]


def test_what_criterion_says_of_changes_and_outliers_is_no_other_line() -> None:
    said = """
                        change: [-0.6826% -0.3259% -0.0911%] (p = 0.01 < 0.05)
                        Change within noise threshold.
Found 13 outliers among 100 measurements (13.00%)
  2 (2.00%) low mild
  7 (7.00%) high mild
  4 (4.00%) high severe
"""
    found = table("".join(f"pool/{n}  time:   [{n}.1 ns {n}.2 ns {n}.3 ns]{said}" for n in (8, 64, 512)))
    assert (columns(found)["time"], columns(found)["argument 1"]) == (["8.2", "64.2", "512.2"], ["8", "64", "512"])


def test_sysbench_says_how_it_goes_on_between_commas() -> None:
    line = "[{0:4}s] threads: 8, tps: {1}.25, reads/s: {2}.5, writes/s: 0.00, response time: {3}.1ms (99%)\n"
    found = table("Threads started!\n\n" + "".join(line.format(5 * i, 700 + i, 9800 + i, 12 + i) for i in range(6)))
    assert columns(found)["tps"][:2] == ["700.25", "701.25"]
    assert columns(found)["response time"][:2] == ["12.1", "13.1"]


def test_the_time_of_each_thread() -> None:
    found = table("4 threads\n\n" + "".join(f"Thread {t} time: {t + 35}.718 ms\n" for t in (2, 0, 3, 1)))
    assert {n: columns(found)[n] for n in ("Thread", "time")} == {
        "Thread": ["2", "0", "3", "1"],
        "time": ["37.718", "35.718", "38.718", "36.718"],
    }


def test_headings_tell_rows_of_sentences_apart() -> None:
    rows = "\u2713 {0}-crc x {1}.41 ops/sec \u00b10.40% ({2} runs sampled)\n"
    text = "".join(
        f"--- buffer ({n}) ---\n" + "".join(rows.format(name, n + k, 40 + k) for k, name in enumerate(("js", "node")))
        for n in (255, 1023, 4095)
    )
    assert columns(table(text))["heading"][::2] == ["buffer (255)", "buffer (1023)", "buffer (4095)"]


def test_means_with_commas_between_thousands_before_their_unit() -> None:
    head = "| Method | N | Mean | Allocated |\n|---|---:|---:|---:|\n"
    found = table(head + "| Linq | 10 | 31.02 ns | 48 B |\n| Linq | 1000 | 3,101.50 ns | 48 B |\n")
    assert columns(found)["Mean"] == ["31.02", "3101.50"]
    assert found.units[2] == "ns"
    doubtful = table(head + "| Linq | 10 | 31,02 ns | 48 B |\n| Linq | 1000 | 3,101.50 ns | 48 B |\n")
    assert columns(doubtful)["Mean"] == ["31,02 ns", "3,101.50 ns"]


@pytest.mark.parametrize("alone", [True, False])
def test_what_sums_up_repeats_is_no_trial_beside_them(tmp_path: Path, alone: bool) -> None:
    runs = "" if alone else "".join(f"BM_sort/{n},{n * 12}\n" for n in (8, 8, 64, 64))
    sums = "".join(
        f"BM_sort/{n}_{kind},{value}\n"
        for n in (8, 64)
        for kind, value in (("mean", n * 12), ("median", n * 12), ("stddev", 2), ("cv", 0.01))
    )
    found = table(f"name,real_time\n{runs}{sums}")
    assert columns(found)["real_time"] == (["96", "768"] if alone else ["96", "96", "768", "768"])
    assert {*columns(found)["name"]} == {"BM_sort"}
    n = 5 if alone else 7
    assert [skipped.why for skipped in found.skipped] == [f"sums up the repeats of a benchmark, as {n} more rows do"]
    (tmp_path / "run7.txt").write_text(f"name,real_time\n{runs}{sums}")
    for block in (160, 1 << 20):
        parts = [*stream_table(tmp_path / "run7.txt", block=block)]
        assert [row for part in parts for row in part.head(len(part))] == found.head(len(found))


def test_how_times_grow_is_no_trial() -> None:
    runs = "".join(f"BM_sort/{n},{n * 12}\n" for n in (8, 64, 512))
    found = table(f"name,real_time\n{runs}BM_sort_BigO,12.0\nBM_sort_RMS,0.5\n")
    assert columns(found)["real_time"] == ["96", "768", "6144"]
    means = "".join(f"BM_sort/{n}_{kind},{n * 12}\n" for n in (8, 64) for kind in ("mean", "median", "stddev", "cv"))
    found = table(f"name,real_time\n{means}BM_sort_BigO,12.0\nBM_sort_RMS,0.5\n")
    assert columns(found)["real_time"] == ["96", "768"]
    found = table(f"name,real_time\n{runs}{means}BM_sort_BigO,12.0\nBM_sort_RMS,0.5\n")
    assert columns(found)["real_time"] == ["96", "768", "6144"]
    assert len(table("name,real_time\nBM_sort_BigO,12.0\nBM_sort_RMS,0.5\n")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "BenchmarkX 1 " + "11 " * 40 + "a b\nfoo\n",
        "x" + " " * 60_000 + "y\nfoo\n",
        "# " + " " * 60_000 + "y\nfoo\nbar\n",
        "-" * 10 + "\n" + "a  " * 20_000 + "\nb\nc\n",
    ],
    ids=["numbers", "blanks", "a heading", "a drawn line"],
)
def test_what_only_begins_like_it_is_refused_and_does_not_take_for_ever(text: str) -> None:
    with pytest.raises(ReadError):
        table(text)


def compared(title: str, unit: str, scale: float) -> str:
    rows = "".join(f"      ({n}, 8) | half  |  {n * scale:.1f} (+-0.2)  |  {n * scale * 2:.1f}\n" for n in SIZES)
    head = f"[------- {title} -------]\n          |  eager  |  compiled\n"
    return (
        f"{head}1 threads: ---------\n{rows}4 threads: ---------\n{rows}\nTimes are in {unit}seconds ({unit[0]}s).\n\n"
    )


def test_what_pytorch_compares_is_a_trial_for_each_time_in_the_unit_below_it() -> None:
    found = table(compared("softmax", "milli", 0.5) + compared("matmul", "u", 3.0))
    assert found.names[:5] == ("benchmark", "case", "threads", "implementation", "time")
    assert len(found) == 24
    own = columns(found)
    assert (own["benchmark"][0], own["benchmark"][12]) == ("softmax", "matmul")
    assert (own["implementation"][:2], own["threads"][5:7]) == (["eager", "compiled"], ["1", "4"])
    assert (found.units[4], own["time"][:2], own["time"][12:14]) == ("us", ["4000", "8000"], ["24.0", "48.0"])
    sized = compared("shift", "u", 1.0).replace("eager", "16").replace("compiled", "256")
    assert columns(table(sized))["size"][:2] == ["16", "256"]
    with pytest.raises(ReadError):
        table(compared("softmax", "milli", 0.5).partition("Times")[0])


def test_cells_of_a_page_that_stand_in_no_row_are_of_one() -> None:
    rows = "".join(f"<tr><td>n{n}</td><td>{n}.5</td></tr>" for n in SIZES)
    found = table(f"<table><thead><th>subject</th><th>mean (ms)</th></thead><tbody>{rows}</tbody></table>")
    assert columns(found) == {"subject": ["n8", "n64", "n512"], "mean": ["8.5", "64.5", "512.5"]}


def test_jmh_tables_with_other_parameters_are_one_and_each_has_its_title() -> None:
    names = "Benchmark       (n)  Mode  Cnt  Score   Error  Units"
    rows = (
        "Sort.quick      100  avgt    5  8.864 ± 0.288  ms/op\nSort.heap       100  avgt    5  9.864 ± 0.288  ms/op\n"
    )
    other = f"{names.replace('(n)', '(n)  (order)')}\n{rows.replace('Sort', 'Sum').replace('100', '100  Up, Down')}"
    found = table(f" ## sort\n\n (with +Simd)\n {names}\n{rows}\n(with -Simd)\n{names}\n{rows}\n## sum\n\n{other}")
    assert found.names == ("heading", "Benchmark", "n", "order", "Mode", "Cnt", "Score", "Error", "Units")
    said = columns(found)
    assert said["heading"] == ["with +Simd"] * 2 + ["with -Simd"] * 2 + ["sum"] * 2
    assert said["order"] == ["N/A"] * 4 + ["Up, Down"] * 2


def test_jmh_scores_below_no_names_are_a_table() -> None:
    found = table(
        "Sort.quick   avgt    5   8,864 ± 0,288  us/op\nSort.heap   avgt    5  53476,124 ± 127,495   us/op\nend\n"
    )
    assert found.names == ("Benchmark", "Mode", "Cnt", "Score", "Error", "Units")
    assert columns(found)["Score"] == ["8,864", "53476,124"]


def test_names_of_frames_may_have_blanks_and_a_title_directly_above() -> None:
    frame = "        N    cuBLAS  Triton + TMA\n0   128.0  0.018304      0.186256\n1   256.0  0.019680      0.186736\n"
    found = table(f"small:\n{frame}large:\n{frame}")
    assert found.names == ("heading", "N", "cuBLAS", "Triton + TMA")
    assert columns(found)["heading"] == ["small"] * 2 + ["large"] * 2
