"""Logs that say names and values, read as the tables that they are."""

import pytest

from core.errors import ReadError
from core.ingest import SourceFile, Table, read_table
from core.ingest.table.commands import command_of
from core.ingest.table.pairs import record_of, records_of

RUNS = [(n, t, n * n / t / 1e4) for n in (256, 512, 1024) for t in (1, 2, 4)]


def table(text: str) -> Table:
    return read_table(SourceFile("run7.log", text.encode()))


def columns(found: Table) -> dict[str, list[str]]:
    return {name: list(found.columns[i].texts()) for i, name in enumerate(found.names)}


@pytest.mark.parametrize(
    "line",
    [
        "N={n} threads={t} time={s:.4f} s",
        "N: {n}, threads: {t}, time: {s:.4f} s",
        "2026-01-01 12:00:01 INFO [bench] N={n} threads={t} time={s:.4f}",
        "Result: N = {n}; threads = {t}; time = {s:.4f}s",
        "N: {n}\nthreads: {t}\ntime: {s:.4f} s\n",
        "N = {n}\nstep one of two\nthreads = {t}\ntime = {s:.4f}",
    ],
)
@pytest.mark.parametrize("around", ["", "starting benchmark\n"])
def test_each_record_is_a_row(line: str, around: str) -> None:
    found = table(around + "".join(line.format(n=n, t=t, s=s) + "\n" for n, t, s in RUNS) + "done\n")
    said = columns(found)
    assert said["N"] == [str(n) for n, _, _ in RUNS]
    assert said["threads"] == [str(t) for _, t, _ in RUNS]
    assert said["time"] == [f"{s:.4f}" for _, _, s in RUNS]
    assert found.lines[0] == 1 + bool(around)
    assert "from each 'N' on" in found.warnings[0]


def test_settings_before_several_times_are_kept() -> None:
    found = columns(table("".join(f"N = {n}: user {n / 8}, sys 0.3, real {n / 4}\n" for n in (512, 1024, 2048, 4096))))
    assert found["N"] == ["512", "1024", "2048", "4096"]
    assert found["real"] == ["128.0", "256.0", "512.0", "1024.0"]


def test_a_named_time_behind_a_setting_is_not_called_time() -> None:
    assert record_of("threads=1, setup: 0.1 s") == (1, {"threads": "1", "setup": "0.1 s"})
    assert record_of("n = 1000, p = 4: 0.25 s") == (1, {"n": "1000", "p": "4", "time": "0.25 s"})
    assert command_of("Benchmark 1: 0.52 s") == []


def test_what_is_said_above_holds_and_what_a_run_does_not_say_is_missing() -> None:
    text = "Device: A100\n"
    for n in (256, 512):
        text += f"Matrix size: {n}\n"
        for t in (1, 2, 4):
            text += f"Threads: {t}\n" + ("Lost: socket\n" if (n, t) == (256, 4) else f"Time: {n / t} s\n")
    said = columns(table(text + "done in 12 s\n"))
    assert said["Device"] == ["A100"] * 6
    assert said["Matrix size"] == ["256"] * 3 + ["512"] * 3
    assert said["Time"] == ["256.0", "128.0", "", "512.0", "256.0", "128.0"]
    assert said["Lost"] == ["", "", "socket", "", "", ""]
    failed = table(text.replace("Lost: socket", "ERROR: timeout"))
    assert columns(failed)["Time"] == ["256.0", "128.0", "512.0", "256.0", "128.0"]
    assert failed.skipped[-1].why == "its run failed, as ERROR says"


@pytest.mark.parametrize(
    "text",
    [
        "Dear reader: this is prose.\nNote: it says little.\nNote: and little more.\nNote: and no number.\n",
        "N=256 threads=4\nN=512 threads=4\n",
        "name: a\nsize: 3\nname: b\nsize: 3\nname: c\nsize: 3\n",
        "<p>N=1 t=2</p>\n<p>N=2 t=3</p>\n<p>N=3 t=4</p>\n",
    ],
)
def test_what_says_no_numbers_again_and_again_is_no_table(text: str) -> None:
    with pytest.raises(ReadError):
        table(text)


def test_tables_that_are_drawn_and_prices_are_read() -> None:
    rule = "+-----+--------+\n"
    rows = [f"| {n} | {s:6.2f} |\n" for n, _, s in RUNS]
    for between in ("", rule):
        found = table(f"Some words\n\n{rule}| N   | ms     |\n{rule.replace('-', '=')}{between.join(rows)}{rule}")
        assert columns(found)["N"] == [str(n) for n, _, _ in RUNS]
    priced = table("instance,price\na,$0.096\nb,$1.2\n")
    assert (columns(priced)["price"], priced.units[1]) == (["0.096", "1.2"], "USD")


