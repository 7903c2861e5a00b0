"""What columns follow from in tables of few rows or one size, and which of two outcomes stands for the other."""

from core.ingest._units import unit_of_name
from tests.ingest.recognition.test_roles import noisy, roles, seen


def test_a_rate_of_four_rows_follows_from_their_time() -> None:
    times = (22.506755, 23.983517, 31.731363, 51.168394)
    rows = [(w, f"{t:.6f}", f"{5e5 / t:.6f}") for w, t in zip((1, 2, 4, 8), times, strict=True)]
    names = ("workers", "avg_time_s", "throughput")
    assert roles(seen(names, rows))["throughput"] == "derived"
    assert roles(seen(names, rows[:3]))["throughput"] == "response"
    own = [(w, t, f"{float(x) * (1 + w / 100):.6f}") for w, t, x in rows]
    assert roles(seen(names, own))["throughput"] == "response"


def test_a_rate_follows_from_the_cube_of_the_only_size() -> None:
    times = {n: 2e-9 * n**3 / (2.4 + n % 7 / 3) for n in (64, 128, 200, 256, 384, 512, 700, 1000)}
    rows = [(n, f"{t:.9f}", f"{2e-9 * n**3 / t:.6f}") for n, t in times.items()]
    assert roles(seen(("dimension", "time(s)", "Gflops/s"), rows))["Gflops/s"] == "derived"


def test_the_longest_of_several_whole_times_stands_for_its_parts() -> None:
    parts = [(noisy(2.0 * k), noisy(0.3 + k % 3)) for k in (1, 5, 3, 8, 2, 7)]
    rows = [(f"Q{k}", a, b, f"{float(a) + float(b):.6f}") for k, (a, b) in enumerate(parts)]
    found = roles(seen(("query", "gpu_exec_ms", "cpu_post_ms", "total_exec_ms"), rows))
    assert (found["total_exec_ms"], found["gpu_exec_ms"]) == ("response", "derived")


def test_cycles_of_each_access_are_the_outcome_of_runs_that_last_alike() -> None:
    each = {size: 3.0 + size**0.7 for size in (1, 4, 16, 64, 256, 1024)}
    timed = [(size, each[size] * (1 + k / 50), 2e8 + 1e6 * (k + size % 3)) for size in each for k in (0, 1, 2)]
    rows = [(size, int(whole / one), int(whole), f"{int(whole) / int(whole / one):.6f}") for size, one, whole in timed]
    found = seen(("size_kb", "accesses", "elapsed_cycles", "cycles_per_access"), rows)
    assert (roles(found)["cycles_per_access"], roles(found)["elapsed_cycles"]) == ("response", "derived")
    assert {c.name: c.unit for c in found.tables[0].columns}["cycles_per_access"] == "cycles"


def test_a_mean_beside_percentiles_and_a_rate_is_none_of_the_rate() -> None:
    sizes = [(v, b, (8.0 if v == "eager" else 5.0) * b**1.3) for v in ("eager", "script") for b in (1, 8, 16, 32)]
    rows = [(v, b, noisy(t), noisy(1.2 * t), noisy(1.02 * t), noisy(1000.0 * b / t)) for v, b, t in sizes]
    found = roles(seen(("variant", "batch_size", "p50", "p99", "mean", "throughput"), rows))
    assert (found["mean"], found["p50"], found["p99"]) == ("response", "derived", "derived")


def test_what_stands_behind_a_value_in_a_name_is_not_in_its_unit() -> None:
    assert [unit_of_name(name) for name in ("SDK3: FC=250MHz CL=175MHz", "at 175MHz", "p95Ms", "Clock2MHz")] == [
        "",
        "",
        "ms",
        "MHz",
    ]


def test_a_cost_in_dollars_says_its_unit() -> None:
    rows = [(n, noisy(3.0 * n), noisy(0.7 * n % 5 + 1)) for n in (1, 2, 4, 8, 16)]
    found = seen(("procs", "time_ms", "est_cost_usd"), rows).tables[0].columns
    assert {c.name: c.unit for c in found}["est_cost_usd"] == "usd"


def test_the_peak_of_a_buffer_came_out() -> None:
    rows = [(d, m, noisy(10.0 * d + m), 65536 if d < 3 else 131072) for d in (1, 2, 3, 4) for m in (1, 2, 3)]
    assert roles(seen(("delay", "channels", "stall_us", "buffer_peak_bytes"), rows))["buffer_peak_bytes"] == "counter"


def test_names_of_hardware_that_differ_name_machines_before_a_type_that_is_the_same() -> None:
    cpus = ("Intel i5", "Ryzen 5 1500x", "Intel Xeon 5650")
    rows = [(d, cpu, "Docker", noisy(40.0 * k + i)) for i, cpu in enumerate(cpus) for k, d in enumerate("ABCD", 1)]
    found = roles(seen(("dataset", "CPU_TYPE", "VM_TYPE", "time_s"), rows))
    assert (found["CPU_TYPE"], found["VM_TYPE"]) == ("machine", "label")


