"""Where words mislead: what the cells of a table show decides, or a rule about how names are built."""

import json
from itertools import product

import numpy as np
import pytest

from core.ingest import SourceFile, apply, read_table
from core.ingest.recognition.words import is_outcome
from core.trial import Kind
from tests.ingest.recognition.test_roles import NOISE, imported, noisy, roles, seen


def test_a_share_that_is_swept_is_a_setting_and_one_that_is_measured_a_counter() -> None:
    rows = [
        (b, c, k, noisy(2.0 * c**0.2), noisy(30.0, 0.2))
        for b, c, k in product(("base", "opt"), (1, 10, 100), (1, 2, 3))
    ]
    found = roles(seen(("build", "cache_pct", "rep", "time_s", "miss_pct"), rows))
    assert found == {
        "build": "parameter",
        "cache_pct": "parameter",
        "rep": "label",
        "time_s": "response",
        "miss_pct": "counter",
    }


def test_a_table_with_german_headers_is_known_as_an_english_one() -> None:
    names = ("Prozessor", "Anwendung", "Matrix n", "Wiederholung", "Laufzeit (ms)")
    rows = [
        (c, a, n, k, noisy(s * (n / 256) ** e))
        for (c, s), (a, e), n, k in product(
            (("Ryzen 7", 1.0), ("Xeon E5", 1.7)), (("gemm", 3), ("sort", 1.2)), (256, 512, 1024), (1, 2, 3)
        )
    ]
    assert roles(seen(names, rows)) == {
        "Prozessor": "machine",
        "Anwendung": "application",
        "Matrix n": "parameter",
        "Wiederholung": "label",
        "Laufzeit": "response",
    }


@pytest.mark.parametrize("header", ["run_num", "iteration_no", "cycle", "Trial Index"])
def test_what_numbers_the_repeats_is_a_label(header: str) -> None:
    rows = [(m, k, noisy(float(m) ** 3)) for m, k in product((256, 512, 1024), (1, 2, 3, 4))]
    assert roles(seen(("M", header, "time_s"), rows)) == {"M": "parameter", header: "label", "time_s": "response"}


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("repeat", "run {}"),
        ("run", "run_{}"),
        ("Repetition", "#{}"),
        ("replicate", "rep{}"),
        ("repetición", "{}"),
        ("重复", "第{}次"),
    ],
)
def test_numbers_of_repeats_may_stand_behind_a_word(header: str, text: str) -> None:
    rows = [(m, text.format(k), noisy(float(m) ** 3)) for m, k in product((256, 512, 1024), (1, 2, 3, 4))]
    assert roles(seen(("M", header, "time_s"), rows)) == {"M": "parameter", header: "label", "time_s": "response"}


def test_words_that_differ_number_no_repeats() -> None:
    rows = [(m, run, noisy(float(m) * w)) for m in (256, 512, 1024) for run, w in (("gcc 1", 1), ("clang 2", 2))]
    assert roles(seen(("M", "run", "time_s"), rows))["run"] != "label"


@pytest.mark.parametrize("header", ["Programa", "cmd", "command_line"])
def test_a_command_or_a_program_in_spanish_names_what_ran(header: str) -> None:
    rows = [(f"./{a}", t, noisy(w / t)) for (a, w), t in product((("bfs", 1), ("lud", 3), ("nw", 5)), (1, 2, 4, 8))]
    assert roles(seen((header, "threads", "time_s"), rows))[header] == "application"


def test_a_count_that_hardly_differs_between_repeats_was_measured() -> None:
    rows = [
        (v, noisy(5.0 * w), round(7e6 * w * (1 + k * 1e-5))) for v, w in (("slim", 1), ("full", 2)) for k in range(4)
    ]
    assert roles(seen(("variant", "time_s", "thunks"), rows))["thunks"] == "counter"


def test_what_says_the_same_as_a_setting_is_no_second_setting() -> None:
    rows = [(n, 5 * n, k, noisy(n * 1e-6)) for n, k in product((1000, 5000, 10000, 50000), range(1, 6))]
    found = seen(("size", "visits_made", "run", "time_s"), rows).tables[0]
    assert (found.column("visits_made").role, found.column("visits_made").why) == ("deterministic", "goes with size")


def test_a_time_of_each_operation_is_an_outcome_and_other_things_of_each_are_counted() -> None:
    rows = [
        (c, n, noisy(n * 0.5), n * 4.0, i)
        for i, (c, n) in enumerate(product(("add", "clamp", "swiglu"), (100, 1000, 5000)))
    ]
    found = seen(("case", "n", "ns_per_op", "bytes_per_op", "allocs"), rows).tables[0]
    assert (found.column("ns_per_op").role, found.column("ns_per_op").unit) == ("response", "ns")
    assert found.column("bytes_per_op").role != "parameter" != found.column("allocs").role


def test_readings_of_a_meter_before_and_after_are_kept_and_predict_nothing() -> None:
    rows = [(k, 10**9 * i, 10**9 * i + int(noisy(3e8)), noisy(300.0)) for i, k in enumerate("abcdefgh")]
    found = roles(seen(("kernel", "pkg_start_uj", "pkg_end_uj", "energy_j"), rows))
    assert (found["pkg_start_uj"], found["pkg_end_uj"], found["energy_j"]) == ("label", "label", "response")


def test_a_total_of_phases_is_predicted_and_a_total_of_runs_is_a_statistic() -> None:
    phases = [(n, f := noisy(0.1 * n), b := noisy(0.25 * n), (f + b) * 1.04) for n in (1, 2, 4, 8, 16, 32, 64, 128)]
    found = seen(("batch", "fwd_ms", "bwd_ms", "total_ms"), phases).tables[0]
    assert {c.role for c in found.columns[1:]} == {"response"}
    runs = [(n, t := noisy(0.1 * n), noisy(0.25 * n), noisy(1.3 * t)) for n in (1, 2, 4, 8, 16, 32, 64, 128)]
    assert roles(seen(("batch", "fwd_ms", "copy_ms", "fwd_total_ms"), runs))["fwd_total_ms"] == "derived"


def test_two_columns_whose_quotient_is_the_speed_up_are_times_that_of_the_baseline_last() -> None:
    rows = [
        (n, t, a := noisy(n * n * 1e-5), b := noisy(n * n * 1e-5 / t), a / b)
        for n, t in product((512, 1024, 2048), (1, 2, 4))
    ]
    whole = seen(("ImageSize", "Threads", "Sequential", "Parallel", "Speedup"), rows)
    found = whole.tables[0]
    assert [c.role for c in found.columns[2:4]] == ["response", "response"]
    assert found.column("Speedup").role == "derived"
    assert "lower is taken as better" in whole.questions[0].asks
    names = ("N", "T", "time_seq", "time_par", "speedup", "overhead_s")
    took = roles(seen(names, [(*row, row[1] * row[3] - row[2]) for row in rows]))
    assert took == {"N": "parameter", "T": "parameter", **dict.fromkeys(names[2:4], "response")} | {
        "speedup": "derived",
        "overhead_s": "derived",
    }


def test_what_follows_from_sizes_cannot_be_set_by_itself() -> None:
    sizes = [(2 ** (7 + i % 5), 2 ** (7 + i * 3 % 7), 2 ** (7 + i * 5 % 6)) for i in range(60)]
    work = [(m, n, k, 2 * m * n * k, 4 * (m * k + k * n + m * n)) for m, n, k in sizes]
    rows = [(*own, round(own[3] / own[4], 4), noisy(own[3] / 9e9, 0.1) + 0.01) for own in work]
    took = roles(seen(("M", "N", "K", "FLOPs", "Bytes", "AI", "time_ms"), rows))
    assert took == {
        **dict.fromkeys("MNK", "parameter"),
        **dict.fromkeys(("FLOPs", "Bytes", "AI"), "deterministic"),
        "time_ms": "response",
    }
    rows = [(*row[:3], *(round(noisy(v, 0.1)) for v in row[3:5]), row[6]) for row in rows]
    assert roles(seen(("M", "N", "K", "FLOPs", "Bytes", "time_ms"), rows))["FLOPs"] != "deterministic"


def test_a_best_rate_beside_times_of_several_runs_was_measured_too() -> None:
    rows = [
        (k, n, round(n * 16e-6 / t, 1), t, noisy(1.02 * t))
        for k in "ab"
        for n in (10**6, 10**7)
        if (t := noisy(n * 1e-9))
    ]
    names = ("function", "n_elements", "max_mbytes_per_sec", "min_runtime", "avg_runtime")
    assert roles(seen(names, rows))["max_mbytes_per_sec"] in ("response", "derived")
    assert (
        roles(seen((*names[:2], "max_mbytes_per_sec", "runtime"), [row[:4] for row in rows]))["runtime"] == "response"
    )


def test_a_share_in_percent_was_not_set() -> None:
    rows = [(k, round(noisy(50.0, 0.4)), round(noisy(312.0, 0.2), 2)) for k in ("A100", "H100") for _ in range(12)]
    assert roles(seen(("name", "utilization.gpu [%]", "power.draw [W]"), rows))["utilization.gpu"] == "counter"


def test_an_area_beside_a_time_was_not_set_and_not_counted() -> None:
    rows = [(f"{2**k}KB", a, noisy(0.1 * k * a), noisy(0.01 * 2**k + a / 9)) for k in range(4, 12) for a in (2, 4, 8)]
    names = ("Size", "Associativity", "Access_Time(ns)", "Area(mm2)")
    found = seen(names, rows).tables[0]
    assert [(c.role, c.unit) for c in found.columns[2:]] == [("response", "ns"), ("response", "mm2")]
    assert roles(seen((*names[:3], "Area limit (mm2)"), rows))["Area limit"] != "response"


def test_a_share_of_another_and_a_mean_clock_were_not_set() -> None:
    rows = [
        (n, t := noisy(n**3 * 1e-9), round(100 * n**3 * 9e-10 / t, 1), noisy(1400.0)) for n in range(256, 4096, 256)
    ]
    took = roles(seen(("n", "time_ms", "pct_of_cublas", "sm_clock_mean_mhz"), rows))
    assert (took["pct_of_cublas"], took["sm_clock_mean_mhz"]) == ("derived", "response")


def test_repeats_side_by_side_may_have_gaps_and_two_outcomes() -> None:
    names = ("script", *(f"{what}{k}" for k in (1, 2, 3, 4) for what in "et"))
    rows = []
    for i, t in enumerate((0.25, 0.11, 0.06, 0.38, 0.16, 0.95, 0.07, 0.42)):
        pairs = [(noisy(15 * t), noisy(t)) if (i + k) % 3 else ("", "") for k in range(4)]
        rows.append((f"sort{i}.py", *(value for pair in pairs for value in pair)))
    found = imported(names, rows).trials
    assert [m.name for m in found.metrics if m.kind is Kind.RESPONSE] == ["t", "e"]
    assert len(found.application) == len(rows) * 4
    assert set(found.application) == {row[0] for row in rows}


