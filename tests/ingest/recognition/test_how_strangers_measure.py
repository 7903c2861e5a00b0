"""How people write what they measured: percentiles in words, bare statistics, products, other languages, odd numbers."""

from itertools import product

import pytest

from core.ingest import SourceFile, drop, parts_of
from core.ingest._units import split_unit, unit_of_name, units_of_names
from core.ingest.recognition.words import says_failed, tokens
from tests.ingest.recognition.test_roles import noisy, roles, seen

SIZES = tuple(product(("ring", "pipe"), (64, 256, 1024, 4096)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("95thPercentile(us)", ["p95", "us"]),
        ("99.9th percentile", ["p999"]),
        ("read_95thpercentilelatency_us", ["read", "p95", "latency", "us"]),
        ("clat_ns.percentile.50.000000", ["clat", "ns", "p50"]),
        ("95th_latency", ["p95", "latency"]),
        ("99.9th Latency (ms)", ["p999", "latency", "ms"]),
        ("4th_time", ["4", "th", "time"]),
        ("maxlatency", ["max", "latency"]),
        ("percentile", ["percentile"]),
    ],
)
def test_percentiles_in_words_and_statistics_joined_to_what_was_measured_are_words(name: str, said: list[str]) -> None:
    assert tokens(name) == said


def test_percentiles_in_words_and_joined_statistics_are_no_outcomes_of_their_own() -> None:
    names = ("transport", "size", "get_averagelatency_us", "get_minlatency_us", "get_95thpercentilelatency_us")
    rows = [(t, s, *(noisy(s * f) + i for f in (1.0, 0.01, 2.0))) for i, (t, s) in enumerate(SIZES)]
    found = roles(seen(names, rows))
    assert [n for n in names if found[n] == "response"] == ["get_averagelatency_us"]
    assert {found[n] for n in names[3:]} == {"derived"}
    assert unit_of_name("mixed.clat_ns.percentile.99.900000") == "ns"


def test_a_mean_beside_a_tail_is_a_time_without_a_word_and_one_beside_its_extremes_is_measured() -> None:
    names = ("level", "read_mean", "read_p99", "read_max", "throughput_read")
    rows = [(v, x, noisy(x * 3), noisy(x * 9), 1000 / x) for v, x in (("ONE", 2.8), ("QUORUM", 3.4), ("ALL", 3.7))]
    found = seen(names, rows)
    assert [roles(found)[n] for n in names[1:4]] == ["response", "derived", "derived"]
    assert any("read_mean? Until you answer, lower" in question.asks for question in found.questions)
    names = ("processes", *(f"{p}_{s}" for p in ("Total", "Comm") for s in ("Max", "Min", "Avg")))
    rows = [(p, *(noisy(x * f) for x in (8.0, 2.0) for f in (1.2, 0.8, 1.0))) for p in (1, 2, 4, 8)]
    assert [n for n, role in roles(seen(names, rows)).items() if role == "response"] == ["Total_Avg", "Comm_Avg"]


def test_a_standard_variant_is_no_standard_deviation() -> None:
    rows = [(n, noisy(n * 2.0), noisy(n * 1.5)) for n in (8, 16, 32, 64, 128)]
    found = roles(seen(("n", "standard_ms", "strassen_ms"), rows))
    assert (found["standard_ms"], found["strassen_ms"]) == ("response", "response")
    rows = [(n, noisy(n * n * 1.0), noisy(n * 1.5)) for n in (8, 16, 32, 64, 128)]
    assert roles(seen(("n", "std_attn_ms", "fused_attn_ms"), rows))["std_attn_ms"] == "response"
    rows = [(n, noisy(n * 1.0), noisy(n * 0.1)) for n in (8, 16, 32, 64, 128)]
    assert roles(seen(("n", "attn_ms", "std_attn_ms"), rows))["std_attn_ms"] == "derived"
    assert roles(seen(("n", "time_ms", "standard deviation (ms)"), rows))["standard deviation"] == "derived"


