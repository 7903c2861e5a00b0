"""Tables as people make them: each column is taken for what it is, with no hint."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.ingest import Mapping, Recognition, SourceFile, apply, drop, parts_of, read_table
from core.ingest.recognition.words import is_outcome
from core.trial import Import, Kind, Metric


def csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    return "\n".join(",".join(map(str, row)) for row in (head, *rows)).encode()


def seen(head: Sequence[str], rows: Sequence[Sequence[object]], given: Mapping | None = None) -> Recognition:
    return drop(parts_of([SourceFile("own.csv", csv(head, rows))], given)).recognition


def roles(found: Recognition) -> dict[str, str]:
    return {c.name: c.role for c in found.tables[0].columns}


def imported(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Import:
    return apply(read_table(SourceFile("own.csv", csv(head, rows))))


NOISE = np.random.default_rng(7)


def noisy(value: float, share: float = 0.01) -> float:
    return round(value * float(NOISE.normal(1, share)), 5)


MATMUL = [
    (m, f"arch of {m}", clock, "x86", cores, size, noisy(size**3 / clock / cores))
    for m, clock in (("lab1", 1.6), ("lab2", 2.4), ("lab3", 3.2))
    for cores in (1, 2, 4)
    for size in (100, 200, 400, 800)
]


def test_threads_that_vary_within_a_machine_are_set_and_its_facts_are_not() -> None:
    found = seen(("sys", "arch", "cpu-clock", "isa", "num-cpus", "PS", "runtime"), MATMUL)
    assert roles(found) == {
        "sys": "machine",
        "arch": "label",
        "cpu-clock": "machine_metric",
        "isa": "label",
        "num-cpus": "parameter",
        "PS": "input",
        "runtime": "response",
    }
    assert [(q.column, q.choices[:2]) for q in found.questions] == [("runtime", ("s", "ms"))]
    assert "scaling" in found.answers


def test_a_numeric_input_is_a_predictor_too() -> None:
    read = imported(("sys", "arch", "cpu-clock", "isa", "num-cpus", "PS", "runtime"), MATMUL)
    assert read.inputs is not None
    assert [(m.name, m.kind) for m in read.inputs.metrics] == [("PS", Kind.DETERMINISTIC)]
    assert dict(zip(read.inputs.keys, read.inputs.values[:, 0].tolist(), strict=True))["", "400"] == 400


def test_what_was_computed_from_an_outcome_is_derived_with_its_formula() -> None:
    rows = []
    for kernel in ("lu", "cg", "ft"):
        for core in (1000, 1500, 2000):
            for memory in (800, 1200):
                time, power = noisy(9e4 / core + 2e4 / memory), noisy(core / 20 + memory / 50)
                rows.append((kernel, core, memory, time, power, round(time * power, 4), round(5e3 / time, 3)))
    head = ("", "kernel", "coreF", "memF", "time/ms", "power/W", "energy", "GFLOP/s")
    found = seen(head, [(i, *row) for i, row in enumerate(rows)])
    assert roles(found) == {
        "kernel": "application",
        "coreF": "parameter",
        "memF": "parameter",
        "time": "response",
        "power": "response",
        "energy": "derived",
        "GFLOP/s": "derived",
    }
    table = found.tables[0]
    assert table.column("energy").formula == "time · power"
    assert table.column("GFLOP/s").formula == "a constant / time"
    assert [(table.column(n).unit, table.column(n).dimension) for n in ("time", "power")] == [
        ("ms", "time"),
        ("W", "power"),
    ]
    assert found.questions == ()
    assert "scaling" in found.answers


def test_speed_up_and_efficiency_are_derived() -> None:
    rows = []
    for app in ("bt", "sp", "mg"):
        base = float(NOISE.uniform(50, 200))
        for n in (1, 2, 4, 8, 16):
            time = base / n**0.9
            rows.append((app, n, round(time, 5), round(base / time, 5), round(100 * base / time / n, 4)))
    found = seen(("Benchmark", "ranks", "Time [s]", "Speedup", "Efficiency (%)"), rows)
    assert roles(found)["Speedup"] == roles(found)["Efficiency"] == "derived"
    assert found.tables[0].column("Speedup").formula == "a constant / Time for each Benchmark"


def test_a_counter_that_only_follows_the_time_is_no_derived_one() -> None:
    rows = [(app, n, noisy(n * k, 0.1), noisy(n * k, 0.1)) for k, app in enumerate("abcd", 1) for n in range(1, 9)]
    assert roles(seen(("app", "size", "l2_misses", "time_ms"), rows))["l2_misses"] == "counter"


def test_what_adds_up_to_the_outcome_is_no_predictor() -> None:
    rows = []
    for i, threads in enumerate((1, 2, 4, 8, 16) * 4):
        filtering, counting, merging = noisy(8 / threads, 0.1), noisy(3.0, 0.2), noisy(0.7 * threads, 0.1)
        merged = "" if i % 3 == 0 else round(merging, 5)
        total = round(filtering + counting + (merged or 0), 5)
        rows.append((threads, round(filtering, 5), round(counting, 5), merged, noisy(0.4, 0.2), total))
    found = roles(seen(("threads", "taskA", "taskB", "merge", "other", "total"), rows))
    assert found["total"] == "response"
    assert found["taskA"] == found["taskB"] == found["merge"] == "derived"
    assert found["other"] != "derived"


def test_columns_of_the_capture_are_kept_and_no_predictors() -> None:
    rows = [
        ("1.2", f"2025-06-01T12:{i:02d}:00Z", "a1b2c3d", "node3", "NVIDIA A100", k, n, i, noisy(n * 2.5), "PASS", 1e-6)
        for i, (k, n) in enumerate((k, n) for k in ("naive", "tiled") for n in (256, 512, 1024, 2048))
    ]
    head = (
        "schema_version",
        "timestamp_utc",
        "git_commit",
        "hostname",
        "gpu_name",
        "kernel",
        "matrix_size",
        "repetition",
        "time_ms",
        "correctness",
        "maximum_absolute_error",
    )
    assert roles(seen(head, rows)) == {
        "schema_version": "label",
        "timestamp_utc": "identifier",
        "git_commit": "identifier",
        "hostname": "label",
        "gpu_name": "machine",
        "kernel": "application",
        "matrix_size": "parameter",
        "repetition": "label",
        "time_ms": "response",
        "correctness": "label",
        "maximum_absolute_error": "label",
    }


TUNED = [
    (a, b, f, noisy(100 / a + b + 3 * (f == "True") + 1))
    for a in (32, 64, 128)
    for b in (1, 2, 4)
    for f in ("True", "False")
]


def test_repeats_side_by_side_become_rows() -> None:
    rows = [(*row, noisy(row[3]), noisy(row[3])) for row in TUNED]
    head = ("MWG", "NWG", "SA", "Run1 (ms)", "Run2 (ms)", "Run3 (ms)")
    assert roles(seen(head, rows))["SA"] == "parameter"
    trials = imported(head, rows).trials
    assert [(m.name, m.kind, m.unit) for m in trials.metrics][-1] == ("time", Kind.RESPONSE, "ms")
    assert (len(trials), trials.parameters) == (3 * len(rows), ("SA",))
    assert trials.values[:3, -1].tolist() == list(rows[0][3:])
    assert trials.labels["repeat"][:4] == ("1", "2", "3", "1")


def test_columns_of_times_for_sizes_become_an_input_and_that_is_asked() -> None:
    rows = [(a, b, *(round(t * s**2 / 1e4, 5) for s in (100, 200, 800))) for a, b, _, t in TUNED]
    head = ("MWG", "NWG", "T_100", "T_200", "T_800")
    found = seen(head, rows)
    asked = next(q for q in found.questions if q.about == "beside")
    assert asked.choices == ("sizes", "outcomes")
    trials = imported(head, rows).trials
    assert len(trials) == 3 * len(rows)
    assert trials.input[:3] == ("100", "200", "800")
    apart = found.answered({"T_100": "outcomes"}) if found.questions[0] is asked else found
    assert apart.mapping().beside == (() if apart is not found else found.mapping().beside)


def test_a_mean_beside_its_repeats_stands_for_them() -> None:
    rows = []
    for a, b, _, t in TUNED:
        runs = [noisy(t) for _ in range(4)]
        rows.append((a, b, round(float(np.mean(runs)), 5), min(runs), round(float(np.std(runs)), 5), *runs))
    found = roles(seen(("bx", "by", "time_ms", "run_min", "run_std", "run00", "run01", "run02", "run03"), rows))
    assert [name for name, role in found.items() if role == "response"] == ["time_ms"]
    assert {found[name] for name in ("run_min", "run_std", "run00", "run03")} == {"derived"}


def test_two_times_that_differ_are_two_outcomes() -> None:
    rows = [(k, n, noisy(n * 3.0), noisy(n * 5.0, 0.4)) for k in ("lu", "cg", "ft") for n in (1, 2, 4, 8)]
    assert roles(seen(("app", "nthreads", "wall_time", "wall_time2"), rows))["wall_time2"] == "response"


def test_a_table_of_machines_holds_facts() -> None:
    rows = [("K40", "NVIDIA", 2880, 288.0, 4291.0), ("P100", "NVIDIA", 3584, 732.0, 9300.0)]
    found = seen(("gpu_name", "vendor", "num_cores", "bandwidth", "theoretical_flops"), rows)
    assert (found.tables[0].holds, found.answers, found.problems) == ("facts", (), ())
    assert list(roles(found).values()) == ["machine", "label"] + ["machine_metric"] * 3


def test_one_row_per_machine_is_a_design_space_of_machines() -> None:
    rows = [(f"m{i}", f"m{i}_s", noisy(2.5, 0.2), 32 * (i % 3 + 1), noisy(100.0, 0.3)) for i in range(12)]
    found = seen(("arch", "arch1", "cpu-clock", "l1_size", "runtime_ms"), rows)
    assert list(roles(found).values()) == ["machine", "label", "machine_metric", "machine_metric", "response"]
    assert found.answers[0] == "design_space"


def test_names_that_spell_out_a_setting_are_labels() -> None:
    rows = [(m, f"mg.B.x_{n}", n, noisy(100 / n)) for m in ("epyc", "xeon") for n in (1, 2, 4, 8)]
    assert roles(seen(("sys", "executable", "no_of_procs", "runtime"), rows))["executable"] == "label"


def test_what_explains_repeats_that_differ_is_asked() -> None:
    factor = {1: 8, 2: 3, 3: 1.2, 4: 4}
    rows = [("conv", n, c, noisy(n * factor[c], 0.02)) for n in (100, 200, 400) for c in factor for _ in range(4)]
    found = seen(("app", "size", "conflicts", "time_us"), rows[:-4])
    asked = found.questions[0]
    assert (asked.column, asked.choices, asked.about) == ("conflicts", ("yes", "no"), "explains")
    assert found.answered({"conflicts": "yes"}).mapping().parameters == ("size", "conflicts")
    assert found.answered({"conflicts": "no"}).mapping().parameters == ("size",)


def test_one_configuration_offers_no_model() -> None:
    found = seen(("program", "time_s"), [("lu", noisy(10.0)) for _ in range(20)])
    assert (found.answers, found.tables[0].holds) == ((), "repeats")
    assert "All rows are one configuration" in found.problems[0].says


def test_missing_outcomes_and_words_among_numbers_are_told() -> None:
    rows = [("a", 1, 2.5), ("a", 2, ""), ("b", "n/a", 3.5), ("b", 4, 4.5), ("c", 5, 5.5)]
    says = [p.says for p in seen(("app", "l2_misses", "time_s"), rows).problems]
    assert "l2_misses has 1 cell that is no number, such as 'n/a': taken as missing." in says
    assert "time_s is missing in 1 row: no model learns time_s from them." in says


@pytest.mark.parametrize(
    ("header", "unit", "dimension"),
    [
        ("time/ms", "ms", "time"),
        ("Time [ms]", "ms", "time"),
        ("time_ms", "ms", "time"),
        ("t(us)", "us", "time"),
        ("power/W", "W", "power"),
        ("GB/s", "GB/s", "throughput"),
        ("gflops", "GFLOP/s", "throughput"),
        ("energy (mJ)", "mJ", "energy"),
        ("simSeconds", "s", "time"),
        ("runtime", None, "time"),
    ],
)
def test_units_of_outcomes(header: str, unit: str | None, dimension: str) -> None:
    rows = [(app, n, noisy(n * k)) for k, app in enumerate("abc", 1) for n in (1, 2, 4)]
    found = seen(("app", "threads", header), rows)
    column = found.tables[0].columns[2]
    assert (column.role, column.unit, column.dimension) == ("response", unit, dimension)
    assert bool(found.questions) == (unit is None)


def test_what_the_user_says_stands() -> None:
    given = Mapping(responses=(("l2_misses", "lines"),), labels=("size",))
    found = seen(("app", "size", "l2_misses", "note"), [(a, n, n * 3, "x") for a in "ab" for n in (1, 2, 3)], given)
    assert roles(found) == {"app": "application", "size": "label", "l2_misses": "response", "note": "label"}
    assert found.mapping().responses == (("l2_misses", "lines"),)


def test_a_ticked_switch_is_a_parameter() -> None:
    found = seen(["-O3", "time_s"], [["X" if i % 2 else "", 1 + i % 2 + noisy(0.1)] for i in range(12)])
    assert roles(found)["-O3"] == "parameter"


def test_a_rate_is_an_outcome_by_what_is_counted() -> None:
    rows = [[2 ** (i % 4), noisy(10 * (1 + i % 4)), noisy(7 * (1 + i % 3))] for i in range(16)]
    found = seen(["batch", "throughput_img_s", "MEM_BW_MBytes/s"], rows)
    units = {c.name: c.unit for c in found.tables[0].columns if c.role == "response"}
    assert units == {"throughput_img_s": "img/s", "MEM_BW_MBytes/s": "MBytes/s"}


def test_sizes_beside_each_other_need_no_word_for_time() -> None:
    rows = [[f"a{i}", *(noisy(n / 700 + i) for n in (1000, 2000, 4000))] for i in range(6)]
    found = seen(["algorithm", "n=1000", "n=2000", "n=4000"], rows)
    assert {c.role for c in found.tables[0].columns[1:]} == {"response"}
    assert any(q.about == "beside" for q in found.questions)


def test_a_kernel_that_is_the_same_in_all_rows_leaves_the_size_a_parameter() -> None:
    head = ("kernel", "matrix_size", "tile", "time_s")
    rows = [("gemm", n, tile, noisy(n**2 / tile)) for n in (512, 1024, 2048) for tile in (8, 16, 32) for _ in range(2)]
    assert roles(seen(head, rows))["matrix_size"] == "parameter"
    assert imported(head, rows).trials.metrics[0] == Metric("matrix_size", Kind.PARAMETER)
    others = [("conv", *row[1:]) for row in rows]
    assert roles(seen(head, [*rows, *others]))["matrix_size"] == "input"


def test_a_count_that_each_kernel_settles_is_no_input() -> None:
    counts = [("stencil", 4e9, 810_000), ("reduce", 2e8, 90_000)]
    rows = [
        (kernel, cores, f"{flops:.0f}", size, noisy(flops / cores))
        for kernel, flops, size in counts
        for cores in (1, 2, 4, 8)
    ]
    head = ("kernel", "cores", "flops", "bytes", "time_s")
    assert roles(seen(head, rows)) == {
        "kernel": "application",
        "cores": "parameter",
        "flops": "deterministic",
        "bytes": "deterministic",
        "time_s": "response",
    }
    assert set(imported(head, rows).trials.input) == {""}
    sizes = [(kernel, size, 4, noisy(size)) for kernel, _, _ in counts for size in (1000, 2000, 4000) for _ in range(2)]
    assert roles(seen(("kernel", "bytes", "cores", "time_s"), sizes))["bytes"] == "input"


def test_thermometers_beside_each_other_stay_columns_of_one_run() -> None:
    names = [f"Temperature C{i}" for i in (4, 5, 6, 7)]
    rows = [[f"a{i}", noisy(2 + i), *(noisy(50 + i + k, 0.02) for k in range(4))] for i in range(8)]
    trials = imported(["benchmark", "time_s", *names], rows).trials
    assert len(trials) == 8
    assert set(names) <= {m.name for m in trials.metrics}


PEOPLES = {
    "units before a statistic": (
        "Region,Threads,Runtime [s] STAT Avg,lat_us_p99\na,1,4.5,9\na,2,2.5,8\nb,1,7,5\n",
        "Runtime STAT Avg",
        ("response", "s"),
    ),
    "cells with units": (
        "name,power.draw [W],util\nTesla T4,60.5 W,3 %\nTesla T4,70.25 W,8 %\nTesla T4,65.0 W,5 %\n",
        "power.draw",
        ("response", "W"),
    ),
    "a time by its unit alone": ("M,block,ms\n1,16,2.5\n1,32,2.25\n2,16,5.5\n2,32,4.75\n", "ms", ("response", "ms")),
    "cycles of a latency": (
        "unroll,latency_cycles,clock_ns\n1,400,3.1\n2,211,3.2\n4,120,3.3\n8,77,3.4\n",
        "latency_cycles",
        ("response", "cycles"),
    ),
    "a commented header of wide blanks": (
        "# Latency Test\n# Size          Latency (us)\n1      1.25\n2      1.35\n4      1.75\n8      2.75\n",
        "Latency",
        ("response", "us"),
    ),
}


@pytest.mark.parametrize("what", PEOPLES)
def test_forms_in_which_people_write_outcomes(what: str) -> None:
    text, name, expected = PEOPLES[what]
    column = drop(parts_of([SourceFile("own.txt", text.encode())])).recognition.tables[0].column(name)
    assert (column.role, column.unit) == expected


def test_a_computer_is_the_machine_and_its_processor_a_fact() -> None:
    machines = [("vm1", "Xeon A", 8, 0.3), ("vm2", "Xeon A", 16, 0.6), ("vm3", "EPYC B", 8, 0.4)]
    rows = [(*m, b, noisy(9 + i)) for i, m in enumerate(machines) for b in ("zip", "ssl", "js")]
    found = seen(("instance_type", "cpu_model", "vcpus", "price", "benchmark", "runtime_s"), rows)
    assert roles(found) == {
        "instance_type": "machine",
        "cpu_model": "label",
        "vcpus": "machine_metric",
        "price": "machine_metric",
        "benchmark": "application",
        "runtime_s": "response",
    }


def test_a_system_of_particles_is_no_machine() -> None:
    rows = [(s, n, r, noisy(n / r)) for s, n in (("lj", 32000), ("eam", 64000), ("rhodo", 48000)) for r in (1, 2, 4, 8)]
    found = roles(seen(("system", "atoms", "mpi", "loop_time_s"), rows))
    assert (found["system"], found["mpi"], found["loop_time_s"]) == ("application", "parameter", "response")


@pytest.mark.parametrize("stem", ["counter_{}", "x{}"])
def test_many_numbers_without_levels_were_counted(stem: str) -> None:
    names = [stem.format(i) for i in range(20)]
    rows = [
        f"k{i % 3}," + ",".join(str(7 * i * (j + 3) + i % 5 + j) for j in range(20)) + f",{i + 1.5}" for i in range(40)
    ]
    file = SourceFile("t.csv", "\n".join([f"app,{','.join(names)},time_ms", *rows]).encode())
    found = drop(parts_of([file])).recognition
    assert {c.role for c in found.tables[0].columns if c.name in names} <= {"counter", "derived"}
    assert not found.questions


def test_iterations_of_a_solver_are_work_and_those_of_a_timer_are_repeats() -> None:
    solved = [
        (
            solver,
            size,
            ranks,
            tolerance,
            steps := round(size**0.5 * -np.log10(tolerance) * (1 + 0.03 * ranks)),
            size * steps / ranks / 1e6,
        )
        for solver in ("cg", "gmres")
        for size in (1_000, 8_000, 64_000)
        for ranks in (1, 2, 4, 8)
        for tolerance in (1e-4, 1e-8)
    ]
    found = roles(seen(("solver", "grid_pts", "ranks", "tolerance", "iterations", "wall (s)"), solved))
    assert (found["tolerance"], found["iterations"]) in (("parameter", "counter"), ("parameter", "parameter"))
    timed = [(f"case{i}", round(3e9 / took), took) for i, took in enumerate((1.5, 4.0, 9.0, 30.0, 70.0))]
    assert roles(seen(("name", "iterations", "real_time_ns"), timed))["iterations"] == "label"
    counted = [(f"case{i}", run, 10.0 * i + run) for i in range(4) for run in (1, 2, 3)]
    assert roles(seen(("name", "iteration", "time_ms"), counted))["iteration"] == "label"


def test_headers_of_published_programs() -> None:
    """As programs write them that others published: what is set, what is measured and what follows from it."""
    sweep = [
        (threads, 812.0 / threads**0.9, threads**0.9, int(1e4 * threads**0.9 / 0.812)) for threads in (1, 2, 4, 8, 16)
    ]
    found = seen(("threads", "time_ms", "speedup", "qps"), sweep)
    assert roles(found) == {"threads": "parameter", "time_ms": "response", "speedup": "derived", "qps": "derived"}
    assert {c.name: c.unit for c in found.tables[0].columns}["qps"] == "queries/s"
    heat = [
        (implementation, size, size, steps, threads, noisy(size * size * steps * slow / 1e6 / threads, 0.03))
        for implementation, slow in (("java", 3), ("cpp", 2))
        for size in (128, 512, 2048)
        for steps in (100, 500)
        for threads in (1, 2, 4, 8)
    ]
    found = seen(("implementation", "rows", "cols", "iterations", "threads", "time_ms"), heat)
    assert roles(found)["iterations"] == "parameter"
    search = [
        (version, order, threads, noisy(3**order / threads), round(noisy(3**order, 0.2)))
        for version in ("seq", "omp", "mpi")
        for order in (8, 9, 10, 11)
        for threads in (1, 2, 4)
    ]
    found = seen(("version", "order", "threads", "time_ms", "nodes_explored"), search)
    assert (roles(found)["version"], roles(found)["nodes_explored"]) == ("parameter", "counter")
    apart = [(n, t, noisy(n**3 / 1e6 / t), noisy(n**3 / 9e6 / t)) for n in (100, 200, 400, 800) for t in (1, 2, 4)]
    found = seen(("problem_size", "n_threads", "base_dur", "mkl_dur"), apart)
    assert [roles(found)[name] for name in ("base_dur", "mkl_dur")] == ["response", "response"]
    assert {(q.column, q.choices[0]) for q in found.questions} >= {("base_dur", "s"), ("mkl_dur", "s")}


def test_where_no_column_is_named_like_an_outcome_it_is_asked_which_one_is() -> None:
    rows = [(1_048_576 + i * 65_792, 256, noisy(0.2 + 0.01 * i), noisy(3 + 0.2 * i)) for i in range(40)]
    found = seen(("data_size", "block_size", "gpu", "cpu"), rows)
    assert "response" not in roles(found).values()
    (asked,) = found.questions
    assert (asked.column, asked.choices) == ("outcome", ("none", "cpu", "gpu"))
    assert roles(found.answered({"outcome": "gpu"}))["gpu"] == "response"
    assert roles(found.answered({"outcome": "none"})) == roles(found)


@pytest.mark.parametrize(("more", "answers"), [((), ()), (("loads",), ("counters",))])
def test_names_and_times_alone_are_told_what_is_missing(more: tuple[str, ...], answers: tuple[str, ...]) -> None:
    rows = [(f"app{i}", 1.5 + i % 7, *(i * i + 3 for _ in more)) for i in range(30)]
    found = seen(("application", "time_s", *more), rows)
    assert found.answers == answers
    assert any("there are only names" in problem.says for problem in found.problems) is not bool(answers)
    assert any(problem.undescribed for problem in found.problems) is not bool(answers)


def units(found: Recognition) -> dict[str, str | None]:
    return {c.name: c.unit for c in found.tables[0].columns}


def asks(found: Recognition) -> list[str]:
    return [question.asks for question in found.questions]


def test_times_that_only_begin_so() -> None:
    rows = [(n, noisy(n / 7), noisy(n / 5), step) for n in (100, 200, 400, 800) for step in (0.1, 0.2)]
    found = seen(("grid", "time_solve", "t_wall", "time_step"), rows)
    assert [roles(found)[n] for n in ("time_solve", "t_wall")] == ["response", "response"]
    assert roles(found)["time_step"] == "parameter"
    assert all("lower is" in text for text in asks(found))
    spanish = seen(("N", "Tiempo_segundos"), [(n, noisy(n / 7)) for n in (100, 200, 400, 800)])
    assert (roles(spanish)["Tiempo_segundos"], units(spanish)["Tiempo_segundos"]) == ("response", "s")
    walls = seen(("N", "Total Wall"), [(n, noisy(n / 7)) for n in (100, 200, 400, 800)])
    assert "lower is taken as better" in asks(walls)[0]


def test_seconds_in_names_that_others_explain() -> None:
    rows = [(n, noisy(n / 9), noisy(n / 20), noisy(n / 19), 1.5) for n in (100, 200, 400, 800, 1600, 3200)]
    found = seen(("n", "serial_s", "omp_s", "omp_mean_s", "omp_spread_pct"), rows)
    assert [units(found)[n] for n in ("serial_s", "omp_s")] == ["s", "s"]
    assert roles(found)["omp_mean_s"] == "derived"
    assert roles(found)["serial_s"] == roles(found)["omp_s"] == "response"
    assert units(seen(("n", "reads_s", "writes_s", "util_pct"), [r[:4] for r in rows]))["reads_s"] == "reads/s"
    assert units(seen(("n", "rd_s", "wr_s", "util_pct"), [r[:4] for r in rows]))["rd_s"] is None
    assert units(seen(("n", "tokens_s", "time_s"), [r[:3] for r in rows]))["tokens_s"] != "s"


def test_statistics_of_a_timer_that_says_no_unit() -> None:
    head = ("command", "mean", "stddev", "median", "user", "system", "min", "max")
    rows = [(f"tool{i} -r", t, t / 50, t * 0.99, t * 1.4, t * 0.3, t * 0.97, t * 1.2) for i, t in enumerate((5.5, 8.4))]
    found = seen(head, rows)
    assert not found.questions
    assert (roles(found)["mean"], units(found)["mean"]) == ("response", "s")
    spread = seen(("sets", "AverageTime", "StandardDeviation"), [(10**i, noisy(10**i), 0.1 * i) for i in range(1, 7)])
    assert roles(spread)["StandardDeviation"] == "derived"


def test_a_speed_up_alone_is_the_outcome() -> None:
    rows = [(t, round(t**0.9, 3), round(t**-0.1, 4)) for t in (2, 4, 8, 16, 32, 64)]
    found = seen(("threads", "speedup", "efficiency"), rows)
    assert roles(found) == {"threads": "parameter", "speedup": "response", "efficiency": "derived"}
    assert not found.questions
    ratio = seen(
        ("n", "time_ms", "dual_ms", "overhead_ratio"),
        [(n, n / 7, n / 8 + 1, 0.9 + n / 999) for n in (1, 5, 10, 50, 100)],
    )
    assert roles(ratio)["overhead_ratio"] == "derived"


def test_settings_of_which_some_rows_have_none() -> None:
    rows = [("seq", "-", 9.0), *((f"{k}-omp", t, noisy(9 / t)) for k in ("csr", "ell") for t in (1, 2, 4, 8))]
    found = seen(("kernel", "threads", "time_ms"), rows)
    assert roles(found)["threads"] == "parameter"
    failed = seen(("n", "time_ms"), [(1, 2.5), (2, 3.5), (4, "FAIL"), (8, 9.0), (16, "x")])
    assert not failed.problems[0].undescribed
    assert failed.problems[0].says == "time_ms has 2 cells that are no numbers, such as 'FAIL': taken as missing."
    assert len(imported(("n", "time_ms"), [(1, 2.5), (2, 3.5), (4, "FAIL"), (8, 9.0)]).trials) == 4


def test_rows_that_nothing_tells_apart() -> None:
    (repeats,) = seen(("time_ms",), [(noisy(5),) for _ in range(8)]).problems
    assert repeats.undescribed
    assert repeats.says.startswith("All rows are one configuration")
    (nameless,) = seen(("test", "time_ms"), [(1, 2.5), (2, 40.0), (3, 900.0)]).problems
    assert nameless.undescribed
    assert nameless.says.startswith("The rows differ by more than repeats do")


def test_a_time_that_was_set_is_not_what_is_asked_for() -> None:
    rows = [(t, noisy(60), noisy(1e6 * t)) for t in (1, 2, 4, 8, 16, 32)]
    first = next(
        m for m in imported(("threads", "duration_s", "throughput"), rows).trials.metrics if m.kind is Kind.RESPONSE
    )
    assert first.name == "throughput"
    rounds = seen(("name", "cycles", "hz"), [(f"test{i}", 1 + i % 4, noisy(10.0 ** (i % 6))) for i in range(24)])
    assert (roles(rounds)["cycles"], roles(rounds)["hz"]) == ("counter", "response")


@pytest.mark.parametrize("head", ["{} Threads", "threads_{}", "{} cores (ms)", "core{}"])
def test_a_column_for_each_number_of_threads(head: str) -> None:
    rows = [(n, *(round(n**2 / t**0.9) for t in (1, 2, 4, 8))) for n in (128, 256, 512, 1024)]
    named = ("Matrix Size", *(head.format(t) for t in (1, 2, 4, 8)))
    (asked, *_) = seen(named, rows).questions
    setting = asked.choices[0]
    assert setting.lower() in ("threads", "cores", "core")
    trials = imported(named, rows).trials
    metrics = {m.name: (i, m.kind) for i, m in enumerate(trials.metrics)}
    assert (metrics["time"][1], metrics[setting][1], len(trials)) == (Kind.RESPONSE, Kind.PARAMETER, 16)
    assert trials.values[:4, metrics[setting][0]].tolist() == [1, 2, 4, 8]
    apart = seen(named, rows).answered({asked.column: "outcomes"})
    assert not apart.tables[0].given.beside
    gapless = seen(("n", "core1", "core2", "core3", "core4"), rows)
    assert not any(q.about == "beside" for q in gapless.questions)


def test_a_column_of_speed_ups_for_each_number_of_threads() -> None:
    rows = [(n, 1.0, noisy(1.9), noisy(3.6), noisy(6.5)) for n in (128, 256, 512, 1024)]
    found = seen(("n", "core1", "core2", "core4", "core8"), rows)
    assert {q.about for q in found.questions} == {"beside"}
    assert [b.response for b in found.tables[0].given.beside] == ["speedup"]
    assert not found.problems


def test_words_that_are_parts_of_others() -> None:
    rows = [(n, noisy(n / 7), noisy(n / 90)) for n in (1e3, 1e4, 1e5)]
    found = seen(("records", "generate_time_sec", "sort_time_sec"), rows)
    assert [units(found)[n] for n in ("generate_time_sec", "sort_time_sec")] == ["s", "s"]
    assert units(seen(("n", "data_rate_frames_s"), [r[:2] for r in rows]))["data_rate_frames_s"] == "frames/s"
    assert units(seen(("n", "throughput_mb_s"), [r[:2] for r in rows]))["throughput_mb_s"] == "MB/s"
    mounts = [(o, f"/mnt/{t}", i, noisy(5)) for o in ("read", "write") for t in ("luks", "plain") for i in (1, 2, 3)]
    assert roles(seen(("operation", "target", "iteration", "time_s"), mounts))["target"] == "parameter"


def test_words_among_the_numbers_of_a_setting() -> None:
    rows = [(t, c, noisy(40 / t)) for t in (1, 2, 4, 8) for c in ("default", "16", "32", "64")]
    found = seen(("threads", "chunk", "total"), rows)
    assert roles(found) == {"threads": "parameter", "chunk": "parameter", "total": "response"}
    assert not found.problems
    assert len(imported(("threads", "chunk", "total"), rows).trials) == 16


def test_extents_are_set_and_their_text_is_a_label() -> None:
    sides, blocks = (64, 128, 256), ("16x16", "32x8")
    rows = [(k, f"{n}x{n}", b, noisy(n * n)) for k in ("heat", "wave") for n in sides for b in blocks]
    found = roles(seen(("kernel", "grid", "block", "time_us"), rows))
    assert [found[name] for name in ("grid 1", "block 1", "block 2")] == ["parameter"] * 3
    assert (found["grid"], found["block"], found["grid 2"]) == ("label", "label", "label")


def test_microseconds_alone_are_a_time_but_beside_those_of_the_system_a_share() -> None:
    alone = [(f"m{i}.mtx", 1000 * i, noisy(3.0 * i), noisy(5.0 + i % 3)) for i in range(1, 9)]
    assert roles(seen(("path", "nnz", "us", "GFLOPS"), alone))["us"] == "response"
    beside = [(i, noisy(9 / i), noisy(7.5 * i), noisy(1.25 * i)) for i in range(1, 9)]
    assert roles(seen(("threads", "time_s", "us", "sy"), beside))["us"] == "counter"


@pytest.mark.parametrize("cell", ["-", ""])
def test_an_efficiency_beside_a_speed_up_is_no_predictor(cell: str) -> None:
    rows = [("OpenMP", t, f"{80 / t**0.9:.1f}", f"{t**0.9:.1f}", f"{100 * t**-0.1:.0f}") for t in (1, 2, 4, 8)]
    found = roles(seen(("how", "threads", "time_ms", "Speedup", "Efficiency_%"), [("serial", 1, 80, 1, cell), *rows]))
    assert (found["Speedup"], found["Efficiency_%"]) == ("derived", "derived")


def test_an_efficiency_of_what_was_counted_is_a_counter() -> None:
    head = ("threads", "time_ms", "cache_efficiency", "warp_execution_efficiency")
    found = roles(seen(head, [(t, noisy(80 / t), noisy(t**2 % 7 + 1), noisy(3 * t % 5 + 1)) for t in range(1, 9)]))
    assert [found[name] for name in head[2:]] == ["counter", "counter"]


def test_a_number_of_machines_in_letters_is_their_name() -> None:
    hosts = [(m, n, noisy(n * i)) for i, m in enumerate(("ip-172-31-41", "ip-172-31-9"), 1) for n in (1, 2, 4)]
    assert roles(seen(("machine_id", "size", "time_ms"), hosts))["machine_id"] == "machine"
    devices = [(g, n, noisy(n * (g + 1))) for g in (0, 1) for n in (1, 2, 4)]
    assert roles(seen(("gpu_id", "size", "time_ms"), devices))["gpu_id"] == "identifier"


def test_a_name_that_spells_out_two_texts_is_none_and_they_were_set() -> None:
    rows = [
        (f"{m}-{q}", m, q, noisy(1000.0)) for m in ("gemma-2B", "llama-3B", "qwen-1.5B") for q in ("Q4_K_M", "Q8_0")
    ]
    found = roles(seen(("model", "family", "quant", "energy_total_j"), rows))
    assert found == {"model": "label", "family": "parameter", "quant": "parameter", "energy_total_j": "response"}


def test_what_ran_is_no_name_that_is_the_same_in_every_row() -> None:
    rows = [(n, s, "stream.cuda.Native", noisy(s / 7)) for n in ("copy", "add", "triad") for s in (1024, 4096, 65536)]
    found = roles(seen(("name", "array-size", "benchmark-name", "time_us"), rows))
    assert (found["name"], found["benchmark-name"]) == ("application", "label")


def test_what_is_computed_from_the_seventh_outcome_is_derived() -> None:
    heads = ("latency_s", "ttft_s", "prefill_tokens_per_second", "power_watts", "energy_joules")
    rows = []
    for i in range(12):
        own = [noisy(v, 0.2) for v in (1.0, 0.1, 900.0, 90.0, 4000.0)]
        rows.append((f"m{i % 3}", tokens := 100 * i + 165, *own, own[4] / tokens, tokens / own[4]))
    found = roles(seen(("model", "output_tokens", *heads, "joules_per_output_token", "tokens_per_joule"), rows))
    assert (found["joules_per_output_token"], found["tokens_per_joule"]) == ("derived", "derived")


def test_a_temperature_with_few_values_was_measured_but_one_that_is_swept_was_set() -> None:
    degrees = (61, 61, 62, 62, 61, 63, 63, 62, 63, 61, 62, 63)
    rows = [(2 ** (i % 4), noisy(9 / 2 ** (i % 4)), t) for i, t in enumerate(degrees)]
    assert roles(seen(("threads", "time_s", "start_temperature_c"), rows))["start_temperature_c"] == "counter"
    swept = [(t, noisy(9 / t), c) for t in (1, 2, 4, 8) for c in (25, 55, 85)]
    assert roles(seen(("threads", "time_s", "ambient_temperature_c"), swept))["ambient_temperature_c"] == "parameter"


VARIANTS = ("serial", "blocked_serial", "blocked_omp", "cache_opt", "zmorton")
SWEEP = [(n, b, t) for n in (256, 512, 1024) for b in (16, 64) for t in (1, 4)]


def test_a_column_for_each_variant_stands_beside_settings() -> None:
    rows = [(*own, *(noisy(own[0] ** 3 * 1e-6 / (k + 1), 0.1) for k in range(5))) for own in SWEEP]
    found = seen(("matrix_size", "block_size", "threads", *VARIANTS), rows)
    assert {roles(found)[name] for name in VARIANTS} == {"response"}
    assert {roles(found)[name] for name in ("matrix_size", "block_size", "threads")} == {"parameter"}
    assert found.questions[0].asks.startswith("Are serial to zmorton one outcome for 5 variants")


def test_fractions_that_never_repeat_beside_a_sweep_were_measured() -> None:
    rows = [(*own, "a", noisy(0.3, 0.5), noisy(40.0, 0.5), noisy(9.0)) for own in SWEEP]
    found = roles(seen(("nx", "ranks", "gpus", "what", "mpi_topo", "placement", "time_s"), rows))
    assert (found["mpi_topo"], found["placement"]) == ("counter", "counter")
    drawn = [(noisy(4.0, 0.3), noisy(0.5, 0.3), noisy(9.0)) for _ in range(12)]
    assert roles(seen(("vector_width", "queue_depth", "time_s"), drawn))["queue_depth"] == "parameter"


def test_phases_called_like_outcomes_are_parts_of_the_whole() -> None:
    names = ("t_total_s", "t_hist", "t_comm_sizes", "t_comm_payload", "t_join")
    parts = [[noisy(9 / own[2], 0.2) for _ in range(4)] for own in SWEEP]
    found = roles(seen(("ranks", *names), [(2**i, sum(own), *own) for i, own in enumerate(parts)]))
    assert [found[name] for name in names] == ["response", *["derived"] * 4]


def test_the_time_of_a_warm_up_and_where_results_are_kept_predict_nothing() -> None:
    rows = [(*own, noisy(own[0]), noisy(own[0]), f"runs/{i // 4}") for i, own in enumerate(SWEEP)]
    found = roles(seen(("n", "block", "threads", "median_seconds", "warmup_seconds", "run_dir"), rows))
    assert (found["median_seconds"], found["warmup_seconds"], found["run_dir"]) == ("response", "label", "identifier")


def test_a_kernel_that_is_a_release_of_the_system_is_no_application() -> None:
    releases = ("6.19.4-061904-generic", "6.17.0-14-generic")
    rows = [(k, m, q, noisy(60 / i)) for k in releases for i, m in enumerate(("a-3B", "b-8B"), 1) for q in ("Q4", "Q8")]
    found = roles(seen(("kernel", "model", "quant", "tg_tps"), rows))
    assert (found["kernel"], found["model"]) == ("parameter", "application")
    named = [(k, m, n, noisy(n / i)) for i, k in enumerate(("dot8", "gemm v1.2"), 1) for m in "ab" for n in (1, 2, 4)]
    assert roles(seen(("kernel", "machine", "n", "time_ms"), named))["kernel"] == "application"


def test_tps_counts_tokens_where_the_table_speaks_of_these() -> None:
    rows = [(m, n, noisy(60 / n)) for m in ("a", "b", "c") for n in (1, 2, 4)]
    assert {c.name: c.unit for c in seen(("model", "prompt_tokens", "tps"), rows).tables[0].columns}[
        "tps"
    ] == "tokens/s"
    assert {c.name: c.unit for c in seen(("engine", "clients", "tps"), rows).tables[0].columns}[
        "tps"
    ] == "transactions/s"


@pytest.mark.parametrize(("names", "work"), [("m n", "m · n"), ("m n k", "m · n · k")])
def test_a_rate_of_the_product_of_sizes_is_computed_from_the_time(names: str, work: str) -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(20, 4000, (20, len(names.split())))
    times = sizes.prod(axis=1) / rng.uniform(2, 9, 20)
    rows = [(*own, f"{t:.8g}", f"{2e-3 * own.prod() / t:.6g}") for own, t in zip(sizes, times, strict=True)]
    found = {c.name: c for c in seen((*names.split(), "time_us", "gflops"), rows).tables[0].columns}
    assert (found["gflops"].role, found["gflops"].formula) == ("derived", f"{work} / time_us")


def test_an_outcome_that_few_rows_have_is_not_the_first() -> None:
    rows = [(n, "None" if i % 5 else noisy(9.0), noisy(3.0 * n)) for i, n in enumerate([1, 2, 4, 8] * 4)]
    read = imported(("batch", "latency_s", "throughput"), rows)
    assert [m.name for m in read.trials.metrics if m.kind is Kind.RESPONSE] == ["throughput", "latency_s"]


def test_a_share_of_the_peak_whose_digits_are_few_is_computed_from_the_rate() -> None:
    work = (55e10, 30e10, 1.1e10, 98e10, 28e10, 224e10, 439e10, 8.6, 55e10, 41e10)
    taken = [0.77, 3.1, 0.46, 15.0, 1.26, 23.1, 16.7, 7.9, 3.12, 192.0]
    rates = [w / t / 1e9 for w, t in zip(work, taken, strict=True)]
    rows = [
        (f"k{i % 5}", t, w, f"{r:.2f}", f"{r / 9.18:.1f}")
        for i, (t, w, r) in enumerate(zip(taken, work, rates, strict=True))
    ]
    found = roles(seen(("workload", "mean_ms", "xla_flops", "tflops", "utilization_pct"), rows))
    assert (found["tflops"], found["utilization_pct"]) == ("derived", "derived")


def test_parts_of_two_totals_are_told_apart() -> None:
    parts = np.random.default_rng(5).uniform(1, 9, (20, 2, 3))
    totals = parts.sum(axis=2)
    rows = [(i // 4, 2 ** (i % 4), *parts[i].ravel().round(4), *totals[i].round(4)) for i in range(20)]
    names = [f"{how}_{what}_ms" for how in ("seq", "par") for what in ("prep", "sort", "sim")]
    columns = seen(("docs", "threads", *names, "seq_total_ms", "par_total_ms"), rows).tables[0].columns
    found = {c.name: c.formula for c in columns}
    assert [found[n] for n in names] == ["part of seq_total_ms"] * 3 + ["part of par_total_ms"] * 3


@pytest.mark.parametrize("same", [True, False])
def test_systems_on_the_same_hardware_are_what_ran(same: bool) -> None:
    rows = [
        (s, "AMD Ryzen 7 8845HS" if same else f"Intel Xeon {i}", t, n, noisy(n / (i + 1)))
        for i, s in enumerate(("spark", "duckdb"))
        for t in ("join", "scan")
        for n in (1, 2, 4)
    ]
    found = roles(seen(("system", "cpu_model", "task", "rows", "time_s"), rows))
    assert (found["system"], found["cpu_model"]) == (("application", "machine") if same else ("machine", "label"))


def test_phases_of_few_runs_that_add_up_to_a_time_beside_its_rate_are_parts() -> None:
    phases = np.random.default_rng(2).uniform(0.01, 3, (8, 6)).round(6)
    rows = [(2**i, *own, f"{own.sum():.6f}", f"{1e8 / own.sum():.9g}") for i, own in enumerate(phases)]
    names = ("density", "fft", "potential", "forces", "kick", "drift")
    found = roles(seen(("cpus_per_task", *names, "total", "throughput"), rows))
    assert {found[n] for n in names} == {"derived"}


def test_extents_that_stand_in_columns_of_their_own_are_labels() -> None:
    sizes = [(m, n, k) for m in (32, 4096) for n in (1, 8, 32) for k in (64, 4096)]
    rows = [(f"{m}×{n}×{k}", m, n, k, noisy(m * n * k / 1e6)) for m, n, k in sizes]
    found = roles(seen(("shape", "M", "N", "K", "auto_ms"), rows))
    assert {name for name, role in found.items() if role == "label"} == {"shape", "shape 1", "shape 2", "shape 3"}


def test_a_hash_function_is_what_was_varied_and_a_digest_an_identifier() -> None:
    rows = [(h, r, noisy(i + j)) for i, h in enumerate(("mult64", "xxh3", "city64"), 1) for j, r in enumerate("abcd")]
    assert roles(seen(("hash", "reducer", "ns_per_key"), rows))["hash"] == "parameter"
    digests = [(f"{i:040x}", n, noisy(n)) for i, n in enumerate((1, 2, 4, 8, 16, 32))]
    assert roles(seen(("hash", "n", "time_s"), digests))["hash"] == "identifier"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("zone-cycles/cpu_second", "zone-cycles/s"),
        ("updates/sec", "updates/s"),
        ("mean_stream_tok_s", "tokens/s"),
        ("per_user_tok_s", "tokens/s"),
    ],
)
def test_rates_by_the_ends_of_their_names(name: str, unit: str) -> None:
    found = {
        c.name: c
        for c in seen(("ranks", name, "wall_s"), [(2**i, noisy(3.0 + i), noisy(9.0)) for i in range(8)])
        .tables[0]
        .columns
    }
    assert (found[name].role, found[name].unit) == ("response", unit)


def test_a_text_that_stands_twice_counts_once() -> None:
    rows = [
        (c, c, v, noisy(n / (1 + i))) for n, c in ((20, "a/20"), (40, "a/40"), (80, "a/80")) for i, v in enumerate("xy")
    ]
    found = roles(seen(("case_short", "case_long", "strategy", "time_ms"), rows))
    assert (found["case_short"], found["case_long"]) == ("parameter", "label")
    named = roles(seen(("name", "gpu", "n", "time_ms"), [(g, g, n, noisy(n)) for g in ("A", "B") for n in (1, 2, 4)]))
    assert named["gpu"] == "machine"


def test_percentiles_are_statistics_and_the_outcome_where_nothing_else_is() -> None:
    rows = [
        (f"/{page}", users, users * 9, i % 2, k, k + 1, 1.3 * k, 2 * k)
        for i, page in enumerate("abcd", 1)
        for users in (10, 20, 50)
        for k in [noisy(i * users, 0.1)]
    ]
    head = ("Name", "Users", "Requests", "Failures", "Median Response Time", "Average Response Time", "50%", "99.9%")
    found = roles(seen(head, rows))
    assert found["Average Response Time"] == "response"
    assert found["50%"] == found["99.9%"] == "derived"
    assert found["Failures"] == "label"
    alone = seen((*head[:4], "p50", "p99"), [(*row[:4], *row[6:]) for row in rows])
    assert [roles(alone)[n] for n in ("p50", "p99")] == ["response", "derived"]
    assert "lower is taken as better" in alone.questions[0].asks
    assert not is_outcome("Failures/s", "Failures/s")
    assert is_outcome("Requests/s", "Requests/s")


def test_throughputs_by_their_short_names_and_slacks_are_outcomes() -> None:
    rows = [(n, batch, noisy(n * batch), noisy(9 / n)) for n in (1, 2, 4, 8) for batch in (16, 32, 64)]
    assert roles(seen(("hilos", "batch", "output_tput", "ttft_ms"), rows))["output_tput"] == "response"
    slack = seen(
        ("period", "tile", "WNS", "fmax_mhz"), [(n, b, round(n - 0.01 * b - 1.13, 2), y) for n, b, y, _ in rows]
    )
    assert roles(slack)["WNS"] == "response"
    assert [q.asks for q in slack.questions] == [
        "What is the unit of WNS? Until you answer, higher is taken as better."
    ]
    times = seen(("hilos", "n", "tiempo_s", "efficiency_total"), [(*row[:3], noisy(0.8, 0.1)) for row in rows])
    assert roles(times)["efficiency_total"] == "derived"


def test_seq_that_counts_from_0_on_numbers_rows() -> None:
    rows = [(size, i, noisy(size)) for i, size in enumerate((64, 512, 1500, 9000) * 4)]
    assert roles(seen(("size", "seq", "rtt_ms"), rows))["seq"] == "identifier"
    times = [(size, noisy(size), noisy(size / 4)) for size, *_ in rows]
    assert roles(seen(("size", "seq", "par"), times))["seq"] != "identifier"


def test_a_count_that_grows_by_one_factor_in_each_repeat_was_set() -> None:
    rows = [[i, 10**k, noisy(3 + 10**k)] for i in (1, 2, 3) for k in (1, 2, 3, 4)]
    head = ("Iteration", "Loop_Count", "time_ms")
    assert roles(seen(head, rows))["Loop_Count"] == "parameter"
    assert roles(seen(head, rows[:-1]))["Loop_Count"] == "counter"


def test_a_heading_that_says_what_a_text_says_is_a_label() -> None:
    rows = [[f"Database: {d}", d, size, noisy(t)] for d, t in (("pg", 2.5), ("duck", 0.7)) for size in ("a", "b", "c")]
    found = seen(("heading", "database", "dataset", "total_time"), [*rows, ["Database: pg", "pg", "d", 2.4]])
    assert roles(found) == {"heading": "label", "database": "parameter", "dataset": "input", "total_time": "response"}


def test_variants_are_called_by_what_their_names_have_in_common() -> None:
    rows = [[n, noisy(n / 3), noisy(n / 9), noisy(n / 50)] for n in (100, 200, 400, 800)]
    found = seen(("n", "Avg time for CPU", "Avg time for OpenMP", "Avg time for GPU"), rows)
    assert [side.response for side in found.tables[0].given.beside] == ["Avg time"]


@pytest.mark.parametrize(("power", "called"), [(3, "time"), (-1, "value")])
def test_variants_of_which_the_plain_one_has_the_largest_numbers_have_times(power: int, called: str) -> None:
    rows = [[n, noisy(n**3 / 1e6), noisy(n**3 / 1e6 / 2.5**power), noisy(n**3 / 1e6 / 3**power)] for n in (64, 96, 128)]
    found = seen(("N", "Serial", "OpenMP", "CUDA"), rows)
    assert [side.response for side in found.tables[0].given.beside] == [called]
    assert roles(found)["N"] == "parameter"


def test_levels_of_optimisation_are_variants_of_a_time() -> None:
    rows = [
        [name, *(noisy(t / s) for s in (1, 1.7, 2.2, 2.5))] for name, t in (("fft", 3.1), ("lu", 8.2), ("mm", 20.0))
    ]
    found = seen(("benchmark", "O0", "O1", "O2", "Ofast"), rows)
    assert [side.response for side in found.tables[0].given.beside] == ["time"]
    assert roles(found)["benchmark"] == "application"


def test_what_grows_under_a_header_of_numbers_is_a_time_and_under_threads_a_throughput() -> None:
    rows = [
        [name, *(noisy(k * n) for n in (1, 10, 100))] for name, k in (("quick", 2.0), ("merge", 3.0), ("heap", 4.0))
    ]
    for corner, called in (("Algorithm", "time"), ("Algorithm/threads", "throughput")):
        found = seen((corner, "1", "10", "100"), rows)
        assert [side.response for side in found.tables[0].given.beside] == [called]


def test_columns_of_languages_are_variants_whatever_else_c_is_called() -> None:
    rows = [(n, noisy(n**3 / 1e9), noisy(n**3 / 2e7), noisy(n**3 / 6e8)) for n in (64, 128, 256, 512, 1024)]
    found = seen(("N", "C", "Python", "Java"), rows)
    assert roles(found) == {"N": "parameter", **dict.fromkeys(("C", "Python", "Java"), "response")}
    assert found.questions[0].choices == ("variants", "outcomes")


def test_before_and_after_are_readings_beside_an_outcome_and_variants_alone() -> None:
    rows = [
        (name, n, noisy(n * k, 0.05), noisy(n * k * 0.8, 0.05))
        for name, k in (("a", 1.1), ("b", 0.7))
        for n in (3, 30, 300)
    ]
    assert roles(seen(("kernel", "n", "before", "after"), rows))["before"] == "response"
    beside = [(*row, noisy(row[1] * 3)) for row in rows]
    assert roles(seen(("kernel", "n", "before", "after", "energy_j"), beside))["before"] == "label"


def test_a_meter_s_clock_is_no_setting_and_what_stands_beside_it_was_measured() -> None:
    rows = [
        (mode, 10 * i, noisy(watts, 0.1), int(noisy(rpm, 0.05)), 1200 + 200 * (i > 4))
        for mode, watts, rpm in (("quiet", 11, 1900), ("fast", 42, 3800))
        for i in range(12)
    ]
    found = roles(seen(("mode", "elapsed_s", "power_w", "fan", "sm_clock_mhz"), rows))
    assert (found["elapsed_s"], found["power_w"], found["fan"]) == ("label", "response", "counter")
    assert (found["mode"], found["sm_clock_mhz"]) == ("parameter", "parameter")


def test_phases_on_a_device_are_times_and_no_variants() -> None:
    rows = [(n, noisy(n / 5e2), noisy(n * n / 2e5), noisy(n / 3e2)) for n in (1024, 2048, 4096, 8192)]
    found = seen(("size", "h2d", "kernel", "d2h"), rows)
    assert roles(found) == {"size": "parameter", **dict.fromkeys(("h2d", "kernel", "d2h"), "response")}
    assert [q.about for q in found.questions] == ["unit"] * 3


def test_a_search_beside_other_operations_is_what_was_measured() -> None:
    rows = [(n, noisy(n / 1e4), noisy(n / 2e4), noisy(n / 3e4)) for n in (100, 500, 2000, 9000, 40000)]
    found = roles(seen(("n", "insert_time", "search_time", "delete_time"), rows))
    assert found == {"n": "parameter", **dict.fromkeys(("insert_time", "search_time", "delete_time"), "response")}


def test_bytes_behind_an_outcome_came_out_and_marks_are_not_set() -> None:
    rows = [
        (a, n, q, noisy(n * q / 1e4), int(noisy(n * n * q / 400)), 71.2 + 3 * (a == "b"))
        for a in "ab"
        for n in (512, 1024, 4096)
        for q in (50, 75, 90)
    ]
    found = roles(seen(("codec", "size", "quality", "encode_ms", "bytes", "accuracy"), rows))
    assert (found["size"], found["bytes"]) == ("parameter", "counter")
    assert found["accuracy"] != "parameter"


def test_a_rate_of_powers_of_two_was_set() -> None:
    rows = [(r, noisy(r * 0.9), noisy(30 + 5 * r)) for r in (1, 2, 4, 8, 16)]
    assert roles(seen(("request_rate", "throughput", "ttft_ms"), rows))["request_rate"] == "parameter"


def test_times_of_the_system_that_repeat_name_no_machine() -> None:
    rows = [(n, t, noisy(n / t), noisy(n / 2), f"0.0{t}") for n in (1000, 2000, 4000, 8000) for t in (1, 2, 4, 8)]
    found = roles(seen(("n", "threads", "real", "user", "sys"), rows))
    assert found == {
        "n": "parameter",
        "threads": "parameter",
        "real": "response",
        "user": "response",
        "sys": "response",
    }
    found = roles(seen(("program", "n", "threads", "real (s)", "sys (s)"), [("lu", *row[:3], row[1]) for row in rows]))
    assert "machine" not in found.values()


@pytest.mark.parametrize(
    "names",
    [
        ("serial", *["omp2", "omp4", "omp8"]),
        ("seq", *["t2", "t4", "t8"]),
        ("serial", "2 threads", "4 threads", "8 threads"),
    ],
)
def test_what_ran_alone_stands_beside_columns_of_threads(names: tuple[str, ...]) -> None:
    rows = [(n, *(noisy(n / t) for t in (1, 2, 4, 8))) for n in (256, 512, 1024, 2048)]
    found = seen(("n", *names), rows)
    assert roles(found) == {"n": "parameter"} | dict.fromkeys(names, "response")
    assert "one outcome for 4 values of" in found.questions[0].asks
    trials = imported(("n", *names), rows).trials
    assert len(trials.application) == 16
    assert [m.kind for m in trials.metrics if m.name == "time"] == [Kind.RESPONSE]
    gains = [(n, noisy(n), noisy(1.9), noisy(3.6), noisy(6.5)) for n in (256, 512, 1024, 2048)]
    assert roles(seen(("n", *names), gains))[names[0]] != "response"


def test_variants_beside_a_baseline_may_be_numbered() -> None:
    names = ("baseline", "tool_1t", "tool_2t", "tool_4t", "gcc_auto")
    rows = [
        (name, *(noisy(s * f) for f in (1, 3, 1.7, 0.9, 1.1)))
        for name, s in (("2mm", 3.4), ("atax", 0.01), ("mvt", 0.2))
    ]
    found = seen(("kernel", *names), rows)
    assert roles(found) == {"kernel": "application"} | dict.fromkeys(names, "response")
    assert found.questions[0].asks.startswith("Are baseline to gcc_auto one outcome for 5 variants")
    plain = seen(("kernel", "alpha", "tool_1t", "tool_2t", "tool_4t", "gcc_auto"), rows)
    assert "response" not in roles(plain).values()


def test_what_is_the_same_in_every_row_is_predicted_last() -> None:
    rows = [(x, d, 250.0, noisy(x / d)) for x in (8, 16, 24) for d in (1, 2, 4)]
    given = Mapping(parameters=("pe", "depth"), responses=(("power", "W"), ("delay", "s")))
    made = apply(read_table(SourceFile("own.csv", csv(("pe", "depth", "power", "delay"), rows))), given)
    assert [m.name for m in made.trials.metrics if m.kind is Kind.RESPONSE] == ["delay", "power"]