def test_files_that_differ_beside_outcomes_and_a_speed_up_alone_are_inputs() -> None:
    times = [(noisy(4.0 + k % 5), noisy(3.0 + k % 4)) for k in range(8)]
    rows = [("level3", f"{k}_Net.py", a, b, f"{float(a) / float(b):.6f}") for k, (a, b) in enumerate(times)]
    assert roles(seen(("Level", "File", "Eager_ms", "Triton_ms", "Speedup"), rows))["File"] == "input"


def test_a_unit_of_time_before_what_was_timed_or_before_a_size_is_one() -> None:
    names = ("ms_zorb_seq", "MS_ZORB_SEQ", "zorb_ms_224", "ns_per_run", "us_states", "ms", "rooms_4")
    assert [unit_of_name(name) for name in names] == ["ms", "ms", "ms", "ns", "", "ms", ""]
    rows = [(n, noisy(9.0 * n), noisy(2.0 * n), noisy(0.1 * n)) for n in (200, 500, 1000, 2000, 3000, 4000, 5000)]
    found = roles(seen(("N", "ms_zorb_seq", "ms_zorb_par", "ms_quix_par"), rows))
    assert {role for name, role in found.items() if name != "N"} == {"response"}


def test_whatever_a_second_is_a_rate() -> None:
    assert [unit_of_name(name) for name in ("zorbs/s", "batch/s", "Total Throughput/s")] == ["zorbs/s", "batch/s", ""]


def test_a_speed_up_whose_name_begins_with_time_is_no_time() -> None:
    rows = [
        (d, r, a := noisy(1.0 + 0.3 * r), b := noisy(20.0 + 0.1 * d), f"{float(b) / float(a):.9f}")
        for d in (10, 20, 40, 80)
        for r in range(3)
    ]
    found = roles(seen(("d", "seed", "zorb_time", "cv_time", "time_speedup"), rows))
    assert (found["zorb_time"], found["cv_time"], found["time_speedup"]) == ("response", "response", "derived")


def test_a_time_is_no_part_of_a_rate() -> None:
    rows = [
        (n, i, t := noisy(9e4 * k), t, f"{4e13 / float(t):.6f}", f"{4e13 / float(t):.6f}")
        for k, n in ((1, "a"), (2, "b"))
        for i in range(3)
    ]
    found = roles(
        seen(("name", "threads", "real_time_ns", "cpu_time_ns", "bytes_per_second", "items_per_second"), rows)
    )
    assert found["real_time_ns"] == "response"
    assert found["bytes_per_second"] == found["items_per_second"] == "derived"