def test_a_report_of_jmeter_is_known_and_its_total_is_no_trial() -> None:
    report = {}
    for name, n, mean in (
        ("GET pet", 100, 20.5),
        ("Total", 600, 30.5),
        ("PUT pet", 200, 30.5),
        ("GET order", 300, 40.5),
    ):
        times = {"meanResTime": mean, "medianResTime": 9.0 + n % 9, "pct1ResTime": 30.0 + n % 7}
        report[name] = {"transaction": name, "sampleCount": n, **times, "throughput": n / 60}
    found = apply(read_table(SourceFile("statistics.json", json.dumps(report).encode()))).trials
    assert set(found.application) == {"GET pet", "PUT pet", "GET order"}
    kinds = {m.name: (m.kind, m.unit) for m in found.metrics}
    assert kinds["meanResTime"] == (Kind.RESPONSE, "ms")
    assert kinds["pct1ResTime"][0] is Kind.DERIVED


def test_a_gpus_time_stands_before_its_hosts() -> None:
    rows = [(n, b, noisy(n * 2e-3 + 20), noisy(n * 1e-3)) for n in (1024, 4096, 16384) for b in (64, 128, 256)]
    metrics = imported(("n", "block", "CPU Time (us)", "GPU Time (us)"), rows).trials.metrics
    assert [m.name for m in metrics if m.kind is Kind.RESPONSE] == ["GPU Time", "CPU Time"]
    metrics = imported(("n", "block", "CPU Time (us)", "Wait Time (us)"), rows).trials.metrics
    assert [m.name for m in metrics if m.kind is Kind.RESPONSE] == ["CPU Time", "Wait Time"]


def test_how_fast_a_processor_went_is_the_outcome_where_nothing_else_is() -> None:
    rows = [(w, a, b, noisy(0.1), noisy(1.0)) for w, a, b in product(("mcf", "lbm"), (16, 32, 64), (256, 512))]
    names = ("workload", "l1_kb", "l2_kb", "l2_missrate", "ipc")
    found = seen(names, rows).tables[0]
    assert (found.column("ipc").role, found.column("ipc").unit) == ("response", "inst/cycle")
    timed = seen((*names, "time_s"), [(*row, noisy(2.0)) for row in rows])
    assert roles(timed)["ipc"] == "counter"


@pytest.mark.parametrize(
    ("header", "unit"), [("mqps", "Mqueries/s"), ("latencyNanosMedian", "ns"), ("waitMicros", "us")]
)
def test_units_that_programs_write_into_names(header: str, unit: str) -> None:
    found = seen(("threads", header), [(k, noisy(3.0)) for k in (1, 2, 4, 8, 16)]).tables[0]
    assert (found.column(header).role, found.column(header).unit) == ("response", unit)


def test_a_total_without_a_unit_is_predicted_and_what_is_too_small_is_no_part_of_it() -> None:
    rows = [
        (n, t, a := noisy(n * 0.1 / t), b := noisy(n * 0.02), c := noisy(0.3), (a + b + c) * 1.01, noisy(1.0) * 1e-6)
        for n, t in product((256, 512, 1024), (1, 2, 4, 8))
    ]
    found = roles(seen(("N", "threads", "force", "energy", "io", "total", "drift"), rows))
    assert (found["total"], found["drift"]) == ("response", "counter")
    assert {found[name] for name in ("force", "energy", "io")} == {"derived"}


def test_a_binary_that_was_built_with_each_flag_is_no_application() -> None:
    rows = [(f, f"heat_{f[1:]}", t, noisy(9 / t)) for f, t in product(("-O0", "-O2", "-O3"), (1, 2, 4, 8))]
    found = roles(seen(("flags", "binary", "threads", "time_s"), rows))
    assert (found["flags"], found["binary"]) == ("parameter", "label")


def test_fractions_that_come_with_each_kind_were_set() -> None:
    rows = [(k, i, noisy(i * 50)) for k, i in product(("fma", "mul"), (0.25, 0.5, 1, 2, 4, 8))]
    assert roles(seen(("kernel_type", "intensity", "gflops"), rows))["intensity"] == "parameter"


def test_numbers_of_queries_are_what_ran_and_sizes_of_a_filters_kernel_are_set() -> None:
    queries = roles(
        seen(("query", "run", "time_ms"), [(q, k, noisy(5.0 * q)) for q, k in product(range(1, 9), (1, 2, 3))])
    )
    assert queries == {"query": "application", "run": "label", "time_ms": "response"}
    rows = [(f, k, t, noisy(k * k / t)) for f, k, t in product(("blur", "sobel"), (3, 5, 7), (1, 2, 4))]
    assert roles(seen(("filter", "kernel", "threads", "time_ms"), rows))["kernel"] == "parameter"


def test_instances_of_a_problem_are_no_machines() -> None:
    rows = [
        (f"{f}{v}.col", f, v, v * d, noisy(v * d * 1e-3))
        for f, v, d in product(("dsjc", "le"), (125, 250, 500), (3, 9))
    ]
    found = roles(seen(("Instance", "Dataset", "Vertices", "Edges", "Time(s)"), rows))
    assert "machine" not in found.values()


def test_percentiles_are_statistics_and_no_sizes_of_the_problem() -> None:
    rows = [(b, noisy(5.0 + b), noisy(4.9 + b), noisy(6.0 + b), noisy(7.0 + b)) for b in (1, 2, 4, 8, 16, 32, 64)]
    found = seen(("batch", "mean_ms", "p50_ms", "p95_ms", "p99_ms"), rows)
    assert roles(found)["mean_ms"] == "response"
    assert {roles(found)[name] for name in ("p50_ms", "p95_ms", "p99_ms")} == {"derived"}
    assert not found.questions


def test_a_rate_is_computed_from_a_count_and_not_the_count_from_the_rate() -> None:
    rng, rows = np.random.default_rng(5), []
    for b, k in product((1, 8, 32), range(6)):
        tokens, time = int(rng.integers(100, 400)), noisy(900.0 + 40 * b, 0.1)
        rows.append((b, k, tokens, round(time, 3), round(tokens / time * 1e3, 4)))
    found = seen(("batch_size", "rep", "completion_tokens", "latency_ms", "tokens_per_sec"), rows).tables[0]
    assert found.column("completion_tokens").role != "derived"
    assert found.column("tokens_per_sec").formula == "completion_tokens / latency_ms"


def test_comparisons_are_derived_however_they_are_called() -> None:
    rows = [(p, n, noisy(p * n / 100), 1 + p / 16) for p, n in product((4, 8, 16, 32), (100, 400))]
    assert roles(seen(("pressure", "size", "time_ms", "slowdown_vs_p4"), rows))["slowdown_vs_p4"] == "derived"


def test_a_text_that_spells_out_a_setting_is_a_label() -> None:
    rows = [(k, n, f"float* {n} global", noisy(n * 2.0)) for k, n in product(("scan", "saxpy"), (4096, 65536, 1048576))]
    assert roles(seen(("kernel", "global_size", "args_info", "time_ns"), rows))["args_info"] == "label"


def test_times_are_times_in_other_languages() -> None:
    rows = [(t, s, noisy(9 / t), noisy(0.1)) for t, s in product((1, 2, 4), ("static", "dynamic"))]
    found = roles(seen(("threads", "schedule", "media_s", "desvio_s"), rows))
    assert (found["media_s"], found["desvio_s"]) == ("response", "derived")


def test_a_temperature_is_not_the_first_outcome_of_a_table() -> None:
    rows = [(n, noisy(3400.0), noisy(60.0), noisy(n**2 / 1e4), k) for n, k in product((100, 200, 400), range(5))]
    made = imported(("N", "clock_rate", "temperature_C", "time_s", "run"), rows)
    outcomes = [m.name for m in made.trials.metrics if m.kind is Kind.RESPONSE]
    assert outcomes == ["time_s", "temperature_C"]


def test_texts_that_are_varied_describe_no_check_and_shares_are_counted() -> None:
    rows = [
        (p, f, noisy(3.0), noisy(0.5, 0.3)) for p, f in product(("gcc", "vim", "git", "zip"), ("inline", "licm", "gvn"))
    ]
    found = roles(seen(("program", "pass_name", "time_s", "success_share"), rows))
    assert (found["pass_name"], found["success_share"]) == ("parameter", "counter")


def test_a_latency_that_is_swept_beside_other_outcomes_is_set() -> None:
    rows = [(w, n, round(noisy(1e5 * n, 0.2))) for w, n in product(("sort", "fib", "crc", "list"), (1, 5, 20))]
    found = roles(seen(("workload", "latency", "cycles"), rows))
    assert (found["latency"], found["cycles"]) == ("parameter", "response")


def test_round_times_beside_a_rate_are_how_long_was_measured() -> None:
    rows = [(t, d, noisy(9e4 * t)) for t, d in ((1, 60), (2, 120), (4, 60), (8, 480), (16, 480), (32, 120))]
    assert roles(seen(("threads", "duration_s", "rps"), rows))["duration_s"] == "parameter"


def test_an_offered_rate_that_rises_from_row_to_row_is_set() -> None:
    rows = [(n, noisy(n * 0.9), noisy(n * 0.5)) for n in (2, 5, 8, 12, 20, 31)]
    found = roles(seen(("offered_per_s", "served_per_s", "kept_per_s"), rows))
    assert (found["offered_per_s"], found["served_per_s"]) == ("parameter", "response")


def test_a_clock_near_the_one_that_was_asked_for_was_measured() -> None:
    rows = [(w, f, f - k % 7, noisy(40.0)) for k, (w, f) in enumerate(product(("fill", "decode"), (600, 900, 1500)))]
    found = roles(seen(("workload", "req_clk_mhz", "act_clk_mhz", "power_w"), rows))
    assert (found["req_clk_mhz"], found["act_clk_mhz"]) == ("parameter", "response")


def test_a_throughput_with_few_values_that_are_no_levels_is_an_outcome() -> None:
    rows = [(a, b, noisy(788.0), 10.46 if a == 8 and b == 4 else 9.95) for a, b in product((8, 12, 15), range(4, 13))]
    assert roles(seen(("cpu_qos", "dma_qos", "wait_ns", "throughput_gbps"), rows))["throughput_gbps"] == "response"


def test_joules_of_a_part_are_outcomes() -> None:
    rows = [(f, noisy(18.0), noisy(9.0, 0.1), noisy(30.0, 0.1)) for f in (400, 800, 1600) for _ in range(4)]
    found = seen(("cpu_freq_mhz", "elapsed_s", "dram_j", "cpu_j"), rows).tables[0]
    assert [(found.column(n).role, found.column(n).unit) for n in ("dram_j", "cpu_j")] == [("response", "J")] * 2


