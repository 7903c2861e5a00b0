"""What programs leave behind in repositories: objects in objects, reports in sections, lines and rows of failed runs."""

import json
import re
from itertools import product

import pytest

from core.errors import ReadError
from core.ingest.recognition.apply import apply
from tests.ingest.table.test_reports_and_lists import columns, read


def test_objects_that_are_alike_inside_of_others_are_rows_and_what_stands_beside_them_is_told() -> None:
    def took(ms: float) -> dict[str, float]:
        return {"least_ms": ms, "mean_ms": 1.1 * ms}

    cases = {
        c: {"zor": took(k), "qui": took(2 * k), "per_item_us": {"zor": 7.5, "qui": 9.5}} for c, k in (("few", 1.5),)
    }
    cases |= {"many": {"zor": took(4.5), "qui": took(9.5)}}
    table = read(json.dumps({"startup": took(0.5), **cases}), "run.json")
    assert columns(table)["name"] == ["zor", "qui", "zor", "qui"]
    assert columns(table)["name 1"] == ["few", "few", "many", "many"]
    assert any("'startup', 'few.per_item_us' beside them were not" in told for told in table.warnings)


def test_objects_that_share_half_of_their_names_are_rows_where_they_hold_an_outcome() -> None:
    ops = {"put": {"n": 50, "seconds": 0.5, "ops_per_sec": 100}, "get_a": {"n": 9, "hits": 9, "ops_per_sec": 70}}
    ops |= {"get_b": {"n": 9, "hits": 8, "ops_per_sec": 60}, "get_c": {"n": 9, "hits": 7, "ops_per_sec": 50}}
    assert columns(read(json.dumps(ops), "run.json"))["seconds"] == ["0.5", "", "", ""]
    facts = {name: {"n": 1, "hits": 9, "zorbs": 2} for name in ops} | {"get_c": {"cores": 8}}
    with pytest.raises(ReadError):
        read(json.dumps(facts), "run.json")


def test_the_only_list_of_an_object_is_repeats_where_it_holds_times() -> None:
    own = {"config": {"warmup": 2}, "stats": {"mean_ms": 13.5}, "raw_ns": [13716041, 13729417, 13380833]}
    table = read(json.dumps(own), "run.json")
    assert (columns(table)["raw_ns"], columns(table)["run"]) == (["13716041", "13729417", "13380833"], ["1", "2", "3"])
    with pytest.raises(ReadError):
        read(json.dumps({"config": {"warmup": 2}, "shape": [8, 16, 32]}), "run.json")


REPORT = """Queues
Hardware threads: 16

Case                      Queue   Thrds Mean(ms) P99(ms)  Rate
---------------------------------------------------------------

=== One thread ===
One at a time             lock    1     0.29     0.40     2848592.5
One at a time             free    1     0.51     3.10     1724212.2

=== Contention ===
Two writers (2W)          lock    3     24060.17 40355.37 603405.5
Two writers (2W)          free    3     9213.51  14371.28 747461.6

Fastest: 0.29 ms (One at a time)
"""


def test_rows_of_a_report_go_on_below_titles_and_numbers_may_fill_their_columns() -> None:
    found = columns(read(REPORT, "report.txt"))
    assert found["Mean"] == ["0.29", "0.51", "24060.17", "9213.51"]
    assert (found["Case"][2], found["P99"][2]) == ("Two writers (2W)", "40355.37")


def test_a_title_in_words_above_a_last_row_is_none_of_the_table() -> None:
    text = "gpu: Z9\n\nONE STAGE (each frame)\nmodel   size(M)  mean(ms)\nzor       2.98     34.86\nqui       2.86     27.39\n"
    text += "fli       2.75     26.96\n\nTWO STAGES (and a part)\nmor       2.57     29.49\n"
    assert columns(read(text, "report.txt"))["model"] == ["zor", "qui", "fli", "mor"]


def test_sentences_between_the_rows_that_a_program_printed_are_none() -> None:
    line = "-" * 60
    rows = ["BM_Next     0.979 ms      2.88 ms       3000", "BM_Draw      7.11 ms      7.10 ms         90"]
    said = ["Draws per second: 29.8936", "BM_Main      2.27 s       6.35 s           1"]
    text = "\n".join([line, "Benchmark       Time           CPU   Iterations", line, *rows, *said])
    assert columns(read(text, "bench.txt"))["Time"] == ["0.979", "7.11", "2270"]


