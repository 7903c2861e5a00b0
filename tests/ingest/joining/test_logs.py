"""Logs of one run each that are given together: a row for each, with what their names say."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest import Recognition, SourceFile, drop, parts_of
from core.ingest.files import sources
from core.ingest.joining.logs import programs_of, table_of
from core.ingest.table.table import Table
from tests.ingest.recognition.test_roles import noisy

SWEEP = [(n, t) for n in (512, 1024, 2048) for t in (1, 2, 4)]


def logs(name: str, text: str) -> list[SourceFile]:
    return [SourceFile(name.format(n=n, t=t), text.format(n=n, t=t, s=n / t / 7).encode()) for n, t in SWEEP]


def recognised(files: list[SourceFile]) -> Recognition:
    return drop(parts_of(files)).recognition


def columns(table: Table) -> dict[str, list[str]]:
    return {name: list(cells.texts()) for name, cells in zip(table.names, table.columns, strict=True)}


def test_logs_of_a_sweep_are_one_table_with_what_only_their_names_say() -> None:
    files = logs("run_n{n}_t{t}.log", "starting on node17\nThreads: {t}\nTime: {s:.4f} s\nGFLOPS = 12.{n}\nDone.\n")
    (table,) = recognised(files).tables
    assert (table.rows, table.files) == (9, tuple(file.name for file in files))
    assert {c.name: c.role for c in table.columns} == {
        "n": "parameter",
        "Threads": "parameter",
        "Time": "response",
        "GFLOPS": "response",
    }
    (imported,) = drop(parts_of(files)).gathered().imports
    assert imported.trials.where[0] == "run_n512_t1.log line 2"
    assert "each holds one run, and is a row; 'n' is what the files' names say" in imported.warnings[0]


def test_what_one_log_says_again_is_no_column_and_a_run_that_failed_has_no_time() -> None:
    text = "Size:  {n}\n step: 1\n step: 2\n Size   =   {n}\n Time in seconds =   {s:.2f}\n"
    files = logs("{t}.out", text)
    files[2] = SourceFile("4.out", b"Size: 512\n step: 1\nAborted.\n")
    (program,) = programs_of(files[:3])
    found = columns(table_of(program))
    assert found == {
        "number": ["1", "2", "4"],
        "Size": ["512"] * 3,
        "step": ["", "", "1"],
        "Time in seconds": ["73.14", "36.57", ""],
    }


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("cg.A.x.4threads.txt", "cg.B.x.8threads.txt"), {"threads": ["4", "8"], "name": ["A", "B"]}),
        (("out_r0_16x1.log", "out_r1_16x2.log"), {"r": ["0", "1"], "name": ["16x1", "16x2"]}),
        (("a/threads_4/out.log", "a/threads_8/out.log"), {"threads": ["4", "8"]}),
        (("out.1", "out.2"), {"out": ["1", "2"]}),
        (("mm-512-4.txt", "mm-1024-8.txt"), {"mm": ["512", "1024"], "number": ["4", "8"]}),
        (("mm_lr0.1.log", "fft_lr0.01.log"), {"lr": ["0.1", "0.01"], "name": ["mm", "fft"]}),
        (("2024-01-02_V100.log", "2024-01-03_T4.log"), {"machine": ["V100", "T4"]}),
        (("slurm-12345.out", "slurm-12346.out"), {"slurm id": ["12345", "12346"]}),
        (("serial.log", "omp_t2.log", "omp_t4.log"), {"threads": ["", "2", "4"], "name": ["serial", "omp", "omp"]}),
        (("time_1.log", "time_2.log"), {"file number": ["1", "2"]}),
    ],
)
def test_what_names_of_files_say(names: tuple[str, ...], expected: dict[str, list[str]]) -> None:
    files = [SourceFile(name, f"Time: 0.{i + 3} s\n".encode()) for i, name in enumerate(names)]
    (program,) = programs_of(files)
    found = columns(table_of(program))
    assert {
        name: texts for name, texts in found.items() if not name.startswith(("Time", "name 1", "name 2"))
    } == expected


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("done\n\nreal\t1m{t}.500s\nuser\t0m1.2s\nsys\t0m0.1s\n", 61.5),
        (
            '\tCommand being timed: "./a"\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:0{t}.50\n\tExit status: 0\n',
            61.5,
        ),
        ("Results of it\nThreads: {t}\nTime: 0.{t}\n", 0.1),
    ],
)
def test_what_time_prints_and_short_lists_of_pairs_are_logs(text: str, seconds: float) -> None:
    (imported,) = drop(parts_of(logs("n{n}_t{t}.txt", text))).gathered().imports
    names = [metric.name for metric in imported.trials.metrics]
    time = next(i for i, name in enumerate(names) if name.lower() in ("real", "elapsed", "time"))
    assert imported.trials.values[0, time] == seconds


def test_names_of_six_words_are_read_whole() -> None:
    text = "\tPercent of CPU this job got: {t}00%\n\tMaximum resident set size (kbytes): 78{t}4\n\tWall: 0.{t}5\n"
    (imported,) = drop(parts_of(logs("n{n}_t{t}.txt", text))).gathered().imports
    assert "Percent of CPU this job got" in {*imported.trials.labels, *(m.name for m in imported.trials.metrics)}


def test_programs_stay_apart_and_one_run_alone_is_no_table() -> None:
    one, other = logs("a_n{n}_t{t}.log", "Time: {s} s\n"), logs("b_n{n}_t{t}.log", "Wall: {s} s\nranks: {t}\n")
    assert [table.rows for table in recognised([*one, *other]).tables] == [9, 9]
    with pytest.raises(ReadError, match=r"a_n512_t1.log holds one run \('Time'\). Give the files of several"):
        recognised(one[:1])
    with pytest.raises(ReadError, match=r"a_n512_t1.log holds one run"):
        recognised([one[0], other[0]])
    timed = "\tCommand being timed: ./a\n\tUser time (seconds): 3.5\n\tSwaps: 0\n\tExit status: 0\n"
    with pytest.raises(ReadError, match=r"time.txt holds one run"):
        recognised([SourceFile("time.txt", timed.encode())])


def test_sizes_of_nothing_are_no_inputs() -> None:
    text = 'Command being timed: "./a -n {n}"\nAverage stack size (kbytes): 0\nUser time (s): {s}\n'
    found = {c.name: c.role for c in recognised(logs("n{n}_t{t}.txt", text)).tables[0].columns}
    assert found["Average stack size"] == "label"


def test_code_and_prose_beside_logs_are_refused() -> None:
    files = [
        *logs("n{n}_t{t}.log", "Time: {s} s\n"),
        SourceFile("plot.py", b"import csv\ntime = 5\nthreads = 4\n"),
        SourceFile("README.md", b"# Runs\n\nTime: long, and it took\nNote: nothing\n"),
    ]
    found = drop(parts_of(files), folder=True)
    assert [table.rows for table in found.recognition.tables] == [9]
    assert [place.where for place in found.refused] == ["plot.py", "README.md"]


def test_an_archive_is_read_as_the_folder_that_it_holds(tmp_path: Path) -> None:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for file in logs("runs/n{n}_t{t}.log", "Time: {s} s\n"):
            archive.writestr(file.name, file.content)
        archive.writestr("__MACOSX/._x", "")
    path, damaged = tmp_path / "runs.zip", tmp_path / "cut.zip"
    path.write_bytes(into.getvalue())
    damaged.write_bytes(into.getvalue()[:200])
    files, folder = sources([str(path)])
    assert (len(files), folder, files[0].name) == (9, True, "runs.zip/runs/n512_t1.log")
    with zipfile.ZipFile(odd := tmp_path / "odd.zip", "w") as archive:
        for name in ("./a.csv", "b/../../c.csv", "a.csv", "./.hidden"):
            archive.writestr(name, f"{len(archive.namelist())}\n")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.csv", "4\n")
    inside = [(file.name.removeprefix("odd.zip/"), file.content) for file in sources([str(odd)])[0]]
    assert inside == [("a.csv", b"0\n"), ("c.csv", b"1\n"), ("a.csv", b"2\n"), ("a.csv", b"4\n")]
    assert [table.rows for table in drop(parts_of(files), folder=folder).recognition.tables] == [9]
    assert sources([str(damaged)]) == ([SourceFile("cut.zip", damaged.read_bytes())], False)


def test_objects_of_json_of_one_run_each_are_rows() -> None:
    text = '{{"backend": "x", "threads": {t}, "load": {{"mean": {t}.5}}, "samples": [1, 2], "time_ms": {s}}}'
    (table,) = recognised(logs("dense_n{n}_t{t}.json", text)).tables
    assert {c.name: c.role for c in table.columns} == {
        "n": "parameter",
        "backend": "label",
        "threads": "parameter",
        "load.mean": "counter",
        "time_ms": "response",
    }
    with pytest.raises(ReadError, match="holds one run"):
        recognised(logs("dense_n{n}_t{t}.json", text)[:1])


def tables(*names: str, shift: float = 0.0) -> list[SourceFile]:
    rows = [(c, f"{(i + 1) / c:.3f}") for i in range(len(names)) for c in (1, 2, 4, 8)]
    texts = [
        "cores,time_s\n" + "".join(f"{c + shift * i},{t}\n" for c, t in rows[4 * i : 4 * i + 4])
        for i in range(len(names))
    ]
    return [SourceFile(name, text.encode()) for name, text in zip(names, texts, strict=True)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("20k-atoms_NAMD.csv", "3M-atoms_NAMD.csv"), {"atoms": ("20000", "3000000")}),
        (("cg_n64.csv", "cg_n512.csv"), {"n": ("512", "64")}),
        (("fft.csv", "gemm.csv"), {"name": ("fft", "gemm")}),
        (("fft.csv", "gemm_2024-05-01.csv"), {"name": ("fft", "gemm")}),
        (("part_1.csv", "part_2.csv"), {}),
        (("run1.csv", "run2.csv"), {}),
        (("2024-05-01.csv", "2024-05-02.csv"), {}),
    ],
)
def test_files_names_tell_tables_of_the_same_settings_apart(
    names: tuple[str, ...], expected: dict[str, tuple[str, ...]]
) -> None:
    dropped = drop(parts_of(tables(*names)))
    found = columns(dropped.joined[0].table)
    assert {
        name: tuple(dict.fromkeys(texts)) for name, texts in found.items() if name not in ("cores", "time_s")
    } == expected
    assert any("what the files' names say" in told for i in dropped.gathered().imports for told in i.warnings) == bool(
        expected
    )


def test_files_of_settings_of_their_own_need_no_name() -> None:
    found = drop(parts_of(tables("fft.csv", "gemm.csv", shift=16))).joined[0].table
    assert found.names == ("cores", "time_s")


@pytest.mark.parametrize("called", ["time_{t}", "bench_latency_{t}us", "power{t}"])
def test_what_files_names_say_is_no_outcome(called: str) -> None:
    text = "Array size: 1000\nElapsed time: {s:.4f} s\nBandwidth: 12.{t}7 GB/s\n"
    found = roles(logs(f"{called}.txt", text))
    assert {name for name, role in found.items() if role == "response"} == {"Elapsed time", "Bandwidth"}
    assert found["file number"] == "parameter"
    columns = [
        SourceFile(f"{called.format(t=t)}.csv", f"kernel,seconds\na,{t}.5\nb,7.{t}\n".encode()) for t in (1, 2, 4)
    ]
    assert roles(columns) == {"kernel": "application", "seconds": "response", "file number": "parameter"}


@pytest.mark.parametrize(
    ("counted", "once"),
    [("instructions", True), ("instructions", False), ("dim", False), ("elements", True)],
    ids=["of-each-kernel", "of-each-repeat", "a-grid-of-sizes", "a-size-of-each-kernel"],
)
def test_whole_numbers_that_came_out_do_not_hide_what_names_say(counted: str, once: bool) -> None:
    files = []
    for place, threads in enumerate((2, 4, 8)):
        size = [10**6 + 7919 * n + 37 * place for n in range(6)] if counted == "instructions" else [500, 700]
        rows = [(k, size[i % len(size)] + 1000 * place) for i, k in enumerate("abcabc"[: 3 if once else 6])]
        cells = [f"{k},{n},{n / threads / 1e7}" for k, n in (rows if once else sorted(rows))]
        files.append(SourceFile(f"threads{threads}.csv", "\n".join([f"kernel,{counted},time_s", *cells]).encode()))
    assert ("threads" in roles(files)) is (counted == "instructions")


def test_what_files_names_say_stands_beside_a_column_of_the_same_name() -> None:
    both = [
        SourceFile(f"{ci}.csv", f"name,cores,time_s\nfft,1,{t}\nfft,2,{t / 2}\nlu,1,{3 * t}\nlu,2,{t}\n".encode())
        for ci, t in (("linux", 4.0), ("mac", 7.0))
    ]
    found = columns(drop(parts_of(both)).joined[0].table)
    assert set(found["name"]) == {"fft", "lu"}
    assert set(found["file name"]) == {"linux", "mac"}


def roles(files: list[SourceFile]) -> dict[str, str]:
    (table,) = recognised(files).tables
    return {c.name: c.role for c in table.columns}


CHAMPSIM = """
Warmup finished CPU 0 instructions: 20000001 cycles: 9041203 cumulative IPC: 2.212 (Simulation time: 00 hr 00 min 41 sec)
Heartbeat CPU 0 instructions: 60000009 cycles: 8469{c} heartbeat IPC: 0.4978 cumulative IPC: 0.503 (Simulation time: 1 sec)
Simulation complete CPU 0 instructions: 50000000 cycles: {c} cumulative IPC: {i:.4f} (Simulation time: 00 hr 09 min 43 sec)

