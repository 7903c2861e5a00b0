"""Headers of well-known tools: units and roles that the names alone do not tell."""

from tests.ingest.recognition.test_roles import noisy, roles, seen


def test_a_load_test_is_in_milliseconds_and_its_bytes_were_counted() -> None:
    head = ("timeStamp", "elapsed", "label", "responseCode", "threadName", "bytes", "allThreads", "Latency", "Connect")
    pages = {"GET /a": 900, "GET /b": 4100, "POST /c": 250}
    rows = [
        (1700000000000 + 137 * i, 40 * threads + i % 7, page, 200, f"1-{i}", size + i % 3, threads, 30 + i % 11, i % 5)
        for threads in (1, 5, 10, 20)
        for i, (page, size) in enumerate([*pages.items()] * 3)
    ]
    found = seen(head, rows)
    assert [roles(found)[n] for n in ("elapsed", "bytes", "allThreads")] == ["response", "counter", "parameter"]
    assert (roles(found)["label"], roles(found)["responseCode"]) == ("application", "label")
    assert [found.tables[0].column(n).unit for n in ("elapsed", "Connect")] == ["ms", "ms"]
    assert not found.questions
    named = ("stamp", "took", *head[2:])
    assert roles(seen(named, rows))["bytes"] != "counter"


def test_a_project_and_no_region_ran_and_took_kilowatt_hours() -> None:
    head = ("project_name", "run_id", "duration", "emissions", "emissions_rate", "energy_consumed", "region", "batch")
    rows = [
        (project, f"{i:032x}", t, noisy(t * 3e-6, 0.3), noisy(3e-6, 0.3), noisy(t * 9e-5, 0.1), "paris", batch)
        for i, (project, batch) in enumerate((p, b) for p in ("resnet", "bert", "vit") for b in (1, 8, 32))
        for t in [noisy(20 + 9 * batch + i)]
    ]
    found = seen(head, rows)
    assert roles(found)["project_name"] == "application"
    assert roles(found)["region"] == "label"
    assert roles(found)["emissions"] == "response"
    assert roles(found)["emissions_rate"] == "derived"
    units = {n: found.tables[0].column(n).unit for n in ("duration", "emissions", "energy_consumed")}
    assert units == {"duration": "s", "emissions": "kg", "energy_consumed": "kWh"}
    placed = seen((*head, "longitude", "latitude"), [(*row, 9.18 + i % 2, 48.77 + i % 2) for i, row in enumerate(rows)])
    assert roles(placed)["longitude"] == roles(placed)["latitude"] == "label"


def test_a_run_of_users_is_in_milliseconds() -> None:
    head = ("Users", "Name", "Request Count", "Failure Count", "Median Response Time", "Average Response Time")
    rows = [
        (users, page, 14 * users, 0, 3 * users, noisy(3.2 * users)) for users in (1, 5, 10, 20) for page in ("/a", "/b")
    ]
    found = seen(head, rows)
    assert found.tables[0].column("Average Response Time").unit == "ms"
    assert roles(found)["Request Count"] == "label"
    assert not found.questions


def test_a_mean_among_the_statistics_of_a_case_is_what_was_measured() -> None:
    head = (
        "name",
        "fullname",
        "params.n",
        "options.max_time",
        "stats.min",
        "stats.mean",
        "stats.stddev",
        "stats.rounds",
    )
    rows = [
        (f"test_{case}", f"tests/test_{case}.py::{case}-{n}", n, 1.0, t * 0.9, t, t / 50, 100)
        for case, k in (("sort", 1e-6), ("fft", 3e-6))
        for n in (10, 100, 1000)
        for t in [noisy(n * k * 1e6) / 1e6]
    ]
    found = seen(head, rows)
    assert [roles(found)[n] for n in ("stats.mean", "options.max_time", "stats.min")] == [
        "response",
        "label",
        "derived",
    ]
    assert found.tables[0].column("stats.mean").unit == "s"
    assert not found.questions