def test_what_is_said_twice_in_a_run_does_not_part_it() -> None:
    run = "\n Size:   14000\n Number of threads:  {t}\n\n Completed.\n Class           =       A\n Size            =   14000\n"
    run += " Time in seconds =    {s:.2f}\n Mop/s total     =    {m:.1f}\n Verification    = SUCCESSFUL\n"
    said = columns(table("".join(run.format(t=t, s=8 / t, m=100 * t) for t in (1, 2, 4, 8))))
    assert said["Number of threads"] == ["1", "2", "4", "8"]
    assert said["Time in seconds"] == ["8.00", "4.00", "2.00", "1.00"]
    assert (said["Size"], said["Class"]) == (["14000"] * 4, ["A"] * 4)


def test_source_code_is_no_log() -> None:
    with pytest.raises(ReadError, match=r"text, not a table"):
        table("def fit(n):\n    a = 1\n    b = 2\n" + "    a = 3\n    b = 4\n" * 5)


def test_a_command_says_what_ran_and_with_what() -> None:
    blocks = [
        f"$ OMP_NUM_THREADS={t} ./build/mul --tile=16 -v {n} > out.txt\nchecksum ok\nTime: {s:.4f} s\n"
        for n, t, s in RUNS
    ]
    found = table("$ make\ngcc -O3 mul.c\n" + "\n".join(blocks))
    assert columns(found) == {
        "program": ["mul"] * len(RUNS),
        "OMP_NUM_THREADS": [str(t) for _, t, _ in RUNS],
        "tile": ["16"] * len(RUNS),
        "v": [str(n) for n, _, _ in RUNS],
        "Time": [f"{s:.4f}" for _, _, s in RUNS],
    }
    assert found.lines.tolist() == [3 + 4 * i for i in range(len(RUNS))]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("time ./a.out 1024 512", {"program": "a.out", "argument 1": "1024", "argument 2": "512"}),
        ("+ mpirun -np 4 ./bin/cg --class A", {"program": "cg", "np": "4", "class": "A"}),
        ("me@node1:~/b$ python run.py -q -n 7", {"program": "run.py", "q": "yes", "n": "7"}),
        ("../solver a.mtx | tee log", {"program": "solver", "argument 1": "a.mtx"}),
        ("# a remark about 4 threads", {}),
        ("the price is $ 5", {}),
        ("speed: 4", {}),
        ("$ ", {}),
    ],
)
def test_what_command_lines_say(line: str, said: dict[str, str]) -> None:
    assert dict(command_of(line)) == said


def test_headings_above_records_hold_and_the_line_of_time_is_read() -> None:
    text = "Results\n" + "".join(
        f"{kind}:\n\n" + "".join(f"np={t}\n{t}.50user 0.10system 0:0{4 / t:.1f}elapsed 9%CPU\n---\n" for t in (1, 2, 4))
        for kind in ("first version", "tuned (O3)")
    )
    said = columns(table(text))
    assert said["heading"] == ["first version"] * 3 + ["tuned (O3)"] * 3
    assert (said["np"], said["user"][0], said["elapsed"][0]) == (["1", "2", "4"] * 2, "1.50", "4.0")
    again = table(text.replace("tuned (O3)", "first version"))
    assert "heading" not in again.names


def test_a_number_of_something_is_called_by_it() -> None:
    text = "".join(
        f"$ OMP_NUM_THREADS={t} ./xhpcg\nSummary::result is VALID with a GFLOP/s rating of={t}.5\n" for t in (1, 2, 4)
    )
    assert columns(table(text))["GFLOP/s rating"] == ["1.5", "2.5", "4.5"]


def test_what_wrk_and_ab_print() -> None:
    wrk = "".join(
        f"$ wrk -t{t} -c100 -d30s http://localhost/a\nRunning 30s test @ http://localhost/a\nRequests/sec: {900 * t}.5\n"
        for t in (1, 2, 4)
    )
    said = columns(table(wrk))
    assert (said["t"], said["c"], said["Requests/sec"]) == (["1", "2", "4"], ["100"] * 3, ["900.5", "1800.5", "3600.5"])
    ab = "".join(
        f"Concurrency Level:      {c}\nRequests per second:    {90 * c}.1 [#/sec] (mean)\n"
        f"Time per request:       {c}.25 [ms] (mean, across all)\nTransfer rate: {c}.5 [Kbytes/sec] received\n"
        for c in (1, 10, 100)
    )
    found = table(ab)
    assert columns(found)["Requests per second"] == ["90.1", "900.1", "9000.1"]
    assert found.units[found.names.index("Time per request")] == "ms"


@pytest.mark.parametrize("mark", [">", ">>", " >> ", "*", "-", "•", "->"])
def test_marks_of_lists_and_quotations_before_pairs_are_none_of_their_names(mark: str) -> None:
    runs = [f"{mark} Block size: {n}\n{mark} Elapsed time (GPU): {n / 8} ms\n" for n in (64, 128, 256)]
    found = table("Results\n" + "done\n".join(runs))
    assert columns(found) == {"Block size": ["64", "128", "256"], "Elapsed time": ["8.0", "16.0", "32.0"]}
    assert found.units == ("", "ms")