def test_a_header_of_another_script_has_its_unit() -> None:
    rows = [(n, f, round(noisy(n * 2.0), 3)) for n, f in product((100, 1000, 5000), ("json", "raw"))]
    found = seen(("数据量", "格式", "耗时(ms)"), rows).tables[0]
    assert [column.role for column in found.columns] == ["parameter", "parameter", "response"]
    assert found.columns[-1].unit == "ms"


def test_powers_of_two_among_counts_were_set() -> None:
    rows = [(n, 15 + 3 * k, noisy(2596.0 * n), noisy(12.0)) for k, n in enumerate((1, 2, 4, 8))]
    assert roles(seen(("concurrency", "requests", "wait_ms", "rps"), rows))["concurrency"] == "parameter"


def test_percentiles_without_a_unit_predict_nothing_beside_a_time() -> None:
    rows = [(t, noisy(2800.0), 1000, int(noisy(9e4, 0.4))) for t in (1, 2, 4, 8, 16, 32)]
    found = roles(seen(("threads", "time_ms", "p50", "p99"), rows))
    assert found["p99"] == "derived"
    assert found["p50"] in ("derived", "label")


def test_what_is_counted_with_each_setting_was_no_count() -> None:
    rows = [(d, t, noisy(d / t), noisy(d * 1.0)) for d, t in product((100, 250, 500), (1, 2, 4, 10))]
    assert roles(seen(("docs_count", "threads", "par_ms", "seq_ms"), rows))["docs_count"] == "parameter"


def test_a_ratio_of_two_counts_is_computed_from_them() -> None:
    rows = []
    for s, k in product((4096, 65536, 1048576), range(5)):
        accesses, cycles = int(noisy(6e7 * 4096 / s, 0.05)), int(noisy(2e8, 0.05))
        rows.append((s, k, accesses, cycles, round(cycles / accesses, 6)))
    found = seen(("size_bytes", "trial", "accesses", "elapsed_cycles", "cycles_per_access"), rows).tables[0]
    assert found.column("cycles_per_access").role == "derived"


def test_an_efficiency_of_a_speed_up_is_derived_where_only_its_name_says_so() -> None:
    rows = [(d, t, noisy(d / t, 0.1), s, s / t) for d, t in product((100, 250), (1, 2, 4, 8)) for s in [noisy(t, 0.2)]]
    found = roles(seen(("n", "threads", "time_ms", "speedup", "efficiency"), rows))
    assert (found["speedup"], found["efficiency"]) == ("derived", "derived")


def test_the_time_of_runs_that_all_last_as_long_is_not_the_first_outcome() -> None:
    rows = [(f"{i % 6}", f"{30 + 0.01 * (i % 7)}", f"{1.1 + 0.01 * i}", f"{2 + i * 0.37:.2f}") for i in range(24)]
    made = imported(("N", "time_s", "voltage_V", "power_W"), rows)
    assert [m.name for m in made.trials.metrics if m.kind is Kind.RESPONSE] == ["power_W", "time_s", "voltage_V"]
    longer = [(n, f"{30 + i}", volts, watts) for i, (n, _, volts, watts) in enumerate(rows)]
    made = imported(("N", "time_s", "voltage_V", "power_W"), longer)
    assert [m.name for m in made.trials.metrics if m.kind is Kind.RESPONSE] == ["time_s", "voltage_V", "power_W"]


def test_what_never_changes_is_no_outcome_beside_one_that_does() -> None:
    rows = [(n, m, 64, int(noisy(n * n * m * 3.0))) for n, m in product((50, 100, 200, 400), (8, 16, 32))]
    found = seen(("N", "M", "T", "Cycles"), rows).tables[0]
    assert [c.name for c in found.columns if c.role == "response"] == ["Cycles"]


def test_cycles_are_their_own_unit() -> None:
    rows = [(a, n, int(noisy(n * k * 1e6))) for k, a in enumerate("abc", 1) for n in (1, 2, 4)]
    found = seen(("app", "threads", "cpu-cycles"), rows)
    assert (found.tables[0].column("cpu-cycles").unit, found.questions) == ("cycles", ())


def test_ticks_of_a_simulator_are_its_time_and_a_share_of_time_is_none() -> None:
    rows = [
        (f"w{a}", a, int(noisy(1e9 * a)), round(2 + noisy(3 / a, 0.1), 3), f"{noisy(60, 0.2):.1f}%")
        for a in range(2, 14)
    ]
    found = seen(("Experiment", "width", "simTicks", "Power(W)", "%Time"), rows)
    responses = [c.name for c in found.tables[0].columns if c.role == "response"]
    assert responses == ["simTicks", "Power"]
    assert (found.tables[0].column("%Time").role, found.tables[0].column("%Time").unit) == ("counter", "%")
    assert found.mapping().responses[0][0] == "simTicks"


def test_a_small_counter_is_no_difference_of_two_columns_that_are_alike() -> None:
    rows = []
    for language, users, run in product(("go", "java", "python"), (10, 50, 200), (1, 2, 3)):
        ms = noisy(2.0 * len(language) * users / 10, 0.05)
        n = int(60_000 * users / ms)
        rows.append(
            (language, users, run, n, round(0.0005 + 0.0001 * run, 5), ms, round(n / 60, 2), 10.5 * run + users / 9)
        )
    head = ("language", "users", "run", "requests", "error_rate", "avg_ms", "throughput_rps", "cpu_average_percent")
    found = roles(seen(head, rows))
    assert {found["error_rate"], found["cpu_average_percent"]} <= {"counter", "parameter"}
    assert found["requests"] == "derived"


def test_how_far_a_result_is_off_describes_the_check() -> None:
    rows = [
        (k, n, noisy(n * 0.1), noisy(1e-3, 0.5), noisy(1e-2, 0.5)) for k in ("naive", "tiled") for n in (64, 128, 256)
    ]
    found = roles(seen(("kernel", "n", "ms", "max_abs", "mean_rel"), rows))
    assert (found["max_abs"], found["mean_rel"]) == ("label", "label")


def test_a_label_that_spells_the_settings_out_is_none_of_them() -> None:
    rows = [
        (f"{kernel}_{layout}_{b}", kernel, layout, b, n, noisy(b * n * len(kernel) * 0.01))
        for kernel, layout, b, n in product(("gemm", "decode"), ("paged", "dense"), (1, 4, 16), (128, 512, 2048))
    ]
    found = roles(seen(("label", "kernel", "layout", "batch", "seq_len", "ms"), rows))
    assert (found["label"], found["layout"]) == ("label", "parameter")
    free = [(f"{'abc'[i % 3]}", *row[1:]) for i, row in enumerate(rows)]
    assert roles(seen(("label", "kernel", "layout", "batch", "seq_len", "ms"), free))["label"] != "label"


def test_a_clock_that_runs_on_beside_an_outcome_is_none_and_a_time_that_grows_with_a_setting_is() -> None:
    tried = [(7 * i % 31, round(2 + 40 / (1 + 7 * i % 31), 3), 2.0 * i + 0.01 * (i % 3)) for i in range(1, 25)]
    found = roles(seen(("block_size", "objective", "elapsed_sec"), tried))
    assert found == {"block_size": "parameter", "objective": "response", "elapsed_sec": "label"}
    swept = [(a, n, n * 1.5 + a, noisy(20 + a)) for a in (1, 2) for n in range(1, 13)]
    assert roles(seen(("app_id", "threads", "time_s", "power_W"), swept))["time_s"] == "response"


def test_what_a_model_said_is_left_out_beside_what_was_measured() -> None:
    rows = [(k, c, noisy(9e4 / c), noisy(9e4 / c), 0.01) for k in "abc" for c in (500, 700, 900)]
    found = roles(seen(("kernel", "coreF", "real", "predicted", "error"), rows))
    assert found == {
        "kernel": "application",
        "coreF": "parameter",
        "real": "response",
        "predicted": "label",
        "error": "label",
    }
    alone = [(k, c, time) for k, c, time, *_ in rows]
    assert roles(seen(("kernel", "coreF", "predicted_time_s"), alone))["predicted_time_s"] == "response"


def test_domains_of_a_processor_are_outcomes_and_its_parts_are_left_out() -> None:
    rows = [
        (a, n, noisy(e * n), noisy(0.6 * e * n), noisy(0.1 * n)) for a, e in (("x", 2.0), ("y", 3.0)) for n in (1, 2, 4)
    ]
    table = seen(("Algorithm", "Size", "Package", "Core(s)", "Time(sec)"), rows).tables[0]
    told = {c.name: (c.role, c.unit) for c in table.columns[2:]}
    assert told == {"Package": ("response", None), "Core(s)": ("derived", None), "Time": ("response", "sec")}
    ids = [(p, c, noisy(50.0)) for p in (0, 1) for c in range(4)]
    assert roles(seen(("Package", "Core", "PkgWatt"), ids))["Package"] != "response"


def test_names_of_what_was_tried_above_fractions_are_one_outcome() -> None:
    rows = [(f"gpu {i}", *(noisy(80.0 * (i + 1) * f) for f in (1, 1.2, 0.7))) for i in range(5)]
    found = seen(("Device", "OpenMP", "Kokkos", "SYCL"), rows)
    assert [c.role for c in found.tables[0].columns] == ["machine", "response", "response", "response"]
    (asked,) = [q for q in found.questions if q.about == "beside"]
    assert asked.choices == ("variants", "outcomes")
    trials = imported(("Device", "OpenMP", "Kokkos", "SYCL"), rows).trials
    assert (len(trials), trials.input[:3]) == (15, ("OpenMP", "Kokkos", "SYCL"))
    facts = [(f"gpu {i}", 16 * i + 16, 1.5 + i / 10, 300 + i) for i in range(5)]
    assert "response" not in roles(seen(("Device", "SMs", "alpha", "beta"), facts)).values()


@pytest.mark.parametrize("name", ["commit", "version", "model_id", "dir", "tpr_filename"])
def test_what_comes_with_each_setting_was_compared_whatever_it_is_called(name: str) -> None:
    old, new = ("1.2.0", "1.3.0") if name == "version" else ("a1b2c3d", "e4f5a6b")
    rows = [(v, c, noisy(s / c)) for (v, s), c, _ in product(((old, 80.0), (new, 50.0)), (1, 2, 4), range(3))]
    assert roles(seen((name, "clients", "time_ms"), rows))[name] == "parameter"
    apart = [(v, c, t) for v, c, t in rows if (v == old) == (c == 1)]
    assert roles(seen((name, "clients", "time_ms"), apart))[name] in ("identifier", "label")


def test_an_empty_cell_is_a_level_where_it_comes_as_often_as_the_others() -> None:
    sweep = [*product(("", "-flto", "-march=native"), (256, 512), range(3))]
    rows = [(flags, n, noisy(n / (2 + len(flags)))) for flags, n, _ in sweep]
    assert roles(seen(("flags", "N", "time_s"), rows))["flags"] == "parameter"
    trials = imported(("flags", "N", "time_s"), rows).trials
    assert (trials.parameters, set(trials.labels["flags"])) == (("flags",), {"none", "-flto", "-march=native"})
    noted = [(flags if i % 6 == 1 else "", n, t) for i, (flags, n, t) in enumerate(rows)]
    assert roles(seen(("flags", "N", "time_s"), noted))["flags"] == "label"