def test_a_csv_of_python_benchmarks_has_one_mean_in_seconds_and_what_was_set() -> None:
    statistics = ["min", "max", "mean", "stddev", "median", "iqr", "q1", "outliers", "ops", "rounds", "iterations"]
    rows = [
        (
            f"tests/test_a.py::test_{case}[{n}-{kind}]",
            n,
            kind,
            t * 0.9,
            t * 2,
            t,
            t / 50,
            t,
            t / 90,
            t,
            "9;1",
            1 / t,
            99,
            1,
        )
        for case, k in (("sort", 1e-6), ("fft", 3e-6))
        for kind in ("list", "array")
        for n in (10, 100, 1000)
        for t in [noisy(n * k * 1e6) / 1e6]
    ]
    found = seen(("name", "param:n", "param:kind", *statistics), rows)
    own = roles(found)
    assert [own[n] for n in ("name", "param:n", "param:kind", "mean")] == [
        "application",
        "parameter",
        "parameter",
        "response",
    ]
    assert {own[name] for name in ("ops", "q1", "median", "min")} == {"derived"}
    assert "argument 1" not in own
    assert found.tables[0].column("mean").unit == "s"
    assert not found.questions


def test_benchmarks_of_dotnet_have_one_mean_and_its_statistics() -> None:
    rows = [
        (method, runtime, runtime, n, f"{t:.1f} ns", "71.3 ns", f"{t / 90:.1f} ns", f"{t / (8 * n):.2f}", "-", "112 B")
        for n in (1000, 10000)
        for runtime, faster in ((".NET 6.0", 1), (".NET 8.0", 0.9))
        for method, k in (("Sha256", 8), ("Md5", 3))
        for t in [noisy(n * k * faster)]
    ]
    head = ("Method", "Job", "Runtime", "N", "Mean", "Error", "StdDev", "Ratio", "Gen0", "Allocated")
    found = seen(head, rows)
    own = roles(found)
    assert (own["Method"], own["Job"], own["Runtime"], own["N"]) == ("application", "parameter", "label", "parameter")
    assert (own["Mean"], own["Allocated"]) == ("response", "counter")
    assert {own[name] for name in ("Error", "StdDev", "Ratio")} == {"derived"}
    assert found.tables[0].column("Mean").unit == "ns"