def test_names_and_numbers_between_commas_below_headings() -> None:
    text = "## Task 1\n\n" + "".join(
        f"### {t}\n"
        + "".join(f"* Run {i}: `block size {b}, time {b / t} ms, rate {t}.5e+3`\n" for i, b in enumerate((64, 128)))
        for t in (32, 64)
    )
    found = table(text)
    assert columns(found) == {
        "heading": ["32", "32", "64", "64"],
        "block size": ["64", "128"] * 2,
        "time": ["2.0", "4.0", "1.0", "2.0"],
        "rate": ["32.5e+3"] * 2 + ["64.5e+3"] * 2,
    }


def test_what_gnu_time_says_of_several_runs() -> None:
    text = "".join(
        f'\tCommand being timed: "./bin/{name} -t {t}"\n\tUser time (seconds): {t}.25\n\tPercent of CPU this job got: 9{t}%\n'
        f"\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:0{8 // t}.50\n\tExit status: 0\n"
        for name in ("cg", "lu")
        for t in (1, 2, 4)
    )
    said = columns(table(text))
    assert (said["program"], said["t"]) == (["cg"] * 3 + ["lu"] * 3, ["1", "2", "4"] * 2)
    assert said["Elapsed"] == ["8.50", "4.50", "2.50"] * 2


def test_what_ran_stands_before_names_and_values() -> None:
    rows = "".join(f"{n:>20}  min = {t:7.2f}  max = {t + 1:7.2f}  avg = {t + 0.5:7.2f}\n" for n, t in NETS)
    said = columns(table(f"loop_count = 8\nnum_threads = 4\n{rows}loop_count = 8\nnum_threads = 1\n{rows}"))
    assert said["benchmark"] == [name for name, _ in NETS] * 2
    assert (said["num_threads"], said["min"]) == (["4"] * 3 + ["1"] * 3, ["8.25", "11.50", "120.00"] * 2)


NETS = (("squeezenet", 8.25), ("mobilenet_v2", 11.5), ("vgg16", 120.0))


def gnu_time(threads: int) -> str:
    """What GNU's time says of a run, in full."""
    zeros = ("Average shared text", "Average unshared data", "Average stack", "Average total", "Average resident set")
    none = ("Swaps", "File system inputs", "File system outputs", "Socket messages sent", "Socket messages received")
    return (
        f'\tCommand being timed: "./bin/cg -t {threads}"\n\tUser time (seconds): {threads}.25\n'
        f"\tSystem time (seconds): 0.1{threads}\n\tPercent of CPU this job got: 9{threads}%\n"
        f"\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:0{8 // threads}.50\n"
        + "".join(f"\t{name} size (kbytes): 0\n" for name in zeros)
        + f"\tMaximum resident set size (kbytes): {threads}4096\n\tMajor (requiring I/O) page faults: {threads}\n"
        f"\tMinor (reclaiming a frame) page faults: {threads}29\n"
        + "".join(f"\t{name}: 0\n" for name in none)
        + "\tPage size (bytes): 4096\n\tExit status: 0\n"
    )


def test_two_runs_of_which_many_names_are_said_are_records() -> None:
    said = columns(table(gnu_time(1) + gnu_time(4)))
    assert (said["t"], said["Elapsed"]) == (["1", "4"], ["68.50", "62.50"])
    assert said["Minor (reclaiming a frame) page faults"] == ["129", "429"]
    assert said["Major (requiring I/O) page faults"] == ["1", "4"]
    assert records_of("N=8 threads=2 time=0.5\n" * 2) is None


def test_titles_drawn_between_lines_and_times_behind_settings() -> None:
    text = "".join(
        f"=== Test {i}: {name} ===\n" + "".join(f"n = {n}, p = {p}: {n / p} ms\n" for n in (10, 20) for p in (1, 2))
        for i, name in enumerate(("add", "scan"), 1)
    )
    said = columns(table(text))
    assert said["heading"] == ["Test 1: add"] * 4 + ["Test 2: scan"] * 4
    assert (said["n"], said["p"]) == (["10", "10", "20", "20"] * 2, ["1", "2"] * 4)
    assert said["time"] == ["10.0", "5.0", "20.0", "10.0"] * 2


def test_a_heading_of_pairs_is_these_and_dashes_part_them() -> None:
    text = "".join(f"## N = {n}\n- loss: {1 / n} - rate: {n}.5 img/s - time: {n}.25s\n" for n in (16, 32, 64))
    found = table(text)
    assert found.names == ("N", "loss", "rate", "time")
    assert found.units[2:] == ("img/s", "s")