=== Simulation ===
CPU 0 runs traces/{trace}.champsimtrace.xz

CPU 0 cumulative IPC: {i:.4f} instructions: 50000000 cycles: {c}
CPU 0 Branch Prediction Accuracy: 91.83% MPKI: {i:.2f}6 Average ROB Occupancy at Mispredict: 5{i:.3f}

cpu0->cpu0_L2C TOTAL        ACCESS:    1241{c} HIT:     942103 MISS:     29{c} MSHR_MERGE:          0
cpu0->cpu0_L2C PREFETCH REQUESTED:          0 ISSUED:          7 USEFUL:          5 USELESS:          0
cpu0->LLC LOAD         ACCESS:    1{c} HIT:     2103 MISS:     9{c} MSHR_MERGE:          0
LLC AVERAGE MISS LATENCY: 13{i:.3f} cycles
"""


def test_champsim_tells_of_traces_and_files_names_of_what_was_changed() -> None:
    traces, kinds = ("605.mcf_s-665B", "619.lbm_s-2676B", "657.xz_s-56B"), ("no", "next_line", "spp")
    cycles = {(t, k): 97_000 + 1_111 * len(t) * (3 - n) for t in traces for n, k in enumerate(kinds)}
    files = [
        SourceFile(f"{t}_{k}.txt", CHAMPSIM.format(trace=t, c=c, i=5e4 / c).encode()) for (t, k), c in cycles.items()
    ]
    found = roles(files)
    expected = {"name": "parameter", "benchmark": "application", "cycles": "response", "IPC": "derived"}
    assert expected.items() <= found.items()
    assert {"CPU 0 branch MPKI", "cpu0_L2C TOTAL MISS", "cpu0_L2C PREFETCH USEFUL", "LLC LOAD HIT"} <= found.keys()
    assert not any("Heartbeat" in name or "Simulation" in name for name in found)
    said = columns(table_of(programs_of(files)[0]))
    assert said["cycles"] == [*map(str, cycles.values())]
    assert said["name"] == ["no", "next_line", "spp"] * 3


def test_numbers_with_a_comment_are_what_simulators_count_and_may_say_their_unit() -> None:
    text = (
        "-ruu:size    {n} # register update unit (RUU) size\n"
        "sim_num_insn   5000000 # total number of instructions committed\nsim_elapsed_time   1{t} # in seconds\n"
        "sim_cycle      {s:.0f}000{n}7 # total simulation time in cycles\nil1.miss_rate   0.02{t} # misses/ref\n"
        "total_energy   = {s:.3f}e+03 # Total energy (pJ)\n"
    )
    (table,) = recognised(logs("ruu{n}_w{t}.out", text)).tables
    assert {c.name: (c.role, c.unit) for c in table.columns} == {
        "ruu": ("parameter", None),
        "w": ("parameter", None),
        "sim_num_insn": ("counter", None),
        "simulator time": ("label", "s"),
        "sim_cycle": ("response", "cycles"),
        "il1.miss_rate": ("counter", None),
        "total_energy": ("response", "pJ"),
    }


def test_values_of_objects_need_no_word_and_a_histogram_is_left_out() -> None:
    text = (
        '{{"metrics": {{"http_req_duration": {{"type": "trend", "values": {{"avg": 1{t}.5, "med": {s:.3f}1}}}}}}, '
        '"config": {{"clients": {t}}}, "buckets": {{"0.{n}": 100, "0.{n}5": 50, "1": {t}}}, "root": {{"checks": []}}}}'
    )
    found = roles(logs("{n}_{t}.json", text))
    assert found["metrics.http_req_duration.avg"] == "response"
    assert found["config.clients"] == "parameter"
    assert not any(name.startswith("buckets") for name in found)


def test_a_rate_without_a_limit_is_what_the_contents_say() -> None:
    said = '{{"request_rate": {rate}, "duration": {s:.3f}, "mean_ttft_ms": {ttft:.2f}}}'
    files = [
        SourceFile(f"{q}qps-tp{t}.json", said.format(rate=r, s=61 / t + k, ttft=30.1 * (k + 1) / t).encode())
        for k, (q, r) in enumerate((("1", "1"), ("4", "4"), ("inf", '"inf"')))
        for t in (1, 2, 4)
    ]
    (table,) = recognised(files).tables
    assert [c.name for c in table.columns] == ["tp", "request_rate", "duration", "mean_ttft_ms"]


SNIPER = """                                   | Core 0     | Core 1
  Instructions                     |     50{n}5 |     50{n}7
  Cycles                           |     {s:.0f}101 |     {s:.0f}909
  Time (ns)                        |     {s:.0f}354 |     {s:.0f}370
  IPC                              |       1.0{t} |       1.5{t}