def test_a_command_line_that_spells_out_texts_and_numbers_is_no_application() -> None:
    rows = [
        (f"{t} {'-j' if t == 'fd' else '-maxdepth'} {d} /usr", noisy(0.1 * d / j), d, j, t)
        for t, d, j in product(("fd", "find"), (2, 4, 6), (1, 2, 4))
    ]
    rows = [(f"{command} # {j}", *own, j, t) for command, *own, j, t in rows]
    found = roles(seen(("command", "time_s", "depth", "jobs", "tool"), rows))
    assert found == {
        "command": "label",
        "time_s": "response",
        "depth": "parameter",
        "jobs": "parameter",
        "tool": "parameter",
    }


def test_a_rate_is_predicted_where_runs_were_told_how_long_to_last() -> None:
    rows = [(n, p, 10**6 * n * p, f"{5 + 0.01 * (n % 7):.2f}") for n, p in product((3, 5, 11, 17), (1, 2, 4, 8))]
    named = [(n, p, size, t, f"{size / float(t) / 1e6:.4f}") for n, p, size, t in rows]
    found = roles(seen(("n", "threads", "bytes_total", "seconds", "rate_mb_s"), named))
    assert (found["rate_mb_s"], found["seconds"]) == ("response", "derived")
    longer = [(n, p, size, f"{n / p:.3f}", f"{size / (n / p) / 1e6:.4f}") for n, p, size, _ in rows]
    assert roles(seen(("n", "threads", "bytes_total", "seconds", "rate_mb_s"), longer))["seconds"] == "response"


def test_a_time_in_other_units_is_known_where_many_runs_have_none() -> None:
    rows = [
        (n, p, t if n % 2 else "", 1000 * float(t)) for n, p in product(range(1, 9), (1, 2, 4)) if (t := noisy(n / p))
    ]
    assert roles(seen(("n", "threads", "time_s", "spent"), rows))["spent"] == "derived"


def test_counts_that_follow_each_other_are_not_computed_from_the_time_that_cancels() -> None:
    rows = []
    for n, t in product((1, 2, 3, 5, 8), (1, 2, 4)):
        time, misses = float(noisy(n / t)), int(float(noisy(1e6 * n, 0.3)))
        rows.append((n, t, f"{time:.6f}", round(3e9 * time), misses, misses * 7))
    found = roles(seen(("n", "threads", "time_s", "cycles", "misses", "loads"), rows))
    assert (found["cycles"], found["misses"], found["loads"]) == ("derived", "counter", "counter")


def test_what_is_the_same_in_every_row_is_none_of_what_was_tried() -> None:
    rows = [(n, 10, b, *(noisy(f * (1 + n / 5e3), 0.05) for f in (5, 1.1, 6.5))) for n in (480, 960) for b in (48, 96)]
    found = seen(("SIZE", "THREADS", "BLOCK", "PARALLEL", "TILED", "BOTH"), rows)
    assert [c.role for c in found.tables[0].columns] == ["parameter"] * 3 + ["response"] * 3


@pytest.mark.parametrize("form", ["T{}", "{}T", "P{}T"])
@pytest.mark.parametrize("beside", ["", "serial"])
def test_columns_of_t_with_numbers_that_double_are_of_threads(form: str, beside: str) -> None:
    grows = 1 if beside else -1
    rows = [(n, *([1.0] if beside else []), *(noisy(n**0.1 * p**grows) for p in (2, 4, 8))) for n in (100, 200, 300)]
    names = ("size", *([beside] if beside else []), *(form.format(p) for p in (2, 4, 8)))
    (asked,) = [q for q in seen(names, rows).questions if q.about == "beside"]
    assert asked.choices == ("threads", "outcomes")
    (response,) = [m for m in imported(names, rows).trials.metrics if m.kind is Kind.RESPONSE]
    assert response.name == ("speedup" if beside else "time")


def test_the_time_on_the_wall_comes_before_its_parts() -> None:
    rows = [(c, noisy(3e3 / c), noisy(9e3 / c), noisy(4e3 / c)) for c in (1, 2, 4, 8, 16, 32)]
    made = imported(("cores", "Kernel Time", "Real Time", "User Time"), rows)
    assert [m.name for m in made.trials.metrics if m.kind is Kind.RESPONSE] == ["Real Time", "Kernel Time", "User Time"]


def test_one_unit_beside_all_values_is_that_of_the_score() -> None:
    rows = [("a.sort", n, noisy(n / 100), "ms/op") for n in (100, 1000, 10000)]
    assert seen(("Benchmark", "Param: n", "Score", "Unit"), rows).tables[0].column("Score").unit == "ms/op"


def test_labels_that_are_what_was_varied_are_settings_and_others_stay_labels() -> None:
    rows = [(s, f"mt-{t}", n, noisy(n / 10.0)) for s, t, n in product(("tiny", "disk"), ("a", "b", "c"), (50, 64))]
    assert roles(seen(("scenario", "label", "clients", "time_s"), rows))["label"] == "parameter"
    spelt = [(s, f"clients={n}", n, noisy(n / 10.0)) for s, n in product(("tiny", "disk"), (50, 64, 80))]
    assert roles(seen(("scenario", "label", "clients", "time_s"), spelt))["label"] == "label"
    each = [(f"{s} {t}", s, t, noisy(2.0)) for s, t in product(("tiny", "disk"), ("a", "b", "c"))] * 2
    assert roles(seen(("label", "scenario", "server", "time_s"), each))["label"] == "label"


def test_whole_numbers_that_are_mostly_met_once_were_counted() -> None:
    rows = [
        (w, s, n, noisy(3.0), 7 * n + i if w == "insert" else 0, 31 * i + n)
        for i, (w, s, n) in enumerate(
            product(("find", "scan", "insert"), ("array", "list", "heap"), (100, 1000, 10000))
        )
    ]
    assert roles(seen(("workload", "structure", "n", "time_ms", "moves", "comparisons"), rows))["moves"] == "counter"


def test_a_size_that_is_called_a_count_was_set_where_all_else_agrees() -> None:
    rows = [
        (s, n + k, 90 + 9 * k + n % 7, noisy(n / 50))
        for k, s in enumerate(("square", "star"))
        for n in (500, 2000, 8000, 31000)
    ]
    found = roles(seen(("Shape", "Edge count", "Timesteps", "time_ms"), rows))
    assert (found["Edge count"], found["Timesteps"]) == ("parameter", "counter")
    again = [(s, 500 + j + 9 * k, noisy(10.0)) for j, s in enumerate(("square", "star")) for k in range(4)]
    assert roles(seen(("Shape", "Edge count", "time_ms"), again))["Edge count"] == "counter"


@pytest.mark.parametrize("header", ["time_taken", "TimePerStep", "cost_of_it"])
def test_times_in_other_words_are_outcomes_and_so_is_the_only_number_that_was_measured(header: str) -> None:
    rows = [(p, t, noisy(5 / p / t)) for p, t in product((1, 2, 4), (1, 3, 5, 7))]
    assert roles(seen(("n_procs", "n_threads", header), rows))[header] == "response"
    beside = [(p, t, noisy(5 / p / t), noisy(3.0)) for p, t in product((1, 2, 4), (1, 3, 5, 7))]
    two = roles(seen(("n_procs", "n_threads", header, "depth_of_it"), beside))
    assert two["depth_of_it"] != "response"


def test_a_code_of_the_exit_tells_of_the_run_and_a_path_of_the_program_is_a_setting() -> None:
    rows = [
        (b, n, p, noisy(n / 7.0), 137 * (k % 5 == 0))
        for k, (b, n, p) in enumerate(product(("b1", "b2"), (1000, 5000, 25000), ("naive", "optimised")))
    ]
    found = roles(seen(("benchmark", "n", "path", "time_ms", "exit_code"), rows))
    assert (found["path"], found["exit_code"]) == ("parameter", "label")


def test_a_time_of_a_search_is_the_outcome_where_there_is_no_other() -> None:
    rows = [(p, 1 - p, noisy(0.01 / p)) for p in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)]
    assert roles(seen(("probability", "sparsity", "search_latency"), rows))["search_latency"] == "response"
    beside = [(*row, noisy(3.0)) for row in rows]
    found = roles(seen(("probability", "sparsity", "search_time_ms", "time_ms"), beside))
    assert (found["search_time_ms"], found["time_ms"]) == ("label", "response")


def test_whole_times_of_few_levels_that_only_their_unit_makes_times_were_set() -> None:
    rows = [(e, n, s, noisy(n / 10.0)) for e, n, s in product(("v1", "v3"), (100, 200, 400), (5, 10, 20))]
    assert roles(seen(("engine", "nx", "snapshot_ms", "t_migrate_s"), rows))["snapshot_ms"] == "parameter"


def test_a_flag_of_a_check_is_no_outcome_and_what_lacks_values_no_setting() -> None:
    rows = [
        (m, p, noisy(9.0), noisy(2.0), int(m != "a"), 10.0 if p == "short" else "N/A")
        for m, p, _ in product(("a", "b", "c"), ("short", "long", "poem"), range(2))
    ]
    found = roles(seen(("model", "prompt", "energy_uj", "time_ms", "pass_energy", "quality score"), rows))
    assert (found["pass_energy"], found["energy_uj"]) == ("label", "response")
    assert found["quality score"] not in ("parameter", "response")


def test_a_word_for_no_value_is_one_in_columns_that_hold_it_mostly() -> None:
    rows = [
        (f"gpu {i}", noisy(9.0 * i + 9), "X" if i % 2 else noisy(7.0 * i + 7), noisy(i + 5.0) if i > 3 else "X")
        for i in range(6)
    ]
    found = seen(("Device", "OpenMP", "Kokkos", "SYCL"), rows)
    assert [c.role for c in found.tables[0].columns] == ["machine", "response", "response", "response"]
    assert [q.about for q in found.questions] == ["beside", "unit"]
    assert found.questions[1].asks.startswith("What is the unit of OpenMP to SYCL?")
    assert not [p.says for p in found.problems if "only names" in p.says]
    told = found.answered({"OpenMP": "GiB/s"})
    assert [q.about for q in told.questions] == ["beside"]
    assert told.answered({"OpenMP": "outcomes"}).mapping().beside == ()


def test_what_an_optimiser_expects_and_what_a_branch_unit_counts_stay_predictors() -> None:
    rows = [
        (q, 40 * n + k, 7 * n + k, noisy(n / 9.0), noisy(n / 8.0)) for q in "ab" for k, n in enumerate((9, 30, 80, 200))
    ]
    names = ("query", "estimated_rows", "br_mis_predict", "estimated_time_ms", "time_ms")
    found = roles(seen(names, rows))
    assert [found[n] == "label" for n in names[1:]] == [False, False, True, False]