def test_what_hyperfine_prints() -> None:
    text = "".join(
        f"Benchmark {i}: ./sort -n {n}\n  Time (mean ± σ):     {n / 1e3} ms ±  0.4 ms    [User: 1{n}.5 ms, System: 1.2 ms]\n"
        f"  Range (min … max):   1.0 ms … 9.0 ms    50 runs\n \n"
        for i, n in enumerate((1000, 5000, 20000), 1)
    )
    found = table(text)
    assert columns(found) == {
        "program": ["sort"] * 3,
        "n": ["1000", "5000", "20000"],
        "time": ["1.0", "5.0", "20.0"],
        "user": ["11000.5", "15000.5", "120000.5"],
        "system": ["1.2"] * 3,
    }


def test_what_redis_benchmark_prints() -> None:
    asked = {"SET": ("1.23", "81300.81"), "GET": ("1.10", "90909.09"), "INCR": ("1.16", "86206.90")}
    sections = "".join(
        f"====== {name} ======\n  100000 requests completed in {s} seconds\n  50 parallel clients\n  keep alive: 1\n\n"
        f"99.90% <= 1 milliseconds\n{rate} requests per second\n\n"
        for name, (s, rate) in asked.items()
    )
    said = columns(table(sections))
    assert (said["heading"], said["requests"]) == (list(asked), ["100000"] * 3)
    assert (said["time"], said["requests per second"]) == tuple(map(list, zip(*asked.values(), strict=True)))
    quiet = columns(table("".join(f"{name}: {rate} requests per second\n" for name, (_, rate) in asked.items())))
    assert quiet == {"benchmark": list(asked), "requests per second": [rate for _, rate in asked.values()]}


def test_headings_of_a_name_and_its_number_are_a_column_of_that_name() -> None:
    text = "".join(f"==> size {n}\n" + "".join(f"threads={t} time={n / t} s\n" for t in (1, 2)) for n in (256, 512))
    said = columns(table(text))
    assert said["size"] == ["256", "256", "512", "512"]
    assert said["threads"] == ["1", "2"] * 2
    other = columns(table(text.replace("size 512", "whole")))
    assert other["heading"] == ["size 256"] * 2 + ["whole"] * 2


def test_what_ycsb_says_of_operations_and_remarks_behind_numbers() -> None:
    said = record_of(
        "[OVERALL], Throughput(ops/sec), 9000.5\n[READ], AverageLatency(us), 215.3\n[READ], Return=OK, 500\n"
        "tps = 714.25 (without initial connection time)\nnumber of failed transactions: 3 (0.010%)\n"
    )
    assert said is not None
    assert said[1] == {
        "Throughput(ops/sec)": "9000.5",
        "READ AverageLatency(us)": "215.3",
        "Return": "OK",
        "tps": "714.25",
        "number of failed transactions": "3",
    }


def test_what_gromacs_says_it_runs_on_and_how_far_it_comes_a_day() -> None:
    said = record_of(
        "Using 4 MPI processes\nUsing 8 OpenMP threads per MPI process\n\n                 (ns/day)    (hour/ns)\n"
        "Performance:       33.209        0.723\n"
    )
    assert said is not None
    assert said[1] == {
        "MPI processes": "4",
        "OpenMP threads per MPI process": "8",
        "Performance": "33.209 ns/day",
    }


def test_lines_of_dictionaries_as_python_prints_them() -> None:
    rows = [{"n": n, "threads": t, "time": n / t, "ok": True} for n in (1024, 2048) for t in (1, 2)]
    said = columns(table("".join(f"{row}\n" for row in rows)))
    assert said["n"] == ["1024", "1024", "2048", "2048"]
    assert [float(value) for value in said["time"]] == [row["time"] for row in rows]
    said = columns(table("{'shape': (128, 64), 'time': 0.5}\n{'shape': (64, 64), 'time': 0.25}\n"))
    assert (said["shape 1"], said["shape 2"]) == (["128", "64"], ["64", "64"])
    said = columns(table("{'n': np.int64(8), 'time': np.float64(0.5)}\n{'n': tensor(9), 'time': nan}\n"))
    assert said == {"n": ["8", "9"], "time": ["0.5", ""]}
    assert columns(table("{n: 8, time: 0.5}\n{n: 9, time: null}\n")) == {"n": ["8", "9"], "time": ["0.5", ""]}


@pytest.mark.parametrize(
    "line",
    [
        "{'n': open('x', 'r'), 'time': 1.0}",
        "{'n': open(x), 'time': 1.0}",
        "{'n': 1, 'n': 2, 'time': 1.0}",
        '{"n": 1, "n": 2, "time": 1.0}',
        "{1: 2, 'time': 1.0}",
        "{**n, 'time': 1.0}",
        "{1, 2}",
        "{{ 1 }}",
        "{-" + "-" * 9999 + "1}",
        "{'n': " + "-" * 900 + "1}",
    ],
)
def test_lines_in_braces_that_are_no_dictionaries_are_refused_in_one_sentence(line: str) -> None:
    with pytest.raises(ReadError, match="seems to be JSON"):
        table(f"{line}\n" * 2)