def test_a_product_of_an_energy_and_a_delay_is_computed_where_both_stand_beside_it() -> None:
    rows = [(x, y, 9000 // x + y, noisy(x * y), x * y * (9000.0 // x + y)) for x, y in product((2, 4, 8), (8, 16, 32))]
    found = roles(seen(("pe_x", "pe_y", "Cycles", "Energy_pJ", "EDP"), rows))
    assert (found["Cycles"], found["Energy_pJ"], found["EDP"]) == ("response", "response", "derived")


def test_by_how_much_an_energy_is_less_is_no_energy_and_what_a_model_said_was_not_measured() -> None:
    rows = [(n, noisy(n * 2.0), noisy(n * 0.7), float(n)) for n in (8, 16, 32, 64, 128)]
    assert (
        roles(seen(("n", "fused_joules", "plain_joules", "energy_reduction_x"), rows))["energy_reduction_x"]
        == "derived"
    )
    found = seen(("name", "sample mean (µj)", "energy-model"), [(f"a{n}", *own[1:3]) for n, *own in rows])
    assert (roles(found)["sample mean"], roles(found)["energy-model"]) == ("response", "label")
    assert next(c for c in found.tables[0].columns if c.name == "sample mean").unit == "µj"


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("cycles (HDL)", "cycles (HDL)", "cycles"),
        ("traffic(MB) (HDL)", "traffic(MB) (HDL)", "MB"),
        ("CPU (W/s).1", "CPU.1", "W/s"),
        ("plan (b/c).1", "plan (b/c).1", ""),
    ],
)
def test_a_remark_behind_a_unit_is_none_and_a_number_behind_it_belongs_to_the_name(
    header: str, name: str, unit: str
) -> None:
    assert split_unit(header) == (name, unit)


def test_rates_over_other_times_in_other_languages_and_of_what_stands_beside_them() -> None:
    assert unit_of_name("Celdas quemadas por microsegundo") == "Celdas/us"
    assert unit_of_name("requests per minute") == "requests/min"
    assert unit_of_name("time per iteration") == ""
    assert units_of_names(("docs", "docs_s", "p50_s")) == ("", "docs/s", "s")
    rows = [(n, lib, noisy(9.0e6 / n), "ops/min") for n, lib in product((10, 100, 1000), ("one", "two"))]
    found = seen(("Param: dim", "Param: lib", "Score", "Unit"), rows)
    assert next(c for c in found.tables[0].columns if c.name == "Score").unit == "ops/min"


def test_zeros_before_a_fraction_are_padding_and_before_a_whole_number_an_identifier() -> None:
    rows = [(p, f"{noisy(20.0 / p):06.3f}") for p in (1, 2, 4, 6, 8)]
    assert rows[-1][1].startswith("0")
    assert roles(seen(("MPI", "Time(s)"), rows))["Time"] == "response"
    dates = [(p, f"0{m}.2024") for m, p in enumerate((1, 2, 4, 6, 8), 1)]
    assert roles(seen(("MPI", "month"), dates))["month"] == "identifier"


def test_a_success_of_0_beside_1_says_that_a_run_failed_and_a_status_of_0_says_nothing() -> None:
    assert not says_failed("success", "0")
    text = "run,time_s,{}\n" + "".join(f"{i},{noisy(1.0)},{int(i % 3 > 0)}\n" for i in range(12))
    for name, n in (("success", 8), ("status", 12), ("failed", 12)):
        dropped = drop(parts_of([SourceFile("runs.csv", text.format(name).encode())]))
        assert sum(map(len, (own.trials for own in dropped.gathered(missing="keep").imports))) == n


def test_a_single_row_says_nothing_of_a_machine() -> None:
    found = roles(seen(("trace", "bus_reads", "total_lat_ns"), [("msi", 16, 1.25e6)]))
    assert found["bus_reads"] == "counter"