def test_marks_are_outcomes_of_last_resort_but_not_of_models_or_few_facts() -> None:
    rows = [(f"cpu {i}", 4 + i % 5, 35 + 30 * (i % 3), round(noisy(900 * (4 + i % 5), 0.05))) for i in range(30)]
    for named in ("CPU Mark", "Multi-Core Score", "Cinebench R23 Multi", "points"):
        found = seen(("CPU", "cores", "tdp", named), rows)
        assert roles(found)[named] == "response"
        assert "higher is taken as better" in found.questions[0].asks
    head = ("CPU", "cores", "tdp", "CPU Mark")
    assert "response" not in roles(seen(head, rows[:9])).values()
    assert roles(seen((*head, "time_s"), [(*row, noisy(9 / row[1])) for row in rows]))["CPU Mark"] != "response"
    judged = seen(("trees", "depth", "f1_score", "accuracy"), [(n, d, noisy(0.8), noisy(0.9)) for _, n, d, _ in rows])
    assert "response" not in roles(judged).values()


def test_times_in_one_word_are_outcomes_where_nothing_else_is() -> None:
    rows = [(n, size, noisy(size / n), noisy(size), 100) for n in (1, 2, 4, 8) for size in (10, 50, 200)]
    found = seen(("threads", "n", "sorttime", "mergetime", "uptime"), rows)
    assert [roles(found)[n] == "response" for n in ("sorttime", "mergetime", "uptime")] == [True, True, False]
    assert all("lower is taken as better" in q.asks for q in found.questions)


def test_numbered_columns_that_agree_are_repeats_and_go_together_in_a_row() -> None:
    rows = [(n, *(noisy(base / n, 0.02) for base in (90, 90, 90, 50, 50, 50))) for n in (1, 2, 4, 8, 16, 32, 64, 128)]
    named = ("threads", *(f"{what}{i}" for what in ("instime", "deltime") for i in range(3)))
    assert [(b.response, len(b.columns)) for b in seen(named, rows).tables[0].given.beside] == [
        ("instime", 3),
        ("deltime", 3),
    ]
    trials = imported(named, rows).trials
    assert len(trials) == 24
    assert trials.labels["repeat"][:4] == ("1", "2", "3", "1")
    y = dict(zip([m.name for m in trials.metrics], trials.values.T, strict=True))
    assert y["instime"][:3].tolist() == list(rows[0][1:4])
    assert y["deltime"][:3].tolist() == list(rows[0][4:])
    bare = seen(("threads", "v1", "v2", "v3"), [row[:4] for row in rows])
    assert [b.response for b in bare.tables[0].given.beside] == ["v"]
    apart = seen(("threads", "v1", "v2", "v3"), [(n, x, 3 * y, z) for n, x, y, z, *_ in rows])
    assert not apart.tables[0].given.beside


def test_what_a_circuit_takes_is_the_outcome_where_all_else_was_set() -> None:
    rows = [
        (n, d, round(noisy(900 * n, 0.05)), round(noisy(700 * n + d, 0.05)), 2 * n, noisy(9 * n))
        for n in (2, 4, 8, 16)
        for d in (16, 64, 256)
    ]
    head = ("N_PE", "FIFO_D", "LUT", "FF", "DSP", "lat_ns")
    found = seen(head[:5], [row[:5] for row in rows])
    assert [roles(found)[n] for n in head[2:5]] == ["response"] * 3
    assert not found.questions
    assert roles(seen(head, rows))["LUT"] == "counter"


def test_what_the_shell_says_of_times_is_no_machine() -> None:
    def said(seconds: float) -> str:
        return f"{int(seconds // 60)}m{seconds % 60:.3f}s"

    rows = [
        (n, t, *map(said, (noisy(n / t / 40), noisy(n / 40), noisy(3.0, 0.1))))
        for n, t, _ in product((800, 3200), (1, 2, 4), "abc")
    ]
    found = seen(("n", "threads", "real", "user", "sys"), rows).tables[0]
    assert (found.column("real").role, found.column("real").unit) == ("response", "s")
    assert {found.column("user").role, found.column("sys").role} <= {"derived", "response"}


@pytest.mark.parametrize(("header", "unit"), [("hit_rate", ""), ("saved_pct", "%"), ("overhead (%)", "%")])
def test_a_share_is_the_outcome_where_nothing_else_was_measured(header: str, unit: str) -> None:
    rows = [(p, c, noisy(9.0 + c / 40)) for p, c, _ in product(("lru", "fifo"), (10, 50, 200), "abc")]
    column = seen(("policy", "cache_mb", header), rows).tables[0].columns[-1]
    assert (column.role, column.unit or "", column.why) == ("response", unit, "the only number that was measured")
    assert roles(seen(("policy", "cache_mb", "misses"), rows))["misses"] == "counter"


def test_an_arithmetic_intensity_follows_from_the_sizes_and_one_that_was_measured_does_not() -> None:
    sizes = [(q, k, d) for q, k, d in product((512, 1024, 2048, 4096), (1024, 2048, 4096), (64, 128))]
    told = [(*own, 1 / (1 / own[0] + 1 / own[1] + 0.5 / own[2]), noisy(own[0] * own[1] * 1e-4, 0.1)) for own in sizes]
    names = ("seq_q", "seq_kv", "d_head", "arithmetic_intensity", "time_us")
    assert roles(seen(names, told))["arithmetic_intensity"] == "deterministic"
    measured = [(*row[:3], noisy(row[3], 0.05), row[4]) for row in told]
    assert roles(seen(names, measured))["arithmetic_intensity"] == "counter"


def test_a_total_of_all_requests_is_no_size_so_that_what_was_swept_is_a_setting() -> None:
    served = [
        (m, own, n, 10 * n, own * 10 * n, noisy(own * (1 + n / 20), 0.05))
        for m, own, n in product(("llama-8b", "llama-70b"), (128, 1024, 2048), (1, 4, 16, 64))
    ]
    names = ("model", "input_len", "max_concurrency", "num_prompts", "total_input_tokens", "ttft_ms")
    found = roles(seen(names, served))
    assert (found["input_len"], found["max_concurrency"]) == ("input", "parameter")
    assert found["num_prompts"] == found["total_input_tokens"] == "deterministic"


def test_the_memory_of_a_machine_is_no_problem_size() -> None:
    rows = [(k, 16.0, noisy(3.0 * i)) for i, k in enumerate("abcdef", 1)]
    assert roles(seen(("project_name", "ram_total_size", "duration_s"), rows))["ram_total_size"] == "machine_metric"


def test_a_serving_benchmark_is_known_by_its_header() -> None:
    names = ("max_concurrency", "completed", "duration", "request_throughput", "output_throughput")
    rows = [
        (n, 100, noisy(300 / n, 0.1), noisy(n * 0.3, 0.1), noisy(n * 40.0, 0.1), noisy(50 * n, 0.2), noisy(9 + n, 0.1))
        for n in (1, 2, 4, 8, 16, 32, 64, 128)
    ]
    found = seen((*names, "mean_ttft_ms", "mean_tpot_ms"), rows)
    units = {c.name: c.unit for c in found.tables[0].columns}
    assert (units["duration"], units["output_throughput"], found.questions) == ("s", "tokens/s", ())