def test_of_columns_that_tell_rows_apart_the_one_with_fewest_values_was_set() -> None:
    sizes = {"plain": (1000, 5000, 10000), "tree": (1000, 5000)}
    cases = [(n, way, cell) for way in sizes for n in sizes[way] for cell in ((0,) if way == "plain" else (5, 10, 20))]
    rows = [(n, way, 7 * n + cell * n // 3, noisy(n * len(way) / 50 + cell), f"{cell:.2f}") for n, way, cell in cases]
    found = roles(seen(("zorb_count", "method_name", "quix_count", "kernel_time_ms", "grid_cell"), rows))
    assert (found["zorb_count"], found["quix_count"]) == ("parameter", "counter")


def test_identifiers_that_come_again_with_each_of_another_column_name_inputs() -> None:
    names = [f"{kind}-{i}" for kind in ("wide", "long", "deep") for i in range(4)]
    rows = [
        (m, name, noisy(s * (2 + k))) for s, m in ((1, "qua"), (5, "zor"), (9, "fli")) for k, name in enumerate(names)
    ]
    assert roles(seen(("model", "id", "seconds"), rows))["id"] == "input"
    alone = [(m, f"r{k}{m}", noisy(s * (2 + k))) for s, m in ((1, "qua"), (5, "zor")) for k in range(9)]
    assert roles(seen(("model", "id", "seconds"), alone))["id"] == "identifier"


def test_a_word_of_no_machine_that_never_changes_is_a_label() -> None:
    rows = [
        (f, m, r, noisy(50.0 * k), "the")
        for k, f in enumerate(("a.txt", "b.txt", "c.txt"), 1)
        for m in "xy"
        for r in (1, 2, 3)
    ]
    assert roles(seen(("file", "method", "run", "ms", "target"), rows))["target"] == "label"
    rows = [(*row[:-1], "Beelink GTR9 Pro") for row in rows]
    assert roles(seen(("file", "method", "run", "ms", "target"), rows))["target"] == "machine"


def test_a_setting_in_brackets_tells_columns_apart() -> None:
    rows = [(n, *(noisy(n**1.5 / t**0.6 / 900) for t in (1, 2, 4, 8))) for n in (10, 50, 100, 200, 300, 500, 700)]
    found = seen(("zorbs", "T(t = 1)", "T(t = 2)", "T(t = 4)", "T(t = 8)"), rows)
    assert next(q for q in found.questions if q.about == "beside").choices == ("threads", "outcomes")


def test_what_grows_row_by_row_is_no_variant() -> None:
    rows = [(n, n * n, *(noisy(0.01 * n * n * k) for k in (1.0, 0.9, 1.1, 9.0))) for n in range(2, 14)]
    found = roles(seen(("L", "N", "fortran", "cpp", "c", "python"), rows))
    assert (found["L"], found["fortran"]) == ("parameter", "response")


def test_a_column_that_is_an_outcome_wherever_that_was_measured_gives_it_away() -> None:
    rows = [
        (n, w, noisy(30.0 * n), t := noisy(9.0 * n) if n % 3 == 0 else "", t or noisy(4e5))
        for n in range(1, 13)
        for w in "ab"
    ]
    found = roles(seen(("n", "way", "wall_ms", "load_ms", "extra"), rows))
    assert found["extra"] == "derived"


def test_an_interval_is_the_latency_plus_one() -> None:
    rows = [(u, ii, x := 40_000 * ii // u + 50, x + 1, 1400 * u + ii) for u in (1, 2, 4, 8) for ii in (1, 2, 4)]
    found = roles(seen(("Unroll", "II", "Latency", "Interval", "LUT"), rows))
    assert (found["Latency"], found["Interval"]) == ("response", "derived")
    found = roles(
        seen(("Unroll", "II", "Latency", "Interval", "LUT"), [(*r[:3], r[3] + k % 2, r[4]) for k, r in enumerate(rows)])
    )
    assert found["Interval"] == "parameter"


def test_a_search_among_parameters_says_what_it_found_and_how_long_it_took() -> None:
    rows = [
        (k, noisy(3 + b / 40 + abs(w - 4)), f"0 days 00:0{k % 6}:3{k % 9}.5{k}", b, w)
        for k, (b, w) in enumerate((b, w) for b in (32, 64, 128) for w in (2, 4, 8))
    ]
    found = seen(("number", "value", "duration", "params_block", "params_warps"), rows)
    assert roles(found) == {
        "number": "identifier",
        "value": "response",
        "duration": "response",
        "params_block": "parameter",
        "params_warps": "parameter",
    }
    assert {c.name: c.unit for c in found.tables[0].columns}["duration"] == "s"
    noted = [(*row, "" if k < 2 else f"\"{{'block': {row[3]}, 'warps': {row[4]}}}\"") for k, row in enumerate(rows)]
    head = ("number", "value", "duration", "params_block", "params_warps", "system_attrs_tpe:relative_params:0")
    said = roles(seen(head, noted))
    assert {role for n, role in said.items() if n.startswith("system_attrs")} == {"label"}
    assert "system_attrs_tpe:relative_params:0 block" in said


def test_what_a_time_was_spent_on_and_its_share_give_it_away_though_they_overlap() -> None:
    totals = [(n, p, noisy(n**2 / p / 7 + n / 9)) for n in (8, 16, 32) for p in (1, 2, 4)]
    spent = [(n, p, t, t * noisy(0.7 + p / 20, 0.02), t * noisy(0.36 - p / 40, 0.02)) for n, p, t in totals]
    rows = [(n, p, t, f"{x:.6f}", f"{y:.6f}", f"{y / t:.6f}") for n, p, t, x, y in spent]
    names = ("size", "procs", "TOTAL", "COMPUTE", "WAIT", "WAIT_FRAC")
    assert [roles(seen(names, rows))[n] for n in names[2:]] == ["response", "derived", "derived", "derived"]
    other = [(*row[:3], float(row[3]) / 3, *row[4:]) for row in rows]
    assert [roles(seen(names, other))[n] for n in names[3:]] == ["counter", "counter", "derived"]
    assert roles(seen((*names[:3], "alpha", "beta", "gamma"), rows))["alpha"] == "counter"


def test_a_quotient_of_few_digits_gives_an_outcome_away_where_each_row_holds_within_its_own() -> None:
    rates = [(c, s, 20.0 * c**0.6 * s) for c in (2, 8, 32) for s in (1.0, 1.7, 2.9)]
    rows = [(c, s, f"{y:.4f}", f"{c / y:.3f}") for c, s, y in rates]
    names = ("clients", "build", "throughput", "x")
    assert roles(seen(names, rows))["x"] == "derived"
    assert roles(seen(names, rows[:6]))["x"] == "counter"
    off = [(*row[:3], f"{float(row[3]) * (1 + k % 3 / 20):.3f}") for k, row in enumerate(rows)]
    assert roles(seen(names, off))["x"] == "counter"
