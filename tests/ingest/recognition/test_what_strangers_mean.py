"""What words mean beside others: counts of work, tails, judged results, exit codes, rates that were printed."""

from itertools import product

import pytest

from core.ingest import Mapping, SourceFile, drop, parts_of
from core.ingest.recognition.words import says_failed, tells_of_failure, tokens
from core.trial import Kind
from tests.ingest.recognition.test_roles import csv, imported, noisy, roles, seen
from tests.ingest.recognition.test_what_names_leave_open import units


@pytest.mark.parametrize("name", ["Trials", "samples", "loops"])
def test_how_often_something_was_drawn_is_work_where_the_time_grows_with_it(name: str) -> None:
    rows = [(n, t, noisy(n * 1e-6 / t)) for n in (1000, 10_000, 500_000) for t in (1, 2, 4)]
    assert roles(seen((name, "threads", "time_s"), rows))[name] == "parameter"
    repeats = [(n, t, noisy(3.0 / t)) for n in (1, 2, 3) for t in (1, 2, 4)]
    assert roles(seen((name, "threads", "time_s"), repeats))[name] == "label"


def test_how_many_repeats_a_mean_is_of_is_no_fact() -> None:
    rows = [(v, n, noisy(n * s), 15 if s < 2 else 3) for v, s in (("Q2", 1.0), ("F16", 3.0)) for n in (256, 512, 1024)]
    assert roles(seen(("model", "context", "time_ms", "n_trials"), rows))["n_trials"] == "label"


def test_an_implementation_beside_an_input_file_is_set() -> None:
    rows = [
        (v, f, t, noisy(s * w / t))
        for (v, s), (f, w), t in product((("task", 1.0), ("data", 2.0)), (("a.txt", 1.0), ("b.txt", 9.0)), (1, 2, 4))
    ]
    found = roles(seen(("variant", "input", "threads", "time_s"), rows))
    assert (found["variant"], found["input"]) == ("parameter", "input")
    alone = roles(seen(("variant", "threads", "time_s"), [(v, t, y) for v, _, t, y in rows]))
    assert alone["variant"] == "input"


def test_rates_and_latencies_of_a_token_by_their_names_alone() -> None:
    rows = [(q, c, noisy(900.0 / c), noisy(300.0 / c)) for q in ("ring", "pipe", "shm") for c in (1, 2, 4)]
    found = seen(("queue", "consumers", "fps_in", "fps_out"), rows)
    assert (roles(found)["fps_in"], roles(found)["fps_out"]) == ("response", "response")
    assert "higher is taken as better" in found.questions[0].asks
    rows = [(q, c, noisy(0.3 * c), noisy(2.0 * c)) for q, c, *_ in rows]
    found = seen(("queue", "consumers", "ttft", "request_latency"), rows)
    assert roles(found)["ttft"] == "response"
    assert "lower is taken as better" in found.questions[0].asks


def test_tails_and_largest_values_are_statistics_however_far_they_are() -> None:
    names = ("transport", "size", "mean_ns", "p50_ns", "p99_ns", "p9999_ns", "max_ns")
    rows = [
        (t, s, *(noisy(s * f * q) for q in (1.0, 0.9, 6.0, 400.0, 900.0)))
        for (t, f), s in product((("ring", 1.0), ("pipe", 3.0)), (64, 256, 1024, 4096))
    ]
    found = roles(seen(names, rows))
    assert [n for n in names if found[n] == "response"] == ["mean_ns"]
    columns = {c.name: c.formula for c in seen(names, rows).tables[0].columns}
    assert {columns[n] for n in names[3:]} == {"statistic of mean_ns"}


def test_a_median_stands_behind_a_mean_and_percentiles_may_have_a_point() -> None:
    names = ("Threads", "Avg Latency (ms)", "p50 (ms)", "p99 (ms)", "p99.9 (ms)")
    rows = [(t, *(noisy(t * q) for q in (1.0, 0.95, 2.0, 12.0))) for t in (1, 2, 3, 4, 6, 8, 12, 16)]
    found = roles(seen(names, rows))
    assert [n for n, role in found.items() if role == "response"] == ["Avg Latency"]
    assert tokens("p99.9_ms") == ["p999", "ms"]