def test_tokens_a_second_of_a_language_model_do_not_predict_its_time() -> None:
    head = ("model_type", "n_prompt", "n_gen", "n_threads", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts")
    rows = [
        ("llama 7B", p, g, t, round(1e9 * (p + g) / rate), 1000 + t, rate, 0.5)
        for p, g in ((512, 0), (0, 128))
        for t in (2, 4, 8)
        for rate in [noisy((1800 if p else 60) * t / 8)]
    ]
    found = roles(seen(head, rows))
    assert {found["avg_ns"], found["avg_ts"]} <= {"response", "derived"}
    assert (found["model_type"], found["n_threads"], found["stddev_ns"]) == ("application", "parameter", "label")


def test_each_run_of_a_language_model_is_a_time_and_tokens_a_second() -> None:
    head = ("model_type", "build_commit", "n_prompt", "n_gen", "n_threads", "samples_ns", "samples_ts", "run")
    rows = [
        ("llama 7B", "5266f24", p, g, t, round(1e9 * (p + g) / rate), rate, k)
        for p, g in ((512, 0), (0, 128))
        for t in (2, 4, 8)
        for k in (1, 2, 3)
        for rate in [noisy((1800 if p else 60) * t / 8)]
    ]
    found = seen(head, rows)
    own = roles(found)
    assert {own["samples_ns"], own["samples_ts"]} <= {"response", "derived"}
    assert (own["model_type"], own["n_threads"], own["run"]) == ("application", "parameter", "label")
    assert found.tables[0].column("samples_ts").unit == "tokens/s"


def test_what_a_job_of_benchmarkdotnet_has_by_default_is_no_machine_and_no_input() -> None:
    head = ("Method", "Job", "Server", "Arguments", "Mean", "Error", "StdDev")
    rows = [
        (m, "Core", "False", "Default", f"{noisy(90.0):.3f} ns", "2.26 ns", "3.1 ns") for m in ("Linq", "For", "Each")
    ]
    own = roles(seen(head, rows))
    assert (own["Method"], own["Server"], own["Arguments"]) == ("application", "label", "label")


def test_statistics_of_benchmarkdotnets_json_say_the_times_again() -> None:
    bounds = ("LowerFence", "ConfidenceInterval.Mean", "ConfidenceInterval.Upper", "Percentiles.P0", "Percentiles.P95")
    head = ("Method", "FullName", "Parameters", "Statistics.Mean", "Statistics.StandardDeviation")
    rows = [
        (m, f"My.{m}(N: {n})", f"N={n}", noisy(t), 0.02 * t, *(t + k for k in range(5)))
        for m in ("Md5", "Sha256")
        for n in (1000, 10000)
        for t in [n * 0.3]
        for _ in range(4)
    ]
    found = seen((*head, *(f"Statistics.{own}" for own in bounds)), rows)
    own = roles(found)
    assert (own["Statistics.Mean"], found.tables[0].column("Statistics.Mean").unit) == ("response", "ns")
    assert {own[f"Statistics.{name}"] for name in bounds} == {"derived"}


def test_iozone_measures_kilobytes_a_second() -> None:
    rows = [
        (kb, r, *(round(noisy(9e5 * k * r, 0.1)) for k in (1, 2, 4, 5))) for kb in (64, 128, 256) for r in (4, 8, 16)
    ]
    found = seen(("kB", "reclen", "write", "rewrite", "read", "reread"), rows)
    assert [c.role for c in found.tables[0].columns] == ["parameter", "parameter", *["response"] * 4]
    assert {c.unit for c in found.tables[0].columns[2:]} == {"kB/s"}


def test_hotspots_are_in_seconds_and_hardware_events_have_cycles() -> None:
    functions = [("solve", "a.out"), ("init", "a.out"), ("memcpy", "libc.so.6"), ("malloc", "libc.so.6")]
    head = ("Function", "CPU Time", "CPU Time:Spin Time", "Loads", "Module", "Source File", "Start Address")
    rows = [(f, 12.5 / 3**i, 0.5 / 2**i, 10**9 + 7**i, m, "a.c", f"0x40{i}270") for i, (f, m) in enumerate(functions)]
    found = seen(head, rows)
    assert {found.tables[0].column(n).unit for n in head[1:3]} == {"s"}
    assert [roles(found)[n] for n in ("Function", "Module", "Loads")] == ["application", "application", "counter"]
    assert not found.questions
    clocks = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC")
    head = ("Function", *(f"Hardware Event Count:{event}" for event in clocks), "Module", "Start Address")
    rows = [(f, 10**12 + 7**i, 9**i + 10**11, 5**i + 10**10, m, f"0x40{i}270") for i, (f, m) in enumerate(functions)]
    found = seen(head, rows)
    assert [roles(found)[n] for n in head[1:4]] == ["counter", "response", "derived"]
    assert found.tables[0].column(head[2]).unit == "cycles"


def test_phpbench_says_the_mode_of_a_subjects_times() -> None:
    head = (
        "benchmark",
        "subject",
        "mem_peak",
        "mode (ms)",
        "worst (ms)",
        "mean (ms)",
        "best (ms)",
        "stdev (ms)",
        "rstdev",
    )
    rows = [
        (f"Map{k % 2}", f"bench{k}", 2.4, noisy(k), k + 1.1, noisy(k), k - 0.1, 0.01, 3.2 + k) for k in (1, 2, 3, 4)
    ]
    found = roles(seen(head, rows))
    assert (found["mode"], found["mean"], found["rstdev"]) == ("response", "derived", "derived")
    assert (found["subject"], found["mem_peak"]) == ("application", "counter")


def test_each_run_of_hyperfine_is_in_seconds() -> None:
    head = ("command", "times", "user", "system", "exit_codes", "run", "threads")
    rows = [
        (f"sort -p {p}", noisy(4 / p + 0.2 * run), noisy(3.1), noisy(0.4), 0, run, p)
        for p in (1, 2, 4, 8)
        for run in (1, 2, 3)
    ]
    found = seen(head, rows)
    assert {n: roles(found)[n] for n in ("times", "user", "run")} == dict.fromkeys(("times", "user"), "response") | {
        "run": "label"
    }
    assert [found.tables[0].column(n).unit for n in ("times", "user", "system")] == ["s", "s", "s"]


def test_what_commands_set_is_split_from_the_program_where_it_tells_them_apart() -> None:
    head = ("command", "times", "user", "system", "exit_codes", "run")
    options = "--max-results {n} --time {t} pattern /home"
    rows = [
        (f"{program} {options.format(n=n, t=t)}", noisy(n * t / 90 + run % 2), noisy(3.1), noisy(0.4), 0, run)
        for program in ("fd", "find")
        for n in (1000, 2000, 4000)
        for t in (1, 5)
        for run in (1, 2, 3)
    ]
    found = roles(seen(head, rows))
    assert {found[n] for n in ("options.max-results", "options.time")} == {"parameter"}
    assert (found["command"], len(found)) == ("application", len(head) + 2)
    for commands in (("grep -r foo .", "rg foo", "ag -c 4 foo"), ("sort -p 4 < a", "sort -p 4 < b", "sort -p 8 < a")):
        others = [(own, *row[1:]) for own in commands for row in rows[:6]]
        assert len(roles(seen(head, others))) == len(head)


def test_the_means_of_pytest_benchmark_are_in_seconds_without_a_deviation() -> None:
    head = ("fullname", "params_n", "stats_mean", "stats_rounds", "stats_outliers", "stats_ld15iqr")
    rows = [
        (f"test_{name}[{n}]", n, t, 5, f"{n % 5};{n % 3}", t * 0.9)
        for name in ("zor", "qui")
        for n in (8, 16, 32, 64)
        for t in [noisy(n * 1e-3)]
    ]
    found = seen(head, [row for row in rows for _ in range(4)])
    assert [roles(found)[n] for n in ("stats_outliers", "stats_ld15iqr")] == ["label", "derived"]
    assert (roles(found)["stats_mean"], found.tables[0].column("stats_mean").unit) == ("response", "s")


def test_a_framework_is_what_ran_and_its_fastest_run_goes_with_the_average() -> None:
    head = ("framework", "requests", "average", "fastest", "slowest")
    rows = [
        (name, n, *(noisy(n * f * share) for share in (1.0, 0.8, 1.2)))
        for name, f in (("zor", 1.1), ("qui", 2.3), ("pan", 0.7))
        for n in (100, 200, 400)
    ]
    found = roles(seen(head, rows))
    assert found["framework"] == "application"
    assert (found["average"], found["fastest"], found["slowest"]) == ("response", "derived", "derived")


def test_what_a_scheduler_allocates_to_a_job_was_set() -> None:
    for allocated in ("AllocCPUS", "AllocNodes"):
        rows = [(100 + i, "lmp", n, "COMPLETED", noisy(3000 / n)) for i, n in enumerate((1, 2, 4, 8, 16, 32))]
        assert roles(seen(("JobID", "JobName", allocated, "State", "Elapsed_s"), rows))[allocated] == "parameter"
    grown = [(n, noisy(13 * n), noisy(0.3 * n)) for n in (10, 20, 40, 80, 160)]
    assert roles(seen(("width", "alloc_nodes", "time_s"), grown))["alloc_nodes"] == "counter"


def test_the_rate_of_requests_was_set_and_how_many_were_under_way_was_measured() -> None:
    head = ("duration", "request_throughput", "output_throughput", "mean_ttft_ms", "mean_tpot_ms", "request_rate")
    rows = [(noisy(300 / n), noisy(n), noisy(60 * n), noisy(50 + n), noisy(10 + n / 9), n) for n in (1, 2, 4, 8, 16)]
    assert roles(seen(head, rows))["request_rate"] == "parameter"
    told = [(*row, noisy(400 * row[-1]), noisy(row[-1] / 2)) for row in rows]
    found = roles(seen((*head, "input_throughput", "concurrency"), told))
    assert (found["request_rate"], found["concurrency"]) == ("parameter", "counter")


def test_a_trackers_names_of_runs_identify_them_unless_they_come_again() -> None:
    head = ("Name", "State", "User", "Created", "Runtime", "batch", "lr")
    rows = [
        (f"rare-ant-{i}", "finished", "me", f"2026-01-{i + 1:02}T12:00:00Z", noisy(900 / b + i % 4), b, 0.1 / (1 + i))
        for i, b in enumerate((8, 16, 32, 64) * 4)
    ]
    found = seen(head, rows)
    assert (roles(found)["Name"], roles(found)["batch"]) == ("identifier", "parameter")
    assert found.tables[0].column("Runtime").unit == "s"
    ran = [(("ppo", "dqn")[i // 4 % 2], *row[1:]) for i, row in enumerate(rows)]
    assert roles(seen(head, ran))["Name"] == "application"


def test_a_name_for_each_run_of_a_grid_names_nothing_that_ran() -> None:
    grid = [(b, rate) for b in (16, 32, 64, 128) for rate in (0.001, 0.01, 0.1)]
    rows = [(f"swift-sun-{7 + i}", noisy(700 / b + i % 5), b, rate) for i, (b, rate) in enumerate(grid)]
    found = roles(seen(("Name", "Runtime", "batch_size", "lr"), rows))
    assert found == {"Name": "identifier", "Runtime": "response", "batch_size": "parameter", "lr": "parameter"}
    shapes = [(3, 7, 2), (64, 3, 1), (128, 3, 2), (128, 3, 1), (256, 3, 2), (256, 3, 1), (512, 3, 2), (512, 1, 1)]
    layers = [(f"conv{i}", *shape, noisy(shape[0] * shape[1] ** 2)) for i, shape in enumerate(shapes)]
    assert roles(seen(("Name", "C", "K", "S", "time_ms"), layers))["Name"] == "application"


def test_reframe_says_the_variant_in_the_name_and_the_unit_beside_each_value() -> None:
    head = ("display_name", "system", "partition", "environ", "jobid", "result", "Copy_value", "Copy_unit", "Copy_ref")
    rows = [
        (f"Stream %num_threads={n}", system, "gpu", "gnu", 100 + 9 * n, "pass", noisy(k * n), "MB/s", 25200)
        for system, k in (("daint", 9e3), ("dom", 7e3))
        for n in (1, 2, 4, 8)
    ]
    found = seen(head, rows)
    assert [roles(found)[n] for n in head[:2]] == ["application", "machine"]
    assert roles(found)["num_threads"] == "parameter"
    assert (roles(found)["Copy_value"], found.tables[0].column("Copy_value").unit) == ("response", "MB/s")


def test_a_number_in_the_name_of_what_ran_was_set() -> None:
    head = ("title", "name", "unit", "batch", "elapsed", "error %", "instructions", "total")
    rows = [("sort", f"n={n}", "op", 1, noisy(n / 7e6), 0.006, noisy(29.1 * n), 0.1) for n in (10, 50, 100, 500, 1000)]
    found = seen(head, rows)
    assert {n: roles(found)[n] for n in ("name", "name n", "instructions")} == {
        "name": "label",
        "name n": "parameter",
        "instructions": "counter",
    }
    assert (found.tables[0].column("elapsed").unit, found.questions) == ("s", ())


def test_the_runs_of_nanobench_are_in_seconds_beside_their_medians() -> None:
    head = (
        *("name", "complexityN", "median(elapsed)", "medianAbsolutePercentError(elapsed)", "median(cpucycles)"),
        *("epochIterations", "elapsed", "cpucycles"),
    )
    rows = [
        (f"n={n}", n, n / 7e6, 0.01, 9.0 * n, 50 + n % 7, noisy(n / 7e6), noisy(9 * n))
        for n in (10, 100, 1000, 10000)
        for _ in range(5)
    ]
    found = seen(head, rows)
    said = {"complexityN": "parameter", "median(elapsed)": "derived", "elapsed": "response", "cpucycles": "counter"}
    assert {n: roles(found)[n] for n in said} == said
    assert (found.tables[0].column("elapsed").unit, found.questions) == ("s", ())