Branch predictor stats             |            |
  misprediction rate               |      1.{n}% |      1.{n}%
Cache Summary                      |            |
  Cache L1-D                       |            |
    num cache misses               |      6{t}1 |
    policy                         |        lru |        lru
"""


def test_sniper_says_what_each_core_did_in_one_run() -> None:
    files = logs("fft-{t}c-{n}KB.sim.out", SNIPER)
    assert {name: role for name, role in roles(files).items() if role in ("response", "input", "parameter")} == {
        "c": "parameter",
        "KB": "parameter",
        "Time": "response",
    }
    said = columns(table_of(programs_of(files)[0]))
    assert said["Instructions"][0] == str(505125 + 505127)
    assert (said["Cycles"][0], said["Time"][0]) == ("73909", "73370")
    assert (said["IPC"][0], said["Branch predictor stats misprediction rate"][0]) == ("1.26", "1.512")
    assert said["Cache L1-D num cache misses"][:2] == ["611", "621"]
    assert said["Cache L1-D policy"][0] == "lru"
    with pytest.raises(ReadError, match="holds one run"):
        recognised(files[:1])


def test_what_iperf3_says_of_its_intervals_and_streams_it_says_of_the_run_at_its_end() -> None:
    def part(start: int, seconds: int, rate: float) -> dict[str, object]:
        return {"start": start, "end": float(start + seconds), "bits_per_second": rate, "retransmits": int(rate) % 3}

    def run(n: int) -> bytes:
        each = [noisy(9e9 * n / (n + 3)) / n for _ in range(n)]
        intervals = [{"streams": [part(i, 1, x + i) for x in each], "sum": part(i, 1, sum(each) + i)} for i in range(5)]
        started = {"protocol": "TCP", "num_streams": n, "duration": 5}
        start = {"connected": [{"socket": 5 + i} for i in range(n)], "test_start": started}
        streams = [{"sender": part(0, 5, x), "receiver": part(0, 5, x - 9)} for x in each]
        sums = {"sum_sent": part(0, 5, sum(each)), "sum_received": part(0, 5, sum(each) - 9 * n)}
        load = {"cpu_utilization_percent": {"host_total": noisy(9 + n)}}
        return json.dumps({"start": start, "intervals": intervals, "end": {"streams": streams} | sums | load}).encode()

    files = [SourceFile(f"run{n}_{k}.json", run(n)) for n in (1, 2, 4, 8) for k in range(2)]
    (table,) = recognised(files).tables
    found = {c.name: (c.role, c.unit) for c in table.columns}
    assert table.rows == len(files)
    assert found["start.test_start.num_streams"][0] == "parameter"
    assert found["end.sum_received.bits_per_second"] == ("response", "bits/s")
    assert found["end.sum_sent.bits_per_second"][0] == "derived"
    assert found["end.cpu_utilization_percent.host_total"][0] == "counter"
    with pytest.raises(ReadError, match="holds one run"):
        recognised(files[-1:])


def test_trtexec_says_of_each_network_and_precision_what_a_query_takes() -> None:
    text = (
        "[01/02/2023-10:00:00] [I] === Performance summary ===\n"
        "[01/02/2023-10:00:00] [I] Throughput: {s:.3f} qps\n"
        "[01/02/2023-10:00:00] [I] Latency: min = 0.9{t} ms, max = 9.{n}1 ms, mean = 1.{t}{n}7 ms, median = 1.{t}{n}5 ms, "
        "percentile(99%) = 8.{n}1 ms\n"
        "[01/02/2023-10:00:00] [I] GPU Compute Time: min = 0.8{t} ms, max = 8.{n}1 ms, mean = 0.{t}{n}6 ms, "
        "median = 0.{t}{n}4 ms, percentile(99%) = 7.{n}1 ms\n"
    )
    (table,) = recognised(logs("b{n}_w{t}.log", text)).tables
    found = {c.name: (c.role, c.unit) for c in table.columns}
    assert table.rows == len(logs("b{n}_w{t}.log", text))
    assert found["Latency"] == ("response", "ms")
    assert found["GPU Compute Time"][1] == "ms"
    assert found["Throughput"][1] == "queries/s"
    assert "mean" not in found