def test_variants_in_a_file_of_timings_are_times_and_settings_may_be_called_options() -> None:
    text = "Orig\tJava\n" + "".join(f"{noisy(5.6)}\t{noisy(0.3)}\n" for _ in range(9))
    text = text.replace("Orig\tJava", "Orig\tJava\tRust").replace("\n", "\t0.1023\n").replace("Rust\t0.1023", "Rust")
    found = drop(parts_of([SourceFile("timings.csv", text.encode())])).recognition
    assert any("lower is taken as better" in question.asks for question in found.questions)
    rows = [(b, d, noisy(b * 2.0)) for b, d in product((4, 16, 1024), (1, 8, 64))]
    assert roles(seen(("job options.bs", "job options.iodepth", "lat_ns"), rows))["job options.bs"] == "parameter"


def test_a_clock_on_a_grid_was_set_however_many_points_it_has_and_one_that_was_read_off_was_not() -> None:
    clocks = [n for n in range(3105, 1900, -60) if n not in (2985, 2025)]
    rows = [(c, noisy(3e4 / c), noisy(c / 50), noisy(c * 0.99)) for c in clocks]
    found = roles(seen(("applied_mhz", "runtime_s", "power_w", "clock_mhz"), rows))
    assert (found["applied_mhz"], found["clock_mhz"]) == ("parameter", "response")
    read = [(1965 + 15 * (n * 7 % 17), *own) for n, (_, *own, _) in enumerate([*rows, *rows[:5]])]
    assert roles(seen(("clock_mhz", "runtime_s", "power_w"), read))["clock_mhz"] == "response"


def test_a_round_time_beside_fractions_that_are_called_a_measurement_was_set() -> None:
    rows = [(noisy(y), k, t) for k, y in (("fft", 2.3), ("sort", 0.9)) for t in (60, 120, 3600) for _ in "ab"]
    found = roles(seen(("tuned_measurement", "kernel", "time"), rows))
    assert (found["tuned_measurement"], found["time"]) == ("response", "parameter")


def test_one_over_another_compares_in_few_rows_too_and_so_does_a_saving() -> None:
    rows = [
        (n, noisy(n * 2.0), noisy(n * 1.5), noisy(1.3), noisy(20.0), 3 + i * i % 5, noisy(0.4))
        for i, n in enumerate((8, 32, 128, 512, 2048))
    ]
    names = ("n", "old_ms", "new_ms", "old_over_new", "energy_saving_pct", "frames_over_limit", "flops_over_bytes")
    assert [*roles(seen(names, rows)).values()][3:] == ["derived", "derived", "counter", "counter"]


def test_the_bandwidth_of_a_collective_is_an_outcome_wherever_it_stands_and_where_its_peak_was_is_none() -> None:
    rows = [
        (c, r, noisy(9.0 * r), noisy(300.0 / r), 2 ** (20 + k + r), noisy(90.0 / r), noisy(30.0 * r))
        for k, c in enumerate(("reduce", "gather", "alltoall"))
        for r in (2, 4, 8)
    ]
    names = ("collective", "ranks", "lat_us", "peak_busbw", "peak_size", "busbw_max_size", "algbw_1M")
    found = seen(names, rows)
    assert [n for n, role in roles(found).items() if role == "response"] == ["lat_us", "peak_busbw", *names[-2:]]
    assert roles(found)["peak_size"] == "counter"
    assert "GB/s" in next(q.choices for q in found.questions if q.column == "peak_busbw")


def test_a_mean_over_the_repeats_beside_each_of_them_is_derived() -> None:
    runs = [(q, r, noisy(y)) for q, y in (("q1", 2.0), ("q2", 9.0), ("q3", 0.5)) for r in range(1, 6)]
    own = {q: [y for p, _, y in runs if p == q] for q, *_ in runs}
    rows = [(q, r, y, round(sum(own[q]) / 5, 5), min(own[q])) for q, r, y in runs]
    found = roles(seen(("query", "run", "exec_time_s", "mean_time_s", "min_time_s"), rows))
    assert [n for n, role in found.items() if role == "response"] == ["exec_time_s"]