def test_a_line_between_rows_of_a_table_ends_it_only_above_other_names_and_sums() -> None:
    rule, dashes = "=" * 40, "-" * 40
    rows = ["zor      8    1.5 ms", "qui      8    2.5 ms", dashes, "zor     16    3.5 ms", "qui     16    4.5 ms"]
    text = "\n".join(["[RUN] zor", "", rule, "Program  Size  Average", dashes, *rows, rule, "done"])
    assert columns(read(text, "run.log"))["Average"] == ["1.5", "2.5", "3.5", "4.5"]


def test_how_long_settings_took_may_be_said_in_minutes_and_seconds() -> None:
    lines = [
        f"run with buf={b} and jobs={j} took {t}" for b, j, t in ((8, 1, "1m7.5s"), (8, 2, "51.5s"), (16, 1, "1m0.5s"))
    ]
    found = columns(read("\n\n".join([*lines, "run with buf=16 and jobs=2 took 40.25s"]), "run.log"))
    assert (found["jobs"], found["time"]) == (["1", "2", "1", "2"], ["67.5", "51.5", "60.5", "40.25"])


def test_lines_that_say_an_outcome_go_before_a_table_that_has_none() -> None:
    lines = [
        f"Batch={b} | Profile={i} | mean={b}.5ms p99={b}.9ms | Rate={9 * b}.5 samples/sec"
        for i, b in enumerate((1, 8, 32))
    ]
    rule = "-" * 40
    table = [
        "Engine            first diff    last diff",
        rule,
        "zor                 4.42        1.75",
        "qui                 3.98        1.99",
    ]
    found = columns(read("\n".join(["begin", *lines, "", "=" * 40, *table, "=" * 40]), "run.txt"))
    assert (found["Batch"], found["mean"]) == (["1", "8", "32"], ["1.5", "8.5", "32.5"])


def test_a_short_row_that_says_that_its_run_failed_is_left_out_and_told() -> None:
    rows = [
        "iteration,version,cycles",
        "1,a,50",
        "1,b,Workload failed: no such file".replace(",b,", ",b: "),
        "2,a,51",
        "2,b,70",
    ]
    table = read("\n".join(rows), "perf.csv")
    assert columns(table)["cycles"] == ["50", "51", "70"]
    assert "its run failed" in table.skipped[0].why
    with pytest.raises(ReadError, match="has 2 cells and the header 3"):
        read("\n".join(rows).replace("Workload failed", "Workload zorbed"), "perf.csv")


def test_a_limit_among_numbers_is_missing_and_columns_of_variants_stay_such() -> None:
    rows = "N,Mesh (Grid),vector,tree\n100,0.25,0.01,0.002\n1000,>60s,0.09,0.003\n10000,-,>60s,0.02\n"
    table = read(rows, "perf.csv")
    assert columns(table)["vector"] == ["0.01", "0.09", ""]
    assert any("'>60s' says a limit" in told for told in table.warnings)
    assert len(apply(table).trials) == 9


def test_what_was_set_and_to_what_are_two_columns_where_several_were() -> None:
    rows = [f"TC,{key}={n},{n}.5" for key, n in product(("depth", "regs"), (10, 100, 1000))]
    found = columns(read("\n".join(["test,params,took_ms", *rows]), "hdl.csv"))
    assert (found["params"], found["params kind"]) == (["10", "100", "1000"] * 2, ["depth"] * 3 + ["regs"] * 3)


def test_dictionaries_behind_the_time_at_which_each_was_written_are_rows() -> None:
    lines = [
        "{'cpu': {'time': 153.4}, 'gpu': {'time': 13.2}}",
        "2025-06-22T15:15:51.7 -- {'cpu': {'time': 149.7}, 'gpu': {'time': 12.5}}",
    ]
    assert columns(read("\n\n".join(lines), "log.txt"))["cpu.time"] == ["153.4", "149.7"]


def test_of_tables_of_a_document_the_first_with_an_outcome_is_read() -> None:
    text = "\n".join(
        [
            "## Workloads",
            "| Workload | Elements | Blocks |",
            "|---|---|---|",
            *(f"| w{k} | {10**k} | {2**k} |" for k in range(1, 5)),
            "",
            "## Results",
            "| Test | Workload | Avg Time (μs) |",
            "|---|---|---|",
            *(
                f"| {test} | w{k} | {test_k * 1.5 * k:.2f} |"
                for test_k, test in ((1, "probe"), (2, "trace"))
                for k in (1, 2, 3)
            ),
        ]
    )
    found = read(f"{text}\n| trace | w4 | FAILED |", "results.md")
    assert found.names == ("Test", "Workload", "Avg Time")
    assert found.warnings == ("results.md: the table at line 10 was read; 1 more around it were not.",)