def test_a_remark_in_brackets_takes_nothing_from_an_outcome_and_shares_are_no_parts_of_cycles() -> None:
    cycles = [(i, 30_000 + 900 * i + 7 * i * i) for i in range(1, 40)]
    rows = [(i, c, c + c * (i % 4) // 99, 60.0 + i % 7, 90.0 - i % 5) for i, c in cycles]
    names = ("LayerID", "Total Cycles", "Total Cycles (incl. prefetch)", "Overall Util %", "Mapping Efficiency %")
    columns = {c.name: c for c in seen(names, rows).tables[0].columns}
    assert columns["Total Cycles (incl. prefetch)"].unit == "cycles"
    assert columns["Overall Util %"].role == columns["Mapping Efficiency %"].role == "counter"
    rows = [(x, y, noisy(x * y), noisy(x * y * y)) for x, y in product((2, 4, 8, 16), (8, 16, 32))]
    assert roles(seen(("pe_x", "pe_y", "energy_uJ", "edp(J*cycle)"), rows))["edp(J*cycle)"] == "response"


def test_a_numbered_row_of_options_that_a_tuner_set() -> None:
    rng = np.random.default_rng(11)
    rows = [
        (*(rng.choice(own) for own in (["-a", "-b", ""], ["", "-r"], ["x", "y", "z"])), f"{rng.random():.9f}", 64, f, t)
        for f, t in zip(-np.round(100 + 50 * rng.random(40), 3), np.round(2.1 * np.arange(1, 41), 5), strict=True)
    ]
    found = seen(("p0", "p1", "p2", "p3", "p4", "FLOPS", "elapsed_sec"), rows)
    assert roles(found) == dict.fromkeys(("p0", "p1", "p2", "p3"), "parameter") | {
        "p4": "label",
        "FLOPS": "response",
        "elapsed_sec": "label",
    }
    assert "lower is taken as better" in found.questions[0].asks
    counted = [("xyzw"[i % 4], *np.round(rng.random(4), 7), f"{rng.random():.9f}") for i in range(40)]
    assert {roles(seen(("kind", "c0", "c1", "c2", "c3", "time"), counted))[f"c{k}"] for k in range(4)} == {"counter"}


def test_a_switch_named_like_a_check_that_was_planned_is_a_setting() -> None:
    rows = [(a, b, c, 1000 + 300 * a - 50 * b + 17 * c + 3 * (a ^ b)) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    found = roles(seen(("KeepAlive", "FullStatus", "Sendfile", "PERF"), [*rows, *rows]))
    assert [role for name, role in found.items() if name != "PERF"] == ["parameter"] * 3
    checked = [(a, b, int(i > 1), perf) for i, (a, b, _, perf) in enumerate([*rows, *rows])]
    assert roles(seen(("KeepAlive", "Sendfile", "status", "PERF"), checked))["status"] == "label"


def test_a_figure_of_merit_predicts_no_time() -> None:
    rows = [
        (n, s, t := noisy(n * s**3 / 1e6), round(n * s**3 / t * noisy(1, 0.2), 2))
        for n in (1, 8, 27)
        for s in (10, 20, 30, 40)
    ]
    found = seen(("ranks", "size", "elapsed_s", "FOM"), rows)
    assert roles(found)["FOM"] in ("response", "derived")
    assert "higher is taken as better" in found.questions[0].asks


@pytest.mark.parametrize("head", [("test", "time_ms"), ("m", "test", "time_ms")])
def test_settings_in_the_names_of_tests(head: tuple[str, ...]) -> None:
    sizes = [*product(("gemm", "conv-2d"), (64, 256, 1024), (32, 128))]
    rows = [(m, f"{app}_M{m}_N{n}_runs5(GPU)", noisy(m * n * 1e-3)) for app, m, n in sizes]
    found = roles(seen(head, [row[-len(head) :] for row in rows]))
    if "m" in head:  # what a column says already stays in the name
        assert [*found] == [*head]
    else:
        assert found["test"] == "application"
        assert {found["M"], found["N"]} <= {"parameter", "input"}
        assert found["runs"] == "label"
    one = roles(seen(("test", "time_ms"), [(f"gemm_M{m}_N8", noisy(m * 1e-3)) for m in (64, 128, 256, 512)]))
    assert "M" not in one


def test_a_share_of_a_bound_that_differs_is_the_outcome_in_other_words() -> None:
    bounds = np.round(NOISE.uniform(100, 400, 24), 2)
    rows = [
        (i, bound, r := round(bound * NOISE.uniform(0.1, 0.9), 3), 100 * r / bound) for i, bound in enumerate(bounds)
    ]
    found = roles(seen(("matrix", "theoretical_gflops", "gflops", "of the theoretical %"), rows))
    assert (found["gflops"], found["of the theoretical %"]) == ("response", "derived")


def test_numbers_that_only_some_variants_have_were_set_for_these() -> None:
    tried = [("naive", "-", "-"), *(("tiled", "-", 4) for _ in "ab"), *(("reg", r, 4) for r in (2, 4, 8))]
    rows = [(v, n, r, u, noisy(n**2 / (r if r != "-" else 1))) for v, r, u in tried for n in (64, 128, 256, 512)]
    found = roles(seen(("kernel", "n", "REG_M", "lane", "time_ms"), rows))
    assert (found["REG_M"], found["lane"]) == ("parameter", "label")
    counted = [(*row[:2], "-" if i % 5 == 0 else i % 4, *row[3:]) for i, row in enumerate(rows)]
    assert roles(seen(("kernel", "n", "REG_M", "lane", "time_ms"), counted))["REG_M"] == "counter"


@pytest.mark.parametrize("header", ["query_id", "query_number"])
def test_numbered_queries_are_what_ran_and_the_order_of_runs_is_no_setting(header: str) -> None:
    took = {q: float(NOISE.lognormal()) for q in range(1, 23)}
    engines = (("duckdb", 1), ("sqlite", 9))
    rows = [(engine, q, i + 1, noisy(took[q] * k)) for i, ((engine, k), q) in enumerate(product(engines, took))]
    assert roles(seen(("engine", header, "execution_order", "elapsed_s"), rows)) == {
        "engine": "parameter",
        header: "application",
        "execution_order": "label",
        "elapsed_s": "response",
    }
    assert roles(seen(("system", header, "elapsed_s"), [(*row[:2], row[3]) for row in rows]))[header] == "application"
    assert roles(seen((header, "elapsed_s"), [row[1::2] for row in rows[:22]]))[header] == "identifier"


def test_what_compressors_take_and_leave_is_measured() -> None:
    files, codecs = (("alice", 152), ("dickens", 10192), ("mozilla", 51220)), (("zlib", 3), ("lz4", 2))
    rows = [
        (file, codec, n, round(s * 1e3 / k / (1 + 0.04 * n)), *(noisy(s * k * n / m, 0.03) for m in (9, 9, 99)))
        for (file, s), (codec, k), n in product(files, codecs, range(1, 7))
    ]
    head = ("file", "codec", "level", "compressed_size", "compress_cpu", "compress_wall", "Decompression speed")
    found = seen(head, rows)
    assert [roles(found)[n] for n in head[2:]] == ["parameter", "counter", "response", "response", "response"]
    better = {q.column: q.asks.split()[-5] for q in found.questions}
    assert (better["compress_wall"], better["Decompression speed"]) == ("lower", "higher")


def test_how_many_instances_ran_was_set_though_another_count_is_measured() -> None:
    rows = [
        (n, kind, gb, round(noisy(99 * gb, 0.2)), round(noisy(60 * gb / n / k, 0.02)))
        for n, (kind, k), gb, _ in product((2, 4, 6), (("m4.large", 1), ("r4.xlarge", 2)), (10, 20), "abc")
    ]
    found = roles(seen(("instance_count", "machine_type", "data_size_gb", "gc_count", "gross_runtime"), rows))
    assert found == {
        "instance_count": "parameter",
        "machine_type": "machine",
        "data_size_gb": "input",
        "gc_count": "counter",
        "gross_runtime": "response",
    }


def test_texts_that_come_with_each_setting_describe_no_job_though_each_has_a_name() -> None:
    rows = [
        (f"j{i}", way, depth, "ssd" if i % 5 else "hdd", noisy(depth * (3 if way == "rand" else 1)))
        for i, (way, depth, _) in enumerate(product(("seq", "rand"), (1, 8, 64), "ab"))
    ]
    found = roles(seen(("jobname", "way", "iodepth", "suite", "lat_ms"), rows))
    assert (found["way"], found["suite"]) == ("parameter", "label")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cpu_energy_consumed", True),
        ("node_power_usage", True),
        ("Avg Execution Time per Thread", True),
        ("upload_speed", True),
        ("clock_speed", False),
        ("link_speed", False),
        ("memory_usage", False),
        ("speed_limit", False),
    ],
)
def test_what_is_taken_and_how_fast_it_went_are_outcomes(name: str, expected: bool) -> None:
    assert is_outcome(name) is expected


def test_a_median_of_t_is_a_time() -> None:
    rows = [(w, noisy(t := 8.0 / w), noisy(8.2 / w), round(8.1 / t, 3)) for w in (1, 2, 4, 8) for _ in range(3)]
    found = seen(("workers", "t_best", "t_median", "speedup"), rows)
    assert roles(found)["t_median"] == "response"
    assert "lower is taken as better" in found.questions[0].asks


SCHEMES = [
    (scheme, how, *(round(took * share) for took in (sign, check) for share in (1, 0.9, 1.4)))
    for scheme, n in (("kyber", 40_000), ("saber", 60_000), ("ntru", 90_000), ("frodo", 900_000))
    for how, k in (("ref", 1.0), ("opt", 0.4))
    for sign, check in ((noisy(3 * n * k, 0.1), noisy(n * k**2, 0.1)),)
]


@pytest.mark.parametrize("form", ["{} [cycles] ({})", "{} (cycles) {}", "{} ({})"])
def test_min_beside_max_is_the_least_and_no_minute(form: str) -> None:
    names = [form.format(op, stat) for op in ("Sign time", "Verify time") for stat in ("mean", "min", "max")]
    found = seen(("scheme", "implementation", *names), SCHEMES)
    own = found.tables[0].columns
    assert [c.role for c in own] == ["application", "parameter", *("response", "derived", "derived") * 2]
    assert {c.unit for c in own[2:]} == {"cycles" if "cycles" in form else None}


def test_minutes_stay_minutes() -> None:
    for names in (("Build (min)", "Test (max)"), ("time (min)", "time (s)"), ("time (min)", "size")):
        columns = seen(("threads", *names), [(t, 9.5 / t, 99.5 / t) for t in (1, 2, 4, 8)]).tables[0].columns
        assert columns[1].unit == "min"


def test_cycles_of_what_ran_are_an_outcome_where_nothing_else_is() -> None:
    rows = [(c, n, noisy(n * k), noisy(n * k / 2)) for c, k in (("aes", 3.0), ("ascon", 9.0)) for n in (64, 256, 1024)]
    assert roles(seen(("cipher", "size", "Encrypt [cycles]", "Decrypt [cycles]"), rows)) == {
        "cipher": "application",
        "size": "parameter",
        "Encrypt": "response",
        "Decrypt": "response",
    }
    found = roles(seen(("cipher", "size", "stall [cycles]", "time_ms"), rows))
    assert (found["stall"], found["time_ms"]) == ("counter", "response")


def test_texts_of_a_model_id_name_what_ran() -> None:
    models = ("resnet-18", "resnet-50", "vgg-16")
    rows = [(m, image, noisy(9.0 + k)) for k, m in enumerate(models) for image in range(5) if (k, image) != (1, 3)]
    assert roles(seen(("model_id", "image_id", "latency_ms"), rows))["model_id"] == "application"
    few = [("alex", "cpu", 3.5), ("vgg", "cpu", 99.5), ("resnet", "cpu", 25.5)]
    assert roles(seen(("model_id", "backend", "latency_ms"), few))["model_id"] == "application"
    jobs = [(f"job-{i}", n, noisy(float(n))) for i, n in enumerate((1, 2, 4, 8, 16))]
    assert roles(seen(("job_id", "nodes", "runtime_s"), jobs))["job_id"] == "identifier"
    assert roles(seen(("trial_id", "n", "time_s"), [(m, i, t) for i, (m, _, t) in enumerate(rows)]))["trial_id"] == (
        "identifier"
    )


@pytest.mark.parametrize("name", ["MCU Board Name", "target device", "phone", "Smartphone name"])
def test_boards_and_phones_are_machines(name: str) -> None:
    rows = [
        (b, n, noisy(9.0 * k * len(n))) for b, k in (("Nano", 9), ("Pico", 3), ("M7", 1)) for n in ("a", "bb", "ccc")
    ]
    assert roles(seen((name, "network", "Inference time (us)"), rows))[name] == "machine"


def test_counts_of_an_input_that_is_met_again_are_its_own() -> None:
    inputs = (("iris", 150, 4), ("wine", 178, 13), ("digits", 1797, 64), ("vowel", 989, 13))
    rows = [
        (
            name,
            net,
            samples,
            features,
            9_000 + 7 * features + round(99 * k * float(NOISE.random())),
            noisy(features * k),
        )
        for name, samples, features in inputs
        for net, k in (("1 x 10", 1.0), ("10 x 10", 4.0), ("10+50", 2.0))
    ]
    found = roles(seen(("dataset", "topology", "samples", "feature_count", "flash_used", "inference_time_us"), rows))
    assert (found["samples"], found["feature_count"], found["flash_used"]) == (
        "deterministic",
        "deterministic",
        "counter",
    )


def test_columns_whose_quotient_is_the_speed_up_are_better_the_lower() -> None:
    rows = [(n, *(noisy(n * k, 0.05) for k in (9e-8, 3e-8, 5e-8))) for n in (1000, 4000, 16000, 64000)]
    rows = [(n, a, b, c, round(a / c, 6)) for n, a, b, c in rows]
    found = seen(("Size", "seq_merge", "seq_quick", "gpu_merge", "speedup_merge"), rows)
    assert [*roles(found).values()] == ["parameter", *("response",) * 3, "derived"]
    assert "lower is taken as better" in found.questions[0].asks


def test_areas_and_the_highest_clock_of_a_circuit_came_out() -> None:
    rows = [
        (period, bank, round(noisy(900 / period**0.5, 0.03), 2), round(noisy(40.0 * luts, 0.2)), luts, noisy(9.0))
        for period, bank, _ in product((3, 5, 8, 10), ("BRAM", "LUT"), range(2))
        for luts in (round(noisy(400 + 40 * period, 0.2)),)
    ]
    head = ("clock_period", "memory", "max_freq_mhz", "total_area", "num_luts", "latency_us")
    found = seen(head, rows)
    assert [*roles(found).values()] == ["parameter", "parameter", "response", "response", "counter", "response"]
    assert "lower is taken as better" in found.questions[0].asks
    others = roles(seen(("clock_period", "memory", "max_freq_mhz", "total_area", "loads", "latency_us"), rows))
    assert (others["max_freq_mhz"], others["total_area"]) != ("response", "response")


def test_rows_that_say_that_their_run_failed_are_no_trials() -> None:
    rows = [(n, w, noisy(n * 2.0), n < 8 or w == "a") for n, w in product((1, 2, 4, 8), "abc")]
    assert seen(("n", "workload", "time_ms", "success"), rows).tables[0].rows == len(rows) - 2
    for name, said in (("correctness_status", "FAIL"), ("State", "OUT_OF_MEMORY"), ("failed", "yes")):
        own = [(*row[:3], "no" if name == "failed" else "OK" if row[3] else said) for row in rows]
        own[-1] = (*own[-1][:3], said)
        assert seen(("n", "workload", "time_ms", name), own).tables[0].rows < len(rows)
        found = imported(("n", "workload", "time_ms", name), own)
        assert found.skipped[-1].why == f"its run failed, as {name} says"
        assert f"{name} says of " in " ".join(found.warnings)
    every = [(*row[:3], "failed") for row in rows]
    assert seen(("n", "workload", "time_ms", "status"), every).tables[0].rows == len(rows)


def test_sizes_of_a_named_matrix_are_no_settings() -> None:
    matrices = (("cant", 62_451, 4_007_383), ("pwtk", 217_918, 11_634_424), ("ldoor", 952_203, 46_522_475))
    rows = [(m, n, nnz, t, noisy(nnz / t)) for m, n, nnz in matrices for t in (1, 2, 4, 8)]
    found = roles(seen(("matrix", "n", "nnz", "threads", "time_us"), rows))
    assert [*found.values()] == ["input", "deterministic", "deterministic", "parameter", "response"]
    alone = roles(seen(("n", "nnz", "threads", "time_us"), [row[1:] for row in rows]))
    assert "deterministic" not in (alone["n"], alone["threads"])


def test_french_tables_say_what_ran_how_far_it_spreads_and_what_failed() -> None:
    rows = [
        (noyau, 1000000, p, noisy(2.0 / p), noisy(0.03), "oui" if p == 8 else "non")
        for noyau, p in product(("copie", "triade"), (1, 2, 4, 8))
    ]
    found = seen(("Noyau", "Taille", "Processus", "Temps moyen (ms)", "Écart-type", "Échec"), rows)
    own = roles(found)
    assert (own["Noyau"], own["Temps moyen"], own["Écart-type"]) == ("application", "response", "derived")
    assert found.tables[0].rows == 6


def test_a_compressed_size_came_out_however_it_is_shortened() -> None:
    rows = [(f"{c} level {n}", noisy(100 / n), round(noisy(4e7 / n))) for c, n in product(("lz4", "zstd"), (1, 3, 9))]
    assert roles(seen(("Compressor name", "Compression (MB/s)", "Compr. size"), rows)) == {
        "Compressor name": "application",
        "Compression": "response",
        "Compr. size": "counter",
    }


def test_a_time_that_never_changes_is_none_beside_runs_of_fractions() -> None:
    rows = [(f"q{k}", 411, noisy(5.0 * k, 0.3), noisy(k, 0.3), noisy(k, 0.3)) for k in range(1, 9)]
    found = roles(seen(("query", "load_time", "run 1", "run 2", "run 3"), rows))
    assert found["load_time"] != "response" == found["run 1"] == found["run 3"]


def test_queries_side_by_side_are_one_outcome_and_their_total_is_its_sum() -> None:
    rows = []
    for engine, sf in product(("duckdb", "hyper", "spark"), (10, 30, 100)):
        times = [round(noisy(sf / 10 * (1 + k % 3), 0.3), 2) for k in range(7)]
        rows.append((engine, sf, *times, round(sum(times), 2)))
    found = seen(("engine", "sf", *(f"q{k}" for k in range(1, 8)), "total"), rows)
    own = roles(found)
    assert (own["q1"], own["q7"], own["total"]) == ("response", "response", "derived")
    assert found.questions[0].asks == "Are q1 to q7 one outcome for 7 variants, or several outcomes?"


def test_what_a_throughput_is_of_says_its_unit() -> None:
    rows = [(r, noisy(r), noisy(r * 128), noisy(60 + 20 * r)) for r in (1, 2, 4, 8, 16, 32)]
    found = seen(("concurrency", "request_throughput", "output_tps", "mean_ttft_ms"), rows).tables[0]
    assert [c.unit for c in found.columns[1:]] == ["requests/s", "tokens/s", "ms"]


def test_transactions_a_minute_bandwidths_of_reads_and_raw_energies_are_outcomes() -> None:
    assert all(map(is_outcome, ("nopm", "tpmC", "Read_BW", "ConsumedEnergyRaw", "exec_time lhs")))
    assert not is_outcome("size lhs")
    rows = [(f"p{k}", noisy(2.0 * k), noisy(1.9 * k), round(noisy(0.05), 4)) for k in range(1, 9)]
    found = roles(seen(("Program", "exec_time lhs", "exec_time rhs", "diff"), rows))
    assert [*found.values()] == ["application", "response", "response", "derived"]


def test_what_stands_below_error_says_that_a_run_failed_and_runs_are_no_applications() -> None:
    rows = [(n, p, noisy(n / p), "") for n, p in product((1000, 2000, 4000), (1, 2, 4))]
    rows[4] = (2000, 2, 0.01, "Segmentation fault")
    assert seen(("n", "nprocs", "time_s", "error"), rows).tables[0].rows == 8
    told = [(*row[:3], "Fehler" if row[3] else "OK") for row in rows]
    assert seen(("n", "nprocs", "time_s", "Status"), told).tables[0].rows == 8
    spread = [(*row[:3], "" if row[3] else noisy(0.1)) for row in rows]
    assert seen(("n", "nprocs", "time_s", "error"), spread).tables[0].rows == 9
    turned = [("threads", 1, 2, 4, 8), ("time_s", 10.2, 5.4, 2.9, 1.7), ("status", "ok", "ok", "ok", "crashed")]
    found = seen(("", "run1", "run2", "run3", "run4"), turned)
    assert (found.tables[0].rows, roles(found)["threads"], roles(found)["name"]) == (3, "parameter", "identifier")


def test_a_first_column_of_names_says_what_ran_where_all_else_is_numbers() -> None:
    rows = [(own, noisy(20.0 * k), noisy(3.0 * k)) for k, own in enumerate(("C", "Rust", "Erlang", "Python"), 1)]
    found = seen(("Langages", "Conso (J)", "Real Time (s)"), rows)
    assert roles(found)["Langages"] == "application"
    assert not any("one configuration" in p.says for p in found.problems)
    swept = [(f"x{k}", 2**k, noisy(3.0 * k)) for k in range(1, 6)]
    assert roles(seen(("what", "threads", "time_s"), swept))["what"] == "identifier"


def test_rates_that_are_spelt_as_words_are_outcomes_and_devices_machines_in_german_too() -> None:
    assert all(is_outcome("Frame rate", unit) for unit in ("fps", "FPS", "qps", "tps", "rps", "Mpps"))
    assert not is_outcome("Frame rate", "rpm")
    rows = [
        (device, scene, 680 + 10 * k, noisy(60.0 / w), "OK")
        for (k, device), (scene, w) in product(enumerate(("A7", "M9", "X1")), (("aztec", 1), ("solar", 2), ("trex", 3)))
    ]
    rows[4] = (*rows[4][:3], 0.0, "Abbruch")
    found = seen(("Gerät", "Szene", "Takt [MHz]", "Bildrate [fps]", "Status"), rows)
    own = roles(found)
    assert (own["Gerät"], own["Szene"], own["Takt"], own["Bildrate"]) == (
        "machine",
        "input",
        "machine_metric",
        "response",
    )
    assert found.tables[0].rows == 8


def test_switches_whose_names_speak_of_errors_leave_no_row_out() -> None:
    rows = [(n, c, b, noisy(n)) for n, c, b in product((100, 200, 400), ("off", "fast"), ("true", "false"))]
    assert seen(("n", "error_correction", "correct_bias", "time_s"), rows).tables[0].rows == 12
    told = [(*row[:3], row[3], "timeout" if i == 4 else "") for i, row in enumerate(rows)]
    for name in ("error", "job_state", "failure_reason", "test_status"):
        assert seen(("n", "codec", "flag", "time_s", name), told).tables[0].rows == 11


@pytest.mark.parametrize(
    ("names", "unit"),
    [
        (("设备", "算子", "线程数", "重复", "缓存命中率", "平均延迟（毫秒）"), "ms"),
        (("デバイス", "プログラム", "スレッド数", "試行", "ヒット率", "実行時間 [s]"), "s"),
        (("장치", "벤치마크", "스레드", "반복", "캐시 히트", "실행 시간(ms)"), "ms"),
        (("Процессор", "Алгоритм", "Число потоков", "Номер запуска", "Попадания в кэш", "Время выполнения (мс)"), "ms"),
    ],
)
def test_headers_in_other_scripts_are_known_as_english_ones(names: tuple[str, ...], unit: str) -> None:
    rows = [
        (m, a, t, k, noisy(0.8, 0.1), noisy(s * w / t**0.7))
        for (m, s), (a, w), t, k in product(
            (("A100", 1.0), ("H800", 0.6)), (("gemm", 3), ("sort", 1), ("scan", 7)), (1, 2, 4, 8), (1, 2, 3)
        )
    ]
    found = seen(names, rows).tables[0]
    assert [c.role for c in found.columns] == ["machine", "application", "parameter", "label", "counter", "response"]
    assert found.columns[-1].unit == unit


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("{}-{}-{}t", ("argument 1", "t")),
        ("{}_{}_{}", ("argument 1", "argument 2")),
        ("{}/n={}/t={}", ("n", "t")),
        ("{}<{}, {}>", ("argument 1", "argument 2")),
        ("{}-{}MB-{}cores", ("MB", "cores")),
        ("{}_{}x{}", ("argument 1", "argument 2")),
        ("{}_{}x{}x7_fp16", ("argument 1", "argument 2")),
        ("{}_c{}h{}r3", ("c", "h")),
    ],
)
def test_settings_stand_in_names_in_many_ways(text: str, settings: tuple[str, ...]) -> None:
    apps = (("conv-2d", 1), ("gemm", 3), ("sort", 7))
    rows = [
        (f'"{text.format(a, n, t)}"', noisy(w * n / t)) for (a, w), n, t in product(apps, (64, 256, 1024), (1, 2, 4))
    ]
    found = roles(seen(("name", "time_ms"), rows))
    assert found["name"] == "application"
    assert {found[own] for own in settings} <= {"parameter", "input"}