def test_a_sigma_or_an_error_of_an_outcome_is_derived_from_it_and_a_filters_was_set() -> None:
    rows = [
        (s, n, noisy(s * n), noisy(0.1, 0.3), noisy(0.2, 0.3), noisy(9.0)) for s, n in product((1, 2, 4), (3, 5, 9))
    ]
    names = ("sigma", "taps", "MeanTime", "SigmaTime", "mse_time", "other_time")
    found = roles(seen(names, rows))
    assert [n for n, role in found.items() if role == "derived"] == ["SigmaTime", "mse_time"]
    assert found["sigma"] == "parameter"
    rows = [(n, y := noisy(n * 3.0), e := noisy(-9.0, 2), abs(e), 100 * e / y) for n in (8, 16, 64, 256, 512, 999)]
    names = ("n", "measured_gflops", "signed_error_gflops", "absolute_error_gflops", "relative_error_percent")
    assert [*roles(seen(names, rows)).values()][1:] == ["response", *["derived"] * 3]


def test_an_average_time_is_no_level_and_what_was_eligible_was_counted() -> None:
    rows = [
        (k, f, noisy(8.0e7 / f), 119165384 * (k == "syrk")) for k in ("gemm", "trsm", "syrk") for f in (240, 480, 960)
    ]
    found = roles(seen(("kernel", "freq_mhz", "energy_uj", "average_waittime_ns"), rows))
    assert found["average_waittime_ns"] == "response"
    assert roles(seen(("time_ms", "eligible_warps_per_scheduler"), [(4.87, 3.55)])).popitem()[1] == "counter"


def test_a_clock_that_changes_from_second_to_second_of_one_run_was_sampled() -> None:
    rows = [(1.0 * n, noisy(145.0), 1965 + 15 * (n * n % 3), 100) for n in range(1, 40)]
    found = roles(seen(("elapsed_s", "power_w", "gpu_clock_mhz", "power_cap_w"), rows))
    assert (found["gpu_clock_mhz"], found["power_cap_w"]) == ("counter", "parameter")


def test_neighbours_nearly_alike_in_a_table_without_names_of_settings_are_a_clocks() -> None:
    rows = [(27 + n * n % 3, round(noisy(1437.0)), round(noisy(41869.0)), round(noisy(5708.0))) for n in range(12)]
    assert {*roles(seen(("noop", "register", "fork", "release"), rows)).values()} == {"counter"}


def test_levels_in_step_with_the_only_number_that_was_measured_are_that_number() -> None:
    fits = product(("naive", "tiled"), ((0.5, 32), (0.75, 48), (1.0, 64), (1.5, 64), (2.0, 64)))
    rows = [(k, s, w, w / 0.64) for k, (s, w) in fits]
    found = roles(seen(("kernel", "scale", "resident_warps", "occupancy_percent"), rows))
    assert [*found.values()][2:] == ["derived", "response"]


def test_what_was_achieved_or_is_0_in_every_row_is_no_machines_and_what_was_measured_none_of_the_input() -> None:
    rows = [(k, s, noisy(9.0 * s), 476.53, 0, 0.0, y) for k, y in (("a", 3025.1), ("b", 812.4)) for s in range(1, 10)]
    names = ("kernel", "scale", "time_ms", "achieved_bw_gbs", "l2_entry_fail", "bandwidth", "measured_gflops")
    found = roles(seen(names, rows))
    assert [found[n] for n in names[3:]] == [*["label"] * 3, "counter"]
    found = roles(seen(("kernel", "clock_scale", *names[2:]), rows))
    assert found["measured_gflops"] == "label"
    rows = [(h, noisy(2.0), 1e-9 * (3 + len(h))) for h in ("n1", "n22", "n333", "n4444")]
    assert roles(seen(("hostname", "elapsed_s", "max_abs_diff"), rows))["max_abs_diff"] == "label"