def test_a_confidence_interval_has_the_unit_of_what_it_is_of() -> None:
    assert units("throughput_rps_ci95", "p95_latency_ms_ci95", "fmax_mhz_est") == ["requests/s", "ms", "MHz"]
    rows = [(p, r, noisy(r * s), noisy(0.3)) for p, s in (("fifo", 1.0), ("sjf", 2.0)) for r in (10, 20, 50, 90)]
    found = roles(seen(("policy", "load", "throughput_rps", "throughput_rps_ci95"), rows))
    assert found["throughput_rps_ci95"] == "derived"


def test_a_unit_with_a_slash_needs_no_space_before_its_bracket() -> None:
    assert units("Inference(ms/im)", "Rate(img/s)", "f(x/y)") == ["ms/im", "img/s", None]


def test_the_precision_of_a_result_is_judged_and_that_of_numbers_set() -> None:
    models = (("a", 0.97, 0.81), ("b", 0.76, 0.7), ("c", 0.76, 0.73))
    rows = [(m, b, noisy(b * 2.0), p, i) for (m, p, i), b in product(models, (1, 8, 32))]
    found = roles(seen(("format", "batch", "time_ms", "precision", "iou"), rows))
    assert (found["precision"], found["iou"]) == ("counter", "counter")
    bits = [(m, b, y, 16 if p > 0.9 else 32, i) for m, b, y, p, i in rows]
    assert roles(seen(("format", "batch", "time_ms", "precision", "iou"), bits))["precision"] != "counter"


def test_a_score_below_zero_beside_a_time_is_no_benchmarks() -> None:
    rows = [(f"f{k}", noisy(1.0 + k), -0.1 - k / 90) for k in range(8)]
    assert roles(seen(("sample", "time_ms", "Score"), rows))["Score"] != "response"
    assert roles(seen(("sample", "Score"), [(f, y) for f, y, _ in rows]))["Score"] == "response"


def test_round_times_beside_finer_ones_were_set() -> None:
    rows = [
        (p, d, 78.83866 - d / 9, 0.2626) for p in ("none", "fixed", "adaptive") for d in (0, 200, 300) for _ in "ab"
    ]
    found = roles(seen(("policy", "delay_us", "mean_stall_us", "utilization"), rows))
    assert (found["delay_us"], found["mean_stall_us"]) == ("parameter", "response")


def test_a_run_that_ended_with_another_code_than_0_failed() -> None:
    rows = [(a, s, noisy(s * 2.0), 0) for a in ("cg", "mg", "ft") for s in (16, 32, 64)]
    rows[-1] = (*rows[-1][:3], 124)
    found = imported(("app", "n", "time_s", "exit"), rows)
    assert len(found.trials) == 8
    assert "exit" not in [m.name for m in found.metrics]
    assert all(map(tells_of_failure, ("exit", "exit_code", "Return Code")))
    assert [says_failed("exit", text) for text in ("0", "1", "-9", "")] == [False, True, True, False]


def test_a_highest_clock_in_a_table_of_slacks_came_out_and_a_word_that_begins_a_switch_tells_nothing_of_the_run() -> (
    None
):
    rows = [(p, s, noisy(900.0 / p), noisy(p / 9), noisy(0.1, 0.4)) for p in (6, 7, 8, 10, 12) for s in (0, 1)]
    found = roles(seen(("period_ns", "split_mul", "fmax_mhz_est", "power_w", "wns_ns"), rows))
    assert (found["fmax_mhz_est"], found["split_mul"]) == ("response", "parameter")


def test_thresholds_are_set_though_they_are_fractions() -> None:
    rows = [(c, p, noisy(4e6 / t), t) for c in ("lru", "slru") for p in (0, 0.001, 0.1, 0.7, 0.99) for t in (1, 4)]
    assert roles(seen(("container", "pull_threshold", "throughput", "threads"), rows))["pull_threshold"] == "parameter"