@pytest.mark.parametrize("form", ["[{}] N={}, threads={}, time={} s", "{}: N={} threads={} time={} s"])
def test_what_stands_before_names_and_values_is_a_column(form: str) -> None:
    runs = [(kind, n, t, n / t) for kind in ("naive", "tiled") for n in (256, 512) for t in (1, 2)]
    said = columns(table("\n".join(form.format(*run) for run in runs)))
    assert (said["tag"], said["N"]) == ([run[0] for run in runs], [str(run[1]) for run in runs])


@pytest.mark.parametrize("before", ["[INFO]", "[12:00:0{}]", "run {}:", "step{}:"])
def test_what_is_the_same_or_different_before_each_line_is_none(before: str) -> None:
    said = columns(table("\n".join(f"{before.format(n)} N={n}, time={n / 2} s" for n in range(2, 9))))
    assert [*said] == ["N", "time"]


@pytest.mark.parametrize("form", ["{}.txt:{}", "./{}.log:12:{}", "out/{}.log: {}"])
def test_lines_that_grep_found_say_in_which_file(form: str) -> None:
    runs = [
        (f"{kind}_N{n}", n, n / 2 + k) for k, kind in enumerate(("naive", "tiled")) for n in (256, 512) for _ in "ab"
    ]
    said = columns(table("\n".join(form.format(file, f"N={n}, time={s} s") for file, n, s in runs)))
    assert said["file"] == [form.format(file, "").split(".")[-2].lstrip("/") for file, *_ in runs]
    alone = columns(table("\n".join(f"./all.log:[k{n}] N={n}, time={s} s" for _, n, s in runs)))
    assert [*alone] == ["N", "time", "tag"]


def test_a_sequential_run_that_says_no_threads_has_one() -> None:
    runs = [f"N={n}, {f'threads={t}, ' if t > 1 else ''}time={n / t} s" for n in (256, 512, 1024) for t in (1, 2, 4)]
    found = table("\n".join(runs))
    assert columns(found)["threads"] == ["1", "2", "4"] * 3
    assert found.warnings[0].endswith("Where it says no threads, one is taken.")
    for said in (("tile", 1), ("threads", 2)):  # a tile may be anything, and a record without threads beside 1 as well
        name, least = said
        some = [f"N={n}, {f'{name}={t}, ' if t != least else ''}time={n / t} s" for n in (256, 512) for t in (1, 2, 4)]
        assert columns(table("\n".join(some)))[name].count("") == 2


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("n = {n}: 1.5 ms (12 allocations: 7.63 MiB)", "1.5 ms"),
        ("size {n}: 1.5 µs ± 0.4 µs per loop (mean ± std. dev. of 7 runs, 1,000 loops each)", "1.5 µs"),
        ("n = {n}, Elapsed time is 1.5 seconds.", "1.5 seconds"),
        ("Running n={n}\nElapsed time is 1.5 seconds.", "1.5 seconds"),
        ("Time for n = {n} is 1.5 seconds", "1.5 seconds"),
    ],
    ids=["Julia", "IPython", "MATLAB", "MATLAB below", "for"],
)
def test_what_languages_print_of_how_long_something_took(line: str, time: str) -> None:
    found = records_of("\n".join(line.replace("{n}", str(n)) for n in (100, 200, 400)))
    assert found is not None
    assert found.rows == tuple((str(n), time) for n in (100, 200, 400))


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Sorting {n} elements took 1.5 ms", ("benchmark", "elements", "time")),
        ("{n} threads:  1.5 ms", ("threads", "time")),
        ("=== Running with {n} processes ===\nTotal time: 1.5 ms", ("processes", "Total time")),
    ],
    ids=["took", "threads", "heading"],
)
def test_how_many_things_there_were_is_a_number(line: str, names: tuple[str, ...]) -> None:
    found = records_of("\n".join(line.replace("{n}", str(n)) for n in (1, 2, 4, 8)).replace("1 threads", "1 thread"))
    assert found is not None
    assert found.names == names
    assert [row[-2:] for row in found.rows] == [(str(n), "1.5 ms") for n in (1, 2, 4, 8)]


def test_headings_that_differ_in_more_than_a_number_stay_as_they_are() -> None:
    found = records_of("".join(f"## {how} with {n} threads\nn = {n}, t = {n}.5\n" for n in (1, 2, 4) for how in "ab"))
    assert found is not None
    assert "heading" in found.names


def test_what_came_of_numbers_in_brackets() -> None:
    text = "".join(f"({n}, {k}) -> {n / k:g}\n" for n in (1024, 4096) for k in (1, 16))
    assert columns(table(text)) == {
        "argument 1": ["1024", "1024", "4096", "4096"],
        "argument 2": ["1", "16", "1", "16"],
        "value": ["1024", "64", "4096", "256"],
    }