def test_a_benchmark_without_an_argument_leaves_those_of_others_and_their_times_before_rates() -> None:
    took = [(f"array/{n}", noisy(101.0), n) for n in (8, 16, 24, 32, 40, 48)]
    rows = [("plain", 67.4, ""), *((name, t, f"{n / t * 1e9:.6g}") for name, t, n in took)]
    found = seen(("name", "real_time_ns", "bytes_per_second"), rows)
    assert roles(found)["argument 1"] == "parameter"
    assert roles(seen(("name", "real_time_ns", "bytes_per_second"), rows[1:]))["real_time_ns"] == "response"
    assert roles(seen(("name", "real_time_ns"), [(n, t) for n, t, _ in rows[:3]])).keys() == {"name", "real_time_ns"}


def test_counts_of_cycles_and_ticks_are_the_outcome_where_nothing_else_is_and_a_file_is_what_it_was_of() -> None:
    rows = [(f"m{n}.mtx", c, round(noisy(4e4))) for n, c in enumerate(["wide", "deep", "flat"] * 5)]
    found = roles(seen(("filename", "config", "cycle count"), rows))
    assert found == {"filename": "input", "config": "parameter", "cycle count": "response"}
    found = seen(("Benchmarks", "Final Ticks"), [(f"b{n}", round(noisy(6e9 * n))) for n in range(1, 9)])
    assert (roles(found)["Final Ticks"], "lower" in found.questions[0].asks) == ("response", True)
    found = seen(("kernel", "flops"), [(f"k{n}", 64 * n) for n in range(1, 9)])
    assert "nothing is named like an outcome" in found.tables[0].column("flops").why


def test_a_whole_time_by_which_a_time_is_divided_is_how_often_it_ran() -> None:
    rows = [(n, y := noisy(400.0, 0.4), r, y / r) for n, r in enumerate((32768, 539, 4165, 24475, 7093, 1200, 88), 3)]
    assert [*roles(seen(("nodes", "Total Runtime", "Repeat Time", "Own Time"), rows)).values()][1:] == [
        "response",
        "label",
        "derived",
    ]


def test_texts_of_each_rows_command_were_set_and_a_matrix_may_have_an_id() -> None:
    rows = [("h264", "p5", "", 73.0), ("h264", "p1", "scale", 191.0), ("hevc", "p4", "", 101.0)]
    rows = [(*own, f"-c {own[0]} -preset {own[1]} {own[2]}", y) for *own, y in rows]
    found = roles(seen(("codec", "preset", "filter", "argv", "fps"), rows))
    assert [found[n] for n in ("codec", "preset", "filter")] == ["parameter"] * 3
    rows = [(m, t, noisy(w / t)) for m, w in (("F1", 9.0), ("Hook", 4.0)) for t in (1, 2, 4)]
    assert roles(seen(("matrix_id", "threads", "time_s"), rows))["matrix_id"] == "input"


def test_bytes_with_their_multiple_energies_that_never_vary_and_a_number_in_brackets() -> None:
    assert unit_of_name("dram_gbytes_per_second") == "GB/s"
    found = roles(seen(("n", "final_energy", "time_s"), [(n, 27205.3, noisy(n * 2.0)) for n in (1, 2, 4)]))
    assert (found["final_energy"], found["time_s"]) == ("label", "response")
    rows = [(n, y := noisy(n * 2.0), noisy(9e3 * n / y), "TFLOP/s") for n in (512, 1024, 2048, 4096)]
    assert seen(("shape", "kernel_ms", "rate", "unit"), rows).tables[0].column("rate").unit == "TFLOP/s"
    rows = [(n, f"[[] [{round(noisy(n * 1e5))}] [] ]") for n in (1, 2, 4, 8)]
    assert roles(seen(("threads", "runtime"), rows))["runtime"] == "response"