def test_what_an_object_says_once_holds_for_the_lists_beside_it() -> None:
    own = {"config": {"gpu": "A100", "streams": 2}, "batch": [1, 2, 4], "latency_ms": [3.4, 3.9, 4.7]}
    found = columns(read(json.dumps(own), "run.json"))
    assert found["config.streams"] == ["2"] * 3
    assert (found["batch"], found["latency_ms"]) == (["1", "2", "4"], ["3.4", "3.9", "4.7"])


def test_numbers_of_one_setting_in_names_are_that_setting() -> None:
    own = {kind: {f"threads_{t}": {"elapsed": k / t + 0.01 * k} for t in (1, 2, 4)} for kind, k in (("a", 9), ("b", 7))}
    found = columns(read(json.dumps(own), "run.json"))
    assert (found["threads"], found["name"]) == (["1", "2", "4"] * 2, ["threads"] * 6)
    others = {kind: {f"item_{t}": row for t, row in zip((1, 2, 4), own[kind].values(), strict=True)} for kind in own}
    assert "item" not in columns(read(json.dumps(others), "run.json"))


def test_lists_under_names_beside_what_holds_for_each_are_repeats_of_what_they_stand_under() -> None:
    """As Renaissance keeps them: in `results`, which tells none of the benchmarks apart."""

    def ran(name: str, *took: int) -> dict[str, object]:
        return {name: {"results": [{"duration_ns": ns, "uptime_ns": 10 * ns} for ns in took], "info": {"ended": "ok"}}}

    whole = {"format_version": 6, "data": ran("als", 5, 7, 6) | ran("scrabble", 2, 3, 2)}
    found = columns(read(json.dumps(whole), "run.json"))
    assert found["name"] == ["als"] * 3 + ["scrabble"] * 3
    assert (found["duration_ns"], found["info.ended"]) == (["5", "7", "6", "2", "3", "2"], ["ok"] * 6)
    assert "name 1" not in found


SACCT = """JobID           JobName  AllocCPUS      State    Elapsed     MaxRSS
------------ ---------- ---------- ---------- ---------- ----------
2001                 lu         16  COMPLETED 1-06:00:20
2001.batch        batch         16  COMPLETED 1-06:00:20      2949K
2001.0           lu.C.x         16  COMPLETED 1-06:00:20    721429K
2002                 lu         32  COMPLETED   15:00:20
2002.batch        batch         16  COMPLETED   15:00:20      8345K
"""


@pytest.mark.parametrize("end", ["", "|"])
def test_steps_of_slurms_jobs_say_what_their_jobs_do_not(end: str) -> None:
    lines = [re.split(r" +", line.strip()) for line in SACCT.splitlines() if not line.startswith("-")]
    bars = "".join("|".join(cells + [""] * (len(lines[0]) - len(cells))) + f"{end}\n" for cells in lines)
    for text in (SACCT, bars):
        table = read(text, "jobs.txt")
        found = columns(table)
        assert (found["JobID"], found["JobName"]) == (["2001", "2002"], ["lu", "lu"])
        assert (found["AllocCPUS"], found["MaxRSS"]) == (["16", "32"], ["721429", "8345"])
        assert "3 steps of jobs were read with their jobs" in "".join(table.warnings)
        assert table.place(1) == f"jobs.txt line {6 if text is SACCT else 5}"


def test_jobs_without_steps_or_with_steps_of_no_job_are_any_table() -> None:
    rows = "JobID|JobName|Elapsed\n1|lu|00:10:00\n{}|lu|00:05:00\n3|cg|00:01:00\n"
    for second in ("2", "7.0", "1"):
        assert columns(read(rows.format(second), "jobs.txt"))["JobID"] == ["1", second, "3"]


def test_results_under_hashes_and_of_two_boards_are_rows_with_a_column_for_each_scale() -> None:
    """As Phoronix keeps them."""

    def result(title: str, scale: str, *values: float) -> dict[str, object]:
        own = zip(("Ryzen 7950X", "Core i9-13900K"), values, strict=True)
        return {"title": title, "scale": scale, "results": {name: {"value": value} for name, value in own}}

    tests = (result("x264", "Frames Per Second", 33.1, 40.2), result("build", "Seconds", 80.1, 61.2))
    tests += (result("zip", "Frames Per Second", 7.5, 8.5),)
    hashed = {f"{i}e" * 20: test for i, test in enumerate(tests)}
    found = columns(read(json.dumps({"title": "both", "results": hashed}), "run.json"))
    assert found["title"] == ["x264", "x264", "build", "build", "zip", "zip"]
    assert found["name"] == ["Ryzen 7950X", "Core i9-13900K"] * 3
    assert found["value (Frames/s)"] == ["33.1", "40.2", "", "", "7.5", "8.5"]
    assert found["value (s)"] == ["", "", "80.1", "61.2", "", ""]