def test_dd_says_how_long_it_copied() -> None:
    text = "".join(
        f"$ dd if=/dev/zero of=/tmp/a bs={bs}k count={n}; rm -f /tmp/a\n{n}+0 records in\n{n}+0 records out\n"
        f"{bs * n * 1024} bytes (403 MB, 384 MiB) copied, {bs / 8}1 s, 8.3 MB/s\n"
        for bs, n in ((384, 1024), (1024, 512), (4096, 256))
    )
    found = columns(table(text))
    assert (found["program"], found["count"]) == (["dd"] * 3, ["1024", "512", "256"])
    assert found["time"] == ["48.01", "128.01", "512.01"]
    assert "argument 1" not in found


WORK = [
    (a, n, t, w * n / t / 1e3) for a, w in (("bfs", 3), ("lud", 1), ("nw", 7)) for n in (256, 1024) for t in (1, 2, 4)
]
UNTOLD = ["loading modules\n", "done after 18 runs\n"]


@pytest.mark.parametrize(
    ("line", "size", "time"),
    [
        ("Running {a} with size {n} on {t} threads took {s:.3f} ms", "size", "time"),
        ("{a}: processed {n} elements in {s:.3f} ms using {t} threads", "elements", "time"),
        ("[12:{t}5:01] Case {a} of N = {n} and {t} threads ended, elapsed {s:.3f} ms", "N", "elapsed"),
        ("2026-01-0{t} 10:00:11,123 INFO bench - {a} on {t} threads, size {n}, latency {s:.3f} ms", "size", "latency"),
    ],
)
@pytest.mark.parametrize("around", [["", ""], UNTOLD])
def test_sentences_that_say_the_same_are_rows(line: str, size: str, time: str, around: list[str]) -> None:
    found = table(around[0] + "".join(line.format(a=a, n=n, t=t, s=s) + "\n" for a, n, t, s in WORK) + around[1])
    said = columns(found)
    assert said[size] == [str(n) for _, n, _, _ in WORK]
    assert said["threads"] == [str(t) for *_, t, _ in WORK]
    assert said[time] == [f"{s:.3f}" for *_, s in WORK]
    assert [a for a, *_ in WORK] in said.values()
    assert found.units[found.names.index(time)] == "ms"


def test_extents_in_sentences_are_sizes() -> None:
    text = "".join(f"matmul {n}x{n} tile {t}x{t}: {n / t:.2f} ms\n" for n in (256, 1024) for t in (2, 4, 8))
    assert columns(table(text)) == {
        "matmul": [f"{n}x{n}" for n in (256, 1024) for _ in range(3)],
        "tile": [f"{t}x{t}" for _ in range(2) for t in (2, 4, 8)],
        "time": [f"{n / t:.2f}" for n in (256, 1024) for t in (2, 4, 8)],
    } | {f"{name} {k}": own for name, k, own in _sides()}


def _sides() -> list[tuple[str, int, list[str]]]:
    sizes, tiles = ([str(n) for n in (256, 1024) for _ in range(3)], [str(t) for _ in range(2) for t in (2, 4, 8)])
    return [(name, k, own) for name, own in (("matmul", sizes), ("tile", tiles)) for k in (1, 2)]


def test_prose_with_numbers_is_no_log() -> None:
    lines = ["This is about 3 things.", "It has 4 lines of prose.", "Nothing lasted 5 days.", "And 7 more of it all."]
    with pytest.raises(ReadError, match="text, not a table"):
        table("\n".join(lines))


@pytest.mark.parametrize("mark", [",", "\t", " "])
def test_rows_without_names_are_no_sentences(mark: str) -> None:
    rows = [mark.join(("gemm", "fp32", str(n), str(t), f"{s:.3f}")) for n, t, s in RUNS]
    assert columns(table("\n".join(rows)))["column_1"] == ["gemm"] * len(RUNS)


def test_what_benchmark_js_and_jest_bench_print() -> None:
    lines = [
        f"sort x {n} by merge x {r} ops/sec ±1.18% (83 runs sampled)" for n, r in ((8, "1,323,605"), (64, "69.87"))
    ]
    found = columns(table("## sorting\n" + "\n".join([*lines, "scan × 4,638 ops/sec ±0.20% (4,579 runs sampled)"])))
    assert found["benchmark"] == ["sort x 8 by merge", "sort x 64 by merge", "scan"]
    assert found["throughput"] == ["1323605", "69.87", "4638"]
    timed = "".join(f"    invert {n}x{n}   0.{n} ms ±  2.25 %  (90 runs sampled)\n" for n in (15, 43, 44))
    assert columns(table(f"Benchmarks:\n  Matrix\n{timed}"))["time"] == ["0.15", "0.43", "0.44"]