def test_data_types_of_several_kinds_stay_in_names() -> None:
    kinds = (("fp32", 4), ("bf16", 2), ("int8", 1))
    rows = [(f"gemm_{m}x{n}_{t}", noisy(b * m * n)) for (t, b), m, n in product(kinds, (64, 256, 1024), (8, 32, 64))]
    found = imported(("kernel", "time_ms"), rows)
    assert {*found.trials.application} == {"gemm_fp32", "gemm_bf16", "gemm_int8"}
    assert [m.name for m in found.metrics if m.kind is Kind.PARAMETER] == ["argument 1", "argument 2"]


def test_rates_of_a_bus_are_counted_where_a_power_was_measured() -> None:
    apps = (("org.one", 3.1), ("org.two", 1.2), ("org.three", 7.3))
    rows = [
        (a, f, noisy(20 + w, 0.3), noisy(50 * w, 0.1), noisy(w * f))
        for (a, w), f in product(apps, (600, 1200, 1800, 2400))
    ]
    found = roles(seen(("package", "cpu_mhz", "cpu_util_pct", "mem_bw_mb_s", "power_mw"), rows))
    assert found == {
        "package": "application",
        "cpu_mhz": "parameter",
        "cpu_util_pct": "counter",
        "mem_bw_mb_s": "counter",
        "power_mw": "response",
    }