@pytest.mark.parametrize("scales", [("10", "100"), ("small", "large")])
def test_a_scale_that_is_no_unit_is_a_setting(scales: tuple[str, str]) -> None:
    found = columns(read("app,scale,value\n" + "".join(f"{a},{s},1.5\n" for a in "ab" for s in scales), "run.csv"))
    assert (found["scale"], found["value"]) == ([*scales] * 2, ["1.5"] * 4)


def test_pyperfs_values_are_repeats_of_each_benchmark() -> None:
    def runs(*values: float) -> list[dict[str, object]]:
        calibrated = {"metadata": {"calibrate_loops": 64, "load_avg_1min": 0.5}, "warmups": [[64, 2.5e-6]]}
        return [calibrated, *({"metadata": {"duration": 0.5}, "values": [x], "warmups": [[1, x]]} for x in values)]

    told = {"cpu_model_name": "AMD EPYC 7763", "boot_time": "2026-05-01 10:00:00", "perf_version": "2.6", "loops": 64}
    names = (("telco", (0.0125, 0.0135)), ("nbody", (0.085, 0.075, 0.095)))
    each = [{"metadata": {"name": name}, "runs": runs(*values)} for name, values in names]
    table = read(json.dumps({"version": "1.0", "metadata": told, "benchmarks": each}), "run.json")
    assert table.names == ("name", "cpu_model_name", "loops", "time_s", "run")
    assert (columns(table)["time_s"], columns(table)["name"][1:3]) == (
        ["0.0125", "0.0135", "0.085", "0.075", "0.095"],
        ["telco", "nbody"],
    )


def test_a_log_says_names_and_values_in_frames_around_tables_and_before_remarks() -> None:
    """As MiniSat and its kin print them."""

    def solved(clauses: int, conflicts: int, seconds: float) -> str:
        rows = "".join(f"|   {100 * i} |  17{i} 17037 45992 |  6246  100  20 | 82.228 % |\n" for i in range(1, 12))
        return (
            f"======[ Problem Statistics ]======\n|  Number of clauses:       {clauses}       |\n"
            "======[ Search Statistics ]=======\n| Conflicts |     ORIGINAL     |   LEARNT   | Progress |\n"
            f"{rows}==================================\n"
            f"conflicts         : {conflicts}        (7366 /sec)\n"
            f"decisions         : {5 * conflicts}       (0.00 % random) (38611 /sec)\n"
            f"CPU time          : {seconds} s\n\nSATISFIABLE\n"
        )

    text = solved(7000, 1005, 0.136) + solved(9000, 2015, 0.281) + solved(8000, 1490, 0.198)
    found = columns(read(text, "solver.log"))
    assert found["Number of clauses"] == ["7000", "9000", "8000"]
    assert (found["conflicts"], found["decisions"]) == (["1005", "2015", "1490"], ["5025", "10075", "7450"])
    assert found["CPU time"] == ["0.136", "0.281", "0.198"]


def test_phases_of_io500_with_their_rates_and_times() -> None:
    phases = (
        ("ior-easy-write", 0.567, "GiB/s", 88.8),
        ("find", 327.67, "kIOPS", 1.25),
        ("ior-easy-read", 1.9, "GiB/s", 9),
    )
    text = "IO500 version io500-isc26 (standard)\n[      ]      timestamp   0.000000 kIOPS : time 0.003 seconds\n"
    text += "".join(f"[RESULT] {n:>20}   {v:12.6f} {u} : time {t:.3f} seconds [INVALID]\n" for n, v, u, t in phases)
    found = columns(read(f"{text}[SCORE ] Bandwidth 0.05 GiB/s : IOPS 4.67 kiops : TOTAL 0.49 [INVALID]\n", "run.txt"))
    assert found["phase"] == ["ior-easy-write", "find", "ior-easy-read"]
    assert (found["throughput"][1], found["unit"][:2]) == ("327.670000", ["GiB/s", "kIOPS"])
    assert len(found) == 4