@pytest.mark.parametrize("bar", ["[==========] -", "━━━━━━━━━━"])
def test_each_epoch_of_keras_has_its_time_and_that_of_a_step(bar: str) -> None:
    line = "Epoch {0}/9\n\nlearning rate 0.003\n500/500 {1} 1{0}s 2{0}us/step - loss: 0.{0} - val_acc: 0.9{0}\n"
    found = table("".join(line.format(k, bar) for k in (1, 2, 3)))
    own = columns(found)
    assert (own["epoch"], own["time"], own["time per step"]) == (
        ["1", "2", "3"],
        ["11", "12", "13"],
        ["21", "22", "23"],
    )
    assert (own["loss"], own["val_acc"]) == (["0.1", "0.2", "0.3"], ["0.91", "0.92", "0.93"])
    assert found.units[found.names.index("time per step")] == "us"


def test_ipython_prints_how_long_a_loop_took_below_what_was_timed() -> None:
    said = (
        "In [{0}]: %timeit -n 100 f({0})\n{0}.21 ms ± 4.56 µs per loop (mean ± std. dev. of 7 runs, 1,000 loops each)\n"
    )
    assert columns(table("\n".join(said.format(k) for k in (1, 2, 3))))["time"] == ["1.21", "2.21", "3.21"]


def test_names_that_a_document_makes_bold_are_names() -> None:
    text = "".join(f"**Threads:** {t}\n**Time:** {8 / t} s\n\n" for t in (1, 2, 4))
    assert columns(table(text)) == {"Threads": ["1", "2", "4"], "Time": ["8.0", "4.0", "2.0"]}


def test_a_heading_that_says_a_name_of_several_words_gives_it_whole() -> None:
    text = "".join(f"# request rate: {r}\n\nLatency (ms): {r * 3.5}\nTokens: {r * 100}\n\n" for r in (2, 4, 8))
    assert columns(table(text))["request rate"] == ["2", "4", "8"]


def test_names_and_numbers_between_bars_need_no_sign_between_them() -> None:
    lines = "".join(f"Epoch {k:02d} loss {9.5 / k:.3f} | train {k + 1.5}s\n" for k in range(1, 5))
    found = records_of(f"--- net on data ---\n{lines}")
    assert found
    assert (found.names, found.rows[1]) == (("Epoch", "loss", "train"), ("02", "4.750", "3.5s"))
    steps = "".join(f"step {k} | loss: {9.5 / (k + 1):.3f} | time: {k + 1.5} ms\n" for k in range(4))
    found = records_of(steps)
    assert found
    assert (found.names, found.rows[1]) == (("step", "loss", "time"), ("1", "4.750", "2.5 ms"))


def test_what_sysbench_says_of_each_second_and_in_the_end() -> None:
    second = "[ 93s ] thds: 56 tps: {0} qps: {1} (r/w/o: 6/6/9) lat (ms,95%): {2} err/s 1.00 reconn/s: 0.00\n"
    found = records_of("".join(second.format(40.5 + k, 1300.5 + k, 26.5 + k) for k in range(4)))
    assert found
    assert found.names == ("thds", "tps", "qps", "p95 latency")
    assert found.rows[0] == ("56", "40.5", "1300.5", "26.5 ms")
    wide = " " * 34
    end = (
        "General statistics:\n    total time:   {0}s\n    total number of events:   {0}9\n\nLatency (ms):\n"
        f"    min:{wide}0.9{{0}}\n    avg:{wide}1.1{{0}}\n    max:{wide}7.1{{0}}\n"
        f"    95th percentile:{wide}1.3{{0}}\n    sum:{wide}99.1{{0}}\n\nThreads fairness:\n"
        "    events (avg/stddev):   90{0}.5/14.2\n    execution time (avg/stddev):   9.9{0}/0.01\n"
    )
    found = records_of("\n".join(f"### Test {k}\n{end.format(k)}" for k in (3, 4)))
    assert found
    said = dict(zip(found.names, found.rows[1], strict=True))
    assert (said["latency avg"], said["latency p95"], said["time per thread"]) == ("1.14 ms", "1.34 ms", "9.94 s")


def test_numbers_in_brackets_behind_another_are_its_parts_in_its_unit() -> None:
    text = "".join(
        f"Sorting N = {n} elements:\n  own::sort time: {n / 100} seconds (Split: {n / 300}, Merge: {n / 150})\n"
        f"  std::sort time: {n / 90} seconds\n----\n"
        for n in (300, 900, 1800)
    )
    found = table(text)
    said = columns(found)
    assert {unit for name, unit in zip(found.names, found.units, strict=True) if name != "Sorting N"} == {"seconds"}
    assert said["own::sort time"] == ["3.0", "9.0", "18.0"]
    assert said["Split"] == ["1.0", "3.0", "6.0"]
    assert len(said["std::sort time"]) == 3