def test_an_interval_at_which_something_is_stored_is_set() -> None:
    stored = (10, 20, 25, 33, 50, 80, 100, 160)
    rows = [(e, n, k, noisy(n * 1e-3 + 1 / k), noisy(9e3 / k)) for e in ("v1", "v3") for n, k in enumerate(stored, 1)]
    names = ("engine", "order", "store_interval", "time_s", "rss_mb")
    assert roles(seen(names, [*rows, *rows[::3]]))["store_interval"] == "parameter"


def test_columns_without_a_header_are_no_row_of_settings() -> None:
    raw = csv(("rw", "True", "False", "1.721"), [(f"w{k}", k % 2 == 0, k % 3 == 0, noisy(0.2)) for k in range(12)])
    found = drop(parts_of([SourceFile("run7.csv", raw)])).recognition.tables[0].columns
    assert [c.role for c in found if c.name == "column_4"] == ["response"]


def test_what_a_column_calls_the_unit_may_be_a_word_in_capitals() -> None:
    rows = [(p, noisy(8.0 / p), "Seconds") for p in (1, 2, 3, 4, 6, 8)]
    found = seen(("Processors", "Total Time", "Units"), rows).tables[0].columns
    assert [c.unit for c in found if c.name == "Total Time"] == ["seconds"]


def test_operations_a_second_that_were_printed_with_six_digits_predict_no_time() -> None:
    times = [9379.18, 12365.4, 31330.8, 15785.7, 18919.3, 38977.5, 228262.0, 262463.0]
    sizes = [16384, 16384, 16384, 65536, 65536, 65536, 1048576, 1048576]
    rows = [(f"axpy{k}", t, float(f"{4 * n * 1e9 / t:.6g}")) for k, (n, t) in enumerate(zip(sizes, times, strict=True))]
    assert roles(seen(("name", "time_ns", "FLOPS"), rows))["FLOPS"] == "response"
    counted = [(f"axpy{k}", t, 4 * n * (k + 1)) for k, (n, t) in enumerate(zip(sizes, times, strict=True))]
    assert roles(seen(("name", "time_ns", "FLOPS"), counted))["FLOPS"] != "response"


def test_an_efficiency_in_turkish_and_a_type_of_a_cloud_machine() -> None:
    rows = [(t, noisy(8.0, 1e-4), noisy(8.0 / t), noisy(100.0 / t**0.2)) for t in (1, 2, 4, 8)]
    assert roles(seen(("threads", "sirali_ms", "paralel_ms", "verim_yuzde"), rows))["verim_yuzde"] == "derived"
    rows = [(i, s, noisy(s * f)) for i, f in (("t3.large", 1.0), ("c5a.2xlarge", 0.5)) for s in (10, 20, 40, 80)]
    assert roles(seen(("Instance", "Db size", "time_ms"), rows))["Instance"] == "machine"


def test_statistics_of_two_rows_may_be_the_same_in_both() -> None:
    rows = [("SET", 3.3, 0.862, 0.008, 0.412), ("GET", 5.0, 0.535, 0.008, 0.412)]
    found = roles(seen(("test", "rps", "avg_latency_ms", "min_latency_ms", "StdDev_ms"), rows))
    assert (found["min_latency_ms"], found["StdDev_ms"]) == ("derived", "derived")


def test_how_a_standard_deviation_is_spelt_in_two_words() -> None:
    rows = [("hash", noisy(28.8), 0.44, 0.41), ("sort", noisy(23.6), 0.21, 0.19), ("scan", noisy(3.6), 0.31, 0.2)]
    assert roles(seen(("Method", "Mean (ms)", "Error (ms)", "StdDev (ms)"), rows))["StdDev"] == "derived"