def test_spreads_are_those_of_the_outcome_that_shares_most_of_their_words_and_never_sizes() -> None:
    names = (
        "method",
        *(f"{own}_{one}" for own in ("file_size_mb", "write_time", "read_time") for one in ("mean", "std")),
    )
    rows = [
        (m, noisy(1.9), noisy(1e-9), noisy(k), noisy(0.1), noisy(9.0 / k), noisy(0.2))
        for k, m in enumerate("abcdefgh", 1)
    ]
    found = seen(names, rows)
    why = {c.name: c.formula for c in found.tables[0].columns}
    assert roles(found)["file_size_mb_std"] != "input"
    assert (why["write_time_std"], why["read_time_std"]) == (
        "statistic of write_time_mean",
        "statistic of read_time_mean",
    )


def test_a_text_without_a_name_beside_numbers_without_names_says_what_ran() -> None:
    text = "\n".join(
        f"{name} ; {noisy(92.7)} ; {noisy(45.0)}" for name in ("fasta", "n-body", "mandelbrot") for _ in "abcd"
    )
    assert roles(drop(parts_of([SourceFile("c.csv", text.encode())])).recognition)["column_1"] == "application"


def test_few_numbers_next_to_an_outcome_are_not_that_outcome_plus_a_constant() -> None:
    rows = [
        ("bzip", 2.316105, 0.996912),
        ("gcc", 2.307105, 0.98702),
        ("mcf", 2.297105, 0.97702),
        ("art", 2.288426, 0.967641),
    ]
    assert roles(seen(("benchmark", "cpi", "l2.overall_miss_rate"), rows))["l2.overall_miss_rate"] == "counter"


def test_times_of_synthesis_and_of_all_so_far_are_the_tools() -> None:
    rows = [
        (d, u, noisy(20.0), noisy(20.0 * k), noisy(400.0 / u)) for k, (d, u) in enumerate(product("abc", (1, 2, 4)), 1)
    ]
    found = roles(seen(("design", "unroll", "synthesis_time_s", "cumulative_time_s", "latency_us"), rows))
    assert [*found.values()][2:] == ["label", "label", "response"]


def test_cycles_that_come_with_each_of_all_settings_are_repeats() -> None:
    rows = [(c, s, i, noisy(10.0 + s / 9000)) for c in range(3) for s in (8, 512, 65536) for i in (0, 1)]
    assert roles(seen(("numCycle", "size", "inplace", "time_us"), rows))["numCycle"] == "label"


def test_levels_of_programs_that_compress_are_settings_and_one_without_has_none() -> None:
    levels = [
        (f"{name} -{n}", noisy(90.0 / n), noisy(60.0 - n)) for name in ("zpaq 7.15", "lzma 24.09") for n in (1, 3, 5)
    ]
    found = seen(("Compressor name", "Compression speed", "Ratio"), [*levels, ("memcpy", noisy(9000.0), noisy(100.0))])
    assert (roles(found)["Compressor name"], roles(found)["level"]) == ("application", "parameter")


def test_what_a_harness_counts_and_outcomes_of_few_rows_are_no_counters() -> None:
    names = ("name", "iterations", "real_time", "cpu_time", "time_unit", "verify_time_us", "txs_per_second")
    rows = [("a/iterations:10", 10, 1.50829, 1.5625, "ms", 100, 64000), ("b", 49778, 13.7833, 13.8113, "us", "", "")]
    rows += [("c", 1120000, 0.689224, 0.683594, "us", "", ""), ("d", 1120000, 0.58445, 0.558036, "us", "", "")]
    found = seen(names, rows)
    assert [roles(found)[n] for n in (names[1], *names[5:])] == ["label"] * 3
    assert [found.tables[0].column(n).unit for n in names[2:4]] == ["us", "us"]
    assert not found.questions


def test_a_column_that_says_none_everywhere_is_no_machine() -> None:
    rows = [("node1", "none", c, p, noisy(9.0 + len(p))) for c in ("x264", "av1") for p in ("fast", "slow", "medium")]
    found = roles(seen(("Host", "GPU", "codec", "preset", "time_s"), rows))
    assert [found["Host"], found["GPU"]] == ["machine", "label"]