def test_what_stands_before_an_arrow_is_what_a_line_is_of() -> None:
    text = "TEXT: def f(n): return n\n" + "".join(
        f"{own} → Tokens: {n}, Encode: {n / 7:.2f} ms\n" for n in (11, 30, 52) for own in ("Own16k", "Other (base)")
    )
    assert columns(table(text))["tag"] == ["Own16k", "Other (base)"] * 3


def test_what_was_set_may_stand_by_wide_blanks_before_times_between_commas() -> None:
    lines = [f"  N={n:<6} best {s:.3f} ms, avg {2 * s:.3f} ms  ({n / s:.2f} Mop/s)" for n, _, s in RUNS]
    found = columns(table("all of them:\n" + "\n".join(lines[:1] + lines[3:4] + lines[6:]) + "\n"))
    assert found["N"] == ["256", "512", "1024", "1024", "1024"]
    assert found["avg"][:2] == [f"{2 * RUNS[0][2]:.3f}", f"{2 * RUNS[3][2]:.3f}"]


def test_a_command_above_sentences_says_what_was_set() -> None:
    runs = [(b, heap, k) for b in ("avrora", "h2") for heap in (256, 512) for k in (1, 2, 3)]
    text = "".join(
        f"$ java -Xmx{heap}m -jar bench.jar {b}\n" * (k == 1)
        + f"===== DaCapo 9.12 {b} starting warmup {k} =====\n" * (k < 3)
        + f"===== DaCapo 9.12 {b} {'PASSED' if k == 3 else f'completed warmup {k}'} in {heap * 9 // k} msec =====\n"
        for b, heap, k in runs
    )
    found = columns(table(text))
    assert found["Xmx"] == [f"{heap}m" for _, heap, _ in runs]
    assert found["warmup"] == ["1", "2", ""] * 4
    assert found["time"] == [str(heap * 9 // k) for _, heap, k in runs]
    spoken = "".join(
        f"./sort --threads {t}\n" + "".join(f"sorted {n} items in {n * k / t:.1f} ms\n" for n in (256, 512)) * 2
        for k, t in enumerate((1, 2, 4), 1)
    )
    assert columns(table(spoken))["threads"] == ["1"] * 4 + ["2"] * 4 + ["4"] * 4


def test_sentences_of_another_form_are_counted() -> None:
    text = "".join(f"sorted {n} items in {n / t:.1f} ms\n" for n, t, _ in RUNS) + "checked 3 times\nall of it is done\n"
    assert "Left out: 1 line with numbers in another form, from line 10 on." in table(text).warnings[0]
    assert "Left out" not in table(text[: text.index("checked")]).warnings[0]


def test_what_catch2_says_of_a_benchmark_stands_below_its_name() -> None:
    head = (
        f"{'benchmark name':<38} samples       iterations    estimated\n{'':37} mean          low mean      high mean\n"
    )
    text = head + "-" * 79 + "\n"
    for k, us in ((10, 2.4593), (20, 302.4129), (25, 3350.8), (30, 37_205.7)):
        text += f"Fibonacci {k:<27}          100             7     {us * 70:.3f} us \n"
        text += f"{'':36}{us:.4f} us      {us * 0.99:.4f} us      {us * 1.02:.4f} us \n"
        text += f"{'':36}{us / 20:.4f} us      {us / 25:.4f} us      {us / 15:.4f} us \n\n"
    found = columns(table(text))
    assert found["benchmark"] == ["Fibonacci 10", "Fibonacci 20", "Fibonacci 25", "Fibonacci 30"]
    assert found["time"] == ["2.4593", "302.4129", "3350.8000", "37205.7000"]


def test_quantum_espresso_says_what_a_run_took() -> None:
    text = (
        "     Parallel version (MPI), running on    16 processors\n     K-points division:     npool     =       2\n"
        "     total cpu time spent up to now is        40.1 secs\n     total cpu time spent up to now is        99.8 secs\n"
        "     init_run     :     11.10s CPU     12.31s WALL (       1 calls)\n"
        "     PWSCF        :   1m39.85s CPU   1m44.02s WALL\n"
    )
    told = record_of(text)
    assert told
    assert told[1] == {"processors": "16", "npool": "2", "wall time": "1m44.02s", "cpu time": "1m39.85s"}


def test_a_heading_need_not_be_marked_on_both_sides() -> None:
    text = ""
    for size in (64, 128):
        text += f"======= {size}x{size}\n"
        for ranks, threads in ((1, 1), (1, 2), (2, 1), (2, 2)):
            text += f"  {ranks} ranks,   {threads} threads : simulation took {size**2 / ranks / threads:.4f} seconds\n"
    found = columns(table(text))
    assert found["heading 1"] == ["64"] * 4 + ["128"] * 4
    assert found["time"][:2] == ["4096.0000", "2048.0000"]