def test_runs_with_their_unit_beside_each_other_are_repeats_of_a_time() -> None:
    apps = (("q1", 3.1), ("q2", 1.2), ("q3", 7.3))
    rows = [(a, n, *(noisy(w * n, 0.02) for _ in range(3))) for (a, w), n in product(apps, (1, 2, 4, 8))]
    found = imported(("query", "threads", "run1_ms", "run2_ms", "run3_ms"), rows)
    assert [(m.name, m.unit) for m in found.metrics if m.kind is Kind.RESPONSE] == [("time", "ms")]
    assert len(found.trials) == 36


def test_numbers_in_names_that_come_once_stay_in_them() -> None:
    rows = [(f"net{i}_{d}_{w}", noisy(d * w)) for i, (d, w) in enumerate(product((18, 50, 101), (1, 2, 4)))]
    assert [*roles(seen(("name", "time_ms"), rows))] == ["name", "time_ms"]


@pytest.mark.parametrize(("names", "unit"), [(("V100", "A100"), ""), (("Xeon 6230 (ms)", "EPYC 7742 (ms)"), "ms")])
def test_columns_called_like_processors_are_one_outcome_by_machine(names: tuple[str, str], unit: str) -> None:
    rows = [
        (a, n, t := noisy(w * n), noisy(0.6 * t))
        for (a, w), n in product((("gemm", 3.1), ("sort", 1.2), ("scan", 7.3)), (64, 256, 1024))
    ]
    found = imported(("kernel", "size", *names), rows)
    assert [m.name for m in found.metrics if m.kind is Kind.RESPONSE] == ["time"]
    assert next(m.unit for m in found.metrics if m.kind is Kind.RESPONSE) == unit
    assert {*found.trials.machine} == {name.removesuffix(" (ms)") for name in names}
    assert (len(found.trials), {*found.trials.labels}) == (18, set())


def test_percentiles_beside_each_other_are_statistics_of_one_outcome_and_no_setting_p() -> None:
    rows = [
        (s, size, *(noisy(size * f) for f in (1.0, 1.2, 1.9))) for s, size in product(("tcp", "udp"), (64, 512, 1500))
    ]
    found = roles(seen(("transport", "packet_size", "p50", "p90", "p999"), rows))
    assert (found["p50"], found["p90"], found["p999"]) == ("response", "derived", "derived")


def test_of_statistics_in_french_the_mean_is_the_outcome() -> None:
    rows = [(f"tri{i}", noisy(2.0 * i), noisy(3.0 * i), noisy(3.1 * i), noisy(4.0 * i)) for i in range(1, 9)]
    found = roles(seen(("algorithme", "min_ms", "mediane_ms", "moyenne_ms", "max_ms"), rows))
    assert [name for name, role in found.items() if role == "response"] == ["moyenne_ms"]


@pytest.mark.parametrize(
    ("header", "role"), [("lora_rank", "parameter"), ("mpi_rank", "identifier"), ("Rank", "identifier")]
)
def test_the_rank_of_a_matrix_is_set_and_the_rank_of_a_process_an_identifier(header: str, role: str) -> None:
    rows = [(r, n, noisy(r * n / 7.0)) for r, n in product((4, 8, 16), (100, 200, 400))]
    assert roles(seen((header, "n", "time_s"), rows))[header] == role


def test_a_count_that_is_swept_by_each_method_as_often_is_set_and_the_name_of_a_method_says_what_ran() -> None:
    rows = [
        (n, m, g, noisy(n * (g + 1.0)))
        for n in (1000, 3000, 5000)
        for m, grids in (("brute_force", (0,)), ("grid", (5, 10)))
        for g in grids
    ]
    found = roles(seen(("object_count", "method_name", "cell", "time_ms"), rows))
    assert (found["object_count"], found["method_name"]) == ("parameter", "application")


def test_what_a_circuit_takes_tells_rows_apart_but_was_not_set() -> None:
    rows = [(bits, luts, noisy(3e-4 * luts)) for bits, luts in ((0, 86), (2, 51), (4, 21), (6, 4))]
    assert roles(seen(("trunc_bits", "luts", "power_w"), rows))["luts"] == "counter"


def test_a_product_of_energy_and_delay_is_in_neithers_unit_and_picojoules_are_energy() -> None:
    rows = [(b, noisy(300.0 / b), noisy(33.0 / b)) for b in (1, 2, 4, 8)]
    units = {m.name: m.unit for m in imported(("bits", "energy_per_mac_pJ", "edp_uJ_ms"), rows).metrics}
    assert (units["energy_per_mac_pJ"], units["edp_uJ_ms"]) == ("pJ", "")


def test_a_header_that_pandas_numbered_keeps_its_unit() -> None:
    rows = [(n, noisy(n), noisy(1 / n)) for n in (1, 2, 3, 4, 5, 6)]
    found = imported(("n", "time (ms)", "time (ms).1"), rows).metrics
    units = {m.name: m.unit for m in found if m.kind is Kind.RESPONSE}
    assert units == {"time": "ms", "time.1": "ms"}


def test_a_first_column_of_names_says_what_ran_though_a_time_is_called_a_clocks() -> None:
    rows = [
        (name, noisy(15.0), noisy(14.0), round(noisy(4e9))) for name in ("hot_path", "steady", "deep_book", "replay")
    ]
    assert roles(seen(("process", "task_clock_ms", "elapsed_s", "cycles"), rows))["process"] == "application"


def test_rates_of_reads_and_writes_are_outcomes_and_what_was_completed_is_counted() -> None:
    rows = [(p, s, noisy(300.0), noisy(350.0), round(noisy(3000.0))) for p, s in product("abcd", ("peak", "idle"))]
    found = roles(seen(("policy", "scenario", "throughput_write", "throughput_read", "CompletedTasks"), rows))
    assert (found["throughput_write"], found["throughput_read"]) == ("response", "response")
    assert found["CompletedTasks"] == "counter"


@pytest.mark.parametrize("names", [("Classic", "Batch", "Incremental"), ("row_major", "column_major")])
def test_variants_side_by_side_are_times_where_they_grow_with_the_size(names: tuple[str, ...]) -> None:
    sizes = (100, 200, 400, 800, 1600, 3200)
    rows = [(n, *(noisy(n * 1e-3 * k) for k in range(1, len(names) + 1))) for n in sizes]
    assert [m.name for m in imported(("Size", *names), rows).metrics if m.kind is Kind.RESPONSE] == ["time"]
    flat = [(n, *(noisy(2.0 * k) for k in range(1, len(names) + 1))) for n in sizes]
    assert [m.name for m in imported(("Size", *names), flat).metrics if m.kind is Kind.RESPONSE] == ["value"]


def test_a_total_stays_the_outcome_where_only_some_rows_have_phases() -> None:
    rows = [
        (f, v, *((noisy(f * 2.0), noisy(f * 0.7)) if v == "cuda" else ("", "")), noisy(f * 3.0))
        for f, v in product((10, 20, 40), ("serial", "omp", "cuda"))
    ]
    found = roles(seen(("n", "variant", "h2d_ms", "kernel_ms", "total_ms"), rows))
    assert found["total_ms"] == "response"


def test_runs_inside_of_runs_number_repeats() -> None:
    rows = [(size, i, k, noisy(size / 7.0)) for size, i, k in product((10, 20, 40), range(2), range(3))]
    found = roles(seen(("size", "iter", "inner_iter", "time_ms"), rows))
    assert (found["iter"], found["inner_iter"]) == ("label", "label")


def test_an_energy_of_each_call_came_out() -> None:
    rows = [(a, n, noisy(w * n), noisy(40.0 * w * n)) for (a, w), n in product((("bfs", 1), ("lud", 3)), (1, 2, 4, 8))]
    found = roles(seen(("benchmark", "threads", "time_s_per_inv", "energy_J_per_inv"), rows))
    assert found["energy_J_per_inv"] in ("response", "derived")


@pytest.mark.filterwarnings("error")
def test_variants_without_numbers_at_a_size_are_times_all_the_same() -> None:
    rows = [
        (n, noisy(1e-4 * n**1.5), noisy(2e-4 * n**1.5)) if n != 800 else (n, "", "") for n in (100, 200, 400, 800, 1600)
    ]
    assert set(roles(seen(("n", "row_major", "column_major"), rows)).values()) == {"parameter", "response"}


def test_bytes_that_differ_from_run_to_run_were_counted_where_a_size_was_set() -> None:
    rows = [
        (app, size, round(noisy(1e6 * size)), round(noisy(w * 64 * size)), noisy(w * size / 1e3))
        for (app, w), size in product((("bfs", 3), ("lud", 7), ("srad", 5)), (64, 128, 256, 512))
    ]
    found = roles(seen(("application", "size", "flops", "bytes", "time_s"), rows))
    assert (found["size"], found["flops"], found["bytes"]) == ("input", "counter", "counter")


def test_fractions_that_hardly_repeat_are_no_sizes_whatever_they_are_called() -> None:
    rows = [(f"k{i % 9}", noisy(0.2, 0.5), noisy(0.7, 0.9), noisy(3.0)) for i in range(40)]
    rows += rows[:1]
    found = roles(seen(("kernel", "b", "c", "time_s"), rows))
    assert (found["b"], found["c"]) == ("counter", "counter")