def test_what_went_over_or_was_lost_was_not_set_nor_what_differs_in_one_row() -> None:
    moved = (88_101_376, 88_166_912, 88_101_376, 88_240_640, 88_014_848)
    rows = [(f"2021-03-0{k + 1}", x, x / 1.25 + 7 * k, 9_310, 17 * (k == 2), 8 + (k == 2)) for k, x in enumerate(moved)]
    found = roles(seen(("date", "udp_size", "udp_speed", "packets_sent", "packets_lost", "window"), rows))
    assert [found[n] for n in ("udp_size", "packets_lost", "window")] == ["counter"] * 3
    sizes = [(n, noisy(40.0 + n % 7)) for n in (511, 512, 513, 1023, 1024, 1025)]
    assert roles(seen(("size", "gflops"), sizes))["size"] == "parameter"
    sent = [(c, m, noisy(c * m / 90)) for c in (1, 2, 4) for m in (1000, 5000, 25000)]
    assert roles(seen(("clients", "messages_sent", "time_ms"), sent))["messages_sent"] == "parameter"


def test_files_of_results_made_up_names_and_codes_of_settings_are_no_inputs() -> None:
    cases = [*product((200, 900), (16, 32), ("Row", "Column"), (0, 1))]
    rows = [
        (f"lab/results/lu_N{n}_NB{nb}_{o[0]}{d}.txt", f"V{o[0]}1{d}", n, nb, o, d, noisy(n / nb))
        for n, nb, o, d in cases
    ]
    names = ("file", "variant", "N", "NB", "major", "depth", "time_s")
    found = roles(seen(names, rows))
    assert [found[n] for n in names[:2]] == ["identifier", "label"]
    assert [found[n] for n in names[2:6]] == ["parameter"] * 4
    cases = [*product((200, 900), (16, 32), ("Row", "Column"), (0, 1, 2))]
    some = [cases[k] for k in (0, 1, 2, 7, 8, 11, 14, 16, 17, 19, 20)]
    rows = [(f"V{o[0]}1{d}", n, nb, noisy(50.0), o, d) for n, nb, o, d in some]
    found = roles(seen((*names[1:4], "time_s", *names[4:6]), rows))
    assert [found[n] for n in names[1:6]] == ["label", *["parameter"] * 4]
    made_up = ("/tmp/a/Qw4rTzu8", "/tmp/a/mNb7VcXy", "/tmp/a/9kLhGfDs", "/tmp/a/pOiUz2Tr", "/tmp/a/T6zHnJmK")
    rows = [(file, t, noisy(90.0 / t)) for file, t in zip(made_up, (1, 2, 4, 8, 16), strict=True)]
    assert roles(seen(("file", "clients", "time_s"), rows))["file"] == "identifier"
    logs = [(f"logs/{name}.log", size, noisy(size / 9)) for name, size in (("hdfs", 71), ("ssh", 12), ("zoo", 5))]
    assert roles(seen(("file", "mb", "time_s"), logs))["file"] == "application"
    types = [(f"fp{8 * b}", b, n, noisy(b * n / 7)) for b in (2, 4, 8) for n in (64, 128, 256)]
    assert roles(seen(("precision", "bytes", "n", "time_ms"), types))["precision"] == "parameter"
    nodes = [(f"n{c}{m}", c, m, j, noisy(90.0 / c)) for c in (2, 4) for m in "sl" for j in ("sort", "join")]
    assert roles(seen(("host", "cores", "memory", "job", "time_s"), nodes))["host"] == "machine"


def test_a_game_is_what_ran_and_its_bare_average_may_be_a_rate() -> None:
    cases = [*product(("Dune Racer", "Orc Siege", "Mech"), ("DX12", "Vulkan"), (1, 2))]
    rows = [(g, api, 60 + 9 * len(g) % 50 + k, 41 + k, 99 + len(api)) for g, api, k in cases]
    found = seen(("game", "api", "avg", "min", "max"), rows)
    assert (roles(found)["game"], roles(found)["api"], roles(found)["avg"]) == ("application", "parameter", "response")
    assert {"s", "1/s"} <= {*next(q.choices for q in found.questions if q.about == "unit")}