def test_what_was_allocated_is_counted_and_cyc_are_cycles() -> None:
    rows = [(n, v, noisy(n * 1e-6), n // 16 * 16) for n in (16, 18, 33, 40, 65, 70, 129) for v in ("flat", "tree")]
    assert roles(seen(("n", "impl", "time_s", "alloc_octets"), rows))["alloc_octets"] == "counter"
    assert units("Latency (cyc)") == ["cycles"]


def test_dynamic_and_static_power_may_be_called_by_their_unit_alone() -> None:
    assert units("dynamic W", "leakage_w", "size w") == ["W", "W", None]


def test_what_models_said_of_an_energy_is_not_measured() -> None:
    rows = [(f"app{k}", noisy(30.0 + k), noisy(31.0 + k), noisy(29.0 + k)) for k in range(8)]
    found = roles(seen(("name", "energy (uJ)", "LinearRegression", "Lasso"), rows))
    assert (found["LinearRegression"], found["Lasso"]) == ("label", "label")


@pytest.mark.parametrize(
    ("name", "texts"), [("platform", ("OpenMP", "MPI", "CUDA1")), ("Architecture", ("resnet18", "resnet34", "VGG16"))]
)
def test_ways_to_run_in_parallel_and_networks_are_no_machines(name: str, texts: tuple[str, ...]) -> None:
    rows = [(p, n, noisy(n * 1.5 + k)) for k, p in enumerate(texts) for n in (8, 16, 32)]
    assert roles(seen((name, "batch", "time_s"), rows))[name] == "parameter"


def test_sizes_in_names_of_columns_may_have_whole_times_below_them() -> None:
    rows = [(f"search{k}", 46 + k, 755 * k, 1361 * k, 2174 * k) for k in (1, 2, 3)]
    named = roles(seen(("Algoritmo", "Tamanho_10", "Tamanho_1000", "Tamanho_2000", "Tamanho_3000"), rows))
    assert {named[f"Tamanho_{n}"] for n in (10, 1000, 2000, 3000)} == {"response"}
    sides = [(f"fft{k}", 4 * k, 8, 16 * k, noisy(k)) for k in (1, 2, 3)]
    assert roles(seen(("app", "dim_1", "dim_2", "dim_3", "time_s"), sides))["dim_1"] != "response"


def test_crosses_say_that_a_run_failed_and_so_do_words_in_other_languages() -> None:
    assert [says_failed("Successo", text) for text in ("❌", "✅")] == [True, False]
    assert tells_of_failure("Erfolg")


def test_a_boost_in_percent_compares_and_a_peak_in_spanish_is_counted() -> None:
    rows = [(p, noisy(8.0 / p), noisy(100 - 100 / p), noisy(90.0)) for p in (1, 2, 3, 4, 6, 8)]
    found = roles(seen(("threads", "time_s", "Boost %", "cpu_pico"), rows))
    assert (found["Boost %"], found["cpu_pico"]) == ("derived", "counter")


def test_a_command_that_spells_out_its_options_is_no_application() -> None:
    modes = (("forward", 5, 1.0), ("backward", 5, 2.0), ("train", 5, 3.0), ("train", 0, 3.5))
    rows = [(f"run.py --mode {m} --warmup {w}", m, w, noisy(s)) for m, w, s in modes]
    found = roles(seen(("command", "mode", "warmup_steps", "time_ms"), rows))
    assert (found["command"], found["warmup_steps"]) == ("label", "parameter")


def test_a_release_is_no_machine() -> None:
    rows = [(f"v{k}.19.0", n, noisy(n * 1.5 + k)) for k in (14, 16, 18) for n in (8, 16, 32)]
    assert roles(seen(("node", "batch", "time_s"), rows))["node"] == "parameter"


def test_an_execution_in_portuguese_is_a_repeat_and_benchmark_runs_are_no_setting() -> None:
    rows = [(t, noisy(8.0 / t), k, 20 if t > 1 else 1) for t in (1, 2, 4) for k in (1, 2, 3)]
    found = roles(seen(("threads", "tempo_ms", "execucao", "benchmark_runs"), rows))
    assert (found["execucao"], found["benchmark_runs"]) == ("label", "label")


def test_a_bit_rate_is_given_and_a_real_time_factor_comes_out() -> None:
    rows = [(c, b, noisy(b / 60.0), noisy(b / 9.0)) for c in ("pcm", "ulaw") for b in (64.0, 128.0, 256.0)]
    found = roles(seen(("codec", "bitrate_kbit_s", "encode_ms", "real_time_factor"), rows))
    assert found["bitrate_kbit_s"] != "response"
    assert found["real_time_factor"] == "response"


def test_columns_of_percentiles_are_no_sizes_of_the_problem() -> None:
    rows = [(f"s{k}", noisy(4.0 * k), noisy(3.9 * k), noisy(6.0 * k), noisy(9.0 * k)) for k in range(1, 7)]
    found = roles(seen(("server", "Latency Avg (ms)", "50% (ms)", "90% (ms)", "99% (ms)"), rows))
    assert [*found.values()][1:] == ["response", "derived", "derived", "derived"]


def test_a_column_called_by_a_sign_of_spread_is_that_of_the_outcome_before_it() -> None:
    rows = [(p, noisy(8.0 / p), noisy(0.4)) for p in (1, 2, 3, 6, 12, 24)]
    for sign in ("+/-", "±", "+-"):
        found = roles(seen(("threads", "Berechnungszeit (s)", f"{sign} (s)"), rows))
        assert [*found.values()] == ["parameter", "response", "derived"]


def test_a_unit_above_the_texts_of_the_first_column_is_that_of_all_numbers() -> None:
    rows = [(gpu, noisy(18.9 * k), noisy(18.5 * k)) for k, gpu in enumerate(("A100", "H100", "RTX 4090"), 1)]
    found = roles(seen(("TFLOPs", "cublas", "sgemm"), rows))
    assert found == {"TFLOPs": "machine", "cublas": "response", "sgemm": "response"}


def test_free_memory_is_counted_and_a_text_alone_that_differs_was_set() -> None:
    rows = [(0.1 * k, 3427 if k < 4 else 3419, noisy(19.5)) for k in range(1, 9)]
    assert roles(seen(("t", "memory.free", "power_W"), rows))["memory.free"] == "counter"
    flags = [("g++", f"-Ofast {flag}", noisy(4.5)) for flag in ("-flto", "-g", "-march=native")]
    assert roles(seen(("compiler", "optimiser", "cells/us"), flags))["optimiser"] == "parameter"


def test_repeats_of_a_quarter_of_a_million_designs_are_repeats() -> None:
    n = 250_000
    times = [[f"{1 + i % 97 + k / 100:.2f}" for k in range(4)] for i in range(n)]
    rows = [(2 ** (i % 4), 2 ** (i // 4 % 6), i // 24, *own) for i, own in enumerate(times)]
    found = seen(("MWG", "NWG", "seed", *(f"Run{k} (ms)" for k in (1, 2, 3, 4))), rows)
    assert {c.why for c in found.tables[0].columns if c.role == "response"} == {"repeats side by side: time"}


def test_a_count_that_comes_with_each_of_all_other_settings_was_set() -> None:
    rows = [(s, n, c, noisy(1e4 / (s * c) + n)) for s, n, c in product((1, 2, 3, 6), (10, 100, 1000), (1, 3, 6, 9, 18))]
    assert roles(seen(("spliters", "spout_wait", "counters", "latency_ms"), rows))["counters"] == "parameter"
    counted = [(s, n, i, t) for i, (s, n, _, t) in enumerate(rows)]
    assert roles(seen(("spliters", "spout_wait", "counters", "latency_ms"), counted))["counters"] == "counter"


@pytest.mark.parametrize("name", ["rob_size", "llc_size", "MSHR size"])
def test_the_size_of_a_processors_part_is_no_problems(name: str) -> None:
    rows = [
        (t, p, s, noisy(1.0 + s / 512)) for t, p, s in product(("mcf", "gcc", "lbm"), ("no", "spp"), (64, 128, 256))
    ]
    assert roles(seen(("trace", "prefetcher", name, "IPC"), rows))[name] == "parameter"


def test_the_average_time_of_an_access_is_an_outcome() -> None:
    rows = [(c, a, noisy(1 - 0.1 / c), noisy(3 + 40 / c)) for c, a in product((8, 16, 32, 64), (1, 2, 4))]
    assert roles(seen(("cache_kb", "assoc", "hit_rate", "amat_cycles"), rows))["amat_cycles"] == "response"


def test_operations_for_each_byte_are_no_outcome() -> None:
    rows = [(f"k{i}", round(0.1 * 1.5**i, 4), 10**6 * (i + 3), noisy(1e-3 * (i + 1))) for i in range(12)]
    found = roles(seen(("name", "AI (FLOP/byte)", "bytes", "time"), rows))
    assert (found["AI"], found["time"]) == ("counter", "response")


def test_two_shares_that_come_with_each_of_all_other_settings_were_set() -> None:
    rows = [(c, r, s, noisy(60 / c), noisy(0.5)) for c, r, s in product((1, 2), (1, 2, 4), (0.5, 0.9))]
    found = roles(seen(("channels", "ranks", "read_ratio", "latency_ns", "row_hit_rate"), rows))
    assert (found["read_ratio"], found["row_hit_rate"]) == ("parameter", "counter")


def test_what_was_done_to_things_was_counted_and_threads_were_set() -> None:
    names = ("graph", "k", "time_s", "edges_relaxed", "gc_cycles", "threads_spawned")
    rows = [
        (g, k, noisy(k * w), 7_000 * k, int(k > 4), 2 * k)
        for (g, w), k in product((("road", 1.0), ("web", 3.0)), (4, 4, 8, 8))
    ]
    found = roles(seen(names, rows))
    assert [found[n] for n in names[3:]] == ["counter", "counter", "parameter"]


def test_texts_that_come_as_often_with_each_level_beside_them_were_planned_whatever_they_are_called() -> None:
    rows = [(s, n, noisy(n * w)) for (s, w), n, _ in product((("pq", 1.0), ("rsa", 9.0)), (64, 512), "abc")]
    assert roles(seen(("suite", "input_bytes", "time_ms"), rows))["suite"] == "parameter"
    states = [("ok" if i % 2 else "slow", *row) for i, row in enumerate(rows)]
    assert roles(seen(("status", "suite", "input_bytes", "time_ms"), states))["status"] == "label"


def test_a_text_that_alone_tells_rows_apart_was_set() -> None:
    rows = [("torch", "f32", 9.1), ("own", "f32", 5.2), ("own", "q8", 3.3), ("own", "q4", 2.4)]
    assert roles(seen(("engine", "quant", "infer_ms"), rows))["quant"] == "parameter"


def test_a_share_that_comes_with_each_of_a_setting_was_set() -> None:
    rows = [(w, t, noisy(9.0 * t / (1 + 5 * w * t))) for w, t in product((0.02, 0.2, 0.4), (1, 2, 4, 8))]
    assert roles(seen(("Write_Fraction", "threads", "Throughput"), rows))["Write_Fraction"] == "parameter"


def test_a_total_is_no_statistic_of_its_part_and_a_tail_is_one_of_what_stands_before_it() -> None:
    names = ("image", "size", "create_s", "total_s", "infer_ms_224", "p90_ms_224")
    rows = [
        ("arch", 1, 1.4, 2.0, 50.1, 57.2),
        ("arch", 2, 2.1, 3.9, 92.5, 97.0),
        ("arch", 4, 4.3, 4.6, 209.7, 224.3),
        ("own", 1, 2.4, 3.9, 131.9, 138.2),
        ("own", 2, 5.2, 5.3, 248.4, 279.9),
        ("own", 4, 9.5, 9.9, 512.8, 530.1),
    ]
    found = roles(seen(names, rows))
    assert [found[n] for n in names[3:]] == ["response", "response", "derived"]


def test_by_how_much_something_is_less_is_no_size_and_seconds_of_several_are_no_rate() -> None:
    rows = [("f32", 9.1, 18.2), ("f16", 6.3, 45.5), ("q8", 3.2, 71.9), ("q4", 2.2, 80.7)]
    found = seen(("quant", "latency_ms", "size_reduction_vs_f32_pct"), rows)
    assert roles(found)["size_reduction_vs_f32_pct"] == "derived"
    assert units("samples_seconds", "samples_sec") == ["s", "samples/s"]


def test_a_machine_with_the_name_of_hardware_goes_before_how_it_is_spoken_to() -> None:
    rows = [("mps", n, noisy(0.1 * n), "Apple M3 Max") for n in (64, 128, 256, 512)]
    found = roles(seen(("device", "seq", "time_ms", "cpu"), rows))
    assert (found["device"], found["cpu"]) == ("label", "machine")


def test_what_runs_at_once_gains_of_what_a_time_is_called_and_a_share_of_the_time_tell_it() -> None:
    names = ("Threads", "OpenMP Time (s)", "Time (%)", "OpenMP Efficiency (%)", "L2 Efficiency (%)")
    rows = [(t, 9.1 / t**0.9, noisy(40 + t), 100 * t**-0.1 + noisy(0.2), noisy(60.0)) for t in (1, 2, 4, 8, 16, 32)]
    assert [c.role for c in seen(names, rows).tables[0].columns][1:] == ["response", "derived", "derived", "counter"]
    found = roles(seen(("size", "Time (ms)", "Time_Dev"), [(n, noisy(n * 0.1), noisy(0.01)) for n in range(8, 90, 9)]))
    assert found["Time_Dev"] == "derived"
    found = roles(
        seen(("size", "Time (ms)", "Time_Dev"), [(n, noisy(n * 0.1), noisy(n * 0.9)) for n in range(8, 90, 9)])
    )
    assert found["Time_Dev"] != "derived"


def test_what_leaks_is_measured_and_so_are_fractions_without_a_name_that_come_unevenly() -> None:
    rows = [(s, w, 0.2 + 0.1 * w * s**0.1, 0.34 * s) for s in (16, 64, 256) for w in (2, 4, 8) for _ in range(2)]
    found = roles(seen(("Capacity (bytes)", "Associativity", "Access time (ns)", "Standby leakage per bank(mW)"), rows))
    assert found["Standby leakage per bank"] == "response"
    file = "".join(
        f"{t},{w},{232 * w + t / 10},{4.4 + w / 20 + (t > 80) / 100:.2f}\n" for w in (1, 2) for t in range(90)
    )
    found = roles(drop(parts_of([SourceFile("a.csv", file.encode())])).recognition)
    assert found["column_4"] == "counter"


def test_two_counts_that_tell_a_share_are_derived_from_it_where_it_is_predicted() -> None:
    rows = [
        (s, w, h := 100 * w + s % 90, 990 - h, f"{h / 990:.3f}", s * w) for s in range(64, 99, 5) for w in (2, 4, 8)
    ]
    names = ("size", "ways", "hits", "misses", "hit_rate", "evictions")
    found = drop(parts_of([SourceFile("a.csv", csv(names, rows))], Mapping(responses=(("hit_rate", ""),)))).recognition
    assert [roles(found)[n] for n in names[2:]] == ["derived", "derived", "response", "counter"]
    percent = [(*row[:4], f"{100 * float(row[4]):.1f}", row[5]) for row in rows]
    file = SourceFile("a.csv", csv((*names[:4], "hit (%)", names[5]), percent))
    found = drop(parts_of([file], Mapping(responses=(("hit (%)", ""),)))).recognition
    assert [roles(found)[n] for n in ("hits", "misses", "evictions")] == ["derived", "derived", "counter"]


def test_what_compares_two_times_tells_them_and_so_does_a_variance() -> None:
    names = ("size", "a_mean_ms", "b_mean_ms", "overhead_pct", "p_value", "cohens_d", "Improvement (%)", "Variance")
    rows = []
    for n in range(64, 640, 64):
        a, b = noisy(n * 0.1), noisy(n * 0.12)
        rows.append((n, a, b, 100 * (b / a - 1), noisy(0.01), noisy(2.0), 100 - 100 * a / b, noisy(a * 0.01)))
    found = roles(seen(names, rows))
    assert [found[n] for n in ("a_mean_ms", "b_mean_ms", *names[3:6], "Improvement")] == ["response"] * 2 + [
        "derived"
    ] * 4
    found = roles(seen(("size", "Avg Time (s)", "Variance (s²)"), [(n, t, v) for n, t, *_, v in rows]))
    assert found["Variance"] == "derived"


def test_phases_that_add_up_in_five_rows_are_parts() -> None:
    rows = []
    for n in (1, 2, 3, 4, 5):
        parts = [round(noisy(n * share), 3) for share in (1.0, 0.5, 0.1, 2.0)]
        rows.append((n, *parts, round(sum(parts), 3), noisy(30.0)))
    found = roles(seen(("stage", "forward_ms", "loss_ms", "backward_ms", "step_ms", "total_ms", "load_ms"), rows))
    assert [found[n] for n in ("forward_ms", "step_ms", "total_ms")] == ["derived", "derived", "response"]
    rows = [(*row[:5], row[5] * noisy(0.7, 0.2), row[6]) for row in rows]
    found = roles(seen(("stage", "forward_ms", "loss_ms", "backward_ms", "step_ms", "total_ms", "load_ms"), rows))
    assert found["forward_ms"] == "response"


def test_sizes_of_several_dimensions_among_plain_ones_are_inputs() -> None:
    plain = [("sum", n, trial, noisy(n * 1e-6)) for n in (1000, 10_000, 100_000) for trial in (1, 2)]
    sizes = [("softmax", text, trial, noisy(0.3)) for text in ("64x1024", "128x1024", "256x4096") for trial in (1, 2)]
    found = seen(("benchmark", "input_size", "trial", "time_ms"), plain + sizes)
    assert roles(found)["input_size"] == "input"
    assert not any("such as" in problem.says for problem in found.problems)
    found = seen(("benchmark", "input_size", "trial", "time_ms"), plain + sizes[:1])
    assert "such as '64x1024'" in found.problems[0].says


def test_one_row_is_one_run() -> None:
    found = seen(("size", "threads", "time_ms"), [(64, 4, 1.5)])
    assert [p.says for p in found.problems] == ["It is one run, from which no model can be learnt."]


@pytest.mark.parametrize("prepares", ["parse_time_s", "Initialization time (s)", "startup_time"])
def test_the_work_is_predicted_before_what_prepares_it(prepares: str) -> None:
    rows = [(n, noisy(n * 1e-7), noisy(n * n * 1e-9)) for n in (100, 400, 900, 2500, 4900, 8100) for _ in range(2)]
    file = SourceFile("own.csv", csv(("clauses", prepares, "cpu_time_s"), rows))
    (found,) = drop(parts_of([file])).gathered(missing="keep").imports
    assert [m.name == "cpu_time_s" for m in found.trials.metrics if m.kind is Kind.RESPONSE] == [True, False]


def test_an_index_of_a_database_and_a_type_of_operation_were_set() -> None:
    kinds = ("btree_4k", "lsm", "hash")
    rows = [(i, 1000 * k, int(noisy(3000.0, 0.3)), ("read", "write")[k % 7 == 0]) for i in kinds for k in range(30)]
    found = roles(seen(("index", "op_count", "time_ns", "type"), rows))
    assert (found["index"], found["time_ns"], found["type"]) == ("parameter", "response", "parameter")
    numbered = [(f"row {n}", *row[1:3]) for n, row in enumerate(rows)]
    assert roles(seen(("index", "op_count", "time_ns"), numbered))["index"] == "identifier"


def test_a_time_that_a_clock_did_not_tell_is_not_what_is_predicted() -> None:
    rows = [(n, s, (0.0, 0.01)[n % 3 == 0], noisy(2.0**s / n), 1e6 * n * s) for n in (1, 2, 4, 8) for s in (14, 16, 20)]
    file = SourceFile("own.csv", csv(("nodes", "scale", "internal_runtime[s]", "total_runtime[s]", "bfs_teps"), rows))
    (found,) = drop(parts_of([file])).gathered(missing="keep").imports
    told = [(m.name, m.unit) for m in found.trials.metrics if m.kind is Kind.RESPONSE]
    assert told[0] == ("total_runtime", "s")
    assert ("bfs_teps", "edges/s") in told
